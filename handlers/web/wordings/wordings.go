// Package wordings serves what clients get in writing before it is sent: each kind of message as an example, and a test
// of it to oneself.
package wordings

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/letters"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/texts"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/notice"
	"debitdesk/models/texting"
	"debitdesk/models/wording"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Wordings serves them.
type Wordings struct {
	Desk    *kit.Desk
	Service *wording.Service
	Brands  merchant.Store
	Writer  letters.Writer
	Notices *notice.Service
}

const (
	looksPhone = "phone"
	looksText  = "text"
)

func path(b merchant.Brand) string { return words.BrandHref(b.ID) + "/messages" }

// List serves GET /settings/brands/:id/messages.
func (h *Wordings) List(c echo.Context) error {
	b, err := h.brand(c)
	if err != nil {
		return err
	}
	brands, err := h.Brands.Brands(c.Request().Context(), b.MerchantID)
	if err != nil {
		return err
	}
	v := pages.WordingsView{Sub: "What " + b.Name + " sends to its clients, when, and how it reads.",
		Back: components.Link{Text: "Messages", Href: "/messages"}}
	if access.Actor(c).Can(actor.Manage) {
		v.Back = components.Link{Text: b.Name, Href: words.BrandHref(b.ID)}
	}
	v.Brands.Label = "Brands"
	for _, one := range brands {
		v.Brands.Items = append(v.Brands.Items, components.Tab{Label: one.Name, Href: path(one), Active: one.ID == b.ID})
	}
	for _, k := range wording.Kinds {
		var by []string
		if k.ByMail {
			by = append(by, "E-mail")
		}
		if k.BySMS {
			by = append(by, "SMS")
		}
		v.Rows = append(v.Rows, pages.WordingRow{Href: path(b) + "/" + k.Name, Title: k.Title, When: k.When,
			By: strings.Join(by, ", "), Own: inLanguages(b, k)})
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Messages to clients", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Wordings(f, v) })
}

// First serves GET /settings/messages: those of the first brand, which lead to those of others.
func (h *Wordings) First(c echo.Context) error {
	brands, err := h.Brands.Brands(c.Request().Context(), access.Actor(c).MerchantID)
	if err != nil {
		return err
	}
	if len(brands) == 0 {
		return fault.Missing()
	}
	return c.Redirect(http.StatusSeeOther, path(brands[0]))
}

// inLanguages are those in which the business says something itself in a kind of message.
func inLanguages(b merchant.Brand, k wording.Kind) string {
	var in []string
	for _, l := range locale.Languages {
		if b.Words(k.Name, l) != (merchant.Wording{}) {
			in = append(in, l.Name())
		}
	}
	return strings.Join(in, ", ")
}

func (h *Wordings) brand(c echo.Context) (merchant.Brand, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return merchant.Brand{}, err
	}
	return h.Brands.Brand(c.Request().Context(), access.Actor(c).MerchantID, id)
}

// asked is what an address names: a kind of message of a brand, in a language.
type asked struct {
	wording.Kind
	brand merchant.Brand
	lang  locale.Language
}

func (a asked) href() string { return path(a.brand) + "/" + a.Name }

// languages are those in which the brand writes.
func (a asked) languages() []locale.Language {
	return append([]locale.Language{locale.English}, a.brand.Offered()...)
}

// tabs lead to a page of the kind in each language.
func (a asked) tabs(page, more string) components.Tabs {
	t := components.Tabs{Label: "Languages"}
	for _, l := range a.languages() {
		t.Items = append(t.Items, components.Tab{Label: l.Name(), Active: l == a.lang,
			Href: a.href() + page + "?language=" + string(l) + more})
	}
	return t
}

func (h *Wordings) find(c echo.Context, language string) (a asked, err error) {
	if a.brand, err = h.brand(c); err != nil {
		return a, err
	}
	kind, known := wording.Of(c.Param("message"))
	if !known {
		return a, fault.Missing()
	}
	a.Kind = kind
	l, _ := locale.Parse(language)
	if a.lang = locale.English; slices.Contains(a.languages(), l) {
		a.lang = l
	}
	return a, nil
}

// posted is a form that was sent, and what it is about.
func (h *Wordings) posted(c echo.Context) (form url.Values, a asked, err error) {
	if form, err = kit.FormOf(c); err != nil {
		return nil, a, err
	}
	a, err = h.find(c, form.Get("language"))
	return form, a, err
}

func (h *Wordings) example(a asked) letters.Example {
	return letters.Example{Writer: h.Writer, Brand: a.brand, Language: a.lang, Now: h.Desk.Now()}
}

// Show serves GET /settings/brands/:id/messages/:message.
func (h *Wordings) Show(c echo.Context) error {
	a, err := h.find(c, c.QueryParam("language"))
	if err != nil {
		return err
	}
	return h.show(c, http.StatusOK, a, nil, nil)
}

// show shows a kind of message; of the notice of a debit with what was chosen and refused.
func (h *Wordings) show(c echo.Context, status int, a asked, in *notice.Input, refused error) error {
	v := pages.WordingView{Title: a.Title, When: a.When,
		Back: components.Link{Text: "Messages to clients", Href: path(a.brand)}}
	looks := c.QueryParam("look")
	v.Languages = a.tabs("", "&look="+lookOf(looks))
	if len(a.Places) > 0 && access.Actor(c).Can(actor.Manage) {
		own := "?language=" + string(a.lang)
		v.Change = components.Button{Label: "Change your words", Href: a.href() + "/words" + own}
		v.History = components.Button{Label: "History", Href: a.href() + "/history" + own}
	}
	h.mail(&v, a, looks)
	if text, by := h.example(a).SMS(a.Name); by {
		v.SMS = texts.Counted(texting.Drafted(text))
		v.SMS.Count += "."
	}
	if err := h.notice(c.Request().Context(), &v, a, access.Actor(c), in, refused); err != nil {
		return err
	}
	allowMails(c, a)
	return h.page(c, status, v)
}

func lookOf(asked string) string {
	if asked == looksPhone || asked == looksText {
		return asked
	}
	return "desk"
}

// mail shows the mail of the kind, where there is one.
func (h *Wordings) mail(v *pages.WordingView, a asked, looks string) {
	l, by := h.example(a).Mail(a.Name)
	if !by {
		return
	}
	v.Subject = l.Subject
	v.Looks.Label = "How it looks"
	for _, look := range []struct{ name, label string }{{"desk", "On a computer"}, {looksPhone, "On a phone"},
		{looksText, "Plain text"}} {
		v.Looks.Items = append(v.Looks.Items, components.Tab{Label: look.label, Active: look.name == lookOf(looks),
			Href: a.href() + "?language=" + string(a.lang) + "&look=" + look.name})
	}
	v.HTML, v.Phone = l.HTML, looks == looksPhone
	if looks == looksText {
		v.HTML, v.Text = "", l.Text
	}
	if a.lang != locale.English && letters.InEnglish(l) {
		v.Note = "This mail is not written in " + a.lang.Name() + " yet. Clients get it in English."
	}
	v.TestAction = a.href() + "/test"
	v.TestLanguage = string(a.lang)
	v.TestWords = "It goes to your own address only, with [Test] in the subject."
}

// Test serves POST /settings/brands/:id/messages/:message/test.
func (h *Wordings) Test(c echo.Context) error {
	_, a, err := h.posted(c)
	if err != nil {
		return err
	}
	e := h.example(a)
	l, by := e.Mail(a.Name)
	if !by {
		return fault.Missing()
	}
	to, err := h.Service.SendTest(c.Request().Context(), access.Actor(c), a.brand, a.Kind, e.Test(l, a.Title))
	back := a.href() + "?language=" + string(a.lang)
	if err != nil {
		return kit.GoBack(c, err, back)
	}
	return access.RedirectWithFlash(c, "ok", "A test is on its way to "+to+".", back)
}
