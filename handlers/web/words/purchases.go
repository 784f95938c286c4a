package words

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/mail"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
)

// InvoicePill is how the invoice stands: what became of its purchase, or that it
// was taken back.
func InvoicePill(e billing.Entry) components.Pill {
	if e.TakenBack() {
		return components.Pill{
			Kind:  "draft",
			Word:  "Credited",
			Title: "Credited by credit note " + e.CreditNote + ".",
		}
	}
	kind := "progress"
	switch e.Status {
	case purchase.Paid, purchase.Cleared, purchase.Settled:
		kind = "done"
	case purchase.Overdue, purchase.Failed, purchase.Chargeback:
		kind = "bad"
	case purchase.Refunded:
		if e.CreditNote != "" && !e.TakenBack() {
			return components.Pill{Kind: "done", Word: partlyRefunded,
				Title: "Credited in part by credit note " + e.CreditNote + "."}
		}
		kind = "draft"
	case purchase.Created:
		return components.Pill{Kind: "draft", Word: "Issued", Title: "The mail with it has not gone out yet."}
	case purchase.Sent, purchase.Viewed:
		kind = "wait"
	case purchase.Cancelled, purchase.Expired:
		kind = "draft"
	default:
	}
	return components.Pill{Kind: kind, Word: StatusWord(e.Status)}
}

func MailPill(state, why string) components.Pill {
	switch state {
	case mail.Sent:
		return components.Pill{Kind: "done", Word: "Sent"}
	case mail.Failed:
		return components.Pill{Kind: "bad", Word: "Failed", Title: why}
	case mail.Queued:
		return components.Pill{Kind: "progress", Word: "Waiting", Title: why}
	}
	return components.Pill{}
}

// StatusWords are the statuses as a person at the desk says them, and their colour.
var StatusWords = map[purchase.Status]components.Pill{
	purchase.Created:        {Kind: "draft", Word: "Created"},
	purchase.Sent:           {Kind: "wait", Word: "Sent"},
	purchase.Viewed:         {Kind: "wait", Word: "Opened by client"},
	purchase.PendingCharge:  {Kind: "progress", Word: "Scheduled"},
	purchase.PendingExecute: {Kind: "progress", Word: "Being collected"},
	purchase.Paid:           {Kind: "done", Word: "Paid"},
	purchase.Preauthorized:  {Kind: "done", Word: "Account stored"},
	purchase.Failed:         {Kind: "bad", Word: "Failed"},
	purchase.Overdue:        {Kind: "wait", Word: "Overdue"},
	purchase.Expired:        {Kind: "draft", Word: "Expired"},
	purchase.Cancelled:      {Kind: "draft", Word: "Cancelled"},
	purchase.Chargeback:     {Kind: "bad", Word: "Disputed"},
	purchase.PendingRefund:  {Kind: "wait", Word: "Refund pending"},
	purchase.Refunded:       {Kind: "draft", Word: "Refunded"},
	purchase.Blocked:        {Kind: "bad", Word: "Blocked"},
	purchase.Hold:           {Kind: "wait", Word: "On hold"},
	purchase.PendingCapture: {Kind: "progress", Word: "Capture pending"},
	purchase.PendingRelease: {Kind: "progress", Word: "Release pending"},
	purchase.Released:       {Kind: "draft", Word: "Released"},
	purchase.Cleared:        {Kind: "done", Word: "Cleared"},
	purchase.Settled:        {Kind: "done", Word: "Settled"},
}

// partlyRefunded is how a purchase stands of which a part went back.
const partlyRefunded = "Partly refunded"

// OwedAgain is how a purchase stands whose payment was taken back, while no debit of it failed.
const OwedAgain = "Owed again"

// StatusOf is how a purchase stands: its status, and what of its money and its newest debit make a difference. What
// failed at the bank is called failed, whether its due date has passed or not.
func StatusOf(rec purchase.Record) components.Pill {
	switch c := rec.Collection; {
	case rec.Status == purchase.Refunded && rec.PartlyRefunded():
		return components.Pill{Kind: "done", Word: partlyRefunded}
	case rec.Status == purchase.Overdue && c != nil && c.State.Outcome() == collection.OutcomeFailed:
		return StatusWords[purchase.Failed]
	case rec.NothingFailed():
		return components.Pill{Kind: "wait", Word: OwedAgain}
	case rec.PartPaidCents() > 0 && slices.Contains([]purchase.Status{purchase.Created, purchase.Sent, purchase.Viewed},
		rec.Status):
		return components.Pill{Kind: "wait", Word: "Partly paid"}
	}
	return StatusWords[rec.Status]
}

// StatusWord is the word alone, for sentences and chips.
func StatusWord(s purchase.Status) string { return StatusWords[s].Word }

// AgainWords answers "may I debit again?", as charging does.
func AgainWords(rec purchase.Record, a purchase.Again, now time.Time) string {
	c := rec.Collection
	switch {
	case c.State.Outcome() == collection.OutcomeDisputed:
		return bank.CodeOf(c.Result.Code).ChargeAgain
	case !a.Asked:
		return "No. This purchase is " + strings.ToLower(StatusWord(rec.Status)) + " and cannot be debited."
	case !a.May() && len(a.Others) > 0:
		return "Not from this account: " + a.Problem + ". You can debit " + a.Others[0].Named() + " instead."
	case !a.May():
		return "No, this account cannot be debited: " + a.Problem + "."
	}
	text := "Yes, on " + SayDay(a.From, now) + " or later."
	if a.Named {
		text = "Yes, on " + SayDay(a.From, now) + " or later: that is the next date that the mandate names."
	}
	switch {
	case bank.CodeOf(c.Result.Code).Class != bank.Soft:
	case c.Method == bank.DebiCheck:
		text += " Seven failures in a row suspend the mandate."
	default:
		text += " Two such failures in a row block the account."
	}
	return text
}

// Reference is what the merchant calls the purchase: its own reference, else ours.
func Reference(p purchase.Purchase) string { return p.Called() }

// PayerName is who pays, as well as it is known.
func PayerName(p purchase.Purchase) string {
	for _, name := range []string{p.Payer.FullName, p.Payer.LegalName, p.Payer.BrandName, p.Payer.Email} {
		if name != "" {
			return name
		}
	}
	return "Client not named yet"
}

// AmountIn leaves the currency out when it is the rand, which table heads name.
func AmountIn(cents int64, currency string) string {
	if currency == money.ZAR {
		return money.Amount(cents)
	}
	return money.Format(cents, currency)
}

// EveryWords says how often a plan bills: "every month on the 31st (last day in
// shorter months)". Without an anchor it leaves the day out.
func EveryWords(p subscription.Plan, anchor calendar.Date) string {
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
