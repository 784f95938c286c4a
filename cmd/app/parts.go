package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers"
	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/my"
	"debitdesk/handlers/openapi"
	"debitdesk/handlers/simulator"
	"debitdesk/handlers/web/approvals"
	"debitdesk/handlers/web/bankfiles"
	"debitdesk/handlers/web/batches"
	"debitdesk/handlers/web/books"
	"debitdesk/handlers/web/clientpages"
	"debitdesk/handlers/web/clients"
	"debitdesk/handlers/web/developers"
	findpages "debitdesk/handlers/web/find"
	"debitdesk/handlers/web/followups"
	"debitdesk/handlers/web/home"
	"debitdesk/handlers/web/imports"
	"debitdesk/handlers/web/invoices"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/lists"
	"debitdesk/handlers/web/mandates"
	"debitdesk/handlers/web/messages"
	plannerpages "debitdesk/handlers/web/planner"
	planpages "debitdesk/handlers/web/plans"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/reports"
	"debitdesk/handlers/web/settings"
	"debitdesk/handlers/web/tasks"
	"debitdesk/handlers/web/templates"
	"debitdesk/handlers/web/texts"
	"debitdesk/handlers/web/tokens"
	"debitdesk/handlers/web/wordings"
	"debitdesk/models/audit"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank/exchange"
	bankdesk "debitdesk/models/bank/sandbox"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/facet"
	"debitdesk/models/find"
	"debitdesk/models/holiday"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/mandate"
	"debitdesk/models/member"
	"debitdesk/models/merging"
	"debitdesk/models/message"
	"debitdesk/models/paging"
	"debitdesk/models/requestlog"
	"debitdesk/models/token"
)

// HTTP is what the HTTP side needs beside the use cases.
type HTTP struct {
	Store    *database.DB
	Box      *seal.Box
	Sessions *access.Sessions
	Watch    *mandate.Watch // tells which mandates have changed
	BaseURL  string         // public address, without a slash at the end
	Sandbox  bool
	Now      func() time.Time // real time
	Log      *slog.Logger     // nil: nothing is logged
}

// Parts are the pages and resources over the use cases. What depends on how the process
// is run is for the caller to add: logs, metrics, limits, checks.
func (s Services) Parts(o HTTP) (handlers.Deps, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db, base, origin := o.Store, api.Base(o.BaseURL), s.Factors.Party.Origin()
	document, err := openapi.Read(o.BaseURL)
	if err != nil {
		return handlers.Deps{}, err
	}
	forms := &access.KeptForms{Box: seal.Own{Box: o.Box}, Now: o.Now, Rows: s.Users.Store, Last: o.Sessions.LastPerson}
	desk := &kit.Desk{Now: db.Now, Sandbox: o.Sandbox, BaseURL: o.BaseURL, KeptForms: forms,
		Replays: database.Answers{DB: db}, OtherBank: s.otherBank(), Attention: s.Attention.Count,
		Failing: s.Webhooks.Failing, Alarms: s.Audit.Alarms}
	if db.Standby != nil {
		desk.AsOf = database.AsOf
	}
	second := &access.Second{Factors: s.Factors, Sessions: o.Sessions, KeptForms: forms, PasskeyOrigin: origin,
		Banner: desk.Banner, Issuers: s.Issuers}
	signIn := &access.Issuers{Service: s.Issuers, Sessions: o.Sessions, Second: second, Box: forms.Box,
		Banner: desk.Banner, Log: o.Log}
	d := handlers.Deps{
		BaseURL: o.BaseURL, Sandbox: o.Sandbox, Replays: desk.Replays,
		Bearer: access.Bearer(s.Credentials), Session: o.Sessions.Authenticate, OAuth: s.Credentials,
		ErrorPage: desk.ErrorPage, KeptForms: forms,
		API: handlers.API{
			Clients:    &api.Clients{Base: base, Service: s.Clients},
			Purchases:  &api.Purchases{Base: base, Service: s.Purchases, Deletions: s.Deletions},
			Tokens:     &api.Tokens{Base: base, Service: s.Purchases, Deletions: s.Deletions},
			Billing:    &api.Billing{Service: s.Billing},
			Webhooks:   &api.Webhooks{Base: base, Service: s.Webhooks},
			Templates:  &api.Templates{Base: base, Service: s.Subscriptions},
			Methods:    &api.Methods{Base: base, Brands: s.Merchants.Store, Bank: s.Capabilities},
			Accounts:   &api.Accounts{Service: s.Money},
			Statements: &api.Statements{Base: base, Service: s.Statements},
		},
		Login:      &access.Login{Issuers: signIn, People: s.Users, Sessions: o.Sessions, Banner: desk.Banner},
		Issuers:    signIn,
		Invitation: &access.Invitation{Members: s.Members, People: s.Users, Sessions: o.Sessions, Banner: desk.Banner},
		Reset:      &access.Reset{People: s.Users, Sessions: o.Sessions, Banner: desk.Banner},
		First:      &access.First{Installation: s.Installation, Sessions: o.Sessions, Banner: desk.Banner},
		SecondFactors: handlers.SecondFactors{
			Ask:      second,
			Security: &settings.Security{Desk: desk, Factors: s.Factors, Prove: o.Sessions.Prove, PasskeyOrigin: origin},
			Demand:   &kit.Demand{Desk: desk, Demands: s.Factors},
		},
		Payers: &checkout.Pages{Purchases: s.Purchases, Billing: s.Billing, Subscriptions: s.Subscriptions,
			Sandbox: o.Sandbox, OtherBank: s.otherBank(), BaseURL: o.BaseURL},
	}
	d.My = &my.Pages{Service: s.ClientPages, Payers: d.Payers, Money: s.Money, Billing: s.Billing,
		Mandates: mandate.Store{DB: db}, Draw: s.Billing.Mandate, Statements: s.Accounts}
	s.desk(&d, desk, o)
	s.settings(&d, desk, document, o)
	return d, nil
}

// otherBank tells that in the sandbox another than the sandbox bank collects.
func (s Services) otherBank() bool { return s.Controls != nil && !s.Controls.Forces() }

// desk adds the pages that staff work with.
func (s Services) desk(d *handlers.Deps, desk *kit.Desk, o HTTP) {
	db, events := o.Store, trail.Store{DB: o.Store}
	register, proofs := &token.Service{Store: token.Store{DB: db}}, &mandate.Service{Store: mandate.Store{DB: db}}
	exports := &kit.Exports{Desk: desk, Audit: &audit.Exports{InTx: func(ctx context.Context,
		fn func(audit.Log) error) error {
		return db.InTx(ctx, func(tx *database.Tx) error { return fn(tx) })
	}}}
	exports.Tasks = s.Tasks
	d.Batches = &batches.Batches{Desk: desk, Service: s.Batches, Brands: s.Merchants.Store.Brands,
		Approvals: s.Approvals, Money: s.Money,
		Clients: func() kit.Rows[client.Client] { return d.Clients.Rows() }}
	d.Imports = &imports.Imports{Desk: desk, Service: s.Imports, Tasks: s.Tasks, Approvals: s.Approvals,
		Brands: s.Merchants.Store.Brands}
	d.Home = &home.Home{Desk: desk, Reports: s.Figures, Queue: s.Attention, Approvals: s.Approvals,
		Latest:    d.Batches.Latest,
		Deletions: s.Deletions.DeletionsWaiting,
		Followups: s.Followups, Members: member.Store{DB: db}.Members}
	d.Live = &mandates.Live{Desk: desk, Sheet: proofs.Show, AskAgain: s.Purchases.AskAgain, Limits: s.Purchases.Limits,
		Window: s.Purchases.Window, Bank: s.Capabilities, Watch: o.Watch, Lives: o.Sessions.Lives}
	d.Purchases = &purchases.Purchases{Desk: desk, Service: s.Purchases, Clients: s.Clients, Tokens: register,
		Billing: s.Billing, Mails: s.Outbox.Store,
		Events: events, Exports: exports, Batch: s.Batches.Get, Subscriptions: s.Subscriptions,
		Selections: s.Selections, Risk: s.Analysis.Risk, Standing: s.Journal.Standing}
	d.Home.Purchases = d.Purchases
	d.Followups = &followups.Followups{Desk: desk, Service: s.Followups, Exports: exports,
		Members: member.Store{DB: db}.Members}
	d.Purchases.Notes = d.Followups.Panel
	d.Invoices = &invoices.Invoices{Desk: desk, Service: s.Billing, Exports: exports, Batch: s.Batches.Get}
	d.Tokens = &tokens.Tokens{Desk: desk, Register: register, Mandates: proofs, Purchases: s.Purchases, Exports: exports,
		Deletions: s.Deletions, Amendments: s.Amendments,
		Approvals: s.Approvals, Selections: s.Selections, Notes: d.Followups.Panel,
		Clients: s.Clients}
	d.Mandates = &mandates.Mandates{Desk: desk, Service: proofs, Tokens: register, Purchases: s.Purchases, Events: events,
		Audit: s.Audit, Mails: outbox.Store{DB: db}, LivePanel: d.Live.Panel, Exports: exports, Notes: d.Followups.Panel,
		Selections: s.Selections, Clients: s.Clients}
	d.SetUp = &mandates.MandateForms{Desk: desk, Purchases: s.Purchases, Clients: s.Clients,
		PayDay: s.Analysis.PayDay}
	d.Accounts = &mandates.Accounts{Desk: desk, Purchases: s.Purchases, Clients: s.Clients}
	d.Amendments = &mandates.Amendments{Desk: desk, Service: s.Amendments, Purchases: s.Purchases, Register: register,
		Mandates: proofs, LivePanel: d.Live.PanelOfChange}
	d.Templates = &templates.Templates{Desk: desk, Service: s.Subscriptions, Purchases: d.Purchases, Exports: exports,
		Match: s.Clients.Store.Matching, Selections: s.Selections, Tasks: s.Tasks, Approvals: s.Approvals}
	d.Clients = &clients.Clients{Desk: desk, Service: s.Clients, Events: events, Exports: exports, Reports: s.Figures,
		Tokens: func(ctx context.Context, merchantID, clientID uuid.UUID) (int, error) {
			live, err := token.Store{DB: db}.TokenPage(ctx, merchantID, clientID, paging.Ask{Limit: 1})
			return len(live), err
		},
		Money: s.Money, Impact: d.Tokens.ClientImpact, Selections: s.Selections, Notes: d.Followups.Panel,
		ImportOf: s.Imports.Store.ImportOf, Outlooks: s.Purchases.Outlooks, Turns: s.Subscriptions.PlannedOf,
		Purchases: s.Purchases, Stops: s.Stops, Approvals: s.Approvals, PayDay: s.Analysis.PayDay,
		Merging:    &merging.Service{Store: merging.Store{DB: db}, Clients: s.Clients, Now: db.Now},
		Statements: s.Accounts,
		Panels:     []clients.ClientPanel{d.Tokens.TokensPanel, d.Tokens.PurchasesPanel, d.Templates.Panel}}
	d.ClientPages = &clientpages.Pages{Desk: desk, Service: s.ClientPages, Clients: s.Clients}
	d.Texts = &texts.Texts{Desk: desk, Service: s.Texts, Clients: s.Clients}
	d.Clients.Panels = append(d.Clients.Panels, d.Texts.ClientPanel)
	d.Messages = &messages.Messages{Desk: desk, Exports: exports, Service: &message.Service{
		Store: message.Store{DB: db}, Mails: s.Outbox.Store}}
	d.Wordings = &wordings.Wordings{Desk: desk, Service: s.Wording, Brands: s.Merchants.Store,
		Writer: s.Letters, Notices: s.Notices}
	d.Approvals = &approvals.Approvals{Desk: desk, Service: s.Approvals}
	if files, is := s.Exchange.(*exchange.Service); is { // the bank takes files
		d.BankFiles = &bankfiles.Pages{Desk: desk, Exchange: files, Exports: exports,
			Payments: s.EFT(), Approvals: s.Approvals}
		s.Approvals.MatchEFT = d.BankFiles.Payments.SetRuleIn
		desk.BankFiles, d.Home.Bank, d.Home.Probable = true, files.Concerns, d.BankFiles.Probable
	}
	d.Books = &books.Books{Desk: desk, Journal: s.Journal, Purchases: s.Purchases, Brands: s.Merchants.Store,
		Tasks: s.Tasks, Exports: exports}
	d.Plans = &planpages.Plans{Desk: desk, Service: s.Plans, Purchases: s.Purchases, Brands: s.Merchants.Store,
		Templates: s.Subscriptions.Store}
	d.Purchases.Plan = d.Plans.Panel
	d.Clients.Panels = append(d.Clients.Panels, d.Plans.ClientPanel)
	d.Reports = &reports.Reports{Desk: desk, Money: s.Money, Statements: s.Statements, Brands: s.Merchants.Store,
		Exports: exports, Analysis: s.Analysis, Books: s.Journal, Selections: s.Selections, Purchases: s.Purchases,
		Pictures: s.pictures(o.Sandbox), Saved: s.SavedReports, Subscribers: s.Recurring}
	d.Planner = &plannerpages.Planner{Desk: desk, Exports: exports, Subscriptions: s.Subscriptions,
		Proclaimed: holiday.Store{DB: db}.ProclaimedDays,
		Days:       &holiday.Service{Store: holiday.Store{DB: db}}, Debits: s.Purchases,
		Service: s.Planner}
	d.Events = &developers.Events{Desk: desk, Service: s.Webhooks, Exports: exports}
	d.Audit = &settings.Audit{Desk: desk, Book: &trail.Book{Store: events}, Service: s.Audit, Exports: exports}
	d.Tasks = &tasks.Tasks{Desk: desk, Service: s.Tasks, Exports: exports, Now: o.Now}
	d.Lists = &lists.Lists{Desk: desk, Service: s.Lists, Exports: exports}
	desk.Lists, desk.Facets = s.Lists, &facet.Service{Store: facet.Store{DB: db}}
	exports.Lists, desk.Tasks = exported(d), s.Tasks.Recent
	s.bulk(d, desk, o)
	d.Find = &findpages.Find{Desk: desk, Service: s.Find, Lists: func() []find.Place { return listPlaces(exports.Lists) }}
}

// settings adds the pages on which a business says how it works, and those of developers.
func (s Services) settings(d *handlers.Deps, desk *kit.Desk, document *openapi.Document, o HTTP) {
	db := o.Store
	d.Account = &settings.Account{Desk: desk, Self: s.Users, Sessions: o.Sessions}
	d.SignOn = &settings.Issuers{Desk: desk, Service: s.Issuers, Members: s.Members.Store.Members}
	d.People = &settings.People{Desk: desk, Members: s.Members, Now: o.Now}
	d.Settings = &settings.Settings{Desk: desk, Brands: s.Merchants, Approvals: s.Approvals,
		People: s.Users.Store.PeopleOf,
		Rules:  settings.Rules{Calendar: s.Purchases.Calendar, Timetable: s.Purchases.Timetable, Window: s.Purchases.Window},
		Own:    s.OwnRules, Leaving: s.Leaving}
	d.Developers = &developers.Developers{Desk: desk, Credentials: s.Credentials}
	d.Requests = &developers.Requests{Desk: desk, Log: &requestlog.Service{Store: requestlog.Store{DB: db}},
		Credentials: s.Credentials}
	d.Reference = &developers.Reference{Desk: desk, Document: document}
	d.Webhooks = &developers.Webhooks{Desk: desk, Service: s.Webhooks, Approvals: s.Approvals}
	if o.Sandbox {
		d.Simulator = &simulator.Simulator{Desk: desk, Service: s.Simulations, Controls: s.Controls,
			Calendar: s.Purchases.Calendar,
			Accounts: bankdesk.Catalogue, Merchants: s.Merchants.Store}
		d.Controls = &simulator.Controls{Desk: desk, Controls: s.Controls, Mails: s.Outbox.Store, Texts: s.Texts,
			Files: s.Billing.File}
	}
	d.Settings.Opens = handlers.Routes(*d).Opens()
}
