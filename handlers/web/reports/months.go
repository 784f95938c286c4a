package reports

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/analysis"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const monthsPath = "/reports/months"

// monthHref is the page of a month.
func monthHref(m journal.Month) string { return monthsPath + "?month=" + m.String() }

// monthAsked is the month that the address names: the last one that is over, unless it does.
func (h *Reports) monthAsked(c echo.Context) (m journal.Month, wrong string) {
	today := calendar.DateOf(h.Desk.Now())
	return kit.MonthAsked(c, journal.MonthOf(calendar.On(today.Year, today.Month-1, 1)), "This is ")
}

// Months serves GET /reports/months?month=2026-10: what the debits of a month came to.
func (h *Reports) Months(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	m, wrong := h.monthAsked(c)
	found, err := h.Analysis.Month(ctx, who, m.First())
	if f, known := fault.From(err); known && len(f.Fields) > 0 {
		wrong, err = f.Words(), nil
	}
	if err != nil {
		return err
	}
	earlier, later := journal.MonthOf(m.First().AddDays(-1)), m.Next()
	v := pages.MonthReport{Words: m.Words(), Name: m.String(),
		Month: components.Field{Label: "Month", Name: "month", Type: "month", Value: m.String(), Error: wrong,
			Required: true},
		Head: components.PageHead{Title: m.Words(), Sub: "Debits with a debit date in this month, as they stand now.",
			Back: components.Link{Text: "Reports", Href: "/reports"}, Secondary: []components.Button{
				{Label: earlier.Words(), Icon: "chevron-left", Href: monthHref(earlier)},
				{Label: later.Words(), Icon: "chevron-right", Href: monthHref(later)},
				{Label: "CSV", Icon: "download", Href: monthsPath + "/export?month=" + m.String()}}}}
	if v.Closed, v.Close, err = h.closed(c, who, m); err != nil {
		return err
	}
	if len(found.Methods) == 0 && len(found.Ledger) == 0 {
		v.None = true
		v.Empty = components.Empty{Icon: "calendar", Title: "No debit in " + m.Words(), Text: "Choose another month."}
	} else {
		drawMonth(found, &v)
	}
	status := http.StatusOK
	if wrong != "" {
		status = http.StatusUnprocessableEntity
	}
	return h.Desk.ShowIn(c, status, m.Words(), reportsSection,
		func(f layout.Frame) templ.Component { return pages.MonthEnd(f, v) })
}

// closed says whether the books of a month are closed, and leads to closing it where it is the next one.
func (h *Reports) closed(c echo.Context, who actor.Actor, m journal.Month) (string, components.Button, error) {
	ctx, none := c.Request().Context(), components.Button{}
	all, err := h.Books.Closings(ctx, who)
	if err != nil {
		return "", none, err
	}
	for _, one := range all {
		if one.ReopenedAt.IsZero() && !one.Month.Before(m.First()) {
			return "The books are closed until the end of " + one.Of().Words() + ".", none, nil
		}
	}
	next, over, err := h.Books.NextMonth(ctx, who)
	switch {
	case err != nil:
		return "", none, err
	case next == m && over && who.Can(actor.Books):
		return "The books of this month are open.", components.Button{Label: "Close " + m.Words(),
			Href: "/books/closing?month=" + m.String()}, nil
	case over && !next.IsZero() && next.First().Before(m.First()):
		return "The books are open; " + next.Words() + " is to be closed first.", none, nil
	}
	return "The books of this month are open.", none, nil
}

func drawMonth(m analysis.MonthEnd, v *pages.MonthReport) {
	all := m.All
	if len(m.Methods) > 1 {
		all.Reasons = nil
		v.Groups = append(v.Groups, monthGroup(m, all))
	}
	for _, one := range m.Methods {
		v.Groups = append(v.Groups, monthGroup(m, one))
	}
	q := analysis.Question{From: m.First, To: m.Last}
	v.Changing = []components.Stat{
		{Label: "May still be returned", Value: words.Sum(all.Provisional.Cents, money.ZAR),
			Note: plural.Of(all.Provisional.N, "debit") + " whose return window is open",
			Href: listOf(q, "returnable", m.First, m.Last), Total: components.TotalOf(all.Provisional.N, all.Provisional.Cents)},
		{Label: "Not answered yet", Value: words.Sum(all.Open.Cents, money.ZAR), Note: plural.Of(all.Open.N, "debit"),
			Href: listOf(q, "open", m.First, m.Last), Total: components.TotalOf(all.Open.N, all.Open.Cents)}}
	if d := m.Disputable; d.N > 0 {
		v.Changing = append(v.Changing, components.Stat{Label: "Can still be disputed",
			Value: words.Sum(d.Cents, money.ZAR), Note: "collected by EFT in " + plural.Of(d.N, "debit") +
				", the last until " + words.DayTime(d.Until).Text,
			Href:  listOf(q, "collected", d.From, m.Last, "method", string(bank.EFT)),
			Total: components.TotalOf(d.N, d.Cents)})
	}
	ledger(m, v)
}

// ledger leads from what the debits brought to what the ledger has of the month.
func ledger(m analysis.MonthEnd, v *pages.MonthReport) {
	q := analysis.Question{From: m.First, To: m.Last}
	line := func(text, note string, cents int64, href string, total components.Total, strong bool) {
		v.Ledger = append(v.Ledger, pages.MonthLine{Text: text, Note: note, Strong: strong,
			Cents: components.Figure{Text: words.Sum(cents, money.ZAR), Href: href, Total: total}})
	}
	c, won := m.All.Collected(), m.All.WonBack
	line("Collected", "of debits with a debit date in the month", c.Cents, listOf(q, "collected", m.First, m.Last),
		components.TotalOf(c.N, c.Cents), false)
	if won.N > 0 {
		line("Disputes won", "their money is there again", won.Cents, listOf(q, "dispute_won", m.First, m.Last),
			components.TotalOf(won.N, won.Cents), false)
	}
	line("Booked in another month", "what the ledger has here for debits of other months, less what it has elsewhere for "+
		"debits of this one", m.ElsewhereCents(), "", components.Total{}, false)
	debits, all := m.Moved()
	line("Debits in the ledger", "", debits.Cents, "", components.Total{}, true)
	for _, k := range m.Ledger {
		href := kit.Address(movementsPath, url.Values{"from": {m.First.String()}, "to": {m.Last.String()}, "kind": {k.Kind},
			"currency": {money.ZAR}})
		v.Kinds = append(v.Kinds, pages.MonthKind{Text: kindWords[k.Kind].Word, N: words.Grouped(k.N),
			Cents: components.Figure{Text: words.Sum(k.Cents, money.ZAR), Href: href, Total: components.TotalOf(k.N, k.Cents)}})
	}
	v.Kinds = append(v.Kinds, pages.MonthKind{Text: "All movements", N: words.Grouped(all.N), Strong: true,
		Cents: components.Figure{Text: words.Sum(all.Cents, money.ZAR), Href: MovementsHref("", m.First, m.Last, money.ZAR),
			Total: components.TotalOf(all.N, all.Cents)}})
}

// ExportMonth serves GET /reports/months/export?month=2026-10: the table of the page as CSV.
func (h *Reports) ExportMonth(c echo.Context) error {
	m, wrong := h.monthAsked(c)
	if wrong != "" {
		return fault.Missing()
	}
	found, err := h.Analysis.Month(c.Request().Context(), access.Actor(c), m.First())
	if err != nil {
		return err
	}
	name := "debits-" + m.String()
	to := &kit.Download{C: c, Control: http.NewResponseController(c.Response()), ContentType: export.CSV.ContentType(),
		Name: name + ".csv"}
	w, err := export.Open(export.CSV, to, export.Table{Name: name, Heads: []export.Head{{Text: "Month"},
		{Text: "Method"}, {Text: "State"}, {Text: "Reason"}, {Text: "Code"}, {Text: "Debits"}, {Text: "Amount"}}})
	if err != nil {
		return err
	}
	defer w.Release()
	for _, one := range found.Methods {
		for _, p := range monthParts(one) {
			if p.N == 0 || p.total || len(p.reasons) > 0 {
				for _, r := range p.reasons {
					if err := w.Row(monthCells(m, one, p.state(r), r.Code, r.N, r.Cents)); err != nil {
						return err
					}
				}
				continue
			}
			if err := w.Row(monthCells(m, one, p.word, "", p.N, p.Cents)); err != nil {
				return err
			}
		}
	}
	return w.Finish()
}

func monthCells(m journal.Month, of analysis.MethodMonth, state, code string, n, cents int64) []export.Cell {
	return []export.Cell{export.Text(m.String()), export.Text(words.Method(of.Method)), export.Text(state),
		export.Text(reasonWord(code)), export.Text(code), export.Count(n), export.Amount(cents)}
}
