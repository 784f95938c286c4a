package journal_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/journal"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

var begins = calendar.On(2026, time.September, 28)

// house is a business with a brand whose rows are written as the product writes them.
type house struct {
	*testing.T
	store *database.DB
	books *journal.Service
	who   actor.Actor
	brand uuid.UUID
	day   calendar.Date
	made  int
}

func open(t *testing.T) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box, Sandbox: true,
		Machine: storetest.StandingClock(), MaxConns: 4,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, begins.At(9, 0))
	h := &house{T: t, store: s, books: &journal.Service{Store: journal.Store{DB: s}}, day: begins}
	id := h.row("merchants", map[string]any{"slug": "gym", "is_test": true})
	h.who = actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: id, Name: "Owner"}
	h.brand = h.row("brands", map[string]any{"currency": "ZAR"})
	return h
}

// row writes a row of a table with something in every column that must have a value.
func (h *house) row(table string, values map[string]any) uuid.UUID {
	h.Helper()
	values = maps.Clone(values)
	rows, err := h.store.Pool.Query(h.Context(), `SELECT column_name, data_type FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL
			AND is_identity = 'NO' AND is_generated = 'NEVER'`, table)
	must(h.T, err)
	var name, kind string
	_, err = pgx.ForEachRow(rows, []any{&name, &kind}, func() error {
		if _, given := values[name]; !given {
			values[name] = map[string]any{"uuid": h.store.NewID().String(), "text": "", "boolean": false, "bigint": 0,
				"integer": 0, "smallint": 0, "jsonb": "[]", "ARRAY": "{}", "date": h.day.String(),
				"timestamp with time zone": h.day.At(10, 0), "tsvector": ""}[kind]
			if name == "merchant_id" {
				values[name] = h.who.MerchantID.String()
			}
		}
		return nil
	})
	must(h.T, err)
	names := slices.Sorted(maps.Keys(values))
	marks, args := make([]string, len(names)), make([]any, len(names))
	for i, name := range names {
		marks[i], args[i] = fmt.Sprintf("$%d", i+1), values[name]
		if id, is := args[i].(uuid.UUID); is {
			args[i] = id.String()
		}
	}
	h.exec(`INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(marks, ", ")+`)`, args...)
	switch id := values["id"].(type) {
	case uuid.UUID:
		return id
	case string:
		return uuid.MustParse(id)
	}
	return uuid.Nil
}

func (h *house) exec(sql string, args ...any) {
	h.Helper()
	_, err := h.store.Pool.Exec(h.Context(), sql, args...)
	must(h.T, err)
}

func (h *house) number(sql string, args ...any) (n int64) {
	h.Helper()
	must(h.T, h.store.Pool.QueryRow(h.Context(), sql, args...).Scan(&n))
	return n
}

// begins runs a statement in a transaction that goes on.
func (h *house) begins(sql string) pgx.Tx {
	h.Helper()
	tx, err := h.store.Pool.Begin(h.Context())
	must(h.T, err)
	h.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(h.Context())) }) // a failing test waits for nobody
	_, err = tx.Exec(h.Context(), sql)
	must(h.T, err)
	return tx
}

// meanwhile does something that must wait for the transaction, which then ends.
func (h *house) meanwhile(tx pgx.Tx, do func() error) {
	h.Helper()
	done := make(chan error)
	go func() { done <- do() }()
	for waits := false; !waits; {
		select {
		case err := <-done:
			h.Fatalf("it did not wait: %v", err)
		default:
		}
		// Not by pg_stat_activity: a transaction sees it as it was when it first looked, without who connected since.
		must(h.T, tx.QueryRow(h.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted
			AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))`).Scan(&waits))
	}
	must(h.T, tx.Commit(h.Context()))
	must(h.T, <-done)
}

func (h *house) purchase(cents int64) uuid.UUID {
	h.made++
	return h.row("purchases", map[string]any{"brand_id": h.brand, "currency": "ZAR", "total_cents": cents,
		"status": "sent", "reference_generated": fmt.Sprintf("KSF-%d", h.made), "payer": "{}", "details": "{}",
		"options": "{}"})
}

// document is an invoice, or a credit note of all of it, with VAT.
func (h *house) document(kind string, purchase uuid.UUID, cents int64) {
	h.made++
	h.row("invoices", map[string]any{"brand_id": h.brand, "purchase_id": purchase, "kind": kind, "year": h.day.Year,
		"serial": h.made, "number": fmt.Sprintf("INV-%d", h.made), "issued": h.day.String(), "currency": "ZAR",
		"total_cents": cents, "vat_cents": vatOf(cents), "particulars": "{}"})
}

func vatOf(cents int64) int64 { return (cents*30 + 115) / 230 }

func (h *house) moved(kind string, purchase uuid.UUID, cents int64, refund ...uuid.UUID) {
	values := map[string]any{"purchase_id": purchase, "kind": kind, "amount_cents": cents, "currency": "ZAR",
		"day": h.day.String()}
	if len(refund) > 0 {
		values["refund_id"] = refund[0]
	}
	h.row("ledger_entries", values)
}

func (h *house) owedBack(purchase uuid.UUID, cents int64, channel string) uuid.UUID {
	return h.row("refunds", map[string]any{"purchase_id": purchase, "amount_cents": cents, "currency": "ZAR",
		"state": "pending", "channel": channel, "payment": 1})
}

func (h *house) refunds(id uuid.UUID, state string) {
	h.exec(`UPDATE refunds SET state = $2, updated_at = $3 WHERE id = $1`, id.String(), state, h.day.At(11, 0))
}

// goOn moves the clock to a day.
func (h *house) goOn(to calendar.Date) {
	h.day = to
	must(h.T, h.store.Clock.MoveTo(h.Context(), to.At(9, 0)))
}

// book is what was posted from a day to another.
func (h *house) book(from, to calendar.Date, byDay bool) journal.Book {
	h.Helper()
	b, err := h.books.Export(h.Context(), h.who, journal.Ask{From: from, To: to, ByDay: byDay}, nothing)
	must(h.T, err)
	return b
}

// stands is what a role comes to by now.
func (h *house) stands(r journal.Role) int64 {
	h.Helper()
	b := h.book(begins.AddDays(-400), h.day.AddDays(400), true)
	return b.Closing().Of(r)
}

func (h *house) holds() {
	h.Helper()
	wrong, err := h.books.Check(h.Context(), h.who)
	must(h.T, err)
	for _, d := range wrong {
		h.Errorf("%+v", d)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
