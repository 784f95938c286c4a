package bankfiles

import (
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// late is a finding about debits that missed the cut-off of their day, or about orders that cannot be read.
func (h *Pages) late(c echo.Context) (f exchange.Finding, day date, err error) {
	if f, err = h.found(c); err != nil {
		return f, day, err
	}
	day, is := f.LateDay()
	if !is && f.Kind != exchange.DamagedOrders {
		return f, day, fault.Missing()
	}
	return f, day, nil
}

// AskLate serves GET /bank/findings/{id}/sending and /dropping.
func (h *Pages) AskLate(send bool) echo.HandlerFunc {
	return func(c echo.Context) error {
		f, day, err := h.late(c)
		if err != nil {
			return err
		}
		if f.Kind == exchange.DamagedOrders {
			return h.askDamaged(c, f, send)
		}
		n, err := h.Exchange.LateOn(c.Request().Context(), access.Actor(c), day)
		if err != nil {
			return err
		}
		v := pages.ActView{Title: "Mark as not collected", Back: components.Link{Text: findingWords[f.Kind].Title,
			Href: findingPath(f.ID)}, Question: components.Confirm{ID: "late", Title: "Mark these debits as not collected?",
			Text: counted(n.Count, n.Cents) + " for " + day.Format("Mon 2 Jan 2006") +
				" missed the cut-off. They count as failed, and your clients and programs are told so. This cannot be undone.",
			Action: findingPath(f.ID, "dropping"), CancelHref: findingPath(f.ID), Button: "Mark as not collected"}}
		if send {
			v.Title = "Send anyway"
			v.Question.Title, v.Question.Button, v.Question.Safe = "Send these debits anyway?", "Send debits", true
			v.Question.Text = counted(n.Count, n.Cents) + " for " + day.Format("Mon 2 Jan 2006") +
				" missed the cut-off. They leave with the next file; the bank may refuse them or run them on a later day."
			v.Question.Action = findingPath(f.ID, "sending")
		}
		if n.Count == 0 {
			v.Blocked = "No late debits of that day are waiting for a decision."
		}
		return h.ask(c, v)
	}
}

// Late serves POST /bank/findings/{id}/sending and /dropping.
func (h *Pages) Late(send bool) echo.HandlerFunc {
	return func(c echo.Context) error {
		f, day, err := h.late(c)
		if err != nil {
			return err
		}
		if f.Kind == exchange.DamagedOrders {
			return h.damaged(c, f, send)
		}
		n, err := h.Exchange.Late(c.Request().Context(), access.Actor(c), day, send)
		said := plural.Of(n, "late debit") + " " + plural.Was(n) + " marked as not collected."
		if send {
			said = plural.Of(n, "late debit") + " " + plural.Pick(n, "leaves", "leave") + " with the next file."
		}
		return h.done(c, err, findingPath(f.ID), said)
	}
}

// AskReading serves GET /bank/findings/{id}/reading.
func (h *Pages) AskReading(c echo.Context) error {
	f, err := h.found(c)
	if err != nil {
		return err
	}
	v := pages.ActView{Title: "Read a file again", Back: components.Link{Text: findingWords[f.Kind].Title,
		Href: findingPath(f.ID)}, Question: components.Confirm{ID: "reading", Title: "Read this file again?",
		Text: f.Text + " What it told before changes nothing when it is read again.", Safe: true,
		Action: findingPath(f.ID, "reading"), CancelHref: findingPath(f.ID), Button: "Read again"}}
	switch {
	case !f.Kind.Retries():
		v.Blocked = "This is not about a file that could not be read."
	case !f.ClosedAt.IsZero():
		v.Blocked = settledBy(f) + " has settled this already."
	}
	return h.ask(c, v)
}

// Reading serves POST /bank/findings/{id}/reading.
func (h *Pages) Reading(c echo.Context) error {
	f, err := h.found(c)
	if err != nil {
		return err
	}
	_, err = h.Exchange.TryAgain(c.Request().Context(), access.Actor(c), f.ID)
	return h.done(c, err, findingPath(f.ID), "The file is read again within a minute.")
}
