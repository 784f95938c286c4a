package reports

import (
	"fmt"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/analysis"
	"debitdesk/models/calendar"
	"debitdesk/models/estimate"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// moving answers what would be if the debits of a day had another: where the address asks it.
func (h *Reports) moving(c echo.Context, v *pages.ComingReport) error {
	today := calendar.DateOf(h.Desk.Now())
	from, to := c.QueryParam("from"), c.QueryParam("to")
	v.MoveFrom = components.DateField{Label: "Debits planned for", Name: "from", Value: from, Min: today.String(),
		Required: true}
	v.MoveTo = components.DateField{Label: "If they moved to", Name: "to", Value: to, Min: today.String(),
		Required: true}
	if from == "" && to == "" {
		return nil
	}
	var wrong fault.Problems
	days := map[string]calendar.Date{}
	for name, text := range map[string]string{"from": from, "to": to} {
		day, err := calendar.ParseDate(text)
		if err != nil {
			wrong.Add(name, "invalid", "Enter a day such as %s.", today.AddDays(1))
		}
		days[name] = day
	}
	err := wrong.Err()
	var m analysis.Moving
	if err == nil {
		m, err = h.Analysis.Moving(c.Request().Context(), access.Actor(c), days["from"], days["to"])
	}
	if kit.MayShow(err) {
		byInput, _, _ := kit.Problems(err)
		v.MoveFrom.Error, v.MoveTo.Error = byInput["from"], byInput["to"]
		return nil
	}
	if err != nil {
		return err
	}
	if m.Planned.N == 0 {
		v.MoveText = "No debit is planned for " + words.DayTime(m.From).Text + "."
		return nil
	}
	v.Moves = []components.Stat{movingStat(m, m.Stay, m.From, "If they stay on "), movingStat(m, m.Move, m.To,
		"If they move to ")}
	v.Moves[0].Href, v.Moves[0].Total = listOf(analysis.Question{}, "open", m.From, m.From),
		components.TotalOf(m.Planned.N, m.Planned.Cents)
	v.MoveText = movingWords(m)
	return nil
}

func movingStat(m analysis.Moving, d analysis.DayOfMonth, day calendar.Date, label string) components.Stat {
	s := components.Stat{Label: label + words.DayTime(day).Text, Value: "–"}
	if !d.Known {
		s.Note = fmt.Sprintf("not enough cases: %s on day %d of the month; it takes %d", plural.Of(d.Answered, "debit"),
			day.Day, estimate.Enough)
		return s
	}
	s.Value = words.Sum(d.Band.Expected, money.ZAR)
	s.Note = fmt.Sprintf("%s to %s of %s; of %s on day %d of the month %s were paid (%s)",
		words.Sum(d.Band.Low, money.ZAR), words.Sum(d.Band.High, money.ZAR), words.Sum(m.Planned.Cents, money.ZAR),
		plural.Of(d.Answered, "debit"), day.Day, words.Share(report.Ratio(d.Paid, d.Answered)), words.Range(d.Range()))
	return s
}

// movingWords say what the past supports, and no more.
func movingWords(m analysis.Moving) string {
	switch {
	case !m.Stay.Known || !m.Move.Known:
		return "The past does not say whether the other day is better."
	case !m.Differs():
		return "The two days do not differ by more than chance."
	case m.Move.Share() > m.Stay.Share():
		return "Debits of the last year were paid more often on the other day, by more than chance. That does not say " +
			"that these clients would pay so."
	}
	return "Debits of the last year were paid less often on the other day, by more than chance."
}
