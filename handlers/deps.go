package handlers

import (
	"log/slog"
	"net"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/sandbox"
	"debitdesk/handlers/web"
	"debitdesk/models/requestlog"
	"debitdesk/views/pages"
)

// Deps is what the addresses need. A nil resource has no addresses yet.
type Deps struct {
	BaseURL      string // public address, without a slash at the end
	Sandbox      bool   // test merchants and test money only
	Log          *slog.Logger
	Metrics      *prometheus.Registry
	OpsElsewhere bool // metrics are served on an address of their own
	Ready        []Check
	Draining     func() bool      // the process is about to end; nil: never
	Away         func(error) bool // an error that means: the database is not there now, come back later
	Replays      api.Replays
	RequestLog   func(requestlog.Entry) // nil: nothing is kept
	Limits       Limits
	Proxies      []*net.IPNet         // whose word about the caller's address counts, beside this machine's
	Bearer       access.Authenticator // programs
	Session      access.Authenticator // people
	ErrorPage    func(echo.Context, pages.ErrorView) templ.Component
	API          API
	Login        *access.Login
	OAuth        access.Exchanger
	Developers   *web.Developers
	Reference    *web.Reference
	Requests     *web.Requests
	Account      *web.Account
	Payers       *checkout.Pages
	Clients      *web.Clients
	Purchases    *web.Purchases
	Room         *sandbox.Room // sandbox mode alone
	Tokens       *web.Tokens
	Mandates     *web.Mandates
	Accounts     *web.Accounts
	Amendments   *web.Amendments
	SetUp        *web.MandateForms
	Home         *web.Home
	Batches      *web.Batches
	Templates    *web.Templates
	Invoices     *web.Invoices
	Live         *web.Live
	Audit        *web.Audit
	Approvals    *web.Approvals
	People       *web.People
	Invitation   *access.Invitation
	Reset        *access.Reset
	Settings     *web.Settings

	SecondFactors SecondFactors
	Keeper        *access.Keeper // forms that wait while a second factor is asked for again
	Reports       *web.Reports
	Simulator     *web.Simulator // sandbox mode alone
	Webhooks      *web.Webhooks
	Events        *web.Events
}

// API holds the resources of the JSON API.
type API struct {
	Clients   *api.Clients
	Purchases *api.Purchases
	Tokens    *api.Tokens
	Billing   *api.Billing
	Webhooks  *api.Webhooks
	Templates *api.Templates

	Methods    *api.Methods
	Accounts   *api.Accounts
	Statements *api.Statements
}

// SecondFactors are the pages about second factors. A nil one has no addresses.
type SecondFactors struct {
	Ask      *access.Second
	Security *web.Security
	Demand   *web.Demand
}

// Rooms gives the addresses the pages about debits, and the clients' pages what
// belongs beside a client.
func (d *Deps) Rooms(r web.Rooms) {
	d.Home, d.Purchases, d.Tokens, d.Accounts = r.Home, r.Purchases, r.Tokens, r.Accounts
	d.Mandates, d.Live, d.SetUp = r.Mandates, r.Live, r.SetUp
	d.Amendments = r.Amendments
	d.Invoices = r.Invoices
	if r.Templates.Service != nil {
		d.Templates = r.Templates
	}
	if d.Clients != nil {
		r.Beside(d.Clients)
	}
}

// FindBatches lets the lists of invoices and purchases be narrowed to a batch.
func (d *Deps) FindBatches(find web.FindBatch) {
	if d.Invoices != nil {
		d.Invoices.Batch = find
	}
	if d.Purchases != nil {
		d.Purchases.Batch = find
	}
}

// Approve gives the pages the requests for a second person.
func (d *Deps) Approve(a *web.Approvals) {
	d.Approvals = a
	if d.Tokens != nil {
		d.Tokens.Approvals = a.Service
	}
	if d.Home != nil {
		d.Home.Approvals = a.Service
	}
	if d.Batches != nil {
		d.Batches.Approvals = a.Service
		d.Batches.Service.Requests = a.Service
	}
}

// WebhookPages gives the pages about events and webhooks their addresses, and the
// desk what fails. The pages about debits stand already.
func (d *Deps) WebhookPages(desk *web.Desk, service web.WebhookDesk) {
	d.Webhooks = &web.Webhooks{Desk: desk, Service: service}
	d.Events = &web.Events{Desk: desk, Service: service, Exports: d.Purchases.Exports}
	desk.Failing = service.Failing
}
