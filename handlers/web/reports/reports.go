// Package reports serves balance, turnover and statements.
package reports

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/download"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/analysis"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/recurring"
	"debitdesk/models/report"
	"debitdesk/models/savedreport"
	"debitdesk/models/selection"
	"debitdesk/models/statement"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Reports serves the figures of money and the statements about it.
type Reports struct {
	Desk       *kit.Desk
	Money      *report.Money
	Analysis   *analysis.Service
	Books      *journal.Service
	Statements *statement.Service
	Brands     merchant.Store
	Exports    *kit.Exports
	Selections *selection.Service
	Purchases  *purchase.Service
	Pictures   Pictures
	Saved      *savedreport.Service
	// Subscribers tells what subscriptions bring a month.
	Subscribers *recurring.Service
}

const (
	reportsSection = "reports"
	statementsList = 20
	// ownZone is the zone in which people here read moments.
	ownZone = "Africa/Johannesburg"
)

// Show serves GET /reports; ?part=statements is the list alone, while one is made.
func (h *Reports) Show(c echo.Context) error { return h.page(c, nil, nil) }

func (h *Reports) page(c echo.Context, form url.Values, refused error) error {
	who := access.Actor(c)
	if err := who.May(actor.Read); err != nil {
		return err
	}
	view := pages.ReportsView{MayAsk: who.Can(actor.Write)}
	if err := h.list(c, who, &view); err != nil {
		return err
	}
	if c.QueryParam("part") == "statements" && refused == nil {
		return html.Send(c, http.StatusOK, pages.Statements(view))
	}
	if err := h.figures(c, who, &view); err != nil {
		return err
	}
	if err := h.savedList(c, who, &view); err != nil {
		return err
	}
	h.form(&view, form, refused)
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Reports", reportsSection,
		func(f layout.Frame) templ.Component { return pages.Reports(f, view) })
}

// figures are the balance, and the turnover of the days that the address names: this
// month so far unless it does.
func (h *Reports) figures(c echo.Context, who actor.Actor, v *pages.ReportsView) error {
	ctx := c.Request().Context()
	asOf := h.asOf(c, v)
	found, err := h.Money.BalanceAsOf(ctx, who, asOf)
	if err != nil {
		return err
	}
	var currencies []string
	for currency := range found {
		currencies = append(currencies, currency)
	}
	slices.Sort(currencies)
	v.Currency = c.QueryParam("currency")
	if !slices.Contains(currencies, v.Currency) {
		v.Currency = currencies[0]
		if slices.Contains(currencies, money.ZAR) {
			v.Currency = money.ZAR
		}
	}
	for _, currency := range currencies {
		v.Currencies = append(v.Currencies, components.Option{Value: currency, Text: currency,
			Selected: currency == v.Currency})
	}
	if v.Balance, err = h.balanceFigures(ctx, who, found[v.Currency], v.Currency, asOf); err != nil {
		return err
	}
	today := calendar.DateOf(h.Desk.Now())
	from, to := h.between(c, &v.From, &v.To, today.FirstDayOfMonth(), today)
	t, err := h.Money.Turnover(ctx, who, report.Filter{Currencies: []string{v.Currency}, From: from.At(0, 0),
		To: to.AddDays(1).At(0, 0).Add(-time.Microsecond)})
	if err != nil {
		return err
	}
	v.TurnoverSub = words.DayTime(from).Text + " to " + words.DayTime(to).Text
	v.Turnover = []components.Stat{
		{Label: "Came in", Value: words.SumOf(t.Incoming.Cents, v.Currency), Note: plural.Of(t.Incoming.N, "movement"),
			Href: MovementsHref(report.In, from, to, v.Currency), Total: totalOf(t.Incoming.N, t.Incoming.Cents)},
		{Label: "Went back", Value: words.SumOf(t.Outgoing.Cents, v.Currency), Note: plural.Of(t.Outgoing.N, "movement"),
			Href:  MovementsHref(report.Out, from, to, v.Currency),
			Total: totalOf(t.Outgoing.N, money.Sum{}.Minus(t.Outgoing.Cents))},
		{Label: "Net", Value: words.SumOf(t.Incoming.Cents.Minus(t.Outgoing.Cents), v.Currency),
			Note: plural.Of(t.Incoming.N+t.Outgoing.N, "movement"), Href: MovementsHref("", from, to, v.Currency),
			Total: totalOf(t.Incoming.N+t.Outgoing.N, t.Incoming.Cents.Minus(t.Outgoing.Cents))},
	}
	return nil
}

// between reads a period, which is as usual unless the address names days. What is no day, or ends before it begins,
// stays in its field and says which days are shown.
func (h *Reports) between(c echo.Context, first, last *components.DateField, usualFrom,
	usualTo calendar.Date) (from, to calendar.Date) {
	today := calendar.DateOf(h.Desk.Now())
	field := func(name, label string, otherwise calendar.Date) (components.DateField, calendar.Date) {
		f := components.DateField{Label: label, Name: name, Value: otherwise.String(), Required: true}
		text := c.QueryParam(name)
		if text == "" {
			return f, otherwise
		}
		f.Value = text
		day, err := calendar.ParseDate(text)
		if err != nil || day.Year < 1 {
			f.Error = "Enter a day such as " + today.String() + ". The figures are those of " +
				words.DayTime(otherwise).Text + " instead."
			return f, otherwise
		}
		return f, day
	}
	*first, from = field("from", "From", usualFrom)
	*last, to = field("to", "To", usualTo)
	if to.Before(from) {
		if last.Error == "" {
			last.Error = "The last day is before the first. These are the figures of " + words.DayTime(from).Text + " alone."
		}
		to = from
	}
	return from, to
}

func (h *Reports) form(v *pages.ReportsView, form url.Values, refused error) {
	wrong, summary, ok := kit.Problems(refused)
	if f, known := fault.From(refused); known && !ok {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	for i := range summary {
		if inner := map[string]string{"from": "period_from", "to": "period_to"}[summary[i].Field]; inner != "" {
			summary[i].Field = inner
		}
	}
	v.Problems.Items = summary
	value := func(name, otherwise string) string {
		if form != nil {
			return form.Get(name)
		}
		return otherwise
	}
	first := calendar.DateOf(h.Desk.Now())
	first = calendar.On(first.Year, first.Month-1, 1) // the month that is over
	v.Key = value(kit.FormKeyName, kit.NewFormKey())
	v.StatementFrom = components.DateField{Label: "First day", Name: "period_from",
		Value: value("period_from", first.String()), Error: wrong["period_from"], Required: true}
	v.StatementTo = components.DateField{Label: "Last day", Name: "period_to",
		Value: value("period_to", first.LastDayOfMonth().String()), Error: either(wrong["period_to"], wrong["to"]),
		Required: true}
	v.StatementOf = components.Select{Label: "Currency", Name: "currency", Options: v.Currencies, Error: wrong["currency"],
		Required: true, Width: "m"}
	v.Format = components.Select{Label: "File", Name: "format", Error: wrong["format"], Required: true, Width: "m"}
	for _, f := range []struct{ value, text string }{{"xlsx", "Excel workbook"}, {"csv", "CSV"}} {
		v.Format.Options = append(v.Format.Options,
			components.Option{Value: f.value, Text: f.text, Selected: f.value == value("format", "xlsx")})
	}
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

var statementPills = map[statement.Status]components.Pill{statement.Pending: {Kind: "progress", Word: "Waiting"},
	statement.Running:  {Kind: "progress", Word: "Being made"},
	statement.Finished: {Kind: "done", Word: "Ready"}, statement.Cancelled: {Kind: "draft", Word: "Cancelled"},
	statement.Failed: {Kind: "bad", Word: "Failed"}}

func (h *Reports) list(c echo.Context, who actor.Actor, v *pages.ReportsView) error {
	ask := paging.Ask{Limit: statementsList}
	for _, name := range []string{"after", "before"} {
		if id, err := uuid.Parse(c.QueryParam(name)); err == nil {
			ask.From, ask.Newer = id, name == "before"
		}
	}
	page, err := h.Statements.List(c.Request().Context(), who, ask)
	if err != nil {
		return err
	}
	self := url.Values{"part": {"statements"}}
	for _, name := range []string{"after", "before"} {
		if id := c.QueryParam(name); id != "" {
			self.Set(name, id)
		}
	}
	v.Self = "/reports?" + self.Encode()
	for _, s := range page.Items {
		v.Rows = append(v.Rows, statementLine(s, v.MayAsk))
		v.Waiting = v.Waiting || s.Status.Open()
	}
	if n := len(page.Items); n > 0 {
		if page.Older {
			v.Pager.OlderHref = "/reports?after=" + page.Items[n-1].ID.String()
		}
		if page.Newer {
			v.Pager.NewerHref = "/reports?before=" + page.Items[0].ID.String()
		}
	}
	return nil
}

func statementLine(s statement.Statement, mayCancel bool) pages.StatementLine {
	line := pages.StatementLine{Period: statementPeriod(s.Filter),
		Format: map[statement.Format]string{statement.CSV: "CSV", statement.XLSX: "Excel workbook"}[s.Format],
		Note:   s.Note, State: statementPills[s.Status], Asked: words.Moment(s.CreatedAt)}
	line.Format = words.Glue(s.Filter.Currencies[0] + " · " + line.Format)
	switch {
	case s.Status == statement.Finished:
		line.Rows, line.FileHref = words.Grouped(s.Rows), "/reports/statements/"+s.ID.String()+"/file"
	case s.Status.Open() && mayCancel:
		line.CancelHref = "/reports/statements/" + s.ID.String() + "/cancellation"
	}
	return line
}

func statementPeriod(f report.Filter) string {
	from, to := words.DayOf(f.From).Text, words.DayOf(f.To).Text
	switch {
	case from != "" && to != "":
		return from + " to " + to
	case from != "":
		return "From " + from
	case to != "":
		return "Up to " + to
	}
	return "Everything"
}

// Ask serves POST /reports/statements.
func (h *Reports) Ask(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := statement.Input{Format: statement.Format(form.Get("format")), Timezone: ownZone,
		Filter: report.Filter{Currencies: []string{form.Get("currency")}}}
	query := url.Values{"currency": {form.Get("currency")}}
	for _, end := range []struct {
		name string
		days int
		into *time.Time
		key  string
	}{{"period_from", 0, &in.Filter.From, "from"}, {"period_to", 1, &in.Filter.To, "to"}} {
		day, err := calendar.ParseDate(form.Get(end.name))
		if err != nil || day.Year < 1900 || day.Year > 2999 {
			in.Problems.Add(end.name, "invalid", "Enter a day such as 2026-11-30.")
			continue
		}
		if today := calendar.DateOf(h.Desk.Now()); end.days == 0 && day.After(today) {
			in.Problems.Add(end.name, "max_value", "This day has not begun. Choose one up to today, %s.", today)
			continue
		}
		*end.into = day.AddDays(end.days).At(0, 0).Add(-time.Duration(end.days) * time.Microsecond)
		query.Set(end.key, strconv.FormatInt(end.into.Unix(), 10))
	}
	in.Query = query.Encode()
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (statement.Statement, error) {
			return h.Statements.Create(ctx, access.Actor(c), in)
		}, func(statement.Statement) string { return "/reports#statements" })
	if kit.MayShow(err) {
		return h.page(c, form, err)
	}
	return err
}

// Cancel serves POST /reports/statements/:id/cancellation.
func (h *Reports) Cancel(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	if _, err = h.Statements.Cancel(c.Request().Context(), access.Actor(c), id); kit.MayShow(err) {
		return h.page(c, nil, err)
	} else if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/reports#statements")
}

// File serves GET /reports/statements/:id/file.
func (h *Reports) File(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	found, file, err := h.Statements.File(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	return download.Send(c, found.Name(), export.Format(found.Format).ContentType(), file)
}
