package developers

import (
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/credential"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// overlaps that the form offers: how long the old credential goes on.
var overlaps = []struct {
	value, title, text string
	lasts              time.Duration
}{
	{"0", "Not at all", "It stops at once. Choose this if someone else may have seen it.", 0},
	{"1h", "1 hour", "For a program that you change right now.", time.Hour},
	{"24h", "24 hours", "For a program that is changed during the day.", 24 * time.Hour},
	{"7d", "7 days", "For many programs, or programs of other companies.", 7 * 24 * time.Hour},
}

// AskRotate serves GET /developers/credentials/:id/rotation.
func (d *Developers) AskRotate(c echo.Context) error {
	one, err := d.find(c)
	if err != nil {
		return err
	}
	return d.askOverlap(c, http.StatusOK, one, "24h", "")
}

// Rotate serves POST /developers/credentials/:id/rotation: the answer alone shows the
// successor's secret.
func (d *Developers) Rotate(c echo.Context) error {
	one, err := d.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	overlap := time.Duration(-1)
	for _, o := range overlaps {
		if form.Get("overlap") == o.value {
			overlap = o.lasts
		}
	}
	if overlap < 0 {
		return d.askOverlap(c, http.StatusUnprocessableEntity, one, "", "Choose how long the old one keeps working.")
	}
	out, err := d.Credentials.Rotate(c.Request().Context(), access.Actor(c), one.ID, overlap)
	if err != nil {
		return err
	}
	view := d.rotatedView(out)
	return d.Desk.ShowIn(c, http.StatusCreated, "Credential rotated", words.Developers,
		func(f layout.Frame) templ.Component { return pages.CredentialCreated(f, view) })
}

func (d *Developers) rotatedView(out credential.Rotated) pages.CredentialCreatedView {
	view := pages.CredentialCreatedView{Name: out.Name, Token: out.Token, Expires: d.Desk.Real(out.ExpiresAt),
		Old: "The old one (id ending in " + lastFour(out.Old.ID) + ")", OldEnds: d.Desk.Real(out.Old.ExpiresAt)}
	if !out.Old.ExpiresAt.After(out.CreatedAt) {
		view.OldEnds = components.Time{} // it stopped
	}
	if out.Kind == credential.Client {
		view.ClientID, view.Secret = out.ID.String(), out.Secret
		view.Curl = d.tokenCurl(view.ClientID, view.Secret)
		return view
	}
	view.Curl = d.curl(out.Token)
	return view
}

func (d *Developers) askOverlap(c echo.Context, status int, one credential.Credential, chosen, wrong string) error {
	view := pages.RotateCredentialView{Name: one.Name, Action: credentialPath(one, "rotation"),
		Overlap: components.RadioCards{Legend: "How long the old one keeps working", Name: "overlap", Value: chosen,
			Error: wrong, Required: true, Columns: true}}
	for _, o := range overlaps {
		view.Overlap.Options = append(view.Overlap.Options,
			components.RadioCard{Value: o.value, Title: o.title, Text: o.text})
	}
	if wrong != "" {
		view.Problems.Items = []components.ErrorItem{{Field: "overlap", Text: wrong}}
	}
	view.What = "You get a new access token with the same name, scopes and lifetime. Both work until the old one ends."
	if one.Kind == credential.Client {
		view.What = "You get a new client id and secret with the same name and scopes. Both work until the old one ends; " +
			"the tokens that were exchanged for the old one end with it."
	}
	return d.Desk.ShowIn(c, status, "Rotate a credential", words.Developers,
		func(f layout.Frame) templ.Component { return pages.RotateCredential(f, view) })
}

func credentialPath(one credential.Credential, act string) string {
	return "/developers/credentials/" + one.ID.String() + "/" + act
}
