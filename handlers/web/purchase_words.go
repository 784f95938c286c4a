package web

import (
	"fmt"
	"strings"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// statusWords are the statuses as a person at the desk says them, and their colour.
var statusWords = map[purchase.Status]components.Pill{
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

// statusWord is the word alone, for sentences and chips.
func statusWord(s purchase.Status) string { return statusWords[s].Word }

// statusPill shows where a purchase stands; its title says what happens next.
func statusPill(rec purchase.Record, rules collection.Timetable, now time.Time) components.Pill {
	p := statusWords[rec.Status]
	p.Title = nextStep(rec, rules, now)
	if c := rec.Collection; rec.Status == purchase.Paid && c != nil && c.State == collection.Provisional {
		p.Word = "Paid, provisional"
	}
	if rec.Collection != nil && rec.Collection.OnHold() {
		p.Kind, p.Word = "wait", "Account being deleted"
	}
	if rec.AwaitsPayer() {
		p.Kind, p.Word = "wait", "Waiting for the client"
	}
	if code, _, is := rec.Unconfirmed(); is && rec.Status == purchase.Failed {
		p.Word = unconfirmedWord(code)
	}
	if rec.Status == purchase.Preauthorized && !rec.IsRecurringToken {
		p.Kind, p.Word = "draft", "Account deleted"
	}
	return p
}

// nextStep is one sentence or two: what happens next, and until when something
// can be done about it.
func nextStep(rec purchase.Record, rules collection.Timetable, now time.Time) string {
	due := ""
	if rec.DueGiven {
		due = " Due on " + sayDay(calendar.DateOf(rec.Due), now) + "."
	}
	switch rec.Status {
	case purchase.Created:
		if rec.Method != "" && rec.TotalCents == 0 {
			return "The client still has to give their bank details: send the link. No money is taken."
		}
		return "Nothing is collected yet: charge a token, or send the client the link." + due
	case purchase.Sent:
		return "The client has the link and has not opened it yet." + due
	case purchase.Viewed:
		return "The client opened the link and has not answered yet." + due
	case purchase.PendingCharge, purchase.PendingExecute:
		return nextOfDebit(rec, rules, now)
	case purchase.Paid:
		return nextOfPaid(rec, now)
	case purchase.Failed, purchase.Chargeback:
		return nextOfFailure(rec)
	case purchase.Preauthorized:
		if !rec.IsRecurringToken {
			return "The token was deleted; it can no longer be charged."
		}
		return "The account is stored and can be charged."
	case purchase.Overdue:
		if _, _, is := rec.Unconfirmed(); is {
			return nextOfFailure(rec)
		}
		return "It was due on " + sayDay(calendar.DateOf(rec.Due), now) + " and is not paid. The client can still pay; you can charge a token."
	case purchase.Expired:
		return "It was due on " + sayDay(calendar.DateOf(rec.Due), now) + " and can no longer be paid."
	case purchase.Cancelled:
		return "It was cancelled; nothing will be collected."
	case purchase.PendingRefund:
		return nextOfRefunds(rec, now)
	case purchase.Refunded:
		return refundedWords(rec) + "."
	case purchase.Blocked, purchase.Hold, purchase.PendingCapture, purchase.PendingRelease, purchase.Released, purchase.Cleared, purchase.Settled:
	}
	return ""
}

func nextOfDebit(rec purchase.Record, rules collection.Timetable, now time.Time) string {
	c := rec.Collection
	if rec.AwaitsPayer() {
		return "The client is asked to confirm the DebiCheck mandate at their bank. This continues by itself when the client answers or the time to answer ends."
	}
	if c == nil {
		return "The debit is being prepared."
	}
	rules = rules.For(c.Method)
	day := sayDay(c.ActionDate, now)
	answer := " The first answer comes on " + sayMinute(rules.ProvisionalAtFor(c.ActionDate), now) + "."
	switch {
	case c.OnHold():
		return "Its token is being deleted, so nothing is debited. The debit was planned for " + day + "; it runs only if the deletion is undone in time."
	case c.State == collection.InTracking:
		return "There was not enough money on " + day + "; the client’s bank waits for money until " + sayDay(c.ActionDate.AddDays(c.TrackingDays), now) + "."
	case c.State == collection.Scheduled && rec.Status == purchase.PendingCharge:
		return fmt.Sprintf("Will be handed to the bank on %s; can be cancelled until then (%s left). The account is debited on %s.",
			sayMinute(c.SubmitAt, now), sayLeft(c.SubmitAt.Sub(now)), day)
	case c.State == collection.Scheduled:
		return "Will be handed to the bank on " + sayMinute(c.SubmitAt, now) + ". The account is debited on " + day + "." + answer
	case rec.Status == purchase.PendingCharge:
		return fmt.Sprintf("The bank has it; the account is debited on %s. It can be recalled until %s (%s left).",
			day, sayMinute(c.ExecuteAt, now), sayLeft(c.ExecuteAt.Sub(now)))
	case !c.AlertAt.IsZero() && now.After(c.AlertAt):
		return "The bank has not answered since " + day + ". Ask the bank."
	case calendar.DateOf(now).After(c.ActionDate) || now.After(rules.ProvisionalAtFor(c.ActionDate)):
		return "The account was to be debited on " + day + "; the bank has not answered yet."
	}
	return "The bank debits the account on " + day + "." + answer
}

func nextOfPaid(rec purchase.Record, now time.Time) string {
	c := rec.Collection
	switch {
	case rec.MarkedAsPaid && rec.Payment != nil:
		return "Marked as paid; the money came in on " + sayDay(calendar.DateOf(rec.Payment.PaidOn), now) + "."
	case c == nil:
		return "Paid."
	case c.State == collection.Provisional:
		return "Collected on " + sayDay(c.ActionDate, now) + "; the bank may still return it until " + sayMinute(c.FinalAt, now) + ", and the client may dispute it until " + sayDay(c.DisputeDeadline, now) + "."
	case c.Disputable && !calendar.DateOf(now).After(c.DisputeDeadline):
		return "Collected. The bank can no longer return it; the client can dispute it until " + sayDay(c.DisputeDeadline, now) + "."
	}
	return "Collected. The bank can no longer return it."
}

func nextOfFailure(rec purchase.Record) string {
	c := rec.Collection
	if _, why, is := rec.Unconfirmed(); is {
		return why + ". Nothing is stored and nothing was taken. Ask the client again from the mandate."
	}
	if c == nil || c.Result.IsZero() {
		if len(rec.Attempts) > 0 && rec.Attempts[0].Error != nil {
			return rec.Attempts[0].Error.Message
		}
		return "The last attempt failed; it may be tried again."
	}
	return bank.CodeOf(c.Result.Code).Label() + ". Open it to see whether and when it may be debited again."
}

// againWords answers "may I debit again?", as charging does.
func againWords(rec purchase.Record, a purchase.Again, now time.Time) string {
	c := rec.Collection
	switch {
	case c.State.Outcome() == collection.OutcomeDisputed:
		return bank.CodeOf(c.Result.Code).ChargeAgain
	case !a.Asked:
		return "No. This purchase is " + strings.ToLower(statusWord(rec.Status)) + " and cannot be debited."
	case !a.May() && len(a.Others) > 0:
		return "Not from this account: " + a.Problem + ". You can debit " + accountWords(a.Others[0]) + " instead."
	case !a.May():
		return "No, this account cannot be debited: " + a.Problem + "."
	}
	text := "Yes, on " + sayDay(a.From, now) + " or later."
	if a.Named {
		text = "Yes, on " + sayDay(a.From, now) + " or later: that is the next date that the mandate names."
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

// unconfirmedWord is what became of a DebiCheck request, by its attempt error code.
func unconfirmedWord(code string) string {
	switch code {
	case "authorization_failed":
		return "Declined"
	case "timeout":
		return "No answer"
	}
	return "Bank error"
}

// resultWords says in a few words how the newest debit went, and its colour class.
func resultWords(rec purchase.Record, now time.Time) (text, class string) {
	c := rec.Collection
	if code, _, is := rec.Unconfirmed(); is {
		return unconfirmedWord(code), "bad-text"
	}
	if c == nil {
		if rec.MarkedAsPaid {
			return "Marked as paid", ""
		}
		return "", ""
	}
	switch c.State {
	case collection.Unpaid, collection.Disputed, collection.DisputeLost:
		if !c.Result.IsZero() {
			return bank.CodeOf(c.Result.Code).Label(), "bad-text"
		}
		return c.State.Label(), "bad-text"
	case collection.Provisional:
		return "May be returned until " + sayDay(calendar.DateOf(c.FinalAt), now), ""
	case collection.Scheduled, collection.Submitted, collection.InTracking, collection.Successful, collection.Final,
		collection.DisputeWon, collection.Cancelled, collection.Recalled:
	}
	return c.State.Label(), ""
}
