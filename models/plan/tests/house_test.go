package tests

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"debitdesk/cmd/app"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/followup"
	"debitdesk/models/plan"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/simulation"
	"debitdesk/models/storetest"
)

var ctx = context.Background()

// house is the whole product without its pages, on a database of its own.
type house struct {
	t     testing.TB
	store *database.DB
	use   app.Services
	dsn   string
	box   *seal.Box
	clock func() time.Time
	who   actor.Actor
	brand uuid.UUID
}

// open starts on Monday 2 November 2026 at 09:00 SAST.
func open(t testing.TB) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	h := &house{t: t, dsn: storetest.DSN(t), box: box, clock: storetest.StandingClock()}
	h.store, h.use = h.process()
	storetest.StartAt(t, h.store.Clock, calendar.On(2026, time.November, 2).At(9, 0))
	h.who, h.brand = h.merchant("acme")
	return h
}

// process is one more process of the product.
func (h *house) process() (*database.DB, app.Services) {
	h.t.Helper()
	s, err := database.Open(ctx, h.dsn, database.Options{Seal: h.box, Sandbox: true, Machine: h.clock, MaxConns: 6,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(h.t, err)
	h.t.Cleanup(s.Close)
	use, err := app.New(app.Options{Store: s, Log: slog.New(slog.DiscardHandler), BaseURL: "https://desk.example",
		Sandbox: true, Version: "test", Now: s.Now, Signing: []credential.Key{{ID: "k1",
			Private: ed25519.NewKeyFromSeed(make([]byte, 32))}}})
	must(h.t, err)
	return s, use
}

func (h *house) merchant(slug string) (actor.Actor, uuid.UUID) {
	h.t.Helper()
	m, brand, now := h.store.NewID(), h.store.NewID(), h.store.Now()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, $3, $3)`,
		m, slug, now)
	h.exec(`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
		VALUES ($1, $2, $3, 'DD', $4, $4)`, brand, m, slug, now)
	h.exec(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
			branch_code, is_default, created_at) VALUES ($1, $2, $3, 'TEST1', 'TESTMERCH1', '12345678', '051001', true, $4)`,
		h.store.NewID(), m, brand, now)
	return actor.Actor{Kind: actor.User, ID: h.store.NewID(), Role: actor.Admin, MerchantID: m, Name: "Owner"}, brand
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	_, err := h.store.Pool.Exec(ctx, sql, args...)
	must(h.t, err)
}

func (h *house) number(sql string, args ...any) (n int64) {
	h.t.Helper()
	must(h.t, h.store.Pool.QueryRow(ctx, sql, args...).Scan(&n))
	return n
}

func one(cents int64) purchase.Details {
	return purchase.Details{Language: "en", Products: []purchase.Product{{Name: "Membership", PriceCents: cents,
		Quantity: decimal.NewFromInt(1)}}}
}

// stored is a client whose account is stored, under an EFT mandate for the 25th of each month.
func (h *house) stored() (clientID, tokenID uuid.UUID) {
	h.t.Helper()
	c, err := h.use.Clients.Create(ctx, h.who, client.Input{Details: client.Details{Email: "n@example.org",
		FullName: "Nomsa Dlamini", BankAccount: "4000000000", BankCode: "632005", AccountType: bank.Current}})
	must(h.t, err)
	return c.ID, h.account(c.ID)
}

// account stores the account of a client once more.
func (h *house) account(clientID uuid.UUID) (tokenID uuid.UUID) {
	h.t.Helper()
	day := 25
	rec, err := h.use.Purchases.Create(ctx, h.who, purchase.Input{ClientID: clientID, BrandID: h.brand, Currency: "ZAR",
		Details: one(0), DirectDebit: &purchase.DirectDebitInput{DeductionDay: &day},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true}})
	must(h.t, err)
	return rec.ID
}

// charged is a purchase of R100 that is debited on a day.
func (h *house) charged(clientID, tokenID uuid.UUID, day calendar.Date) uuid.UUID {
	h.t.Helper()
	rec, err := h.use.Purchases.Create(ctx, h.who, purchase.Input{ClientID: clientID, BrandID: h.brand, Currency: "ZAR",
		Details: one(10000), Options: purchase.Options{Whitelist: []string{"eft"}}})
	must(h.t, err)
	_, err = h.use.Purchases.ChargeOn(ctx, h.who, rec.ID, tokenID, day)
	must(h.t, err)
	return rec.ID
}

// to moves the clock, with everything that becomes due on the way.
func (h *house) to(at time.Time) {
	h.t.Helper()
	_, err := h.use.Controls.Move(ctx, h.who, simulation.ClockMove{Now: at})
	must(h.t, err)
}

// answer has the bank answer the debit of a purchase now.
func (h *house) answer(purchaseID uuid.UUID, code string) {
	h.t.Helper()
	_, err := h.use.Controls.Force(ctx, h.who, purchaseID, simulation.BankAnswer{Code: code})
	must(h.t, err)
}

// failing are purchases whose debits of Wednesday 25 November failed on the 26th, each with a code.
func (h *house) failing(codes ...string) (ids []uuid.UUID) {
	h.t.Helper()
	for range codes {
		clientID, tokenID := h.stored()
		ids = append(ids, h.charged(clientID, tokenID, nov(25)))
	}
	h.to(nov(26).At(9, 0))
	for i, id := range ids {
		h.answer(id, codes[i])
	}
	return ids
}

func about(purchaseID uuid.UUID) followup.Object {
	return followup.Object{Type: followup.Purchase, ID: purchaseID}
}

func nov(d int) calendar.Date { return calendar.On(2026, time.November, d) }
func dec(d int) calendar.Date { return calendar.On(2026, time.December, d) }

func (h *house) plan(steps plan.Steps) plan.Plan {
	h.t.Helper()
	p, err := h.use.Plans.Create(ctx, h.who, plan.Input{Name: "Monthly", Steps: steps})
	must(h.t, err)
	return p
}

func (h *house) runs(purchaseID uuid.UUID) []plan.Run {
	h.t.Helper()
	runs, err := h.use.Plans.Store.RunsOf(ctx, h.who.MerchantID, purchaseID)
	must(h.t, err)
	return runs
}

func (h *house) run(purchaseID uuid.UUID) plan.Run {
	h.t.Helper()
	runs := h.runs(purchaseID)
	if len(runs) == 0 {
		h.t.Fatal("no run began")
	}
	return runs[0]
}

func (h *house) taken(r plan.Run) []plan.Taken {
	h.t.Helper()
	taken, err := h.use.Plans.Store.Taken(ctx, h.who.MerchantID, r.ID)
	must(h.t, err)
	return taken
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
