package batch_test

import (
	"context"
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"

	"github.com/shopspring/decimal"
)

// stored is a client whose account can be charged.
func (h *house) stored(email string) client.Client {
	h.t.Helper()
	c := h.client(email)
	h.exec(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number, branch_code, is_default, created_at)
		VALUES ($1, $2, $3, 'TEST1', 'TESTMERCH1', '12345678', '051001', true, $4) ON CONFLICT DO NOTHING`, h.store.NewID(), h.who.MerchantID, h.brand, h.store.Now())
	_, err := h.clients.Update(context.Background(), h.who, c.ID, client.Change{Apply: func(d client.Details) (client.Details, fault.Problems) {
		d.BankAccount, d.BankCode, d.AccountType = "62001230101", "250655", bank.Current
		return d, nil
	}})
	must(h.t, err)
	_, err = h.batches.Purchases.Create(context.Background(), h.who, purchase.Input{ClientID: c.ID, BrandID: h.brand, DirectDebit: &purchase.DirectDebitInput{},
		Details: purchase.Details{Products: []purchase.Product{{Name: "account", Quantity: decimal.NewFromInt(1)}}},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true}})
	must(h.t, err)
	return c
}

func TestStopping_before_the_charges_says_which_stand(t *testing.T) {
	h := open(t)
	h.stored("a@example.org")
	h.stored("b@example.org")
	b := h.checked("email,amount,due,charge\na@example.org,100,2027-03-01,yes\nb@example.org,100,2027-03-01,yes\n")
	b = h.start(b, order(b))
	one := 1
	h.broken = func(tx batch.Tx) batch.Tx { return crash{tx, &one} } // the debits stand, and that is not written down
	_ = h.batches.Work(context.Background(), b.ID)
	h.broken = func(tx batch.Tx) batch.Tx { return tx }
	h.exec(`UPDATE purchases SET token_id = NULL WHERE payer_email = 'b@example.org' AND total_cents > 0`) // as if it had died before this one
	b, err := h.batches.Stop(context.Background(), h.who, b.ID)
	must(t, err)
	if b.Counts.Sent != 2 || b.Counts.Charges != 0 || b.Counts.Uncharged != 1 {
		t.Errorf("%+v", b.Counts)
	}
	rows := h.rows(b)
	if rows[0].Charge != batch.ChargeDone || rows[1].Charge != batch.ChargeFailed || rows[1].Error == "" {
		t.Errorf("%+v", rows)
	}
}

func TestA_row_charges_the_stored_account_on_its_due_date_once(t *testing.T) {
	h := open(t)
	h.stored("a@example.org")
	h.exec(`DELETE FROM mails`)
	b := h.checked("email,amount,due,charge\na@example.org,100,2027-03-01,yes\nb@example.org,100,2027-03-01,yes\nc@example.org,100,2027-03-01,no\n")
	if b.Counts.Ready != 2 || b.Counts.Bad != 1 {
		t.Fatalf("a client without an account passed: %+v", b.Counts)
	}
	o := order(b)
	o.GoodOnly = true
	b = h.start(b, o)
	none := 1
	h.broken = func(tx batch.Tx) batch.Tx { return crash{tx, &none} } // the charge stands, and is not written down
	_ = h.batches.Work(context.Background(), b.ID)
	h.broken = func(tx batch.Tx) batch.Tx { return tx }
	b = h.work(b)
	if b.State != batch.Done || b.Counts.Sent != 2 || b.Counts.Charges != 0 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	if n := h.count(`SELECT count(*) FROM collections WHERE amount_cents = 10000`); n != 1 {
		t.Errorf("%d debits are planned, want 1", n)
	}
	if r := h.rows(b)[0]; r.Charge != batch.ChargeDone || r.Error != "" {
		t.Errorf("%+v", r)
	}
}
