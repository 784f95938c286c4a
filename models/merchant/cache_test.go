package merchant_test

import (
	"testing"

	"debitdesk/models/database"
	"debitdesk/models/merchant"
)

// Whoever reads a brand while it is being changed gets it as it was; nobody gets that once the change is done.
func TestABrandThatIsReadWhileItChangesIsNotKept(t *testing.T) {
	t.Parallel()
	h := open(t)
	read := func() (b merchant.Brand) {
		t.Helper()
		done := make(chan error)
		go func() { // another caller, with a connection of its own
			var err error
			b, err = h.Store.Brand(t.Context(), h.who.MerchantID, h.brand.ID)
			done <- err
		}()
		must(t, <-done)
		return b
	}
	was := read().Version
	h.Store.Forget(h.who.MerchantID) // as after a while
	must(t, h.Store.InTx(t.Context(), func(tx *database.Tx) error {
		b, err := merchant.LockBrand(tx, h.who.MerchantID, h.brand.ID)
		if err != nil {
			return err
		}
		b.Website, b.Version = "https://changed.example", b.Version+1
		merchant.UpdateBrand(tx, b)
		if b := read(); b.Version != was {
			t.Errorf("version %d is read of what is not done yet", b.Version)
		}
		return nil
	}))
	if now := read(); now.Version != was+1 || now.Website != "https://changed.example" {
		t.Errorf("version %d with %q is read after the change", now.Version, now.Website)
	}
}
