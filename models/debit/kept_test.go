package debit_test

import (
	"testing"

	"debitdesk/models/database"
	"debitdesk/models/purchase"
)

// A debit changes where a purchase stands, and never what the client and the merchant said of it.
func TestADebitLeavesWhatWasSaidOfThePurchase(t *testing.T) {
	t.Parallel()
	h := open(t)
	rec := h.tokenise("4000000000", 10000)
	said := func() int64 {
		return h.number(`SELECT hashtextextended(concat_ws(' ', payer, payer_name, encode(payer_sealed, 'hex'), details), 0)
			FROM purchases WHERE id = $1`, rec.ID)
	}
	before, version := said(), h.number(`SELECT version FROM purchases WHERE id = $1`, rec.ID)
	must(t, h.debits.InTx(ctx, func(tx *database.Tx) error {
		p, err := h.purchases.Store.Purchase(tx.Context(), rec.MerchantID, rec.ID)
		must(t, err)
		p.Payer.FullName, p.Details.Notes, p.MailCount = "Somebody Else", "changed", p.MailCount+1
		purchase.Save(tx, p, p.Status)
		return nil
	}))
	if said() != before {
		t.Error("what was said of the purchase changed")
	}
	if n := h.number(`SELECT version FROM purchases WHERE id = $1`, rec.ID); n != version+1 {
		t.Errorf("version %d after %d", n, version)
	}
}
