// Package my serves the client's own page: what a client owes, what is planned, and what it may do there. It reads
// forms and puts what came of them into words. It must not know rules.
package my

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/html"
	"debitdesk/handlers/my/mytext"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/fault"
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
	askPath   = "/my/ask/"
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
	Draw     func(ctx context.Context, merchantID, id uuid.UUID) ([]byte, error) // the agreement as PDF
	Secure   bool                                                                // cookies go by HTTPS alone
}

// cookieName is that of the visit.
const cookieName = "debitdesk_my"

func (p *Pages) cookie(value string, seconds int) *http.Cookie {
	//nolint:gosec // Secure wherever the product is served by https
	return &http.Cookie{Name: cookieName, Value: value, Path: "/my", MaxAge: seconds, HttpOnly: true, Secure: p.Secure,
		SameSite: http.SameSiteLaxMode}
}

// private keeps pages out of searches. The headers of every page keep them out of caches, and their addresses from
// other sites. "no-referrer" would have browsers send forms with the origin "null", which is another site's.
func private(c echo.Context) { c.Response().Header().Set("X-Robots-Tag", "noindex, nofollow") }

// visit finds who is there. Where nobody is, the answer is sent, and ok is false.
func (p *Pages) visit(c echo.Context) (v clientpage.Visit, ok bool, err error) {
	private(c)
	cookie, err := c.Cookie(cookieName)
	if err == nil {
		v, err = p.Service.Visit(c.Request().Context(), cookie.Value)
	}
	switch {
	case err == nil:
		return v, true, nil
	case cookie == nil || fault.Is(err, fault.NotFound):
		return v, false, p.over(c)
	}
	return v, false, err
}

// over says that the visit is over.
func (p *Pages) over(c echo.Context) error {
	return html.Send(c, http.StatusForbidden, my.Door(my.DoorView{Frame: p.nobodys(mytext.OverTitle), Icon: "lock",
		Kind: "wait", Title: mytext.OverTitle, Text: mytext.OverText, Foot: foot()}))
}

// nobodys is the frame of a page on which no business is known.
func (p *Pages) nobodys(title string) layout.PayerFrame {
	f := p.Payers.Frame(merchant.Brand{}, title, "")
	f.Title, f.Contact = title, layout.PayerContact{}
	return f
}

func (p *Pages) frame(b merchant.Brand, title string) layout.PayerFrame {
	return p.Payers.Frame(b, title, mytext.PageTitle)
}

func foot() my.Foot {
	return my.Foot{Links: []components.Link{{Text: mytext.Accessible, Href: statement}}}
}

func back() components.Link { return components.Link{Text: mytext.Back, Href: home} }

// Door serves GET /my/link/:token: a button and nothing else, for programs that read mail follow links.
func (p *Pages) Door(c echo.Context) error {
	private(c)
	b, err := p.Service.Look(c.Request().Context(), c.Param("token"))
	if err != nil {
		return p.gone(c, b, err)
	}
	return html.Send(c, http.StatusOK, my.Door(my.DoorView{Frame: p.frame(b, mytext.DoorTitle), Icon: "lock", Kind: "ok",
		Title: mytext.DoorTitle, Text: mytext.DoorText, Action: linkPath + c.Param("token"), Button: mytext.DoorButton,
		Note: mytext.DoorNote, Foot: foot()}))
}

// gone says that a link does not work, and how to get another.
func (p *Pages) gone(c echo.Context, b merchant.Brand, err error) error {
	f, known := fault.From(err)
	if !known || f.Kind != fault.NotFound && f.Kind != fault.Conflict {
		return err
	}
	v := my.DoorView{Frame: p.nobodys(mytext.LinkGone), Icon: "info", Kind: "wait", Title: mytext.LinkGone,
		Text: mytext.LinkUnknown, Foot: foot()}
	status := http.StatusNotFound
	if f.Kind == fault.Conflict {
		status, v.Frame, v.Text = http.StatusGone, p.frame(b, mytext.LinkGone), mytext.Expired(b.Name)
		m, err := p.Service.Merchants.Merchant(c.Request().Context(), b.MerchantID)
		if err != nil {
			return err
		}
		v.More = components.Link{Text: mytext.NewLink, Href: askPath + m.Slug + "/"}
	}
	return html.Send(c, status, my.Door(v))
}

// Open serves POST /my/link/:token.
func (p *Pages) Open(c echo.Context) error {
	private(c)
	token := c.Param("token")
	cookie, err := p.Service.Open(c.Request().Context(), token, c.RealIP(), access.RequestID(c))
	if err != nil {
		b, _ := p.Service.Look(c.Request().Context(), token) // known where the link is over
		return p.gone(c, b, err)
	}
	c.SetCookie(p.cookie(cookie, int(clientpage.SessionLasts/time.Second)))
	return c.Redirect(http.StatusSeeOther, home)
}

// Leave serves POST /my/leaving.
func (p *Pages) Leave(c echo.Context) error {
	private(c)
	if cookie, err := c.Cookie(cookieName); err == nil {
		if err := p.Service.Leave(c.Request().Context(), cookie.Value); err != nil {
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
	v := my.AskView{Frame: p.frame(b, mytext.AskTitle), Title: mytext.AskTitle, Text: mytext.AskText,
		Action: askPath + m.Slug + "/", Button: mytext.AskButton, Foot: foot(),
		Contact: components.Field{Label: mytext.AskLabel, Name: "contact", Required: true, Autocomplete: "email",
			MaxLength: longestContact}}
	if c.Request().Method != http.MethodPost {
		return html.Send(c, http.StatusOK, my.Ask(v))
	}
	form, err := access.Posted(c)
	if err != nil {
		return err
	}
	contact := plain(form.Get("contact"))
	if contact == "" || len(contact) > longestContact {
		v.Contact.Error = mytext.AskMissing
		v.Problems.Items = []components.ErrorItem{{Field: "contact", Text: mytext.AskMissing}}
		return html.Send(c, http.StatusUnprocessableEntity, my.Ask(v))
	}
	if err := p.Service.Ask(ctx, m, contact, c.RealIP()); err != nil {
		return err
	}
	return html.Send(c, http.StatusOK, my.Door(my.DoorView{Frame: p.frame(b, mytext.AskSent), Icon: "mail", Kind: "ok",
		Title: mytext.AskSent, Text: mytext.AskSentSay, Foot: foot()}))
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

// Accessibility serves GET /my/accessibility.
func (p *Pages) Accessibility(c echo.Context) error {
	v := my.TextView{Frame: p.nobodys(mytext.Accessible), Title: mytext.Accessible}
	for _, s := range mytext.Accessibility() {
		v.Sections = append(v.Sections, my.Section{Title: s.Title, Texts: s.Texts, List: s.List})
	}
	return html.Send(c, http.StatusOK, my.Text(v))
}

func at(t time.Time) string { return t.In(calendar.SAST).Format("15:04") }
