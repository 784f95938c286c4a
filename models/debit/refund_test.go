package debit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/debit"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook/rulebooktest"
)

// collected is a purchase whose EFT debit was collected provisionally.
func (h *house) collected(cents int64) purchase.Record {
	h.t.Helper()
	p := h.tokenise("4000009901", cents) // its own bank keeps silent
	h.to(day(3).At(12, 0))
	h.said(p, bank.Provisional, "00")
	if rec := h.get(p.ID); rec.Status != purchase.Paid {
		h.t.Fatalf("the debit left the purchase %s", rec.Status)
	}
	return h.get(p.ID)
}

// said delivers what the bank says about the newest debit of a purchase.
func (h *house) said(p purchase.Record, kind bank.MessageKind, code string) {
	h.t.Helper()
	h.fetches(bank.Message{ID: uuid.NewString(), InstructionID: h.get(p.ID).Collection.ID, Kind: kind, Code: code,
		At: h.store.Now(), Raw: []byte("{}")})
}

func (h *house) fetches(messages ...bank.Message) {
	h.t.Helper()
	line := &gateway{Gateway: h.bank, fetched: func(others []bank.Message) []bank.Message {
		out := append(messages, others...)
		messages = nil
		return out
	}}
	_, err := h.engine(line).Run(ctx)
	must(h.t, err)
}

func (h *house) refund(p purchase.Record, cents int64) purchase.Refund {
	h.t.Helper()
	out, err := h.purchases.Refund(ctx, h.who, p.ID, &cents)
	must(h.t, err)
	return out.Refund
}

func (h *house) texts(query string, args ...any) (all []string) {
	h.t.Helper()
	rows, err := h.store.Pool.Query(ctx, query, args...)
	must(h.t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		must(h.t, rows.Scan(&text))
		all = append(all, text)
	}
	return all
}

func (h *house) stands(p purchase.Record, status purchase.Status, ledger, refundable int64) {
	h.t.Helper()
	rec := h.get(p.ID)
	if rec.Status != status || h.ledger(p.ID) != ledger || rec.NetCents != ledger || rec.RefundableCents() != refundable {
		h.t.Errorf("%s with %d in the ledger (%d on the purchase) and %d refundable, want %s with %d and %d",
			rec.Status, h.ledger(p.ID), rec.NetCents, rec.RefundableCents(), status, ledger, refundable)
	}
}

func TestARefundOfADebitThatMayComeBackWaits(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	r := h.refund(p, 4000)
	if !r.DueAt.Equal(p.Collection.FinalAt) || !r.Waits(h.store.Now()) {
		t.Errorf("due at %s, the debit is final at %s", r.DueAt, p.Collection.FinalAt)
	}
	h.to(p.Collection.FinalAt.Add(-time.Hour))
	h.stands(p, purchase.PendingRefund, 10000, 6000)
	if n := h.number(`SELECT count(*) FROM refunds WHERE handed_over`); n != 0 {
		t.Errorf("%d refunds are with the bank before the debit is final", n)
	}
	h.to(p.Collection.FinalAt)
	if n := h.number(`SELECT count(*) FROM refunds WHERE handed_over`); n != 1 {
		t.Errorf("%d refunds are with the bank once the debit is final", n)
	}
	h.to(p.Collection.FinalAt.Add(48 * time.Hour))
	h.stands(p, purchase.Refunded, 6000, 6000)
}

func TestAReturnEndsTheRefundThatWaits(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 10000)
	h.said(p, bank.Unpaid, "02")
	h.stands(p, purchase.Failed, 0, 0)
	h.to(p.Collection.FinalAt.AddDate(0, 0, 10))
	h.stands(p, purchase.Failed, 0, 0)
	rec := h.get(p.ID)
	if len(rec.Refunds) != 0 || rec.RefundingCents != 0 {
		t.Errorf("%d refunds of %d cents are still under way", len(rec.Refunds), rec.RefundingCents)
	}
	if got := h.texts(`SELECT text FROM audit_entries WHERE action = 'purchase.refund_dropped'`); len(got) != 1 ||
		!strings.Contains(got[0], "was dropped") {
		t.Errorf("the audit says %q", got)
	}
	if got := h.texts(`SELECT type FROM events WHERE source_id = $1 ORDER BY seq`,
		p.ID); !strings.Contains(strings.Join(got, " "),
		"purchase.pending_refund purchase.refund_failure purchase.payment_failure") {
		t.Errorf("the events are %q", got)
	}
}

func TestARefundThatAPersonIsToPayEndsWithADisputeToo(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.to(p.Collection.FinalAt)
	r := h.refund(p, 10000)
	_, err := h.debits.Run(ctx)
	must(t, err)
	h.fetches(bank.Message{ID: "f/1", InstructionID: r.ID, Kind: bank.RefundFailed, Code: "12", At: h.store.Now(),
		Raw: []byte("{}")})
	if left := h.get(p.ID).Refunds; len(left) != 1 || left[0].Channel != purchase.ByPerson {
		t.Fatalf("a refund that the bank does not take waits for a person: %+v", left)
	}
	h.said(p, bank.Disputed, "30")
	h.stands(p, purchase.Chargeback, 0, 0)
	if _, err := h.purchases.SettleRefund(ctx, h.who, p.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("it was settled after the dispute: %v", err)
	}
}

func TestARefundThatFailsAfterADisputeIsNotOwed(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.to(p.Collection.FinalAt)
	r := h.refund(p, 10000)
	_, err := h.debits.Run(ctx)
	must(t, err)
	h.said(p, bank.Disputed, "30")
	h.fetches(bank.Message{ID: "f/2", InstructionID: r.ID, Kind: bank.RefundFailed, Code: "12", At: h.store.Now(),
		Raw: []byte("{}")})
	h.stands(p, purchase.Chargeback, 0, 0)
	if got := h.texts(`SELECT state FROM refunds`); len(got) != 1 || got[0] != "dropped" {
		t.Errorf("the refund is %q", got)
	}
}

func TestADisputeWonAfterAFullRefundLeavesItRefunded(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 10000)
	h.to(p.Collection.FinalAt.Add(48 * time.Hour))
	h.stands(p, purchase.Refunded, 0, 0)
	h.said(p, bank.Disputed, "30")
	h.stands(p, purchase.Chargeback, -10000, 0)
	h.said(p, bank.DisputeWon, "30")
	h.stands(p, purchase.Refunded, 0, 0)
}

func TestARefundIsNotForgottenWhenTheMoneyIsPaidAgainAfterAReturn(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 10000)
	h.to(p.Collection.FinalAt.Add(48 * time.Hour))
	h.said(p, bank.Unpaid, "02") // a return after the window
	h.stands(p, purchase.Failed, -10000, 0)
	if got := h.get(p.ID).PaidBackTwice(); got != 10000 {
		t.Errorf("%d cents are noted as paid back twice", got)
	}
	_, err := h.purchases.MarkAsPaid(ctx, h.who, p.ID, nil)
	must(t, err)
	h.stands(p, purchase.Refunded, 0, 0) // what came in went back already
	if _, err := h.purchases.Refund(ctx, h.who, p.ID, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("it was refunded a second time: %v", err)
	}
}

func TestAPartRefundLowersWhatASecondDebitLeavesToBeRefunded(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 1000)
	_, err := h.purchases.SettleRefund(ctx, h.who, p.ID)
	must(t, err)
	h.stands(p, purchase.Refunded, 9000, 9000)
	h.said(p, bank.Unpaid, "02")
	h.stands(p, purchase.Failed, -1000, 0)
	if got := h.get(p.ID).OpenCents(); got != 10000 {
		t.Errorf("%d cents are to be debited again", got)
	}
	_, err = h.purchases.MarkAsPaid(ctx, h.who, p.ID, nil)
	must(t, err)
	h.stands(p, purchase.Refunded, 9000, 9000)
	tooMuch := int64(9001)
	if _, err := h.purchases.Refund(ctx, h.who, p.ID, &tooMuch); !fault.Is(err, fault.Invalid) {
		t.Errorf("more than came in was refunded: %v", err)
	}
}

func TestARefundThatFellAwayLeavesMoneyThatIsPaidAgainRefundable(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 10000)
	h.said(p, bank.Unpaid, "02")
	_, err := h.purchases.MarkAsPaid(ctx, h.who, p.ID, nil)
	must(t, err)
	h.stands(p, purchase.Paid, 10000, 10000)
	h.refund(p, 2500)
	h.stands(p, purchase.Refunded, 7500, 7500)
}

func TestTheBankDoesNotPayWhatAPersonPaid(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 4000)
	_, err := h.purchases.SettleRefund(ctx, h.who, p.ID)
	must(t, err)
	h.to(p.Collection.FinalAt.Add(48 * time.Hour))
	if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE kind = 'refund'`); n != 0 {
		t.Errorf("the bank has %d refunds", n)
	}
	h.stands(p, purchase.Refunded, 6000, 6000)
}

func TestAPersonDoesNotPayWhatTheBankHas(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 4000)
	must(t, h.store.Clock.MoveTo(ctx, p.Collection.FinalAt))
	line := &dying{h.bank, 1} // it is not known whether the bank has it
	for range 2 {
		_, _ = h.engine(line).Run(ctx)
		if _, err := h.purchases.SettleRefund(ctx, h.who, p.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("it was recorded as paid by hand: %v", err)
		}
		if _, err := h.purchases.WithdrawRefund(ctx, h.who, p.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("it was withdrawn: %v", err)
		}
	}
	h.to(p.Collection.FinalAt.Add(48 * time.Hour))
	h.stands(p, purchase.Refunded, 6000, 6000)
}

func TestWhatTheBankPaysAsWellIsBookedOnceAndWaitsForAPerson(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	r := h.refund(p, 4000)
	_, err := h.purchases.SettleRefund(ctx, h.who, p.ID)
	must(t, err)
	for n := range 2 {
		h.fetches(bank.Message{ID: fmt.Sprintf("again/%d", n), InstructionID: r.ID, Kind: bank.RefundSettled, Code: "00",
			At: h.store.Now(), Raw: []byte("{}")})
	}
	h.stands(p, purchase.Refunded, 2000, 2000)
	if got := h.get(p.ID).PaidBackTwice(); got != 4000 {
		t.Errorf("%d cents are noted as paid back twice", got)
	}
	if got := h.number(`SELECT coalesce(sum(cents), 0)::bigint FROM attention_now($1, 'twice')`,
		h.who.MerchantID); got != 4000 {
		t.Errorf("%d cents need attention", got)
	}
}

func TestARefundIsWithdrawnBeforeTheBankHasIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 4000)
	h.refund(p, 1000)
	_, err := h.purchases.WithdrawRefund(ctx, h.who, p.ID) // the newest
	must(t, err)
	h.stands(p, purchase.PendingRefund, 10000, 6000)
	_, err = h.purchases.WithdrawRefund(ctx, h.who, p.ID)
	must(t, err)
	h.stands(p, purchase.Paid, 10000, 10000)
	h.to(p.Collection.FinalAt.Add(48 * time.Hour))
	h.stands(p, purchase.Paid, 10000, 10000)
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'purchase.refund_withdrawn'`); n != 2 {
		t.Errorf("%d withdrawals are in the audit", n)
	}
}

func TestAPartPaymentLowersWhatIsDebited(t *testing.T) {
	t.Parallel()
	h := open(t)
	token := h.tokenise("4000009901", 0)
	p := h.mustCharge(token.ID, 10000, day(8))
	h.said(p, bank.Unpaid, "NR")
	part := int64(2500)
	_, err := h.purchases.RecordPayment(ctx, h.who, p.ID, purchase.HandPayment{Cents: &part, Method: purchase.InCash,
		Reference: "17"})
	must(t, err)
	h.stands(p, purchase.Failed, 2500, 0)
	if _, err := h.purchases.Cancel(ctx, h.who, p.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("it was cancelled with money in it: %v", err)
	}
	_, err = h.purchases.ChargeOn(ctx, h.who, p.ID, token.ID, day(15))
	must(t, err)
	if got := h.get(p.ID).Collection.AmountCents; got != 7500 {
		t.Errorf("%d cents are debited", got)
	}
	h.said(p, bank.Provisional, "00")
	h.stands(p, purchase.Paid, 10000, 10000)
	h.said(p, bank.Unpaid, "NR")
	h.stands(p, purchase.Failed, 2500, 0)
	_, err = h.purchases.TakePaymentBack(ctx, h.who, p.ID)
	must(t, err)
	h.stands(p, purchase.Failed, 0, 0)
	_, err = h.purchases.Cancel(ctx, h.who, p.ID)
	must(t, err)
}

func TestSeveralRefundsMayBeUnderWay(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 3000)
	h.refund(p, 2000)
	h.stands(p, purchase.PendingRefund, 10000, 5000)
	tooMuch := int64(5001)
	if _, err := h.purchases.Refund(ctx, h.who, p.ID, &tooMuch); !fault.Is(err, fault.Invalid) {
		t.Errorf("more than is left: %v", err)
	}
	_, err := h.purchases.SettleRefund(ctx, h.who, p.ID)
	must(t, err)
	h.stands(p, purchase.PendingRefund, 7000, 5000)
	h.to(p.Collection.FinalAt.Add(48 * time.Hour))
	h.stands(p, purchase.Refunded, 5000, 5000)
}

func TestOfTwoFullRefundsAtOnceOneWins(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	var wait sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for range 8 {
		wait.Go(func() {
			_, err := h.purchases.Refund(ctx, h.who, p.ID, nil)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case !fault.Is(err, fault.Conflict):
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if won != 1 {
		t.Errorf("%d refunds won", won)
	}
	h.stands(p, purchase.PendingRefund, 10000, 0)
}

// dying is a bank whose answer to refunds never arrives.
type dying struct {
	bank.Gateway
	times int
}

func (d *dying) SubmitRefunds(ctx context.Context, refunds []bank.Refund) ([]bank.Receipt, error) {
	receipts, err := d.Gateway.SubmitRefunds(ctx, refunds)
	if d.times--; d.times >= 0 {
		return nil, errors.New("the process ends here")
	}
	return receipts, err
}

func TestARefundIsHandedOverOnceHoweverOftenTheProcessDies(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.refund(p, 10000)
	must(t, h.store.Clock.MoveTo(ctx, p.Collection.FinalAt))
	line := &dying{h.bank, 2}
	var engine *debit.Service
	for range 4 {
		engine = h.engine(line)
		_, _ = engine.Run(ctx)
	}
	h.to(p.Collection.FinalAt.Add(48 * time.Hour))
	h.stands(p, purchase.Refunded, 0, 0)
	if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE kind = 'refund'`); n != 1 {
		t.Errorf("the bank has %d refunds", n)
	}
}

// A bank whose messages tell of returns never asks for proof: what it took back late is gone, too.
func TestALateDisputeWhoseMoneyIsGoneCountsAtOnce(t *testing.T) {
	t.Parallel()
	for reversed, left := range map[bool]int64{true: 0, false: 10000} {
		h := openBy(t, collection.TimetableBy(rulebooktest.WithProof()))
		p := h.collected(10000)
		h.to(p.Collection.DisputeDeadline.AddDays(1).At(6, 0))
		h.fetches(bank.Message{ID: "late", InstructionID: p.Collection.ID, Kind: bank.Disputed, Code: "30", At: h.store.Now(),
			Raw: []byte("{}"), Reversed: reversed})
		got := h.get(p.ID)
		if got.Status != purchase.Chargeback || h.ledger(p.ID) != left || got.Collection.ProofDue == reversed {
			t.Errorf("reversed %v: %s, ledger %d, proof due %v", reversed, got.Status, h.ledger(p.ID), got.Collection.ProofDue)
		}
	}
}

func TestANewPurchaseIsMadeWithItsDebitOrNotAtAll(t *testing.T) {
	t.Parallel()
	h := open(t)
	token := h.tokenise("4000009901", 0)
	in := purchase.Input{Client: payer(), BrandID: h.brand, Currency: "ZAR", Details: one(10000)}
	rec, err := h.purchases.CreateWith(ctx, h.who, in, purchase.Then{TokenID: token.ID, Day: day(8)})
	must(t, err)
	if got := h.get(rec.ID); got.Status != purchase.PendingCharge || got.Collection.AmountCents != 10000 {
		t.Errorf("%s with %+v", got.Status, got.Collection)
	}
	if n := h.number(`SELECT count(*) FROM purchases p
		JOIN collections c ON c.purchase_id = p.id AND c.xmin = p.xmin`); n != 1 {
		t.Errorf("%d purchases were written together with their debit", n)
	}
	if _, err = h.purchases.CreateWith(ctx, h.who, in, purchase.Then{Mail: true}); err != nil {
		t.Error(err)
	}
	if n := h.number(`SELECT count(*) FROM purchases WHERE mail_count = 1`); n != 1 {
		t.Errorf("%d purchases count a mail", n)
	}
	h.exec(`UPDATE tokens SET state = 'blocked', blocked_code = '12'`)
	before := h.number(`SELECT count(*) FROM purchases`)
	if _, err = h.purchases.CreateWith(ctx, h.who, in, purchase.Then{TokenID: token.ID, Day: day(8)}); !fault.Is(err,
		fault.Invalid) {
		t.Errorf("a blocked account: %v", err)
	}
	if n := h.number(`SELECT count(*) FROM purchases`); n != before {
		t.Errorf("%d purchases were recorded without their debit", n-before)
	}
}
