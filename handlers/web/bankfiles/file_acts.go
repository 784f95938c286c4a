package bankfiles

import (
	"context"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// fileAct is what a person can do with a file to the bank: the question, the act and the sentence after it.
type fileAct struct {
	path, button, icon, title, text, said string
	danger                                bool
	why                                   func(exchange.MessageSheet) string // why not; empty when it is possible
	asksWhy                               bool                               // who does it gives a reason

	do func(s *exchange.Service, ctx context.Context, who actor.Actor, id string) (exchange.Message, error)
	// decline is done instead of do when a reason is asked for.
	decline func(s *exchange.Service, ctx context.Context, who actor.Actor, id, reason string) (exchange.Message, error)
}

func unless(possible bool, why string) string {
	if possible {
		return ""
	}
	return why
}

func refusedOnly(m exchange.MessageSheet) string {
	return unless(m.Refused.Count > 0, "Nothing in this file is waiting for a decision.")
}

var fileActs = []fileAct{
	{path: "approval", button: "Approve", icon: "check", title: "Approve this file?",
		text: "It leaves for the bank at once. Check its sum and its parts first.",
		said: "The file is approved. It takes a moment until it is laid out.", do: (*exchange.Service).Approve,
		why: func(m exchange.MessageSheet) string {
			if m.Yours != "" {
				return m.Yours
			}
			return unless(m.State == exchange.Held, m.Decided())
		}},
	{path: "refusal", button: "Refuse", icon: "x", title: "Refuse to approve this file?",
		text: "It never leaves. Someone then decides whether its items are sent again or marked as not collected.",
		said: "The file is not approved. Decide what happens to its items.", danger: true, asksWhy: true,
		decline: (*exchange.Service).Decline,
		why:     func(m exchange.MessageSheet) string { return unless(m.State == exchange.Held, m.Decided()) }},
	{
		path:   "taken",
		button: "Mark as taken",
		icon:   "check",
		title:  "Mark the file as taken to the bank?",
		text: "Do this after you have brought the file to the bank by hand, such as by an upload on its site. " +
			"From then on the bank has its time to acknowledge it.",
		said: "The file is marked as taken to the bank.",
		do:   (*exchange.Service).MarkTaken,
		why: func(m exchange.MessageSheet) string {
			return unless(m.State == exchange.Placed, "This file is not waiting to be taken to the bank.")
		},
	},
	{
		path:   "confirmation",
		button: "Mark as received",
		icon:   "check",
		title:  "Has the bank received all of this file?",
		text: "Ask your bank first. Do this when it has the whole file and did not say so, " +
			"or counted something else in it. " +
			"Debits in it then count as paid by silence, unless something comes back.",
		said: "The file is marked as received by the bank.",
		do:   (*exchange.Service).Confirm,
		why: func(m exchange.MessageSheet) string {
			return unless(m.State == exchange.Taken && !m.Acknowledged(),
				"Only a file that was taken, and that the bank has not acknowledged, can be marked as received.")
		},
	},
	{
		path:   "again",
		button: "Lay out again",
		icon:   "repeat",
		title:  "Lay the same file out again?",
		text: "Ask your bank first whether it has the file. The file keeps its name and content, " +
			"so the bank refuses it if it has it after all.",
		said: "The file is laid out again.",
		do:   (*exchange.Service).PlaceAgain,
		why: func(m exchange.MessageSheet) string {
			return unless(m.State == exchange.Taken && !m.Acknowledged(),
				"Only a file that the bank has not acknowledged can be laid out again.")
		},
	},
	{path: "replacement", button: "Send again", icon: "forward", title: "Send the refused items again?",
		text: "It leaves with the next file, under new numbers. This can be done once.",
		said: "The refused items are sent again with the next file.", do: (*exchange.Service).SendAgain, why: refusedOnly},
	{
		path:   "dropping",
		button: "Mark as not collected",
		icon:   "x",
		title:  "Mark the refused items as not collected?",
		text: "The debits count as failed, and your clients and programs are told so. " +
			"Refunds and mandate requests count as failed too. This cannot be undone.",
		said:   "The refused items are marked as not collected.",
		do:     (*exchange.Service).Drop,
		why:    refusedOnly,
		danger: true,
	},
}

func actNamed(path string) fileAct {
	return fileActs[slices.IndexFunc(fileActs, func(a fileAct) bool { return a.path == path })]
}

// actButtons offer what is possible now.
func actButtons(m exchange.MessageSheet) (out []components.Button) {
	for _, a := range fileActs {
		if a.why(m) == "" {
			out = append(out, a.on(m.ID))
		}
	}
	return out
}

// on leads to the question about a file.
func (a fileAct) on(id string) components.Button {
	return components.Button{Label: a.button + "…", Icon: a.icon, Href: filePath(id, a.path)}
}

// AskAct serves GET /bank/files/{id}/{act}.
func (h *Pages) AskAct(path string) echo.HandlerFunc {
	return func(c echo.Context) error { return h.askAct(c, actNamed(path), nil, nil) }
}

// askAct shows the question before an act, with what was wrong with the answer.
func (h *Pages) askAct(c echo.Context, a fileAct, form url.Values, refused error) error {
	id, err := messageID(c)
	if err != nil {
		return err
	}
	m, err := h.Exchange.Sheet(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	what := counted(int64(m.Count), m.SumCents)
	if m.Refused.Count > 0 {
		what = counted(int64(m.Refused.Count), m.Refused.SumCents)
	}
	v := pages.ActView{
		Title:   a.button,
		Back:    components.Link{Text: m.FileName, Href: filePath(id)},
		Blocked: a.why(m),
		Question: components.Confirm{
			ID:    a.path,
			Title: a.title,
			Text: m.FileName + ", " + kindWords[m.Kind] + ": " + what + ". " +
				a.text,
			Action:     filePath(id, a.path),
			CancelHref: filePath(id),
			Button:     a.button,
			Safe:       !a.danger,
		},
	}
	if a.asksWhy {
		wrong, summary, _ := kit.Problems(refused)
		v.Problems.Items = summary
		v.Lines = &components.Textarea{Label: "Reason", Name: "reason", Value: form.Get("reason"), Error: wrong["reason"],
			Required: true, Rows: 3, MaxLength: 1000}
	}
	if refused != nil && v.Blocked == "" {
		return h.show(c, kit.StatusOf(refused), v.Title, func(f layout.Frame) templ.Component { return pages.AskAct(f, v) })
	}
	return h.ask(c, v)
}

// Act serves POST /bank/files/{id}/{act}.
func (h *Pages) Act(path string) echo.HandlerFunc {
	a := actNamed(path)
	return func(c echo.Context) error {
		id, err := messageID(c)
		if err != nil {
			return err
		}
		ctx, who := c.Request().Context(), access.Actor(c)
		if !a.asksWhy {
			_, err = a.do(h.Exchange, ctx, who, id)
			return h.done(c, err, filePath(id), a.said)
		}
		form, err := kit.FormOf(c)
		if err != nil {
			return err
		}
		_, err = a.decline(h.Exchange, ctx, who, id, form.Get("reason"))
		if fault.Is(err, fault.Invalid) {
			return h.askAct(c, a, form, err)
		}
		return h.done(c, err, filePath(id), a.said)
	}
}
