package bankfiles

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank/exchange"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// movement is the one that an address names.
func (h *Pages) movement(c echo.Context) (n exchange.EntryLine, err error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return n, err
	}
	return h.Exchange.Movement(c.Request().Context(), access.Actor(c), id)
}

// Movement serves GET /bank/movements/{id}.
func (h *Pages) Movement(c echo.Context) error {
	n, err := h.movement(c)
	if err != nil {
		return err
	}
	ctx, who, id := c.Request().Context(), access.Actor(c), n.ID
	title := movementText(n.Entry)
	v := pages.BankMovementView{Nav: nav(movementsPath), State: entryPills[n.State], Facts: movementFacts(n.Entry),
		Head: components.PageHead{Title: title, Back: components.Link{Text: "Movements", Href: movementsPath}}}
	add := func(f components.Fact) { v.Facts.Items = append(v.Facts.Items, f) }
	if n.Reference != "" && n.Pays == 0 { // what it pays stands below
		add(components.Fact{Label: "Purchase", Value: n.Reference, Href: words.PurchasePath(n.PurchaseID)})
		add(components.Fact{Label: "Client", Value: n.ClientName})
	}
	if n.MessageID != "" {
		add(components.Fact{Label: "File to the bank", Value: n.MessageID, Href: filePath(n.MessageID)})
	}
	if d, err := h.Exchange.Document(ctx, who, n.ArrivalID); err == nil {
		add(components.Fact{Label: "File from the bank", Value: d.FileName, Href: receivedHref(d.ID)})
	}
	if n.MatchedBy != "" {
		add(components.Fact{Label: "Matched by", Value: n.MatchedBy})
		add(momentFact("Matched", n.MatchedAt, ""))
	}
	paid, stays, err := h.Payments.Paid(ctx, who, id)
	if err != nil {
		return err
	}
	v.Paid = paidRows(n.Entry, paid, stays, mayAct(c))
	switch {
	case !mayAct(c):
	case n.State == exchange.EntryUnmatched && n.PaidCents > 0:
		v.Acts = []components.Button{{Label: "Book the rest…", Icon: "search", Href: movementPath(id, "match")}}
	case n.State == exchange.EntryPaid:
	case n.State == exchange.EntryUnmatched:
		v.Acts = []components.Button{{Label: "Match…", Icon: "search", Href: movementPath(id, "match")},
			{Label: "Record in the books…", Icon: "receipt", Href: "/books/fees/new?movement=" + id.String()}}
	case n.State == exchange.EntryOther:
		if v.UndoText, err = h.Exchange.Reopening(ctx, who, n.Entry); err != nil {
			return err
		}
		if v.UndoText == "" {
			v.Undo, v.UndoWord = movementPath(id, "reopening"), "Reopen"
			v.UndoText = "It is settled as none of yours. Reopen it to match it or to book it on purchases."
		}
	case n.MatchedBy != "":
		answers, why, err := h.Exchange.Following(ctx, who, n.Entry)
		if err != nil {
			return err
		}
		if v.Undo, v.UndoText = "", why; why == "" {
			v.UndoWord = "Undo match"
			v.Undo, v.UndoText = movementPath(id, "unmatch"), "The match can be taken back: it changes nothing for the client."
			if len(answers) > 0 {
				v.UndoText = "The match can be taken back until " + words.Moment(answers[0].UndoUntil()).Text +
					" SAST. Then the client’s purchase follows it."
			}
		}
	}
	return h.show(c, http.StatusOK, title, func(f layout.Frame) templ.Component { return pages.BankMovement(f, v) })
}

// Unmatch serves POST /bank/movements/{id}/unmatch.
func (h *Pages) Unmatch(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	_, err = h.Exchange.Unmatch(c.Request().Context(), access.Actor(c), id)
	return h.done(c, err, movementPath(id), "The match is taken back. The movement waits to be matched again.")
}

// Reopen serves POST /bank/movements/{id}/reopening.
func (h *Pages) Reopen(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	_, err = h.Exchange.Reopen(c.Request().Context(), access.Actor(c), id)
	return h.done(c, err, movementPath(id), "The movement is reopened. It waits to be matched.")
}
