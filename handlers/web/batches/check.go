package batches

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
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
	wrong, _, _ := kit.Problems(refused)
	if due == "" && !m.Due.IsZero() {
		due = m.Due.String()
	}
	view := pages.BatchMapView{Head: h.head(c, b, "map", refused), Action: words.BatchHref(b.ID, "map"),
		ReadOnly: b.Started() || !access.Actor(c).Can(actor.Bill),
		Due:      components.DateField{Label: "Due date", Name: "due", Value: due, Error: wrong["due"]},
		Product: components.Field{Label: "Description", Name: "product", Value: m.Product,
			Hint: "Used for rows that only have an amount."}}
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
		column := pages.MapColumn{Heading: name, Guessed: t.Guessed,
			Field: components.Select{Disabled: view.ReadOnly, Label: "Meaning of " + name, Name: "column_" + strconv.Itoa(i),
				Blank: "Leave out", Quiet: true}}
		for _, f := range batch.Fields() {
			column.Field.Options = append(column.Field.Options,
				components.Option{Value: string(f), Text: f.Label(), Selected: f == t.Field})
		}
		for _, s := range survey.Samples(i) {
			column.Samples = append(column.Samples, batch.Masked(t.Field, s))
		}
		view.Columns = append(view.Columns, column)
	}
	view.Ignored = strings.Join(ignored, ", ")
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Columns of "+b.Name, batchesSection,
		func(f layout.Frame) templ.Component { return pages.BatchMap(f, view) })
}

// PutMap serves POST /batches/:id/map.
func (h *Batches) PutMap(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
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
	survey, err := h.Service.Survey(c.Request().Context(), access.Actor(c), b)
	if err != nil {
		return err
	}
	_, err = h.Service.Map(c.Request().Context(), access.Actor(c), b.ID, survey.Written(b.Format, m))
	switch {
	case kit.MayShow(err):
		return h.mapPage(c, b, m, due, err)
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, "check"))
}

// Check serves GET /batches/:id/check. The address says which cause and after which row.
func (h *Batches) Check(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	if b.State == batch.ToMap {
		return c.Redirect(http.StatusSeeOther, words.BatchHref(b.ID, "map"))
	}
	return h.checkPage(c, b, nil)
}

func batchCounts(b batch.Batch) pages.BatchCounts {
	n := func(label string, count int) components.Stat {
		return components.Stat{Label: label, Value: words.Grouped(int64(count))}
	}
	c := b.Counts
	out := pages.BatchCounts{Stats: []components.Stat{n("Rows", b.Rows), n("Ready", c.Ready), n("With problems", c.Bad),
		n("With warnings", c.Warned)}}
	out.Stats[1].Note = words.Sum(c.ReadyCents, "ZAR")
	if c.Unusual > 0 {
		out.Stats = append(out.Stats, n("Unusual amounts", c.Unusual))
	}
	if c.Creates > 0 {
		out.Stats = append(out.Stats, n("New clients", c.Creates))
	}
	if c.Debits > 0 {
		out.Stats = append(out.Stats, n("Debits", c.Debits))
	}
	if c.Skipped > 0 {
		out.Stats = append(out.Stats, n("Left out", c.Skipped))
	}
	if c.Sent > 0 {
		out.Stats = append(out.Stats, n("Sent already", c.Sent))
	}
	if c.Ready > 0 && b.State == batch.Checked {
		out.Next = components.Button{Label: "Review " + plural.Of(c.Ready, "invoice"), Kind: "primary",
			Href: words.BatchHref(b.ID, "review")}
	}
	return out
}

// rowNumber reads a number as the database keeps it.
func rowNumber(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, err
	}
	return int(n), nil
}
