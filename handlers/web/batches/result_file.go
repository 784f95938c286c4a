package batches

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/batch"
	"debitdesk/models/report"
)

// resultPage is how many rows of the result file are read at once.
const resultPage = 1000

// File serves GET /batches/:id/result.csv: the rows as they came, with what became of each.
func (h *Batches) File(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	t := export.Table{Name: b.Name, Made: h.Desk.Now()}
	for i := range b.Format.Header {
		t.Heads = append(t.Heads, export.Head{Text: b.ColumnName(i)})
	}
	for _, head := range slices.Concat([]string{"Row in the file", "Purchase id", "Invoice number", "Outcome",
		"Why"}, moneyHeads) {
		t.Heads = append(t.Heads, export.Head{Text: head})
	}
	to := &kit.Download{C: c, Control: http.NewResponseController(c.Response()), ContentType: export.CSV.ContentType(),
		Name: resultName(b)}
	w, err := export.Open(export.CSV, to, t)
	if err != nil {
		return err
	}
	defer w.Release()
	for q := (batch.RowQuery{Limit: resultPage}); ; {
		rows, err := h.Service.Rows(c.Request().Context(), access.Actor(c), b.ID, q)
		if err != nil {
			to.BreakOff()
			return err
		}
		stand, err := h.standings(c, rows)
		if err != nil {
			to.BreakOff()
			return err
		}
		for _, r := range rows {
			if err := w.Row(append(resultCells(b, r), moneyCells(r, stand)...)); err != nil {
				return err
			}
			q.After = r.N
		}
		if len(rows) < resultPage {
			return w.Finish()
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

func resultName(b batch.Batch) string {
	name := b.Name
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		name = name[:at]
	}
	return name + "-result.csv"
}

func resultCells(b batch.Batch, r batch.Row) []export.Cell {
	cells := make([]export.Cell, 0, len(b.Format.Header)+5)
	for i := range b.Format.Header {
		text := ""
		if i < len(r.Cells) {
			text = r.Cells[i]
		}
		cells = append(cells, export.Text(text))
	}
	id := ""
	if r.Number != "" {
		id = r.PurchaseID.String()
	}
	why := r.Error
	if r.State == batch.Bad {
		var all []string
		for _, p := range r.Problems {
			all = append(all, p.At(r.N))
		}
		why = strings.Join(all, "; ")
	}
	return append(cells, export.Count(int64(r.N)), export.Text(id), export.Text(r.Number),
		export.Text(words.Capital(r.State.Words())), export.Text(why))
}

// standings are what the invoices of some rows come to by now.
func (h *Batches) standings(c echo.Context, rows []batch.Row) (map[uuid.UUID]report.Standing, error) {
	var ids []uuid.UUID
	for _, r := range rows {
		if r.Number != "" {
			ids = append(ids, r.PurchaseID)
		}
	}
	return h.Money.Standings(c.Request().Context(), access.Actor(c), ids)
}

// moneyCells are what became of the money of a row; empty where no invoice was made.
func moneyCells(r batch.Row, stand map[uuid.UUID]report.Standing) []export.Cell {
	s, made := stand[r.PurchaseID]
	if !made {
		return slices.Repeat([]export.Cell{export.Text("")}, len(moneyHeads))
	}
	return []export.Cell{export.Amount(s.BilledCents()), export.Amount(s.CreditedCents()), export.Amount(s.ReceivedCents),
		export.Amount(s.RefundedCents), export.Amount(s.OwedCents())}
}
