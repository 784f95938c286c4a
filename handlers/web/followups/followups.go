// Package followups serves what staff write down about clients, purchases, mandates and tokens: one box on the page of
// each, one page of all notes, and one form for each act.
package followups

import (
	"context"
	"net/http"
	"net/url"

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
	"debitdesk/models/member"
	"debitdesk/models/paging"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Followups serves the notes of things.
type Followups struct {
	Desk    *kit.Desk
	Service *followup.Service
	Exports *kit.Exports
	// Members are the people of the business.
	Members func(ctx context.Context, merchantID uuid.UUID) ([]member.Member, error)
}

// place is where a thing has its page.
type place struct{ section, back string }

var places = map[followup.ObjectType]place{followup.Client: {"clients", "Client"},
	followup.Purchase: {words.Purchases, "Purchase"}, followup.Mandate: {"mandates", "Mandate"},
	followup.Token: {words.TokensSection, "Token"}}

// Panel draws the box of a thing.
func (h *Followups) Panel(ctx context.Context, who actor.Actor, o followup.Object) (
	box templ.Component, promises []followup.Promise, err error) {
	of, err := h.Service.Store.Subject(ctx, who.MerchantID, o)
	if err != nil {
		return nil, nil, err
	}
	if promises, err = h.promisesOf(ctx, who, of); err != nil {
		return nil, nil, err
	}
	v, older, err := h.view(ctx, who, o, of, promises, paging.Ask{Limit: kit.BesideRows})
	if older != uuid.Nil {
		v.MoreHref = kit.ThingPath(o) + "/notes"
	}
	return pages.NotesPanel(v), promises, err
}

// promisesOf are those of the client of a thing, if it has one.
func (h *Followups) promisesOf(ctx context.Context, who actor.Actor, of followup.Subject) ([]followup.Promise, error) {
	if of.ClientID == uuid.Nil {
		return nil, nil
	}
	return h.Service.Store.PromisesOf(ctx, who.MerchantID, of.ClientID, kit.BesideRows)
}

// view is what is shown of a thing, and the last note of the page where there are older ones.
func (h *Followups) view(ctx context.Context, who actor.Actor, o followup.Object, of followup.Subject,
	promises []followup.Promise, ask paging.Ask) (v pages.NotesView, older uuid.UUID, err error) {
	store, now, at := h.Service.Store, h.Desk.Now(), kit.ThingPath(o)
	v.Back = at
	writes := who.Can(actor.Write) && !of.Erased
	if writes {
		for _, act := range acts(o) {
			v.Acts = append(v.Acts, pages.QueueLink{Label: act.label, Href: at + "/notes?do=" + act.do + "#act"})
		}
	}
	if of.OwnerID != uuid.Nil {
		people, err := h.Members(ctx, who.MerchantID)
		if err != nil {
			return v, older, err
		}
		v.Owner = kit.OwnerName(people, of.OwnerID)
	}
	waiting, err := store.WaitingFor(ctx, who.MerchantID, o.ID)
	if err != nil {
		return v, older, err
	}
	for _, w := range waiting {
		if is, known := (followup.Item{Kind: w.Kind, ObjectID: o.ID}).Object(); !known || is.Type != o.Type {
			continue // a purchase, its mandate and its token share their id
		}
		v.Waits = append(v.Waits, waitLine(w, o, at, writes, calendar.DateOf(now)))
	}
	for _, p := range promises {
		v.Promises = append(v.Promises, kit.PromiseLine(p, now))
	}
	notes, err := store.NotesAbout(ctx, who.MerchantID, of, ask)
	if err != nil {
		return v, older, err
	}
	v.Notes = kit.NotesTimeline(notes.Items, o)
	if n := len(notes.Items); n > 0 && notes.Older {
		older = notes.Items[n-1].ID
	}
	return v, older, nil
}

// act is a form that can be opened.
type act struct{ do, label string }

// acts are what can be written down about a thing: only a client and a purchase owe what can be promised.
func acts(o followup.Object) []act {
	out := []act{{"note", "Add note"}, {"call", "Log call"}}
	if o.Type == followup.Client || o.Type == followup.Purchase {
		out = append(out, act{"promise", "Promise to pay"})
	}
	return append(out, act{"owner", "Owner"})
}

// waitLine says for what a thing needs attention, and what can be done about that.
func waitLine(w followup.Waiting, o followup.Object, at string, writes bool, today calendar.Date) pages.WaitLine {
	l := pages.WaitLine{Text: "Needs attention: " + kit.KindWords(w.Kind) + "."}
	undo := "/attention/" + o.ID.String() + "/undo"
	switch day, err := calendar.ParseDate(w.HiddenUntil); {
	case w.State == followup.Closed:
		l.Text, l.UndoAction = "Closed in Needs attention by "+w.Actor+": "+kit.KindWords(w.Kind)+".", undo
	case w.State == followup.Snoozed && err == nil && day.After(today):
		l.Text, l.UndoAction = "Snoozed until "+day.Format("Mon 2 Jan 2006")+" by "+w.Actor+": "+kit.KindWords(
			w.Kind,
		)+".", undo
	default:
		if err == nil && day.After(today) && w.Kind == "failed" {
			l.Text = "A plan is at work until " + day.AddDays(-1).Format("Mon 2 Jan 2006") + ": " + kit.KindWords(w.Kind) + "."
		}
		if w.HiddenUntil == "infinity" {
			l.Text = "Promised to pay: " + kit.KindWords(w.Kind) + "."
		}
		for _, a := range []act{{"snooze", "Snooze"}, {"close", "Close"}} {
			l.Links = append(
				l.Links,
				pages.QueueLink{Label: a.label, Href: "/attention/" + o.ID.String() + "?kind=" + string(w.Kind) +
					"&do=" + a.do + "&back=" + url.QueryEscape(at)},
			)
		}
	}
	if !writes {
		l.Links, l.UndoAction = nil, ""
	}
	return l
}

// Show serves GET /…/:id/notes: all notes, and the form that is asked for (?do=).
func (h *Followups) Show(of followup.ObjectType) echo.HandlerFunc {
	return func(c echo.Context) error { return h.show(c, http.StatusOK, of, c.QueryParams(), nil) }
}

func (h *Followups) show(c echo.Context, status int, kind followup.ObjectType, typed url.Values, wrong error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	o := followup.Object{Type: kind, ID: id}
	of, err := h.Service.Store.Subject(ctx, who.MerchantID, o)
	if err != nil {
		return err
	}
	promises, err := h.promisesOf(ctx, who, of)
	if err != nil {
		return err
	}
	v, older, err := h.view(ctx, who, o, of, promises, kit.EventsAsk(c))
	if err != nil {
		return err
	}
	if older != uuid.Nil {
		v.OlderHref = kit.ThingPath(o) + "/notes?events=" + older.String()
	}
	for _, a := range acts(o) {
		if do := typed.Get("do"); do == a.do && len(v.Acts) > 0 {
			v.Form = kit.FollowupForm(do, typed, wrong, of.Phone, of.OwedCents, h.Desk.Now())
			if do == "owner" {
				people, err := h.Members(ctx, who.MerchantID)
				if err != nil {
					return err
				}
				kit.AskOwner(&v.Form, people, of.OwnerID, wrong)
			}
			v.Form.Action = kit.ThingPath(o) + "/notes"
		}
	}
	at, title := places[kind], of.ClientName
	if title == "" {
		title = at.back
	}
	return h.Desk.ShowIn(c, status, "Notes: "+title, at.section,
		func(f layout.Frame) templ.Component { return pages.Notes(f, title, at.back, v) })
}

// Write serves POST /…/:id/notes: a note, a call, a promise to pay or an owner.
func (h *Followups) Write(kind followup.ObjectType) echo.HandlerFunc {
	return func(c echo.Context) error {
		id, err := kit.ID(c, "id")
		if err != nil {
			return err
		}
		form, err := kit.FormOf(c)
		if err != nil {
			return err
		}
		o := followup.Object{Type: kind, ID: id}
		to := kit.ThingPath(o) + "#" + pages.NotesTarget
		if _, err := h.Service.Store.Subject(c.Request().Context(), access.Actor(c).MerchantID, o); err != nil {
			return err
		}
		err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (any, error) {
			done, said, err := h.write(ctx, access.Actor(c), o, form)
			if err != nil {
				return done, err
			}
			return done, access.AddFlash(c, "ok", said)
		}, func(any) string { return to })
		return kit.AskAgain(c, err, to, func() error {
			return h.show(c, http.StatusUnprocessableEntity, kind, form, err)
		})
	}
}

func (h *Followups) write(ctx context.Context, who actor.Actor, o followup.Object,
	form url.Values) (done any, said string, err error) {
	switch form.Get("do") {
	case "promise":
		return kit.WritePromise(ctx, h.Service, who, o, form, h.Desk.Now())
	case "owner":
		return kit.WriteOwner(ctx, h.Service, who, []followup.Object{o}, form)
	case "note", "call":
		return kit.WriteFollowup(ctx, h.Service, who, []followup.Object{o}, form, h.Desk.Now())
	}
	return nil, "", fault.New(fault.Invalid, "invalid", "Choose what is to be done.")
}
