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
	"debitdesk/models/credential"
	"debitdesk/models/requestlog"
	"debitdesk/views/pages"
)

// Deps is what the addresses need. Every part is there; in live mode those of the
// sandbox are not.
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
	OAuth        *credential.Service
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

// SecondFactors are the pages about second factors.
type SecondFactors struct {
	Ask      *access.Second
	Security *web.Security
	Demand   *web.Demand
}
