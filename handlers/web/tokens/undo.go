package tokens

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

func deletionPath(id uuid.UUID) string { return "/tokens/deletions/" + id.String() }

func everyToken(token.Token) bool { return true }

// leaving shows the deletions that can still be undone, of the tokens that are wanted.
func (h *Tokens) leaving(ctx context.Context, who actor.Actor,
	wanted func(token.Token) bool) ([]pages.UndoView, error) {
	waiting, err := h.Deletions.DeletionsWaiting(ctx, who)
	if err != nil {
		return nil, err
	}
	var out []pages.UndoView
	for _, d := range slices.Backward(waiting) { // what is final first stands first
		var all, shown []token.Token
		for _, id := range d.IDs() {
			e, err := h.Register.Get(ctx, who, id)
			if err != nil {
				return nil, err
			}
			if e.State == token.Deleting {
				all = append(all, e.Token)
				if wanted(e.Token) {
					shown = append(shown, e.Token)
				}
			}
		}
		if len(shown) > 0 {
			out = append(out, h.undoable(who, d, all, shown))
		}
	}
	return out, nil
}

// undoable is one deletion: undo takes all of it back, "Delete now" is for one token.
func (h *Tokens) undoable(who actor.Actor, d deletion.Deletion, all, shown []token.Token) pages.UndoView {
	now := h.Desk.Now()
	v := pages.UndoView{Text: all[0].Named() + " of " + all[0].HolderName + " is being deleted.",
		Then: "Nothing is debited from it. It is final " + untilWords(d, now) + "."}
	if n := int64(len(all)); n > 1 {
		v.Text, v.Then = plural.Of(n, "token")+" are being deleted.", "Nothing is debited from them. It is final "+
			untilWords(d, now)+"."
	}
	if !who.Can(actor.DeleteTokens) {
		return v
	}
	v.UndoAction, v.Undo = deletionPath(d.ID)+"/undo", "Undo"
	if n := int64(len(all)); n > 1 {
		v.Undo = "Undo all " + words.Grouped(n)
	}
	for _, t := range shown {
		now := components.Link{Text: "Delete now…", Href: deletionPath(d.ID) + "/now?token=" + t.ID.String()}
		if len(shown) > 1 {
			now.Text = "Delete " + t.Named() + " now…"
		}
		v.Now = append(v.Now, now)
	}
	return v
}

// untilWords says until when a deletion can be undone: "at 12:05 (in 8 m)".
func untilWords(d deletion.Deletion, now time.Time) string {
	return "on " + words.SayMinute(d.Until, now) + " (in " + words.SayLeft(d.Until.Sub(now)) + ")"
}

// Undo serves POST /tokens/deletions/:id/undo.
func (h *Tokens) Undo(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	d, err := h.Deletions.Undo(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	ids, text := d.IDs(), "The deletion is undone. The account is in use as before, and what you chose does not happen."
	to := words.TokenPath(ids[0])
	if n := int64(len(ids)); n > 1 {
		text, to = "The deletion is undone. "+plural.Of(n, "account")+
			" are in use as before, and what you chose does not happen.", "/tokens"
	}
	return access.RedirectWithFlash(c, "ok", text, to)
}

// AskDeleteNow serves GET /tokens/deletions/:id/now?token=…: what happens at once.
func (h *Tokens) AskDeleteNow(c echo.Context) error {
	return h.askDeleteNow(c, http.StatusOK, c.QueryParam("token"), "")
}

func (h *Tokens) askDeleteNow(c echo.Context, status int, token, wrong string) error {
	d, t, err := h.deleting(c, token)
	if err != nil {
		return err
	}
	impact, err := h.Deletions.ChosenImpact(c.Request().Context(), d, t, h.Desk.Now())
	if err != nil {
		return err
	}
	named := impact.Token.Named()
	view := pages.ActView{Title: "Delete now", Back: components.Link{Text: named, Href: words.TokenPath(t)},
		Question: components.Confirm{ID: "now", Title: "Delete " + named + " of " + impact.Token.HolderName + " now?",
			Action: deletionPath(d.ID) + "/now", CancelHref: words.TokenPath(t), Button: "Delete " + named + " now",
			Text: "This cannot be undone. What happens at once:", Breaks: impact.Lines(),
			Fields: []components.Pair{{Name: "token", Value: t.String()}}}}
	if len(d.Tokens) > 1 {
		view.Question.Breaks = append(view.Question.Breaks, "The other accounts of this deletion can still be undone.")
	}
	confirmation([]deletion.Impact{impact}).Ask(&view.Question, wrong)
	return h.Desk.ShowIn(c, status, view.Title, words.TokensSection,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// deleting finds the deletion of the address and the token that a form names.
func (h *Tokens) deleting(c echo.Context, named string) (deletion.Deletion, uuid.UUID, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return deletion.Deletion{}, id, err
	}
	d, err := h.Deletions.WaitingDeletion(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return d, id, err
	}
	t, err := uuid.Parse(named)
	if _, known := d.Tokens[t]; err != nil || !known {
		return d, t, fault.Missing()
	}
	return d, t, nil
}

// DeleteNow serves POST /tokens/deletions/:id/now, for one token of the deletion.
func (h *Tokens) DeleteNow(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	d, t, err := h.deleting(c, form.Get("token"))
	if err != nil {
		return err
	}
	e, err := h.Register.Get(ctx, who, t)
	if err != nil {
		return err
	}
	if wrong := kit.TypedDigits([]string{e.AccountMask}).Wrong(form); wrong != "" {
		return h.askDeleteNow(c, http.StatusUnprocessableEntity, form.Get("token"), wrong)
	}
	if _, err := h.Deletions.DeleteNow(ctx, who, d.ID, t); err != nil {
		return err
	}
	if err := access.AddFlash(c, "ok", e.Token.Named()+
		" is deleted permanently. The mandate is kept as evidence."); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, words.TokenPath(t))
}
