package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// gridRows is how many bad rows one page of the grid shows.
const gridRows = 50

// Map serves GET /batches/:id/map.
func (h *Batches) Map(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	return h.mapPage(c, b, b.Mapping, "", nil)
}

func (h *Batches) mapPage(c echo.Context, b batch.Batch, m batch.Mapping, due string, refused error) error {
	survey, err := h.Service.Survey(c.Request().Context(), access.Actor(c), b)
	if err != nil {
		return err
	}
	wrong, _, _ := problems(refused)
	if due == "" && !m.Due.IsZero() {
		due = m.Due.String()
	}
	view := pages.BatchMapView{Head: h.head(b, "map", refused), Action: batchHref(b.ID, "map"), ReadOnly: b.Started() || !access.Actor(c).Can(actor.Bill),
		Due:     components.DateField{Label: "Due date", Name: "due", Value: due, Error: wrong["due"]},
		Product: components.Field{Label: "What for", Name: "product", Value: m.Product, Hint: "The line of rows that have only an amount."}}
	var ignored []string
	for i := range b.Format.Header {
		var t batch.Target
		if i < len(m.Columns) {
			t = m.Columns[i]
		}
		name := b.ColumnName(i)
		if t.Field == "" {
			ignored = append(ignored, name)
		}
		column := pages.MapColumn{Heading: name, Guessed: t.Guessed, Field: components.Select{Disabled: view.ReadOnly, Label: "Meaning of " + name, Name: "column_" + strconv.Itoa(i), Blank: "Leave out", Quiet: true}}
		for _, f := range batch.Fields() {
			column.Field.Options = append(column.Field.Options, components.Option{Value: string(f), Text: f.Label(), Selected: f == t.Field})
		}
		for _, s := range survey.Samples(i) {
			column.Samples = append(column.Samples, maskedSample(t.Field, s))
		}
		view.Columns = append(view.Columns, column)
	}
	view.Ignored = strings.Join(ignored, ", ")
	return h.Desk.show(c, statusOf(refused), "Columns of "+b.Name, batchesRoom, func(f layout.Frame) templ.Component { return pages.BatchMap(f, view) })
}

// maskedSample hides what is, or looks like, an account or identity number.
func maskedSample(f batch.Field, text string) string {
	digits := bank.CleanAccount(text)
	switch {
	case f == batch.PersonalCode:
		return bank.CleanID(text).String()
	case f == batch.BankAccount, f == "" && len(digits) >= 7 && strings.Trim(digits.Reveal(), "0123456789") == "":
		return digits.String()
	}
	return text
}

// PutMap serves POST /batches/:id/map.
func (h *Batches) PutMap(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := formOf(c)
	if err != nil {
		return err
	}
	m := batch.Mapping{Product: strings.TrimSpace(form.Get("product")), Currency: b.Mapping.Currency}
	for i := range b.Format.Header {
		m.Columns = append(m.Columns, batch.Target{Field: batch.Field(form.Get("column_" + strconv.Itoa(i)))})
	}
	due := strings.TrimSpace(form.Get("due"))
	if due != "" {
		if m.Due, err = calendar.ParseDate(due); err != nil {
			return h.mapPage(c, b, m, due, fault.At("due", "invalid", "Write the date as 2026-12-01."))
		}
	}
	if err := access.Actor(c).May(actor.Bill); err != nil {
		return err
	}
	survey, err := h.Service.Survey(c.Request().Context(), access.Actor(c), b)
	if err != nil {
		return err
	}
	_, err = h.Service.Map(c.Request().Context(), access.Actor(c), b.ID, survey.Written(b.Format, m))
	switch {
	case mayShow(err):
		return h.mapPage(c, b, m, due, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, batchHref(b.ID, "check"))
}

// Check serves GET /batches/:id/check. The address says which cause and after which row.
func (h *Batches) Check(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	if b.State == batch.ToMap {
		return c.Redirect(http.StatusSeeOther, batchHref(b.ID, "map"))
	}
	return h.checkPage(c, b, nil)
}

func (h *Batches) checkPage(c echo.Context, b batch.Batch, refused error) error {
	who := access.Actor(c)
	self := batchHref(b.ID, "check")
	view := pages.BatchCheckView{Head: h.head(b, "check", refused), Self: self, Working: b.State == batch.Checking, Counts: batchCounts(b),
		Progress:  components.Progress{Label: "Rows checked", Text: grouped(int64(b.Rows-b.Counts.Fresh)) + " of " + grouped(int64(b.Rows)), Value: b.Rows - b.Counts.Fresh, Max: b.Rows},
		FixAction: batchHref(b.ID, "fixes"), SkipAction: batchHref(b.ID, "skips"), AllHref: self, MayBill: who.Can(actor.Bill) && b.State == batch.Checked}
	if c.Request().Header.Get("HX-Target") == pages.CheckingTarget {
		if !view.Working {
			c.Response().Header().Set("HX-Refresh", "true")
		}
		return render(c, http.StatusOK, pages.BatchChecking(view))
	}
	if !view.Working {
		if err := h.grid(c, b, &view); err != nil {
			return err
		}
	}
	return h.Desk.show(c, statusOf(refused), "Check of "+b.Name, batchesRoom, func(f layout.Frame) templ.Component { return pages.BatchCheck(f, view) })
}

// grid fills in the causes and the bad rows of one page.
func (h *Batches) grid(c echo.Context, b batch.Batch, view *pages.BatchCheckView) error {
	ctx, who, cause := c.Request().Context(), access.Actor(c), plainText(c.QueryParam("cause"))
	groups, err := h.Service.Causes(ctx, who, b.ID)
	if err != nil {
		return err
	}
	for _, g := range groups {
		line := pages.CauseLine{Title: g.Title, Example: g.Example, Rows: counted(int64(g.N), "row"), ShowHref: view.Self + "?cause=" + url.QueryEscape(g.Key), Active: g.Key == cause}
		if line.Active {
			view.Filter = g.Title
		}
		for _, f := range g.Fixes {
			line.Fixes = append(line.Fixes, pages.CauseFix{Label: f.Label, Hidden: []components.Pair{{Name: "cause", Value: f.Cause}, {Name: "column", Value: strconv.Itoa(f.Column)}, {Name: "choice", Value: f.Choice}}})
		}
		view.Causes = append(view.Causes, line)
	}
	after, _ := rowNumber(c.QueryParam("after"))
	rows, err := h.Service.Rows(ctx, who, b.ID, batch.RowQuery{States: []batch.RowState{batch.Bad}, Cause: cause, After: after, Limit: gridRows + 1})
	if err != nil {
		return err
	}
	if len(rows) > gridRows {
		rows = rows[:gridRows]
		view.MoreHref = fmt.Sprintf("%s?cause=%s&after=%d", view.Self, url.QueryEscape(cause), rows[len(rows)-1].N)
	}
	for _, i := range gridColumns(b) {
		view.Heads = append(view.Heads, b.ColumnName(i))
	}
	for _, r := range rows {
		row := gridRow(b, r)
		if !who.Can(actor.Bill) {
			row.Action = ""
		}
		view.Rows = append(view.Rows, row)
	}
	return nil
}

// gridColumns are the columns that mean something.
func gridColumns(b batch.Batch) (columns []int) {
	for i, t := range b.Mapping.Columns {
		if t.Field != "" {
			columns = append(columns, i)
		}
	}
	return columns
}

func gridRow(b batch.Batch, r batch.Row) pages.GridRow {
	out := pages.GridRow{ID: "row-" + strconv.Itoa(r.N), N: strconv.Itoa(r.N), Action: batchHref(b.ID, "cells"), SkipAction: batchHref(b.ID, "skips"),
		Bad: r.State == batch.Bad, State: components.Pill{Kind: "done", Word: "Ready"}}
	for _, i := range gridColumns(b) {
		cell := pages.GridCell{Column: strconv.Itoa(i), Name: b.ColumnName(i), Label: fmt.Sprintf("Row %d, %s", r.N, b.ColumnName(i))}
		if i < len(r.Cells) {
			cell.Text = r.Cells[i]
		}
		for _, p := range r.Problems {
			if p.Column == i+1 {
				cell.Error = p.Message
			}
		}
		out.Cells = append(out.Cells, cell)
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, strings.TrimPrefix(p.Name+": ", ": ")+p.Message)
	}
	return out
}

func batchCounts(b batch.Batch) pages.BatchCounts {
	n := func(label string, count int) components.Stat {
		return components.Stat{Label: label, Value: grouped(int64(count))}
	}
	c := b.Counts
	out := pages.BatchCounts{Stats: []components.Stat{n("Rows", b.Rows), n("Ready", c.Ready), n("With problems", c.Bad), n("With warnings", c.Warned)}}
	out.Stats[1].Note = sum(c.ReadyCents, "ZAR")
	if c.Skipped > 0 {
		out.Stats = append(out.Stats, n("Left out", c.Skipped))
	}
	if c.Sent > 0 {
		out.Stats = append(out.Stats, n("Sent already", c.Sent))
	}
	if c.Ready > 0 && b.State == batch.Checked {
		out.Next = components.Button{Label: "Review " + counted(int64(c.Ready), "invoice"), Kind: "primary", Href: batchHref(b.ID, "review")}
	}
	return out
}

// Cell serves POST /batches/:id/cells: another text in one cell.
func (h *Batches) Cell(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := formOf(c)
	if err != nil {
		return err
	}
	n, errN := rowNumber(form.Get("n"))
	column, errColumn := rowNumber(form.Get("column"))
	if errN != nil || errColumn != nil {
		return fault.Missing()
	}
	after, r, err := h.Service.Mend(c.Request().Context(), access.Actor(c), b.ID, n, column, form.Get("text"))
	switch {
	case mayShow(err):
		return h.checkPage(c, b, err)
	case err != nil:
		return err
	}
	if c.Request().Header.Get("HX-Request") == "" {
		return c.Redirect(http.StatusSeeOther, batchHref(b.ID, "check"))
	}
	counts := batchCounts(after)
	counts.OOB = true
	return render(c, http.StatusOK, templ.Join(pages.GridLine(gridRow(after, r)), pages.Counts(counts)))
}

// Fix serves POST /batches/:id/fixes: all rows of a cause at once.
func (h *Batches) Fix(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := formOf(c)
	if err != nil {
		return err
	}
	column, _ := rowNumber(form.Get("column")) // none is the whole row
	_, n, err := h.Service.FixAll(c.Request().Context(), access.Actor(c), b.ID, batch.Fix{Cause: form.Get("cause"), Column: column, Choice: form.Get("choice")})
	return h.toCheck(c, b, err, counted(int64(n), "row")+" mended.")
}

// Skip serves POST /batches/:id/skips: one row, or all bad ones.
func (h *Batches) Skip(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := formOf(c)
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
	_, err = h.Service.Skip(c.Request().Context(), access.Actor(c), b.ID, numbered...)
	return h.toCheck(c, b, err, "Left out. Nothing of it is sent.")
}

func (h *Batches) toCheck(c echo.Context, b batch.Batch, err error, done string) error {
	switch {
	case mayShow(err):
		return h.checkPage(c, b, err)
	case err != nil:
		return err
	}
	if err := access.AddFlash(c, "ok", done); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, batchHref(b.ID, "check"))
}

// rowNumber reads a number as the database keeps it.
func rowNumber(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, err
	}
	return int(n), nil
}

// plainText is text that a database takes.
func plainText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}
