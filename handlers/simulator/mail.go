package simulator

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/api/input"
	"debitdesk/handlers/download"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const (
	mailPath  = "/sandbox/mail"
	mailPage  = 100   // messages for a program that gives no limit
	mailLimit = 1_000 // at most
)

// Mail serves GET /sandbox/mail, newest first. For programs a page is cut by limit and
// cursor; the Link header leads to older ones.
func (h *Controls) Mail(c echo.Context) error {
	if err := mayRead(c); err != nil {
		return err
	}
	if forPeople(c) {
		return h.mailList(c).Show(c)
	}
	ask, err := readPage(c)
	if err != nil {
		return err
	}
	page, err := h.mails(c, outbox.Filter{}, ask)
	if err != nil {
		return err
	}
	if page.Older {
		linkOlder(c, mailPath, ask, page.Items[len(page.Items)-1].ID)
	}
	if err := h.measure(c.Request().Context(), page.Items...); err != nil {
		return err
	}
	return api.JSON(c, http.StatusOK, paging.Map(page, h.mailBody).Items)
}

// linkOlder tells a program where the next page is.
func linkOlder(c echo.Context, path string, ask paging.Ask, last uuid.UUID) {
	c.Response().Header().Set("Link", "<"+path+"?limit="+strconv.Itoa(ask.Limit)+"&cursor="+last.String()+`>; rel="next"`)
}

func (h *Controls) mails(c echo.Context, f outbox.Filter, ask paging.Ask) (paging.Page[mail.Mail], error) {
	found, err := h.Mails.Mails(c.Request().Context(), access.Actor(c).MerchantID, f, ask)
	for n := range found {
		veil(c, &found[n])
	}
	return paging.Cut(ask, found), err
}

func readPage(c echo.Context) (paging.Ask, error) {
	var wrong fault.Problems
	ask := paging.Ask{Limit: mailPage}
	if text := c.QueryParam("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mailLimit {
			wrong.Add("limit", "invalid", "Enter a number from 1 to %d.", mailLimit)
		}
		ask.Limit = n
	}
	if text := c.QueryParam("cursor"); text != "" {
		var err error
		if ask.From, err = input.ParseUUID(text); err != nil {
			wrong.Add("cursor", "invalid", "This is not a valid cursor.")
		}
	}
	return ask, wrong.Err()
}

type mailWire struct {
	ID          string           `json:"id"`
	To          string           `json:"to"`
	CC          []string         `json:"cc"`
	BCC         []string         `json:"bcc"`
	Subject     string           `json:"subject"`
	Text        string           `json:"text"`
	HTML        string           `json:"html"`
	Attachments []attachmentWire `json:"attachments"`
	State       string           `json:"state"`
	SentOn      *int64           `json:"sent_on"` // null while it waits
}

type attachmentWire struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size *int   `json:"size"` // bytes; null when it has not been drawn yet
}

func (h *Controls) mailBody(m mail.Mail) mailWire {
	w := mailWire{ID: m.ID.String(), To: m.To, CC: orEmpty(m.CC), BCC: orEmpty(m.BCC), Subject: m.Subject, Text: m.Text,
		HTML:        m.HTML,
		Attachments: []attachmentWire{}, State: m.State}
	for _, a := range m.Attachments {
		w.Attachments = append(w.Attachments, attachmentWire{a.Name, a.Type, h.size(a)})
	}
	if !m.SentAt.IsZero() {
		sent := m.SentAt.Unix()
		w.SentOn = &sent
	}
	return w
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (h *Controls) mailList(c echo.Context) kit.Shown {
	return &kit.List[mail.Mail, outbox.Filter]{
		Desk: h.Desk, Path: mailPath, Active: active, Title: "Mail", One: "mail",
		Head: components.PageHead{Title: "Sandbox",
			Sub: "Messages to clients are kept here. They are sent only if a mail relay is configured."},
		Nav: components.StatusTabs(h.tabs(mailPath)), Card: components.Card{Title: "Mail"},
		Query: func(_ context.Context, _ actor.Actor, f outbox.Filter, ask paging.Ask) (paging.Page[mail.Mail], error) {
			return h.mails(c, f, ask)
		},
		Filters: []kit.Filter[outbox.Filter]{
			kit.PastFilter("when", "Made", func(f *outbox.Filter) *time.Time { return &f.From },
				func(f *outbox.Filter) *time.Time { return &f.To }),
			kit.FromDay("from", "Made from", func(f *outbox.Filter) *time.Time { return &f.From }),
			kit.ToDay("to", "Made to", func(f *outbox.Filter) *time.Time { return &f.To }),
		},
		ID: func(m mail.Mail) uuid.UUID { return m.ID },
		Columns: []kit.Column[mail.Mail]{
			kit.ColumnOf("Subject", func(m mail.Mail) components.Cell {
				return components.Cell{Text: m.Subject, Href: mailHref(m)}
			}),
			kit.ColumnOf("To", func(m mail.Mail) components.Cell {
				return components.Cell{Text: m.To, Class: "wrap-anywhere"}
			}),
			kit.ColumnOf("Sent", func(m mail.Mail) components.Cell { return components.Cell{Time: moment(sentOr(m))} }).Zoned(),
			kit.PillColumn("State", 0, mailPill),
		},
		Empty: components.Empty{Icon: "mail", Title: "No mail yet",
			Text:   "Send an account link or an invoice, or ask for a receipt, and it appears here.",
			Action: components.Button{Label: "New purchase", Href: "/purchases/new", Kind: "plain", Changes: true}},
	}
}

func sentOr(m mail.Mail) time.Time {
	if m.SentAt.IsZero() {
		return m.CreatedAt
	}
	return m.SentAt
}

func mailHref(m mail.Mail) string { return mailPath + "/" + m.ID.String() }

func mailPill(m mail.Mail) components.Pill {
	switch m.State {
	case mail.Sent:
		return components.Pill{Kind: "done", Word: "Sent"}
	case mail.Failed:
		return components.Pill{Kind: "bad", Word: "Failed", Title: m.Error}
	}
	return components.Pill{Kind: "progress", Word: "Waiting", Title: m.Error}
}

// Message serves GET /sandbox/mail/:id.
func (h *Controls) Message(c echo.Context) error {
	m, err := h.find(c)
	if err != nil {
		return err
	}
	if !forPeople(c) {
		if err := h.measure(c.Request().Context(), m); err != nil {
			return err
		}
		return api.JSON(c, http.StatusOK, h.mailBody(m))
	}
	v := pages.SandboxMessageView{
		Subject: m.Subject, State: mailPill(m), Text: m.Text, Back: components.Link{Text: "Mail", Href: mailPath},
		Facts: components.Facts{Items: []components.Fact{{Label: "To", Value: m.To},
			{Label: "Sent", Value: moment(m.SentAt).Text}}},
	}
	for _, line := range []struct {
		label string
		to    []string
	}{{"Copy", m.CC}, {"Blind copy", m.BCC}} {
		for _, to := range line.to {
			v.Facts.Items = append(v.Facts.Items, components.Fact{Label: line.label, Value: to})
		}
	}
	if m.PurchaseID != uuid.Nil {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: "About", Value: "Purchase",
			Href: "/purchases/" + m.PurchaseID.String()})
	}
	if m.HTML != "" {
		v.HTMLHref = mailHref(m) + "/html"
	}
	for i, a := range m.Attachments {
		v.Files = append(v.Files, components.Link{Text: a.Name, Href: mailHref(m) + "/files/" + strconv.Itoa(i)})
	}
	return h.Desk.ShowIn(c, http.StatusOK, m.Subject, active,
		func(f layout.Frame) templ.Component { return pages.SandboxMessage(f, v) })
}

func (h *Controls) find(c echo.Context) (mail.Mail, error) {
	if err := mayRead(c); err != nil {
		return mail.Mail{}, err
	}
	id, err := api.ID(c, "id")
	if err != nil {
		return mail.Mail{}, err
	}
	m, err := h.Mails.Mail(c.Request().Context(), access.Actor(c).MerchantID, id)
	veil(c, &m)
	return m, err
}

// aLink is what lets the reader of an invitation or a reset in.
var aLink = regexp.MustCompile(`https?://\S+/(invite|reset)/\S+`)

const leftOut = "(The link is for one person only and is not shown here. A signed-in admin sees it.)"

// veil takes the link out of mails to the people of the business for everybody but a
// signed-in admin: who reads the link to an admin's new password is that admin. A
// program is nobody's admin, whatever its scopes are.
func veil(c echo.Context, m *mail.Mail) {
	who := access.Actor(c)
	if !m.LetsStaffIn() || who.Kind == actor.User && who.Can(actor.Manage) {
		return
	}
	text := aLink.ReplaceAllString(m.Text, leftOut)
	if text == m.Text && text != mail.LinkNotKept {
		text = leftOut + "\n" // worded in a way that is not known here
	}
	m.Text, m.HTML = text, ""
}

// MessageHTML serves GET /sandbox/mail/:id/html: the message as a mail program
// would draw it, as a document of its own origin that can run nothing.
func (h *Controls) MessageHTML(c echo.Context) error {
	m, err := h.find(c)
	if err != nil {
		return err
	}
	if m.HTML == "" {
		return fault.Missing()
	}
	c.Response().Header().Set("Content-Security-Policy",
		"sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; "+
			"img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	return c.HTML(http.StatusOK, m.HTML)
}

// File serves GET /sandbox/mail/:id/files/:n.
func (h *Controls) File(c echo.Context) error {
	m, err := h.find(c)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(c.Param("n"))
	if err != nil || n < 0 || n >= len(m.Attachments) {
		return fault.Missing()
	}
	a := m.Attachments[n]
	content, err := h.content(c.Request().Context(), m, a)
	if err != nil {
		return err
	}
	return download.Send(c, a.Name, a.Type, content)
}
