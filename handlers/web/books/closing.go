package books

import (
	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bankfiles"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// openHref leads to the rows of what is open.
func openHref(o journal.Open, m journal.Month) string {
	switch o.What {
	case journal.OpenFindings:
		return bankfiles.OpenFindingsHref
	case journal.OpenMovements:
		return bankfiles.UnmatchedHref
	case journal.OpenDays:
		return bankfiles.DiffersBetween(m.First(), m.Last())
	case journal.OpenRefunds:
		return "/reports/parts?part=owed&as_of=" + m.Last().String()
	}
	return "/books"
}

// AskClose serves GET /books/closing?month=2026-10.
func (h *Books) AskClose(c echo.Context) error { return h.askClose(c, c.QueryParam("month"), nil) }

func (h *Books) askClose(c echo.Context, text string, refused error) error {
	m, err := journal.ParseMonth(text)
	if err != nil {
		return fault.Missing()
	}
	p, err := h.Journal.Preview(c.Request().Context(), access.Actor(c), m)
	if err != nil {
		return err
	}
	v := pages.BookActView{Head: components.PageHead{Title: "Close " + m.Words(),
		Back: components.Link{Text: "Books", Href: "/books"}}, Action: closingPath, Month: m.String(), Done: p.Refusal,
		Locks: plural.Of(p.Entries, "entry") + " until the end of " + m.Words() + plural.Pick(p.Entries, " is", " are") +
			" locked. What becomes known later is posted after it, with its true day in the text."}
	for _, o := range p.Open {
		v.Open = append(v.Open, components.Link{Text: o.Say(), Href: openHref(o, m)})
	}
	if p.Refusal == "" {
		v.Button = components.Button{Label: "Close " + m.Words(), Kind: "primary"}
	}
	return h.act(c, v, refused)
}

func (h *Books) act(c echo.Context, v pages.BookActView, refused error) error {
	if f, known := fault.From(refused); known && len(f.Fields) == 0 {
		v.Problems.Items = []components.ErrorItem{{Text: f.Message}}
	} else if _, summary, ok := kit.Problems(refused); ok {
		v.Problems.Items = summary
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), v.Head.Title, section,
		func(f layout.Frame) templ.Component { return pages.BookAct(f, v) })
}

// Close serves POST /books/closing.
func (h *Books) Close(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	m, err := journal.ParseMonth(form.Get("month"))
	if err != nil {
		return h.page(c, nil, fault.At("month", "invalid", "Write the month as 2026-10."))
	}
	_, err = h.Journal.Close(c.Request().Context(), access.Actor(c), m)
	if kit.MayShow(err) {
		return h.askClose(c, m.String(), err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The books are closed until the end of "+m.Words()+".", "/books#closed")
}

// AskReopen serves GET /books/closings/:id/reopening.
func (h *Books) AskReopen(c echo.Context) error { return h.askReopen(c, "", nil) }

func (h *Books) askReopen(c echo.Context, reason string, refused error) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	one, err := h.Journal.Closing(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	wrong, _, _ := kit.Problems(refused)
	v := pages.BookActView{Head: components.PageHead{Title: "Reopen " + one.Of().Words(),
		Back: components.Link{Text: "Books", Href: "/books"}}, Action: "/books/closings/" + id.String() + "/reopening",
		Locks: "What becomes known of this month is posted in it again. Files that were taken of it may no longer be whole.",
		Reason: &components.Textarea{Label: "Reason", Name: "reason", Value: reason, Error: wrong["reason"], Required: true,
			Rows: 3, MaxLength: 500},
		Button: components.Button{Label: "Reopen " + one.Of().Words(), Kind: "danger"}}
	if !one.ReopenedAt.IsZero() {
		v.Button, v.Done = components.Button{}, "It was reopened already."
	}
	return h.act(c, v, refused)
}

// Reopen serves POST /books/closings/:id/reopening.
func (h *Books) Reopen(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	err = h.Journal.Reopen(c.Request().Context(), access.Actor(c), id, form.Get("reason"))
	if kit.MayShow(err) {
		return h.askReopen(c, form.Get("reason"), err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The month was reopened.", "/books#closed")
}
