package purchases

import (
	"fmt"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// statusPill shows where a purchase stands; its title says what happens next.
func statusPill(rec purchase.Record, s *purchase.Service, now time.Time) components.Pill {
	p := words.StatusOf(rec)
	p.Title = NextStep(rec, s, now)
	if c := rec.Collection; rec.Status == purchase.Paid && c != nil && c.State == collection.Provisional {
		p.Word = "Paid, provisional"
	}
	if rec.Collection != nil && rec.Collection.OnHold() {
		p.Kind, p.Word = "wait", "Account being deleted"
	}
	if rec.AwaitsClient() {
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

// NextStep is one sentence or two: what happens next, and until when something
// can be done about it.
func NextStep(rec purchase.Record, s *purchase.Service, now time.Time) string {
	due := ""
	if rec.DueGiven {
		due = " Due on " + words.SayDay(calendar.DateOf(rec.Due), now) + "."
	}
	if part := rec.PartPaidCents(); part > 0 {
		due += " " + words.Sum(part, rec.Currency) + " was paid; " + words.Sum(rec.OpenCents(), rec.Currency) +
			" is still to be paid."
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
		return nextOfDebit(rec, s, now)
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
		return "It was due on " + words.SayDay(calendar.DateOf(rec.Due), now) +
			" and is not paid. The client can still pay; you can charge a token." + partWords(rec)
	case purchase.Expired:
		return "It was due on " + words.SayDay(calendar.DateOf(rec.Due), now) + " and can no longer be paid."
	case purchase.Cancelled:
		return "It was cancelled; nothing will be collected."
	case purchase.PendingRefund:
		return nextOfRefunds(rec, s, now)
	case purchase.Refunded:
		return refundedWords(rec) + "."
	case purchase.Blocked, purchase.Hold, purchase.PendingCapture, purchase.PendingRelease, purchase.Released,
		purchase.Cleared, purchase.Settled:
	}
	return ""
}

// partWords say what came in of a purchase that is not paid; empty for nothing.
func partWords(rec purchase.Record) string {
	if rec.PartPaidCents() == 0 {
		return ""
	}
	return " " + words.Sum(rec.OpenCents(), rec.Currency) + " of it is still to be paid."
}

func nextOfDebit(rec purchase.Record, s *purchase.Service, now time.Time) string {
	c := rec.Collection
	if rec.AwaitsClient() {
		return "The client is asked to confirm the DebiCheck mandate at their bank. " +
			"This continues when the client answers, or when the time to answer ends."
	}
	if c == nil {
		return "The debit is being prepared."
	}
	rules := s.Timetable.For(c.Method)
	day := words.SayDay(c.ActionDate, now)
	if reason, closed := s.Schedule(rec.Brand, c.Method).Closed(c.ActionDate); closed && c.State == collection.Scheduled &&
		!c.OnHold() {
		return "It is planned for " + day + ", when banks are closed (" + reason + "). Cancel it until " +
			words.SayMinute(c.SubmitAt, now) + " and choose another day."
	}
	answer := " The first answer comes on " + words.SayMinute(rules.ProvisionalAtFor(c.ActionDate), now) + "."
	switch {
	case c.OnHold():
		return "Its token is being deleted, so nothing is debited. The debit was planned for " + day +
			"; it runs only if the deletion is undone in time."
	case c.State == collection.InTracking:
		return "There was not enough money on " + day + "; the client’s bank is waiting for money until " +
			words.SayDay(c.ActionDate.AddDays(c.TrackingDays), now) + "."
	case c.State == collection.Scheduled && rec.Status == purchase.PendingCharge:
		return fmt.Sprintf(
			"Will be handed to the bank on %s; can be cancelled until then (%s left). The account is debited on %s.",
			words.SayMinute(c.SubmitAt, now), words.SayLeft(c.SubmitAt.Sub(now)), day)
	case c.State == collection.Scheduled:
		return "Will be handed to the bank on " + words.SayMinute(c.SubmitAt, now) + ". The account is debited on " + day +
			"." + answer
	case rec.Status == purchase.PendingCharge && s.CannotRecall(rec) != "":
		return "The account is debited on " + day + ". " + s.CannotRecall(rec)
	case rec.Status == purchase.PendingCharge:
		return fmt.Sprintf("The bank has it; the account is debited on %s. It can be recalled until %s (%s left).",
			day, words.SayMinute(c.ExecuteAt, now), words.SayLeft(c.ExecuteAt.Sub(now)))
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
		return "Marked as paid; the money came in on " + words.SayDay(calendar.DateOf(rec.Payment.PaidOn), now) + "."
	case c == nil:
		return "Paid."
	case c.State == collection.Provisional:
		text := "Collected on " + words.SayDay(c.ActionDate, now) + "; the bank may still return it until " +
			words.SayMinute(c.FinalAt, now)
		if last, may := c.StillDisputable(now); may {
			text += ", and the client may dispute it until " + words.SayDay(last, now)
		}
		return text + "."
	}
	if last, may := c.StillDisputable(now); may {
		return "Collected. The bank can no longer return it; the client can dispute it until " + words.SayDay(last, now) + "."
	}
	return "Collected. The bank can no longer return it."
}

func nextOfFailure(rec purchase.Record) string {
	c := rec.Collection
	if _, why, is := rec.Unconfirmed(); is {
		return why + ". Nothing is stored and nothing was taken. Ask the client again from the mandate."
	}
	if rec.NothingFailed() {
		return "The payment that was recorded for it was taken back, and no debit failed. It is owed again: charge a " +
			"token, send the client the link, or record a payment."
	}
	if c == nil || c.Result.IsZero() {
		if len(rec.Attempts) > 0 && rec.Attempts[0].Error != nil {
			return rec.Attempts[0].Error.Message
		}
		return "The last attempt failed; it may be tried again."
	}
	return bank.CodeOf(c.Result.Code).Label() + ". Open it to see whether and when it may be debited again."
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
		return "May be returned until " + words.SayDay(calendar.DateOf(c.FinalAt), now), ""
	case collection.Scheduled, collection.Submitted, collection.InTracking, collection.Successful, collection.Final,
		collection.DisputeWon, collection.Cancelled, collection.Recalled:
	}
	return c.State.Label(), ""
}
