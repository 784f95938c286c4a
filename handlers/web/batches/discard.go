package batches

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// AskDiscard serves GET /batches/:id/discard.
func (h *Batches) AskDiscard(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	if err := access.Actor(c).May(actor.Bill); err != nil {
		return err
	}
	if !b.Draft() {
		return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, batchStep(b)))
	}
	ask := components.Confirm{ID: "discard", Title: "Discard the draft " + b.Name + "?",
		Text: "This cannot be undone. Nothing of it was sent.",
		Breaks: []string{plural.Of(b.Rows, "row") + " " + plural.Is(b.Rows) + " deleted, with what was changed in " +
			plural.Pick(b.Rows, "it", "them") + ".", "A request for a second approver is withdrawn."},
		Action: words.BatchHref(b.ID, "discard"), Button: "Discard draft", Keep: "Keep it",
		CancelHref: words.BatchHref(b.ID, batchStep(b))}
	return h.Desk.ShowIn(c, http.StatusOK, ask.Title, batchesSection,
		func(f layout.Frame) templ.Component { return pages.Ask(f, ask) })
}

// Discard serves POST /batches/:id/discard.
func (h *Batches) Discard(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	err = h.Service.Discard(c.Request().Context(), access.Actor(c), b.ID)
	switch {
	case kit.MayShow(err) && b.Started():
		return h.runPage(c, b, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The draft "+b.Name+" is discarded.", "/batches")
}
