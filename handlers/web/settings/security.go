package settings

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/skip2/go-qrcode"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/factor"
	"debitdesk/models/fault"
	"debitdesk/models/user"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Security serves the person's page about second factors.
type Security struct {
	Desk    *kit.Desk
	Factors *factor.Service
	// Prove puts the session under a new id once a second factor was shown.
	Prove         func(c echo.Context, shown user.Factor) error
	PasskeyOrigin string // the address under which passkeys work; empty: none
}

const passkeyKey = "passkey.new" // where the session remembers the question

// Show serves GET /account/security.
func (h *Security) Show(c echo.Context) error {
	set, err := h.Factors.Of(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	me := kit.Mine(c)
	view := pages.SecurityView{App: set.App(), AppUnread: set.Unread, AppSince: h.Desk.Real(set.ConfirmedAt),
		Any: set.Any(), CodesLeft: set.CodesLeft, CodesAll: factor.RecoveryCodes}
	if me.RequireFactor && !set.Any() {
		view.Demanded = me.MerchantName
	}
	switch {
	case byNumber(c.Request().Host) && strings.Contains(h.PasskeyOrigin, "//localhost"):
		view.NoPasskeys = "A browser binds no passkey to a number. Open " + h.PasskeyOrigin + "/account/security to add one."
	case h.PasskeyOrigin == "":
		view.NoPasskeys = "Passkeys need an installation whose address is a name, not a number."
	}
	for _, p := range set.Passkeys {
		view.Passkeys = append(view.Passkeys, pages.PasskeyRow{Name: p.Name, Added: h.Desk.Real(p.CreatedAt),
			Used:       h.Desk.Real(p.LastUsedAt),
			RemoveHref: "/account/security/passkeys/" + p.Handle() + "/removal"})
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Sign-in and security", "",
		func(f layout.Frame) templ.Component { return pages.Security(f, view) })
}

// byNumber tells that a page was opened under the number of a machine.
func byNumber(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return net.ParseIP(strings.Trim(host, "[]")) != nil
}

// BeginApp serves POST /account/security/app.
func (h *Security) BeginApp(c echo.Context) error {
	if err := h.Factors.BeginApp(c.Request().Context(), access.Actor(c)); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/account/security/app")
}

// ShowApp serves GET /account/security/app: the key, until it is confirmed.
func (h *Security) ShowApp(c echo.Context) error { return h.showApp(c, http.StatusOK, nil) }

func (h *Security) showApp(c echo.Context, status int, wrong error) error {
	set, err := h.Factors.Of(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	if set.App() || set.Key == "" {
		return c.Redirect(http.StatusSeeOther, access.SecurityPage)
	}
	picture, err := qrOf(set.Key.URL(set.Email))
	if err != nil {
		return err
	}
	byInput, summary, _ := kit.Problems(wrong)
	view := pages.AppSetUpView{Picture: picture, KeyShown: set.Key.InGroups(), Account: set.Email,
		Problems: components.ErrorSummary{Items: summary}, CodeError: byInput["code"],
		Password: passwordAgain(set, byInput["password"])}
	return h.Desk.ShowIn(c, status, "Set up an authenticator app", "",
		func(f layout.Frame) templ.Component { return pages.AppSetUp(f, view) })
}

// ConfirmApp serves POST /account/security/app/confirmation.
func (h *Security) ConfirmApp(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	codes, err := h.Factors.ConfirmApp(c.Request().Context(), access.Actor(c), form.Get("code"), form.Get("password"))
	if _, _, ok := kit.Problems(err); ok {
		return h.showApp(c, http.StatusUnprocessableEntity, err)
	}
	if err != nil {
		return err
	}
	return h.added(c, user.TOTP, codes, "Your authenticator app is set up.")
}

// added puts the session under a new id and shows the recovery codes that came
// with the first factor.
func (h *Security) added(c echo.Context, shown user.Factor, codes []string, text string) error {
	if err := h.Prove(c, shown); err != nil {
		return err
	}
	if len(codes) > 0 {
		return h.showCodes(c, codes, text)
	}
	return access.RedirectWithFlash(c, "ok", text, access.SecurityPage)
}

// AskRemoveApp serves GET /account/security/app/removal.
func (h *Security) AskRemoveApp(c echo.Context) error {
	set, err := h.Factors.Of(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	if !set.App() {
		return fault.Missing()
	}
	left := factor.Set{Passkeys: set.Passkeys}
	return h.askRemove(c, "Remove the authenticator app?", "Remove authenticator app", "/account/security/app/removal",
		left.Any())
}

// RemoveApp serves POST /account/security/app/removal.
func (h *Security) RemoveApp(c echo.Context) error {
	return h.removed(c, h.Factors.RemoveApp(c.Request().Context(), access.Actor(c)),
		"The authenticator app is removed.")
}

func (h *Security) askRemove(c echo.Context, title, button, action string, another bool) error {
	q := components.Confirm{ID: "remove", Title: title, Button: button, Action: action, CancelHref: access.SecurityPage,
		Text: "Its codes or answers will no longer be accepted."}
	if !another {
		q.Breaks = []string{
			"It is your only second step at sign-in. Afterwards your password alone opens your account, " +
				"and your recovery codes stop working.",
		}
	}
	view := pages.ActView{Title: "Sign-in and security",
		Back: components.Link{Text: "Sign-in and security", Href: access.SecurityPage}, Question: q}
	return h.Desk.ShowIn(c, http.StatusOK, title, "",
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

func (h *Security) removed(c echo.Context, err error, text string) error {
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", text, access.SecurityPage)
}

// RenewCodes serves POST /account/security/recovery-codes: the answer alone shows them.
func (h *Security) RenewCodes(c echo.Context) error {
	codes, err := h.Factors.RenewCodes(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	return h.showCodes(c, codes, "")
}

func (h *Security) showCodes(c echo.Context, codes []string, lead string) error {
	view := pages.RecoveryCodesView{Codes: codes, Lead: lead, Done: components.Link{Href: access.SecurityPage}}
	return h.Desk.ShowIn(c, http.StatusCreated, "Recovery codes", "",
		func(f layout.Frame) templ.Component { return pages.RecoveryCodes(f, view) })
}

// CodesFile serves POST /account/security/recovery-codes/file: the codes of the page
// as a text. They come with the form, since only their hashes are kept, and only
// the person's own unused ones are given back.
func (h *Security) CodesFile(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	codes := form["codes"]
	fresh, err := h.Factors.Fresh(c.Request().Context(), access.Actor(c), codes)
	if err != nil {
		return err
	}
	if !fresh {
		return fault.New(fault.Conflict, "codes_replaced", "These codes no longer work. Create new ones.")
	}
	var text bytes.Buffer
	fmt.Fprintf(
		&text,
		"Debitdesk recovery codes of %s\r\nat %s\r\n\r\n%s\r\n\r\nEach works once, "+
			"in place of your authenticator app or passkey.\r\n",
		kit.Mine(c).User.Email,
		h.Desk.BaseURL,
		strings.Join(codes, "\r\n"),
	)
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="debitdesk-recovery-codes.txt"`)
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", text.Bytes())
}

// NewPasskey serves GET /account/security/passkeys/new.
func (h *Security) NewPasskey(c echo.Context) error { return h.newPasskey(c, http.StatusOK, "", nil) }

func (h *Security) newPasskey(c echo.Context, status int, name string, wrong error) error {
	set, err := h.Factors.Of(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	question, remember, err := h.Factors.BeginPasskey(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	if err := access.Remember(c, passkeyKey, remember); err != nil {
		return err
	}
	byInput, summary, _ := kit.Problems(wrong)
	for i := range summary {
		if summary[i].Field == "passkey" {
			summary[i].Field = ""
		}
	}
	view := pages.PasskeyNewView{Password: passwordAgain(set, byInput["password"]), Question: question,
		Origin: h.PasskeyOrigin, Problems: components.ErrorSummary{Items: summary},
		Name: components.Field{Label: "Name", Name: "name", Value: name, Error: byInput["name"], Required: true,
			MaxLength: factor.MaxPasskeyName, Width: "l", Autocomplete: "off",
			Hint: "So that you recognise it, such as “Work laptop”."}}
	return h.Desk.ShowIn(c, status, "Add a passkey", "",
		func(f layout.Frame) templ.Component { return pages.PasskeyNew(f, view) })
}

// AddPasskey serves POST /account/security/passkeys.
func (h *Security) AddPasskey(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	remembered := access.Remembered(c, passkeyKey)
	if err := access.Remember(c, passkeyKey, ""); err != nil {
		return err
	}
	codes, err := h.Factors.AddPasskey(c.Request().Context(), access.Actor(c), form.Get("name"), form.Get("assertion"),
		remembered, form.Get("password"))
	if _, _, ok := kit.Problems(err); ok {
		return h.newPasskey(c, http.StatusUnprocessableEntity, form.Get("name"), err)
	}
	if err != nil {
		return err
	}
	return h.added(c, user.Passkey, codes, "Passkey added.")
}

// AskRemovePasskey serves GET /account/security/passkeys/:id/removal.
func (h *Security) AskRemovePasskey(c echo.Context) error {
	set, err := h.Factors.Of(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	for _, p := range set.Passkeys {
		if p.Handle() == c.Param("id") {
			return h.askRemove(c, "Remove the passkey “"+p.Name+"”?", "Remove passkey", "/account/security/passkeys/"+p.Handle()+
				"/removal", set.App() || len(set.Passkeys) > 1)
		}
	}
	return fault.Missing()
}

// RemovePasskey serves POST /account/security/passkeys/:id/removal.
func (h *Security) RemovePasskey(c echo.Context) error {
	return h.removed(c, h.Factors.RemovePasskey(c.Request().Context(), access.Actor(c), c.Param("id")),
		"The passkey is removed.")
}

// qrOf draws a QR code as the address of a picture, one dot for each module.
func qrOf(text string) (string, error) {
	code, err := qrcode.New(text, qrcode.Medium)
	if err != nil {
		return "", fmt.Errorf("draw the key: %w", err)
	}
	code.DisableBorder = true
	picture, err := code.PNG(-4)
	if err != nil {
		return "", fmt.Errorf("draw the key: %w", err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture), nil
}

// passwordAgain asks for the password where the first second factor is set up.
func passwordAgain(set factor.Set, wrong string) *components.Field {
	if set.Any() {
		return nil
	}
	return &components.Field{Label: "Your password", Name: "password", Type: "password", Error: wrong,
		Autocomplete: "current-password", Required: true, MaxLength: 256, Width: "l",
		Hint: "We ask for it again so that another person at your open browser cannot lock you out."}
}
