package reports

import (
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/analysis"
	"debitdesk/models/estimate"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Coming serves GET /reports/coming.
func (h *Reports) Coming(c echo.Context) error {
	o, err := h.Analysis.Coming(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	v := pages.ComingReport{Sub: fmt.Sprintf("What planned debits and subscriptions bring in the next %d days.",
		analysis.ComingDays)}
	if outlook(o, &v); !v.None {
		if err := h.moving(c, &v); err != nil {
			return err
		}
	}
	return h.Desk.ShowIn(c, http.StatusOK, "What is coming", reportsSection,
		func(f layout.Frame) templ.Component { return pages.Coming(f, v) })
}

func outlook(o analysis.Outlook, v *pages.ComingReport) {
	planned, bills, _ := o.Sum(len(o.Days))
	if planned.N+bills.N == 0 {
		v.None = true
		v.Empty = components.Empty{Icon: "calendar", Title: "Nothing is planned", Text: "As soon as debits are planned, " +
			"this page says what they are likely to bring, and when."}
		return
	}
	v.Subtitle = "In 80 of 100 cases it lies in the range."
	for _, days := range []int{7, 30, analysis.ComingDays} {
		v.Stats = append(v.Stats, expected(o, days))
	}
	v.Stats = append(v.Stats, components.Stat{Label: "Subscriptions still to bill",
		Value: words.Sum(bills.Cents, money.ZAR),
		Note: plural.Of(bills.N, "period") + " of the next 60 days, in full; counted in the figures beside it as often as " +
			"debits are paid", Href: "/calendar/subscriptions"})
	v.Chart = byDay(o)
	for _, k := range o.Kinds {
		if k.Answered == 0 || k.Method == "" {
			continue
		}
		v.Notes = append(v.Notes, fmt.Sprintf("%s: %s of %s with a debit date from %s were paid and are still paid.",
			words.Method(k.Method), words.Share(report.Ratio(k.Paid, k.Answered)), plural.Of(k.Answered, "debit"),
			daysText(o.From, o.To)))
	}
	for _, d := range o.Days {
		if !d.Known {
			v.Unknown = fmt.Sprintf("There are too few answered debits yet to judge by: it takes %d. Until then only what is "+
				"planned is known.", estimate.Enough)
		}
	}
	if o.Tested > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("Tried on the past: on %d of the last %s with debits, what came in lay "+
			"within the range that the days before would have given.", o.Held, plural.Of(int64(o.Tested), "day")))
	} else {
		v.Notes = append(v.Notes, "It cannot be tried on the past yet: there are too few days with debits.")
	}
	if !o.MoreFrom.IsZero() {
		v.Notes = append(v.Notes, "From "+words.DayTime(o.MoreFrom).Text+" on there may be more subscriptions to bill.")
	}
}

func expected(o analysis.Outlook, days int) components.Stat {
	planned, bills, band := o.Sum(days)
	last := o.Days[days-1].Date
	s := components.Stat{Label: fmt.Sprintf("Next %d days", days), Value: words.Sum(band.Expected, money.ZAR),
		Note: fmt.Sprintf("%s to %s, of %s (%s)", words.Sum(band.Low, money.ZAR), words.Sum(band.High, money.ZAR),
			words.Sum(planned.Cents+bills.Cents, money.ZAR), plural.Of(planned.N, "planned debit"))}
	if band == (estimate.Band{}) {
		s.Value, s.Note = "–", words.Sum(planned.Cents+bills.Cents, money.ZAR)+" is planned; there is too little to judge by"
	}
	if planned.N > 0 {
		s.Href = listOf(analysis.Question{}, "open", o.Days[0].Date, last)
		s.Total = components.TotalOf(planned.N, planned.Cents)
	}
	return s
}

func byDay(o analysis.Outlook) *components.BarChart {
	c := &components.BarChart{Title: "Expected by day", ID: "coming", Head: "Day",
		Series: []string{"At least, in 9 of 10 cases", "In doubt"}}
	largest := int64(0)
	for _, d := range o.Days {
		b := components.ChartBar{Label: words.Glue(d.Date.Format("Mon 2 Jan")),
			Values: []int64{d.Band.Low, d.Band.High - d.Band.Low},
			Texts: []string{words.Sum(d.Band.Low, money.ZAR), "up to " + words.Sum(d.Band.High, money.ZAR) + ", expected " +
				words.Sum(d.Band.Expected, money.ZAR)},
			Short: []string{words.Short(d.Band.Expected)}}
		if d.Planned.N > 0 {
			b.Href = listOf(analysis.Question{}, "open", d.Date, d.Date)
		}
		if !d.Known {
			b.Texts = []string{"cannot say", "up to " + words.Sum(d.Planned.Cents+d.Bills.Cents, money.ZAR)}
		}
		largest = max(largest, d.Band.High)
		c.Bars = append(c.Bars, b)
	}
	if largest == 0 {
		return nil
	}
	c.Ticks = words.RandTicks(largest)
	c.XLabels = words.Ends(len(o.Days), func(n int) string { return o.Days[n].Date.Format("2 Jan") })
	return c
}
