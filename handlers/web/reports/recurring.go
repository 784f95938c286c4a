package reports

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/plural"
	"debitdesk/models/recurring"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const recurringPath = "/reports/recurring"

// recurringAsked is what the address asks for. A template that is no id is not found.
func recurringAsked(c echo.Context) (ask recurring.Ask, err error) {
	if currency := c.QueryParam("currency"); currencyForm.MatchString(currency) {
		ask.Currency = currency
	}
	if text := c.QueryParam("template"); text != "" {
		if ask.Template, err = uuid.Parse(text); err != nil {
			return ask, fault.Missing()
		}
	}
	return ask, nil
}

// recurringHref leads to the report, or to those who moved in a month.
func recurringHref(ask recurring.Ask, month calendar.Date, w recurring.What) string {
	q := url.Values{}
	if ask.Template != uuid.Nil {
		q.Set("template", ask.Template.String())
	}
	if ask.Currency != "" {
		q.Set("currency", ask.Currency)
	}
	if month.IsZero() {
		return kit.Address(recurringPath, q)
	}
	q.Set("month", journal.MonthOf(month).String())
	q.Set("what", string(w))
	return kit.Address(recurringPath+"/moves", q)
}

// Recurring serves GET /reports/recurring: what subscriptions bring a month, who joined and who left.
func (h *Reports) Recurring(c echo.Context) error {
	ask, err := recurringAsked(c)
	if err != nil {
		return err
	}
	r, err := h.Subscribers.Report(c.Request().Context(), access.Actor(c), ask)
	if err != nil {
		return err
	}
	v := recurringView(r, ask)
	if yesterday := calendar.DateOf(h.Desk.Now()).AddDays(-1); !r.AsOf.IsZero() && r.AsOf.Before(yesterday) {
		v.Sub += " What came later is added within ten minutes."
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Recurring revenue", reportsSection,
		func(f layout.Frame) templ.Component { return pages.Recurring(f, v) })
}

func recurringView(r recurring.Report, ask recurring.Ask) pages.RecurringReport {
	v := pages.RecurringReport{Head: "Recurring revenue", Sub: "What subscriptions bring a month.",
		Back: components.Link{Text: "Reports", Href: "/reports"},
		Empty: components.Empty{Icon: "calendar", Title: "No subscription was billed yet",
			Text: "Once the first period of a subscription is billed, it is counted here from the next day on."}}
	if r.Named != "" {
		v.Head, v.Back = r.Named, components.Link{Text: "Recurring revenue", Href: recurringPath}
	}
	if !r.AsOf.IsZero() {
		v.Sub = "What subscriptions bring a month, until the end of " + words.DayTime(r.AsOf).Text + "."
	}
	for _, currency := range r.Others {
		v.Others = append(v.Others, components.Link{Text: "Subscriptions in " + currency,
			Href: recurringHref(recurring.Ask{Template: ask.Template, Currency: currency}, calendar.Date{}, "")})
	}
	if len(r.Months) == 0 {
		return v
	}
	v.Notes = []string{
		"A subscriber counts for as long as the last billed period runs, so someone who leaves is counted until it ends. " +
			"Someone who pauses counts as gone until they come back. Trials, skipped periods and cancelled invoices bring " +
			"nothing.",
		"Prices for several months, weeks or days are shown as what they come to a month; a year has 52 weeks and 365 " +
			"days. Amounts are what was billed, including VAT. How debits went shows whether they were paid.",
		"Each month starts with what the month before ended with. The current month runs until yesterday.",
	}
	now := r.Months[0]
	in := func(cents int64) string { return words.Sum(cents, r.Currency) }
	v.Stats = []components.Stat{
		{Label: "A month", Value: in(now.Cents), Note: "from " + plural.Of(now.Subscribers, "subscriber"), Href: "#months"},
	}
	for _, w := range []recurring.What{recurring.Joined, recurring.Gone} {
		n, cents := now.Of(w)
		v.Stats = append(v.Stats, components.Stat{Label: w.Word() + " this month", Value: plural.Number(n),
			Note: more(cents, r.Currency), Href: recurringHref(ask, now.First, w), Total: components.TotalOf(n, cents)})
	}
	if len(r.Months) > 1 {
		v.Chart = recurringChart(r, ask)
	}
	v.Table = kit.TableOf("Months", recurringColumns(r, ask), r.Months)
	if len(r.Templates) > 0 {
		v.TemplatesSub = "At the end of " + words.DayTime(r.AsOf).Text + ", the largest first."
		if n := int64(len(r.Templates)); n < r.Count {
			v.TemplatesSub = "The " + plural.Number(n) + " that bring most, of " + plural.Number(r.Count) + "."
		}
		v.Templates = kit.TableOf("Templates", []kit.Column[recurring.TemplateMonth]{
			kit.ColumnOf("Template", func(t recurring.TemplateMonth) components.Cell {
				return components.Cell{Text: t.Title, Href: recurringHref(recurring.Ask{Template: t.TemplateID,
					Currency: ask.Currency}, calendar.Date{}, "")}
			}),
			kit.ColumnOf("Subscribers", func(t recurring.TemplateMonth) components.Cell {
				return components.Cell{Text: plural.Number(t.Subscribers)}
			}).Number(),
			kit.ColumnOf("A month", func(t recurring.TemplateMonth) components.Cell {
				return components.Cell{Text: in(t.Cents)}
			}).Number(),
		}, r.Templates)
	}
	return v
}

// added is an amount with its sign.
func added(cents int64, currency string) string {
	if cents > 0 {
		return "+" + words.Sum(cents, currency)
	}
	return words.Sum(cents, currency)
}

// more says how much more or less that makes a month.
func more(cents int64, currency string) string {
	if cents == 0 {
		return "nothing a month"
	}
	return added(cents, currency) + " a month"
}

func recurringChart(r recurring.Report, ask recurring.Ask) *components.BarChart {
	chart := components.BarChart{Title: "Recurring revenue by month", ID: "recurring", Head: "Month",
		Series: []string{"A month"}}
	largest := int64(0)
	for _, m := range slices.Backward(r.Months) {
		chart.Bars = append(chart.Bars, components.ChartBar{Label: journal.MonthOf(m.First).Words(), Values: []int64{m.Cents},
			Texts: []string{words.Sum(m.Cents, r.Currency)}, Short: []string{words.Short(m.Cents)},
			Href: recurringHref(ask, m.First, recurring.Joined)})
		chart.XLabels = append(chart.XLabels, m.First.Format("Jan"))
		largest = max(largest, m.Cents)
	}
	chart.Ticks = words.RandTicks(largest)
	return &chart
}

func recurringColumns(r recurring.Report, ask recurring.Ask) []kit.Column[recurring.Month] {
	columns := []kit.Column[recurring.Month]{
		kit.ColumnOf("Month", func(m recurring.Month) components.Cell {
			return components.Cell{Text: journal.MonthOf(m.First).Words(), Strong: true}
		}),
		kit.ColumnOf("At the start", func(m recurring.Month) components.Cell {
			return components.Cell{Text: plural.Number(m.StartSubscribers()), Second: words.Sum(m.StartCents(), r.Currency)}
		}).Number(),
	}
	for _, w := range recurring.Whats {
		columns = append(columns, kit.ColumnOf(w.Word(), func(m recurring.Month) components.Cell {
			n, cents := m.Of(w)
			if n == 0 {
				return components.Cell{Text: "–"}
			}
			return components.Cell{Second: added(cents, r.Currency), Part: components.Open(components.Figure{
				Text: plural.Number(n), Href: recurringHref(ask, m.First, w), Total: components.TotalOf(n, cents),
				Label: w.Word() + " in " + journal.MonthOf(m.First).Words() + ": " + plural.Number(n)})}
		}).Number())
	}
	return append(columns, kit.ColumnOf("At the end", func(m recurring.Month) components.Cell {
		return components.Cell{Text: plural.Number(m.Subscribers), Second: words.Sum(m.Cents, r.Currency)}
	}).Number())
}

// RecurringMoves serves GET /reports/recurring/moves?month=2026-10&what=joined: whom a month brought, lost, or asked
// for another price.
func (h *Reports) RecurringMoves(c echo.Context) error {
	ask, err := recurringAsked(c)
	if err != nil {
		return err
	}
	w := recurring.What(c.QueryParam("what"))
	day, err := calendar.ParseDate(c.QueryParam("month") + "-01")
	if err != nil {
		return fault.Missing()
	}
	after, _ := uuid.Parse(c.QueryParam("after"))
	m, err := h.Subscribers.Moves(c.Request().Context(), access.Actor(c), ask, day, w, after)
	if err != nil {
		return err
	}
	month := journal.MonthOf(day).Words()
	v := pages.RecurringMoves{Head: components.PageHead{Title: w.Word() + " in " + month, Sub: m.Named,
		Back: components.Link{Text: "Recurring revenue", Href: recurringHref(ask, calendar.Date{}, "")}},
		Empty: components.Empty{Icon: "users", Title: "No subscribers", Text: movesNone[w] + " in " + month + "."}}
	if !m.Month.First.IsZero() {
		for _, other := range recurring.Whats {
			n, cents := m.Month.Of(other)
			if other == w {
				v.Foot, v.Total = plural.Of(n, "subscriber")+", "+more(cents, m.Currency), components.TotalOf(n, cents)
			}
			v.Tabs.Items = append(v.Tabs.Items, components.Tab{Label: other.Word(), Count: plural.Number(n), Active: other == w,
				Href: recurringHref(ask, day, other)})
		}
	}
	if len(m.Moves) > 0 {
		v.Table = kit.TableOf("Subscribers", moveColumns(m.Currency, w), m.Moves)
	}
	if m.More {
		v.Pager = components.Pager{Text: plural.Of(len(m.Moves), "subscriber"),
			OlderHref: recurringHref(ask, day, w) + "&after=" + m.Moves[len(m.Moves)-1].TemplateClientID.String()}
	}
	return h.Desk.ShowIn(c, http.StatusOK, v.Head.Title, reportsSection,
		func(f layout.Frame) templ.Component { return pages.RecurringMovesPage(f, v) })
}

var movesNone = map[recurring.What]string{recurring.Joined: "No one joined", recurring.Back: "No one came back",
	recurring.Gone: "No one left", recurring.Changed: "No price changed"}

func moveColumns(currency string, w recurring.What) []kit.Column[recurring.Move] {
	columns := []kit.Column[recurring.Move]{
		kit.ColumnOf("Client", func(m recurring.Move) components.Cell {
			return components.Cell{Text: m.Client, Second: m.Template,
				Href: "/templates/" + m.TemplateID.String() + "/subscribers/" + m.TemplateClientID.String()}
		}),
	}
	if w == recurring.Gone || w == recurring.Changed {
		columns = append(columns, kit.ColumnOf("Paid a month", func(m recurring.Move) components.Cell {
			return components.Cell{Text: words.Sum(m.BeforeCents, currency)}
		}).Number())
	}
	if w != recurring.Gone {
		columns = append(columns, kit.ColumnOf("Pays a month", func(m recurring.Move) components.Cell {
			return components.Cell{Text: words.Sum(m.Cents, currency)}
		}).Number())
	}
	return columns
}
