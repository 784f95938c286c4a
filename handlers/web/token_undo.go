package web

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/pages"
)

func deletionPath(id uuid.UUID) string { return "/tokens/deletions/" + id.String() }

func everyToken(token.Token) bool { return true }

// leaving shows the deletions that can still be undone, of the tokens that are wanted.
func (h *Tokens) leaving(ctx context.Context, who actor.Actor, wanted func(token.Token) bool) ([]pages.UndoView, error) {
	waiting, err := h.Purchases.DeletionsWaiting(ctx, who)
	if err != nil {
		return nil, err
	}
	var out []pages.UndoView
	for _, d := range waiting {
		n, shown := 0, token.Token{}
		for _, id := range d.IDs() {
			e, err := h.Register.Get(ctx, who, id)
			if err != nil {
				return nil, err
			}
			if e.State == token.Deleting && wanted(e.Token) {
				n, shown = n+1, e.Token
			}
		}
		if n > 0 {
			out = append(out, h.undoable(who, d, shown))
		}
	}
	return out, nil
}

func (h *Tokens) undoable(who actor.Actor, d purchase.Deletion, shown token.Token) pages.UndoView {
	v := pages.UndoView{Left: sayLeft(d.Until.Sub(h.Desk.Now())), Text: accountWords(shown) + " of " + shown.HolderName + " is being deleted."}
	if n := len(d.Tokens); n > 1 {
		v.Text = counted(int64(n), "stored account") + " are being deleted."
	}
	if who.Can(actor.DeleteTokens) {
		v.UndoAction, v.NowAction = deletionPath(d.ID)+"/undo", deletionPath(d.ID)+"/now"
	}
	return v
}

// Undo serves POST /tokens/deletions/:id/undo.
func (h *Tokens) Undo(c echo.Context) error {
	return h.endDeletion(c, h.Purchases.Undo, func(n int) string {
		if n == 1 {
			return "The deletion is undone. The account is in use as before."
		}
		return "The deletion is undone. " + counted(int64(n), "account") + " are in use as before."
	})
}

// DeleteNow serves POST /tokens/deletions/:id/now.
func (h *Tokens) DeleteNow(c echo.Context) error {
	return h.endDeletion(c, h.Purchases.DeleteNow, func(n int) string {
		return counted(int64(n), "stored account") + " deleted for good. The mandates are kept as evidence."
	})
}

func (h *Tokens) endDeletion(c echo.Context, end func(context.Context, actor.Actor, uuid.UUID) (purchase.Deletion, error), words func(n int) string) error {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	d, err := end(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	if err := access.AddFlash(c, "ok", words(len(d.Tokens))); err != nil {
		return err
	}
	to := "/tokens"
	if ids := d.IDs(); len(ids) == 1 {
		to = tokenPath(ids[0])
	}
	return c.Redirect(http.StatusSeeOther, to)
}
