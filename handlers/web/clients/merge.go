package clients

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merging"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

func mergePath(id uuid.UUID) string { return words.ClientHref(id) + "/merge" }

func separationPath(id uuid.UUID) string { return words.ClientHref(id) + "/separation" }

// mergeHref leads to two clients side by side.
func mergeHref(keep, gone uuid.UUID) string {
	return mergePath(keep) + "?" + url.Values{"with": {gone.String()}}.Encode()
}

// mergeItem is the act in the client's menu.
func mergeItem(who actor.Actor, one client.Client) []components.MenuItem {
	if !who.Can(actor.Write) {
		return nil
	}
	return []components.MenuItem{{Label: "Merge with a duplicate…", Icon: "users", Href: mergePath(one.ID)}}
}

// mergedOn says on a client's page who was merged into it, and until when that can be undone.
func (h *Clients) mergedOn(c echo.Context, one client.Client, view *pages.ClientView) error {
	if one.Erased() {
		return nil
	}
	who, now := access.Actor(c), h.Desk.Now()
	all, err := h.Merging.Into(c.Request().Context(), who, one.ID)
	for i, m := range all {
		if !m.Undoable(now) {
			continue // the time line tells of it
		}
		note := pages.StoppedView{Note: components.Note{Kind: "info", Title: "Merged with " + m.GoneName,
			Text: "By " + m.MadeName + ", " + words.SayMinute(m.MadeAt, now) + ". It can be undone until " +
				words.SayMinute(m.UndoUntil, now) + "."}}
		if i == 0 && who.Can(actor.Write) {
			note.Link = components.Link{Text: "Undo the merge…", Href: separationPath(one.ID)}
		}
		view.Merged = append(view.Merged, note)
	}
	return err
}

// livesOn leads from a client who was merged away to the one that was kept; others stay missing.
func (h *Clients) livesOn(c echo.Context, missing error) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return missing
	}
	kept, err := h.Merging.KeptFor(c.Request().Context(), access.Actor(c), id)
	switch {
	case fault.Is(err, fault.NotFound):
		return missing
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, words.ClientHref(kept))
}

// AskMerge serves GET /clients/:id/merge: who may be the duplicate, or both side by side.
func (h *Clients) AskMerge(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	if text := c.QueryParam("with"); text != "" {
		with, err := uuid.Parse(text)
		if err != nil {
			return fault.Missing()
		}
		return h.sideBySide(c, one.ID, with, nil, nil)
	}
	return h.chooseMerge(c, one)
}

func (h *Clients) chooseMerge(c echo.Context, one client.Client) error {
	ctx, who, text := c.Request().Context(), access.Actor(c), strings.TrimSpace(c.QueryParam("q"))
	view := pages.MergeChoice{Name: one.Name(), Action: mergePath(one.ID), Searched: text != "",
		Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)},
		Search: components.Field{Label: "Search clients", Name: "q", Type: "search", Value: text, Quiet: true,
			Hint: "Name, e-mail, phone or identity number."}}
	alike, err := h.Merging.Likely(ctx, who, one)
	if err != nil {
		return err
	}
	for _, t := range alike {
		line := mergeLine(t.Client, mergeHref(one.ID, t.ID))
		line.Why = "Same " + strings.Join(t.Same, " and ")
		view.Likely = append(view.Likely, line)
	}
	if text != "" {
		found, err := h.Service.List(ctx, who, client.Query{Text: text, Ask: paging.Ask{Limit: mergesFound}})
		if err != nil {
			return err
		}
		for _, other := range found.Items {
			if other.ID != one.ID && !other.Erased() {
				view.Found = append(view.Found, mergeLine(other, mergeHref(one.ID, other.ID)))
			}
		}
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Merge with a duplicate", clientsSection,
		func(f layout.Frame) templ.Component { return pages.ChooseMerge(f, view) })
}

// mergesFound is how many clients a search for a duplicate shows.
const mergesFound = 20

func mergeLine(c client.Client, href string) pages.MergeLine {
	return pages.MergeLine{Name: c.Name(), Sub: cmp.Or(clientSub(c), "no e-mail address or phone"), Href: href}
}

// mergeLabels are what the details of two clients are called, beside those of the form.
var mergeLabels = map[string]string{"bank_account": "Bank account", "street_address": "Address",
	"shipping_street_address": "Delivery address"}

func mergeLabel(name string) string {
	if label := mergeLabels[name]; label != "" {
		return label
	}
	for _, in := range clientInputs {
		if in.name == name {
			return in.label
		}
	}
	return name
}

const takePrefix = "take_"

// chosen are the sides that a form chose.
func chosen(form url.Values) map[string]merging.Side {
	out := map[string]merging.Side{}
	for name := range form {
		if field, is := strings.CutPrefix(name, takePrefix); is {
			out[field] = merging.Side(form.Get(name))
		}
	}
	return out
}

func (h *Clients) sideBySide(c echo.Context, keep, gone uuid.UUID, form url.Values, refused error) error {
	l, err := h.Merging.Look(c.Request().Context(), access.Actor(c), keep, gone)
	if err != nil {
		return err
	}
	kept, other := l.Keep.Name(), l.Gone.Name()
	view := pages.MergeView{Title: "Merge two clients", Keep: kept, Gone: other, Blocked: l.Refused, Notes: l.Notes,
		Back: components.Link{Text: kept, Href: words.ClientHref(keep)},
		Swap: components.Link{Text: "Keep the other record instead", Href: mergeHref(gone, keep)},
		Question: components.Confirm{ID: "merge", Title: "Merge " + other + " into " + kept + "?",
			Text: "The record that was added " + words.SayMinute(l.Keep.CreatedAt, h.Desk.Now()) + " is kept. The one that " +
				"was added " + words.SayMinute(l.Gone.CreatedAt, h.Desk.Now()) + " leaves the list, and everything that " +
				"belongs to it moves. You can undo it for an hour.",
			Action: mergePath(keep), CancelHref: words.ClientHref(keep), Button: "Merge", Safe: true,
			Fields: []components.Pair{{Name: "with", Value: gone.String()}, {Name: "seen", Value: l.Digest()}}},
		Moves: merging.Words(l.Moves)}
	if refused != nil {
		view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	picked := chosen(form)
	for _, f := range l.Fields {
		if !f.Differs {
			value := f.Keep
			if f.Wins == merging.Gone {
				value = f.Gone
			}
			view.Same.Items = append(view.Same.Items, components.Fact{Label: mergeLabel(f.Name), Value: value})
			continue
		}
		view.Choices = append(view.Choices, components.RadioCards{Legend: mergeLabel(f.Name), Name: takePrefix + f.Name,
			Value: string(cmp.Or(picked[f.Name], f.Wins)), Columns: true, Options: []components.RadioCard{
				{Value: string(merging.Keep), Title: f.Keep, Text: "Of the record that is kept"},
				{Value: string(merging.Gone), Title: f.Gone, Text: "Of the other record"}}})
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), view.Title, clientsSection,
		func(f layout.Frame) templ.Component { return pages.AskMerge(f, view) })
}

// Merge serves POST /clients/:id/merge.
func (h *Clients) Merge(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	with, err := uuid.Parse(form.Get("with"))
	if err != nil {
		return fault.At("with", "required", "Choose the client to merge with.")
	}
	m, err := h.Merging.Merge(c.Request().Context(), access.Actor(c), merging.Input{Keep: one.ID, Gone: with,
		Chosen: chosen(form), Seen: form.Get("seen")})
	switch {
	case fault.Is(err, fault.Conflict):
		return h.sideBySide(c, one.ID, with, form, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", m.GoneName+" was merged into this client.", words.ClientHref(one.ID))
}
