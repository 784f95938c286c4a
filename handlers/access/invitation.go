package access

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/member"
	"debitdesk/models/user"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Invitation is the page behind the link of an invitation. It needs no session:
// who holds the link may use it.
type Invitation struct {
	Members  *member.Service
	People   *user.Service
	Sessions *Sessions
	Banner   func() *layout.SandboxBanner
}

// Show serves GET /invite/:token.
func (i *Invitation) Show(c echo.Context) error { return i.page(c, nil, nil) }

// Accept serves POST /invite/:token: a person with an account joins with it,
// anybody else with a name and a password.
func (i *Invitation) Accept(c echo.Context) error {
	form, err := Posted(c)
	if err != nil {
		return err
	}
	ctx, token := c.Request().Context(), c.Param("token")
	who, found, err := i.Sessions.Authenticate(c)
	if err != nil {
		return err
	}
	if found {
		Set(c, who)
		in, _ := Session(c)
		if err := confined(in, "/account/business"); err != nil {
			return i.refused(c, form, err)
		}
		u, err := i.Members.Accept(ctx, Actor(c), token)
		if err != nil {
			return i.refused(c, form, err)
		}
		if err := i.opens(c, u, in.IssuerID == uuid.Nil); err != nil {
			return RedirectWithFlash(c, "ok", "You have joined. "+err.Error(), "/")
		}
		if err := i.Sessions.Move(c, u); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, "/")
	}
	u, err := i.Members.Join(ctx, member.Newcomer{Token: token, Name: form.Get("name"), Password: form.Get("password"),
		IP: c.RealIP(), RequestID: RequestID(c)})
	if err != nil {
		return i.refused(c, form, err)
	}
	if i.opens(c, u, true) != nil { // the page of it says how to sign in
		return c.Redirect(http.StatusSeeOther, "/login")
	}
	if err := i.Sessions.Start(c, u); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

// opens is nil when a session that began in this way may work for the business of the person.
func (i *Invitation) opens(c echo.Context, u user.User, byPassword bool) error {
	if !byPassword {
		return nil
	}
	return i.People.ByPassword(c.Request().Context(), u.MerchantID, u.ID)
}

func (i *Invitation) refused(c echo.Context, form url.Values, err error) error {
	if f, known := fault.From(err); known && (f.Kind == fault.Invalid || f.Kind == fault.Conflict ||
		f.Kind == fault.Forbidden || f.Kind == fault.NotFound) {
		return i.page(c, form, err)
	}
	return err
}

func (i *Invitation) page(c echo.Context, form url.Values, wrong error) error {
	w, err := i.Members.Welcome(c.Request().Context(), c.Param("token"))
	if fault.Is(err, fault.NotFound) {
		return i.show(c, http.StatusNotFound, pages.InvitationView{Title: "This link does not work",
			Gone: "It is not valid, or a newer mail has replaced it. Use the newest mail, or ask for another one."})
	}
	if err != nil {
		return err
	}
	view := pages.InvitationView{Business: w.Business.Name, Email: w.Email, Role: roleNames[w.Role],
		Until:  w.ExpiresAt.In(calendar.SAST).Format("2 January 2006, 15:04") + " SAST",
		Action: c.Request().URL.Path, Name: w.Name, Title: "Join " + w.Business.Name}
	switch w.State {
	case member.Expired:
		view.Title, view.Gone = "This invitation has expired", "It was open for seven days. Ask "+w.Business.Name+
			" to send it again."
		return i.show(c, http.StatusGone, view)
	case member.Revoked:
		view.Title, view.Gone = "This invitation was withdrawn", "Ask "+w.Business.Name+" if you think this is a mistake."
		return i.show(c, http.StatusGone, view)
	case member.Accepted:
		view.Title, view.Gone, view.SignIn = "This invitation has already been used",
			"Sign in with your e-mail address and password.", "/login"
		return i.show(c, http.StatusGone, view)
	case member.Open:
	}
	return i.open(c, view, w, form, wrong)
}

// open asks for what is still missing.
func (i *Invitation) open(c echo.Context, view pages.InvitationView, w member.Welcome, form url.Values,
	wrong error) error {
	status := http.StatusOK
	if f, known := fault.From(wrong); known {
		status = http.StatusUnprocessableEntity
		view.Problems = map[string]string{}
		for _, p := range f.Fields {
			view.Problems[p.Leaf()] = p.Message
		}
		if len(f.Fields) == 0 {
			view.Problem, status = f.Message, http.StatusConflict
		}
	}
	if form != nil {
		view.Name = form.Get("name")
	}
	in, signedIn := Session(c)
	if !signedIn {
		_, found, err := i.Sessions.Authenticate(c)
		if err != nil {
			return err
		}
		if in, signedIn = Session(c); !found {
			signedIn = false
		}
	}
	switch {
	case signedIn && equalFold(in.User.Email, w.Email):
		view.Join = true
	case signedIn:
		view.Other = in.User.Email
	case w.HasAccount:
		view.SignIn = "/login?next=" + url.QueryEscape(c.Request().URL.Path)
	default:
		view.New = true
	}
	return i.show(c, status, view)
}

func (i *Invitation) show(c echo.Context, status int, view pages.InvitationView) error {
	return bare(c, status, view.Title, i.Banner, func(f layout.Plain) templ.Component { return pages.Invitation(f, view) })
}
