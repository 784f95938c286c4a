package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/handlers"
	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/openapi"
	"debitdesk/handlers/sandbox"
	"debitdesk/handlers/web"
	"debitdesk/migrations"
	"debitdesk/models/audit"
	bankdesk "debitdesk/models/bank/sandbox"
	"debitdesk/models/requestlog"
	"debitdesk/models/store"
	"debitdesk/models/store/seal"
)

// handler is the whole HTTP side over the use cases.
func (a *App) handler(metrics *prometheus.Registry, baseURL string, opsElsewhere bool, watch web.Watcher) (_ http.Handler, err error) {
	s := a.Services
	sessions := access.NewSessions(a.Store, a.Keys.Sessions, strings.HasPrefix(baseURL, "https://"), time.Now)
	desk := &web.Desk{Now: a.Store.Now, Sandbox: a.Config.Sandbox(), BaseURL: baseURL}
	base := api.Base(baseURL)
	document, err := openapi.Read(baseURL)
	if err != nil {
		return nil, err
	}
	deps := handlers.Deps{
		BaseURL: baseURL, Sandbox: a.Config.Sandbox(), Log: a.Log, Metrics: metrics, OpsElsewhere: opsElsewhere,
		Ready:     a.ready(),
		Draining:  a.draining.Load,
		Away:      store.Away,
		Replays:   a.Store,
		Bearer:    access.Bearer(s.credentials),
		Session:   sessions.Authenticate,
		ErrorPage: desk.ErrorPage,
		API: handlers.API{
			Clients:   &api.Clients{Base: base, Service: s.clients},
			Purchases: &api.Purchases{Base: base, Service: s.purchases},
			Tokens:    &api.Tokens{Base: base, Service: s.purchases},
			Billing:   &api.Billing{Service: s.billing},
			Webhooks:  &api.Webhooks{Base: base, Service: s.webhooks},
			Templates: &api.Templates{Base: base, Service: s.subscriptions},
		},
		Login:      &access.Login{People: s.users, Sessions: sessions, Strip: desk.Strip},
		OAuth:      s.credentials,
		Developers: &web.Developers{Desk: desk, Credentials: s.credentials},
		Reference:  &web.Reference{Desk: desk, Document: document},
		Account:    &web.Account{Desk: desk, Self: s.users, Sessions: sessions},
		People:     &web.People{Desk: desk, Members: s.members, Now: time.Now},
		Invitation: &access.Invitation{Members: s.members, Sessions: sessions, Strip: desk.Strip},
		Reset:      &access.Reset{People: s.users, Sessions: sessions, Strip: desk.Strip},
		Payers:     &checkout.Pages{Purchases: s.purchases, Billing: s.billing, Subscriptions: s.subscriptions, Sandbox: a.Config.Sandbox(), BaseURL: baseURL},
	}
	if deps.Proxies, err = a.Config.proxies(); err != nil {
		return nil, err
	}
	if deps.Limits, err = a.Config.limits(); err != nil {
		return nil, err
	}
	deps.Requests = &web.Requests{Desk: desk, Log: &requestlog.Service{Read: a.Store}, Credentials: s.credentials}
	if a.Config.RequestLog {
		deps.RequestLog = a.Requests.Add
		if a.Requests.Dropped, err = handlers.CountDropped(metrics); err != nil {
			return nil, err
		}
	}
	deps.Keeper = &access.Keeper{Box: seal.Own{Box: a.box}, Now: time.Now, Rows: a.Store, Last: sessions.LastPerson}
	desk.Keeper = deps.Keeper
	origin := s.factors.Party.Origin()
	deps.SecondFactors = handlers.SecondFactors{
		Ask:      &access.Second{Factors: s.factors, Sessions: sessions, Keeper: deps.Keeper, PasskeyOrigin: origin, Strip: desk.Strip},
		Security: &web.Security{Desk: desk, Factors: s.factors, Prove: sessions.Prove, PasskeyOrigin: origin},
		Demand:   &web.Demand{Desk: desk, Demands: s.factors},
	}
	deps.Clients = &web.Clients{Desk: desk, Service: s.clients, Events: a.Store, Replays: a.Store}
	rooms := web.NewRooms(desk, s.purchases, s.clients, s.billing, a.Store).Subscribe(s.subscriptions)
	rooms.Live.Watch = watch
	deps.Rooms(rooms)
	deps.WebhookPages(desk, s.webhooks)
	deps.Batches = &web.Batches{Desk: desk, Service: s.batches, Replays: a.Store}
	deps.Home.Latest = deps.Batches.Latest
	deps.FindBatches(s.batches.Get)
	deps.Approve(&web.Approvals{Desk: desk, Service: s.approvals})
	deps.Audit = &web.Audit{Desk: desk, Book: &audit.Book{Read: a.Store}, Keeper: s.audit, Exports: rooms.Purchases.Exports}
	desk.Alarms = s.audit.Alarms
	deps.Settings = &web.Settings{Desk: desk, Brands: s.merchants, People: a.Store.PeopleOf,
		Rules: web.Rules{Calendar: s.purchases.Calendar, Timetable: s.purchases.Timetable, Window: s.purchases.Window}}
	deps.API.Methods, deps.API.Accounts = &api.Methods{Base: base, Brands: a.Store}, &api.Accounts{Service: s.money}
	deps.API.Statements = &api.Statements{Base: base, Service: s.statements}
	deps.Reports = &web.Reports{Desk: desk, Money: s.money, Statements: s.statements, Brands: a.Store, Replays: a.Store}
	if s.simulations != nil {
		deps.Simulator = &web.Simulator{Desk: desk, Service: s.simulations, Room: s.sandbox, Calendar: s.purchases.Calendar, Accounts: bankdesk.Catalogue, Merchants: a.Store, Replays: a.Store}
	}
	if s.sandbox != nil {
		deps.Room = &sandbox.Room{Desk: s.sandbox, Mails: a.Store, Files: s.billing.File, Page: desk.Show}
	}
	return handlers.New(deps)
}

// writesEvery is how often the database is asked to write, however often we are asked.
const writesEvery = 2 * time.Second

// lately gives the answer of the last check again while it is that fresh.
func lately(every time.Duration, check func(context.Context) error) func(context.Context) error {
	var (
		turn sync.Mutex
		at   time.Time
		last error
	)
	return func(ctx context.Context) error {
		turn.Lock()
		defer turn.Unlock()
		if time.Since(at) >= every {
			last, at = check(ctx), time.Now()
		}
		return last
	}
}

// ready is what must be fine before requests may come. What the database has beyond
// this program is fine: a release after this one may be on its way in.
func (a *App) ready() []handlers.Check {
	return []handlers.Check{
		{Name: "database", Words: "unreachable", Run: a.Store.Pool.Ping},
		{Name: "migrations", Words: "unknown", Run: func(ctx context.Context) error {
			steps, behind, err := migrations.Status(ctx, a.Store.Pool.Pool)
			if err == nil && behind {
				err = handlers.Lacking(missingSteps(steps))
			}
			return err
		}},
		{Name: "writes", Words: "refused", Run: lately(writesEvery, a.Store.Writable)},
		{Name: "keys", Words: "unusable", Run: func(context.Context) error {
			_, err := a.Keys.Box()
			return err
		}},
	}
}
