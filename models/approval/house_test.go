package approval_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/letters"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientstop"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/token"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
)

// start is a Monday at 09:00 SAST in a month without public holidays.
var start = calendar.On(2027, time.February, 1).At(9, 0)

// house is a business in which a second person is asked.
type house struct {
	t         testing.TB
	store     *database.DB
	purchases *purchase.Service
	deletions *deletion.Service
	stops     *clientstop.Service
	batches   *batch.Service
	approvals *approval.Service
	merchant  uuid.UUID
	brand     uuid.UUID
	// asker and second are admins, finance may approve, staff may not.
	asker, second, finance, staff actor.Actor
	stranger                      actor.Actor
}

func open(t testing.TB) *house {
	t.Helper()
	ctx := context.Background()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(ctx, storetest.DSN(t), database.Options{Seal: box, Sandbox: true,
		Machine:  storetest.StandingClock(),
		MaxConns: 10, Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, start)
	h := &house{t: t, store: s}
	words := letters.Writer{Base: "https://desk.example"}
	h.purchases = &purchase.Service{InTx: s.InTx, Store: purchase.Store{DB: s},
		Now:      s.Now,
		Calendar: calendar.New(), Timetable: collection.DefaultTimetable(),
		Letters: words, Window: mandate.DefaultWindow(), Limits: mandate.DefaultLimits(),
		Bank: bank.Everything()}
	bills := &billing.Service{InTx: s.InTx, Store: billing.Store{DB: s}, Purchases: h.purchases,
		Letters: words}
	h.purchases.Papers = bills
	h.batches = &batch.Service{Store: batch.Store{DB: s}, Billing: bills,
		Purchases: h.purchases,
		Timetable: h.purchases.Timetable, Now: s.Now,
		Clients: &client.Service{Store: client.Store{DB: s}, Now: s.Now}}
	h.deletions = &deletion.Service{Purchases: h.purchases}
	h.stops = &clientstop.Service{Purchases: h.purchases}
	h.approvals = &approval.Service{Store: approval.Store{DB: s},
		Purchases: h.purchases, Deletions: h.deletions, Stops: h.stops, Batches: h.batches, Letters: words, Now: s.Now,
		Brands:   &merchant.Service{Store: merchant.Store{DB: s}},
		Webhooks: &webhook.Service{Store: webhook.Store{DB: s}}}
	h.approvals.Webhooks.Alone = h.approvals.Brands.Alone
	h.batches.Approvals = h.approvals.Watch
	h.merchant, h.brand = h.business("acme")
	h.asker, h.second = h.person(h.merchant, "Thandi", "thandi@acme.example", actor.Admin),
		h.person(h.merchant, "Pieter", "pieter@acme.example", actor.Admin)
	h.finance, h.staff = h.person(h.merchant, "Aisha", "aisha@acme.example", actor.Finance),
		h.person(h.merchant, "Sipho", "sipho@acme.example", actor.Staff)
	other, _ := h.business("other")
	h.stranger = h.person(other, "Stranger", "stranger@other.example", actor.Admin)
	return h
}

func (h *house) business(slug string) (id, brand uuid.UUID) {
	h.t.Helper()
	id, brand = h.store.NewID(), h.store.NewID()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, $3, $3)`, id,
		slug, h.store.Now())
	h.exec(
		`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
			VALUES ($1, $2, $3, 'DD', $4, $4)`,
		brand,
		id,
		slug,
		h.store.Now(),
	)
	h.exec(
		`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
			branch_code, is_default, created_at)
		VALUES ($1, $2, $3, 'TEST1', 'TESTMERCH1', '12345678', '051001', true, $4)`,
		h.store.NewID(),
		id,
		brand,
		h.store.Now(),
	)
	return id, brand
}

func (h *house) person(merchant uuid.UUID, name, email string, role actor.Role) actor.Actor {
	h.t.Helper()
	u := user.User{ID: h.store.NewID(), MerchantID: merchant, Email: email, Name: name, Role: role}
	h.exec(
		`INSERT INTO users (id, merchant_id, email, name, role, password_hash, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, '', $6, $6)`,
		u.ID,
		merchant,
		email,
		name,
		string(role),
		h.store.Now(),
	)
	return u.Actor()
}

// stored is a token that can be charged.
func (h *house) stored() uuid.UUID {
	h.t.Helper()
	rec, err := h.purchases.Create(context.Background(), h.asker, purchase.Input{
		Client: &client.Details{Email: "n@example.org", FullName: "N Dlamini", BankAccount: "62000000123",
			BankCode: "632005", AccountType: bank.Current},
		BrandID: h.brand, Currency: "ZAR", Details: one(0), DirectDebit: &purchase.DirectDebitInput{},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true},
	})
	must(h.t, err)
	return rec.ID
}

func one(cents int64) purchase.Details {
	return purchase.Details{Language: "en", Products: []purchase.Product{{Name: "Membership", PriceCents: cents,
		Quantity: decimal.NewFromInt(1)}}}
}

func (h *house) charge(tokenID uuid.UUID, cents int64) purchase.Record {
	h.t.Helper()
	due := calendar.On(2027, time.February, 12).At(12, 0)
	rec, err := h.purchases.Create(context.Background(), h.asker, purchase.Input{
		Client: &client.Details{Email: "n@example.org", FullName: "N Dlamini"}, BrandID: h.brand, Currency: "ZAR", Due: &due,
		Details: one(cents)})
	must(h.t, err)
	rec, err = h.purchases.Charge(context.Background(), h.asker, rec.ID, tokenID)
	must(h.t, err)
	return rec
}

func (h *house) checked(rows int) batch.Batch {
	h.t.Helper()
	ctx := context.Background()
	var text strings.Builder
	text.WriteString("email,full name,amount,due,description\n")
	for i := range rows {
		text.WriteString("payer" + string(rune('a'+i)) + "@example.org,Payer,100.00,2027-03-01,Membership\n")
	}
	b, err := h.batches.Upload(ctx, h.asker, batch.Upload{Name: "march.csv", Source: batch.FromFile, BrandID: h.brand,
		Content: strings.NewReader(text.String())})
	must(h.t, err)
	b, err = h.batches.Map(ctx, h.asker, b.ID, b.Mapping)
	must(h.t, err)
	must(h.t, h.batches.Work(ctx, b.ID))
	_, _, err = h.batches.FixAll(ctx, h.asker, b.ID,
		batch.Fix{Cause: batch.CauseUnknown, Choice: string(batch.CreateClient)}, 0)
	if !fault.HasCode(err, "nothing_mended") { // all are clients already
		must(h.t, err)
	}
	b, err = h.batches.Get(ctx, h.asker, b.ID)
	must(h.t, err)
	return b
}

func order(b batch.Batch) *batch.Order {
	o := batch.Order{}.Sees(b)
	return &o
}

func (h *house) ask(ids ...uuid.UUID) approval.Approval {
	h.t.Helper()
	a, err := h.approvals.Ask(context.Background(), h.asker, approval.DeleteTokens, approval.Subject{Tokens: ids},
		"They left the gym.")
	must(h.t, err)
	return a
}

func (h *house) askBatch(b batch.Batch) approval.Approval {
	h.t.Helper()
	a, err := h.approvals.Ask(context.Background(), h.asker, approval.SendBatch,
		approval.Subject{Batch: b.ID, Order: order(b)}, "The fees of March.")
	must(h.t, err)
	return a
}

// says answers with what the person is shown at this moment.
func (h *house) says(who actor.Actor, a approval.Approval, yes bool) (approval.Approval, error) {
	h.t.Helper()
	s, err := h.approvals.Show(context.Background(), who, a.ID)
	must(h.t, err)
	return h.approvals.Decide(context.Background(), who, a.ID,
		approval.Verdict{Yes: yes, Words: "As discussed.", Seen: s.Now})
}

func (h *house) state(id uuid.UUID) token.State {
	h.t.Helper()
	t, err := token.Store{DB: h.store}.Token(context.Background(), h.merchant, id)
	must(h.t, err)
	return t.State
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code string) {
	t.Helper()
	if !fault.HasCode(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}
