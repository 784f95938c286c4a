package reports

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const arrearsPath = "/reports/arrears"

// Arrears serves GET /reports/arrears: what clients owe although it was due, by age.
func (h *Reports) Arrears(c echo.Context) error {
	currency := c.QueryParam("currency")
	if !currencyForm.MatchString(currency) {
		currency = ""
	}
	a, err := h.Money.Arrears(c.Request().Context(), access.Actor(c), currency)
	if err != nil {
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Arrears by age", reportsSection,
		func(f layout.Frame) templ.Component { return pages.Arrears(f, arrearsView(a)) })
}

func arrearsView(a report.Arrears) pages.ArrearsReport {
	v := pages.ArrearsReport{Sub: "What was due before " + words.DayTime(a.Day).Text + " and is not paid.",
		Empty: components.Empty{Icon: "check", Title: "Nothing is in arrears",
			Text: "Every purchase that was due is paid, cancelled or credited."}}
	for _, currency := range slices.Sorted(maps.Keys(a.Others)) {
		text := plural.Of(a.Others[currency], "purchase") + " in " + currency + " " + plural.Is(a.Others[currency]) +
			" not counted here."
		v.Others = append(v.Others, components.Link{Text: text,
			Href: kit.Address(arrearsPath, url.Values{"currency": {currency}})})
	}
	if a.Purchases == 0 {
		return v
	}
	v.Notes = append(v.Notes, "Purchases whose debit failed, that are overdue, or whose debit was disputed, and debits "+
		"that run later than payment was due. Each counts with what is owed of it now, as in the account of its client: "+
		"less what was paid and credited. What was written off in the books is still owed, and counted.")
	v.Stats = []components.Stat{{Label: "In arrears", Value: words.SumOf(a.Owing, a.Currency),
		Note: plural.Of(a.Purchases, "purchase") + " of " + plural.Of(a.Debtors, "client"),
		Href: inArrears(calendar.Date{}, a.Day.AddDays(-1))}}
	chart := components.BarChart{Title: "Arrears by age", ID: "arrears", Head: "Age", Series: []string{"Owed"}}
	largest := int64(0)
	for _, age := range report.Ages[1:] {
		cents := a.Ages[age].Near()
		from, to := age.Due(a.Day)
		href := inArrears(from, to)
		v.Stats = append(v.Stats, components.Stat{Label: age.Words(), Value: words.SumOf(a.Ages[age], a.Currency),
			Note: plural.Of(a.Count[age], "purchase"), Href: href})
		chart.Bars = append(chart.Bars, components.ChartBar{Label: age.Words(), Values: []int64{cents},
			Texts: []string{words.SumOf(a.Ages[age], a.Currency)}, Short: []string{words.Short(cents)},
			Href: href})
		chart.XLabels = append(chart.XLabels, age.Words())
		largest = max(largest, cents)
	}
	chart.Ticks = words.RandTicks(largest)
	v.Chart = &chart
	v.Debtors = "The largest arrears first."
	if n := int64(len(a.Clients)); n < a.Debtors {
		v.Debtors = "The " + plural.Number(n) + " with the largest arrears, of " + plural.Number(a.Debtors) + "."
	}
	v.Table = kit.TableOf("Clients in arrears", debtorColumns(a), a.Clients)
	return v
}

// inArrears is where the purchases are that were due between two days, both included, and are not paid; a day that is
// zero leaves its end open.
func inArrears(from, to calendar.Date) string {
	q := url.Values{"status": {strings.Join(purchase.StatusNames(report.InArrears), ",")}, "due_to": {to.String()}}
	if !from.IsZero() {
		q.Set("due_from", from.String())
	}
	return kit.Address("/purchases", q)
}

func debtorColumns(a report.Arrears) []kit.Column[report.ClientArrears] {
	columns := []kit.Column[report.ClientArrears]{
		kit.ColumnOf("Client", func(c report.ClientArrears) components.Cell {
			return components.Cell{Text: c.Name, Href: words.ClientHref(c.ClientID) + "/account?open=yes",
				Second: plural.Of(c.Purchases, "purchase") + ", the oldest due " + words.DayTime(c.Oldest).Text}
		}),
	}
	for _, age := range report.Ages[1:] {
		columns = append(columns, kit.ColumnOf(age.Words(), func(c report.ClientArrears) components.Cell {
			if c.Ages[age].Sign() == 0 {
				return components.Cell{Text: "–"}
			}
			return components.Cell{Text: words.SumOf(c.Ages[age], a.Currency)}
		}).Number())
	}
	return append(columns, kit.ColumnOf("In all", func(c report.ClientArrears) components.Cell {
		return components.Cell{Text: words.SumOf(c.Owing, a.Currency)}
	}).Number())
}
