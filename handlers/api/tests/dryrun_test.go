package tests

import (
	"context"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/bank"
)

func TestATrialMayAskTheBankAndKeepsNothingOfIt(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	asked := 0
	h.Purchases.Verifier = handlertest.Verifier(func(context.Context, bank.Verification) (bank.Verified, error) {
		asked++
		return bank.AllYes(), nil
	})
	order := debicheck(h, payer(t, h), "DELAYED", `,"verify_account":true`)
	h.API("POST", "/purchases/?dry_run=true", order).Want(201)
	kept := func() int {
		return h.Count(
			`SELECT (SELECT count(*) FROM purchases) + (SELECT count(*) FROM mandates)
				+ (SELECT count(*) FROM account_verifications)
			+ (SELECT count(*) FROM mandate_authentications) + (SELECT count(*) FROM brand_counters)`,
		)
	}
	if n := kept(); n != 0 || asked != 1 {
		t.Errorf("%d rows are kept of a trial; the bank was asked %d times", n, asked)
	}
	h.API("POST", "/purchases/", order).Want(201)
	if kept() < 4 {
		t.Error("the real one is kept nowhere: this test looks at the wrong tables")
	}
}
