package templates

import (
	"strconv"
	"time"

	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// datesShown is how many billing dates a preview shows.
const datesShown = 12

// planWords says a plan in sentences.
func planWords(p subscription.Plan, anchor calendar.Date) []string {
	out := []string{"Bills " + words.EveryWords(p, anchor) + "."}
	switch {
	case p.TrialPeriods > 0 && p.ChargeAtEnd:
		out = append(out, "The first "+trialWords(p)+" free. Each later period is billed when it ends.")
	case p.TrialPeriods > 0:
		out = append(out, "The first "+trialWords(p)+" free; billing begins after that.")
	case p.ChargeAtEnd:
		out = append(out, "Each period is billed when it ends, so the first bill comes "+periodWords(p)+" after the start.")
	default:
		out = append(out, "Each period is billed when it starts, the first on the day the subscription begins.")
	}
	out = append(out, "What is billed is due "+lengthWords(p.DuePeriod, p.DueUnits)+" later.")
	if p.Cycles == nil {
		return append(out, "It runs until it is ended.")
	}
	return append(out, "It ends after "+plural.Of(*p.Cycles, "billed period")+".")
}

func trialWords(p subscription.Plan) string {
	return plural.Pick(p.TrialPeriods, "period is", strconv.Itoa(p.TrialPeriods)+" periods are")
}

func periodWords(p subscription.Plan) string { return lengthWords(p.Period, p.Units) }

func lengthWords(n int, units subscription.Units) string {
	if units == "" {
		return ""
	}
	return plural.Of(n, string(units)[:len(units)-1])
}

// dates are the next billing dates of a plan, each with the day on which the bank would debit an account of a method.
func (h *Templates) dates(b merchant.Brand, p subscription.Plan, anchor calendar.Date,
	method string) []pages.BillingDay {
	var out []pages.BillingDay
	for _, day := range p.Dates(anchor, datesShown) {
		out = append(out, h.billingDay(b, purchases.Account{Token: token.Token{Method: method}}, p, day))
	}
	return out
}

// billingDay is one billing date: it is billed at the beginning of the day.
func (h *Templates) billingDay(b merchant.Brand, from purchases.Account, p subscription.Plan,
	day calendar.Date) pages.BillingDay {
	due := p.DueOn(day)
	days := h.Purchases.Days(b, from)
	plan := h.Purchases.Service.PlanPeriod(days.Schedule, from.Mandate, days.DueOn(due), day.At(0, 0))
	out := pages.BillingDay{Billed: words.DayTime(day), Due: words.DayTime(due), Debit: words.DayTime(plan.ActionDate)}
	if plan.ActionDate != due {
		reason, closed := days.Closed(due)
		switch {
		case closed:
			out.Why = "due falls on " + closedOn(reason)
		case plan.ActionDate.After(due):
			if least := days.LeadWords(); least != "" {
				out.Why = "the bank needs " + least
			}
		}
	}
	return out
}

// closedOn puts a closed day into a sentence: "a Sunday", "Good Friday".
func closedOn(reason string) string {
	if reason == time.Saturday.String() || reason == time.Sunday.String() {
		return "a " + reason
	}
	return reason
}

var subscriberPills = map[subscription.Status]components.Pill{
	subscription.Pending: {Kind: "wait", Word: "Pending", Title: "Waits for the first payment or for the bank account."},
	subscription.Active:  {Kind: "done", Word: "Active", Title: "Is billed on the next billing date."},
	subscription.Paused: {Kind: "wait", Word: "Paused",
		Title: "Only this subscriber is paused: periods pass and are not billed."},
	subscription.Inactive: {Kind: "draft", Word: "Inactive", Title: "It has ended."},
}

// subscriberPill shows where a subscriber stands, and whether its account is there.
func subscriberPill(s subscription.Subscriber) components.Pill {
	switch {
	case s.Held():
		return components.Pill{Kind: "wait", Word: "Account being deleted",
			Title: "Nothing is billed until the deletion is undone or complete."}
	case s.Unfunded():
		return components.Pill{Kind: "bad", Word: "Account deleted", Title: unfundedWords(s)}
	case s.Status == subscription.Active && s.Account == token.Blocked:
		return components.Pill{Kind: "bad", Word: "Account blocked",
			Title: "Its token cannot be debited until the client gives a new account. " + invoiceWords(s)}
	}
	return subscriberPills[s.Status]
}

// unfundedWords says what happens to a subscription whose account was deleted.
func unfundedWords(s subscription.Subscriber) string {
	return "Its token was deleted, so nothing is debited. " + invoiceWords(s)
}

func invoiceWords(s subscription.Subscriber) string {
	if s.Switches.InvoiceOnChargeFailure && s.ClientEmail != "" {
		return "Each period is mailed as an invoice to " + s.ClientEmail + "."
	}
	return "Each period stays unpaid, and no mail is sent."
}

// whyWords says how a subscriber came to be paused or inactive.
func whyWords(s subscription.Subscriber) string {
	words := map[string]string{"payer": "The client stopped it.", "person": "Paused by your team.",
		subscription.PausedByClient: "Paused by the client. Resume it when the client asks.",
		"cycles":                    "All periods are billed.", "removed": "Removed by your team.",
		"client_deleted": "The client was deleted.", "template_deleted": "The template was deleted.",
		subscription.WhyDeleted: "The token was deleted.",
		subscription.WhyAsked:   "Waiting for a new account from the client."}
	return words[s.Why]
}

func skippedWords(why string) string {
	words := map[string]string{"paused_template": "not billed: the template was paused for all subscribers",
		"paused_client": "not billed: this subscriber was paused"}
	if text := words[why]; text != "" {
		return text
	}
	return "not billed"
}

// ageWords is how old something is, in days.
func ageWords(at, now time.Time) string {
	days := calendar.DateOf(now).DaysSince(calendar.DateOf(at))
	if days < 1 {
		return "today"
	}
	return words.Glue(plural.Of(days, "day"))
}
