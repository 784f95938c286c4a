package handlers

import (
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/static"
)

// entrance is where people and programs show who they are.
func (e *edge) entrance() {
	e.at(stack{}, "GET", "/static/*", echo.WrapHandler(static.Handler()))
	if e.Login != nil {
		open := stack{limitBody(smallForm), sameOrigin()}
		e.at(open, "GET", "/login", e.Login.Show)
		e.at(open, "POST", "/login", e.Login.SignIn)
		e.at(open, "POST", "/logout", e.Login.SignOut)
	}
	e.mailed()
	if e.OAuth != nil {
		e.at(stack{e.logged, limitBody(smallForm), e.failures.guarded}, "POST", "/oauth/token", access.TokenEndpoint(e.OAuth))
	}
}

// own are the pages about one's own sessions and one's programs.
func (e *edge) own() {
	person := e.people(smallForm)
	e.at(person, "GET", access.FormPage, e.formBack)
	if e.Account != nil {
		e.at(person, "GET", "/account", e.Account.Show)
		e.at(person, "POST", "/account/theme", e.Account.SetTheme)
		e.at(person, "POST", "/account/password", e.Account.ChangePassword)
		e.at(person, "POST", "/account/business", e.Account.Switch)
		e.at(person, "POST", "/account/sessions/others/end", e.Account.EndOthers)
		e.at(person, "POST", "/account/sessions/:handle/end", e.Account.EndSession)
	}
	if e.Requests != nil {
		e.at(person, "GET", "/developers/requests", e.Requests.List)
		e.at(person, "GET", "/developers/requests/:id", e.Requests.Show)
	}
	if e.Developers != nil {
		e.at(person, "GET", "/developers", e.Developers.List)
		e.at(person, "GET", "/developers/credentials/new", e.Developers.New)
		e.at(e.asked(smallForm), "POST", "/developers/credentials", e.Developers.Create)
		e.at(person, "GET", "/developers/credentials/:id/revocation", e.Developers.AskRevoke)
		e.at(e.asked(smallForm), "POST", "/developers/credentials/:id/revocation", e.Developers.Revoke)
		e.at(person, "GET", "/developers/credentials/:id/rotation", e.Developers.AskRotate)
		e.at(e.asked(smallForm), "POST", "/developers/credentials/:id/rotation", e.Developers.Rotate)
	}
}

// smallForm is room for any form without files, in bytes.
const smallForm = 64 << 10
