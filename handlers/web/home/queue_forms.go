package home

import (
	"context"
	"net/http"
	"net/url"
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
	"debitdesk/models/attention"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// queuePath is the address of a part of the queue.
func queuePath(whose attention.Whose) string {
	if whose == attention.Everyones {
		return "/attention"
	}
	return "/attention?whose=" + string(whose)
}

func backParam(back string) string { return url.QueryEscape(back) }

// backTo is the part of the queue that a form came from, or the page of the thing.
func backTo(asked string) string {
	for _, whose := range attention.Parts {
		if asked == queuePath(whose) {
			return asked
		}
	}
	for _, page := range []string{"/clients/", "/purchases/", "/mandates/", "/tokens/"} {
		if id, ours := strings.CutPrefix(asked, page); ours && uuid.Validate(id) == nil {
			return page + id
		}
	}
	return "/attention"
}

var partLabels = map[attention.Whose]string{attention.Everyones: "All", attention.Mine: "Mine",
	attention.Nobodys: "Without an owner", attention.Later: "For later"}

// showParts puts the parts of the queue with their counts on the page. What cannot be put off counts with all.
func showParts(counts []int, active attention.Whose, v *pages.QueueView) {
	v.Tabs = components.Tabs{Label: "Whose", Manual: "/manual/debits#needs-attention"}
	for i, whose := range attention.Parts {
		n := counts[i]
		if whose == attention.Everyones {
			n += others(*v)
		}
		text := strconv.Itoa(n)
		if n > 99 {
			text = "99+"
		}
		tab := components.Tab{Label: partLabels[whose], Count: text, Href: queuePath(whose), Active: whose == active}
		if v.Tabs.Items = append(v.Tabs.Items, tab); !tab.Active {
			continue
		}
		v.Left, v.Foot = leftWords(n, whose), tab.Label+": "+text
		if n <= 99 {
			v.Total = components.CountOf(int64(n))
		}
	}
	if n := counts[len(counts)-1]; n > 0 && active != attention.Later {
		v.Left += " " + leftWords(n, attention.Later)
	}
}

// leftWords says how much there is in a part of the queue.
func leftWords(n int, whose attention.Whose) string {
	many := words.Grouped(int64(n))
	if n > 99 {
		many = "More than 99"
	}
	switch {
	case whose == attention.Later && n == 1:
		return "1 thing is for later: snoozed, promised, or followed by a plan."
	case whose == attention.Later:
		return many + " things are for later: snoozed, promised, or followed by a plan."
	case n == 0:
		return "Nothing needs attention here."
	case n == 1:
		return "1 thing needs attention."
	}
	return many + " things need attention."
}

// others counts what is on the page and cannot be put off, as the badge does: requests for approval are counted
// with the rest, and what is about to expire does not wait for anybody.
func others(v pages.QueueView) (n int) {
	for _, g := range v.Groups {
		if g.Kind == "" && g.ID != approvalsWait.id && g.ID != endingID {
			n += len(g.Rows)
		}
	}
	return n
}

func reasonOptions(chosen string) (out []components.Option) {
	for _, r := range followup.Reasons {
		out = append(out, components.Option{Value: string(r), Text: r.Label(), Selected: string(r) == chosen})
	}
	return out
}

// unchosen are options of which a person is to choose one.
func unchosen(options []components.Option) []components.Option {
	for i := range options {
		options[i].Selected = false
	}
	return options
}

// shortened is the beginning of a long text.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > 160 {
		return string(runes[:160]) + "…"
	}
	return text
}

const doneShown = 20

// doneToday lists what left the list today: what was put off or closed, with undo, and what was solved.
func (h *Home) doneToday(ctx context.Context, who actor.Actor, now time.Time) (out []pages.QueueDone, err error) {
	done, err := h.Followups.Store.DoneSince(ctx, who.MerchantID, calendar.DateOf(now).At(0, 0), doneShown)
	for _, d := range done {
		line := pages.QueueDone{Href: doneHref(d), Name: doneName(d), By: d.Actor, Text: doneWords(d, now)}
		if d.State != followup.Solved {
			line.UndoAction = "/attention/" + d.ObjectID.String() + "/undo"
		}
		out = append(out, line)
	}
	return out, err
}

// reasons are the thing that an address names, once for each reason for which it waits.
func (h *Home) reasons(c echo.Context) ([]attention.Item, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return nil, err
	}
	items, err := h.Queue.Item(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return nil, err
	}
	found := all(items)
	if len(found) == 0 {
		return nil, fault.Missing()
	}
	return found, nil
}

// item finds the thing that an address names, for the reason that is asked for.
func (h *Home) item(c echo.Context, kind string) (attention.Item, error) {
	found, err := h.reasons(c)
	if err != nil {
		return attention.Item{}, err
	}
	for _, i := range found {
		if kind == "" || i.Kind == kind {
			return i, nil
		}
	}
	return attention.Item{}, fault.Missing()
}

// Item serves GET /attention/:id: what can be done about one thing, each as a form (?do=).
func (h *Home) Item(c echo.Context) error {
	i, err := h.item(c, c.QueryParam("kind"))
	if err != nil {
		return err
	}
	return h.showItem(c, http.StatusOK, i, c.QueryParam("do"), url.Values{"back": {c.QueryParam("back")}}, nil)
}

func (h *Home) showItem(c echo.Context, status int, i attention.Item, do string, typed url.Values, wrong error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	b, err := h.book(ctx, who, []attention.Item{i}, backTo(typed.Get("back")))
	if err != nil {
		return err
	}
	v := pages.QueueItemView{Back: components.Link{Text: "Needs attention", Href: b.back}, Row: b.row(i, "", "")}
	if !strings.HasPrefix(b.back, "/attention") {
		v.Back.Text = "Back"
	}
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
	v.Notes = kit.NotesTimeline(notes.Items, followup.Object{})
	if wrong != nil && c.Request().Header.Get("HX-Request") != "" { // the form below the row says what is wrong
		for name, value := range map[string]string{"Retarget": "#form-" + v.Row.Key,
			"Reselect": "#act", "Reswap": "innerHTML"} {
			c.Response().Header().Set("HX-"+name, value)
		}
	}
	return h.Desk.ShowIn(
		c,
		status,
		i.Name,
		"attention",
		func(f layout.Frame) templ.Component { return pages.QueueItem(f, v) },
	)
}

// form asks what is to be done about an item.
func (b *queueBook) form(i attention.Item, do string, typed url.Values, wrong error) pages.QueueForm {
	f := kit.FollowupForm(do, typed, wrong, i.Phone, i.Cents, b.now)
	f.Action = "/attention/" + i.ObjectID.String()
	f.Hidden = append(f.Hidden, components.Pair{Name: "kind", Value: i.Kind}, components.Pair{Name: "back", Value: b.back})
	byInput, _, _ := kit.Problems(wrong)
	tomorrow := calendar.DateOf(b.now).AddDays(1).String()
	press := func(label string) { f.Title, f.Button = label, components.Button{Label: label, Kind: "primary"} }
	switch do {
	case "settle":
		press("Settle promise")
		f.Choice = &components.Select{
			Label:    "What became of it?",
			Name:     "state",
			Required: true,
			Blank:    "Choose what became of it",
			Error:    byInput["state"],
			Options: []components.Option{{Value: "broken", Text: "Broken: the client did not pay"},
				{Value: "kept", Text: "Kept: the client paid"}, {Value: "withdrawn", Text: "Withdrawn: agreed otherwise"}},
		}
	case "owner":
		kit.AskOwner(&f, b.people, i.OwnerID, wrong)
	case "snooze":
		press("Snooze")
		f.Date = &components.DateField{Label: "Snooze until", Name: "until", Value: tomorrow, Min: tomorrow,
			Error: byInput["until"], Required: true}
		if typed.Has("until") {
			f.Date.Value = typed.Get("until")
		}
	case "close":
		press("Close")
		f.Say = "It leaves this list though it is not solved. You can undo that."
		f.Choice = &components.Select{Label: "Reason", Name: "reason", Required: true, Error: byInput["reason"],
			Blank: "Choose the reason", Options: reasonOptions(typed.Get("reason"))}
	case "debit":
		o := b.outlooks[i.PurchaseID]
		if !o.Again.May() {
			f.Title = ""
			return f
		}
		press("Debit again")
		f.Say = "Debit " + words.Sum(o.OpenCents(), o.Currency) + " from " + o.Again.Account.Named() + " on " +
			words.SayDay(o.Again.From, b.now) + "?"
		f.Hidden = append(f.Hidden, components.Pair{Name: "token", Value: o.Again.Account.ID.String()},
			components.Pair{Name: "day", Value: o.Again.From.String()})
	}
	return f
}
