package templates

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/selection"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
)

// What is done to many pending subscribers at once, and how old they must be.
const (
	remindAll, removeAll = "remind", "remove"

	remindAfter = 7 * 24 * time.Hour
	removeAfter = 30 * 24 * time.Hour
)

// waiting lists the pending subscribers that an act is for, oldest last. Who was
// reminded within a week is not reminded again.
func (h *Templates) waiting(ctx context.Context, who actor.Actor, t subscription.Template,
	act string) ([]subscription.Subscriber, error) {
	now, ask := h.Desk.Now(), paging.Ask{Limit: kit.ExportPageRows}
	var out []subscription.Subscriber
	for {
		page, err := h.Service.Subscribers(ctx, who, t.ID, subscription.SubscriberFilter{Status: subscription.Pending}, ask)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Items {
			age := now.Sub(s.CreatedAt)
			if act == removeAll && age > removeAfter || act == remindAll && age > remindAfter &&
				now.Sub(s.RemindedAt) > remindAfter {
				out = append(out, s)
			}
		}
		if !page.Older || len(page.Items) == 0 || len(out) > selection.MaxRows {
			return out, nil
		}
		ask.From = page.Items[len(page.Items)-1].ID
	}
}

// AskPending serves GET /templates/:id/pending?act=remind|remove: how many it is for.
func (h *Templates) AskPending(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	return h.askPending(c, http.StatusOK, t, c.QueryParam("act"))
}

func (h *Templates) askPending(c echo.Context, status int, t subscription.Template, act string) error {
	who := access.Actor(c)
	list, err := h.waiting(c.Request().Context(), who, t, act)
	if err != nil {
		return err
	}
	n := int64(len(list))
	back := words.TemplateHref(t.ID, "?status="+string(subscription.Pending))
	ask := components.Confirm{ID: "pending", Action: words.TemplateHref(t.ID, "/pending"), CancelHref: back,
		Fields: []components.Pair{{Name: "act", Value: act}, {Name: "count", Value: words.Glued(words.Grouped(n))}}}
	switch act {
	case remindAll:
		ask.Title, ask.Safe, ask.Button = "Remind "+plural.Of(n, "pending subscriber")+"?", true,
			"Send "+plural.Of(n, "reminder")
		ask.Text = "Each has been pending for more than 7 days, was not reminded in the last 7 days, " +
			"and gets one mail with the link."
	case removeAll:
		ask.Title, ask.Button = "Remove "+plural.Of(n, "pending subscriber")+"?", "Remove "+plural.Of(n, "subscriber")
		ask.Text, ask.Breaks, ask.Keep = "Each has been pending for more than 30 days. This cannot be undone.",
			[]string{"Their first purchases are cancelled, and the links end."}, "Keep them"
	default:
		return fault.Missing()
	}
	if n == 0 {
		if err := access.AddFlash(c, "info",
			"No pending subscriber is that old, or all were reminded within the last 7 days."); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, back)
	}
	if n > bulk.AtOnce {
		ask.Text, ask.Button, ask.Safe = ask.Text+" The next page shows who they are, before anything happens.",
			"Show "+plural.Of(n, "subscriber"), true
	}
	return h.ask(c, status, ask)
}

// choosePending selects many pending subscribers, and goes on to the rehearsal of the act. They are done in the
// background.
func (h *Templates) choosePending(c echo.Context, t subscription.Template, list []subscription.Subscriber,
	act string) error {
	rows := make([]selection.Row, 0, len(list))
	for _, s := range list[:min(len(list), selection.MaxRows)] {
		rows = append(rows, selection.Row{ID: s.ID, Changed: s.UpdatedAt})
	}
	sel, err := h.Selections.Keep(
		c.Request().Context(),
		access.Actor(c),
		selection.Selection{List: SubscriberList, Arg: t.ID.String(),
			Query: map[string]string{"status": string(subscription.Pending)}, Moment: h.Desk.Now(), Rows: rows},
	)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, bulk.Href(sel, act))
}

// Pending serves POST /templates/:id/pending. It does what was counted, or asks again. Many are shown first.
func (h *Templates) Pending(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who, act := c.Request().Context(), access.Actor(c), form.Get("act")
	list, err := h.waiting(ctx, who, t, act)
	if err != nil {
		return err
	}
	if form.Get("count") != words.Glued(words.Grouped(int64(len(list)))) { // others came or went meanwhile
		return h.askPending(c, http.StatusConflict, t, act)
	}
	if len(list) > bulk.AtOnce {
		return h.choosePending(c, t, list, act)
	}
	kit.Patient(c, kit.UploadPatience)
	done, verb, do := int64(0), "reminded", h.Service.Remind
	if act == removeAll {
		verb, do = "removed", h.Service.Remove
	}
	for _, s := range list {
		_, err := do(ctx, who, s.ID)
		switch {
		case err == nil:
			done++
		case fault.Is(err, fault.Conflict), fault.Is(err, fault.Invalid),
			fault.Is(err, fault.NotFound): // it is not pending any more, or cannot be mailed
		default:
			return err
		}
	}
	said := plural.Of(done, "subscriber") + " " + verb + "."
	if left := int64(len(list)) - done; left > 0 {
		said += " " + words.Grouped(left) + " could not be " + verb + "."
	}
	return h.done(c, said, words.TemplateHref(t.ID, "?status="+string(subscription.Pending)))
}
