// Package handlers knows every address of the product and what stands before
// it: who may call, how large a body may be, how errors are answered. It must
// not know rules.
package handlers

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"

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

type edge struct {
	Deps
	echo                 *echo.Echo
	calls, failures      *limiters
	atEntrance, atPayers *limiters
}

// New builds the whole HTTP side of the product.
func New(d Deps) (*echo.Echo, error) {
	if d.Log == nil {
		d.Log = slog.Default()
	}
	if d.Metrics == nil {
		d.Metrics = prometheus.NewRegistry()
	}
	counted, err := newMetrics(d.Metrics)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	e := &edge{Deps: d, echo: echo.New(), calls: newLimiters(d.Limits.Calls, d.Limits.Now), failures: newLimiters(d.Limits.Failures, d.Limits.Now),
		atEntrance: newLimiters(d.Limits.Entrance, d.Limits.Now), atPayers: newLimiters(d.Limits.Payers, d.Limits.Now)}
	e.echo.HideBanner, e.echo.HidePort = true, true
	e.echo.HTTPErrorHandler = e.answerError
	// The address of the caller is the peer's, unless a proxy on this machine, or one that is named, names it.
	trusted := []echo.TrustOption{echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range d.Proxies {
		trusted = append(trusted, echo.TrustIPRange(network))
	}
	e.echo.IPExtractor = echo.ExtractIPFromXFFHeader(trusted...)
	e.echo.Pre(requestID, secureHeaders(strings.HasPrefix(d.BaseURL, "https://")), accessLog(d.Log, counted), survive, cleanPath, e.atDoors)
	e.echo.Use(offering)
	e.routes()
	if err := unnamed(e.echo.Routes()); err != nil {
		return nil, err
	}
	return e.echo, nil
}

// stack is the middleware before an address, outermost first.
type stack []echo.MiddlewareFunc

// routes is every address of the product, written without a slash at the end;
// both forms are served.
func (e *edge) routes() {
	e.open()
	e.entrance()
	e.own()
	e.factors()
	e.hosted()
	e.desk()
	e.debits()
	e.batches()
	e.auditing()
	e.approving()
	e.members()
	e.settings()
	e.templateRooms()
	e.jsonAPI()
	e.webhookAPI()
	e.webhookPages()
	e.templates()
	e.figures()
	e.playground()
	e.simulator()
	e.developerDocs()
}

// open addresses need no proof of who calls.
func (e *edge) open() {
	none := stack{}
	e.at(none, "GET", "/healthz", healthz)
	e.at(none, "GET", "/readyz", e.readyz)
	e.at(none, "GET", "/metrics", e.metricsPage)
}

// programs is what stands before the JSON API.
func (e *edge) programs(bodyBytes int64) stack {
	return append(stack{within(apiTime)}, e.unhurried(bodyBytes)...)
}

// unhurried is the same for what may take as long as it needs, such as a clock that is
// moved over many debits.
func (e *edge) unhurried(bodyBytes int64) stack {
	return append(e.callers(bodyBytes), api.DryRun, api.Idempotent(e.Replays, e.Sandbox))
}

// callers is the part of it that looks at who calls.
func (e *edge) callers(bodyBytes int64) stack {
	return stack{e.logged, limitBody(bodyBytes), e.failures.guarded, access.RequireAPI(e.proofs()...), e.calls.throttled, permitted}
}

// proofs are the ways to show who calls: a program's credential, a person's session.
func (e *edge) proofs() (proofs []access.Authenticator) {
	for _, a := range []access.Authenticator{e.Bearer, e.Session} {
		if a != nil {
			proofs = append(proofs, a)
		}
	}
	return proofs
}

// people is what stands before the pages of the dashboard.
func (e *edge) people(bodyBytes int64) stack {
	return stack{limitBody(bodyBytes), sameOrigin(), access.RequirePage(e.Session), permitted}
}

// payers is what stands before the hosted pages, which need no session.
func (e *edge) payers(bodyBytes int64) stack {
	return stack{limitBody(bodyBytes), sameOrigin()}
}

// at adds one address. GET serves HEAD too.
func (e *edge) at(s stack, method, path string, h echo.HandlerFunc) {
	e.echo.Add(method, path, h, s...)
	if method == http.MethodGet {
		e.echo.Add(http.MethodHead, path, h, s...)
	}
}

// api adds an address of the JSON API below /api/v1.
func (e *edge) api(s stack, method, path string, h echo.HandlerFunc) {
	e.at(s, method, "/api/v1"+path, h)
}

// apiAndRoot adds one that the source document also writes without the prefix.
func (e *edge) apiAndRoot(s stack, method, path string, h echo.HandlerFunc) {
	e.api(s, method, path, h)
	e.at(s, method, path, h)
}
