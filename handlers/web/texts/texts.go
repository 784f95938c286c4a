// Package texts serves the desk's side of short messages: what went to a client and came back, one that is written, and
// the settings. It must not know rules.
package texts

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/sms"
	"debitdesk/models/texting"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Texts serves them.
type Texts struct {
	Desk    *kit.Desk
	Service *texting.Service
	Clients *client.Service
}

const clientsSection = "clients"

// mostShown are the messages and answers that the page of a client lists.
const mostShown = 50

func (h *Texts) find(c echo.Context) (client.Client, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return client.Client{}, err
	}
	return h.Clients.Get(c.Request().Context(), access.Actor(c), id)
}

func pathOf(c client.Client) string { return words.ClientHref(c.ID) + "/sms" }

// Show serves GET /clients/:id/sms.
func (h *Texts) Show(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	return h.show(c, one, url.Values{kit.FormKeyName: {kit.FormKeyOf(c)}}, nil)
}

func (h *Texts) show(c echo.Context, one client.Client, form url.Values, refused error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	byInput, summary, fields := kit.Problems(refused)
	v := pages.ClientSMSView{Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)},
		Action: pathOf(one), FormKey: form.Get(kit.FormKeyName), Problems: components.ErrorSummary{Items: summary}}
	if f, wrong := fault.From(refused); wrong && !fields {
		v.Problems.Items = []components.ErrorItem{{Text: f.Message}}
	}
	v.Text = components.Textarea{Label: "Text", Name: "text", Value: form.Get("text"), Error: byInput["text"], Rows: 4,
		Required: true, MaxLength: 600, Hint: "The name of your business stands before it."}
	if err := h.Service.MayWrite(ctx, one); err != nil {
		f, refused := fault.From(err)
		if !refused {
			return err
		}
		v.Why = f.Message
	} else {
		v.To = words.PhoneWords(one.Phone)
	}
	v.MayWrite = who.Can(actor.Write)
	if err := h.preview(ctx, who, form.Get("text"), &v.Preview); err != nil {
		return err
	}
	if err := h.lists(ctx, who, one, &v); err != nil {
		return err
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "SMS", clientsSection,
		func(f layout.Frame) templ.Component { return pages.ClientSMS(f, v) })
}

// lists are what went to the client and what came back.
func (h *Texts) lists(ctx context.Context, who actor.Actor, one client.Client, v *pages.ClientSMSView) error {
	sent, err := h.Service.Store.MessagesTo(ctx, who.MerchantID, one.ID, mostShown)
	if err != nil {
		return err
	}
	v.Sent = components.Table{Label: "SMS to this client", Heads: []components.Head{{Label: "Written"}, {Label: "To"},
		{Label: "Text"}, {Label: "Parts", Num: true}, {Label: "Status"}}}
	for _, m := range sent {
		v.Sent.Rows = append(v.Sent.Rows, components.Row{Cells: []components.Cell{{Time: words.Moment(m.CreatedAt)},
			{Text: words.PhoneWords(m.To)}, {Text: Shown(m)}, {Text: strconv.Itoa(m.Parts), Class: "num"},
			{Pill: PillOf(m), Second: m.Why}}})
	}
	came, err := h.Service.Store.RepliesOf(ctx, who.MerchantID, one.ID, mostShown)
	if err != nil {
		return err
	}
	v.Came = components.Table{Label: "Answers of this client", Heads: []components.Head{{Label: "When"}, {Label: "From"},
		{Label: "Text"}}}
	for _, r := range came {
		v.Came.Rows = append(v.Came.Rows, components.Row{Cells: []components.Cell{{Time: words.Moment(r.CreatedAt)},
			{Text: words.PhoneWords(r.Phone)}, {Text: r.Text}}})
	}
	return nil
}

// Shown is the text of a message as staff see it: a link that lets the client in is for the client alone.
func Shown(m sms.Message) string {
	if m.LetsIn() {
		return "The link to the client’s own page"
	}
	return m.Text
}

// PillOf is the state of a message.
func PillOf(m sms.Message) components.Pill {
	kind := map[sms.State]string{sms.Queued: "wait", sms.Sent: "progress", sms.Delivered: "done", sms.Failed: "bad",
		sms.Expired: "bad", sms.Skipped: "draft"}[m.State]
	p := components.Pill{Kind: kind, Word: m.State.Label()}
	if m.State == sms.Queued {
		p.Title = "Its turn comes on " + words.Moment(m.NotBefore).Title + "."
	}
	return p
}

func (h *Texts) preview(ctx context.Context, who actor.Actor, text string, v *pages.SMSPreview) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	d, err := h.Service.Preview(ctx, who, text)
	if err != nil {
		return err
	}
	*v = Counted(d)
	return nil
}

// Counted is how a text would arrive, with what it is counted as.
func Counted(d texting.Draft) (v pages.SMSPreview) {
	v.Text = d.Text
	v.Count = fmt.Sprintf("%s, %d of %d characters, %s", d.Encoding, d.Units, d.Room(), plural.Of(d.Parts, "part"))
	if d.Parts > 1 {
		v.Note = "Each part is paid for."
	}
	if len(d.Outside) > 0 {
		list := make([]string, len(d.Outside))
		for i, r := range d.Outside {
			list[i] = string(r)
		}
		v.Note = "These characters make each part shorter: " + strings.Join(list, " ") + ". " + v.Note
	}
	return v
}

// Preview serves POST /clients/:id/sms/preview: how the text would arrive, while it is written.
func (h *Texts) Preview(c echo.Context) error {
	if _, err := h.find(c); err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	var v pages.SMSPreview
	if err := h.preview(c.Request().Context(), access.Actor(c), form.Get("text"), &v); err != nil {
		return err
	}
	return html.Send(c, http.StatusOK, pages.SMSPreviewOf(v))
}

// Write serves POST /clients/:id/sms.
func (h *Texts) Write(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if form.Get("preview") != "" { // without a script
		return h.show(c, one, form, nil)
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (sms.Message, error) {
		m, err := h.Service.Write(ctx, access.Actor(c), one.ID, form.Get("text"))
		if err == nil {
			err = access.AddFlash(c, "ok", OnItsWay(m))
		}
		return m, err
	}, func(sms.Message) string { return pathOf(one) })
	if kit.MayShow(err) {
		return h.show(c, one, form, err)
	}
	return err
}

// OnItsWay says when a message goes out that was just queued.
func OnItsWay(m sms.Message) string {
	if m.NotBefore.After(m.CreatedAt) {
		return "The SMS goes out on " + words.Moment(m.NotBefore).Text +
			": SMS are not sent at night, on Sundays and on holidays."
	}
	return "The SMS is on its way to " + words.PhoneWords(m.To) + "."
}

// ClientPanel is what the page of a client shows of its SMS; nothing where there are none.
func (h *Texts) ClientPanel(ctx context.Context, who actor.Actor, one client.Client) (templ.Component, error) {
	if one.Erased() {
		return templ.NopComponent, nil
	}
	since, err := h.Service.BlockedSince(ctx, one)
	if err != nil {
		return nil, err
	}
	last, err := h.Service.Store.MessagesTo(ctx, who.MerchantID, one.ID, 1)
	if err != nil {
		return nil, err
	}
	if since.IsZero() && len(last) == 0 && !h.Service.Ready() {
		return templ.NopComponent, nil
	}
	v := pages.SMSPanelView{Href: pathOf(one)}
	if !since.IsZero() {
		v.Blocked = "The client answered STOP on " + words.Moment(since).Text +
			". No SMS go to this number until it answers START."
	}
	for _, m := range last {
		v.Last, v.At, v.Why = PillOf(m), words.Moment(m.CreatedAt), m.Why
	}
	return pages.SMSPanel(v), nil
}
