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
	"debitdesk/handlers/my"
	"debitdesk/handlers/simulator"
	"debitdesk/handlers/web/approvals"
	"debitdesk/handlers/web/bankfiles"
	"debitdesk/handlers/web/batches"
	"debitdesk/handlers/web/books"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/clientpages"
	"debitdesk/handlers/web/clients"
	"debitdesk/handlers/web/developers"
	"debitdesk/handlers/web/find"
	"debitdesk/handlers/web/followups"
	"debitdesk/handlers/web/home"
	"debitdesk/handlers/web/imports"
	"debitdesk/handlers/web/invoices"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/lists"
	"debitdesk/handlers/web/mandates"
	"debitdesk/handlers/web/messages"
	"debitdesk/handlers/web/planner"
	"debitdesk/handlers/web/plans"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/reports"
	"debitdesk/handlers/web/settings"
	"debitdesk/handlers/web/tasks"
	"debitdesk/handlers/web/templates"
	"debitdesk/handlers/web/texts"
	"debitdesk/handlers/web/tokens"
	"debitdesk/handlers/web/wordings"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/requestlog"
	"debitdesk/views/pages"
)

// Deps is what the addresses need. Every part is there; in live mode those of the
// sandbox are not, and without a bank that takes files those about them.
type Deps struct {
	BaseURL string // public address, without a slash at the end
	Sandbox bool   // test merchants and test money only

	SecurityContact string // who hears of faults, as a URI; empty: there is no security.txt

	Log          *slog.Logger
	Metrics      *prometheus.Registry
	OpsElsewhere bool // metrics are served on an address of their own
	Ready        []Check
	Draining     func() bool      // the process is about to end; nil: never
	Unavailable  func(error) bool // an error that means: the database is not there now, come back later
	Standby      Standby          // answers reports, exports and searches; nil: there is none
	Replays      database.Answers
	RequestLog   func(requestlog.Entry) // nil: nothing is kept
	Limits       Limits
	Proxies      []*net.IPNet         // whose word about the caller's address counts, beside this machine's
	Bearer       access.Authenticator // programs
	Session      access.Authenticator // people
	ErrorPage    func(echo.Context, pages.ErrorView) templ.Component
	API          API
	Login        *access.Login
	Issuers      *access.Issuers // sign-in by OpenID Connect
	OAuth        *credential.Service
	Developers   *developers.Developers
	Reference    *developers.Reference
	Requests     *developers.Requests
	Account      *settings.Account
	Payers       *checkout.Pages
	My           *my.Pages // clients’ own pages
	Clients      *clients.Clients
	ClientPages  *clientpages.Pages // the desk’s side of clients’ own pages
	Texts        *texts.Texts
	Messages     *messages.Messages
	Wordings     *wordings.Wordings
	Purchases    *purchases.Purchases
	Controls     *simulator.Controls // sandbox mode alone
	Tokens       *tokens.Tokens
	Mandates     *mandates.Mandates
	Accounts     *mandates.Accounts
	Amendments   *mandates.Amendments
	SetUp        *mandates.MandateForms
	Home         *home.Home
	Followups    *followups.Followups
	Find         *find.Find
	Batches      *batches.Batches
	Imports      *imports.Imports
	BankFiles    *bankfiles.Pages // nil without a bank that takes files
	Templates    *templates.Templates
	Invoices     *invoices.Invoices
	Live         *mandates.Live
	Audit        *settings.Audit
	Approvals    *approvals.Approvals
	People       *settings.People
	SignOn       *settings.Issuers // which issuers a business accepts
	Invitation   *access.Invitation
	Reset        *access.Reset
	First        *access.First // of an installation without users
	Settings     *settings.Settings

	SecondFactors SecondFactors
	KeptForms     *access.KeptForms // forms that wait while a second factor is asked for again
	Reports       *reports.Reports
	Books         *books.Books
	Plans         *plans.Plans
	Tasks         *tasks.Tasks
	Planner       *planner.Planner
	Selections    *kit.Selections
	Bulk          *bulk.Bulk
	Lists         *lists.Lists
	Simulator     *simulator.Simulator // sandbox mode alone
	Webhooks      *developers.Webhooks
	Events        *developers.Events
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
	Security *settings.Security
	Demand   *kit.Demand
}
