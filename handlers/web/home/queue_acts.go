package home

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/attention"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/plural"
)

// Act serves POST /attention/:id.
func (h *Home) Act(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	i, err := h.item(c, form.Get("kind"))
	if err != nil {
		return err
	}
	said, undo := "", ""
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (any, error) {
		var done any
		if done, said, undo, err = h.do(ctx, who, []attention.Item{i}, form); err != nil {
			return done, err
		}
		left, err := h.Queue.Count(ctx, who.MerchantID)
		if err != nil {
			return done, err
		}
		said += " " + plural.Of(left, "thing") + " left."
		if undo != "" {
			return done, access.AddUndo(c, "ok", said, undo)
		}
		return done, access.AddFlash(c, "ok", said)
	}, func(any) string { return backTo(form.Get("back")) })
	return h.refused(c, i, form, err)
}

// refused shows the form again with what was typed, or the queue with the reason when the thing moved on meanwhile.
func (h *Home) refused(c echo.Context, i attention.Item, form url.Values, err error) error {
	return kit.AskAgain(c, err, backTo(form.Get("back")), func() error {
		return h.showItem(c, http.StatusUnprocessableEntity, i, form.Get("do"), form, err)
	})
}

// do does what a form asks about one or many items, and says so. undo is where that is taken back.
func (h *Home) do(ctx context.Context, who actor.Actor, items []attention.Item, form url.Values) (
	done any, said, undo string, err error,
) {
	var objects []followup.Object
	var waiting []followup.Item
	for _, i := range items {
		one := followup.Item{Kind: followup.Kind(i.Kind), ObjectID: i.ObjectID}
		waiting = append(waiting, one)
		if o, known := one.Object(); known {
			objects = append(objects, o)
		}
	}
	first, f := items[0], h.Followups
	var n int
	switch form.Get("do") {
	case "note", "call":
		n, said, err = kit.WriteFollowup(ctx, f, who, objects, form, h.Desk.Now())
	case "owner":
		n, said, err = kit.WriteOwner(ctx, f, who, objects, form)
	case "snooze":
		until, wrong := calendar.ParseDate(form.Get("until"))
		if wrong != nil {
			return nil, "", "", fault.At("until", "invalid", "Enter the day as a date.")
		}
		n, err = f.Snooze(ctx, who, waiting, until)
		said = "Snoozed until " + words.SayDay(until, h.Desk.Now()) + "."
	case "close":
		n, err = f.Close(ctx, who, waiting, followup.Reason(form.Get("reason")))
		said = "Closed."
	case "promise":
		done, said, err = kit.WritePromise(ctx, f, who, followup.Object{Type: followup.Purchase, ID: first.PurchaseID}, form,
			h.Desk.Now())
		return done, said, "", err
	case "settle":
		done, err = f.SettlePromise(ctx, who, first.PromiseID, followup.PromiseState(form.Get("state")))
		return done, "The promise is settled.", "", err
	case "debit":
		return h.debitAgain(ctx, who, first, form)
	default:
		return nil, "", "", fault.New(fault.Invalid, "invalid", "Choose what is to be done.")
	}
	if n > 1 {
		said = strings.TrimSuffix(said, ".") + ": " + plural.Of(n, "thing") + "."
	}
	if do := form.Get("do"); len(items) == 1 && (do == "snooze" || do == "close") {
		undo = "/attention/" + first.ObjectID.String() + "/undo"
	}
	return n, said, undo, err
}

// debitAgain books the debit that the form showed; the rules of charging decide once more.
func (h *Home) debitAgain(ctx context.Context, who actor.Actor, i attention.Item,
	form url.Values) (any, string, string, error) {
	token, wrong := uuid.Parse(form.Get("token"))
	day, err := calendar.ParseDate(form.Get("day"))
	if wrong != nil || err != nil || i.PurchaseID == uuid.Nil {
		return nil, "", "", fault.New(fault.Invalid, "invalid", "Open the form again: it does not say what to debit.")
	}
	rec, err := h.Purchases.Service.ChargeOn(ctx, who, i.PurchaseID, token, day)
	if err != nil {
		return rec, "", "", err
	}
	return rec, "Debit booked for " + words.SayDay(rec.Collection.ActionDate, h.Desk.Now()) + ".", "", nil
}

// Undo serves POST /attention/:id/undo: what was put off or closed waits again.
func (h *Home) Undo(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	items, err := h.reasons(c)
	if err != nil {
		return err
	}
	waiting := make([]followup.Item, len(items))
	for n, i := range items {
		waiting[n] = followup.Item{Kind: followup.Kind(i.Kind), ObjectID: i.ObjectID}
	}
	kind, text := "ok", items[0].Name+" needs attention again."
	if _, err := h.Followups.Reopen(c.Request().Context(), access.Actor(c), waiting); fault.Is(err, fault.Conflict) {
		kind, text = "info", "This needs attention already."
	} else if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, kind, text, backTo(form.Get("back")))
}

// Many serves POST /attention: what is done about all that are ticked.
func (h *Home) Many(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	var items []attention.Item
	for _, id := range form["id"] {
		if objectID, err := uuid.Parse(id); err == nil {
			items = append(items, attention.Item{Kind: form.Get("kind"), ObjectID: objectID})
		}
	}
	kind := "ok"
	var said string
	switch do := form.Get("do"); {
	case len(items) == 0:
		kind, said = "bad", "Nothing is ticked. Tick what you want to change."
	case !slices.Contains([]string{"note", "owner", "snooze", "close"}, do):
		kind, said = "bad", "Choose what is to be done."
	default:
		if _, said, _, err = h.do(ctx, who, items, form); err != nil {
			f, ours := fault.From(err)
			if !ours || f.Kind != fault.Invalid && f.Kind != fault.Conflict {
				return err
			}
			kind, said = "bad", f.Words()
		}
	}
	return access.RedirectWithFlash(c, kind, said, backTo(form.Get("back")))
}
