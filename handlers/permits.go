package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/views/components"
)

// What an address asks for where it is no action of the matrix of roles. None of
// them is in actor.Permissions, so that nothing grants them by mistake.
const (
	anybody   actor.Action = "anybody"     // no proof of who calls
	payerLink actor.Action = "payer"       // the unguessable link is the proof
	oneself   actor.Action = "own account" // whoever is signed in, for their own things
)

// Permit is what one part of the product asks of who calls it.
type Permit struct {
	Action actor.Action
	Opens  string   // in words, for the settings
	Routes []string // method and pattern, as the router has them
}

// Permits is the one table of addresses and the actions they ask for. The router
// refuses to start with an address that is not in it; the test walks it with every
// role and scope; the settings show it. GET stands for HEAD too.
var Permits = []Permit{
	{anybody, "Health, files, sign-in, the description of the API", []string{
		"GET /healthz", "GET /readyz", "GET /metrics", "GET /static/*", "GET /login", "POST /login", "POST /logout", "POST /oauth/token",
		"GET /openapi.json", "GET /developers/api", "GET /invite/:token", "POST /invite/:token", "GET /reset", "POST /reset", "GET /reset/:token", "POST /reset/:token",
		"GET /login/factor", "POST /login/factor"}},
	{payerLink, "The payer's own pages", []string{
		"GET /p/:id", "POST /p/:id", "GET /p/:id/invoice", "GET /p/:id/invoice.pdf", "GET /p/:id/subscription", "POST /p/:id/subscription"}},
	{oneself, "One's own account and sessions", []string{
		"GET /account", "POST /account/theme", "POST /account/sessions/:handle/end", "POST /account/sessions/others/end", "POST /account/password", "POST /account/business",
		"GET /account/form", "GET /account/proof", "POST /account/proof", "GET /account/security", "GET /account/security/app", "POST /account/security/app", "POST /account/security/app/confirmation",
		"GET /account/security/app/removal", "POST /account/security/app/removal", "POST /account/security/recovery-codes", "POST /account/security/recovery-codes/file",
		"GET /account/security/passkeys/new", "POST /account/security/passkeys", "GET /account/security/passkeys/:id/removal", "POST /account/security/passkeys/:id/removal"}},

	{actor.Read, "Home and what needs attention", []string{"GET /", "GET /attention"}},
	{actor.Read, "Requests for a second approver: list and details", []string{"GET /approvals", "GET /approvals/:id"}},
	{actor.Write, "Withdraw one's own request for a second approver", []string{"POST /approvals/:id/withdrawal"}},
	{actor.Read, "Clients: list, export and details", []string{
		"GET /clients", "GET /clients/export", "GET /clients/:id", "GET /api/v1/clients", "GET /api/v1/clients/:id"}},
	{actor.Read, "Stored accounts and mandates: list, export, details, documents and evidence", []string{
		"GET /tokens", "GET /tokens/export", "GET /tokens/:id",
		"GET /mandates", "GET /mandates/export", "GET /mandates/:id", "GET /mandates/:id/document.pdf", "GET /mandates/:id/evidence/:file", "GET /mandates/:id/events",
		"GET /amendments/:id", "GET /api/v1/clients/:id/recurring_tokens", "GET /api/v1/clients/:id/recurring_tokens/:token_id"}},
	{actor.Read, "Purchases and invoices: list, export and details", []string{
		"GET /purchases", "GET /purchases/export", "GET /purchases/debits", "GET /purchases/debits/export", "GET /purchases/:id", "GET /purchases/:id/qr", "GET /invoices", "GET /invoices/export",
		"GET /api/v1/purchases", "GET /api/v1/purchases/counts", "GET /api/v1/purchases/:id"}},
	{actor.Read, "Batches: list, progress and results", []string{
		"GET /batches", "GET /batches/template.csv", "GET /batches/:id", "GET /batches/:id/map", "GET /batches/:id/check", "GET /batches/:id/review",
		"GET /batches/:id/run", "GET /batches/:id/result", "GET /batches/:id/result.csv"}},
	{actor.Read, "Templates and subscribers: list, export and details", []string{
		"GET /templates", "GET /templates/:id", "GET /templates/without-account", "GET /templates/without-account/export",
		"GET /templates/:id/subscribers/export",
		"GET /templates/:id/subscribers/:sid",
		"GET /api/v1/billing_templates", "GET /billing_templates", "GET /api/v1/billing_templates/:id", "GET /billing_templates/:id", "GET /api/v1/billing_templates/:id/clients", "GET /billing_templates/:id/clients", "GET /api/v1/billing_templates/:id/clients/:btc_id", "GET /billing_templates/:id/clients/:btc_id", "GET /api/v1/billing_templates/clients/:btc_id", "GET /billing_templates/clients/:btc_id"}},
	{actor.Read, "Reports: balance, turnover and statements; events, and what programs read", []string{
		"GET /reports", "GET /reports/statements/:id/file", "GET /api/v1/company_statements", "GET /api/v1/company_statements/:id", "GET /api/v1/company_statements/:id/file",
		"GET /api/v1/account/json/balance", "GET /api/v1/account/json/turnover", "GET /api/v1/payment_methods", "GET /api/v1/public_key",
		"GET /api/v1/webhooks", "GET /api/v1/webhooks/:id", "GET /api/v1/webhooks/deliveries", "GET /api/v1/webhooks/deliveries/:id"}},
	{actor.Read, "The sandbox: its clock, bank desk, phone and mails", []string{
		"GET /sandbox", "GET /sandbox/clock", "GET /sandbox/desk", "GET /sandbox/phone", "GET /sandbox/mail", "GET /sandbox/mail/:id", "GET /sandbox/mail/:id/html",
		"GET /sandbox/mail/:id/files/:n"}},

	{actor.Write, "Add, change and delete clients", []string{
		"GET /clients/new", "POST /clients", "GET /clients/:id/edit", "POST /clients/:id", "GET /clients/:id/deletion", "POST /clients/:id/deletion",
		"POST /api/v1/clients", "PUT /api/v1/clients/:id", "PATCH /api/v1/clients/:id", "DELETE /api/v1/clients/:id"}},
	{actor.Write, "Store accounts, set up mandates, ask clients, change debit-order details", []string{
		"GET /tokens/new", "GET /clients/:id/accounts/new", "POST /clients/:id/accounts/link", "POST /clients/:id/accounts",
		"GET /mandates/new", "POST /mandates", "POST /mandates/preview", "GET /clients/:id/mandates/new", "POST /mandates/:id/authentications",
		"GET /tokens/:id/amendment", "POST /tokens/:id/amendment", "POST /amendments/:id/account", "POST /amendments/:id/takeover", "POST /amendments/:id/abandonment"}},
	{actor.Write, "Create, charge, cancel and mail purchases", []string{
		"GET /purchases/new", "POST /purchases", "POST /purchases/preview", "GET /purchases/:id/charge", "GET /purchases/:id/charge/plan", "POST /purchases/:id/charge",
		"GET /purchases/:id/cancellation", "POST /purchases/:id/cancellation", "GET /purchases/:id/payment", "POST /purchases/:id/payment",
		"GET /purchases/:id/mail", "POST /purchases/:id/mail", "GET /purchases/:id/address", "POST /purchases/:id/address",
		"POST /api/v1/purchases", "POST /api/v1/purchases/:id/cancel", "POST /api/v1/purchases/:id/charge", "POST /api/v1/purchases/:id/capture",
		"POST /api/v1/purchases/:id/release", "POST /api/v1/purchases/:id/mark_as_paid", "POST /api/v1/purchases/:id/resend_invoice"}},
	{actor.Write, "Ask for statements, and stop them", []string{
		"POST /reports/statements", "POST /reports/statements/:id/cancellation", "POST /api/v1/company_statements", "POST /api/v1/company_statements/:id/cancel"}},
	{actor.Write, "Webhooks, for programs; people need the permission for settings too", []string{
		"POST /api/v1/webhooks", "PUT /api/v1/webhooks/:id", "PATCH /api/v1/webhooks/:id", "DELETE /api/v1/webhooks/:id", "POST /api/v1/webhooks/:id/test",
		"POST /api/v1/webhooks/:id/resend", "POST /api/v1/webhooks/deliveries/:id/resend"}},

	{actor.Bill, "Upload, mend, send, pause and void batches; send invoices to many clients", []string{
		"GET /batches/new", "POST /batches", "POST /batches/paste", "POST /batches/clients", "POST /batches/:id/map", "POST /batches/:id/cells",
		"POST /batches/:id/fixes", "POST /batches/:id/skips", "POST /batches/:id/restores", "GET /batches/:id/client", "POST /batches/:id/decisions", "POST /batches/:id/amounts", "POST /batches/:id/start", "POST /batches/:id/turns", "GET /batches/:id/voiding",
		"POST /batches/:id/voiding", "POST /billing", "POST /api/v1/billing"}},
	{actor.Bill, "Make, change, pause and delete templates; add and change subscribers", []string{
		"GET /templates/:id/edit", "GET /templates/:id/pause", "GET /templates/:id/deletion", "GET /templates/:id/subscribers/new", "GET /templates/:id/subscribers/bulk",
		"GET /templates/new", "GET /templates/:id/invoice", "GET /templates/:id/pending", "GET /templates/:id/subscribers/:sid/edit",
		"GET /templates/:id/subscribers/:sid/removal", "POST /templates", "POST /templates/preview", "POST /templates/:id/edit", "POST /templates/:id/pause", "POST /templates/:id/deletion", "POST /templates/:id/invoice",
		"POST /templates/:id/pending", "POST /templates/:id/subscribers", "POST /templates/:id/subscribers/check", "POST /templates/:id/subscribers/bulk",
		"POST /templates/:id/subscribers/:sid/edit", "POST /templates/:id/subscribers/:sid/pause", "POST /templates/:id/subscribers/:sid/reminder",
		"POST /templates/:id/subscribers/:sid/removal",
		"POST /api/v1/billing_templates", "POST /billing_templates", "PUT /api/v1/billing_templates/:id", "PUT /billing_templates/:id", "DELETE /api/v1/billing_templates/:id", "DELETE /billing_templates/:id", "POST /api/v1/billing_templates/:id/send_invoice", "POST /billing_templates/:id/send_invoice", "POST /api/v1/billing_templates/:id/add_subscriber", "POST /billing_templates/:id/add_subscriber", "PATCH /api/v1/billing_templates/:id/clients/:btc_id", "PATCH /billing_templates/:id/clients/:btc_id", "PATCH /api/v1/billing_templates/clients/:btc_id", "PATCH /billing_templates/clients/:btc_id"}},

	{actor.Refund, "Refund paid purchases, and record that a refund was paid out", []string{
		"GET /purchases/:id/refund", "POST /purchases/:id/refund", "GET /purchases/:id/settlement", "POST /purchases/:id/settlement", "POST /api/v1/purchases/:id/refund"}},

	{actor.DeleteTokens, "Delete stored accounts", []string{
		"GET /tokens/deletion", "POST /tokens/deletion", "POST /tokens/deletions/:id/undo", "GET /tokens/deletions/:id/now", "POST /tokens/deletions/:id/now", "DELETE /api/v1/clients/:id/recurring_tokens/:token_id",
		"POST /purchases/:id/delete_recurring_token", "POST /api/v1/purchases/:id/delete_recurring_token"}},

	{actor.Approve, "Agree to what another person asked for, or refuse it", []string{"POST /approvals/:id/decision"}},

	{actor.Reveal, "Show the full account and identity number of a client", []string{"POST /clients/:id/numbers"}},

	{actor.MoveClock, "Move the sandbox clock; answer as the sandbox bank and as clients", []string{
		"POST /sandbox/clock", "POST /sandbox/collections/:purchase/result", "POST /sandbox/mandates/:purchase/answer",
		"POST /developers/simulator/clock", "POST /developers/simulator/scenarios"}},

	{actor.Manage, "Credentials of programs and the log of their requests", []string{
		"GET /developers", "GET /developers/credentials/new", "POST /developers/credentials",
		"GET /developers/credentials/:id/revocation", "POST /developers/credentials/:id/revocation",
		"GET /developers/credentials/:id/rotation", "POST /developers/credentials/:id/rotation", "GET /developers/requests", "GET /developers/requests/:id"}},
	{actor.Manage, "Webhooks and events", []string{
		"GET /developers/events", "GET /developers/events/export", "GET /developers/events/:id", "GET /developers/webhooks", "POST /developers/webhooks",
		"GET /developers/webhooks/new", "GET /developers/webhooks/deliveries/:id", "POST /developers/webhooks/deliveries/:id/resend", "GET /developers/webhooks/:id",
		"GET /developers/webhooks/:id/edit", "POST /developers/webhooks/:id", "POST /developers/webhooks/:id/test", "GET /developers/webhooks/:id/resend",
		"POST /developers/webhooks/:id/resend", "GET /developers/webhooks/:id/deletion", "POST /developers/webhooks/:id/deletion"}},
	{actor.Manage, "The simulator, and wiping a test merchant", []string{
		"GET /developers/simulator", "POST /developers/simulator/demo", "GET /developers/simulator/wipe", "POST /developers/simulator/wipe"}},
	{actor.Manage, "People, invitations and what second factors the business demands", []string{
		"GET /settings/people", "GET /settings/people/invite", "POST /settings/people/invitations", "POST /settings/people/invitations/:id/mails",
		"POST /settings/people/invitations/:id/revocation", "GET /settings/people/:id", "POST /settings/people/:id", "POST /settings/people/:id/disabling",
		"POST /settings/people/:id/enabling", "GET /settings/people/:id/removal", "POST /settings/people/:id/removal",
		"GET /settings/security", "POST /settings/security", "GET /settings/security/people/:id/reset", "POST /settings/security/people/:id/reset"}},
	{actor.Manage, "Removing a client's personal data on request", []string{"GET /clients/:id/erasure", "POST /clients/:id/erasure"}},
	{actor.Manage, "The record of who did what", []string{"GET /audit", "GET /audit/export", "POST /audit/check", "GET /audit/:id"}},
	{actor.Manage, "What needs a second approver", []string{"GET /settings/approvals", "POST /settings/approvals"}},
	{actor.Manage, "Brands, debit-order profiles, roles and the calendar", []string{
		"GET /settings", "GET /settings/business", "GET /settings/roles", "GET /settings/calendar", "GET /settings/brands/new", "POST /settings/brands", "GET /settings/brands/:id",
		"POST /settings/brands/:id", "GET /settings/brands/:id/removal", "POST /settings/brands/:id/removal", "POST /settings/brands/:id/profiles",
		"GET /settings/brands/:id/profiles/new", "POST /settings/brands/:id/profiles/:profile/default", "GET /settings/brands/:id/profiles/:profile/removal",
		"POST /settings/brands/:id/profiles/:profile/removal"}},
}

// ActionOf is what an address asks for; false for an address that is not in the table.
func ActionOf(method, route string) (actor.Action, bool) {
	act, known := actionsByRoute[keyOf(method, route)]
	return act, known
}

var actionsByRoute = byRoute(Permits)

func byRoute(table []Permit) map[string]actor.Action {
	out := map[string]actor.Action{}
	for _, p := range table {
		for _, r := range p.Routes {
			if _, twice := out[r]; twice {
				panic("the table of permits names " + r + " twice")
			}
			out[r] = p.Action
		}
	}
	return out
}

func keyOf(method, route string) string {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return method + " " + route
}

// isAction tells the actions that a role or a scope grants from the three that
// are no question of roles.
func isAction(act actor.Action) bool {
	_, granted := actor.PermissionFor(act)
	return granted
}

// permitted refuses who may not do what an address is for, before its handler
// looks at anything: it answers 403 whatever the address names. The use cases ask
// again, for those who reach them another way.
func permitted(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		act, known := ActionOf(c.Request().Method, c.Path())
		if act == oneself {
			return next(c)
		}
		if !known || !isAction(act) {
			act = "" // which nobody may
		}
		if err := access.Actor(c).May(act); err != nil {
			return err
		}
		return next(c)
	}
}

// offering lets pages ask the same table before they offer what it would refuse.
func offering(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		open := func(method, address string) bool {
			who := access.Actor(c)
			act, known := ActionOf(method, routeOf(c.Echo(), method, address))
			return who.Kind != actor.User || !known || !isAction(act) || who.Can(act)
		}
		c.SetRequest(c.Request().WithContext(components.WithPermits(c.Request().Context(), open)))
		return next(c)
	}
}

// routeOf is the pattern that an address is served by; empty for one that is not of the product.
func routeOf(app *echo.Echo, method, address string) string {
	at, err := url.Parse(address)
	if err != nil || at.Host != "" || !strings.HasPrefix(at.Path, "/") {
		return ""
	}
	c := app.NewContext(nil, nil)
	app.Router().Find(method, "/"+strings.Trim(at.Path, "/"), c)
	return c.Path()
}

// unnamed are the addresses of the router that the table does not know.
func unnamed(routes []*echo.Route) error {
	var missing []string
	for _, r := range routes {
		if strings.HasPrefix(r.Method, "echo_") { // echo's own answer to what is not there
			continue
		}
		if _, known := ActionOf(r.Method, r.Path); !known {
			missing = append(missing, keyOf(r.Method, r.Path))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("handlers/permits.go does not say who may call: %s", strings.Join(slices.Compact(missing), ", "))
}

// Opens says in words what each action opens, in the order of the table.
func Opens() map[actor.Action][]string {
	out := map[actor.Action][]string{}
	for _, p := range Permits {
		out[p.Action] = append(out[p.Action], p.Opens)
	}
	return out
}
