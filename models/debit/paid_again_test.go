package debit_test

import (
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
)

func TestMoneyThatIsThereAfterItHadComeBackPaysThePurchase(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.said(p, bank.Unpaid, "02")
	h.stands(p, purchase.Failed, 0, 0)
	h.said(p, bank.PaidAgain, "00")
	h.said(p, bank.PaidAgain, "00") // a second word of it changes nothing
	h.stands(p, purchase.Paid, 10000, 10000)
	if c := h.get(p.ID).Collection; c.State != collection.Final {
		t.Errorf("the debit is %s", c.State)
	}
	h.saysLast("collection.final", "is there after all")
	h.said(p, bank.Unpaid, "02") // and it may go once more
	h.stands(p, purchase.Failed, 0, 0)
}

func TestADisputeThatTheBankReversesIsWon(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.said(p, bank.Disputed, "30")
	h.stands(p, purchase.Chargeback, 0, 0)
	h.said(p, bank.PaidAgain, "00")
	h.stands(p, purchase.Paid, 10000, 10000)
	if c := h.get(p.ID).Collection; c.State != collection.DisputeWon {
		t.Errorf("the debit is %s", c.State)
	}
}

func TestMoneyThatIsThereAfterAllDoesNotPayWhatIsDebitedAgain(t *testing.T) {
	t.Parallel()
	h := open(t)
	token := h.stored()
	p := h.mustCharge(token, 5000, day(10))
	h.to(p.Collection.SubmitAt)
	h.said(p, bank.Unpaid, bank.CodeNotRun)
	first := h.get(p.ID).Collection.ID
	h.wantStatus(h.get(p.ID), purchase.Failed)
	_, err := h.purchases.Charge(ctx, h.who, p.ID, token)
	must(t, err)
	h.fetches(bank.Message{ID: "again", InstructionID: first, Kind: bank.PaidAgain, Code: "00", At: h.store.Now(),
		Raw: []byte("{}")})
	h.stands(h.get(p.ID), purchase.PendingCharge, 0, 0)
	h.saysLast("collection.paid_again", "does not pay twice")
}
