package web

import (
	"strconv"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// datesShown is how many billing dates a preview shows.
const datesShown = 12

// everyWords says how often a plan bills: "every month on the 31st (last day in
// shorter months)". Without an anchor it leaves the day out.
func everyWords(p subscription.Plan, anchor calendar.Date) string {
	noun := string(p.Units)
	if noun == "" {
		return ""
	}
	noun = noun[:len(noun)-1]
	every := "every " + noun
	if p.Period != 1 {
		every = "every " + strconv.Itoa(p.Period) + " " + noun + "s"
	}
	switch {
	case anchor.IsZero(), p.Units == subscription.Days:
	case p.Units == subscription.Weeks:
		every += " on " + anchor.Weekday().String()
	case anchor.Day > 28:
		every += " on the " + ordinal(anchor.Day) + " (last day in shorter months)"
	default:
		every += " on the " + ordinal(anchor.Day)
	}
	return every
}

func ordinal(n int) string {
	ending := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(n) + ending
}

// planWords says a plan in sentences.
func planWords(p subscription.Plan, anchor calendar.Date) []string {
	out := []string{"Bills " + everyWords(p, anchor) + "."}
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
	return append(out, "It ends by itself after "+counted(int64(*p.Cycles), "billed period")+".")
}

func trialWords(p subscription.Plan) string {
	if p.TrialPeriods == 1 {
		return "period is"
	}
	return strconv.Itoa(p.TrialPeriods) + " periods are"
}

func periodWords(p subscription.Plan) string { return lengthWords(p.Period, p.Units) }

func lengthWords(n int, units subscription.Units) string {
	if units == "" {
		return ""
	}
	return counted(int64(n), string(units)[:len(units)-1])
}

// dates are the next billing dates of a plan, each with the day on which the bank would debit an account of a method.
func (h *Templates) dates(b merchant.Brand, p subscription.Plan, anchor calendar.Date, method string) []pages.BillingDay {
	var out []pages.BillingDay
	for _, day := range p.Dates(anchor, datesShown) {
		out = append(out, h.billingDay(b, account{Token: token.Token{Method: method}}, p, day))
	}
	return out
}

// billingDay is one billing date: it is billed at the beginning of the day.
func (h *Templates) billingDay(b merchant.Brand, from account, p subscription.Plan, day calendar.Date) pages.BillingDay {
	due := p.DueOn(day)
	days := h.Purchases.days(b, from)
	plan := h.Purchases.Service.PlanPeriod(days.Schedule, from.Mandate, days.DueOn(due), day.At(0, 0))
	out := pages.BillingDay{Billed: dayTime(day), Due: dayTime(due), Debit: dayTime(plan.ActionDate)}
	if plan.ActionDate != due {
		reason, closed := days.Closed(due)
		switch {
		case closed:
			out.Why = "due falls on " + closedOn(reason)
		case plan.ActionDate.After(due):
			out.Why = "the bank needs two days"
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
	subscription.Pending:  {Kind: "wait", Word: "Pending", Title: "Waits for the first payment or for the bank account."},
	subscription.Active:   {Kind: "done", Word: "Active", Title: "Is billed on the next billing date."},
	subscription.Paused:   {Kind: "wait", Word: "Paused", Title: "Only this subscriber is paused: periods pass and are not billed."},
	subscription.Inactive: {Kind: "draft", Word: "Inactive", Title: "It has ended."},
}

// subscriberPill shows where a subscriber stands, and whether its account is there.
func subscriberPill(s subscription.Subscriber) components.Pill {
	switch {
	case s.Held():
		return components.Pill{Kind: "wait", Word: "Account being deleted", Title: "Nothing is billed until the deletion is undone or complete."}
	case s.Unfunded():
		return components.Pill{Kind: "bad", Word: "Account deleted", Title: unfundedWords(s)}
	case s.Status == subscription.Active && s.Account == token.Blocked:
		return components.Pill{Kind: "bad", Word: "Account blocked", Title: "Its token cannot be debited until the client gives a new account. " + invoiceWords(s)}
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
	words := map[string]string{"payer": "The client stopped it.", "person": "Paused by your team.", "cycles": "All periods are billed.", "removed": "Removed by your team.",
		"client_deleted": "The client was deleted.", "template_deleted": "The template was deleted.",
		subscription.WhyDeleted: "The token was deleted.", subscription.WhyAsked: "Waits for a new account from the client."}
	return words[s.Why]
}

func skippedWords(why string) string {
	words := map[string]string{"paused_template": "not billed: the template was paused for all subscribers", "paused_client": "not billed: this subscriber was paused"}
	if text := words[why]; text != "" {
		return text
	}
	return "not billed"
}

// ageWords is how old something is, in days.
func ageWords(at, now time.Time) string {
	days := dateOf(now).DaysSince(dateOf(at))
	if days < 1 {
		return "today"
	}
	return glue(counted(int64(days), "day"))
}
