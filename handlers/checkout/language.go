package checkout

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
)

// LanguageField is how a link says in which language its page is to be shown.
const LanguageField = "language"

// languageCookie keeps the language that somebody chose on a payment page, for the pages of that business in the same
// browser. It changes nothing for anybody else who has the link.
const (
	// VisitCookie holds the visit of a client to its own page, and behind a point the language of that visit.
	VisitCookie     = "debitdesk_my"
	languageCookie  = "debitdesk_payer_language"
	languageSeconds = 180 * 24 * 60 * 60
)

// Secure tells whether cookies are for https alone.
func (p *Pages) Secure() bool { return strings.HasPrefix(p.BaseURL, "https://") }

// Languages are the links to a page in the languages that the brand offers; none where it offers English alone.
func Languages(at url.URL, w locale.Words, brand merchant.Brand) (links []components.LanguageLink) {
	offered := brand.Offered()
	if len(offered) == 0 {
		return nil
	}
	for _, l := range append([]locale.Language{locale.English}, offered...) {
		query := at.Query()
		query.Set(LanguageField, string(l))
		links = append(links, components.LanguageLink{Name: l.Name(), Tag: l.Tag(),
			Href: at.EscapedPath() + "?" + query.Encode(), Current: l == w.Language})
	}
	return links
}

// ChosenHere is the language that somebody chose in this browser on a payment page, or for the visit of a client's own
// page, whose cookie holds it behind a point; English where nobody did.
func ChosenHere(c echo.Context) locale.Language {
	for _, name := range []string{languageCookie, VisitCookie} {
		if cookie, err := c.Cookie(name); err == nil {
			if l, is := locale.Parse(cookie.Value[strings.LastIndex(cookie.Value, ".")+1:]); is {
				return l
			}
		}
	}
	return locale.English
}

// reads is the language of a page: that of its link, that chosen here before, what the client chose, or else that of
// the purchase.
func (p *Pages) reads(c echo.Context, rec purchase.Record) (locale.Language, error) {
	if len(rec.Brand.Offered()) == 0 {
		return locale.English, nil
	}
	kept := ""
	if cookie, err := c.Cookie(languageCookie); err == nil {
		kept = cookie.Value
	}
	if asked, is := locale.Parse(c.QueryParam(LanguageField)); is && rec.Brand.Reads(string(asked)) == asked {
		if kept != string(asked) {
			//nolint:gosec // Secure wherever the product is served by https
			c.SetCookie(&http.Cookie{Name: languageCookie, Value: string(asked), Path: "/p/", MaxAge: languageSeconds,
				HttpOnly: true, Secure: p.Secure(), SameSite: http.SameSiteLaxMode})
		}
		return asked, nil
	}
	if l, is := locale.Parse(kept); is && rec.Brand.Reads(kept) == l {
		return l, nil
	}
	known, err := p.Purchases.ReadsIn(c.Request().Context(), rec.Purchase)
	return rec.Brand.Reads(known), err
}

// send answers with a page in the language of its reader, and the links to the same page in the others.
func (p *Pages) send(c echo.Context, status int, rec purchase.Record,
	draw func(locale.Words, []components.LanguageLink) templ.Component) error {
	reads, err := p.reads(c, rec)
	if err != nil {
		return err
	}
	at := *c.Request().URL
	if c.Request().Method != http.MethodGet && c.Request().Method != http.MethodHead {
		at = url.URL{Path: weblink.Payer(rec.ID)} // what was sent is not sent again by a link
	}
	return html.Send(c, status, locale.Whole(reads, func(w locale.Words) templ.Component {
		return draw(w, Languages(at, w, rec.Brand))
	}))
}
