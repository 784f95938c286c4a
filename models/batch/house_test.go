package batch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

// start is a Monday at 09:00 SAST in a month without public holidays.
var start = calendar.On(2027, time.February, 1).At(9, 0)

// house is a business with its batches, on a database of its own.
type house struct {
	t       testing.TB
	store   *database.DB
	batches *batch.Service
	clients *client.Service
	who     actor.Actor
	brand   uuid.UUID
}

func open(t testing.TB) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	// Jobs are not queued: tests do the work themselves.
	s, err := database.Open(t.Context(), storetest.DSN(t),
		database.Options{Seal: box, Sandbox: true, Machine: storetest.StandingClock(), MaxConns: 10,
			Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, start)
	h := &house{t: t, store: s}
	h.clients = &client.Service{Store: client.Store{DB: s}, Now: s.Now}
	h.batches = h.engine()
	h.who, h.brand = h.merchant("acme")
	return h
}

// engine is one process that works on batches.
func (h *house) engine() *batch.Service {
	s := h.store
	purchases := &purchase.Service{InTx: s.InTx, Store: purchase.Store{DB: s},
		Now:      s.Now,
		Calendar: calendar.New(), Timetable: collection.DefaultTimetable(), Bank: bank.Everything()}
	bills := &billing.Service{InTx: s.InTx, Store: billing.Store{DB: s}, Purchases: purchases}
	purchases.Papers = bills
	return &batch.Service{Store: batch.Store{DB: s}, Purchases: purchases, Clients: h.clients,
		Timetable: purchases.Timetable, Now: s.Now,
		Failed:  func(_ context.Context, _ batch.Ref, row int, err error) { h.t.Logf("row %d: %v", row, err) },
		Billing: bills}
}

func (h *house) merchant(slug string) (actor.Actor, uuid.UUID) {
	h.t.Helper()
	m, brand := h.store.NewID(), h.store.NewID()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, $3, $3)`,
		m, slug, h.store.Now())
	h.exec(
		`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
			VALUES ($1, $2, $3, 'DD', $4, $4)`,
		brand,
		m,
		slug,
		h.store.Now(),
	)
	return actor.Actor{Kind: actor.User, ID: h.store.NewID(), Role: actor.Finance, MerchantID: m, Name: "Werner Louw"},
		brand
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	_, err := h.store.Pool.Exec(context.Background(), sql, args...)
	must(h.t, err)
}

func (h *house) count(sql string, args ...any) (n int) {
	h.t.Helper()
	must(h.t, h.store.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

const heading = "email,full name,amount,due,description\n"

// file has one row per payer, all of them new.
func file(rows int) string {
	var b strings.Builder
	b.WriteString(heading)
	for i := range rows {
		fmt.Fprintf(&b, "payer%d@example.org,Payer Number%d,%d.50,2027-03-01,Membership March\n", i, i, 100+i)
	}
	return b.String()
}

func (h *house) upload(text string) batch.Batch {
	h.t.Helper()
	b, err := h.batches.Upload(context.Background(), h.who,
		batch.Upload{Name: "march.csv", Source: batch.FromFile, BrandID: h.brand, Content: strings.NewReader(text)})
	must(h.t, err)
	return b
}

// looked uploads and checks a file with the mapping that was guessed.
func (h *house) looked(text string) batch.Batch {
	h.t.Helper()
	b := h.upload(text)
	b, err := h.batches.Map(context.Background(), h.who, b.ID, b.Mapping)
	must(h.t, err)
	return h.work(b)
}

// checked is looked, and clients are made of everybody who is not known.
func (h *house) checked(text string) batch.Batch {
	h.t.Helper()
	return h.created(h.looked(text))
}

func (h *house) created(b batch.Batch) batch.Batch {
	h.t.Helper()
	if _, _, err := h.batches.FixAll(context.Background(), h.who, b.ID, everybody, 0); !fault.HasCode(err,
		"nothing_mended") {
		must(h.t, err)
	}
	return h.get(b)
}

// everybody is the decision to make clients of all who are not known.
var everybody = batch.Fix{Cause: batch.CauseUnknown, Choice: string(batch.CreateClient)}

func (h *house) work(b batch.Batch) batch.Batch {
	h.t.Helper()
	must(h.t, h.batches.Work(context.Background(), b.ID))
	return h.get(b)
}

func (h *house) get(b batch.Batch) batch.Batch {
	h.t.Helper()
	b, err := h.batches.Get(context.Background(), h.who, b.ID)
	must(h.t, err)
	return b
}

// order sends what is there now.
func order(b batch.Batch) batch.Order {
	return batch.Order{}.Sees(b)
}

func (h *house) start(b batch.Batch, o batch.Order) batch.Batch {
	h.t.Helper()
	b, err := h.batches.Start(context.Background(), h.who, b.ID, o)
	must(h.t, err)
	return b
}

func (h *house) rows(b batch.Batch, states ...batch.RowState) []batch.Row {
	h.t.Helper()
	rows, err := h.batches.Rows(context.Background(), h.who, b.ID, batch.RowQuery{States: states, Limit: 10_000})
	must(h.t, err)
	return rows
}

// isWhole asks that nothing was lost, doubled or left without a number.
func (h *house) isWhole(b batch.Batch, invoices int) {
	h.t.Helper()
	t := h.t
	if n := h.count(`SELECT count(*) FROM invoices WHERE merchant_id = $1`, h.who.MerchantID); n != invoices {
		t.Errorf("%d invoices, want %d", n, invoices)
	}
	if n := h.count(`SELECT count(DISTINCT serial) FROM invoices WHERE merchant_id = $1 AND serial BETWEEN 1 AND $2`,
		h.who.MerchantID, invoices); n != invoices {
		t.Errorf("the serial numbers have gaps: %d of 1 to %d", n, invoices)
	}
	if n := h.count(`SELECT count(*) FROM purchases WHERE merchant_id = $1`, h.who.MerchantID); n != invoices {
		t.Errorf("%d purchases, want %d", n, invoices)
	}
	if n := h.count(`SELECT count(*) FROM mails WHERE merchant_id = $1`, h.who.MerchantID); n != invoices {
		t.Errorf("%d mails, want one for each of %d", n, invoices)
	}
	if n := h.count(
		`SELECT count(*) FROM batch_rows r JOIN invoices i ON i.purchase_id = r.purchase_id AND i.number = r.number
			WHERE r.batch_id = $1`,
		b.ID,
	); n != invoices {
		t.Errorf("%d rows name their invoice, want %d", n, invoices)
	}
	if !b.Counts.AddUp(b.Rows) {
		t.Errorf("%d rows read do not add up: %+v", b.Rows, b.Counts)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
