package debit_test

import (
	"testing"

	"debitdesk/models/purchase"
	"debitdesk/models/rulebook"
	"debitdesk/models/token"
)

// A stop counts at once: what was planned before it and is to be submitted after it is not handed over.
func TestAfterAStopByTheClientNothingIsSubmitted(t *testing.T) {
	t.Parallel()
	if !rulebook.Default().On("eft.stop_payment", rulebook.EFT, day(8)).Bool() {
		t.Fatal("the rulebook does not say so")
	}
	h := open(t)
	k := h.tokenise("4000009004", 0) // stopped by the account holder
	stopped, planned := h.mustCharge(k.ID, 100, day(8)), h.mustCharge(k.ID, 200, day(15))
	h.to(day(9).At(10, 0))
	if got := h.token(k.ID); got.State != token.Blocked || got.BlockedCode != "04" {
		t.Errorf("after the stop: %s for %q", got.State, got.BlockedCode)
	}
	h.to(day(14).At(6, 0))
	for _, p := range []purchase.Record{stopped, planned} {
		if rec := h.get(p.ID); rec.Status != purchase.Failed {
			t.Errorf("%d: %s", p.TotalCents, rec.Status)
		}
	}
	if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE id = $1`, h.get(planned.ID).Collection.ID); n != 0 {
		t.Error("a debit went to the bank after the stop")
	}
}
