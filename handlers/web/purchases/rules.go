package purchases

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

const refundAct = actor.Refund

// The use cases refuse by themselves; these sentences let a page say so before
// anybody has asked.

func notPayable(rec purchase.Record, now time.Time) string {
	if rec.Payable(now) {
		return ""
	}
	const only = "This is possible only while a purchase is not paid. "
	if rec.AwaitsClient() {
		return only + "This one waits for the client’s answer."
	}
	return only + "The status of this one is “" + words.StatusOf(rec).Word + "”."
}

func whyNotCharge(rec purchase.Record, usable []token.Token, now time.Time) string {
	switch why := notPayable(rec, now); {
	case why != "":
		return why
	case rec.TotalCents == 0:
		return "The total is 0; there is nothing to collect."
	case rec.Currency != money.ZAR:
		return "Debit orders are in rand."
	case rec.ClientID == uuid.Nil:
		return "This person is not one of your clients yet."
	case len(usable) == 0:
		return "The client has no token that can be charged."
	}
	return ""
}

func whyNotMail(rec purchase.Record, now time.Time) string {
	if why := notPayable(rec, now); why != "" {
		return why
	}
	if rec.Payer.Email == "" {
		return "The client has no e-mail address."
	}
	return ""
}

const remindedToday = "The client was reminded today already."

// wantsReminder tells that a mail about the purchase is a reminder: its debit failed, or it is overdue.
func wantsReminder(rec purchase.Record) bool {
	return rec.Status == purchase.Failed || rec.Status == purchase.Overdue || !rec.FailedOn().IsZero()
}

func whyNotPaid(rec purchase.Record, now time.Time) string {
	if rec.TotalCents == 0 {
		return "The total is 0; there is nothing to pay."
	}
	return notPayable(rec, now)
}

// whyNot is the reason of a use case that refuses, or that the person may not do it; empty where it can be done.
func whyNot(refused error, may bool) string {
	if f, is := fault.From(refused); is {
		return f.Message
	}
	if !may {
		return "Finance or an admin can do it."
	}
	return ""
}

func whyNotRefund(rec purchase.Record, who actor.Actor) string {
	switch {
	case rec.Payment == nil || rec.Status == purchase.Chargeback:
		return "Only a paid purchase can be refunded."
	case rec.RefundableCents() <= 0 && rec.RefundingCents > 0:
		return "Everything was refunded already or is on its way to the client."
	case rec.RefundableCents() <= 0:
		return "Everything was refunded already."
	case !who.Can(refundAct):
		return "Finance or an admin can do it."
	}
	return ""
}

func whyNotCancel(rec purchase.Record, s *purchase.Service) string {
	switch {
	case s.MayCancel(rec) == nil:
		return ""
	case rec.PartPaidCents() > 0:
		f, _ := fault.From(s.MayCancel(rec))
		return f.Message
	case s.CannotRecall(rec) != "":
		return s.CannotRecall(rec)
	case rec.AwaitsClient():
		return "The client is being asked; the answer must come first."
	case rec.Status == purchase.PendingExecute:
		return "The debit day has begun; the bank’s answer must come first."
	}
	if rec.Status == purchase.Cancelled {
		return purchase.AlreadyCancelled
	}
	return "A purchase that is " + strings.ToLower(words.StatusWord(rec.Status)) + " cannot be cancelled."
}
