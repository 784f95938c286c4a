package imports

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/book"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// stopPolling is the status at which htmx asks no more.
const stopPolling = 286

// Groups serves GET /imports/:id/groups: how far the run is, and the groups that can be switched on.
func (h *Imports) Groups(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if i.Draft() {
		return c.Redirect(http.StatusSeeOther, href(i.ID, step(i)))
	}
	return h.groupsPage(c, i, nil)
}

func (h *Imports) groupsPage(c echo.Context, i book.Import, refused error) error {
	of := i.Counts.ToDo()
	view := pages.ImportGroupsView{Head: h.head(c, i, "groups", refused), Self: href(i.ID, "groups"), Working: i.AtWork(),
		Progress: progress("Rows imported", done(i), of), Stats: stats(i), Verdicts: verdicts(access.Actor(c), i),
		RehearsalHref: href(i.ID, "rehearsal"), ContinueAction: href(i.ID, "continue"),
		MayChange: access.Actor(c).Can(act)}
	if i.State == book.Undoing {
		view.Progress.Label, view.Undoing = "Rows taken back", true
	}
	if c.Request().Header.Get("HX-Target") == pages.ImportWorking {
		status := http.StatusOK
		if !view.Working {
			status = stopPolling
			c.Response().Header().Set("HX-Refresh", "true")
		}
		return html.Send(c, status, pages.ImportRunning(view))
	}
	var err error
	if view.Groups, err = h.groups(c, i); err != nil {
		return err
	}
	again, err := h.Service.HasConfirmations(c.Request().Context(), i)
	if err != nil {
		return err
	}
	if again {
		view.ConfirmHref = href(i.ID, "confirm")
	}
	if i.State == book.Done && view.MayChange {
		if not := i.MayUndo(h.Desk.Now()); not == nil {
			view.UndoHref = href(i.ID, "undo")
		} else {
			view.WhyNoUndo = not.Error()
		}
	}
	for _, k := range i.Kept[:min(len(i.Kept), shownRows)] {
		one := pages.ImportKept{Row: strconv.Itoa(k.Row), Name: k.Name, Why: words.Capital(k.Why) + "."}
		if k.ClientID != uuid.Nil {
			one.Href = "/clients/" + k.ClientID.String()
		}
		view.Kept = append(view.Kept, one)
	}
	if more := len(i.Kept) - len(view.Kept); more > 0 {
		view.KeptMore = plural.Of(more, "more row")
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Groups of "+i.Name, section,
		func(f layout.Frame) templ.Component { return pages.ImportGroups(f, view) })
}

// groups are the groups of an import with what each brings.
func (h *Imports) groups(c echo.Context, i book.Import) (out []pages.ImportGroup, err error) {
	all, err := h.Service.Groups(c.Request().Context(), access.Actor(c), i.ID)
	for _, g := range all {
		one := pages.ImportGroup{Name: g.Name, Rows: n(g.Rows), Clients: n(g.Clients), Accounts: n(g.Accounts),
			Subscriptions: n(g.Subscriptions), Cents: words.Sum(g.Cents, ""), State: components.Pill{Kind: "wait",
				Word: "Parked"}}
		if !g.FirstOn.IsZero() {
			one.First = words.SayDay(g.FirstOn, h.Desk.Now())
		}
		for _, l := range i.Live {
			if l.Name == g.Name {
				one.State = components.Pill{Kind: "done", Word: "On", Title: "Switched on by " + l.By}
			}
		}
		if i.MaySwitch() && !i.IsLive(g.Name) && access.Actor(c).Can(act) {
			one.SwitchHref = href(i.ID, "switch") + "?group=" + url.QueryEscape(g.Name)
		}
		out = append(out, one)
	}
	return out, err
}

// daysShown is how many days of first debits are listed.
const daysShown = 31

// AskSwitch serves GET /imports/:id/switch: what a group would do when it is switched on.
func (h *Imports) AskSwitch(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	group := kit.PlainText(c.QueryParam("group"))
	if !i.MaySwitch() || i.IsLive(group) {
		return c.Redirect(http.StatusSeeOther, href(i.ID, step(i)))
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	all, err := h.Service.Groups(ctx, who, i.ID)
	if err != nil {
		return err
	}
	days, err := h.Service.Days(ctx, who, i.ID, group)
	if err != nil {
		return err
	}
	ask := components.Confirm{ID: "switch", Title: "Switch on the group " + group + "?", Safe: true,
		Text:   "From then on its accounts can be debited, and its subscriptions start. No mail goes out now.",
		Action: href(i.ID, "switch"), Fields: []components.Pair{{Name: "group", Value: group}}, Button: "Switch on " + group,
		Keep: "Keep it parked", CancelHref: href(i.ID, "groups")}
	known := false
	for _, g := range all {
		if known = known || g.Name == group; g.Name == group {
			ask.Breaks = append(ask.Breaks, fmt.Sprintf("%s and %s are switched on.", plural.Of(g.Accounts, "account"),
				plural.Of(g.Subscriptions, "subscription")))
		}
	}
	if !known {
		return c.Redirect(http.StatusSeeOther, href(i.ID, "groups"))
	}
	for _, d := range days[:min(len(days), daysShown)] {
		ask.Breaks = append(ask.Breaks, fmt.Sprintf("First due on %s: %s, %s.", words.SayDay(d.On, h.Desk.Now()),
			plural.Of(d.Rows, "debit"), words.Sum(d.Cents, "ZAR")))
	}
	if more := len(days) - daysShown; more > 0 {
		ask.Breaks = append(ask.Breaks, fmt.Sprintf("And on %s after those.", plural.Of(more, "day")))
	}
	return h.ask(c, ask)
}

// Switch serves POST /imports/:id/switch.
func (h *Imports) Switch(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	group := kit.PlainText(form.Get("group"))
	_, err = h.Service.SwitchOn(c.Request().Context(), access.Actor(c), i.ID, group)
	switch {
	case kit.MayShow(err) && !i.Draft():
		return h.groupsPage(c, i, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The group "+group+" is switched on.", href(i.ID, "groups"))
}

// AskUndo serves GET /imports/:id/undo.
func (h *Imports) AskUndo(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if i.MayUndo(h.Desk.Now()) != nil {
		return c.Redirect(http.StatusSeeOther, href(i.ID, step(i)))
	}
	return h.ask(c, components.Confirm{ID: "undo", Title: "Undo the import " + i.Name + "?",
		Text: "What it made is deleted, and what it changed is as it was before.",
		Breaks: []string{plural.Of(i.Counts.Created, "client") + " with their accounts, mandates and subscriptions " +
			plural.Pick(i.Counts.Created, "goes", "go") + ".", plural.Of(i.Counts.Updated, "client") + " " +
			plural.Pick(i.Counts.Updated, "gets its", "get their") + " old details back.",
			"What a colleague changed since stays, and so does a group whose first debit was handed to the bank. The page " +
				"lists them."},
		Action: href(i.ID, "undo"), Button: "Undo the import", Keep: "Keep it", CancelHref: href(i.ID, "groups")})
}

// Undo serves POST /imports/:id/undo.
func (h *Imports) Undo(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	next, err := h.Service.Undo(c.Request().Context(), access.Actor(c), i.ID)
	if err == nil {
		err = h.goOn(c, next)
	}
	switch {
	case kit.MayShow(err) && !i.Draft():
		return h.groupsPage(c, i, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, href(i.ID, "groups"))
}

// Continue serves POST /imports/:id/continue: work that stands still goes on.
func (h *Imports) Continue(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if i.AtWork() {
		err = h.Tasks.Work(c.Request().Context(), i.TaskID)
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/imports/"+i.ID.String())
}
