// Package my serves the client's own page: what a client owes, what is planned, and what it may do there. It reads
// forms and puts what came of them into words. It must not know rules.
package my

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/my/mytext"
	"debitdesk/models/billing"
	"debitdesk/models/clientaccount"
	"debitdesk/models/clientpage"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/my"
)

// Where the pages are.
const (
	home      = "/my/"
	linkPath  = "/my/link/"
	statement = "/my/accessibility/"
)

// Pages serves /my. Who is there is known by a cookie of its own that a link opened; staff are not signed in by it, and
// it opens nothing else.
type Pages struct {
	Service  *clientpage.Service
	Payers   *checkout.Pages
	Money    *report.Money
	Billing  *billing.Service
	Mandates mandate.Store
	// Statements are what clients are told of their accounts.
	Statements *clientaccount.Service
	// Draw gives the agreement as PDF.
	Draw func(ctx context.Context, merchantID, id uuid.UUID, reads locale.Language) ([]byte, error)
}

// cookieName is that of the visit.
const cookieName = checkout.VisitCookie

func (p *Pages) cookie(value string, seconds int) *http.Cookie {
	//nolint:gosec // Secure wherever the product is served by https
	return &http.Cookie{Name: cookieName, Value: value, Path: "/my", MaxAge: seconds, HttpOnly: true,
		Secure: p.Payers.Secure(), SameSite: http.SameSiteLaxMode}
}

// private keeps pages out of searches. The headers of every page keep them out of caches, and their addresses from
// other sites. "no-referrer" would have browsers send forms with the origin "null", which is another site's.
func private(c echo.Context) { c.Response().Header().Set("X-Robots-Tag", "noindex, nofollow") }

// visit finds who is there. Where nobody is, the answer is sent, and ok is false.
func (p *Pages) visit(c echo.Context) (v clientpage.Visit, ok bool, err error) {
	private(c)
	token, _, found := p.visitCookie(c)
	if found {
		v, err = p.Service.Visit(c.Request().Context(), token)
	}
	switch {
	case !found, fault.Is(err, fault.NotFound):
		return v, false, p.over(c)
	case err != nil:
		return v, false, err
	}
	p.keep(c, v, token)
	return v, true, nil
}

// over says that the visit is over, in the language that it had.
func (p *Pages) over(c echo.Context) error {
	_, kept, _ := p.visitCookie(c)
	l, _ := locale.Parse(kept)
	return send(c, http.StatusForbidden, l, func(w locale.Words) templ.Component {
		return my.Door(my.DoorView{Frame: p.nobodys(w, w.Say("my.over.title")), Icon: "lock", Kind: "wait",
			Title: w.Say("my.over.title"), Text: w.Say("my.over.text"), Foot: foot(w)})
	})
}

// nobodys is the frame of a page on which no business is known.
func (p *Pages) nobodys(w locale.Words, title string) layout.PayerFrame {
	f := p.Payers.Frame(w, merchant.Brand{}, title, "")
	f.Title, f.Contact = title, layout.PayerContact{}
	return f
}

func (p *Pages) frame(c echo.Context, w locale.Words, b merchant.Brand, title string) layout.PayerFrame {
	f := p.Payers.Frame(w, b, title, w.Say("my.title"))
	f.Languages = checkout.Languages(*c.Request().URL, w, b)
	return f
}

func foot(w locale.Words) my.Foot {
	return my.Foot{Links: []components.Link{{Text: w.Say("my.accessibility"),
		Href: statement + "?" + checkout.LanguageField + "=" + string(w.Language)}}}
}

func back(w locale.Words) components.Link { return components.Link{Text: w.Say("my.back"), Href: home} }

// Door serves GET /my/link/:token: a button and nothing else, for programs that read mail follow links.
func (p *Pages) Door(c echo.Context) error {
	private(c)
	b, known, err := p.Service.Look(c.Request().Context(), c.Param("token"))
	if err != nil {
		return p.gone(c, b, known, err)
	}
	return send(c, http.StatusOK, p.reads(c, b, known), func(w locale.Words) templ.Component {
		v := my.DoorView{Frame: p.frame(c, w, b, w.Say("my.door.title")), Icon: "lock", Kind: "ok",
			Title: w.Say("my.door.title"), Text: w.Say("my.door.text"), Action: linkPath + c.Param("token"),
			Button: w.Say("my.door.button"), Note: w.Say("my.door.note"), Foot: foot(w)}
		if l, asked := wished(c); asked {
			v.Action += "?" + checkout.LanguageField + "=" + string(l)
		}
		return my.Door(v)
	})
}

// gone says that a link does not work, and how to get another.
func (p *Pages) gone(c echo.Context, b merchant.Brand, known string, err error) error {
	f, is := fault.From(err)
	if !is || f.Kind != fault.NotFound && f.Kind != fault.Conflict {
		return err
	}
	if f.Kind == fault.NotFound {
		return send(c, http.StatusNotFound, checkout.ChosenHere(c), func(w locale.Words) templ.Component {
			return my.Door(my.DoorView{Frame: p.nobodys(w, w.Say("my.gone.title")), Icon: "info", Kind: "wait",
				Title: w.Say("my.gone.title"), Text: w.Say("my.gone.unknown"), Foot: foot(w)})
		})
	}
	m, err := p.Service.Merchants.Merchant(c.Request().Context(), b.MerchantID)
	if err != nil {
		return err
	}
	return send(c, http.StatusGone, p.reads(c, b, known), func(w locale.Words) templ.Component {
		return my.Door(my.DoorView{Frame: p.frame(c, w, b, w.Say("my.gone.title")), Icon: "info", Kind: "wait",
			Title: w.Say("my.gone.title"), Text: w.Say("my.gone.expired", "business", b.Name), Foot: foot(w),
			More: components.Link{Text: w.Say("my.gone.new"),
				Href: checkout.AskPath(m.Slug) + "?" + checkout.LanguageField + "=" + string(w.Language)}})
	})
}

// Open serves POST /my/link/:token.
func (p *Pages) Open(c echo.Context) error {
	private(c)
	token := c.Param("token")
	cookie, err := p.Service.Open(c.Request().Context(), token, c.RealIP(), access.RequestID(c))
	if err != nil {
		b, known, _ := p.Service.Look(c.Request().Context(), token) // known where the link is over
		return p.gone(c, b, known, err)
	}
	if l, asked := wished(c); asked {
		cookie = withLanguage(cookie, l)
	}
	c.SetCookie(p.cookie(cookie, int(clientpage.SessionLasts/time.Second)))
	return c.Redirect(http.StatusSeeOther, home)
}

// Leave serves POST /my/leaving.
func (p *Pages) Leave(c echo.Context) error {
	private(c)
	if token, _, found := p.visitCookie(c); found {
		if err := p.Service.Leave(c.Request().Context(), token); err != nil {
			return err
		}
	}
	c.SetCookie(p.cookie("", -1))
	return c.Redirect(http.StatusSeeOther, home)
}

// AskLink serves GET and POST /my/ask/:merchant. The answer to what is sent is the same for every contact.
func (p *Pages) AskLink(c echo.Context) error {
	private(c)
	ctx := c.Request().Context()
	m, b, err := p.business(c)
	if err != nil {
		return err
	}
	if c.Request().Method != http.MethodPost {
		return p.ask(c, http.StatusOK, m, b, false)
	}
	form, err := access.Posted(c)
	if err != nil {
		return err
	}
	contact := plain(form.Get("contact"))
	if contact == "" || len(contact) > longestContact {
		return p.ask(c, http.StatusUnprocessableEntity, m, b, true)
	}
	if err := p.Service.Ask(ctx, m, contact, form.Get(bySMS) != "", c.RealIP()); err != nil {
		return err
	}
	return send(c, http.StatusOK, p.reads(c, b), func(w locale.Words) templ.Component {
		title, text := w.Say("my.ask.sent"), w.Say("my.ask.sent_text")
		if p.Service.TextsReady() {
			title, text = w.Say("my.ask.sent_sms"), w.Say("my.ask.sent_sms_text")
		}
		return my.Door(my.DoorView{Frame: p.frame(c, w, b, title), Icon: "mail", Kind: "ok", Title: title, Text: text,
			Foot: foot(w)})
	})
}

// ask is the form that asks for a link.
func (p *Pages) ask(c echo.Context, status int, m merchant.Merchant, b merchant.Brand, missing bool) error {
	return send(c, status, p.reads(c, b), func(w locale.Words) templ.Component {
		v := my.AskView{Frame: p.frame(c, w, b, w.Say("my.ask.title")), Title: w.Say("my.ask.title"),
			Text: w.Say("my.ask.text"), Action: checkout.AskPath(m.Slug), Button: w.Say("my.ask.button"), Foot: foot(w),
			Contact: components.Field{Label: w.Say("my.ask.label"), Name: "contact", Required: true, Autocomplete: "email",
				MaxLength: longestContact}}
		if p.Service.TextsReady() {
			v.Text = w.Say("my.ask.text_sms")
			v.BySMS = &components.Checkbox{Label: w.Say("my.ask.by_sms"), Name: bySMS, Value: "yes"}
		}
		if l, asked := wished(c); asked {
			v.Action += "?" + checkout.LanguageField + "=" + string(l)
		}
		if missing {
			v.Contact.Error = w.Say("my.ask.missing")
			v.Problems.Items = []components.ErrorItem{{Field: "contact", Text: v.Contact.Error}}
		}
		return my.Ask(v)
	})
}

const longestContact = 254

// plain is text that a database takes.
func plain(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
}

// business is the merchant of the address, with the brand that it shows.
func (p *Pages) business(c echo.Context) (m merchant.Merchant, b merchant.Brand, err error) {
	ctx := c.Request().Context()
	slug := c.Param("merchant")
	if slug != plain(slug) {
		return m, b, fault.Missing()
	}
	if m, err = p.Service.Merchants.MerchantBySlug(ctx, slug); err != nil {
		return m, b, err
	}
	all, err := p.Service.Merchants.Brands(ctx, m.ID)
	if err == nil && len(all) == 0 {
		err = fault.Missing()
	}
	if err != nil {
		return m, b, err
	}
	b = all[0]
	if len(all) > 1 { // the page is that of the whole business
		b.Name = m.Name
	}
	return m, b, nil
}

// Accessibility serves GET /my/accessibility, in the language of the page from which it was opened.
func (p *Pages) Accessibility(c echo.Context) error {
	l, _ := wished(c)
	return send(c, http.StatusOK, l, func(w locale.Words) templ.Component {
		v := my.TextView{Frame: p.nobodys(w, w.Say("my.accessibility")), Title: w.Say("my.accessibility")}
		for _, s := range mytext.Accessibility(w) {
			v.Sections = append(v.Sections, my.Section{Title: s.Title, Texts: s.Texts, List: s.List})
		}
		return my.Text(v)
	})
}
