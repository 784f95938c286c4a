package debit

import (
	"fmt"
	"strings"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// effect carries out what an answer means for the money, the purchase and the
// token; false when the purchase cannot take it, and then nothing is changed.
func (d debitChange) effect(msg bank.Message, next collection.State) bool {
	now := d.tx.Now()
	had := d.c.is.State.Collected()
	switch msg.Kind {
	case bank.Provisional, bank.Successful:
		if !d.collected(msg.At) {
			return false
		}
		d.c.is.Processed(d.s.Timetable, msg.At, now)
		d.answered(next, msg.At)
		d.receipt()
	case bank.PaidAgain:
		if !d.paidAgain(msg.At, now) {
			return false
		}
		d.answered(next, msg.At)
		d.receipt()
	case bank.Unpaid:
		d.unpaid(had, now)
		d.answered(next, msg.At)
	case bank.Disputed:
		if !had && !d.collected(msg.At) { // a dispute proves that the money came
			return false
		}
		d.disputed(msg, now)
		d.answered(next, msg.At)
	case bank.DisputeWon:
		d.won(msg.At, now)
		d.answered(next, msg.At)
	case bank.DisputeLost:
		d.lost()
		d.answered(next, msg.At)
	case bank.Recalled:
		d.p.changed = d.p.is.Fail(d.c.is, d.code, now) || d.p.changed
		d.answered(next, msg.At)
	case bank.InTracking:
		d.answered(next, msg.At)
	case bank.RefundSettled, bank.RefundFailed, bank.DisputeRejected, bank.MandateDelivered, bank.MandateAccepted,
		bank.MandateRejected,
		bank.MandateUnanswered, bank.MandateFailed, bank.MandateSuspended:
		return false
	}
	return true
}

// answered writes the answer on the collection.
func (d debitChange) answered(next collection.State, at time.Time) {
	c := &d.c.is
	c.State, c.Result, c.ResultAt = next, collection.ResultOf(d.code.Code), at
	c.ProofDue = next == collection.Disputed && c.ProofDue
	d.c.changed = true
	if at.After(d.t.is.LastUsedAt) {
		d.t.is.LastUsedAt, d.t.changed = at, true
	}
}

// collected: the money is there, for EFT provisionally.
func (d debitChange) collected(at time.Time) bool {
	if !d.p.is.Collect(d.c.is, at, d.tx.Now()) {
		return false
	}
	d.c.is.ProvisionalAt = at
	d.c.is.SoftBefore = d.t.is.SoftFailures
	d.t.is.SoftFailures, d.t.is.Failures, d.t.is.LastSuccessAt = 0, 0, at
	d.t.changed, d.p.changed = true, true
	switch {
	case d.t.is.State != token.Pending:
	case d.c.is.OnceOff:
		d.useUp()
	default:
		d.keepToken()
	}
	d.entry(purchase.Collected, 1)
	if d.c.is.OnceOff {
		d.suspend(bank.CodeOnceOffDone)
	}
	return true
}

// paidAgain: the money of a debit that had failed or come back is there after all. While another debit of the purchase
// is on its way, a person decides which of them the client pays.
func (d debitChange) paidAgain(at, now time.Time) bool {
	switch {
	case d.c.is.State == collection.Disputed:
		if d.p.is.Status != purchase.Chargeback {
			return false
		}
		d.won(at, now)
		return true
	case d.p.is.Status == purchase.PendingCharge, d.p.is.Status == purchase.PendingExecute:
		return false
	default:
		return d.collected(at)
	}
}

// keepToken: the first collection of a tokenising purchase succeeded, so its
// account is stored (API contract 3.7).
func (d debitChange) keepToken() {
	d.t.is.State = token.Active
	if d.t.is.ID == d.p.is.ID {
		d.p.is.IsRecurringToken = true
	}
	d.tx.Audit(actor.BankOf(d.t.is.MerchantID), audit.Entry{Action: "token.stored", ObjectType: "token",
		ObjectID: d.t.is.ID, ClientID: d.t.is.ClientID, PurchaseID: d.p.is.ID,
		Text:  fmt.Sprintf("The account %s is stored and can be charged again.", d.t.is.AccountMask),
		After: map[string]any{"state": d.t.is.State}})
}

// useUp: the client allowed this one debit and had nothing stored, so no token
// remains. Its mandate stays as evidence and allows nothing more.
func (d debitChange) useUp() {
	t := &d.t.is
	t.State, t.BlockedCode, t.UpdatedAt, d.t.changed = token.Deleted, bank.CodeOnceOffDone, d.tx.Now(), true
	mandate.Finish(d.tx, t.MerchantID, t.MandateID, bank.CodeOnceOffDone)
	d.tx.Audit(actor.BankOf(t.MerchantID), audit.Entry{Action: "token.used", ObjectType: "token", ObjectID: t.ID,
		ClientID: t.ClientID, PurchaseID: d.p.is.ID,
		Text: fmt.Sprintf(
			"The account %s was debited once, as the client chose. It is not stored and cannot be debited again.",
			t.AccountMask), After: map[string]any{"state": t.State}})
}

func (d debitChange) receipt() {
	if !d.p.is.Options.SendReceipt {
		return
	}
	if brand, ok := d.brand(); ok {
		d.s.Purchases.MailReceiptOf(d.tx, &d.p.is, brand)
	}
}

func (d debitChange) brand() (merchant.Brand, bool) {
	brand, known := d.brands[d.p.is.BrandID]
	if !known {
		var err error
		if brand, err = d.s.Purchases.Merchants().Brand(d.ctx, d.p.is.MerchantID, d.p.is.BrandID); err != nil {
			d.wrong = err
			return brand, false
		}
		d.brands[d.p.is.BrandID] = brand
	}
	return brand, true
}

// invoice asks for the money of a subscription by mail, where its subscriber's
// switch says so (API contract 5.2).
func (d debitChange) invoice() {
	if !d.p.is.Options.InvoiceOnFailure {
		return
	}
	brand, ok := d.brand()
	if !ok {
		return
	}
	failed := d.c.is
	failed.State, failed.Result = collection.Unpaid, collection.ResultOf(d.code.Code)
	rec := purchase.Record{Purchase: d.p.is, Brand: brand, Collection: &failed}
	if err := d.s.Purchases.InvoiceFailure(d.tx, actor.BankOf(d.p.is.MerchantID), &rec); err != nil {
		d.wrong = err
	}
	d.p.is = rec.Purchase
}

// unpaid: the money did not come, or came and was returned.
func (d debitChange) unpaid(had bool, now time.Time) {
	before := 0
	if had {
		before = d.c.is.SoftBefore
	}
	if d.p.is.Fail(d.c.is, d.code, now) {
		d.p.changed = true
		if had {
			d.entry(purchase.Returned, -1)
			d.dropRefunds("returned")
		}
		d.invoice()
	}
	d.judge(before)
}

// judge counts a failure on the token and blocks it where the rules say so.
// softBefore are soft failures that a success, now returned, had wiped out.
func (d debitChange) judge(softBefore int) {
	t := &d.t.is
	v := d.s.Timetable.For(d.c.is.Method).Judge(d.code.Code, t.SoftFailures+softBefore, d.c.is.ActionDate)
	t.SoftFailures, d.t.changed = v.SoftInRow, true
	if d.code.Class == bank.NotRun {
		return // the account was never asked
	}
	t.Failures++
	if d.c.is.Method == bank.DebiCheck && t.Failures >= d.s.Limits.FailureLimit {
		d.suspend(bank.CodeSevenFailures)
		return
	}
	if !v.Blocked || !blockable(*t) {
		return
	}
	before := t.State
	block(t, d.code.Code)
	if d.code.Class == bank.Soft { // repeatedly unpaid: what helps is a new mandate, not the next date
		t.BlockedCode = bank.CodeBlocked
	}
	d.tx.Audit(actor.BankOf(t.MerchantID), audit.Entry{Action: "token.blocked", ObjectType: "token", ObjectID: t.ID,
		ClientID: t.ClientID, PurchaseID: d.p.is.ID,
		Text:   fmt.Sprintf("The token %s was blocked: %s. %s", t.AccountMask, v.Reason, v.Remedy),
		Before: map[string]any{"state": before}, After: map[string]any{"state": t.State, "code": t.BlockedCode}})
}

// suspend: the client's bank runs nothing more under the mandate, so the token
// cannot be charged any more.
func (d debitChange) suspend(code string) {
	t := &d.t.is
	if !blockable(*t) {
		return
	}
	before := t.State
	block(t, code)
	d.t.changed = true
	mandate.Suspend(d.tx, t.MerchantID, t.MandateID, code)
	d.tx.Audit(actor.BankOf(t.MerchantID), audit.Entry{Action: "mandate.suspended", ObjectType: "mandate",
		ObjectID: t.MandateID, ClientID: t.ClientID, PurchaseID: d.p.is.ID,
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
// for the mandate first, where the rules of the debit's day let it.
func (d debitChange) disputed(msg bank.Message, now time.Time) {
	lodged := d.c.is.Lodge(d.s.Timetable, msg.At)
	reversed := msg.Reversed || lodged.ProofUntil.IsZero()
	if d.p.is.Dispute(reversed, now) {
		d.p.changed = true
		if reversed {
			d.entry(purchase.Disputed, -1)
		}
		d.dropRefunds("disputed")
	}
	d.c.is.ProofDue = !reversed
	if !reversed {
		d.c.is.ProofUntil = lodged.ProofUntil
	}
	d.judge(0)
}

// won: the merchant keeps the money, or gets it back.
func (d debitChange) won(at, now time.Time) {
	reversed := d.p.is.Payment == nil
	paidOn := d.c.is.ProvisionalAt
	if paidOn.IsZero() {
		paidOn = at
	}
	if d.p.is.WinDispute(paidOn, now) {
		d.p.changed = true
		if reversed {
			d.entry(purchase.DisputeWon, 1)
		}
	}
}

// lost: what a late dispute had left with the merchant goes back now.
func (d debitChange) lost() {
	if d.p.is.LoseDispute() {
		d.p.changed = true
		d.entry(purchase.Disputed, -1)
	}
}

func (d debitChange) entry(kind purchase.EntryKind, sign int64) {
	c := d.c.is
	d.p.is.Book(d.tx, purchase.Entry{CollectionID: c.ID, Kind: kind, AmountCents: sign * c.AmountCents,
		Code: d.code.Code})
}

// dropRefunds: the client has the money back another way, so what was promised and the
// bank does not have falls away. What it has is counted when it says so.
func (d debitChange) dropRefunds(why string) {
	p := &d.p.is
	if p.RefundingCents == 0 {
		return
	}
	dropped, err := dropRefunds(d.tx, p.MerchantID, p.ID)
	if err != nil {
		d.wrong = err
		return
	}
	for _, r := range dropped {
		p.Dropped(r)
		d.tx.Audit(actor.BankOf(p.MerchantID), audit.Entry{Action: "purchase.refund_dropped", ObjectType: "purchase",
			ObjectID: p.ID, ClientID: p.ClientID, PurchaseID: p.ID,
			Text: fmt.Sprintf("The refund of %s was dropped: the debit was %s, so the client has the money already.",
				money.Format(r.AmountCents, r.Currency), why),
			After: map[string]any{"amount_cents": r.AmountCents}})
	}
}

// sentence tells the time line what the bank said.
func (d debitChange) sentence() string {
	c := d.c.is
	amount := money.Format(c.AmountCents, c.Currency)
	switch c.State {
	case collection.Provisional:
		return fmt.Sprintf("%s was collected. The bank may return it until %s.%s", amount,
			calendar.DateOf(c.FinalAt).Format("2 Jan 2006"), disputeWords(c))
	case collection.Successful:
		return amount + " was collected." + disputeWords(c)
	case collection.Final:
		return amount + " is there after all: the bank reversed the return, or ran the debit again." + disputeWords(c)
	case collection.InTracking:
		return "The client’s bank is waiting for money to arrive."
	case collection.Unpaid:
		return fmt.Sprintf("%s failed: %s. %s", amount, d.code.Label(), d.code.Remedy)
	case collection.Disputed:
		if c.ProofDue {
			return strings.TrimSpace(fmt.Sprintf("%s. The bank asks for proof of the mandate until %s. %s",
				d.code.Label(), c.ProofBy().Format("2 Jan 2006"), d.s.Bank.Capabilities().NoContest()))
		}
		text := fmt.Sprintf("%s. The bank gave %s back to the client.", d.code.Label(), amount)
		if last := c.DisputeUntil; !last.IsZero() && calendar.DateOf(c.ResultAt).After(last) {
			text += " The last day for a dispute was " + last.Format("2 Jan 2006") + ": ask your bank why it was heard."
		}
		return text
	case collection.DisputeWon:
		return "The dispute was decided in favour of the merchant, who keeps " + amount + "."
	case collection.DisputeLost:
		return fmt.Sprintf("The dispute was decided in favour of the client; %s went back.", amount)
	case collection.Recalled:
		return "The bank withdrew the debit."
	case collection.Scheduled, collection.Submitted, collection.Cancelled:
	}
	return c.State.Label() + "."
}
