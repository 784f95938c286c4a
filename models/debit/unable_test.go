package debit_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// unableBank collects by EFT and refuses everything else for good.
type unableBank struct {
	bank.Gateway
	asked int // how often it was asked for what it cannot do
}

func (u *unableBank) Capabilities() bank.Capabilities { return bank.Capabilities{} }

func (u *unableBank) no() error {
	u.asked++
	return bank.ErrUnable
}

func (u *unableBank) RequestMandate(context.Context, bank.MandateRequest) (bank.Receipt, error) {
	return bank.Receipt{}, u.no()
}
func (u *unableBank) CancelMandate(context.Context, uuid.UUID) error { return u.no() }
func (u *unableBank) Recall(context.Context, uuid.UUID) error        { return u.no() }
func (u *unableBank) Contest(context.Context, bank.Proof) error      { return u.no() }
func (u *unableBank) SubmitRefunds(context.Context, []bank.Refund) ([]bank.Receipt, error) {
	return nil, u.no()
}

// settled runs twice and tells that the second run had nothing left to ask.
func (h *house) settled(u *unableBank) {
	h.t.Helper()
	for range 2 {
		if _, err := h.engine(u).Run(ctx); err != nil {
			h.t.Fatal(err)
		}
	}
	if late, err := h.debits.Overdue(ctx); err != nil || late {
		h.t.Errorf("something still waits: %v", err)
	}
	if u.asked != 1 {
		h.t.Errorf("the bank was asked %d times for what it cannot do", u.asked)
	}
}

func (h *house) saysLast(action, words string) {
	h.t.Helper()
	all := h.texts(`SELECT text FROM audit_entries WHERE action = $1 ORDER BY id`, action)
	if len(all) == 0 || !strings.Contains(all[len(all)-1], words) {
		h.t.Errorf("%s says %q, want %q", action, all, words)
	}
}

func TestADebitThatCannotBeWithdrawnIsNotAskedForForEver(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.mustCharge(h.tokenise("4000000000", 0).ID, 100, day(10))
	must(t, h.store.Clock.MoveTo(ctx, p.Collection.SubmitAt))
	// It is cancelled while the bank takes it: from then on only the bank could stop it.
	slow := &gateway{Gateway: &unableBank{Gateway: h.bank}, afterSubmit: func() error {
		_, err := h.purchases.Cancel(ctx, h.who, p.ID)
		return err
	}}
	_, err := h.engine(slow).Run(ctx)
	must(t, err)
	h.settled(&unableBank{Gateway: h.bank, asked: 1})
	h.saysLast("collection.recalled", "can no longer withdraw it")
}

func TestARequestThatCannotBeMadeIsOverAtOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.request(asking{account: "4000000000", cents: 10000})
	h.settled(&unableBank{Gateway: h.bank})
	if m, rec := h.mandate(p.ID), h.get(p.ID); m.State != mandate.FailedAtBank || m.ReasonCode != bank.CodeUnable ||
		rec.Status != purchase.Failed || h.asked(p.ID)[0].CancelDue {
		t.Errorf("%s (%s), purchase %s", m.State, m.ReasonCode, rec.Status)
	}
	h.saysLast("mandate.failed", "Your bank connection cannot ask the client this way")
}

func TestAMandateThatCannotBeCancelledAtTheBankIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true})
	h.to(start.Add(3 * time.Minute))
	_, err := h.deletions.DeleteTokenOf(ctx, h.program(), p.ID)
	must(t, err)
	h.settled(&unableBank{Gateway: h.bank})
	h.saysLast("mandate.cancelled_at_bank", "Ask your bank to cancel it")
}

func TestADebitOfAMandateThatTheConnectionHasNoMoreIsNotHandedOver(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, anyDay: true})
	h.to(start.Add(3 * time.Minute))
	debicheck, eft := h.mustCharge(p.ID, 10000, day(25)), h.mustCharge(h.tokenise("4000000000", 0).ID, 100, day(25))
	must(t, h.store.Clock.MoveTo(ctx, day(25).At(4, 0)))
	u := &unableBank{Gateway: h.bank, asked: 1}
	h.settled(u)
	if c := h.get(debicheck.ID).Collection; c.State != collection.Unpaid || c.Result.Code != bank.CodeUnable {
		t.Errorf("%s with %s", c.State, c.Result.Code)
	}
	if c := h.get(eft.ID).Collection; c.State != collection.Submitted {
		t.Errorf("the debit by EFT is %s", c.State)
	}
	if k := h.token(p.ID); k.BlockedCode != "" {
		t.Errorf("the token is blocked by %s", k.BlockedCode)
	}
	h.saysLast("collection.unpaid", "Your bank connection cannot do DebiCheck")
}

func TestARefundThatTheConnectionCannotPayIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.tokenise("4000000000", 10000)
	h.to(day(20).At(9, 0))
	r := h.refund(p, 2500) // the connection could pay it when it was asked for
	h.settled(&unableBank{Gateway: h.bank})
	if n := h.number(
		`SELECT count(*) FROM refunds WHERE id = $1 AND state = 'pending' AND channel = 'person'`,
		r.ID,
	); n != 1 {
		t.Error("the refund does not wait for a person")
	}
	h.saysLast("purchase.refund_failed", "Your bank connection cannot pay refunds. Pay it back another way")
}

func TestAProofThatTheConnectionDoesNotTakeIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.gives(h.invoiced(nil), true, "4000000000") // agreed on the page, so there is a record
	h.to(p.Collection.FinalAt.Add(time.Hour))
	h.exec(`UPDATE collections SET proof_due = true WHERE id = $1`, p.Collection.ID)
	h.settled(&unableBank{Gateway: h.bank})
	h.saysLast("collection.contested", "download the mandate and send it yourself")
}
