package clients

import (
	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// AskSeparation serves GET /clients/:id/separation: what undoing the newest merge does.
func (h *Clients) AskSeparation(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	return h.askSeparation(c, one, nil)
}

func (h *Clients) askSeparation(c echo.Context, one client.Client, refused error) error {
	undo, err := h.Merging.UndoOf(c.Request().Context(), access.Actor(c), one.ID)
	view := pages.ActView{Title: "Undo the merge", Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)}}
	switch {
	case err == nil:
		view.Question = components.Confirm{ID: "separate", Title: "Undo the merge with " + undo.Merge.GoneName + "?",
			Text: "Both are clients of their own again:", Action: separationPath(one.ID),
			CancelHref: words.ClientHref(one.ID), Button: "Undo the merge", Safe: true, Breaks: undo.Lines(),
			Fields: []components.Pair{{Name: "merge", Value: undo.Merge.ID.String()}}}
	case fault.Is(err, fault.Conflict):
		view.Blocked = err.Error()
	default:
		return err
	}
	if refused != nil {
		view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), view.Title, clientsSection,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// Separate serves POST /clients/:id/separation.
func (h *Clients) Separate(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	seen, _ := uuid.Parse(form.Get("merge")) // what is no id was not shown
	undo, err := h.Merging.Undo(c.Request().Context(), access.Actor(c), one.ID, seen)
	switch {
	case fault.Is(err, fault.Conflict):
		return h.askSeparation(c, one, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The merge with "+undo.Merge.GoneName+" is undone.", words.ClientHref(one.ID))
}
