package my

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/html"
	"debitdesk/models/clientpage"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/views/my"
)

// The cookie of a visit holds its token, and behind a point the language that was chosen for it.
func (p *Pages) visitCookie(c echo.Context) (token, language string, found bool) {
	cookie, err := c.Cookie(cookieName)
	if err != nil {
		return "", "", false
	}
	token, language, _ = strings.Cut(cookie.Value, ".")
	return token, language, true
}

func withLanguage(token string, l locale.Language) string { return token + "." + string(l) }

// wished is the language that a link asks for; false for none.
func wished(c echo.Context) (locale.Language, bool) {
	return locale.Parse(c.QueryParam(checkout.LanguageField))
}

// reads is the language of the page for its reader: that of the link, that of the visit, or what is known of the
// client or else of the brand.
func (p *Pages) reads(c echo.Context, b merchant.Brand, known ...string) locale.Language {
	if l, asked := wished(c); asked {
		return b.Reads(string(l))
	}
	if _, kept, _ := p.visitCookie(c); kept != "" {
		return b.Reads(kept)
	}
	return b.Reads(known...)
}

// keep notes in the cookie which language a link asked for.
func (p *Pages) keep(c echo.Context, v clientpage.Visit, token string) {
	l, asked := wished(c)
	_, kept, _ := p.visitCookie(c)
	left := int(v.Until.Sub(p.Service.Real()).Seconds())
	if asked && string(l) != kept && v.Brand.Reads(string(l)) == l && left > 0 {
		c.SetCookie(p.cookie(withLanguage(token, l), left))
	}
}

// send answers with a page in one language.
func send(c echo.Context, status int, l locale.Language, draw func(locale.Words) templ.Component) error {
	return html.Send(c, status, locale.Whole(l, draw))
}

// show answers a client who is on the page, in the client's language.
func (p *Pages) show(c echo.Context, status int, v clientpage.Visit, draw func(locale.Words) templ.Component) error {
	return send(c, status, p.reads(c, v.Brand, v.Client.ChosenLanguage, v.Client.Language), draw)
}

// offerToKeep asks whether the language of this visit shall be that of the client's mails too.
func offerToKeep(w locale.Words, v clientpage.Visit) *my.Keep {
	if w.Language == v.Brand.Reads(v.Client.ChosenLanguage, v.Client.Language) {
		return nil
	}
	return &my.Keep{Text: w.Say("my.keep.text"), Action: "/my/language", Value: string(w.Language),
		Button: w.Say("my.keep.button")}
}

// Language serves POST /my/language: the client chooses a language for all pages and mails.
func (p *Pages) Language(c echo.Context) error {
	v, ok, err := p.visit(c)
	if !ok || err != nil {
		return err
	}
	form, err := access.Posted(c)
	if err != nil {
		return err
	}
	if err := p.Service.ChooseLanguage(c.Request().Context(), v, form.Get(checkout.LanguageField), c.RealIP(),
		access.RequestID(c)); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, home)
}
