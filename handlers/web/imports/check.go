package imports

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/book"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// shownRows is how many rows one page shows.
const shownRows = 50

// Check serves GET /imports/:id/check: what is wrong, by cause. The address says which cause and after which row.
func (h *Imports) Check(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if i.State == book.ToMap {
		return c.Redirect(http.StatusSeeOther, href(i.ID, "map"))
	}
	return h.checkPage(c, i, nil)
}

func (h *Imports) checkPage(c echo.Context, i book.Import, refused error) error {
	self := href(i.ID, "check")
	view := pages.ImportCheckView{Head: h.head(c, i, "check", refused), Self: self, Working: i.State == book.Checking,
		Progress: progress("Rows rehearsed", done(i), i.Rows), FixAction: href(i.ID, "fixes"), CellAction: href(i.ID,
			"cells"), RowAction: href(i.ID, "rows"),
		MayChange: access.Actor(c).Can(act) && i.State == book.Checked, Stats: stats(i), CheckSum: i.CheckSum}
	if access.Actor(c).Can(act) {
		view.RehearseAction = href(i.ID, "rehearse")
	}
	if c.Request().Header.Get("HX-Target") == pages.ImportWorking {
		if !view.Working {
			c.Response().Header().Set("HX-Refresh", "true")
		}
		return html.Send(c, http.StatusOK, pages.ImportChecking(view))
	}
	if !view.Working {
		if err := h.causes(c, i, &view); err != nil {
			return err
		}
		if err := h.scans(c, i, refused, &view); err != nil {
			return err
		}
	}
	if i.State == book.Checked {
		view.Next = components.Button{Label: "See the rehearsal", Kind: "primary", Href: href(i.ID, "rehearsal")}
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Problems of "+i.Name, section,
		func(f layout.Frame) templ.Component { return pages.ImportCheck(f, view) })
}

func progress(label string, done, of int) components.Progress {
	return components.Progress{Label: label, Text: n(done) + " of " + n(of), Value: done, Max: of}
}

func stats(i book.Import) []components.Stat {
	one := func(label string, count int) components.Stat { return components.Stat{Label: label, Value: n(count)} }
	c := i.Counts
	return []components.Stat{one("Rows read", i.Rows), one("Created", c.Created), one("Updated", c.Updated),
		one("Unchanged", c.Unchanged), one("Skipped", c.Skipped), one("Refused", c.Refused), one("Held", c.Held)}
}

// causes fills in what was found, by cause, and the rows of the cause that is looked at.
func (h *Imports) causes(c echo.Context, i book.Import, view *pages.ImportCheckView) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	all, err := h.Service.Causes(ctx, who, i.ID)
	if err != nil {
		return err
	}
	cause, after := kit.PlainText(c.QueryParam("cause")), rowNumber(c.QueryParam("after"))
	chosen := book.CauseCount{}
	for _, one := range all {
		if one.Cause == cause || cause == "" && chosen.Cause == "" && one.Keeps {
			chosen = one
		}
	}
	for _, one := range all {
		line := pages.ImportCause{Title: book.TitleOf(one.Cause), Rows: plural.Of(one.Rows, "row"),
			ShowHref: view.Self + "?cause=" + url.QueryEscape(one.Cause), Active: one == chosen, Keeps: one.Keeps}
		if line.Example, err = h.example(c, i, one); err != nil {
			return err
		}
		if one.Keeps {
			for _, m := range book.FixesOf(one.Cause) {
				if m.Choice != i.Mapping.Choices[one.Cause] { // what was chosen did not help these rows
					line.Fixes = append(line.Fixes, fixButton(m, ""))
				}
			}
		}
		view.Causes = append(view.Causes, line)
	}
	for _, cause := range slices.Sorted(maps.Keys(i.Mapping.Choices)) {
		for _, m := range book.FixesOf(cause) {
			if m.Choice == i.Mapping.Choices[cause] {
				view.Chosen = append(view.Chosen, pages.ImportChoice{Text: book.TitleOf(cause) + ": " + m.Label, Cause: cause})
			}
		}
	}
	q := book.RowQuery{After: after, Limit: shownRows + 1}
	switch view.Title = "Rows that do not come in"; {
	case chosen.Cause == "":
		q.Verdicts = []book.Verdict{book.Refused, book.Held}
	case chosen.Keeps:
		view.Title, q.Cause = book.TitleOf(chosen.Cause), chosen.Cause
		q.Verdicts = []book.Verdict{book.Refused, book.Held}
	default:
		view.Title, q.Warned = book.TitleOf(chosen.Cause), chosen.Cause
	}
	view.Keep = []components.Pair{{Name: "cause", Value: chosen.Cause}}
	rows, err := h.Service.Rows(ctx, who, i.ID, q)
	if err != nil {
		return err
	}
	if len(rows) > shownRows {
		rows = rows[:shownRows]
		view.MoreHref = view.Self + "?cause=" + url.QueryEscape(chosen.Cause) + "&after=" +
			strconv.Itoa(rows[len(rows)-1].N)
	}
	for _, r := range rows {
		view.Lines = append(view.Lines, line(i, r, chosen.Cause))
	}
	return nil
}

// example is what is found about the first row of a cause.
func (h *Imports) example(c echo.Context, i book.Import, one book.CauseCount) (string, error) {
	rows, err := h.Service.Rows(c.Request().Context(), access.Actor(c), i.ID, book.RowQuery{After: one.First - 1,
		Limit: 1})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	for _, f := range rows[0].Findings {
		if f.Cause == one.Cause {
			return "Row " + strconv.Itoa(one.First) + ", " + f.Words(), nil
		}
	}
	return "", nil
}

func fixButton(m book.Fix, row string) pages.CauseFix {
	b := pages.CauseFix{Label: m.Label, Hidden: []components.Pair{{Name: "fix", Value: m.Cause},
		{Name: "choice", Value: m.Choice}}}
	if row != "" {
		b.Hidden = append(b.Hidden, components.Pair{Name: "n", Value: row})
	}
	return b
}

var verdictPills = map[book.Verdict]components.Pill{book.Created: {Kind: "done", Word: "Created"},
	book.Updated: {Kind: "progress", Word: "Updated"}, book.Unchanged: {Kind: "draft", Word: "Unchanged"},
	book.Skipped: {Kind: "draft", Word: "Skipped"}, book.Refused: {Kind: "bad", Word: "Refused"},
	book.Held: {Kind: "wait", Word: "Held"}}

// line is a row with its findings, the cells that they are about, and what can be done about it.
func line(i book.Import, r book.Row, cause string) pages.ImportLine {
	out := pages.ImportLine{N: strconv.Itoa(r.N), Name: r.Name, Verdict: verdictPills[r.Verdict], LeftOut: r.LeftOut}
	shown := map[int]bool{}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, f.Words())
		if f.Column > 0 && f.Column <= len(r.Cells) && !shown[f.Column] && f.Level != book.Note {
			shown[f.Column] = true
			out.Cells = append(out.Cells, pages.ImportCell{Column: strconv.Itoa(f.Column), Name: f.Name,
				Text: r.Cells[f.Column-1], Bad: f.Level == book.Problem})
		}
		if f.Cause == cause && (f.Level == book.Problem || f.Level == book.Hold) {
			for _, m := range book.FixesOf(cause) {
				out.Fixes = append(out.Fixes, fixButton(m, out.N))
			}
		}
	}
	for _, ch := range r.Changes {
		out.Changes = append(out.Changes, ch.Words())
	}
	if r.Reason != "" && len(out.Findings) == 0 {
		out.Findings = []string{r.Reason}
	}
	return out
}

func rowNumber(text string) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

// change does something with the rows of an import, rehearses it, and goes back to the cause that was looked at.
func (h *Imports) change(c echo.Context, do func(book.Import, url.Values) (book.Import, error), said string) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	next, err := do(i, form)
	if err == nil {
		err = h.goOn(c, next)
	}
	switch {
	case kit.MayShow(err):
		if i.State == book.ToMap {
			return err
		}
		return h.checkPage(c, i, err)
	case err != nil:
		return err
	}
	to := href(i.ID, "check")
	if form.Get("cause") != "" && form.Get("n") != "" {
		to += "?cause=" + url.QueryEscape(kit.PlainText(form.Get("cause")))
	}
	return access.RedirectWithFlash(c, "ok", said, to)
}

// Fix serves POST /imports/:id/fixes: all rows of a cause, or one row.
func (h *Imports) Fix(c echo.Context) error {
	return h.change(c, func(i book.Import, form url.Values) (book.Import, error) {
		ctx, who := c.Request().Context(), access.Actor(c)
		if row := rowNumber(form.Get("n")); row > 0 {
			return h.Service.FixRow(ctx, who, i.ID, row, form.Get("fix"), form.Get("choice"))
		}
		return h.Service.FixAll(ctx, who, i.ID, form.Get("fix"), form.Get("choice"))
	}, "The rows were rehearsed again.")
}

// Cell serves POST /imports/:id/cells: another text in one cell.
func (h *Imports) Cell(c echo.Context) error {
	return h.change(c, func(i book.Import, form url.Values) (book.Import, error) {
		if bank.IsMasked(form.Get("text")) {
			return i, fault.At("text", "invalid", "This is a masked number. Type the number in full.")
		}
		return h.Service.Edit(c.Request().Context(), access.Actor(c), i.ID, rowNumber(form.Get("n")),
			rowNumber(form.Get("column")), kit.PlainText(form.Get("text")))
	}, "The cell is saved.")
}

// Row serves POST /imports/:id/rows: a row is left out, or taken back in.
func (h *Imports) Row(c echo.Context) error {
	return h.change(c, func(i book.Import, form url.Values) (book.Import, error) {
		return h.Service.LeaveOut(c.Request().Context(), access.Actor(c), i.ID, form.Get("do") != "in",
			rowNumber(form.Get("n")))
	}, "The row is saved.")
}

// Rehearse serves POST /imports/:id/rehearse.
func (h *Imports) Rehearse(c echo.Context) error {
	return h.change(c, func(i book.Import, _ url.Values) (book.Import, error) {
		return h.Service.Rehearse(c.Request().Context(), access.Actor(c), i.ID)
	}, "The rows were rehearsed again.")
}

// AskDiscard serves GET /imports/:id/discard.
func (h *Imports) AskDiscard(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if !i.Draft() {
		return c.Redirect(http.StatusSeeOther, href(i.ID, step(i)))
	}
	return h.ask(c, components.Confirm{ID: "discard", Title: "Discard the import " + i.Name + "?",
		Text: "Nothing of it was written. Its rows are deleted within a day.", Action: href(i.ID, "discard"),
		Button: "Discard draft", Keep: "Keep it", CancelHref: href(i.ID, step(i))})
}

// Discard serves POST /imports/:id/discard.
func (h *Imports) Discard(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if _, err := h.Service.Discard(c.Request().Context(), access.Actor(c), i.ID); err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The draft "+i.Name+" is discarded.", "/imports")
}

func (h *Imports) ask(c echo.Context, q components.Confirm) error {
	return h.Desk.ShowIn(c, http.StatusOK, q.Title, section, func(f layout.Frame) templ.Component {
		return pages.Ask(f,
			q)
	})
}

// Verdicts serves GET /imports/:id/verdicts.csv: the file as it was sent, with what becomes of each row; with
// ?numbers=full also the numbers, for who may see them.
func (h *Imports) Verdicts(c echo.Context) error {
	i, err := h.find(c)
	if err != nil {
		return err
	}
	if !i.EmptiedAt.IsZero() {
		return fault.New(fault.Conflict, "import_emptied", "The rows of this import were deleted.")
	}
	who, full := access.Actor(c), c.QueryParam("numbers") == "full"
	if full {
		if err := who.May(actor.Reveal); err != nil {
			return err
		}
	}
	to := &kit.Download{C: c, Control: http.NewResponseController(c.Response()), ContentType: "text/csv; charset=utf-8",
		Name: fileName(i.Name)}
	return h.Service.Verdicts(c.Request().Context(), who, i.ID, full, to)
}

// verdicts are the ways to the file with the verdicts, for a person.
func verdicts(who actor.Actor, i book.Import) []components.Link {
	if !i.EmptiedAt.IsZero() {
		return nil
	}
	links := []components.Link{{Text: "Download your file with the verdicts", Href: href(i.ID, "verdicts.csv")}}
	if who.Can(actor.Reveal) {
		links = append(links, components.Link{Text: "With numbers in full", Href: links[0].Href + "?numbers=full"})
	}
	return links
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// fileName is the name of the file with the verdicts.
func fileName(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".csv"), ".xlsx")
	return strings.Trim(notInNames.ReplaceAllString(name, "-"), "-.") + "-verdicts.csv"
}
