package home

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// queuePath is the address of a part of the queue.
func queuePath(whose report.Whose) string {
	if whose == report.Everyones {
		return "/attention"
	}
	return "/attention?whose=" + string(whose)
}

func backParam(back string) string { return url.QueryEscape(back) }

// backTo is the part of the queue that a form came from.
func backTo(asked string) string {
	for _, whose := range report.QueueParts {
		if asked == queuePath(whose) {
			return asked
		}
	}
	return "/attention"
}

// queueTabs are the parts of the queue with their counts. What cannot be put off counts with all.
func (h *Home) queueTabs(ctx context.Context, who actor.Actor, active report.Whose, more int) (components.Tabs, string, error) {
	counts, err := h.Reports.AttentionCounts(ctx, who)
	if err != nil {
		return components.Tabs{}, "", err
	}
	t := components.Tabs{Label: "Whose", Manual: "/manual/debits#needs-attention"}
	left := ""
	for i, whose := range report.QueueParts {
		n := counts[i]
		if whose == report.Everyones {
			n += more
		}
		text := strconv.Itoa(n)
		if n > 99 {
			text = "99+"
		}
		label := map[report.Whose]string{report.Everyones: "All", report.Mine: "Mine", report.Nobodys: "Without an owner",
			report.Later: "Snoozed or promised"}[whose]
		t.Items = append(t.Items, components.Tab{Label: label, Count: text, Href: queuePath(whose), Active: whose == active})
		if whose == active {
			left = text + " here"
		}
	}
	if n := counts[len(counts)-1]; n > 0 && active != report.Later {
		left += ", " + strconv.Itoa(n) + " snoozed or promised for another day"
	}
	return t, left + ".", nil
}

// others counts what is on the page and cannot be put off, requests for approval aside, which are counted with the rest.
func others(v pages.QueueView) (n int) {
	for _, g := range v.Groups {
		if g.Kind == "" && g.ID != approvalsWait.id {
			n += len(g.Rows)
		}
	}
	return n
}

// choices are the people who can look after something.
func (b *queueBook) choices(owner uuid.UUID) []components.Option {
	out := []components.Option{{Value: "none", Text: "No owner", Selected: owner == uuid.Nil}}
	for _, m := range b.people {
		if p, _ := actor.PermissionFor(actor.Write); m.Active() && p.Given(m.Role) {
			out = append(out, components.Option{Value: m.ID.String(), Text: m.Called(), Selected: m.ID == owner})
		}
	}
	return out
}

func reasonOptions() (out []components.Option) {
	for _, r := range followup.Reasons {
		out = append(out, components.Option{Value: string(r), Text: r.Label()})
	}
	return out
}

// shortened is the beginning of a long text.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > 160 {
		return string(runes[:160]) + "…"
	}
	return text
}

const doneShown = 20

// doneToday lists what was put off or closed today, with undo.
func (h *Home) doneToday(ctx context.Context, who actor.Actor, now time.Time) ([]pages.QueueDone, error) {
	acts, err := h.Followups.Store.DoneSince(ctx, who.MerchantID, calendar.DateOf(now).At(0, 0), doneShown)
	if err != nil {
		return nil, err
	}
	var out []pages.QueueDone
	for _, a := range acts {
		items, err := h.Reports.AttentionItem(ctx, who, a.ObjectID)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all(items), func(i report.Item) bool { return i.Kind == string(a.Kind) })
		if at < 0 {
			continue // it was solved meanwhile
		}
		i := all(items)[at]
		d := pages.QueueDone{Href: itemHref(i), Name: i.Name + " " + i.Reference, By: a.Actor,
			UndoAction: "/attention/" + a.ObjectID.String() + "/undo"}
		if day, err := calendar.ParseDate(a.HiddenUntil); err == nil {
			d.Text = "Snoozed until " + words.SayDay(day, now)
		} else {
			d.Text = "Closed: " + a.Reason.Label()
		}
		out = append(out, d)
	}
	return out, nil
}

// item finds the thing that an address names, for the reason that is asked for.
func (h *Home) item(c echo.Context, kind string) (report.Item, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return report.Item{}, err
	}
	items, err := h.Reports.AttentionItem(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return report.Item{}, err
	}
	for _, i := range all(items) {
		if kind == "" || i.Kind == kind {
			return i, nil
		}
	}
	return report.Item{}, fault.Missing()
}

// Item serves GET /attention/:id: what can be done about one thing, each as a form (?do=).
func (h *Home) Item(c echo.Context) error {
	i, err := h.item(c, c.QueryParam("kind"))
	if err != nil {
		return err
	}
	return h.showItem(c, http.StatusOK, i, c.QueryParam("do"), url.Values{"back": {c.QueryParam("back")}}, nil)
}

func (h *Home) showItem(c echo.Context, status int, i report.Item, do string, typed url.Values, wrong error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	b, err := h.book(ctx, who, []report.Item{i}, backTo(typed.Get("back")))
	if err != nil {
		return err
	}
	v := pages.QueueItemView{Back: b.back, Row: b.row(i, "", "")}
	if v.Row.ActInside != "" {
		v.Links = append(v.Links, components.Link{Text: v.Row.Act.Label, Href: v.Row.ActInside})
	} else if v.Row.Act.Href != "" {
		v.Links = append(v.Links, components.Link{Text: v.Row.Act.Label, Href: v.Row.Act.Href})
	}
	for _, l := range v.Row.Links {
		v.Links = append(v.Links, components.Link{Text: l.Label, Href: l.Href})
	}
	if who.Can(actor.Write) {
		v.Form = b.form(i, do, typed, wrong)
	}
	notes, err := h.Followups.Store.Notes(ctx, who.MerchantID, i.ObjectID, paging.Ask{Limit: kit.BesideRows})
	if err != nil {
		return err
	}
	v.Notes = kit.NotesTimeline(notes.Items)
	if wrong != nil && c.Request().Header.Get("HX-Request") != "" { // the form below the row says what is wrong
		for name, value := range map[string]string{"Retarget": "#form-" + v.Row.Key, "Reselect": "#act", "Reswap": "innerHTML"} {
			c.Response().Header().Set("HX-"+name, value)
		}
	}
	return h.Desk.ShowIn(c, status, i.Name, "attention", func(f layout.Frame) templ.Component { return pages.QueueItem(f, v) })
}

// form asks what is to be done about an item.
func (b *queueBook) form(i report.Item, do string, typed url.Values, wrong error) pages.QueueForm {
	f := kit.FollowupForm(do, typed, wrong, i.Phone, i.Cents, b.now)
	f.Action = "/attention/" + i.ObjectID.String()
	f.Hidden = append(f.Hidden, components.Pair{Name: "kind", Value: i.Kind}, components.Pair{Name: "back", Value: b.back})
	byInput, _, _ := kit.Problems(wrong)
	tomorrow := calendar.DateOf(b.now).AddDays(1).String()
	press := func(label string) { f.Title, f.Button = label, components.Button{Label: label, Kind: "primary"} }
	switch do {
	case "settle":
		press("Settle promise")
		f.Choice = &components.Select{Label: "What became of it?", Name: "state", Required: true, Error: byInput["state"],
			Options: []components.Option{{Value: "broken", Text: "Broken: the client did not pay"}, {Value: "kept", Text: "Kept: the client paid"},
				{Value: "withdrawn", Text: "Withdrawn: agreed otherwise"}}}
	case "owner":
		press("Assign")
		f.Choice = &components.Select{Label: "Owner", Name: "owner", Required: true, Error: byInput["owner"], Options: b.choices(i.OwnerID)}
	case "snooze":
		press("Snooze")
		f.Date = &components.DateField{Label: "Snooze until", Name: "until", Value: tomorrow, Min: tomorrow, Error: byInput["until"],
			Required: true}
		if typed.Has("until") {
			f.Date.Value = typed.Get("until")
		}
	case "close":
		press("Close")
		f.Say = "It leaves this list though it is not solved. You can undo that."
		f.Choice = &components.Select{Label: "Reason", Name: "reason", Required: true, Error: byInput["reason"], Options: reasonOptions()}
	case "debit":
		o := b.outlooks[i.PurchaseID]
		if !o.Again.May() {
			f.Title = ""
			return f
		}
		press("Debit again")
		f.Say = "Debit " + words.Sum(o.TotalCents, o.Currency) + " from " + o.Again.Account.Named() + " on " +
			words.SayDay(o.Again.From, b.now) + "?"
		f.Hidden = append(f.Hidden, components.Pair{Name: "token", Value: o.Again.Account.ID.String()},
			components.Pair{Name: "day", Value: o.Again.From.String()})
	}
	return f
}

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
	err = kit.Once(c, h.Replays, h.Desk.Sandbox, form.Get(kit.FormKeyName), func(ctx context.Context) (any, error) {
		var done any
		if done, said, undo, err = h.do(ctx, who, []report.Item{i}, form); err != nil {
			return done, err
		}
		left, err := h.Reports.AttentionCount(ctx, who.MerchantID)
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
func (h *Home) refused(c echo.Context, i report.Item, form url.Values, err error) error {
	if _, _, shape := kit.Problems(err); shape {
		return h.showItem(c, http.StatusUnprocessableEntity, i, form.Get("do"), form, err)
	}
	if f, ok := fault.From(err); ok && f.Kind == fault.Conflict {
		if err := access.AddFlash(c, "bad", f.Message); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, backTo(form.Get("back")))
	}
	return err
}

// do does what a form asks about one or many items, and says so. undo is where that is taken back.
func (h *Home) do(ctx context.Context, who actor.Actor, items []report.Item, form url.Values) (done any, said, undo string,
	err error) {
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
		n, said, err = kit.WriteFollowup(ctx, f, who, objects, form)
	case "owner":
		owner, wrong := uuid.Parse(form.Get("owner"))
		if wrong != nil && form.Get("owner") != "none" {
			return nil, "", "", fault.At("owner", "invalid_choice", "Choose a person of the team.")
		}
		n, err = f.Assign(ctx, who, objects, owner)
		said = "Owner changed."
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
		done, said, err = kit.WritePromise(ctx, f, who, followup.Object{Type: followup.Purchase, ID: first.PurchaseID}, form, h.Desk.Now())
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
func (h *Home) debitAgain(ctx context.Context, who actor.Actor, i report.Item, form url.Values) (any, string, string, error) {
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
	ctx, who := c.Request().Context(), access.Actor(c)
	first, err := h.item(c, "")
	if err != nil {
		return err
	}
	items, err := h.Reports.AttentionItem(ctx, who, first.ObjectID)
	if err != nil {
		return err
	}
	var waiting []followup.Item
	for _, i := range all(items) {
		waiting = append(waiting, followup.Item{Kind: followup.Kind(i.Kind), ObjectID: i.ObjectID})
	}
	kind, text := "ok", first.Name+" needs attention again."
	if _, err := h.Followups.Reopen(ctx, who, waiting); fault.Is(err, fault.Conflict) {
		kind, text = "info", "This needs attention already."
	} else if err != nil {
		return err
	}
	if err := access.AddFlash(c, kind, text); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, backTo(form.Get("back")))
}

// Many serves POST /attention: what is done about all that are ticked.
func (h *Home) Many(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	var items []report.Item
	for _, id := range form["id"] {
		if objectID, err := uuid.Parse(id); err == nil {
			items = append(items, report.Item{Kind: form.Get("kind"), ObjectID: objectID})
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
	if err := access.AddFlash(c, kind, said); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, backTo(form.Get("back")))
}
