package bankfiles

import (
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// askDamaged asks what becomes of orders that cannot be read.
func (h *Pages) askDamaged(c echo.Context, f exchange.Finding, again bool) error {
	n, err := h.Exchange.CountItems(c.Request().Context(), access.Actor(c),
		exchange.ItemFilter{State: exchange.ItemDamaged})
	if err != nil {
		return err
	}
	v := pages.ActView{Title: "Mark as not collected", Back: components.Link{Text: findingWords[f.Kind].Title,
		Href: findingPath(f.ID)}, Question: components.Confirm{ID: "damaged", Title: "Mark these orders as not collected?",
		Text: counted(n.Count, n.Cents) + " cannot be read. They count as failed, and your clients and programs are told " +
			"so. This cannot be undone.",
		Action: findingPath(f.ID, "dropping"), CancelHref: findingPath(f.ID), Button: "Mark as not collected"}}
	if again {
		v.Title = "Try again"
		v.Question.Title, v.Question.Button, v.Question.Safe = "Try these orders again?", "Try again", true
		v.Question.Text = counted(n.Count, n.Cents) + " could not be read. Those that can be read now leave with the next " +
			"file; the others are set aside again."
		v.Question.Action = findingPath(f.ID, "sending")
	}
	if n.Count == 0 {
		v.Blocked = "No damaged orders are waiting for a decision."
	}
	return h.ask(c, v)
}

func (h *Pages) damaged(c echo.Context, f exchange.Finding, again bool) error {
	n, err := h.Exchange.Damaged(c.Request().Context(), access.Actor(c), again)
	said := plural.Of(n, "order") + " " + plural.Was(n) + " marked as not collected."
	if again {
		said = plural.Of(n, "order") + " " + plural.Is(n) + " tried again."
	}
	return h.done(c, err, findingPath(f.ID), said)
}
