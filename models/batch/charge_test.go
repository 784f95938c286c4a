package batch_test

import (
	"context"
	"strings"
	"testing"
	"time"

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
	h.exec(
		`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
			branch_code, is_default, created_at)
		VALUES ($1, $2, $3, 'TEST1', 'TESTMERCH1', '12345678', '051001', true, $4) ON CONFLICT DO NOTHING`,
		h.store.NewID(),
		h.who.MerchantID,
		h.brand,
		h.store.Now(),
	)
	_, err := h.clients.Update(context.Background(), h.who, c.ID,
		client.Change{Apply: func(d client.Details) (client.Details, fault.Problems) {
			d.BankAccount, d.BankCode, d.AccountType = "62001230101", "250655", bank.Current
			return d, nil
		}})
	must(h.t, err)
	_, err = h.batches.Purchases.Create(context.Background(), h.who,
		purchase.Input{ClientID: c.ID, BrandID: h.brand, DirectDebit: &purchase.DirectDebitInput{},
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
	b = h.work(h.start(b, order(b)))
	// As it was when invoices came first and debits after them, and the process died between.
	h.exec(`UPDATE batch_rows SET charge = 'wanted'`)
	h.exec(`UPDATE batches SET state = 'paused'`)
	h.exec(`UPDATE purchases SET token_id = NULL WHERE payer_email = 'b@example.org' AND total_cents > 0`)
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
	b := h.checked(
		"email,amount,due,charge\na@example.org,100,2027-03-01,yes\nb@example.org,100,2027-03-01,yes\nc@example.org,100,2027-03-01,no\n",
	)
	if b.Counts.Ready != 2 || b.Counts.Bad != 1 {
		t.Fatalf("a client without an account passed: %+v", b.Counts)
	}
	o := order(b)
	o.GoodOnly = true
	b = h.start(b, o)
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

// debiCheck makes the stored account of a client one of a DebiCheck mandate: monthly on the 1st, FIXED at R 100,00.
func (h *house) debiCheck(email string) {
	h.t.Helper()
	h.exec(`UPDATE tokens SET method = 'debicheck' WHERE client_id IN (SELECT id FROM clients WHERE email = $1)`, email)
	h.exec(
		`UPDATE mandates m SET kind = 'debicheck', state = 'active', deduction_day = 1, period_units = 'months',
			accepted_at = $2, bank_reference = $1,
		terms = '{"value_type": "FIXED", "authentication_type": "REALTIME", "debit_sequence": "RECURRING", "adjustment_category": "NEVER", "max_amount_cents": 20000, "price_cents": 10000}'
		FROM tokens t WHERE t.mandate_id = m.id AND t.client_id IN (SELECT id FROM clients WHERE email = $1)`,
		email,
		start,
	)
}

func TestCheck_says_what_booking_does(t *testing.T) {
	h := open(t)
	for _, email := range []string{"eft@example.org", "fixed@example.org", "twice@example.org", "blocked@example.org",
		"sunday@example.org", "wrongday@example.org"} {
		h.stored(email)
	}
	for _, email := range []string{"fixed@example.org", "twice@example.org", "wrongday@example.org"} {
		h.debiCheck(email)
	}
	h.exec(
		`UPDATE tokens SET state = 'blocked', blocked_code = '08'
			WHERE client_id IN (SELECT id FROM clients WHERE email = 'blocked@example.org')`,
	)
	b := h.checked(
		"email,amount,due,charge\neft@example.org,100,2027-03-01,yes\nfixed@example.org,150,2027-03-01,yes\ntwice@example.org,100,2027-03-01,yes\n" +
			"blocked@example.org,100,2027-03-01,yes\nsunday@example.org,100,2027-02-28,yes\nwrongday@example.org,100,2027-03-09,yes\ntwice@example.org,100,2027-04-01,yes\n",
	)
	for n, want := range map[int]string{2: "", 3: "FIXED", 4: "", 5: "blocked", 6: "", 7: "allows debits", 8: ""} {
		r := h.row(b, n)
		switch {
		case want == "" && r.State != batch.Ready:
			t.Errorf("row %d: %+v", n, r.Problems)
		case want != "" && (len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, want)):
			t.Errorf("row %d, want %q: %+v", n, want, r.Problems)
		}
	}
	if r := h.row(b, 6); r.Debit.Date == r.Due || r.Debit.Date.Weekday() == time.Sunday {
		t.Errorf("a Sunday: debited on %s", r.Debit.Date)
	}
	v, err := h.batches.Review(ctx, h.who, b.ID, 0)
	must(t, err)
	e := v.Effects
	if e.Counts.Debits != 4 || e.DebitCents != 40_000 || e.Disputable != 2 {
		t.Fatalf("%+v", e)
	}
	o := order(b)
	o.GoodOnly, o.AcceptWarnings = true, true
	b = h.work(h.start(b, o))
	if b.State != batch.Done || b.Counts.Sent != 4 || b.Counts.Uncharged != 0 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	for _, d := range e.Debits {
		if n := h.count(
			`SELECT count(*) FROM collections c JOIN batch_rows r ON r.purchase_id = c.purchase_id
				WHERE c.action_date = $1 AND r.debit_method = $2`,
			d.Date,
			d.Method,
		); n != d.Rows {
			t.Errorf("%s by %s: %d debits, reviewed %d", d.Date, d.Method, n, d.Rows)
		}
	}
	if n := h.count(
		`SELECT count(*) FROM collections c JOIN batch_rows r ON r.purchase_id = c.purchase_id
			WHERE c.disputable = (r.disputable <> '{}') AND c.action_date = r.debit_date`,
	); n != 4 {
		t.Errorf("%d of 4 debits are as they were reviewed", n)
	}
}

func TestTwo_debits_of_one_period_are_told_wherever_the_rows_stand(t *testing.T) {
	h := open(t)
	h.stored("a@example.org")
	h.debiCheck("a@example.org")
	b := h.checked(
		"email,amount,due,charge\na@example.org,100,2027-03-01,yes\nnobody@example.org,5,2027-03-01,no\na@example.org,100,2027-03-01,no\n",
	)
	if r := h.row(b, 2); len(r.Debit.Disputable) != 0 {
		t.Fatalf("%+v", r.Debit)
	}
	b, _, err := h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 4, Column: 3, Text: "yes"})
	must(t, err)
	if first, second := h.row(b, 2), h.row(b, 4); len(first.Debit.Disputable) != 0 || len(second.Debit.Disputable) != 1 {
		t.Fatalf("%+v %+v", first.Debit, second.Debit)
	}
	o := order(b)
	o.AcceptWarnings = true
	b = h.work(h.start(b, o))
	if b.State != batch.Done || b.Counts.Sent != 3 {
		t.Fatalf("%s %+v %+v", b.State, b.Counts, h.rows(b, batch.Failed))
	}
	if n := h.count(
		`SELECT count(*) FROM collections WHERE 'second_in_period' = ANY(disputable_because) AND disputable`); n != 1 {
		t.Errorf("%d debits are marked", n)
	}
}

func TestA_debit_that_became_impossible_mails_nothing(t *testing.T) {
	h := open(t)
	h.stored("a@example.org")
	h.stored("b@example.org")
	h.exec(`DELETE FROM mails`)
	b := h.checked("email,amount,due,charge\na@example.org,100,2027-03-01,yes\nb@example.org,100,2027-03-01,yes\n")
	b = h.start(b, order(b))
	h.exec(
		`UPDATE tokens SET state = 'blocked', blocked_code = '08'
			WHERE client_id IN (SELECT id FROM clients WHERE email = 'a@example.org')`,
	)
	b = h.work(b)
	if b.State != batch.Done || b.Counts.Sent != 1 || b.Counts.Failed != 1 || b.Counts.Uncharged != 0 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	h.isMailed(1)
	if r := h.rows(b, batch.Failed)[0]; !strings.Contains(r.Error, "blocked") {
		t.Error(r.Error)
	}
}

func (h *house) isMailed(n int) {
	h.t.Helper()
	if got := h.count(`SELECT count(*) FROM mails WHERE kind = 'invoice'`); got != n {
		h.t.Errorf("%d invoices are mailed, want %d", got, n)
	}
}
