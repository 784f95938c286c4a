package subscription_test

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
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientstop"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/debit"
	"debitdesk/models/deletion"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/simulation"
	"debitdesk/models/storetest"
	"debitdesk/models/subscription"
)

var ctx = context.Background()

// house is everything that bills subscriptions, on a database of its own.
type house struct {
	t          testing.TB
	store      *database.DB
	bank       *banksandbox.Bank
	clients    *client.Service
	purchases  *purchase.Service
	deletions  *deletion.Service
	stops      *clientstop.Service
	amendments *amendment.Service
	debits     *debit.Service
	subs       *subscription.Service
	controls   *simulation.Controls
	dsn        string
	machine    func() time.Time
	life       *life // of the process; nil: it is not killed
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
func (letters) Receipt(purchase.Purchase, merchant.Brand) mail.Letter {
	return mail.Letter{Subject: "Receipt"}
}
func (letters) Invoice(billing.Paper) mail.Letter    { return mail.Letter{Subject: "Invoice"} }
func (letters) CreditNote(billing.Paper) mail.Letter { return mail.Letter{Subject: "Credit note"} }

// open starts on a Monday at 09:00 SAST.
func open(t testing.TB) *house { return openAt(t, calendar.On(2027, time.February, 1).At(9, 0)) }

func openAt(t testing.TB, start time.Time) *house {
	t.Helper()
	h := &house{t: t, dsn: storetest.DSN(t), machine: storetest.StandingClock()}
	h.begin()
	t.Cleanup(func() { h.store.Close() })
	storetest.StartAt(t, h.store.Clock, start)
	h.who, h.brand = h.merchant("acme")
	return h
}

// begin starts the process.
func (h *house) begin() {
	h.t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(h.t, err)
	s, err := database.Open(ctx, h.dsn, database.Options{Seal: box, Sandbox: true, Machine: h.machine,
		MaxConns: 10, Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(h.t, err)
	h.store = s
	cal, tt := calendar.New(), collection.DefaultTimetable()
	h.bank = banksandbox.New(banksandbox.Store{DB: s}, s.Now, tt, cal)
	h.purchases = &purchase.Service{InTx: runner(h, h.store.InTx), Store: purchase.Store{DB: s},
		Now: s.Now, Calendar: cal,
		Timetable: tt, Letters: letters{},
		Window: mandate.DefaultWindow(), Limits: mandate.DefaultLimits(), Bank: h.bank.Capabilities(),
		Verifier: h.bank}
	bills := &billing.Service{InTx: runner(h, s.InTx), Store: billing.Store{DB: s}, Purchases: h.purchases,
		Letters: letters{}}
	h.purchases.Papers = bills
	h.debits = &debit.Service{InTx: runner(h, s.InTx), Store: debit.Store{DB: s}, Bank: h.bank, Purchases: h.purchases,
		Now:       s.Now,
		Timetable: tt, Limits: h.purchases.Limits,
		FinishDeletions: func(ctx context.Context) (int, error) { return h.deletions.FinishDeletions(ctx) }}
	h.clients = &client.Service{Store: client.Store{DB: s}, Now: s.Now,
		Forget: func(ctx context.Context, tx *database.Tx, who actor.Actor, id uuid.UUID) error {
			return h.deletions.ForgetClient(ctx, tx, who, id)
		}}
	h.subs = h.worker()
	h.purchases.Recurrence = h.subs.Recurs
	h.deletions = &deletion.Service{Purchases: h.purchases, Subscriptions: h.subs}
	h.stops = &clientstop.Service{Purchases: h.purchases, Subscriptions: h.subs}
	h.amendments = &amendment.Service{Purchases: h.purchases, Deletions: h.deletions, FollowToken: h.subs.FollowToken}
	post := &outbox.Service{Store: outbox.Store{DB: s}, Sender: outbox.Keep{}, Sent: h.purchases.Mailed,
		Compose: bills.Compose}
	h.controls = &simulation.Controls{Store: simulation.Store{DB: s}, Clock: s.Clock, Debits: h.debits,
		Purchases: h.purchases, Subscriptions: h.subs,
		Mail: post.SendDue, Phone: h.bank.ForceMandate}
}

// worker is one more process that bills periods.
func (h *house) worker() *subscription.Service {
	return &subscription.Service{InTx: runner(h, h.store.InTx), Store: subscription.Store{DB: h.store},
		Purchases: h.purchases, Now: h.store.Now}
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

// asked is a subscription of R100 a period, before its plan.
func (h *house) asked(p subscription.Plan) subscription.Input {
	return subscription.Input{Title: "Membership", IsSubscription: true, Plan: p,
		Pattern: purchase.Input{BrandID: h.brand, Currency: "ZAR", Details: one(10000)}}
}

func (h *house) template(p subscription.Plan) subscription.Template {
	h.t.Helper()
	t, err := h.subs.Create(ctx, h.who, h.asked(p))
	must(h.t, err)
	return t
}

func (h *house) client() uuid.UUID {
	h.t.Helper()
	c, err := h.clients.Create(ctx, h.who, client.Input{Details: client.Details{Email: "n@example.org",
		FullName: "Nomsa Dlamini", PersonalCode: "8001015009087", Phone: "27821234567"}})
	must(h.t, err)
	return c.ID
}

// stored is a client whose account is stored already.
func (h *house) stored(account bank.AccountNumber) (clientID, tokenID uuid.UUID) {
	h.t.Helper()
	c, err := h.clients.Create(ctx, h.who, client.Input{Details: client.Details{Email: "n@example.org",
		FullName: "Nomsa Dlamini", BankAccount: account, BankCode: "632005", AccountType: bank.Current}})
	must(h.t, err)
	rec, err := h.purchases.Create(ctx, h.who, purchase.Input{ClientID: c.ID, BrandID: h.brand, Currency: "ZAR",
		Details: one(0), DirectDebit: &purchase.DirectDebitInput{},
		Options: purchase.Options{Whitelist: []string{"eft"}, ForceRecurring: true}})
	must(h.t, err)
	return c.ID, rec.ID
}

var mails = subscription.Switches{InvoiceOnChargeFailure: true, InvoiceOnAdd: true, Receipt: true}

func (h *house) add(t subscription.Template, clientID uuid.UUID,
	change ...func(*subscription.SubscriberInput)) subscription.Added {
	h.t.Helper()
	in := subscription.SubscriberInput{ClientID: clientID, Switches: mails}
	for _, c := range change {
		c(&in)
	}
	added, err := h.subs.Add(ctx, h.who, t.ID, in)
	must(h.t, err)
	return added
}

func firstOn(d calendar.Date) func(*subscription.SubscriberInput) {
	return func(in *subscription.SubscriberInput) { in.FirstOn = d }
}

// to moves the clock with everything that becomes due on the way.
func (h *house) to(at time.Time) {
	h.t.Helper()
	_, err := h.controls.Move(ctx, h.who, simulation.ClockMove{Now: at})
	must(h.t, err)
}

// jump moves the clock and only bills.
func (h *house) jump(at time.Time) {
	h.t.Helper()
	must(h.t, h.store.Clock.MoveTo(ctx, at))
	_, err := h.subs.Run(ctx)
	must(h.t, err)
}

func (h *house) sub(id uuid.UUID) subscription.Subscriber {
	h.t.Helper()
	s, err := h.subs.Subscriber(ctx, h.who, uuid.Nil, id)
	must(h.t, err)
	return s
}

func (h *house) get(id uuid.UUID) purchase.Record {
	h.t.Helper()
	rec, err := h.purchases.Get(ctx, h.who, id)
	must(h.t, err)
	return rec
}

// billed is one purchase of a subscriber as the tests compare it.
type billed struct {
	Issued, Due, Product, Status string
	Cents                        int64
}

func (h *house) billed(subscriberID uuid.UUID) (out []billed) {
	h.t.Helper()
	rows, err := h.store.Pool.Query(
		ctx,
		`SELECT to_char(p.issued, 'YYYY-MM-DD'), to_char(p.due AT TIME ZONE 'Africa/Johannesburg', 'YYYY-MM-DD'),
			p.product, p.status, p.total_cents
		FROM purchases p JOIN billing_periods b ON b.purchase_id = p.id WHERE p.subscriber_id = $1 ORDER BY b.starts_on`,
		subscriberID,
	)
	must(h.t, err)
	out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[billed])
	must(h.t, err)
	return out
}

func (h *house) issued(subscriberID uuid.UUID) (out []string) {
	for _, b := range h.billed(subscriberID) {
		out = append(out, b.Issued)
	}
	return out
}

func (h *house) give(rec *purchase.Record, account string) purchase.Record {
	h.t.Helper()
	given, err := h.purchases.GiveAccount(ctx, actor.PayerOf(h.who.MerchantID, "Nomsa Dlamini", "", ""), rec.ID,
		purchase.Account{FullName: "Nomsa Dlamini",
			AccountNumber: account, BankCode: "632005", Consented: true, Store: true})
	must(h.t, err)
	return given
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func day(month time.Month, d int) calendar.Date { return calendar.On(2027, month, d) }

// program is a credential of the merchant with all scopes: what it deletes is gone at once.
func (h *house) program() actor.Actor {
	return actor.Actor{Kind: actor.Credential, Name: "Program", MerchantID: h.who.MerchantID, Scopes: actor.AllScopes}
}
