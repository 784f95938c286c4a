package debit

import (
	"fmt"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// effect carries out what an answer means for the money, the purchase and the
// token; false when the purchase cannot take it, and then nothing is changed.
func (m matter) effect(msg bank.Message, next collection.State) bool {
	now := m.tx.Now()
	had := m.c.is.State.Collected()
	switch msg.Kind {
	case bank.Provisional, bank.Successful:
		if !m.collected(msg.At) {
			return false
		}
		m.answered(next, msg.At)
		m.receipt()
	case bank.Unpaid:
		m.unpaid(had, now)
		m.answered(next, msg.At)
	case bank.Disputed:
		if !had && !m.collected(msg.At) { // a dispute proves that the money came
			return false
		}
		m.disputed(m.c.is.ReversedAtOnce(msg.At), now)
		m.answered(next, msg.At)
	case bank.DisputeWon:
		m.won(msg.At, now)
		m.answered(next, msg.At)
	case bank.DisputeLost:
		m.lost()
		m.answered(next, msg.At)
	case bank.Recalled:
		m.p.changed = m.p.is.Fail(m.c.is, m.code, now) || m.p.changed
		m.answered(next, msg.At)
	case bank.InTracking:
		m.answered(next, msg.At)
	case bank.RefundSettled, bank.RefundFailed, bank.DisputeRejected, bank.MandateDelivered, bank.MandateAccepted,
		bank.MandateRejected,
		bank.MandateUnanswered, bank.MandateFailed, bank.MandateSuspended:
		return false
	}
	return true
}

// answered writes the answer on the collection.
func (m matter) answered(next collection.State, at time.Time) {
	c := &m.c.is
	c.State, c.Result, c.ResultAt = next, collection.ResultOf(m.code.Code), at
	c.Started = c.Started || next != collection.InTracking
	c.ProofDue = next == collection.Disputed && c.ProofDue
	m.c.changed = true
	if at.After(m.t.is.LastUsedAt) {
		m.t.is.LastUsedAt, m.t.changed = at, true
	}
}

// collected: the money is there, for EFT provisionally.
func (m matter) collected(at time.Time) bool {
	if !m.p.is.Collect(m.c.is, at, m.tx.Now()) {
		return false
	}
	m.c.is.ProvisionalAt = at
	m.c.is.SoftBefore = m.t.is.SoftFailures
	m.t.is.SoftFailures, m.t.is.Failures, m.t.is.LastSuccessAt = 0, 0, at
	m.t.changed, m.p.changed = true, true
	switch {
	case m.t.is.State != token.Pending:
	case m.c.is.OnceOff:
		m.useUp()
	default:
		m.keepToken()
	}
	m.entry(purchase.Collected, 1)
	if m.c.is.OnceOff {
		m.suspend(bank.CodeOnceOffDone)
	}
	return true
}

// keepToken: the first collection of a tokenising purchase succeeded, so its
// account is stored (API contract 3.7).
func (m matter) keepToken() {
	m.t.is.State = token.Active
	if m.t.is.ID == m.p.is.ID {
		m.p.is.IsRecurringToken = true
	}
	m.tx.Audit(actor.BankOf(m.t.is.MerchantID), audit.Entry{Action: "token.stored", ObjectType: "token",
		ObjectID: m.t.is.ID, ClientID: m.t.is.ClientID, PurchaseID: m.p.is.ID,
		Text:  fmt.Sprintf("The account %s is stored and can be charged again.", m.t.is.AccountMask),
		After: map[string]any{"state": m.t.is.State}})
}

// useUp: the payer allowed this one debit and had nothing stored, so no token
// remains. Its mandate stays as evidence and allows nothing more.
func (m matter) useUp() {
	t := &m.t.is
	t.State, t.BlockedCode, t.UpdatedAt, m.t.changed = token.Deleted, bank.CodeOnceOffDone, m.tx.Now(), true
	m.tx.FinishMandate(t.MerchantID, t.MandateID, bank.CodeOnceOffDone)
	m.tx.Audit(actor.BankOf(t.MerchantID), audit.Entry{Action: "token.used", ObjectType: "token", ObjectID: t.ID,
		ClientID: t.ClientID, PurchaseID: m.p.is.ID,
		Text: fmt.Sprintf(
			"The account %s was debited once, as the client chose. It is not stored and cannot be debited again.",
			t.AccountMask), After: map[string]any{"state": t.State}})
}

func (m matter) receipt() {
	if !m.p.is.Options.SendReceipt {
		return
	}
	if brand, ok := m.brand(); ok {
		m.s.Purchases.MailReceiptOf(m.tx, &m.p.is, brand)
	}
}

func (m matter) brand() (merchant.Brand, bool) {
	brand, known := m.brands[m.p.is.BrandID]
	if !known {
		var err error
		if brand, err = m.s.Read.Brand(m.ctx, m.p.is.MerchantID, m.p.is.BrandID); err != nil {
			m.batch.wrong = err
			return brand, false
		}
		m.brands[m.p.is.BrandID] = brand
	}
	return brand, true
}

// invoice asks for the money of a subscription by mail, where its subscriber's
// switch says so (API contract 5.2).
func (m matter) invoice() {
	if !m.p.is.Options.InvoiceOnFailure {
		return
	}
	brand, ok := m.brand()
	if !ok {
		return
	}
	rec := purchase.Record{Purchase: m.p.is, Brand: brand}
	if err := m.s.Purchases.InvoiceFailure(m.tx, actor.BankOf(m.p.is.MerchantID), &rec); err != nil {
		m.batch.wrong = err
	}
	m.p.is = rec.Purchase
}

// unpaid: the money did not come, or came and was returned.
func (m matter) unpaid(had bool, now time.Time) {
	before := 0
	if had {
		before = m.c.is.SoftBefore
	}
	if m.p.is.Fail(m.c.is, m.code, now) {
		m.p.changed = true
		if had {
			m.entry(purchase.Returned, -1)
			m.dropRefunds("returned")
		}
		m.invoice()
	}
	m.judge(before)
}

// judge counts a failure on the token and blocks it where the rules say so.
// softBefore are soft failures that a success, now returned, had wiped out.
func (m matter) judge(softBefore int) {
	t := &m.t.is
	v := m.s.Timetable.For(m.c.is.Method).Judge(m.code.Code, t.SoftFailures+softBefore)
	t.SoftFailures, t.Failures = v.SoftInRow, t.Failures+1
	m.t.changed = true
	if m.c.is.Method == bank.DebiCheck && t.Failures >= m.s.Limits.FailureLimit {
		m.suspend(bank.CodeSevenFailures)
		return
	}
	if !v.Blocked || !blockable(*t) {
		return
	}
	before := t.State
	block(t, m.code.Code)
	if m.code.Class == bank.Soft { // repeatedly unpaid: what helps is a new mandate, not the next date
		t.BlockedCode = bank.CodeBlocked
	}
	m.tx.Audit(actor.BankOf(t.MerchantID), audit.Entry{Action: "token.blocked", ObjectType: "token", ObjectID: t.ID,
		ClientID: t.ClientID, PurchaseID: m.p.is.ID,
		Text:   fmt.Sprintf("The token %s was blocked: %s. %s", t.AccountMask, v.Reason, v.Remedy),
		Before: map[string]any{"state": before}, After: map[string]any{"state": t.State, "code": t.BlockedCode}})
}

// suspend: the payer's bank runs nothing more under the mandate, so the token
// cannot be charged any more.
func (m matter) suspend(code string) {
	t := &m.t.is
	if !blockable(*t) {
		return
	}
	before := t.State
	block(t, code)
	m.t.changed = true
	m.tx.SuspendMandate(t.MerchantID, t.MandateID, code)
	m.tx.Audit(actor.BankOf(t.MerchantID), audit.Entry{Action: "mandate.suspended", ObjectType: "mandate",
		ObjectID: t.MandateID, ClientID: t.ClientID, PurchaseID: m.p.is.ID,
		Text:   fmt.Sprintf("The mandate was suspended: %s. %s", bank.Label(code), bank.Remedy(code)),
		Before: map[string]any{"state": before}, After: map[string]any{"state": t.State, "code": code}})
}

// blockable: one that is being deleted may come back, and then it is blocked.
func blockable(t token.Token) bool {
	return t.State == token.Active || t.State == token.Deleting && t.BlockedCode == ""
}

// block ends the use of a token; one that is being deleted only notes why.
func block(t *token.Token, code string) {
	t.BlockedCode = code
	if t.State == token.Active {
		t.State = token.Blocked
	}
}

// disputed: inside the window the money is gone at once; outside it the bank asks
// for the mandate first.
func (m matter) disputed(reversed bool, now time.Time) {
	if m.p.is.Dispute(reversed, now) {
		m.p.changed = true
		if reversed {
			m.entry(purchase.Disputed, -1)
		}
		m.dropRefunds("disputed")
	}
	m.c.is.ProofDue = !reversed
	m.judge(0)
}

// won: the merchant keeps the money, or gets it back.
func (m matter) won(at, now time.Time) {
	reversed := m.p.is.Payment == nil
	paidOn := m.c.is.ProvisionalAt
	if paidOn.IsZero() {
		paidOn = at
	}
	if m.p.is.WinDispute(paidOn, now) {
		m.p.changed = true
		if reversed {
			m.entry(purchase.DisputeWon, 1)
		}
	}
}

// lost: what a late dispute had left with the merchant goes back now.
func (m matter) lost() {
	if m.p.is.LoseDispute() {
		m.p.changed = true
		m.entry(purchase.Disputed, -1)
	}
}

func (m matter) entry(kind purchase.EntryKind, sign int64) {
	c := m.c.is
	m.p.is.Book(m.tx, purchase.Entry{CollectionID: c.ID, Kind: kind, AmountCents: sign * c.AmountCents, Code: m.code.Code})
}

// dropRefunds: the payer has the money back another way, so what was promised and the
// bank does not have falls away. What it has is counted when it says so.
func (m matter) dropRefunds(why string) {
	p := &m.p.is
	if p.RefundingCents == 0 {
		return
	}
	dropped, err := m.tx.DropRefunds(p.MerchantID, p.ID)
	if err != nil {
		m.batch.wrong = err
		return
	}
	for _, r := range dropped {
		p.Dropped(r)
		m.tx.Audit(actor.BankOf(p.MerchantID), audit.Entry{Action: "purchase.refund_dropped", ObjectType: "purchase",
			ObjectID: p.ID, ClientID: p.ClientID, PurchaseID: p.ID,
			Text: fmt.Sprintf("The refund of %s was dropped: the debit was %s, so the client has the money already.",
				money.Format(r.AmountCents, r.Currency), why),
			After: map[string]any{"amount_cents": r.AmountCents}})
	}
}

// sentence tells the time line what the bank said.
func (m matter) sentence() string {
	c := m.c.is
	amount := money.Format(c.AmountCents, c.Currency)
	switch c.State {
	case collection.Provisional:
		return fmt.Sprintf("%s was collected. The bank may return it until %s.%s", amount,
			calendar.DateOf(c.FinalAt).Format("2 Jan 2006"), disputeWords(c))
	case collection.Successful:
		return amount + " was collected." + disputeWords(c)
	case collection.InTracking:
		return "The client's bank waits for money to arrive."
	case collection.Unpaid:
		return fmt.Sprintf("%s failed: %s. %s", amount, m.code.Label(), m.code.Remedy)
	case collection.Disputed:
		if c.ProofDue {
			return fmt.Sprintf("%s. The bank asks for proof of the mandate within %d days.", m.code.Label(),
				m.s.Timetable.ProofDays)
		}
		return fmt.Sprintf("%s. The bank gave %s back to the client.", m.code.Label(), amount)
	case collection.DisputeWon:
		return "The dispute was decided for the merchant, who keeps " + amount + "."
	case collection.DisputeLost:
		return fmt.Sprintf("The dispute was decided for the client; %s went back.", amount)
	case collection.Recalled:
		return "The bank withdrew the debit."
	case collection.Scheduled, collection.Submitted, collection.Final, collection.Cancelled:
	}
	return c.State.Label() + "."
}
