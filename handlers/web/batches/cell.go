package batches

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/batch"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// gridPlace is what part of the rows is looked at.
type gridPlace struct{ show, cause, after string }

func gridPlaceOf(values url.Values) gridPlace {
	return gridPlace{show: kit.PlainText(values.Get("show")), cause: kit.PlainText(values.Get("cause")),
		after: kit.PlainText(values.Get("after"))}
}

// pairs are the place as the hidden fields of a form.
func (p gridPlace) pairs() (pairs []components.Pair) {
	for _, one := range []components.Pair{{Name: "show", Value: p.show}, {Name: "cause", Value: p.cause},
		{Name: "after", Value: p.after}} {
		if one.Value != "" {
			pairs = append(pairs, one)
		}
	}
	return pairs
}

// query is the place as the query of an address; more is set beside it.
func (p gridPlace) query(more ...string) string {
	values := url.Values{}
	for _, one := range p.pairs() {
		values.Set(one.Name, one.Value)
	}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// showOf keeps the view of the grid in an address.
func showOf(form url.Values) string { return gridPlaceOf(form).query() }

// focusAfter gives the focus to the cell after the one that was saved, which the address names as row and column: a
// browser without scripts opens the page anew.
func focusAfter(rows []pages.GridRow, saved string) {
	n, column, _ := strings.Cut(saved, ".")
	row, errRow := rowNumber(n)
	last, errColumn := rowNumber(column)
	if errRow != nil || errColumn != nil {
		return
	}
	for i := range rows {
		at, _ := rowNumber(rows[i].N)
		for _, cells := range [][]pages.GridCell{rows[i].Cells, rows[i].Others} {
			for j := range cells {
				if here, _ := rowNumber(cells[j].Column); at > row || at == row && here > last {
					cells[j].Focus = true
					return
				}
			}
		}
	}
}

// Cell serves POST /batches/:id/cells: another text in one cell.
func (h *Batches) Cell(c echo.Context) error {
	b, form, err := h.rowForm(c)
	if err != nil {
		return err
	}
	e := batch.Edit{Text: form.Get("text")}
	var errN, errColumn error
	e.N, errN = rowNumber(form.Get("n"))
	e.Column, errColumn = rowNumber(form.Get("column"))
	if errN != nil || errColumn != nil {
		return fault.Missing()
	}
	if form.Has("was") {
		was := form.Get("was")
		e.Was = &was
	}
	after, r, err := h.Service.EditCell(c.Request().Context(), access.Actor(c), b.ID, e)
	scripted := c.Request().Header.Get("HX-Request") != ""
	switch {
	case kit.MayShow(err) && scripted:
		return h.notSaved(c, b.ID, e.N, form, err)
	case kit.MayShow(err):
		return h.checkPage(c, b, err)
	case err != nil:
		return err
	}
	said := rowSaid(after, r)
	if !scripted {
		if err := access.AddFlash(c, "ok", said); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, "check")+
			gridPlaceOf(form).query("cell", fmt.Sprintf("%d.%d", e.N, e.Column)))
	}
	return h.saved(c, after, r, form, said)
}

// saved draws a row anew, and what changed around it.
func (h *Batches) saved(c echo.Context, b batch.Batch, r batch.Row, form url.Values, said string) error {
	view := pages.BatchCheckView{Self: words.BatchHref(b.ID, "check"), OOB: true, Counts: batchCounts(b),
		FixAction: words.BatchHref(b.ID, "fixes"), MayBill: b.State == batch.Checked,
		UndoAction: words.BatchHref(b.ID, "undo")}
	view.Counts.OOB = true
	at := gridPlaceOf(form)
	if _, err := h.around(c, b, &at, &view); err != nil {
		return err
	}
	row := gridRow(b, r, at, h.Desk.Now())
	if !view.MayBill {
		row.Action = ""
	}
	return html.Send(c, http.StatusOK, pages.GridSaved(view, row, said))
}

// notSaved draws the row as it stands now and says why the cell was not saved. A page whose batch went on is opened
// anew.
func (h *Batches) notSaved(c echo.Context, id uuid.UUID, n int, form url.Values, refused error) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	b, err := h.Service.Get(ctx, who, id)
	if err != nil {
		return err
	}
	rows, err := h.Service.Rows(ctx, who, id, batch.RowQuery{After: n - 1, Limit: 1})
	if err != nil {
		return err
	}
	f, _ := fault.From(refused)
	if b.State != batch.Checked || len(rows) == 0 || rows[0].N != n {
		if err := access.AddFlash(c, "bad", f.Words()); err != nil {
			return err
		}
		c.Response().Header().Set("HX-Refresh", "true")
		return c.NoContent(http.StatusNoContent)
	}
	if err := kit.Tell(c, "bad", f.Words(), ""); err != nil {
		return err
	}
	return h.saved(c, b, rows[0], form, "Not saved. "+f.Words())
}

// rowSaid says how a row stands after a cell was saved, and how much is left to mend.
func rowSaid(b batch.Batch, r batch.Row) string {
	said := fmt.Sprintf("Row %d is saved", r.N)
	switch {
	case len(r.Problems) > 0:
		said += ". It still has " + plural.Of(len(r.Problems), "problem") + ": " + r.Problems[0].Message + "."
	case r.UsualCents > 0 && !r.Confirmed:
		said += ". Its amount is unusual: tick it if it is right."
	default:
		said += " and ready."
	}
	switch b.Counts.Bad {
	case 0:
		return said + " No rows have problems."
	case 1:
		return said + " 1 row has problems."
	}
	return said + " " + words.Grouped(int64(b.Counts.Bad)) + " rows have problems."
}
