package debit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/storetest/thorough"
)

// book is a house with invoices, a client, a stored account and a batch.
type book struct {
	*house
	bills  *billing.Service
	client uuid.UUID
	token  uuid.UUID
	batch  uuid.UUID
	rows   int
}

func openBook(t *testing.T) *book {
	t.Helper()
	h := open(t)
	b := &book{house: h, batch: h.store.NewID()}
	b.bills = &billing.Service{InTx: h.store.InTx, Store: billing.Store{DB: h.store}, Purchases: h.purchases}
	h.purchases.Papers = b.bills
	h.exec(`UPDATE brands SET tax_number = '4123456789'`)
	h.exec(`INSERT INTO batches (id, merchant_id, brand_id, name, source, state, format, mapping, header_hash,
			content_hash, creator, created_at, updated_at)
		VALUES ($1, $2, $3, 'november.csv', 'file', 'done', '{}', '{}', '', '', '{}', $4, $4)`,
		b.batch, h.who.MerchantID, h.brand, h.store.Now())
	clients := &client.Service{Store: client.Store{DB: h.store}, Now: h.store.Now}
	c, err := clients.Create(ctx, h.who, client.Input{Details: client.Details{Email: "n@example.org",
		FullName: "N Dlamini", BankAccount: "4000009901", BankCode: "632005", AccountType: bank.Current}})
	must(t, err)
	b.client = c.ID
	rec, err := h.purchases.Create(ctx, h.who, purchase.Input{ClientID: c.ID, BrandID: h.brand, Currency: "ZAR",
		Details: one(0), DirectDebit: &purchase.DirectDebitInput{},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true}})
	must(t, err)
	b.token = rec.ID
	return b
}

// billed is a new purchase of the client, which a batch sent; with an invoice where that is asked for.
func (b *book) billed(cents int64, invoiced bool) purchase.Record {
	b.t.Helper()
	due := day(8).At(12, 0)
	rec, err := b.purchases.Create(ctx, b.who, purchase.Input{ClientID: b.client, BrandID: b.brand, Currency: "ZAR",
		Due: &due, Details: one(cents)})
	must(b.t, err)
	if invoiced {
		rec, err = b.purchases.ResendInvoice(ctx, b.who, rec.ID)
		must(b.t, err)
	}
	b.rows++
	b.exec(`INSERT INTO batch_rows (merchant_id, batch_id, n, cells, state, total_cents, purchase_id)
		VALUES ($1, $2, $3, '', 'sent', $4, $5)`, b.who.MerchantID, b.batch, b.rows, cents, rec.ID)
	b.exec(`UPDATE batches SET counts = (SELECT jsonb_build_object('sent', count(*) FILTER (WHERE state = 'sent'),
			'voided', count(*) FILTER (WHERE state = 'voided'),
			'sent_cents', coalesce(sum(total_cents) FILTER (WHERE state = 'sent'), 0))
		FROM batch_rows WHERE batch_id = $1) WHERE id = $1`, b.batch)
	return rec
}

// act does one thing that may happen to a purchase. What the rules refuse changes nothing.
func (b *book) act(t *rapid.T, id uuid.UUID) {
	rec := b.get(id)
	part := rapid.Int64Range(1, rec.TotalCents).Draw(t, "cents")
	says := func(kind bank.MessageKind, code string) error {
		if rec.Collection == nil {
			return nil
		}
		b.fetches(bank.Message{ID: uuid.NewString(), InstructionID: rec.Collection.ID, Kind: kind, Code: code,
			At: b.store.Now(), Raw: []byte("{}")})
		return nil
	}
	acts := map[string]func() error{
		"charge": func() error {
			_, err := b.purchases.ChargeOn(ctx, b.who, id, b.token, day(15))
			return err
		},
		"collect": func() error { return says(bank.Provisional, "00") },
		"return":  func() error { return says(bank.Unpaid, "NR") },
		"dispute": func() error { return says(bank.Disputed, "30") },
		"win":     func() error { return says(bank.DisputeWon, "30") },
		"refund": func() error {
			_, err := b.purchases.Refund(ctx, b.who, id, &part)
			return err
		},
		"refund all": func() error {
			_, err := b.purchases.Refund(ctx, b.who, id, nil)
			return err
		},
		"settle": func() error {
			_, err := b.purchases.SettleRefund(ctx, b.who, id)
			return err
		},
		"withdraw": func() error {
			_, err := b.purchases.WithdrawRefund(ctx, b.who, id)
			return err
		},
		"bank pays": func() error {
			refunds := b.texts(`SELECT id::text FROM refunds WHERE purchase_id = $1 AND collection_id IS NOT NULL`, id)
			if len(refunds) == 0 {
				return nil
			}
			which := uuid.MustParse(rapid.SampledFrom(refunds).Draw(t, "which"))
			b.fetches(bank.Message{ID: uuid.NewString(), InstructionID: which, Kind: bank.RefundSettled, Code: "00",
				At: b.store.Now(), Raw: []byte("{}")})
			return nil
		},
		"pay": func() error {
			_, err := b.purchases.MarkAsPaid(ctx, b.who, id, nil)
			return err
		},
		"pay a part": func() error {
			_, err := b.purchases.RecordPayment(ctx, b.who, id, purchase.HandPayment{Cents: &part})
			return err
		},
		"take back": func() error {
			_, err := b.purchases.TakePaymentBack(ctx, b.who, id)
			return err
		},
		"cancel": func() error {
			_, err := b.purchases.Cancel(ctx, b.who, id)
			return err
		},
	}
	names := []string{"charge", "charge", "collect", "collect", "return", "return", "dispute", "win", "refund", "refund",
		"refund all", "settle", "settle", "withdraw", "bank pays", "pay", "pay a part", "take back", "cancel"}
	name := rapid.SampledFrom(names).Draw(t, "act")
	if err := acts[name](); err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Invalid) {
		t.Fatalf("%s: %v", name, err)
	}
}

// Whatever happens to the money of a purchase, everything that speaks of it tells the same.
func TestWhateverHappensToTheMoneyEveryFigureAgrees(t *testing.T) {
	t.Parallel()
	b := openBook(t)
	thorough.Check(t, func(t *rapid.T) {
		rec := b.billed(rapid.Int64Range(100, 20000).Draw(t, "total"), rapid.Bool().Draw(t, "invoiced"))
		for range rapid.IntRange(2, 7).Draw(t, "steps") {
			b.act(t, rec.ID)
			b.agreed(t, b.get(rec.ID))
		}
	})
}

func (b *book) agreed(t *rapid.T, rec purchase.Record) {
	is := func(what string, got, want int64) {
		if got != want {
			t.Errorf("%s: %d, want %d (%s, %d net, %d refunded, %d refunding)", what, got, want, rec.Status, rec.NetCents,
				rec.RefundedCents, rec.RefundingCents)
		}
	}
	once := b.number(`SELECT coalesce(sum(amount_cents), 0)::bigint FROM refunds
		WHERE purchase_id = $1 AND state = 'settled'`, rec.ID)
	is("the purchase's money", rec.NetCents, b.ledger(rec.ID))
	is("its refunds", rec.RefundedCents, b.number(`SELECT coalesce(-sum(amount_cents), 0)::bigint FROM ledger_entries
		WHERE purchase_id = $1 AND kind = 'refunded'`, rec.ID))
	is("its refunds under way", rec.RefundingCents, b.number(`SELECT coalesce(sum(amount_cents), 0)::bigint FROM refunds
		WHERE purchase_id = $1 AND state = 'pending'`, rec.ID))
	is("what was paid twice", rec.OverpaidCents, rec.RefundedCents-once)
	if rec.Payment != nil && rec.Status != purchase.Chargeback {
		want := purchase.Paid
		switch {
		case rec.RefundingCents > 0:
			want = purchase.PendingRefund
		case rec.RefundedCents > 0:
			want = purchase.Refunded
		}
		if rec.Status != want {
			t.Errorf("a purchase with %d refunded and %d under way is %s", rec.RefundedCents, rec.RefundingCents, rec.Status)
		}
		is("what can be refunded", rec.RefundableCents(), max(rec.NetCents-rec.RefundingCents, 0))
	}
	is("what needs attention", b.number(`SELECT coalesce(sum(cents), 0)::bigint FROM attention_now($1, 'twice')
		WHERE object_id = $2`, b.who.MerchantID, rec.ID), rec.PaidBackTwice())
	b.agreedAccount(t, rec)
	b.agreedPapers(t, rec, once)
	sent := b.number(`SELECT coalesce(sum(total_cents), 0)::bigint FROM batch_rows r WHERE batch_id = $1
		AND (SELECT status FROM purchases WHERE id = r.purchase_id) <> 'cancelled'`, b.batch)
	is("sent by the batch", b.number(`SELECT (counts ->> 'sent_cents')::bigint FROM batches WHERE id = $1`, b.batch), sent)
	is("the batch's rows", b.number(`SELECT coalesce(sum(total_cents), 0)::bigint FROM batch_rows
		WHERE batch_id = $1 AND state = 'sent'`, b.batch), sent)
}

// agreedAccount compares the client's account, as it is and as of today, the balance and the journal.
func (b *book) agreedAccount(t *rapid.T, rec purchase.Record) {
	ctx, today := context.Background(), calendar.DateOf(b.store.Now())
	books := &report.Money{Store: report.Store{DB: b.store}}
	asOf, err := books.Account(ctx, b.who, b.client, today)
	if err != nil {
		t.Fatal(err)
	}
	now, err := (&report.Service{Store: report.Store{DB: b.store}, Now: b.store.Now}).ClientAccount(ctx, b.who,
		b.client)
	if err != nil {
		t.Fatal(err)
	}
	if !now.Older && now.Sums != asOf.Sums {
		t.Errorf("the account is %v, and as of today %v", now.Sums, asOf.Sums)
	}
	s := asOf.Sums
	if s.BilledCents.Minus(s.CreditedCents).Minus(s.PaidCents).Plus(s.RefundedCents) != s.Owing {
		t.Errorf("the account does not add up: %+v", s)
	}
	b.agreedBatch(t, books, asOf)
	for _, l := range asOf.Lines {
		if l.ID != rec.ID {
			continue
		}
		want := rec.TotalCents - min(rec.RefundedCents-rec.OverpaidCents, rec.TotalCents) - rec.NetCents
		if rec.Status == purchase.Cancelled {
			want = -rec.NetCents
		}
		if rec.Status.Owing() && rec.RefundedCents == 0 && want != rec.OpenCents() {
			t.Errorf("%d of it is still to be paid, and %d open", want, rec.OpenCents())
		}
		if l.OwedCents() != want {
			t.Errorf("the client owes %d of it, want %d (%s: %+v)", l.OwedCents(), want, rec.Status, l.Standing)
		}
	}
	balances, err := books.Balance(ctx, b.who, report.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	past, err := books.BalanceAsOf(ctx, b.who, today)
	if err != nil {
		t.Fatal(err)
	}
	balance := balances[money.ZAR]
	// The bank answers before the debit dates here, which only the balance of now knows of.
	if was := past[money.ZAR]; balance.GrossCents != was.GrossCents || balance.OwedCents != was.OwedCents {
		t.Errorf("the balance is %+v, and as of today %+v", balance, was)
	}
	journal, err := books.SumMovements(ctx, b.who, report.MovementFilter{})
	if err != nil {
		t.Fatal(err)
	}
	all := money.SumOf(b.number(`SELECT coalesce(sum(amount_cents), 0)::bigint FROM ledger_entries`))
	if balance.GrossCents != all || journal.Cents != all {
		t.Errorf("movements come to %s, the balance is %s, the journal %s", all, balance.GrossCents, journal.Cents)
	}
	may := money.SumOf(b.number(`SELECT coalesce(sum(amount_cents - (SELECT coalesce(sum(r.amount_cents), 0) FROM refunds r
			WHERE r.collection_id = c.id AND r.state = 'pending')), 0)::bigint FROM collections c WHERE state = $1`,
		string(collection.Provisional)))
	if balance.ReservedCents != may {
		t.Errorf("%s may still be returned, and %s is said", may, balance.ReservedCents)
	}
}

// agreedBatch: the result file of a batch says of each invoice what the client's account says, and the batch comes to
// their sum.
func (b *book) agreedBatch(t *rapid.T, books *report.Money, asOf report.Account) {
	ctx := context.Background()
	var ids []uuid.UUID
	for _, l := range asOf.Lines {
		ids = append(ids, l.ID)
	}
	said, err := books.Standings(ctx, b.who, ids)
	if err != nil {
		t.Fatal(err)
	}
	var owed, back money.Sum
	for _, l := range asOf.Lines {
		if said[l.ID] != l.Standing {
			t.Errorf("the result file says %+v, and the account %+v", said[l.ID], l.Standing)
		}
		if b.number(`SELECT count(*) FROM batch_rows WHERE batch_id = $1 AND purchase_id = $2`, b.batch, l.ID) == 1 {
			owed, back = owed.Plus(money.SumOf(l.OwedCents())), back.Plus(money.SumOf(l.RefundedCents))
		}
	}
	sums, err := books.OfBatch(ctx, b.who, b.batch)
	if err != nil {
		t.Fatal(err)
	}
	if sums.Owing != owed || sums.RefundedCents != back ||
		sums.BilledCents.Minus(sums.CreditedCents).Minus(sums.PaidCents).Plus(sums.RefundedCents) != sums.Owing {
		t.Errorf("the batch comes to %+v; of its invoices %s are owed and %s were paid back", sums, owed, back)
	}
}

// agreedPapers: credit notes take back what was refunded, or all of it, and VAT in proportion.
func (b *book) agreedPapers(t *rapid.T, rec purchase.Record, refunded int64) {
	docs, err := b.bills.Of(context.Background(), rec.MerchantID, rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	if docs.Invoice == nil {
		if len(docs.Credits) > 0 {
			t.Error("what was not invoiced was credited")
		}
		return
	}
	left := max(rec.TotalCents-refunded, 0)
	if rec.Status == purchase.Cancelled {
		left = 0
	}
	if docs.LeftCents() != left {
		t.Errorf("%d of the invoice is left, want %d (%s)", docs.LeftCents(), left, rec.Status)
	}
	if vat := *docs.Invoice.VATCents; docs.LeftVATCents() != (2*vat*left+rec.TotalCents)/(2*rec.TotalCents) {
		t.Errorf("%d of %d VAT is left of %d of %d", docs.LeftVATCents(), vat, left, rec.TotalCents)
	}
	for _, c := range docs.Credits {
		if c.TotalCents <= 0 || *c.VATCents < 0 {
			t.Errorf("a credit note of %s", fmt.Sprint(c.TotalCents, *c.VATCents))
		}
	}
}
