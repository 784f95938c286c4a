package access

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/models/fault"
	"debitdesk/models/user"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Login is the sign-in page and the way out.
type Login struct {
	People   *user.Service
	Sessions *Sessions
	Issuers  *Issuers
	Banner   func() *layout.SandboxBanner
}

// factorPage is where the second factor is asked for at sign-in.
const factorPage = "/login/factor"

// Show serves GET /login.
func (l *Login) Show(c echo.Context) error {
	next := LocalPath(c.QueryParam("next"))
	if _, found, err := l.Sessions.Authenticate(c); err != nil || found {
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, next)
	}
	if _, waits, err := l.Sessions.Half(c); err != nil || waits {
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, factorPage+"?next="+url.QueryEscape(next))
	}
	return l.page(c, http.StatusOK, pages.LoginView{Next: next, SignedOut: c.QueryParam("signed_out") != "",
		NewPassword: c.QueryParam("new_password") != ""})
}

// SignIn serves POST /login.
func (l *Login) SignIn(c echo.Context) error {
	form, err := Posted(c)
	if err != nil {
		return err
	}
	view := pages.LoginView{Email: form.Get("email"), Next: LocalPath(form.Get("next"))}
	if view.Email == "" || form.Get("password") == "" {
		view.Problem = "Enter your e-mail address and your password."
		return l.page(c, http.StatusUnprocessableEntity, view)
	}
	u, err := l.People.SignIn(c.Request().Context(), user.Attempt{Email: view.Email, Password: form.Get("password"),
		IP: c.RealIP(), RequestID: RequestID(c),
		Device: l.Sessions.device(c, view.Email)})
	switch f, _ := fault.From(err); {
	case fault.Is(err, fault.Unauthenticated):
		view.Problem = f.Message
		return l.page(c, http.StatusUnprocessableEntity, view)
	case fault.Is(err, fault.TooMany):
		view.Problem = f.Message
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetryAfterSeconds))
		return l.page(c, http.StatusTooManyRequests, view)
	case err != nil:
		return err
	}
	if err := l.Sessions.Start(c, u); err != nil {
		return err
	}
	if _, waits, err := l.Sessions.Half(c); err != nil || waits {
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, factorPage+"?next="+url.QueryEscape(view.Next))
	}
	return c.Redirect(http.StatusSeeOther, view.Next)
}

// SignOut serves POST /logout, also for somebody whose session is over.
func (l *Login) SignOut(c echo.Context) error {
	who, found, err := l.Sessions.Authenticate(c)
	if err != nil {
		return err
	}
	if found {
		Set(c, who)
		if err := l.People.SignOut(c.Request().Context(), Actor(c)); err != nil {
			return err
		}
	}
	in, _ := Session(c)
	if err := l.Sessions.End(c); err != nil {
		return err
	}
	if left, err := l.Issuers.leave(c, in.IssuerID); err != nil || left {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login?signed_out=1")
}

func (l *Login) page(c echo.Context, status int, view pages.LoginView) (err error) {
	if view.Issuers, err = l.Issuers.Links(c, view.Next); err != nil {
		return err
	}
	return bare(c, status, "Sign in", l.Banner, func(f layout.Plain) templ.Component { return pages.Login(f, view) })
}

// bare answers with a page outside of the dashboard.
func bare(c echo.Context, status int, title string, banner func() *layout.SandboxBanner,
	page func(layout.Plain) templ.Component) error {
	frame := layout.Plain{Title: title, Sandbox: banner()}
	return html.Send(c, status, page(frame))
}

// LocalPath is where to go after signing in: an address of this site, else the
// home page. "//evil.example" and "/\evil.example" lead elsewhere in a browser.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	switch {
	case err != nil, u.IsAbs(), u.Host != "", u.User != nil, u.Opaque != "",
		!strings.HasPrefix(next, "/"), strings.HasPrefix(next, "//"), strings.ContainsRune(next, '\\'),
		strings.ContainsFunc(next, unicode.IsControl), strings.HasPrefix(u.Path, "//"), strings.ContainsRune(u.Path, '\\'),
		u.Path == "/login", u.Path == "/logout", u.Path == factorPage, u.Path == proofPage:
		return "/"
	}
	return u.RequestURI()
}
