package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/web"
	"debitdesk/models/fault"
)

// SecondFactors are the pages about second factors. A nil one has no addresses.
type SecondFactors struct {
	Ask      *access.Second
	Security *web.Security
	Demand   *web.Demand
}

// asked is what stands before a page that asks for the second factor again.
func (e *edge) asked(bodyBytes int64) stack {
	return append(e.people(bodyBytes), access.RequireProof(e.Keeper))
}

// askedCallers is the same for addresses of the API, which a page of ours may call
// with a person's session.
func (e *edge) askedCallers(bodyBytes int64) stack {
	return append(e.callers(bodyBytes), access.RequireProofOfCallers, api.DryRun, api.Idempotent(e.Replays, e.Sandbox))
}

// factors is where people set up second factors and show them.
func (e *edge) factors() {
	person, asked := e.people(smallForm), e.asked(smallForm)
	if h := e.SecondFactors.Ask; h != nil {
		open := stack{limitBody(smallForm), sameOrigin()}
		e.at(open, "GET", "/login/factor", h.ShowLogin)
		e.at(open, "POST", "/login/factor", h.Login)
		e.at(person, "GET", "/account/proof", h.ShowProof)
		e.at(person, "POST", "/account/proof", h.Prove)
	}
	if h := e.SecondFactors.Security; h != nil {
		e.at(person, "GET", "/account/security", h.Show)
		e.at(person, "GET", "/account/security/app", h.ShowApp)
		e.at(asked, "POST", "/account/security/app", h.BeginApp)
		e.at(asked, "POST", "/account/security/app/confirmation", h.ConfirmApp)
		e.at(person, "GET", "/account/security/app/removal", h.AskRemoveApp)
		e.at(asked, "POST", "/account/security/app/removal", h.RemoveApp)
		e.at(asked, "POST", "/account/security/recovery-codes", h.RenewCodes)
		e.at(person, "POST", "/account/security/recovery-codes/file", h.CodesFile)
		e.at(asked, "GET", "/account/security/passkeys/new", h.NewPasskey)
		e.at(asked, "POST", "/account/security/passkeys", h.AddPasskey)
		e.at(person, "GET", "/account/security/passkeys/:id/removal", h.AskRemovePasskey)
		e.at(asked, "POST", "/account/security/passkeys/:id/removal", h.RemovePasskey)
	}
	if h := e.SecondFactors.Demand; h != nil {
		e.at(person, "GET", "/settings/security", h.Show)
		e.at(asked, "POST", "/settings/security", h.Set)
		e.at(person, "GET", "/settings/security/people/:id/reset", h.AskReset)
		e.at(asked, "POST", "/settings/security/people/:id/reset", h.Reset)
	}
}

// toSetUp sends a person who must set up a second factor first to where that is done.
func toSetUp(c echo.Context, fragment bool) error {
	if fragment {
		c.Response().Header().Set("HX-Redirect", access.SecurityPage)
		return c.NoContent(http.StatusForbidden)
	}
	return c.Redirect(http.StatusSeeOther, access.SecurityPage)
}

func mustSetUp(f *fault.Fault) bool { return f.Kind == fault.Forbidden && f.Code == access.SetUpFirst }
