// Package developers serves the pages for integrators: credentials, webhooks, events, requests and the
// simulator of the sandbox.
package developers

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Developers serves the pages about bearer credentials.
type Developers struct {
	Desk        *kit.Desk
	Credentials *credential.Service
}

// lifetimes that the form offers for a token.
var lifetimes = []struct {
	value, text string
	lasts       time.Duration
}{
	{"24h", "24 hours", 24 * time.Hour},
	{"30d", "30 days", 30 * 24 * time.Hour},
	{"90d", "90 days", 90 * 24 * time.Hour},
	{"1y", "1 year", 365 * 24 * time.Hour},
	{"5y", "5 years", 5 * 365 * 24 * time.Hour},
}

var scopeWords = map[actor.Scope]string{
	actor.ScopeRead:         "see clients, purchases and tokens, with bank and identity numbers masked",
	actor.ScopeWrite:        "add and change clients and purchases, charge, cancel and refund",
	actor.ScopeTokensDelete: "delete tokens",
	actor.ScopeBilling:      "send invoices to many clients",
	actor.ScopeNumbers:      "see the bank account and identity numbers of clients in full",
}

// List serves GET /developers.
func (d *Developers) List(c echo.Context) error {
	all, err := d.Credentials.List(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	view := pages.DevelopersView{Curl: d.curl("$DEBITDESK_TOKEN"),
		TokenCurl: d.tokenCurl("$CLIENT_ID", "$CLIENT_SECRET")}
	for _, one := range all {
		view.Rows = append(view.Rows, d.row(one))
	}
	return d.Desk.ShowIn(c, http.StatusOK, "Developers", words.Developers,
		func(f layout.Frame) templ.Component { return pages.Developers(f, view) })
}

// New serves GET /developers/credentials/new.
func (d *Developers) New(c echo.Context) error {
	return d.form(c, http.StatusOK, url.Values{"kind": {string(credential.Token)}, "lifetime": {"90d"},
		"scopes": scopeValues(actor.FirstScopes)}, nil)
}

// Create serves POST /developers/credentials: the answer alone shows the secret.
func (d *Developers) Create(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := credential.Input{Name: form.Get("name"), Scopes: []actor.Scope{}}
	for _, s := range form["scopes"] {
		in.Scopes = append(in.Scopes, actor.Scope(s))
	}
	view, err := d.issue(c, form, in)
	if _, _, ok := kit.Problems(err); ok {
		return d.form(c, http.StatusUnprocessableEntity, form, err)
	}
	if err != nil {
		return err
	}
	return d.Desk.ShowIn(c, http.StatusCreated, "Credential created", words.Developers,
		func(f layout.Frame) templ.Component { return pages.CredentialCreated(f, view) })
}

func (d *Developers) issue(c echo.Context, form url.Values, in credential.Input) (pages.CredentialCreatedView, error) {
	ctx, who := c.Request().Context(), access.Actor(c)
	if form.Get("kind") == string(credential.Client) {
		out, err := d.Credentials.IssueClient(ctx, who, in)
		return pages.CredentialCreatedView{Name: out.Name, ClientID: out.ClientID, Secret: out.Secret,
			Curl: d.tokenCurl(out.ClientID, out.Secret)}, err
	}
	in.Lifetime = -1 // an unknown choice is refused with everything else
	for _, l := range lifetimes {
		if form.Get("lifetime") == l.value {
			in.Lifetime = l.lasts
		}
	}
	out, err := d.Credentials.Issue(ctx, who, in)
	return pages.CredentialCreatedView{Name: out.Name, Token: out.Token, Expires: d.Desk.Real(out.ExpiresAt),
		Curl: d.curl(out.Token)}, err
}

// AskRevoke serves GET /developers/credentials/:id/revocation.
func (d *Developers) AskRevoke(c echo.Context) error {
	one, err := d.find(c)
	if err != nil {
		return err
	}
	return d.ask(c, http.StatusOK, one, "")
}

// Revoke serves POST /developers/credentials/:id/revocation.
func (d *Developers) Revoke(c echo.Context) error {
	one, err := d.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if !strings.EqualFold(strings.TrimSpace(form.Get("confirm")), lastFour(one.ID)) {
		return d.ask(c, http.StatusUnprocessableEntity, one,
			"Type "+lastFour(one.ID)+", the last four characters of its id.")
	}
	if _, err := d.Credentials.Revoke(c.Request().Context(), access.Actor(c), one.ID); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "Revoked "+one.Name+". It has stopped working.", "/developers")
}

func (d *Developers) find(c echo.Context) (credential.Credential, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return credential.Credential{}, err
	}
	return d.Credentials.Find(c.Request().Context(), access.Actor(c), id)
}

func (d *Developers) ask(c echo.Context, status int, one credential.Credential, wrong string) error {
	question := components.Confirm{
		ID: "revoke", Title: "Revoke " + one.Name + "?",
		Text:   "This cannot be undone.",
		Breaks: []string{"Programs that call with it get the answer 401 from now on."},
		Action: "/developers/credentials/" + one.ID.String() + "/revocation", CancelHref: "/developers",
		Button: "Revoke credential", TypeLabel: "Type " + lastFour(one.ID) + " to confirm", TypeError: wrong,
	}
	if one.Kind == credential.Client {
		question.Breaks = append(question.Breaks, "Every token that was exchanged for it stops as well.")
	}
	return d.Desk.ShowIn(c, status, "Revoke a credential", words.Developers,
		func(f layout.Frame) templ.Component { return pages.RevokeCredential(f, question) })
}

func (d *Developers) form(c echo.Context, status int, typed url.Values, wrong error) error {
	byInput, summary, _ := kit.Problems(wrong)
	view := pages.NewCredentialView{Problems: components.ErrorSummary{Items: summary}, ScopesError: byInput["scopes"],
		Name: components.Field{Label: "Name", Name: "name", Value: typed.Get("name"), Error: byInput["name"], Required: true,
			MaxLength: 100, Width: "l",
			Hint: "The program that will use it, such as “Accounting nightly run”."},
		Kind: components.RadioCards{Legend: "What it is", Name: "kind", Value: typed.Get("kind"), Required: true,
			Columns: true, Options: []components.RadioCard{
				{Value: string(credential.Token), Title: "Access token",
					Text: "Sent with every call. Lives as long as you choose below.", Icon: "key"},
				{Value: string(credential.Client), Title: "Client id and secret",
					Text: "Exchanged at /oauth/token for tokens of 24 hours. Works until it is revoked.", Icon: "lock"},
			}},
		Lifetime: components.Select{Label: "Lifetime of an access token", Name: "lifetime", Error: byInput["lifetime"],
			Required: true, Width: "m"},
	}
	for _, s := range actor.AllScopes {
		view.Scopes = append(view.Scopes, components.Checkbox{Name: "scopes",
			ID: "scopes-" + strings.ReplaceAll(string(s), ":", "-"), Value: string(s),
			Label: string(s) + " – " + scopeWords[s], Checked: slices.Contains(typed["scopes"], string(s))})
	}
	view.Scopes[0].ID = "scopes" // where the summary points
	for _, l := range lifetimes {
		view.Lifetime.Options = append(view.Lifetime.Options,
			components.Option{Value: l.value, Text: l.text, Selected: typed.Get("lifetime") == l.value})
	}
	return d.Desk.ShowIn(c, status, "New credential", words.Developers,
		func(f layout.Frame) templ.Component { return pages.NewCredential(f, view) })
}

func (d *Developers) row(one credential.Credential) pages.CredentialRow {
	row := pages.CredentialRow{
		ID: components.IDChip{ID: one.ID.String(), What: "credential"}, Name: one.Name, Kind: "Access token",
		Scopes:  credential.Spaced(one.Scopes, ", "),
		Created: d.Desk.Real(one.CreatedAt), Expires: d.Desk.Real(one.ExpiresAt), LastUsed: d.Desk.Real(one.LastUsedAt),
	}
	if one.Kind == credential.Client {
		row.Kind = "Client id and secret"
	}
	row.RequestsHref = kit.Address(requestsPath, url.Values{"credential": {one.ID.String()}})
	if one.Replaces != uuid.Nil {
		row.Replaces = components.Link{Text: "Replaces " + lastFour(one.Replaces), Href: "#" + one.Replaces.String()}
	}
	if one.ReplacedBy != uuid.Nil {
		row.ReplacedBy = components.Link{Text: "Replaced by " + lastFour(one.ReplacedBy),
			Href: "#" + one.ReplacedBy.String()}
	}
	switch one.State(time.Now()) {
	case credential.Active:
		row.State = components.Pill{Kind: "done", Word: "Active"}
		row.RevokeHref = credentialPath(one, "revocation")
		if one.ReplacedBy == uuid.Nil {
			row.RotateHref = credentialPath(one, "rotation")
		} else {
			row.State = components.Pill{Kind: "wait", Word: "Ending", Title: "The new credential works already; this one ends " +
				d.Desk.Real(one.ExpiresAt).Title + "."}
		}
	case credential.Expired:
		row.State = components.Pill{Kind: "draft", Word: "Expired", Title: expiredTitle(one)}
	case credential.Revoked:
		row.State = components.Pill{Kind: "draft", Word: "Revoked",
			Title: "Revoked " + d.Desk.Real(one.RevokedAt).Title}
	}
	return row
}

func (d *Developers) curl(token string) string {
	return "curl " + d.Desk.BaseURL + "/api/v1/clients/ \\\n  -H \"Authorization: Bearer " + token + "\""
}

func (d *Developers) tokenCurl(id, secret string) string {
	return "curl " + d.Desk.BaseURL + "/oauth/token \\\n  -d grant_type=client_credentials \\\n  -d client_id=" + id +
		" \\\n  -d client_secret=" + secret
}

func scopeValues(scopes []actor.Scope) []string {
	return strings.Fields(credential.Spaced(scopes, " "))
}

func lastFour(id uuid.UUID) string {
	text := id.String()
	return text[len(text)-4:]
}

func expiredTitle(one credential.Credential) string {
	if one.ReplacedBy != uuid.Nil {
		return "A newer credential has replaced it."
	}
	return "It has expired; create a new one."
}
