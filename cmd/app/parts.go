package app

import (
	"context"
	"time"

	"debitdesk/handlers"
	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/openapi"
	"debitdesk/handlers/sandbox"
	"debitdesk/handlers/web"
	"debitdesk/models/audit"
	bankdesk "debitdesk/models/bank/sandbox"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/requestlog"
	"debitdesk/models/store"
	"debitdesk/models/store/seal"
	"debitdesk/models/token"
)

// HTTP is what the HTTP side needs beside the use cases.
type HTTP struct {
	Store    *store.Store
	Box      *seal.Box
	Sessions *access.Sessions
	Watch    web.Watcher // tells which mandates have changed
	BaseURL  string      // public address, without a slash at the end
	Sandbox  bool
	Now      func() time.Time // real time
}

// Parts are the pages and resources over the use cases. What depends on how the process
// is run is for the caller to add: logs, metrics, limits, checks.
func (s Services) Parts(o HTTP) (handlers.Deps, error) {
	db, base, origin := o.Store, api.Base(o.BaseURL), s.Factors.Party.Origin()
	document, err := openapi.Read(o.BaseURL)
	if err != nil {
		return handlers.Deps{}, err
	}
	reports := &report.Service{Read: db, Now: db.Now, Calendar: s.Purchases.Calendar, Timetable: s.Purchases.Timetable}
	keeper := &access.Keeper{Box: seal.Own{Box: o.Box}, Now: o.Now, Rows: db, Last: o.Sessions.LastPerson}
	desk := &web.Desk{Now: db.Now, Sandbox: o.Sandbox, BaseURL: o.BaseURL, Keeper: keeper,
		Attention: reports.AttentionCount, Failing: s.Webhooks.Failing, Alarms: s.Audit.Alarms}
	d := handlers.Deps{
		BaseURL: o.BaseURL, Sandbox: o.Sandbox, Replays: db,
		Bearer: access.Bearer(s.Credentials), Session: o.Sessions.Authenticate, OAuth: s.Credentials,
		ErrorPage: desk.ErrorPage, Keeper: keeper,
		API: handlers.API{
			Clients:    &api.Clients{Base: base, Service: s.Clients},
			Purchases:  &api.Purchases{Base: base, Service: s.Purchases},
			Tokens:     &api.Tokens{Base: base, Service: s.Purchases},
			Billing:    &api.Billing{Service: s.Billing},
			Webhooks:   &api.Webhooks{Base: base, Service: s.Webhooks},
			Templates:  &api.Templates{Base: base, Service: s.Subscriptions},
			Methods:    &api.Methods{Base: base, Brands: db},
			Accounts:   &api.Accounts{Service: s.Money},
			Statements: &api.Statements{Base: base, Service: s.Statements},
		},
		Login:      &access.Login{People: s.Users, Sessions: o.Sessions, Strip: desk.Strip},
		Invitation: &access.Invitation{Members: s.Members, Sessions: o.Sessions, Strip: desk.Strip},
		Reset:      &access.Reset{People: s.Users, Sessions: o.Sessions, Strip: desk.Strip},
		SecondFactors: handlers.SecondFactors{
			Ask:      &access.Second{Factors: s.Factors, Sessions: o.Sessions, Keeper: keeper, PasskeyOrigin: origin, Strip: desk.Strip},
			Security: &web.Security{Desk: desk, Factors: s.Factors, Prove: o.Sessions.Prove, PasskeyOrigin: origin},
			Demand:   &web.Demand{Desk: desk, Demands: s.Factors},
		},
		Payers: &checkout.Pages{Purchases: s.Purchases, Billing: s.Billing, Subscriptions: s.Subscriptions, Sandbox: o.Sandbox, BaseURL: o.BaseURL},
	}
	s.desk(&d, desk, reports, o)
	s.settings(&d, desk, document, o)
	return d, nil
}

// desk adds the pages that staff work with.
func (s Services) desk(d *handlers.Deps, desk *web.Desk, reports *report.Service, o HTTP) {
	db := o.Store
	register, proofs := &token.Service{Read: db}, &mandate.Service{Read: db, Lists: db}
	exports := &web.Exports{Desk: desk, Audit: &audit.Exports{InTx: func(ctx context.Context, fn func(audit.Log) error) error {
		return s.Purchases.InTx(ctx, func(tx purchase.Tx) error { return fn(tx) })
	}}}
	d.Batches = &web.Batches{Desk: desk, Service: s.Batches, Approvals: s.Approvals, Replays: db}
	d.Home = &web.Home{Desk: desk, Reports: reports, Approvals: s.Approvals, Latest: d.Batches.Latest}
	d.Live = &web.Live{Desk: desk, Sheet: proofs.Show, AskAgain: s.Purchases.AskAgain, Limits: s.Purchases.Limits, Window: s.Purchases.Window, Watch: o.Watch}
	d.Purchases = &web.Purchases{Desk: desk, Service: s.Purchases, Clients: s.Clients, Tokens: register, Billing: s.Billing, Mails: db,
		Events: db, Replays: db, Exports: exports, Batch: s.Batches.Get, Subscriptions: s.Subscriptions}
	d.Invoices = &web.Invoices{Desk: desk, Service: s.Billing, Exports: exports, Batch: s.Batches.Get}
	d.Tokens = &web.Tokens{Desk: desk, Register: register, Mandates: proofs, Purchases: s.Purchases, Exports: exports, Approvals: s.Approvals}
	d.Mandates = &web.Mandates{Desk: desk, Service: proofs, Tokens: register, Purchases: s.Purchases, Events: db, LivePanel: d.Live.Panel, Exports: exports}
	d.SetUp = &web.MandateForms{Desk: desk, Purchases: s.Purchases, Clients: s.Clients, Replays: db}
	d.Accounts = &web.Accounts{Desk: desk, Purchases: s.Purchases, Clients: s.Clients, Replays: db}
	d.Amendments = &web.Amendments{Desk: desk, Purchases: s.Purchases, Register: register, Mandates: proofs, Replays: db, LivePanel: d.Live.Panel}
	d.Templates = &web.Templates{Desk: desk, Service: s.Subscriptions, Purchases: d.Purchases, Exports: exports, Match: db.MatchClients}
	d.Clients = &web.Clients{Desk: desk, Service: s.Clients, Events: db, Replays: db, Exports: exports, Impact: d.Tokens.ClientImpact,
		Panels: []web.ClientPanel{d.Tokens.TokensPanel, d.Tokens.PurchasesPanel, d.Templates.Panel}}
	d.Approvals = &web.Approvals{Desk: desk, Service: s.Approvals}
	d.Reports = &web.Reports{Desk: desk, Money: s.Money, Statements: s.Statements, Brands: db, Replays: db}
	d.Events = &web.Events{Desk: desk, Service: s.Webhooks, Exports: exports}
	d.Audit = &web.Audit{Desk: desk, Book: &audit.Book{Read: db}, Keeper: s.Audit, Exports: exports}
}

// settings adds the pages on which a business says how it works, and those of developers.
func (s Services) settings(d *handlers.Deps, desk *web.Desk, document *openapi.Document, o HTTP) {
	db := o.Store
	d.Account = &web.Account{Desk: desk, Self: s.Users, Sessions: o.Sessions}
	d.People = &web.People{Desk: desk, Members: s.Members, Now: o.Now}
	d.Settings = &web.Settings{Desk: desk, Brands: s.Merchants, People: db.PeopleOf,
		Rules: web.Rules{Calendar: s.Purchases.Calendar, Timetable: s.Purchases.Timetable, Window: s.Purchases.Window}}
	d.Developers = &web.Developers{Desk: desk, Credentials: s.Credentials}
	d.Requests = &web.Requests{Desk: desk, Log: &requestlog.Service{Read: db}, Credentials: s.Credentials}
	d.Reference = &web.Reference{Desk: desk, Document: document}
	d.Webhooks = &web.Webhooks{Desk: desk, Service: s.Webhooks}
	if o.Sandbox {
		d.Simulator = &web.Simulator{Desk: desk, Service: s.Simulations, Room: s.Sandbox, Calendar: s.Purchases.Calendar,
			Accounts: bankdesk.Catalogue, Merchants: db, Replays: db}
		d.Room = &sandbox.Room{Desk: s.Sandbox, Mails: db, Files: s.Billing.File, Page: desk.Show}
	}
	d.Settings.Opens = handlers.Routes(*d).Opens()
}
