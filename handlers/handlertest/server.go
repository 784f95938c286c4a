// Package handlertest gives tests of handlers the whole HTTP side in memory, on
// a real database with a fixed cast. Nothing outside tests imports it.
package handlertest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/cmd/app"
	"debitdesk/handlers"
	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/approval"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	"debitdesk/models/bank/acb"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/batch"
	"debitdesk/models/billing"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientpage"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/deletion"
	"debitdesk/models/factor"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/mandate"
	"debitdesk/models/member"
	"debitdesk/models/notice"
	"debitdesk/models/purchase"
	"debitdesk/models/requestlog"
	"debitdesk/models/statement"
	"debitdesk/models/storetest"
	"debitdesk/models/subscription"
	"debitdesk/models/task"
	"debitdesk/models/texting"
	"debitdesk/models/upkeep"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
)

// BaseURL is the public address that the server believes to have.
const BaseURL = "https://desk.example"

// Password is what everybody of the cast knows when asked for it again.
const Password = "seven quiet otters"

// Connections are those of the pool. They are so few that a test can have more callers
// at once than there are connections.
const Connections = 4

// Server is the app with its cast: merchant A, and the stranger's merchant B.
type Server struct {
	Store      *database.DB
	App        *echo.Echo
	Deps       handlers.Deps
	Sessions   *access.Sessions
	Desk       *kit.Desk
	Clients    *client.Service
	Purchases  *purchase.Service
	Deletions  *deletion.Service
	Amendments *amendment.Service
	Audit      *trail.Service
	Batches    *batch.Service
	Imports    *book.Service
	Approvals  *approval.Service
	Billing    *billing.Service
	Webhooks   *webhook.Service
	Requests   *requestlog.Log // Flush it to see what was asked
	// Subscriptions bill nothing by themselves here; tests call Run.
	Subscriptions *subscription.Service
	A, B          Merchant
	Exchange      *exchange.Service // beside the sandbox bank; tests hand things over and call Run
	Box           *exchangetest.Box
	People        *user.Service
	Members       *member.Service
	tb            testing.TB

	Statements *statement.Service
	Tasks      *task.Service // tests call Work
	Followups  *followup.Service
	Factors    *factor.Service
	// ClientPages mail links when tests call SendAsked.
	ClientPages *clientpage.Service
	// Texts are kept by the sandbox when tests call Send or SendDue.
	Texts   *texting.Service
	Notices *notice.Service
	ahead   atomic.Int64 // by how much real time was moved

	Round func(context.Context) error // does everything that workers find to do, once

	credentials *credential.Service
}

// Verifier answers about accounts in tests.
type Verifier func(context.Context, bank.Verification) (bank.Verified, error)

// Verify implements bank.Verifier.
func (v Verifier) Verify(ctx context.Context, asked bank.Verification) (bank.Verified, error) {
	return v(ctx, asked)
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

// New builds the server. wire adds what the test needs before the addresses are made.
func New(tb testing.TB, wire ...func(*Server)) *Server {
	tb.Helper()
	return NewWith(tb, func(*app.Options) {}, wire...)
}

// sunday is when every server begins, in the afternoon.
var sunday = time.Date(2026, time.November, 22, 15, 0, 0, 0, time.UTC)

// theKeys are the key pair of every webhook and company in this process: making one takes a tenth of a second.
var theKeys = sync.OnceValues(webhook.NewKeys)

// NewWith builds a server with other options, such as another bank; the store is in them already.
func NewWith(tb testing.TB, change func(*app.Options), wire ...func(*Server)) *Server {
	tb.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "t1", Secret: []byte("0123456789abcdef0123456789abcdef")}},
		[]byte("index-key-index-key-index-key-32"))
	must(tb, err)
	quiet := slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	db := open(tb, storetest.Filled(tb, "cast", func(_ context.Context, dsn string) error {
		engage(tb, dsn, box, quiet)
		return nil
	}), sunday, box, quiet)
	tb.Cleanup(db.Close)
	h := &Server{Store: db, tb: tb}
	options := app.Options{Store: db, Log: quiet, BaseURL: BaseURL, Sandbox: true, Version: "test", Now: h.Real,
		Signing: keys, Verifier: Verifier(func(context.Context, bank.Verification) (bank.Verified, error) {
			return bank.AllYes(), nil
		})}
	change(&options)
	use, err := app.New(options)
	must(tb, err)
	h.Clients, h.Purchases, h.Billing, h.Subscriptions = use.Clients, use.Purchases, use.Billing, use.Subscriptions
	h.Imports, h.Deletions, h.Amendments = use.Imports, use.Deletions, use.Amendments
	use.Webhooks.NewKeys = theKeys
	h.Batches, h.Approvals, h.Webhooks, h.Statements = use.Batches, use.Approvals, use.Webhooks, use.Statements
	h.Box = exchangetest.NewBox()
	h.Exchange = &exchange.Service{Store: exchange.Store{DB: db}, Rules: exchangetest.Rules(),
		Encoder: exchangetest.Codec{Account: "12345678"}, Decoder: exchangetest.Codec{Account: "12345678"},
		Spellings: []exchange.Spelling{acb.Writer{Service: "TWO DAY"}}, Box: h.Box, Calendar: calendar.New(), Now: db.Now,
		Log: quiet}
	if use.Exchange == nil {
		use.Exchange = h.Exchange // for its pages; nothing runs it but the test
	}
	h.Tasks, h.Followups, h.ClientPages, h.Texts = use.Tasks, use.Followups, use.ClientPages, use.Texts
	h.Notices = use.Notices
	h.Round = func(ctx context.Context) error {
		_, sent := use.SendDue(ctx)
		return errors.Join(use.RunDue(ctx), sent, use.Webhooks.Work(ctx), use.Batches.TakeUp(ctx), use.Statements.TakeUp(ctx),
			use.Tasks.TakeUp(ctx), upkeep.Store{DB: db}.Tidy(ctx, db.Now()))
	}
	h.Audit, h.People, h.Members, h.Factors, h.credentials = use.Audit, use.Users, use.Members, use.Factors,
		use.Credentials
	h.Factors.Password = func(_ context.Context, _ actor.Actor, password string) error {
		if password != Password {
			return fault.At("password", "wrong", "That is not your password.")
		}
		return nil
	}
	watch, err := mandate.Store{DB: db}.Watch(tb.Context())
	must(tb, err)
	tb.Cleanup(watch.Close)
	h.Sessions = access.NewSessions(user.Store{DB: db}, [][]byte{[]byte("session-key")}, true, h.Real)
	h.Deps, err = use.Parts(app.HTTP{Store: db, Box: box, Sessions: h.Sessions, Watch: watch, BaseURL: BaseURL,
		Sandbox: true, Now: h.Real})
	must(tb, err)
	h.Desk = h.Deps.Clients.Desk
	h.Requests = &requestlog.Log{Write: requestlog.Store{DB: db}.InsertRequests, NewID: db.NewID, Now: db.Now}
	h.Deps.Log, h.Deps.RequestLog = quiet, h.Requests.Add
	h.A, h.B = h.signedIn(theCast().a), h.signedIn(theCast().b)
	for _, w := range wire {
		w(h)
	}
	h.App, err = handlers.New(h.Deps)
	must(tb, err)
	return h
}

// Program gives the bearer credential of a program with those scopes.
func (h *Server) Program(m Merchant, scopes ...actor.Scope) string {
	h.tb.Helper()
	issued, err := h.credentials.Issue(h.tb.Context(), m.Actor,
		credential.Input{Name: "narrow", Lifetime: time.Hour, Scopes: scopes})
	must(h.tb, err)
	return issued.Token
}

// Member adds somebody of a merchant who is signed in, with grants over what the role says.
func (h *Server) Member(m Merchant, name string, role actor.Role, grants actor.Grants) Person {
	h.tb.Helper()
	p := h.signIn(person(h.tb, h.Store, m.ID, name, role))
	raw, err := json.Marshal(grants)
	must(h.tb, err)
	h.exec(`UPDATE memberships SET grants = $1 WHERE user_id = $2`, raw, p.ID)
	p.Grants = grants
	return p
}

// For lets the server tell the failures of a subtest that uses it alone to that subtest.
func (h *Server) For(tb testing.TB) *Server {
	whole := h.tb
	h.tb = tb
	tb.Cleanup(func() { h.tb = whole })
	return h
}

func (h *Server) exec(sql string, args ...any) {
	h.tb.Helper()
	_, err := h.Store.Pool.Exec(h.tb.Context(), sql, args...)
	must(h.tb, err)
}

// Real is real time, as sessions and second factors see it.
func (h *Server) Real() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

// Wait moves real time.
func (h *Server) Wait(d time.Duration) { h.ahead.Add(int64(d)) }

// Count is the number that a query gives.
func (h *Server) Count(sql string, args ...any) (n int) {
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
