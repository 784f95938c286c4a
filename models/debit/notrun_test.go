package debit_test

import (
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// A debit that the bank did not run failed, but its account was never asked.
func TestADebitThatTheBankDidNotRunDoesNotCountAgainstItsAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		store func(h *house) purchase.Record
		first bank.MessageKind // what the bank said before; empty: nothing
	}{
		"EFT": {func(h *house) purchase.Record { return h.tokenise("4000009901", 0) }, ""},
		"EFT that was paid by then": {func(h *house) purchase.Record { return h.tokenise("4000009901", 0) },
			bank.Provisional},
		"DebiCheck, six failures": {func(h *house) purchase.Record {
			k := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, anyDay: true})
			h.to(start.Add(time.Minute))
			return k
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			k := c.store(h)
			h.exec(`UPDATE tokens SET soft_failures = 1, failures = 6 WHERE id = $1`, k.ID)
			p := h.mustCharge(k.ID, 10000, day(8))
			h.to(p.Collection.SubmitAt)
			if c.first != "" {
				h.said(p, c.first, bank.CodeSuccess)
			}
			h.said(p, bank.Unpaid, bank.CodeNotRun)
			rec, stored := h.get(p.ID), h.token(k.ID)
			if rec.Status != purchase.Failed || lastError(rec) != bank.ErrorAcquirer || h.ledger(p.ID) != 0 {
				t.Errorf("%s, %q, %d in the ledger", rec.Status, lastError(rec), h.ledger(p.ID))
			}
			if stored.State != token.Active || stored.SoftFailures != 1 {
				t.Errorf("the token is %s with %d", stored.State, stored.SoftFailures)
			}
			if c.first == "" && stored.Failures != 6 {
				t.Errorf("%d failures in a row", stored.Failures)
			}
			if m := h.mandate(k.ID); m.State != mandate.ActiveState {
				t.Errorf("the mandate is %s", m.State)
			}
			if _, err := h.purchases.Charge(ctx, h.who, p.ID, k.ID); err != nil {
				t.Errorf("it was not debited again at once: %v", err)
			}
		})
	}
}
