package access

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/user"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Reset is where a forgotten password is replaced by way of the mailbox.
type Reset struct {
	People   *user.Service
	Sessions *Sessions
	Banner   func() *layout.SandboxBanner
}

// Show serves GET /reset.
func (r *Reset) Show(c echo.Context) error { return r.ask(c, http.StatusOK, pages.ResetView{}) }

// Ask serves POST /reset. The answer is the same for every address.
func (r *Reset) Ask(c echo.Context) error {
	if err := c.Request().ParseForm(); err != nil {
		return fault.New(fault.Invalid, "invalid", "The form could not be read.").Because(err)
	}
	view := pages.ResetView{Email: strings.TrimSpace(c.Request().PostForm.Get("email"))}
	if c.Request().PostForm.Get("begin") != "" { // from the sign-in page, with the address that was typed there
		return r.ask(c, http.StatusOK, view)
	}
	if view.Email == "" || len(view.Email) > 254 {
		view.Problem = "Enter your e-mail address."
		return r.ask(c, http.StatusUnprocessableEntity, view)
	}
	err := r.People.AskReset(c.Request().Context(), view.Email, c.RealIP())
	if f, _ := fault.From(err); fault.Is(err, fault.TooMany) {
		view.Problem = f.Message
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetryAfterSeconds))
		return r.ask(c, http.StatusTooManyRequests, view)
	}
	if err != nil {
		return err
	}
	view.Sent = true
	return r.ask(c, http.StatusOK, view)
}

func (r *Reset) ask(c echo.Context, status int, view pages.ResetView) error {
	return bare(c, status, "Forgot your password?", r.Banner,
		func(f layout.Plain) templ.Component { return pages.Reset(f, view) })
}

// Choose serves GET /reset/:token.
func (r *Reset) Choose(c echo.Context) error {
	_, err := r.People.FindReset(c.Request().Context(), c.Param("token"))
	return r.choose(c, err)
}

// Set serves POST /reset/:token. The person signs in afterwards, so that a second
// factor is asked for as ever.
func (r *Reset) Set(c echo.Context) error {
	if err := c.Request().ParseForm(); err != nil {
		return fault.New(fault.Invalid, "invalid", "The form could not be read.").Because(err)
	}
	u, err := r.People.ResetPassword(c.Request().Context(), c.Param("token"), c.Request().PostForm.Get("password"),
		c.RealIP(), RequestID(c))
	if err != nil {
		return r.choose(c, err)
	}
	r.Sessions.KnowDevice(c, u.Email)
	return c.Redirect(http.StatusSeeOther, "/login?new_password=1")
}

func (r *Reset) choose(c echo.Context, err error) error {
	view, status := pages.NewPasswordView{Action: c.Request().URL.Path}, http.StatusOK
	switch f, _ := fault.From(err); {
	case err == nil:
	case f == nil:
		return err
	case f.Kind == fault.NotFound:
		view.Gone, status = "This link is not valid. Ask for a new one.", http.StatusNotFound
	case f.Kind == fault.Conflict:
		view.Gone, status = f.Message, http.StatusGone
	case f.Kind == fault.Invalid:
		view.Problem, status = f.Message, http.StatusUnprocessableEntity
	default:
		return err
	}
	return bare(c, status, "Choose a new password", r.Banner,
		func(f layout.Plain) templ.Component { return pages.NewPassword(f, view) })
}

func equalFold(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// roleNames are the roles as sentences name them.
var roleNames = map[actor.Role]string{actor.Admin: "an admin", actor.Finance: "finance", actor.Staff: "staff",
	actor.ReadOnly: "a read-only member"}
