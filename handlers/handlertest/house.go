// Package handlertest gives tests of handlers the whole HTTP side in memory, on
// a real database with a fixed cast. Nothing outside tests imports it.
package handlertest

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers"
	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/letters"
	"debitdesk/handlers/openapi"
	"debitdesk/handlers/papers"
	"debitdesk/handlers/statements"
	"debitdesk/handlers/web"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/credential"
	"debitdesk/models/factor"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/member"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/report"
	"debitdesk/models/requestlog"
	"debitdesk/models/statement"
	"debitdesk/models/store"
	"debitdesk/models/store/seal"
	"debitdesk/models/store/storetest"
	"debitdesk/models/subscription"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
	"debitdesk/models/webhook/post"
)

// BaseURL is the public address that the house believes to have.
const BaseURL = "https://desk.example"

// Password is what everybody of the house knows when asked for it again.
const Password = "seven quiet otters"

// Connections are those of the pool. They are so few that a test can have more callers
// at once than there are connections.
const Connections = 4

// House is the app with its cast: merchant A, and the stranger's merchant B.
type House struct {
	Store     *store.Store
	App       *echo.Echo
	Deps      handlers.Deps
	Sessions  *access.Sessions
	Desk      *web.Desk
	Clients   *client.Service
	Purchases *purchase.Service
	Keeper    *audit.Keeper
	Batches   *batch.Service
	Approvals *approval.Service
	Billing   *billing.Service
	Webhooks  *webhook.Service
	Requests  *requestlog.Log // Flush it to see what was asked
	// Subscriptions bill nothing by themselves here; tests call Run.
	Subscriptions *subscription.Service
	A, B          Merchant
	People        *user.Service
	Members       *member.Service
	tb            testing.TB

	Statements *statement.Service
	Factors    *factor.Service
	ahead      atomic.Int64 // by how much real time was moved

	credentials *credential.Service
}

// headSigner signs the heads of the audit's chains.
type headSigner ed25519.PrivateKey

// Sign implements audit.Signer.
func (k headSigner) Sign(data []byte) (string, []byte) {
	return "k1", ed25519.Sign(ed25519.PrivateKey(k), data)
}

// Check implements audit.Signer.
func (k headSigner) Check(_ string, data, signature []byte) bool {
	return ed25519.Verify(ed25519.PrivateKey(k).Public().(ed25519.PublicKey), data, signature) //nolint:forcetypeassert // of this key it is
}

// Merchant is one business of the cast.
type Merchant struct {
	ID, BrandID           uuid.UUID
	Owner, Finance, Staff Person
	Reader                Person // readonly
	Token                 string // bearer credential with all scopes
	Actor                 actor.Actor
}

// Person is somebody who is signed in.
type Person struct {
	user.User
	Cookie string
}

// New builds the house. wire adds what the test needs before the addresses are made.
func New(tb testing.TB, wire ...func(*House)) *House {
	tb.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "t1", Secret: []byte("0123456789abcdef0123456789abcdef")}}, []byte("index-key-index-key-index-key-32"))
	must(tb, err)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	db, err := store.Open(tb.Context(), storetest.DSN(tb), store.Options{Seal: box, Sandbox: true, MaxConns: Connections, Patience: time.Minute, Log: quiet,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }}) // tests do the work themselves
	must(tb, err)
	tb.Cleanup(db.Close)
	h := &House{Store: db, tb: tb}
	h.Factors = &factor.Service{InTx: store.Runner[factor.Tx](db), Read: db, Now: h.Real, Letters: letters.Writer{Base: BaseURL}, Sandbox: true}
	h.Factors.Password = func(_ context.Context, _ actor.Actor, password string) error {
		if password != Password {
			return fault.At("password", "wrong", "That is not your password.")
		}
		return nil
	}
	h.Factors.Party, err = factor.NewParty(BaseURL)
	must(tb, err)
	h.Sessions = access.NewSessions(db, [][]byte{[]byte("session-key")}, true, h.Real)
	h.Clients = &client.Service{InTx: store.Runner[client.Tx](db), Read: db, Now: db.Now}
	h.Purchases = &purchase.Service{InTx: store.Runner[purchase.Tx](db), Read: db, Lists: db, Now: db.Now, Calendar: calendar.New(),
		Timetable: collection.DefaultTimetable(), Window: mandate.DefaultWindow(), Limits: mandate.DefaultLimits(),
		Verify: func(context.Context, bank.Verification) (bank.Verified, error) { return bank.AllYes(), nil }}
	h.Clients.Forget = func(ctx context.Context, tx client.Tx, who actor.Actor, clientID uuid.UUID) error {
		return h.Purchases.ForgetClient(ctx, any(tx).(purchase.Tx), who, clientID) //nolint:forcetypeassert // one transaction satisfies them all
	}
	h.Purchases.Readdress = func(tx purchase.Tx, who actor.Actor, clientID uuid.UUID, email string) error {
		return h.Clients.Readdress(any(tx).(client.Tx), who, clientID, email) //nolint:forcetypeassert // one transaction satisfies them all
	}
	h.Billing = &billing.Service{InTx: store.Runner[billing.Tx](db), Read: db, Purchases: h.Purchases, Letters: letters.Writer{Base: BaseURL}, Draw: papers.Printer{Base: BaseURL}.Draw}
	h.Purchases.Papers = h.Billing
	h.Subscriptions = &subscription.Service{InTx: store.Runner[subscription.Tx](db), Read: db, Purchases: h.Purchases, Now: db.Now}
	h.Purchases.Subscriptions = h.Subscriptions
	keys := []credential.Key{{ID: "k1", Private: ed25519.NewKeyFromSeed([]byte("seed-of-32-bytes-seed-of-32-byte"))}}
	credentials := &credential.Service{InTx: store.Runner[credential.Tx](db), Read: db, Keys: keys, Now: h.Real, Issuer: BaseURL}
	h.credentials = credentials
	h.Deps = handlers.Deps{
		BaseURL: BaseURL, Sandbox: true, Log: quiet, Replays: db,
		Bearer: access.Bearer(credentials), Session: h.Sessions.Authenticate,
		OAuth: credentials,
		API: handlers.API{Clients: &api.Clients{Base: BaseURL, Service: h.Clients}, Purchases: &api.Purchases{Base: BaseURL, Service: h.Purchases},
			Tokens: &api.Tokens{Base: BaseURL, Service: h.Purchases}, Billing: &api.Billing{Service: h.Billing}, Templates: &api.Templates{Base: BaseURL, Service: h.Subscriptions}},
	}
	desk := &web.Desk{Now: db.Now, Sandbox: true, BaseURL: BaseURL}
	h.Requests = &requestlog.Log{Write: db.InsertRequests, NewID: db.NewID, Now: db.Now}
	h.Deps.RequestLog = h.Requests.Add
	h.Deps.Requests = &web.Requests{Desk: desk, Log: &requestlog.Service{Read: db}, Credentials: credentials}
	h.Deps.ErrorPage = desk.ErrorPage
	document, err := openapi.Read(BaseURL)
	must(tb, err)
	h.Deps.Reference = &web.Reference{Desk: desk, Document: document}
	h.Desk = desk
	h.Deps.Keeper = &access.Keeper{Box: seal.Own{Box: box}, Now: h.Real, Rows: db, Last: h.Sessions.LastPerson}
	desk.Keeper = h.Deps.Keeper
	h.Deps.SecondFactors = handlers.SecondFactors{
		Ask:      &access.Second{Factors: h.Factors, Sessions: h.Sessions, Keeper: h.Deps.Keeper, PasskeyOrigin: BaseURL, Strip: desk.Strip},
		Security: &web.Security{Desk: desk, Factors: h.Factors, Prove: h.Sessions.Prove, PasskeyOrigin: BaseURL},
		Demand:   &web.Demand{Desk: desk, Demands: h.Factors},
	}
	h.Deps.Payers = &checkout.Pages{Purchases: h.Purchases, Billing: h.Billing, Sandbox: true, BaseURL: BaseURL}
	h.Deps.Clients = &web.Clients{Desk: desk, Service: h.Clients, Events: db, Replays: db}
	h.Purchases.Letters = letters.Writer{Base: BaseURL}
	h.Deps.Payers.Subscriptions = h.Subscriptions
	h.Deps.Rooms(web.NewRooms(desk, h.Purchases, h.Clients, h.Billing, db).Subscribe(h.Subscriptions))
	h.Batches = &batch.Service{InTx: store.Runner[batch.Tx](db), Read: db, Purchases: h.Purchases, Clients: h.Clients, Timetable: h.Purchases.Timetable, Now: db.Now, Billing: h.Billing}
	h.Approvals = &approval.Service{InTx: store.Runner[approval.Tx](db), Read: db, Purchases: h.Purchases, Batches: h.Batches, Letters: letters.Writer{Base: BaseURL}, Now: db.Now}
	h.Keeper = &audit.Keeper{Chains: db, Signer: headSigner(keys[0].Private)}
	h.Deps.Audit = &web.Audit{Desk: desk, Book: &audit.Book{Read: db}, Keeper: h.Keeper, Exports: h.Deps.Invoices.Exports}
	desk.Alarms = h.Keeper.Alarms
	h.Deps.Settings = &web.Settings{Desk: desk, Brands: &merchant.Service{InTx: store.Runner[merchant.Tx](db), Read: db, Test: true}, People: db.PeopleOf,
		Rules: web.Rules{Calendar: h.Purchases.Calendar, Timetable: h.Purchases.Timetable, Window: h.Purchases.Window}}
	h.Deps.Batches = &web.Batches{Desk: desk, Service: h.Batches, Replays: db}
	h.Deps.Approve(&web.Approvals{Desk: desk, Service: h.Approvals})
	h.Deps.Home.Latest = h.Deps.Batches.Latest
	h.Deps.FindBatches(h.Batches.Get)
	h.People = &user.Service{InTx: store.Runner[user.Tx](db), Read: db, Now: time.Now, Letters: letters.Writer{Base: BaseURL}}
	h.Members = &member.Service{InTx: store.Runner[member.Tx](db), Read: db, Now: time.Now, Letters: letters.Writer{Base: BaseURL}}
	h.Deps.Login = &access.Login{People: h.People, Sessions: h.Sessions, Strip: desk.Strip}
	h.Deps.Account = &web.Account{Desk: desk, Self: h.People, Sessions: h.Sessions}
	h.Deps.Developers = &web.Developers{Desk: desk, Credentials: credentials}
	h.Deps.People = &web.People{Desk: desk, Members: h.Members, Now: time.Now}
	h.Deps.Invitation = &access.Invitation{Members: h.Members, Sessions: h.Sessions, Strip: desk.Strip}
	h.Deps.Reset = &access.Reset{People: h.People, Sessions: h.Sessions, Strip: desk.Strip}
	h.Statements = &statement.Service{InTx: store.Runner[statement.Tx](db), Read: db, Desk: db, Brands: db, Paper: statements.New, Now: db.Now, Test: true}
	figures := &report.Money{Read: db, Brands: db}
	h.Deps.API.Methods, h.Deps.API.Accounts = &api.Methods{Base: BaseURL, Brands: db}, &api.Accounts{Service: figures}
	h.Deps.API.Statements = &api.Statements{Base: BaseURL, Service: h.Statements}
	h.Deps.Reports = &web.Reports{Desk: desk, Money: figures, Statements: h.Statements, Brands: db, Replays: db}
	h.Webhooks = &webhook.Service{InTx: store.Runner[webhook.Tx](db), Read: db, Queue: db, Post: post.New(true), Now: db.Now, Log: quiet, Agent: "Debitdesk/test",
		Body: api.Events{Base: BaseURL, Purchase: db.Snapshot, Subscriber: db.SubscriberSnapshot}.Body}
	h.Deps.API.Webhooks = &api.Webhooks{Base: BaseURL, Service: h.Webhooks}
	h.Deps.WebhookPages(desk, h.Webhooks)
	h.sandbox()
	h.A = h.merchant("a", credentials, "TEST1", "TESTMERCH1", "12345678")
	h.B = h.merchant("b", credentials, "TEST2", "STRANGER", "87654321")
	for _, w := range wire {
		w(h)
	}
	h.App, err = handlers.New(h.Deps)
	must(tb, err)
	return h
}

func (h *House) merchant(slug string, credentials *credential.Service, profile, name, account string) Merchant {
	h.tb.Helper()
	m := Merchant{ID: h.Store.NewID(), BrandID: h.Store.NewID()}
	now := h.Store.Now()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $3, true, $4, $4)`, m.ID, slug, "Merchant "+slug, now)
	h.exec(`INSERT INTO brands (id, merchant_id, name, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)`, m.BrandID, m.ID, "Brand "+slug, now)
	h.exec(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number, branch_code, is_default, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, '051001', true, $7)`, h.Store.NewID(), m.ID, m.BrandID, profile, name, account, now)
	m.Owner = h.person(m, slug, actor.Admin)
	m.Finance = h.person(m, slug, actor.Finance)
	m.Staff = h.person(m, slug, actor.Staff)
	m.Reader = h.person(m, slug, actor.ReadOnly)
	m.Actor = m.Owner.User.Actor()
	issued, err := credentials.Issue(h.tb.Context(), m.Actor, credential.Input{Name: "tests", Lifetime: 365 * 24 * time.Hour})
	must(h.tb, err)
	m.Token = issued.Token
	return m
}

// Program gives the bearer credential of a program with those scopes.
func (h *House) Program(m Merchant, scopes ...actor.Scope) string {
	h.tb.Helper()
	issued, err := h.credentials.Issue(h.tb.Context(), m.Actor, credential.Input{Name: "narrow", Lifetime: time.Hour, Scopes: scopes})
	must(h.tb, err)
	return issued.Token
}

// nobodys is the hash of no password.
const nobodys = "$argon2id$v=19$m=65536,t=2,p=1$ZGViaXRkZXNrIG5vYm9keQ$x3Jx9l8m2l0Sg1cYJm8m0h2lVf3y7dQk5vE1nX9bU4o"

// person adds somebody who is signed in. Nobody knows the password.
func (h *House) person(m Merchant, slug string, role actor.Role) Person {
	h.tb.Helper()
	u := user.User{ID: h.Store.NewID(), MerchantID: m.ID, Email: string(role) + "@" + slug + ".example", Name: string(role) + " of " + slug, Role: role}
	h.exec(`INSERT INTO users (id, merchant_id, email, name, role, password_hash, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $7, $6, $6)`,
		u.ID, m.ID, u.Email, u.Name, string(role), h.Store.Now(), nobodys)
	rec := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest(http.MethodPost, "/login", nil), rec)
	must(h.tb, h.Sessions.Start(c, u))
	cookie := rec.Result().Cookies()[0]
	return Person{u, cookie.Name + "=" + cookie.Value}
}

// Member adds somebody of a merchant who is signed in, with grants over what the role says.
func (h *House) Member(m Merchant, name string, role actor.Role, grants actor.Grants) Person {
	h.tb.Helper()
	p := h.person(m, name, role)
	raw, err := json.Marshal(grants)
	must(h.tb, err)
	h.exec(`UPDATE memberships SET grants = $1 WHERE user_id = $2`, raw, p.ID)
	p.Grants = grants
	return p
}

func (h *House) exec(sql string, args ...any) {
	h.tb.Helper()
	_, err := h.Store.Pool.Exec(h.tb.Context(), sql, args...)
	must(h.tb, err)
}

// Real is real time, as sessions and second factors see it.
func (h *House) Real() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

// Wait moves real time.
func (h *House) Wait(d time.Duration) { h.ahead.Add(int64(d)) }

// Count is the number that a query gives.
func (h *House) Count(sql string, args ...any) (n int) {
	h.tb.Helper()
	must(h.tb, h.Store.Pool.QueryRow(h.tb.Context(), sql, args...).Scan(&n))
	return n
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
