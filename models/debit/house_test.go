package debit_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/bank"
	banksandbox "debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientstop"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/debit"
	"debitdesk/models/deletion"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/simulation"
	"debitdesk/models/storetest"
	"debitdesk/models/token"
)

// start is a Monday at 09:00 SAST in a month without public holidays.
var start = calendar.On(2027, time.February, 1).At(9, 0)

// house is everything that runs debits, on a database of its own and with the
// clock on a day that is the same for every run.
type house struct {
	t          testing.TB
	store      *database.DB
	bank       *banksandbox.Bank
	purchases  *purchase.Service
	deletions  *deletion.Service
	stops      *clientstop.Service
	amendments *amendment.Service
	debits     *debit.Service
	controls   *simulation.Controls
	who        actor.Actor
	brand      uuid.UUID
}

type letters struct{}

func (letters) AskSubscriber(purchase.Purchase, merchant.Brand, purchase.Recurrence) mail.Letter {
	return mail.Letter{Subject: "Link"}
}
func (letters) Subscribed(client.Details, merchant.Brand, purchase.Recurrence, *purchase.Record) mail.Letter {
	return mail.Letter{Subject: "Subscribed", Text: "."}
}
func (letters) Agreement(purchase.Purchase, merchant.Brand, mandate.Mandate, purchase.Recurrence,
	*collection.Collection) mail.Letter {
	return mail.Letter{Subject: "Agreement", Text: "."}
}
func (letters) Failed(purchase.Record, string) mail.Letter {
	return mail.Letter{Subject: "Failed", Text: "."}
}
func (letters) Reminder(client.Details, merchant.Brand, []purchase.Record) mail.Letter {
	return mail.Letter{Subject: "Reminder", Text: "."}
}
func (letters) ReminderSMS(purchase.Purchase, merchant.Brand, int64) string { return "Reminder" }
func (letters) Stopped(purchase.Purchase, merchant.Brand, purchase.Stop) mail.Letter {
	return mail.Letter{Subject: "Stopped", Text: "."}
}
func (letters) AllStopped(client.Details, merchant.Brand, purchase.Stop) mail.Letter {
	return mail.Letter{Subject: "All stopped", Text: "."}
}
func (letters) Resumed(client.Details, merchant.Brand, []purchase.Record) mail.Letter {
	return mail.Letter{Subject: "Resumed", Text: "."}
}
func (letters) PriceChanged(client.Details, merchant.Brand, []purchase.NewPrice) mail.Letter {
	return mail.Letter{Subject: "Price", Text: "."}
}
func (letters) StopNotice(purchase.Purchase, merchant.Brand, purchase.Stop) mail.Letter {
	return mail.Letter{Subject: "Stopped by the client", Text: "."}
}

func (letters) AccountLink(purchase.Purchase, merchant.Brand) mail.Letter {
	return mail.Letter{Subject: "Link"}
}
func (letters) Invoice(purchase.Purchase, merchant.Brand) mail.Letter {
	return mail.Letter{Subject: "Invoice"}
}
func (letters) Receipt(purchase.Purchase, merchant.Brand) mail.Letter {
	return mail.Letter{Subject: "Receipt"}
}

func open(t testing.TB) *house {
	t.Helper()
	return openBy(t, collection.DefaultTimetable())
}

// openBy is a house whose bank has a timetable of its own.
func openBy(t testing.TB, tt collection.Timetable) *house {
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
	cal := calendar.New()
	h.bank = banksandbox.New(banksandbox.Store{DB: s}, s.Now, tt, cal)
	h.purchases = &purchase.Service{InTx: s.InTx, Store: purchase.Store{DB: s},
		Now: s.Now, Calendar: cal,
		Timetable: tt, Letters: letters{},
		Window: mandate.DefaultWindow(), Limits: mandate.DefaultLimits(), Bank: h.bank.Capabilities(),
		Verifier: h.bank}
	h.deletions = &deletion.Service{Purchases: h.purchases}
	h.stops = &clientstop.Service{Purchases: h.purchases}
	h.amendments = &amendment.Service{Purchases: h.purchases, Deletions: h.deletions}
	h.debits = h.engine(h.bank)
	h.controls = &simulation.Controls{Store: simulation.Store{DB: s}, Clock: s.Clock, Debits: h.debits,
		Purchases: h.purchases,
		Phone:     h.bank.ForceMandate,
		Bank: func(ctx context.Context, id uuid.UUID, code, dispute string) error {
			return h.bank.Force(ctx, id, banksandbox.Outcome{Code: code, Dispute: dispute})
		}}
	h.who, h.brand = h.merchant("acme")
	return h
}

// engine is one more process that runs debits, with a gateway of its own.
func (h *house) engine(g bank.Gateway) *debit.Service {
	return &debit.Service{InTx: h.store.InTx, Store: debit.Store{DB: h.store}, Bank: g, Purchases: h.purchases,
		Now:       h.store.Now,
		Timetable: h.purchases.Timetable, Limits: h.purchases.Limits, Chunk: 7,
		FinishDeletions: h.deletions.FinishDeletions}
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
	h.exec(
		`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
			branch_code, is_default, created_at)
		VALUES ($1, $2, $3, 'TEST1', 'TESTMERCH1', '12345678', '051001', true, $4)`,
		h.store.NewID(),
		m,
		brand,
		h.store.Now(),
	)
	return actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: m, Name: "Owner"}, brand
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	_, err := h.store.Pool.Exec(context.Background(), sql, args...)
	must(h.t, err)
}

func (h *house) number(sql string, args ...any) (n int64) {
	h.t.Helper()
	must(h.t, h.store.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

// tokenise makes a purchase that stores an account and, unless cents is 0,
// collects from it on the earliest day: Wednesday 3 February.
func (h *house) tokenise(account bank.AccountNumber, cents int64) purchase.Record {
	h.t.Helper()
	rec, err := h.purchases.Create(context.Background(), h.who, purchase.Input{
		Client: &client.Details{Email: "n@example.org", FullName: "N Dlamini", BankAccount: account, BankCode: "632005",
			AccountType: bank.Current},
		BrandID: h.brand, Currency: "ZAR", Details: one(cents), DirectDebit: &purchase.DirectDebitInput{},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true, SendReceipt: true},
	})
	must(h.t, err)
	return rec
}

func one(cents int64) purchase.Details {
	return purchase.Details{Language: "en", Products: []purchase.Product{{Name: "Membership", PriceCents: cents,
		Quantity: decimal.NewFromInt(1)}}}
}

// charge makes a purchase that is debited from a token on a day, at noon.
func (h *house) charge(tokenID uuid.UUID, cents int64, day calendar.Date) (purchase.Record, error) {
	h.t.Helper()
	due := day.At(12, 0)
	rec, err := h.purchases.Create(context.Background(), h.who, purchase.Input{
		Client: &client.Details{Email: "n@example.org", FullName: "N Dlamini"}, BrandID: h.brand, Currency: "ZAR", Due: &due,
		Details: one(cents),
	})
	must(h.t, err)
	return h.purchases.Charge(context.Background(), h.who, rec.ID, tokenID)
}

func (h *house) mustCharge(tokenID uuid.UUID, cents int64, day calendar.Date) purchase.Record {
	h.t.Helper()
	rec, err := h.charge(tokenID, cents, day)
	must(h.t, err)
	return rec
}

// to moves the clock with everything that becomes due on the way.
func (h *house) to(at time.Time) simulation.Moved {
	h.t.Helper()
	moved, err := h.controls.Move(context.Background(), h.who, simulation.ClockMove{Now: at})
	must(h.t, err)
	return moved
}

func (h *house) get(id uuid.UUID) purchase.Record {
	h.t.Helper()
	rec, err := h.purchases.Get(context.Background(), h.who, id)
	must(h.t, err)
	return rec
}

func (h *house) token(id uuid.UUID) token.Token {
	h.t.Helper()
	t, err := token.Store{DB: h.store}.Token(context.Background(), h.who.MerchantID, id)
	must(h.t, err)
	return t
}

// ledger is the sum of the movements of a purchase.
func (h *house) ledger(id uuid.UUID) int64 {
	h.t.Helper()
	return h.number(`SELECT coalesce(sum(amount_cents), 0)::bigint FROM ledger_entries WHERE purchase_id = $1`, id)
}

// shown is the money that a purchase says the merchant has of it.
func shown(p purchase.Purchase) int64 {
	if p.Payment == nil {
		return -p.RefundedCents
	}
	return p.Payment.AmountCents - p.RefundedCents
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func outcome(code, dispute string) banksandbox.Outcome {
	return banksandbox.Outcome{Code: code, Dispute: dispute}
}

func payer() *client.Details { return &client.Details{Email: "n@example.org", FullName: "N Dlamini"} }

// forgets ends the accounts of a client who is deleted, as the product does.
func (h *house) forgets(ctx context.Context, tx *database.Tx, who actor.Actor, clientID uuid.UUID) error {
	return h.deletions.ForgetClient(ctx, tx, who, clientID)
}

// program is a credential of the merchant with all scopes: what it deletes is gone at once.
func (h *house) program() actor.Actor {
	return actor.Actor{Kind: actor.Credential, Name: "Program", MerchantID: h.who.MerchantID, Scopes: actor.AllScopes}
}
