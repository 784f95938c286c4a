// Package messages serves what went out to clients in writing: the list of mails and SMS, and what each said.
package messages

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/texts"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/message"
	"debitdesk/models/sms"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Messages serves them.
type Messages struct {
	Desk    *kit.Desk
	Service *message.Service
	Exports *kit.Exports
}

const (
	path    = "/messages"
	section = "clients"
)

var channels = map[message.Channel]string{message.Mail: "E-mail", message.SMS: "SMS"}

func (h *Messages) list() kit.Shown {
	return &kit.List[message.Message, message.Filter]{
		Desk: h.Desk, Exports: h.Exports, Path: path, Active: section, One: "message",
		Head: components.PageHead{Title: "Messages",
			Sub:       "What clients were sent by e-mail and SMS, what waits to go out and what did not arrive.",
			Secondary: []components.Button{{Label: "How each message reads", Href: "/settings/messages"}}},
		Query: h.Service.List, ID: func(m message.Message) uuid.UUID { return m.ID },
		Count: func(ctx context.Context, who actor.Actor, f message.Filter) (kit.Tally, error) {
			n, known, err := h.Service.Count(ctx, who, f)
			if !known {
				return kit.Tally{}, err
			}
			return kit.Tally{Found: kit.FoundUpTo(n, message.CountLimit)}, err
		},
		By: "state", Views: []kit.View{
			kit.ViewOf("Waiting", "state", message.Waiting),
			kit.ViewOf("Sent", "state", message.Sent),
			kit.ViewOf("Not delivered", "state", message.Unsent),
		},
		Search: kit.Search[message.Filter]{Label: "Search messages", Holder: "Client, address, number or subject",
			Set: func(f *message.Filter, text string) { f.Search = text }},
		Filters: h.filters(), Columns: columns, Sorts: kit.ByAge,
		Empty: components.Empty{Icon: "mail", Title: "No message yet",
			Text: "Invoices, agreements, notices, reminders and receipts are listed here once they are written to clients."},
	}
}

func (h *Messages) filters() []kit.Filter[message.Filter] {
	return []kit.Filter[message.Filter]{
		kit.StateFilter("state", "a state of messages", message.States,
			func(f *message.Filter) *message.State { return &f.State }),
		kit.ChoiceFilter("channel", "a channel", "By ", components.Select{Label: "Channel", Blank: "Any", Quiet: true,
			Options: []components.Option{{Value: string(message.Mail), Text: channels[message.Mail]},
				{Value: string(message.SMS), Text: channels[message.SMS]}}},
			func(f *message.Filter) *message.Channel { return &f.Channel }),
		kit.IdFilter("client", "One client", func(f *message.Filter) *uuid.UUID { return &f.ClientID }),
		kit.PastFilter("when", "Written", func(f *message.Filter) *time.Time { return &f.From },
			func(f *message.Filter) *time.Time { return &f.To }),
		kit.FromDay("from", "Written from", func(f *message.Filter) *time.Time { return &f.From }),
		kit.ToDay("to", "Written to", func(f *message.Filter) *time.Time { return &f.To }),
	}
}

var columns = []kit.Column[message.Message]{
	kit.MomentColumn("Written", 17, func(m message.Message) time.Time { return m.CreatedAt }).SortBy("created"),
	kit.ColumnOf("Message", func(m message.Message) components.Cell {
		return components.Cell{Text: title(m), Href: path + "/" + m.ID.String()}
	}).FileText("Channel", 9, func(m message.Message) string { return channels[m.Channel] }).
		FileText("Message", 60, title).OnCard(kit.Lead),
	kit.ColumnOf("Client", func(m message.Message) components.Cell {
		return components.Cell{Text: m.Client, Href: words.ClientHref(m.ClientID), Second: to(m)}
	}).FileText("Client", 28, func(m message.Message) string { return m.Client }).FileText("To", 30, to),
	kit.TextColumn("Channel", 0, func(m message.Message) string { return channels[m.Channel] }).OnPageAlone(),
	kit.PillColumn("State", 14, pill),
	kit.FileColumns[message.Message]().FileText("Why", 40, func(m message.Message) string { return m.Why }),
}

// title is what the message says in a line.
func title(m message.Message) string {
	if m.Channel == message.SMS {
		return texts.Shown(sms.Message{Kind: m.Kind, Text: m.Text})
	}
	return m.Subject
}

func to(m message.Message) string {
	if m.Channel == message.SMS {
		return words.PhoneWords(m.To)
	}
	return m.To
}

// pill is where a message stands. Mails and SMS name their states alike.
func pill(m message.Message) components.Pill {
	kind := map[sms.State]string{sms.Queued: "progress", sms.Sent: "done", sms.Delivered: "done", sms.Failed: "bad",
		sms.Expired: "bad", sms.Skipped: "draft"}[sms.State(m.Status)]
	return components.Pill{Kind: kind, Word: sms.State(m.Status).Label(), Title: m.Why}
}

// List serves GET /messages.
func (h *Messages) List(c echo.Context) error { return h.list().Show(c) }

// Export serves GET /messages/export.
func (h *Messages) Export(c echo.Context) error { return h.list().Export(c) }

// Exported is the list for exports in the background.
func (h *Messages) Exported() kit.Exportable { return h.list() }

// Show serves GET /messages/:id.
func (h *Messages) Show(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	m, err := h.Service.Get(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	v := view(m)
	if access.Actor(c).Can(actor.Write) {
		v.Acts = acts(m)
	}
	return h.Desk.ShowIn(c, http.StatusOK, v.Title, section,
		func(fr layout.Frame) templ.Component { return pages.Message(fr, v) })
}

func view(m message.Written) pages.MessageView {
	v := pages.MessageView{Title: m.Subject, Back: components.Link{Text: "Messages", Href: path}, State: pill(m.Message),
		Text: m.Words}
	if m.Channel == message.SMS {
		v.Title = "SMS to " + m.Client
	}
	if m.Why != "" {
		v.Wrong = words.Capital(m.Why)
	}
	switch {
	case m.LetsIn():
		v.Veil = "It holds a link or a code for the client alone. What it says is not shown."
	case m.Words == "" && m.Status == string(sms.Queued):
		v.Veil = "Its words are put together when it goes out."
	}
	add := func(label string, f components.Fact) {
		f.Label = label
		v.Facts.Items = append(v.Facts.Items, f)
	}
	add("Client", components.Fact{Value: m.Client, Href: words.ClientHref(m.ClientID)})
	add("To", components.Fact{Value: cmp.Or(to(m.Message), "erased with the client")})
	if len(m.Copies) > 0 {
		add("Copies to", components.Fact{Value: strings.Join(m.Copies, ", ")})
	}
	if m.PurchaseID != uuid.Nil {
		add("About", components.Fact{Value: "Purchase", Href: words.PurchasePath(m.PurchaseID)})
	}
	add("Written", components.Fact{Part: components.When(words.Moment(m.CreatedAt))})
	if !m.SentAt.IsZero() {
		add("Sent", components.Fact{Part: components.When(words.Moment(m.SentAt))})
	}
	if len(m.Files) > 0 {
		add("Attached", components.Fact{Value: strings.Join(m.Files, ", ")})
	}
	if m.Parts > 0 {
		add("Parts", components.Fact{Value: strconv.Itoa(m.Parts)})
	}
	return v
}

// acts are what helps when a message did not arrive.
func acts(m message.Written) (out []components.Button) {
	switch {
	case !sms.State(m.Status).Unsent():
		return nil
	case m.Channel == message.SMS:
		return []components.Button{{Label: "Correct the number", Href: words.ClientHref(m.ClientID) + "/edit"}}
	case m.PurchaseID != uuid.Nil:
		return []components.Button{{Label: "Correct the address", Href: words.PurchasePath(m.PurchaseID, "address")}}
	}
	return []components.Button{{Label: "Correct the address", Href: words.ClientHref(m.ClientID) + "/edit"}}
}
