package access

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/factor"
	"debitdesk/models/fault"
	"debitdesk/models/issuer"
	"debitdesk/models/user"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Second asks for the second factor: at sign-in, and again before what matters.
type Second struct {
	Factors       *factor.Service
	Sessions      *Sessions
	KeptForms     *KeptForms
	PasskeyOrigin string // the address under which passkeys work
	Banner        func() *layout.SandboxBanner
	Issuers       *issuer.Service
}

// ceremonyKey is where a session remembers the question for a passkey.
const ceremonyKey = "passkey.show"

// ShowLogin serves GET /login/factor.
func (s *Second) ShowLogin(c echo.Context) error {
	next := LocalPath(c.QueryParam("next"))
	who, found, err := s.Sessions.Half(c)
	if err != nil {
		return err
	}
	if !found {
		return c.Redirect(http.StatusSeeOther, "/login?next="+url.QueryEscape(next)) // which knows where people go who are in
	}
	Set(c, who)
	return s.page(c, http.StatusOK, atSignIn(next))
}

// Login serves POST /login/factor.
func (s *Second) Login(c echo.Context) error {
	form, err := Posted(c)
	if err != nil {
		return err
	}
	next := LocalPath(form.Get("next"))
	who, found, err := s.Sessions.Half(c)
	if err != nil {
		return err
	}
	if !found {
		return c.Redirect(http.StatusSeeOther, "/login?next="+url.QueryEscape(next))
	}
	Set(c, who)
	view := atSignIn(next)
	if done, err := s.look(c, form, &view); err != nil || !done {
		return err
	}
	return c.Redirect(http.StatusSeeOther, next)
}

func atSignIn(next string) pages.FactorView {
	return pages.FactorView{Title: "Two-step sign-in", Text: "Your password is correct. Now confirm that it is you.",
		Action: "/login/factor", Next: next, SignOut: true}
}

// ShowProof serves GET /account/proof.
func (s *Second) ShowProof(c echo.Context) error {
	next, name := LocalPath(c.QueryParam("next")), c.QueryParam("kept")
	if Proven(c) {
		return s.goOn(c, next, name)
	}
	return s.page(c, http.StatusOK, s.askedAgain(c, next, name))
}

// Prove serves POST /account/proof.
func (s *Second) Prove(c echo.Context) error {
	form, err := Posted(c)
	if err != nil {
		return err
	}
	next, name := LocalPath(form.Get("next")), form.Get("kept")
	if in, _ := Session(c); !in.HasFactor {
		return c.Redirect(http.StatusSeeOther, next)
	}
	view := s.askedAgain(c, next, name)
	if done, err := s.look(c, form, &view); err != nil || !done {
		return err
	}
	return s.goOn(c, next, name)
}

func (s *Second) askedAgain(c echo.Context, next, name string) pages.FactorView {
	view := pages.FactorView{Title: "Confirm that it is you",
		Text: "This step needs your authenticator app, your passkey or a recovery code again.", Action: proofPage, Next: next,
		Kept:   name,
		Cancel: components.Link{Text: "Go back", Href: next}}
	in, _ := Session(c)
	if in.IssuerID == uuid.Nil || in.HasFactor && in.Factor != user.Issuer {
		return view
	}
	view.Issuer = components.Link{Text: "Sign in again with " + s.Issuers.Called(c.Request().Context(), in.IssuerID),
		Href: proofIssuer + "?next=" + url.QueryEscape(next) + "&kept=" + url.QueryEscape(name)}
	if view.Text = "This step needs you to sign in again, where you signed in."; in.HasFactor {
		view.Text = "This step needs you to sign in again where you signed in, or your authenticator app, your passkey or " +
			"a recovery code."
	}
	return view
}

// goOn leads back, or sends on the form that was kept, once.
func (s *Second) goOn(c echo.Context, next, name string) error {
	action, fields, found := s.KeptForms.sendOn(c, name)
	if !found {
		return c.Redirect(http.StatusSeeOther, next)
	}
	if err := Remember(c, keptKey, ""); err != nil {
		return err
	}
	view := pages.SendOnView{Action: action, Fields: fields, Cancel: components.Link{Text: "Go back", Href: next}}
	return s.answer(c, http.StatusOK, "Continue", func(f layout.Plain) templ.Component { return pages.SendOn(f, view) })
}

// look checks what was shown. Done is false when the page was answered that asks again.
func (s *Second) look(c echo.Context, form url.Values, view *pages.FactorView) (done bool, err error) {
	proof := factor.Proof{Code: form.Get("code"), Recovery: form.Get("recovery"), Assertion: form.Get("assertion"),
		Ceremony: Remembered(c, ceremonyKey)}
	if proof.Ceremony != "" { // a question is answered once, rightly or not
		if err := Remember(c, ceremonyKey, ""); err != nil {
			return false, err
		}
	}
	shown, err := s.Factors.Show(c.Request().Context(), Actor(c), proof)
	f, _ := fault.From(err)
	switch {
	case err == nil:
		return true, s.Sessions.Prove(c, shown)
	case fault.Is(err, fault.TooMany):
		view.Problem = f.Message
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetryAfterSeconds))
		return false, s.page(c, http.StatusTooManyRequests, *view)
	case fault.Is(err, fault.Invalid) && len(f.Fields) > 0:
		switch f.Fields[0].Path {
		case "code":
			view.CodeProblem = f.Fields[0].Message
		case "recovery":
			view.RecoverProblem = f.Fields[0].Message
		default:
			view.Problem = f.Fields[0].Message
		}
		return false, s.page(c, http.StatusUnprocessableEntity, *view)
	}
	return false, err
}

// page asks for what the person has.
func (s *Second) page(c echo.Context, status int, view pages.FactorView) error {
	ctx, who := c.Request().Context(), Actor(c)
	set, err := s.Factors.Of(ctx, who)
	if err != nil {
		return err
	}
	view.App, view.Codes, view.PasskeyOrigin = set.App(), set.CodesLeft > 0, s.PasskeyOrigin
	question, remember, err := s.Factors.BeginAssertion(ctx, who)
	if err != nil {
		return err
	}
	if view.Question = question; question != "" {
		if err := Remember(c, ceremonyKey, remember); err != nil {
			return err
		}
	}
	return s.answer(c, status, view.Title, func(f layout.Plain) templ.Component { return pages.Factor(f, view) })
}

func (s *Second) answer(c echo.Context, status int, title string, page func(layout.Plain) templ.Component) error {
	return bare(c, status, title, s.Banner, func(f layout.Plain) templ.Component {
		if in, known := Session(c); known {
			f.Theme = in.User.Theme
		}
		return page(f)
	})
}

// Posted is the form that was sent; what stands in the address does not count.
func Posted(c echo.Context) (url.Values, error) {
	if err := c.Request().ParseForm(); err != nil {
		return nil, fault.New(fault.Invalid, "invalid", "The form could not be read.").Because(err)
	}
	return c.Request().PostForm, nil
}
