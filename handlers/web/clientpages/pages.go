// Package clientpages serves the desk's side of clients' own pages: links that are sent, what clients may do there, and
// what they ask for. It must not know rules.
package clientpages

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/texts"
	"debitdesk/handlers/web/words"
	"debitdesk/models/client"
	"debitdesk/models/clientpage"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/sms"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Pages serves them.
type Pages struct {
	Desk    *kit.Desk
	Service *clientpage.Service
	Clients *client.Service
}

const clientsSection = "clients"

func (p *Pages) find(c echo.Context) (client.Client, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return client.Client{}, err
	}
	return p.Clients.Get(c.Request().Context(), access.Actor(c), id)
}

// Show serves GET /clients/:id/page.
func (p *Pages) Show(c echo.Context) error {
	one, err := p.find(c)
	if err != nil {
		return err
	}
	return p.show(c, one, nil)
}

func (p *Pages) show(c echo.Context, one client.Client, refused error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	at := words.ClientHref(one.ID)
	links, err := p.Service.Store.LinksOf(ctx, who.MerchantID, one.ID, mostLinks)
	if err != nil {
		return err
	}
	asked, err := p.Service.RequestsOf(ctx, who, one.ID)
	if err != nil {
		return err
	}
	m, err := p.Service.Merchants.Merchant(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	v := pages.ClientPageView{Back: components.Link{Text: one.Name(), Href: at}, Action: at + "/page",
		FormKey: kit.FormKeyOf(c), RequestsHref: at + "/requests/new", AskAddress: p.askAddress(m),
		Button: "Send the client’s page", Words: "The link is mailed to the address on file. It works for 24 hours."}
	if f, wrong := fault.From(clientpage.MaySend(one)); wrong {
		v.Why = f.Message
	} else {
		v.Words = "The link is mailed to " + one.Email + ". It works for 24 hours."
	}
	if p.Service.Texts.Ready() {
		v.SMSAction, v.SMSWords = v.Action+"/sms", "To "+words.PhoneWords(one.Phone)+". Each part of an SMS is paid for."
		if err := p.Service.MaySendSMS(ctx, one); err != nil {
			f, refused := fault.From(err)
			if !refused {
				return err
			}
			v.SMSWhy = f.Message
		}
	}
	if f, wrong := fault.From(refused); wrong {
		v.Problems.Items = []components.ErrorItem{{Text: f.Message}}
	}
	now := p.Service.Real()
	v.Links = components.Table{Label: "Links to the client’s own page", Heads: []components.Head{{Label: "Sent"},
		{Label: "By"}, {Label: "Opened"}, {Label: "Status"}}}
	for _, l := range links {
		if l.RevokedAt.IsZero() && l.ExpiresAt.After(now) {
			v.EndAction = at + "/page/end"
		}
		v.Links.Rows = append(v.Links.Rows, components.Row{Cells: []components.Cell{{Time: words.Moment(l.CreatedAt)},
			{Text: l.AskedBy}, opened(l), {Pill: linkPill(l, now)}}})
	}
	v.Requests = p.table("Requests of this client", asked, false)
	return p.Desk.ShowIn(c, kit.StatusOf(refused), "The client’s own page", clientsSection,
		func(f layout.Frame) templ.Component { return pages.ClientPage(f, v) })
}

// mostLinks are those that the page of a client lists.
const mostLinks = 20

func (p *Pages) askAddress(m merchant.Merchant) string {
	return p.Desk.BaseURL + checkout.AskPath(m.Slug)
}

func opened(l clientpage.Link) components.Cell {
	if l.OpenedAt.IsZero() {
		return components.Cell{Text: "Not yet"}
	}
	return components.Cell{Time: words.Moment(l.OpenedAt)}
}

func linkPill(l clientpage.Link, now time.Time) components.Pill {
	switch {
	case l.RevokedWhy == "contact":
		return components.Pill{Kind: "draft", Word: "Ended", Title: "The contact details of the client changed."}
	case !l.RevokedAt.IsZero():
		return components.Pill{Kind: "draft", Word: "Ended"}
	case !l.ExpiresAt.After(now):
		return components.Pill{Kind: "draft", Word: "Expired"}
	}
	return components.Pill{Kind: "done", Word: "Works"}
}

// Send serves POST /clients/:id/page.
func (p *Pages) Send(c echo.Context) error {
	one, err := p.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	err = kit.Once(c, p.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (clientpage.Link, error) {
		l, err := p.Service.Send(ctx, access.Actor(c), one.ID)
		if err == nil {
			err = access.AddFlash(c, "ok", "The link is on its way to "+one.Email+".")
		}
		return l, err
	}, func(clientpage.Link) string { return words.ClientHref(one.ID) + "/page" })
	if kit.MayShow(err) {
		return p.show(c, one, err)
	}
	return err
}

// SendSMS serves POST /clients/:id/page/sms.
func (p *Pages) SendSMS(c echo.Context) error {
	one, err := p.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	err = kit.Once(c, p.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (sms.Message, error) {
		m, err := p.Service.SendSMS(ctx, access.Actor(c), one.ID)
		if err == nil {
			err = access.AddFlash(c, "ok", texts.OnItsWay(m))
		}
		return m, err
	}, func(sms.Message) string { return words.ClientHref(one.ID) + "/page" })
	if kit.MayShow(err) {
		return p.show(c, one, err)
	}
	return err
}

// End serves POST /clients/:id/page/end.
func (p *Pages) End(c echo.Context) error {
	one, err := p.find(c)
	if err != nil {
		return err
	}
	if _, err := p.Service.EndLinks(c.Request().Context(), access.Actor(c), one.ID); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The links of "+one.Name()+" were ended.", words.ClientHref(one.ID)+"/page")
}

// Settings serves GET /settings/brands/:id/page.
func (p *Pages) Settings(c echo.Context) error { return p.settings(c, nil, nil) }

func (p *Pages) settings(c echo.Context, form url.Values, refused error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	b, err := p.Service.Merchants.Brand(ctx, who.MerchantID, id)
	if err != nil {
		return err
	}
	set, err := p.Service.SettingsOf(ctx, who.MerchantID, id)
	if err != nil {
		return err
	}
	m, err := p.Service.Merchants.Merchant(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	byInput, summary, _ := kit.Problems(refused)
	v := pages.PageSettingsView{Title: "Clients’ own page of " + b.Name, Action: words.BrandHref(b.ID) + "/page",
		Back: components.Link{Text: b.Name, Href: words.BrandHref(b.ID)}, Version: strconv.Itoa(set.Version),
		Problems: components.ErrorSummary{Items: summary}, Address: p.askAddress(m)}
	if f, wrong := fault.From(refused); wrong && len(summary) == 0 {
		v.Note = &components.Note{Kind: "warn", Title: "Not saved", Text: f.Message}
	}
	for _, k := range clientpage.Kinds {
		if len(k.Choices()) < 2 {
			continue
		}
		chosen := set.Of(k)
		if form != nil {
			chosen = clientpage.Policy(form.Get(string(k)))
		}
		s := components.Select{Label: actNames[k], Name: string(k), Error: byInput[string(k)], Required: true}
		for _, one := range k.Choices() {
			s.Options = append(s.Options, components.Option{Value: string(one), Text: policyNames[one], Selected: one == chosen})
		}
		v.Acts = append(v.Acts, s)
	}
	return p.Desk.ShowIn(c, kit.StatusOf(refused), v.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.PageSettings(f, v) })
}

// actNames are the acts as staff read them.
var actNames = map[clientpage.Kind]string{clientpage.Promise: "Say when they will pay",
	clientpage.Invoice: "Get an invoice by mail again", clientpage.Day: "Move a debit to another day, once",
	clientpage.Stop: "Stop a subscription", clientpage.Pause: "Pause a subscription",
	clientpage.Account: "Give another bank account", clientpage.Details: "Have details corrected"}

var policyNames = map[clientpage.Policy]string{clientpage.On: "Yes", clientpage.AskStaff: "Ask, and your team decides",
	clientpage.Off: "No"}

// Set serves POST /settings/brands/:id/page.
func (p *Pages) Set(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	acts := map[clientpage.Kind]clientpage.Policy{}
	for _, k := range clientpage.Kinds {
		if form.Has(string(k)) {
			acts[k] = clientpage.Policy(form.Get(string(k)))
		}
	}
	version, _ := strconv.Atoi(form.Get("version")) // what is no number is no version that there is
	_, err = p.Service.Set(c.Request().Context(), access.Actor(c), id, version, acts)
	if kit.MayShow(err) {
		return p.settings(c, form, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "What clients may do on their own page is saved.",
		words.BrandHref(id)+"/page")
}
