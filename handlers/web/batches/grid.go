package batches

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
	"debitdesk/models/actor"
	"debitdesk/models/batch"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// usualDue is in how many days an invoice is usually due.
const usualDue = 7

// gridRows is how many rows one page of the grid shows.
const gridRows = 50

// gridView is one way to look at the rows of a batch.
type gridView struct {
	key, label, title string
	query             batch.RowQuery
	count             func(batch.Counts) int
}

var gridViews = []gridView{
	{"bad", "To fix", "Rows to fix", batch.RowQuery{States: []batch.RowState{batch.Bad}},
		func(c batch.Counts) int { return c.Bad }},
	{"unusual", "Unusual amounts", "Amounts to tick", batch.RowQuery{States: []batch.RowState{batch.Ready}, Unusual: true},
		func(c batch.Counts) int { return c.Unusual }},
	{"warned", "Warnings", "Rows with warnings", batch.RowQuery{States: []batch.RowState{batch.Ready}, Warned: true},
		func(c batch.Counts) int { return c.Warned }},
	{"ready", "Ready", "Rows that are ready", batch.RowQuery{States: []batch.RowState{batch.Ready}},
		func(c batch.Counts) int { return c.Ready }},
	{"skipped", "Left out", "Rows that are left out", batch.RowQuery{States: []batch.RowState{batch.Skipped}},
		func(c batch.Counts) int { return c.Skipped }},
}

// gridViewOf is the view that the address names, else the first that has something to do.
func gridViewOf(b batch.Batch, key string) gridView {
	for _, v := range gridViews {
		if v.key == key {
			return v
		}
	}
	for _, v := range gridViews {
		if v.count(b.Counts) > 0 {
			return v
		}
	}
	return gridViews[0]
}

func (h *Batches) checkPage(c echo.Context, b batch.Batch, refused error) error {
	who := access.Actor(c)
	self := words.BatchHref(b.ID, "check")
	view := pages.BatchCheckView{Head: h.head(c, b, "check", refused), Self: self, Working: b.State == batch.Checking,
		Counts: batchCounts(b),
		Progress: components.Progress{Label: "Rows checked", Text: words.Grouped(int64(b.Rows-b.Counts.Fresh)) + " of " +
			words.Grouped(int64(b.Rows)), Value: b.Rows - b.Counts.Fresh, Max: b.Rows},
		FixAction: words.BatchHref(b.ID, "fixes"), SkipAction: words.BatchHref(b.ID, "skips"),
		ConfirmAction: words.BatchHref(b.ID, "amounts"), AllHref: self + "?show=bad",
		UndoAction: words.BatchHref(b.ID, "undo"),
		MayBill:    who.Can(actor.Bill) && b.State == batch.Checked}
	if c.Request().Header.Get("HX-Target") == pages.CheckingTarget {
		if !view.Working {
			c.Response().Header().Set("HX-Refresh", "true")
		}
		return html.Send(c, http.StatusOK, pages.BatchChecking(view))
	}
	if !view.Working {
		if err := h.grid(c, b, &view); err != nil {
			return err
		}
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Check of "+b.Name, batchesSection,
		func(f layout.Frame) templ.Component { return pages.BatchCheck(f, view) })
}

// grid fills in the causes and the rows of one page.
func (h *Batches) grid(c echo.Context, b batch.Batch, view *pages.BatchCheckView) error {
	ctx, who, at := c.Request().Context(), access.Actor(c), gridPlaceOf(c.QueryParams())
	show, err := h.around(c, b, &at, view)
	if err != nil {
		return err
	}
	q := show.query
	q.Cause, q.Limit = at.cause, gridRows+1
	q.After, _ = rowNumber(at.after)
	rows, err := h.Service.Rows(ctx, who, b.ID, q)
	if err != nil {
		return err
	}
	if len(rows) > gridRows {
		rows = rows[:gridRows]
		view.MoreHref = fmt.Sprintf("%s?show=%s&cause=%s&after=%d", view.Self, show.key, url.QueryEscape(at.cause),
			rows[len(rows)-1].N)
	}
	for _, i := range gridColumns(b) {
		view.Heads = append(view.Heads, b.ColumnName(i))
	}
	for _, r := range rows {
		row := gridRow(b, r, at, h.Desk.Now())
		if !view.MayBill {
			row.Action = ""
		}
		view.Others = view.Others || len(row.Others) > 0
		view.Rows = append(view.Rows, row)
	}
	focusAfter(view.Rows, c.QueryParam("cell"))
	return nil
}

// around fills in what stands around the rows and changes with them: the causes, an open request, the tabs. It settles
// which view is looked at.
func (h *Batches) around(c echo.Context, b batch.Batch, at *gridPlace, view *pages.BatchCheckView) (gridView, error) {
	show := gridViewOf(b, at.show)
	if at.cause != "" {
		show = gridViews[0]
	}
	at.show = show.key
	view.Title, view.Show, view.Keep = show.title, show.key, at.pairs()
	if err := h.causes(c, b, at.cause, view); err != nil {
		return show, err
	}
	if err := h.asked(c, b, view); err != nil {
		return show, err
	}
	if err := h.mends(c, b, view); err != nil {
		return show, err
	}
	for _, v := range gridViews {
		n := v.count(b.Counts)
		if n > 0 || v.key == show.key {
			view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: v.label, Href: view.Self + "?show=" + v.key,
				Count: words.Grouped(int64(n)), Active: v.key == show.key})
		}
	}
	view.Tabs.Label = "Rows"
	return show, nil
}

// mendsShown is how many changes are shown; when they are undone, those before them show.
const mendsShown = 10

// mends fills in the changes that can be undone.
func (h *Batches) mends(c echo.Context, b batch.Batch, view *pages.BatchCheckView) error {
	all, err := h.Service.Mends(c.Request().Context(), access.Actor(c), b.ID)
	for _, m := range all[:min(len(all), mendsShown)] {
		view.Changes = append(view.Changes, pages.ChangeLine{ID: m.ID.String(), Text: m.Text, By: m.Who,
			At: words.Moment(m.CreatedAt)})
	}
	return err
}

// asked says that a change of a row withdraws a request for a second person.
func (h *Batches) asked(c echo.Context, b batch.Batch, view *pages.BatchCheckView) error {
	a, open, err := h.Approvals.OpenFor(c.Request().Context(), access.Actor(c), b.ID)
	if err == nil && open {
		view.Asked = a.AskedName +
			" asked for approval to send this batch as it is now. Changing a row withdraws the request."
	}
	return err
}

func (h *Batches) causes(c echo.Context, b batch.Batch, cause string, view *pages.BatchCheckView) error {
	groups, err := h.Service.Causes(c.Request().Context(), access.Actor(c), b.ID)
	if err != nil {
		return err
	}
	for _, g := range groups {
		line := pages.CauseLine{Title: g.Title, Example: g.Example, Rows: plural.Of(g.N, "row"),
			ShowHref: view.Self + "?cause=" + url.QueryEscape(g.Key), Active: g.Key == cause}
		if line.Active {
			view.Filter = g.Title
		}
		for _, f := range g.Fixes {
			if f.Cause == batch.CauseUnknown {
				f.Label = "Create clients for " + plural.Pick(g.N, "this row", "these "+plural.Of(g.N, "row"))
			}
			button := pages.CauseFix{Hidden: []components.Pair{{Name: "cause", Value: f.Cause},
				{Name: "column", Value: strconv.Itoa(f.Column)}, {Name: "revision", Value: strconv.Itoa(b.Revision)}}}
			if f.Dated {
				f.Label += " for " + plural.Pick(g.N, "this row", "these "+plural.Of(g.N, "row"))
				button.Date = &components.Field{Label: "Due date", Name: "choice", ID: "due-" + f.Cause, Type: "date",
					Width: "m", Required: true, Value: calendar.DateOf(h.Desk.Now()).AddDays(usualDue).String()}
			} else {
				button.Hidden = append(button.Hidden, components.Pair{Name: "choice", Value: f.Choice})
			}
			button.Label = f.Label
			line.Fixes = append(line.Fixes, button)
		}
		view.Causes = append(view.Causes, line)
	}
	return nil
}

func (h *Batches) rowForm(c echo.Context) (batch.Batch, url.Values, error) {
	b, err := h.find(c)
	if err != nil {
		return b, nil, err
	}
	form, err := kit.FormOf(c)
	return b, form, err
}

// Fix serves POST /batches/:id/fixes: all rows of a cause at once.
func (h *Batches) Fix(c echo.Context) error {
	b, form, err := h.rowForm(c)
	if err != nil {
		return err
	}
	column, _ := rowNumber(form.Get("column"))     // none is the whole row
	revision, _ := rowNumber(form.Get("revision")) // none takes every row
	fix := batch.Fix{Cause: form.Get("cause"), Column: column, Choice: form.Get("choice")}
	_, n, err := h.Service.FixAll(c.Request().Context(), access.Actor(c), b.ID, fix, revision)
	done := plural.Of(n, "row") + " fixed."
	if fix.Cause == batch.CauseUnknown {
		done = "Clients will be created for " + plural.Of(n, "row") + " when the batch is sent."
	}
	return h.toCheck(c, b, nil, err, done) // its cause is that of the button, not the one that is looked at
}

// Skip serves POST /batches/:id/skips: one row, or all bad ones.
func (h *Batches) Skip(c echo.Context) error {
	b, form, err := h.rowForm(c)
	if err != nil {
		return err
	}
	var numbered []int
	if text := form.Get("n"); text != "" {
		n, err := rowNumber(text)
		if err != nil {
			return fault.Missing()
		}
		numbered = []int{n}
	}
	after, err := h.Service.Skip(c.Request().Context(), access.Actor(c), b.ID, numbered...)
	n := after.Counts.Skipped - b.Counts.Skipped
	return h.toCheck(c, b, form, err, plural.Of(n, "row")+" left out. Nothing is sent for "+
		plural.Pick(n, "it", "them")+".")
}

// Restore serves POST /batches/:id/restores: a row that was left out is taken back in.
func (h *Batches) Restore(c echo.Context) error {
	b, form, err := h.rowForm(c)
	if err != nil {
		return err
	}
	n, err := rowNumber(form.Get("n"))
	if err != nil {
		return fault.Missing()
	}
	_, err = h.Service.Restore(c.Request().Context(), access.Actor(c), b.ID, n)
	return h.toCheck(c, b, form, err, fmt.Sprintf("Row %d is included again.", n))
}

func (h *Batches) toCheck(c echo.Context, b batch.Batch, form url.Values, err error, done string) error {
	switch {
	case kit.MayShow(err):
		return h.checkPage(c, b, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", done, words.BatchHref(b.ID, "check")+showOf(form))
}

// Undo serves POST /batches/:id/undo: a change of rows is taken back.
func (h *Batches) Undo(c echo.Context) error {
	b, form, err := h.rowForm(c)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(form.Get("change"))
	if err != nil {
		return fault.Missing()
	}
	_, err = h.Service.Undo(c.Request().Context(), access.Actor(c), b.ID, id)
	return h.toCheck(c, b, form, err, "The change is undone.")
}
