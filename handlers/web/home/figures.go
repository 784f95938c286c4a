package home

import (
	"fmt"
	"math"

	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/reports"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

func tallyWords(t purchase.Tally, one, many string) string {
	return words.Grouped(t.N) + " " + plural.Pick(t.N, one, many)
}

func (h *Home) figures(v *pages.HomeView, f report.Figures) {
	now := h.Desk.Now()
	v.Today = []components.Stat{
		{Label: "To be collected today", Value: words.Sum(f.Today.Cents, money.ZAR),
			Note: tallyWords(f.Today, "debit", "debits"), Href: purchases.DebitsHref("open", f.OnDate, f.OnDate),
			Total: components.TotalOf(f.Today.N, f.Today.Cents)},
		{Label: "Tomorrow", Value: words.Sum(f.Tomorrow.Cents, money.ZAR), Note: tallyWords(f.Tomorrow, "debit", "debits"),
			Href:  purchases.DebitsHref("open", f.TomorrowDate, f.TomorrowDate),
			Total: components.TotalOf(f.Tomorrow.N, f.Tomorrow.Cents)},
		{
			Label: "Next cut-off",
			Value: "in " + words.SayLeft(f.NextCutOff.Sub(now)),
			Note: words.SayMinute(f.NextCutOff, now) + ": " + tallyWords(f.ToSubmit, "debit goes",
				"debits go") + " to the bank",
			Href:  purchases.DebitsUntilHref(f.NextCutOff),
			Total: components.TotalOf(f.ToSubmit.N, f.ToSubmit.Cents),
		},
	}
	collected := components.Stat{Label: "Collected this month", Value: words.SumOf(f.NetCents, money.ZAR),
		Note:  words.SumOf(f.WasCents, money.ZAR) + " " + sameDays(f),
		Href:  reports.MovementsHref("", f.From, f.To, money.ZAR),
		Total: components.Total{Cents: f.NetCents.String()}}
	if f.WasCents.Sign() > 0 && f.NetCents.Sign() >= 0 {
		collected.Trend, collected.TrendText = trend(f.NetCents.Near(), f.WasCents.Near())
	}
	v.Figures = []components.Stat{
		collected,
		ratio("Success rate", "collected", f, func(o report.Outcome) int64 { return o.Collected }, 0),
		ratio("Unpaid", "failed", f, func(o report.Outcome) int64 { return o.Unpaid }, f.Limits.Unpaid),
		ratio("Disputed", "disputed", f, func(o report.Outcome) int64 { return o.Disputed }, f.Limits.Dispute),
	}
	v.Chart = chart(f.Days)
}

// sameDays says which days of last month the days of this month so far are compared with: as many of them, so that the
// 1st is compared with the 1st. A month that was shorter is taken whole.
func sameDays(f report.Figures) string {
	was := f.WasFrom.Format("January")
	switch days := f.To.Day; {
	case days > f.WasTo.Day:
		return "in all of " + was + ", which had " + plural.Of(f.WasTo.Day, "day")
	case days == 1:
		return "on " + words.Glue("1 "+was) + ": one day is compared with one day"
	default:
		return "in the first " + plural.Of(days, "day") + " of " + was
	}
}

// trend compares an amount with an earlier one, in whole percents.
func trend(now, was int64) (kind, text string) {
	for now > math.MaxInt64/200 || was > math.MaxInt64/200 { // percents of figures that large need no cents
		now, was = now/1000, max(was/1000, 1)
	}
	change := (now - was) * 100 / was
	switch {
	case change > 0:
		return "up", words.Grouped(change) + money.NBSP + "% more,"
	case change < 0:
		return "down", words.Grouped(-change) + money.NBSP + "% less,"
	}
	return "", "as much,"
}

// ratio shows a part of the debits of this month that the bank has answered, by
// debit date, and leads to that part. Last month stands beside it, since a
// return or a dispute comes days after its debit. A limit marks what is
// beyond it; 0 is no limit, and more is better.
func ratio(label, outcome string, f report.Figures, part func(report.Outcome) int64, limit int64) components.Stat {
	s := components.Stat{Label: label, Value: "–", Note: "no answers this month yet",
		Href: purchases.DebitsHref(outcome, f.From, f.To), Total: components.CountOf(part(f.Outcome))}
	now, ok := f.Outcome.PerTenThousand(part(f.Outcome))
	was, known := f.WasOutcome.PerTenThousand(part(f.WasOutcome))
	before := ""
	if known {
		before = fmt.Sprintf("%s: %s of %s, %s", f.WasFrom.Format("January"), words.Grouped(part(f.WasOutcome)),
			words.Grouped(f.WasOutcome.Answered()), words.Share(was))
	}
	if ok {
		s.Value = words.Share(now)
		s.Note = fmt.Sprintf("%s of %s with a debit date from %s to %s", words.Grouped(part(f.Outcome)),
			plural.Of(f.Outcome.Answered(), "answered debit"), words.Glue(f.From.Format("2")),
			words.Glue(f.To.Format("2 Jan")))
	}
	if before != "" {
		s.Note += "; " + before
	}
	if limit > 0 {
		s.Note += "; limit " + words.Share(limit)
	}
	switch {
	case !ok:
	case limit > 0 && now > limit:
		s.Trend, s.TrendText = "down", "over the limit,"
	case limit > 0 && now*10 > limit*8:
		s.TrendText = "near the limit,"
	case limit == 0 && known && now > was:
		s.Trend, s.TrendText = "up", "better,"
	case limit == 0 && known && now < was:
		s.Trend, s.TrendText = "down", "worse,"
	}
	return s
}

// drawn is the height of a bar: beyond a billion rand it does not grow.
func drawn(s money.Sum) int64 { return min(s.Near(), 100_000_000_000) }

func chart(days []report.Day) *components.BarChart {
	c := &components.BarChart{Title: "Collected and returned in the last 30 days", ID: "days", Head: "Day",
		Series: []string{"Collected", "Returned"}}
	largest := int64(0)
	for _, d := range days {
		in, back := drawn(d.InCents), drawn(d.BackCents)
		largest = max(largest, in+back)
		c.Bars = append(c.Bars, components.ChartBar{Label: words.Glue(d.Date.Format("Mon 2 Jan")), Values: []int64{in, back},
			Texts: []string{words.SumOf(d.InCents, money.ZAR), words.SumOf(d.BackCents, money.ZAR)},
			Short: []string{words.Short(in + back)}, Href: reports.MovementsHref("", d.Date, d.Date, money.ZAR),
			Figures: []components.Figure{moved(d.InCents, report.In, d.Date), moved(d.BackCents, report.Out, d.Date)}})
	}
	if largest == 0 {
		return nil
	}
	c.Ticks = words.RandTicks(largest)
	c.XLabels = words.Ends(len(days), func(n int) string { return days[n].Date.Format("2 Jan") })
	return c
}

// moved leads to what came in, or went back, on a day.
func moved(cents money.Sum, direction report.Direction, day calendar.Date) components.Figure {
	f := components.Figure{Text: words.SumOf(cents, money.ZAR)}
	if cents.Sign() == 0 {
		return f
	}
	f.Href, f.Total.Cents = reports.MovementsHref(direction, day, day, money.ZAR), cents.String()
	if direction == report.Out {
		f.Total.Cents = money.Sum{}.Minus(cents).String()
	}
	return f
}
