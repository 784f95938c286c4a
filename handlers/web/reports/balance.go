package reports

import (
	"context"
	"strconv"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// asOf reads the day at whose end the balance is looked at: today, which is now, unless the address names an
// earlier one.
func (h *Reports) asOf(c echo.Context, v *pages.ReportsView) calendar.Date {
	now := h.Desk.Now()
	today := calendar.DateOf(now)
	day, text := today, c.QueryParam("as_of")
	v.AsOf = components.DateField{Label: "Balance at the end of", Name: "as_of", Value: today.String(),
		Max: today.String(), Required: true}
	if text != "" {
		asked, err := calendar.ParseDate(text)
		switch {
		case err != nil || asked.Year < 1:
			v.AsOf.Value, v.AsOf.Error = text, "Enter a day such as "+today.AddDays(-1).String()+". This is the balance now."
		case asked.After(today):
			v.AsOf.Value, v.AsOf.Error = text, "That day is not over yet. This is the balance now."
		default:
			day, v.AsOf.Value = asked, text
		}
	}
	v.BalanceTitle, v.BalanceSub = "Balance now", "as of "+now.In(calendar.SAST).Format(words.MinuteForm)+" SAST"
	if day != today {
		v.BalanceTitle = "Balance at the end of " + words.DayTime(day).Text
		v.BalanceSub = "what was booked by then; what was booked later for an earlier day counts on the day it was booked"
	}
	return day
}

// balanceFigures are the parts of the balance, each with the rows it is made of.
func (h *Reports) balanceFigures(ctx context.Context, who actor.Actor, b report.Balance, currency string,
	asOf calendar.Date) ([]components.Stat, error) {
	all, err := h.Money.SumMovements(ctx, who, report.MovementFilter{To: asOf, Currency: currency})
	if err != nil {
		return nil, err
	}
	part := func(label, note string, p report.Part, cents money.Sum) components.Stat {
		return components.Stat{Label: label, Value: words.SumOf(cents, currency), Note: note,
			Href: partHref(p, asOf, currency), Total: components.Total{Cents: cents.String()}}
	}
	return []components.Stat{
		{Label: "Balance", Value: words.SumOf(b.NetCents(), currency),
			Note: "all that came in, less all that went back, in " + plural.Of(all.N, "movement"),
			Href: MovementsHref("", calendar.Date{}, asOf, currency), Total: totalOf(all.N, b.NetCents())},
		part(partWords[report.Returnable], "debits whose return window is open", report.Returnable, b.ReservedCents),
		part(partWords[report.Owed], "refunds that are not paid out yet", report.Owed, b.OwedCents),
		{Label: "Available", Value: words.SumOf(b.AvailableCents(), currency),
			Note: "the balance less the two beside it; some of it can still be disputed"},
	}, nil
}

func totalOf(n int64, cents money.Sum) components.Total {
	return components.Total{Count: strconv.FormatInt(n, 10), Cents: cents.String()}
}
