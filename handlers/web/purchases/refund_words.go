package purchases

import (
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// waitsWords says when a refund of a debit that is not final is paid.
func waitsWords(finalAt, now time.Time) string {
	return "The refund is paid when the bank can no longer return the debit, on " + words.SayDay(calendar.DateOf(finalAt),
		now) + "; it is dropped if the debit is returned."
}

// refundRules are what one should know before giving money back: how it is paid, and
// how the client could have it twice.
func refundRules(rec purchase.Record, s *purchase.Service, now time.Time) string {
	c, pays := rec.Collection, "The bank pays it back to the account that was debited."
	why := s.Bank.NoRefunds()
	if why != "" {
		pays = why
	}
	switch {
	case rec.Payment != nil && rec.Payment.ByHand():
		return "This purchase was paid outside Debitdesk: pay the money back yourself; here it is recorded as paid back."
	case c == nil:
		return pays
	case c.State == collection.Provisional && why != "":
		return pays + " The bank can return the debit until " + words.SayDay(calendar.DateOf(c.FinalAt), now) +
			"; pay it back after that day." + disputeRisk(*c, now)
	case c.State == collection.Provisional:
		return pays + " " + waitsWords(c.FinalAt, now) + disputeRisk(*c, now)
	}
	return pays + disputeRisk(*c, now)
}

// disputeRisk warns of a dispute after the refund, until the last day for one and not after it.
func disputeRisk(c collection.Collection, now time.Time) string {
	last, still := c.StillDisputable(now)
	switch {
	case !still:
		return ""
	case c.State == collection.Provisional:
		return " The client can dispute the debit until " + words.SayDay(last, now) + ", also after a refund."
	}
	return " The client can still dispute the debit until " + words.SayDay(last, now) +
		". A dispute after the refund gives them the money twice."
}

// settleQuestion asks about the refund that is settled by hand next.
func settleQuestion(rec purchase.Record, now time.Time) components.Confirm {
	q := components.Confirm{Title: "Has " + words.PayerName(rec.Purchase) + " been paid back?",
		Button: "Record as paid back", Safe: true,
		Text: "Confirm this if you paid it yourself, or saw it on your bank statement. The bank does not pay it as well."}
	r, some := settledNext(rec)
	if !some {
		return q
	}
	q.Title = "Has " + words.PayerName(rec.Purchase) + " been paid back " + words.Sum(r.AmountCents, rec.Currency) + "?"
	if r.Waits(now) {
		q.Text = "Confirm this only if you have already paid it yourself. The debit can be returned until " +
			words.SayMinute(r.DueAt, now) + "; if it is, the client has the money twice."
	}
	return q
}

// settledNext is the refund that a person can record as paid: the oldest that can be.
func settledNext(rec purchase.Record) (purchase.Refund, bool) { return purchase.EndedNext(rec.Refunds) }

// withdrawnNext is the refund that is withdrawn next: the newest that can be.
func withdrawnNext(rec purchase.Record) (purchase.Refund, bool) {
	return purchase.EndedNext(purchase.NewestFirst(rec.Refunds))
}

// creditWords say which credit note and which mail follow, when an invoice is taken back by an amount.
func creditWords(rec purchase.Record, left, cents int64) string {
	if left <= 0 {
		return ""
	}
	text := "A credit note for " + words.Sum(min(cents, left), rec.Currency) + " is issued"
	if rec.Payer.Email == "" {
		return text + "; no mail is sent, since the client has no e-mail address."
	}
	return text + " and mailed to " + rec.Payer.Email + "."
}

func whyNotSettle(rec purchase.Record, s *purchase.Service, who actor.Actor) string {
	if why := s.WhyNoRefundEnds(rec); why != "" {
		return why
	}
	return whyNot(nil, who.Can(refundAct))
}

// nextOfRefunds says what becomes of the refunds under way.
func nextOfRefunds(rec purchase.Record, s *purchase.Service, now time.Time) string {
	text := words.Sum(rec.RefundingCents, rec.Currency) + " is to be paid back to the client."
	if len(rec.Refunds) == 0 {
		return text
	}
	switch r := rec.Refunds[0]; {
	case r.Waits(now) && r.Channel == purchase.ByPerson:
		return text + " Pay the client yourself after " + words.SayDay(calendar.DateOf(r.DueAt), now) +
			", when the bank can no longer return the debit, then record the refund as paid back."
	case r.Channel == purchase.ByPerson && s.Bank.NoRefunds() != "":
		return text + " " + s.Bank.NoRefunds()
	case r.Waits(now):
		return text + " " + waitsWords(r.DueAt, now)
	case r.Channel == purchase.ByPerson:
		return text + " The bank did not take the refund: pay it another way, then record it as paid."
	case r.HandedOver:
		return text + " The bank has the refund and has not confirmed it yet."
	}
	return text + " The refund goes to the bank next."
}

func refundedWords(rec purchase.Record) string {
	if rec.PartlyRefunded() {
		return words.Sum(rec.RefundedCents, rec.Currency) + " of " + words.Sum(rec.ReceivedCents(), rec.Currency) +
			" was paid back to the client"
	}
	return words.Sum(rec.RefundedCents, rec.Currency) + " was paid back to the client"
}

func refundFacts(rec purchase.Record, now time.Time, add func(components.Fact)) {
	if part := rec.PartPaidCents(); part > 0 {
		add(components.Fact{Label: "Paid so far", Value: words.Sum(part, rec.Currency)})
		add(components.Fact{Label: "Still to be paid", Value: words.Sum(rec.OpenCents(), rec.Currency)})
	}
	if rec.RefundedCents > 0 {
		add(components.Fact{Label: "Refunded", Value: words.Sum(rec.RefundedCents, rec.Currency)})
	}
	for _, r := range rec.Refunds {
		f := components.Fact{Label: "Refund under way", Value: words.Sum(r.AmountCents, rec.Currency)}
		if r.Waits(now) {
			f.Value += ", paid on " + words.SayDay(calendar.DateOf(r.DueAt), now)
		}
		add(f)
	}
	if twice := rec.PaidBackTwice(); twice > 0 {
		add(components.Fact{Label: "Paid back twice", Value: words.Sum(twice, rec.Currency) +
			" too much was paid to the client"})
	}
}
