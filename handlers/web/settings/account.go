package settings

import (
	"encoding/hex"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/user"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Account serves the person's own page.
type Account struct {
	Desk     *kit.Desk
	Self     *user.Service
	Sessions *access.Sessions
}

// Show serves GET /account.
func (a *Account) Show(c echo.Context) error { return a.page(c, nil) }

func (a *Account) page(c echo.Context, wrong error) error {
	all, err := a.Self.Sessions(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	me := kit.Mine(c)
	view := pages.AccountView{Facts: components.Facts{Wide: true, Items: []components.Fact{
		{Label: "Name", Value: me.User.Called()}, {Label: "E-mail address", Value: me.User.Email},
		{Label: "Role", Value: kit.RoleWord(me.User.Role)}, {Label: "Business", Value: me.MerchantName},
	}}}
	byInput, summary, _ := kit.Problems(wrong)
	view.Problems.Items = summary
	view.Old = components.Field{Label: "Current password", Name: "old_password", Type: "password",
		Error: byInput["old_password"], Autocomplete: "current-password", Required: true, MaxLength: 256, Width: "l"}
	view.New = components.Field{Label: "New password", Name: "new_password", Type: "password",
		Error: byInput["new_password"], Autocomplete: "new-password", Required: true, MaxLength: 256, Width: "l",
		Hint: "At least 12 characters. A few words are easier to remember than symbols."}
	for _, b := range me.Others {
		view.Businesses = append(view.Businesses, pages.BusinessRow{ID: b.ID.String(), Name: b.Name})
	}
	for _, s := range all {
		if me.Confined && handle(s) != handle(me.Session) {
			continue // of other businesses, perhaps
		}
		row := pages.SessionRow{Browser: words.BrowserWords(s.UserAgent), Address: s.IP, Since: a.Desk.Real(s.CreatedAt),
			Seen: a.Desk.Real(s.SeenAt), Factor: factorWords(s, me.HasFactor)}
		if handle(s) == handle(me.Session) {
			row.Current = true
		} else {
			row.EndAction = "/account/sessions/" + handle(s) + "/end"
		}
		view.Sessions = append(view.Sessions, row)
	}
	return a.Desk.ShowIn(c, kit.StatusOf(wrong), "Your account", "",
		func(f layout.Frame) templ.Component { return pages.Account(f, view) })
}

// ChangePassword serves POST /account/password.
func (a *Account) ChangePassword(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	err = a.Self.ChangePassword(c.Request().Context(), access.Actor(c), form.Get("old_password"), form.Get("new_password"),
		kit.Mine(c).Hash)
	if _, _, ok := kit.Problems(err); ok {
		return a.page(c, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "Your password is changed. You were signed out everywhere else.",
		"/account")
}

// Switch serves POST /account/business: the session works for another business of
// the person from now on.
func (a *Account) Switch(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(form.Get("merchant_id"))
	if err != nil {
		return fault.Missing()
	}
	u, err := a.Self.Open(c.Request().Context(), access.Actor(c), id, kit.Mine(c).IssuerID == uuid.Nil)
	if err != nil {
		return err
	}
	if err := a.Sessions.Move(c, u); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

// EndSession serves POST /account/sessions/:handle/end.
func (a *Account) EndSession(c echo.Context) error {
	all, err := a.Self.Sessions(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	for _, s := range all {
		if handle(s) != c.Param("handle") {
			continue
		}
		if err := a.Self.RevokeSession(c.Request().Context(), access.Actor(c), s.Hash); err != nil {
			return err
		}
		return access.RedirectWithFlash(c, "ok", "That browser is signed out.", "/account")
	}
	return fault.Missing()
}

// EndOthers serves POST /account/sessions/others/end.
func (a *Account) EndOthers(c echo.Context) error {
	n, err := a.Self.RevokeOthers(c.Request().Context(), access.Actor(c), kit.Mine(c).Hash)
	if err != nil {
		return err
	}
	text := "You are signed in nowhere else."
	if n > 0 {
		text = "Ended " + plural.Of(n, "other session") + "."
	}
	return access.RedirectWithFlash(c, "ok", text, "/account")
}

// factorWords says how the second factor was shown in a session.
func factorWords(s user.Session, has bool) string {
	switch f := s.Factor; {
	case f == user.Issuer:
		return "Single sign-on, two steps"
	case f == user.TOTP:
		return "Authenticator app"
	case f == user.Passkey:
		return "Passkey"
	case f == user.Recovery:
		return "Recovery code"
	case has:
		return "Waiting for the second step"
	}
	if s.IssuerID != uuid.Nil {
		return "Single sign-on"
	}
	return "Password only"
}

// SetTheme serves POST /account/theme and goes back to the page it came from.
func (a *Account) SetTheme(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	theme := form.Get("theme")
	if theme == "system" {
		theme = ""
	}
	if err := a.Self.SetTheme(c.Request().Context(), access.Actor(c), theme); err != nil {
		return err
	}
	back := "/account"
	if from, err := url.Parse(c.Request().Referer()); err == nil && from.Host == c.Request().Host {
		back = access.LocalPath(from.RequestURI())
	}
	return c.Redirect(http.StatusSeeOther, back)
}

// HideFirstSteps serves POST /account/first-steps/hiding, ShowFirstSteps what takes it back.
func (a *Account) HideFirstSteps(c echo.Context) error {
	if err := a.Self.HideFirstSteps(c.Request().Context(), access.Actor(c), true); err != nil {
		return err
	}
	if err := access.AddUndo(c, "ok", "The first steps are hidden.", pages.ShowFirstStepsPath); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

// ShowFirstSteps serves POST /account/first-steps/showing.
func (a *Account) ShowFirstSteps(c echo.Context) error {
	if err := a.Self.HideFirstSteps(c.Request().Context(), access.Actor(c), false); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The first steps are shown again.", "/")
}

// SetKeys serves POST /account/keys.
func (a *Account) SetKeys(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	off := form.Get("keys") == "off"
	if err := a.Self.SetKeys(c.Request().Context(), access.Actor(c), off); err != nil {
		return err
	}
	text := "Keyboard shortcuts are on."
	if off {
		text = "Keyboard shortcuts of a single key are off."
	}
	if err := kit.Tell(c, "ok", text, ""); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/account#keys-setting")
}

// handle names a session in addresses; the hash opens nothing.
func handle(s user.Session) string { return hex.EncodeToString(s.Hash[:min(16, len(s.Hash))]) }
