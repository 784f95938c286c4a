package book_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/subscription"
)

// start is a Monday at 09:00 SAST.
var start = calendar.On(2026, time.November, 23).At(9, 0)

// house is a business that moves in, on a database of its own.
type house struct {
	t         testing.TB
	store     *database.DB
	book      *book.Service
	purchases *purchase.Service
	subs      *subscription.Service
	clients   *client.Service
	who       actor.Actor
	brand     uuid.UUID
	limit     *int64 // above which a second person has to agree
}

func open(t testing.TB) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(t.Context(), storetest.DSN(t),
		database.Options{Seal: box, Sandbox: true, Machine: storetest.StandingClock(), MaxConns: 10,
			Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, start)
	h := &house{t: t, store: s}
	h.clients = &client.Service{Store: client.Store{DB: s}, Now: s.Now}
	h.purchases = &purchase.Service{InTx: s.InTx, Store: purchase.Store{DB: s},
		Now:      s.Now,
		Calendar: calendar.New(), Timetable: collection.DefaultTimetable(), Bank: bank.Everything()}
	bills := &billing.Service{InTx: s.InTx, Store: billing.Store{DB: s}, Purchases: h.purchases}
	h.subs = &subscription.Service{InTx: s.InTx, Store: subscription.Store{DB: s},
		Purchases: h.purchases, Now: s.Now}
	h.purchases.Papers, h.purchases.Recurrence = bills, h.subs.Recurs
	h.book = &book.Service{InTx: s.InTx, Store: book.Store{DB: s}, Purchases: h.purchases,
		Subscriptions: h.subs, Clients: h.clients, Now: s.Now, TakeNumbers: s.TakeNumbers,
		Demands: func(context.Context, uuid.UUID) (merchant.Demands, error) {
			return merchant.Demands{BatchesAbove: h.limit}, nil
		}}
	h.who, h.brand = h.merchant("gym")
	return h
}

func (h *house) merchant(slug string) (actor.Actor, uuid.UUID) {
	h.t.Helper()
	m, brand := h.store.NewID(), h.store.NewID()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, $3, $3)`,
		m, slug, h.store.Now())
	h.exec(`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
		VALUES ($1, $2, $3, 'KSF', $4, $4)`, brand, m, slug, h.store.Now())
	h.exec(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
		is_default, created_at)
		VALUES ($1, $2, $3, 'TEST1', 'KLOOFST', '62000009999', true, now())`, h.store.NewID(), m, brand)
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

const heading = "Member No;Name;Surname;ID Number;Cell;Email;Bank;Branch;Acc No;Acc Type;Monthly;Day;Mandate signed;" +
	"Last debit;Group\n"

// member is one good row.
func member(n int) string {
	return fmt.Sprintf("KSF%04d;Member;Number%d;;082 123 %04d;m%d@example.com;FNB;250655;620%08d;Cheque;R 649,00;25;"+
		"28/01/2025;25/10/2026;%s\n", n, n, n, n, n, []string{"GYM", "PT"}[n%2])
}

func members(n int) string {
	var b strings.Builder
	b.WriteString(heading)
	for i := range n {
		b.WriteString(member(i + 1))
	}
	return b.String()
}

func (h *house) upload(text string) book.Import {
	h.t.Helper()
	i, err := h.book.Upload(context.Background(), h.who, book.Upload{Name: "gym.csv", BrandID: h.brand,
		Content: strings.NewReader(text), CutOver: calendar.On(2026, time.December, 1)})
	must(h.t, err)
	return i
}

// rehearsed uploads and rehearses a file with the mapping that was guessed.
func (h *house) rehearsed(text string) book.Import {
	h.t.Helper()
	i := h.upload(text)
	_, err := h.book.Map(context.Background(), h.who, i.ID, i.Mapping, i.CutOver)
	must(h.t, err)
	return h.work(i)
}

func (h *house) work(i book.Import) book.Import {
	h.t.Helper()
	i, err := h.book.Work(context.Background(), h.who, i.ID)
	must(h.t, err)
	return i
}

// done rehearses and does a file.
func (h *house) done(text string) book.Import {
	h.t.Helper()
	i := h.rehearsed(text)
	_, err := h.book.Start(context.Background(), h.who, i.ID, i.Seal())
	must(h.t, err)
	return h.work(i)
}

func (h *house) fix(i book.Import, cause, choice string) book.Import {
	h.t.Helper()
	_, err := h.book.FixAll(context.Background(), h.who, i.ID, cause, choice)
	must(h.t, err)
	return h.work(i)
}

func (h *house) rows(i book.Import) []book.Row {
	h.t.Helper()
	rows, err := h.book.Rows(context.Background(), h.who, i.ID, book.RowQuery{Limit: 10_000})
	must(h.t, err)
	return rows
}

// addsUp asks that every row that was read has one verdict.
func (h *house) addsUp(i book.Import) {
	h.t.Helper()
	if c := i.Counts; c.Sum() != i.Rows || c.Fresh != 0 {
		h.t.Errorf("%d rows were read, and these are accounted for: %+v", i.Rows, c)
	}
}

// is asks for the verdict of a row and the cause of it.
func (h *house) is(i book.Import, n int, want book.Verdict, cause string) {
	h.t.Helper()
	for _, r := range h.rows(i) {
		if r.N != n {
			continue
		}
		found := slices.ContainsFunc(r.Findings, func(f book.Finding) bool { return f.Cause == cause })
		if r.Verdict != want || cause != "" && !found {
			h.t.Errorf("row %d is %s because of %q, want %s because of %s: %+v", n, r.Verdict, r.Reason, want, cause, r.Findings)
		}
		return
	}
	h.t.Errorf("there is no row %d", n)
}

// everything is what a business has, as its tables hold it.
func (h *house) everything() string {
	h.t.Helper()
	var b strings.Builder
	for _, table := range []string{"clients", "tokens", "mandates", "purchases", "template_clients", "billing_templates",
		"client_references", "notes", "mandate_evidence", "collections", "events", "mails", "billing_periods"} {
		var text string
		must(h.t, h.store.Pool.QueryRow(context.Background(), `SELECT coalesce(string_agg((to_jsonb(t) - 'search' -
			'bank_account_sealed' - 'personal_code_sealed' - 'account_sealed' - 'payer_sealed' - 'content')::text, E'\n' ORDER BY t::text),
			'') FROM `+table+` t WHERE merchant_id = $1`, h.who.MerchantID).Scan(&text))
		fmt.Fprintf(&b, "%s\n%s\n", table, text)
	}
	return b.String()
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
