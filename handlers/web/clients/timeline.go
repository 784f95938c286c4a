package clients

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/trail"
	"debitdesk/models/client"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// timelinePart is what the time line of a client can be narrowed to, by the beginnings of actions.
type timelinePart struct {
	key, label string
	actions    []string
}

var timelineParts = []timelinePart{
	{"", "All", nil},
	{"money", "Money", []string{"purchase.", "collection.", "refund.", "batch."}},
	{"messages", "Messages", []string{"mail.", "invoice."}},
	{"notes", "Notes and calls", []string{"followup."}},
	{"accounts", "Accounts", []string{"token.", "mandate.", "amendment.", "client."}},
	{"people", "People", nil},
}

// A part of the time line is looked for among so many entries at a time, and so often.
const (
	narrowedFrom  = 100
	narrowedTimes = 5
)

// timeline is everything that happened to the client, notes and calls with what they say, or a part of it.
func (h *Clients) timeline(c echo.Context, one client.Client, view *pages.ClientView) error {
	ctx, who, ask, part := c.Request().Context(), access.Actor(c), kit.EventsAsk(c), c.QueryParam("part")
	if !slices.ContainsFunc(timelineParts, func(p timelinePart) bool { return p.key == part }) {
		part = ""
	}
	at := words.ClientHref(one.ID) + "?"
	for _, p := range timelineParts {
		view.Parts.Items = append(view.Parts.Items, components.Tab{Label: p.label, Active: p.key == part,
			Href: at + url.Values{"part": {p.key}}.Encode() + "#events"})
	}
	view.Parts.Label = "Part of what happened"
	view.NoEvents = "Nothing has happened yet."
	shown := ask.Limit
	if part != "" {
		ask.Limit, at = narrowedFrom, at+"part="+url.QueryEscape(part)+"&"
		view.NoEvents = "Nothing of this kind has happened yet."
	}
	gone, err := h.Merging.Gone(ctx, who, one.ID)
	if err != nil {
		return err
	}
	var found []audit.Entry
	var last uuid.UUID
	older := true
	for range narrowedTimes {
		events, err := h.Events.Timeline(ctx, who.MerchantID, trail.Subject{ClientID: one.ID, Merged: gone}, ask)
		if err != nil {
			return err
		}
		for i, e := range events.Items {
			if last = e.ID; inPart(e, part) {
				found = append(found, e)
			}
			if len(found) == shown {
				older = events.Older || i < len(events.Items)-1
				break
			}
		}
		if len(found) < shown {
			older = events.Older
		}
		if len(found) == shown || !older {
			break
		}
		ask.From = last
	}
	if older && last != uuid.Nil {
		view.OlderHref = at + "events=" + last.String() + "#events"
		if len(found) == 0 {
			view.NoEvents = "Nothing of this kind among the events that were looked through."
		}
	}
	if err := h.withNotes(ctx, who, one, found); err != nil {
		return err
	}
	view.Timeline = kit.History(paging.Page[audit.Entry]{Items: found}, purchaseHref)
	return nil
}

// inPart tells whether an entry belongs to a part of the time line; of people: what people did.
func inPart(e audit.Entry, part string) bool {
	if part == "" || part == "people" && e.Actor.Kind == actor.User {
		return true
	}
	for _, p := range timelineParts {
		for _, action := range p.actions {
			if p.key == part && strings.HasPrefix(e.Action, action) {
				return true
			}
		}
	}
	return false
}

// withNotes lets entries about notes and calls say what was written down: the audit does not keep that, for it can be
// erased.
func (h *Clients) withNotes(ctx context.Context, who actor.Actor, one client.Client, entries []audit.Entry) error {
	type written struct {
		about uuid.UUID
		at    int64
	}
	wanted := map[written]*audit.Entry{}
	for i, e := range entries {
		if e.Action == "followup.noted" || e.Action == "followup.called" {
			wanted[written{e.ObjectID, e.At.UnixMicro()}] = &entries[i]
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	first, last := entries[len(entries)-1].At, entries[0].At
	notes, err := h.Followups.Store.NotesBetween(ctx, who.MerchantID, one.ID, first, last, narrowedFrom)
	for _, n := range notes {
		if e := wanted[written{n.ObjectID, n.CreatedAt.UnixMicro()}]; e != nil {
			e.Text = kit.NoteText(n)
		}
	}
	return err
}
