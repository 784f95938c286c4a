package reports

import (
	"cmp"
	"strings"

	"debitdesk/handlers/web/words"
	"debitdesk/models/analysis"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// drawer puts a picture of debits into words and bars.
type drawer struct {
	analysis.Picture
	brands    []merchant.Brand
	templates map[string]string // names by id
}

func (d drawer) draw(v *pages.DebitsReport) {
	v.Sub = "Debits with a debit date from " + daysText(d.Of.From, d.Of.To) + "."
	if d.compared() {
		v.Sub += " Compared with " + daysText(d.Before.From, d.Before.To)
		if v.Sub += "."; d.All.Was.Answered().N == 0 {
			v.Sub = strings.TrimSuffix(v.Sub, ".") + ", when the bank answered no debit."
		}
	}
	if d.All.Answered().N+d.All.Open.N == 0 {
		v.None = true
		v.Empty = components.Empty{Icon: "calendar", Title: "No debit on these days",
			Text: "Choose other days, or another method."}
		return
	}
	d.stats(v)
	d.went(v)
	d.ratios(v)
	d.tables(v)
	d.reasons(v)
	d.endings(v)
}

func (d drawer) compared() bool { return !d.Before.From.IsZero() }

func (d drawer) stats(v *pages.DebitsReport) {
	stat := func(label, outcome string, t, was purchase.Tally, of, wasOf int64) components.Stat {
		s := components.Stat{Label: label, Value: words.Sum(t.Cents, money.ZAR), Note: plural.Of(t.N, "debit"),
			Href: listOf(d.Of, outcome, d.Of.From, d.Of.To), Total: components.TotalOf(t.N, t.Cents)}
		if of > 0 && outcome != "answered" && outcome != "open" {
			s.Note += ", " + words.Share(report.Ratio(t.N, of)) + " of those answered"
		}
		if d.compared() && wasOf > 0 && outcome != "open" {
			s.Note += "; before: " + words.Sum(was.Cents, money.ZAR)
			if outcome != "answered" {
				s.Note += ", " + words.Share(report.Ratio(was.N, wasOf))
			}
		}
		return s
	}
	now, was := d.All.Result, d.All.Was
	of, wasOf := now.Answered().N, was.Answered().N
	v.Stats = []components.Stat{
		stat("Answered by the bank", "answered", now.Answered(), was.Answered(), of, wasOf),
		stat("Collected", "collected", now.Collected(), was.Collected(), of, wasOf),
		stat("Failed", "failed", now.Unpaid, was.Unpaid, of, wasOf),
		stat("Disputed", "disputed", now.Disputed, was.Disputed, of, wasOf),
		stat("Not answered yet", "open", now.Open, purchase.Tally{}, of, wasOf)}
}

func (d drawer) went(v *pages.DebitsReport) {
	c := &components.BarChart{ID: "went", Head: "Week",
		Series: []string{"Collected for good", "Collected, may still be returned", "Failed", "Disputed"}}
	v.WentTitle = "Week by week"
	if !d.Weekly {
		c.Head, v.WentTitle = "Month", "Month by month"
	}
	c.Title = v.WentTitle
	largest := int64(0)
	for _, s := range d.Spans {
		parts := []struct {
			outcome string
			t       purchase.Tally
		}{{"settled", s.Final}, {"returnable", s.Provisional}, {"failed", s.Unpaid}, {"disputed", s.Disputed}}
		b := components.ChartBar{Label: spanName(s, d.Weekly), Href: listOf(d.Of, "answered", s.From, s.To)}
		for _, p := range parts {
			b.Values, b.Texts = append(b.Values, p.t.Cents), append(b.Texts, words.Sum(p.t.Cents, money.ZAR))
			f := components.Figure{Text: words.Sum(p.t.Cents, money.ZAR)}
			if p.t.N > 0 {
				f.Href, f.Total = listOf(d.Of, p.outcome, s.From, s.To), components.TotalOf(p.t.N, p.t.Cents)
			}
			b.Figures = append(b.Figures, f)
		}
		all := s.Answered().Cents
		b.Short, largest = []string{words.Short(all)}, max(largest, all)
		c.Bars = append(c.Bars, b)
	}
	if largest == 0 {
		return
	}
	c.Ticks, c.XLabels = words.RandTicks(largest), axis(d.Spans, d.Weekly)
	v.Went = c
}

// axis are the labels below the bars.
func axis(spans []analysis.Span, weekly bool) []string {
	return words.Ends(len(spans), func(n int) string {
		if weekly {
			return spans[n].From.Format("2 Jan")
		}
		return monthName(spans[n].From)
	})
}

// ratios are the two that the clearing rules limit.
func (d drawer) ratios(v *pages.DebitsReport) {
	for _, r := range []struct {
		title, series, outcome string
		part                   func(report.Outcome) int64
		limit                  func(report.Limits) int64
	}{
		{"Failed debits beside the limit", "Failed", "failed", func(o report.Outcome) int64 { return o.Unpaid },
			func(l report.Limits) int64 { return l.Unpaid }},
		{"Disputed debits beside the limit", "Disputed", "disputed", func(o report.Outcome) int64 { return o.Disputed },
			func(l report.Limits) int64 { return l.Dispute }},
	} {
		c := &components.BarChart{Title: r.title, ID: "ratio-" + r.outcome, Head: "Month", Series: []string{r.series}}
		var spans []analysis.Span
		largest, limit := int64(0), int64(0)
		for _, m := range d.Months {
			o := m.Outcome()
			share, ok := o.PerTenThousand(r.part(o))
			text := "–"
			if ok {
				text = words.Share(share)
			}
			limit = r.limit(m.Limits) // of the newest month
			largest = max(largest, share, limit)
			c.Bars = append(c.Bars, components.ChartBar{Label: m.From.Format("January 2006"), Values: []int64{share},
				Texts: []string{text}, Short: []string{text}, Href: listOf(d.Of, r.outcome, m.From, m.To)})
			spans = append(spans, m.Span)
		}
		c.Limit = components.Mark{Value: limit, Text: "Limit " + words.Percent(limit)}
		for _, tick := range components.NiceTicks(largest) {
			c.Ticks = append(c.Ticks, components.Mark{Value: tick, Text: words.Percent(tick)})
		}
		c.XLabels = axis(spans, false)
		v.Ratios = append(v.Ratios, pages.RatioCard{Title: r.title, Chart: c, Sub: "Of the answered debits of each month. " +
			"The limit is by the calendar month; a month that is cut by the period shows the days in it."})
	}
}

// mostMonths is how many months have a column of their own.
const mostMonths = 12

func (d drawer) reasons(v *pages.DebitsReport) {
	months := d.Months
	if len(months) > mostMonths {
		months = months[len(months)-mostMonths:]
		v.Reasons.Sub = "The columns are the last twelve months; the totals are of the whole period."
	}
	for _, m := range months {
		v.Reasons.Months = append(v.Reasons.Months, monthName(m.From))
	}
	for _, r := range d.Reasons {
		opens := func(t purchase.Tally, from, to calendar.Date) components.Figure {
			if t.N == 0 {
				return components.Figure{Text: "–"}
			}
			return components.Figure{Text: words.Grouped(t.N), Total: components.TotalOf(t.N, t.Cents),
				Href: listOf(d.Of, "answered", from, to, "reason", cmp.Or(r.Code, purchase.NoCode))}
		}
		row := pages.ReasonRow{Label: bank.Label(r.Code), All: opens(r.All, d.Of.From, d.Of.To),
			Cents: words.Sum(r.All.Cents, money.ZAR)}
		for _, m := range months {
			row.Months = append(row.Months, opens(r.Months[m.From.FirstDayOfMonth()], m.From, m.To))
		}
		v.Reasons.Rows = append(v.Reasons.Rows, row)
	}
}

// endingWords name how failures ended.
var endingWords = map[analysis.Ending]string{
	analysis.AgainByPlan: "Paid by a plan",
	analysis.Again:       "Paid by a debit",
	analysis.ByHand:      "Paid otherwise",
	analysis.WrittenOff:  "Written off",
	analysis.Withdrawn:   "Withdrawn",
	analysis.UnderWay:    "Under way",
	analysis.StillOwed:   "Still owed",
}

func (d drawer) endings(v *pages.DebitsReport) {
	for _, e := range analysis.EndingsInOrder {
		v.Endings.Endings = append(v.Endings.Endings, endingWords[e])
	}
	for _, c := range d.Endings {
		row := pages.EndingRow{Month: monthName(c.Month), All: words.Grouped(c.All.N)}
		for _, e := range analysis.EndingsInOrder {
			text := "–"
			if t := c.By[e]; t.N > 0 {
				text = words.Grouped(t.N) + " (" + words.Share(report.Ratio(t.N, c.All.N)) + ")"
			}
			row.Ended = append(row.Ended, text)
		}
		v.Endings.Rows = append(v.Endings.Rows, row)
	}
}
