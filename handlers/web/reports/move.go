package reports

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/analysis"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/estimate"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/models/selection"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const (
	movePath = "/reports/coming/move"
	// partMoves is how many debits are looked at together.
	partMoves = 200
)

// MoveHref is the page that tells what selected debits would bring on another day.
func MoveHref(sel selection.Selection) string {
	return kit.Address(movePath, url.Values{kit.SelectionKey: {sel.ID.String()}})
}

// Move serves GET /reports/coming/move?selection=…&day=2026-12-28. It moves nothing.
func (h *Reports) Move(c echo.Context) error {
	v := pages.MoveReport{Head: components.PageHead{Title: "What if on another day?",
		Sub: "Nothing is moved here.", Back: components.Link{Text: "Debits", Href: "/purchases/debits"}},
		Day: components.DateField{Label: "Another day", Name: "day", Value: c.QueryParam("day"), Required: true,
			Min: calendar.DateOf(h.Desk.Now()).AddDays(1).String()}}
	status := http.StatusOK
	switch err := h.moved(c, &v); {
	case kit.MayShow(err):
		wrong, _, _ := kit.Problems(err)
		v.Day.Error, status = wrong["day"], kit.StatusOf(err)
	case err != nil:
		return err
	}
	return h.Desk.ShowIn(c, status, v.Head.Title, reportsSection,
		func(f layout.Frame) templ.Component { return pages.WhatIf(f, v) })
}

// moved reads the selection and the day, and draws what follows from them.
func (h *Reports) moved(c echo.Context, v *pages.MoveReport) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	id, err := uuid.Parse(c.QueryParam(kit.SelectionKey))
	if err != nil {
		v.None, v.Empty = true, components.Empty{Icon: "calendar", Title: "No debits are selected",
			Text:   "Select planned debits in the list, and press “What if on another day?”.",
			Action: components.Button{Label: "Planned debits", Href: "/purchases/debits?outcome=open"}}
		return nil //nolint:nilerr // the person is told
	}
	sel, err := h.Selections.Get(ctx, who, id)
	if err != nil {
		return err
	}
	if sel.List != "debits" {
		return fault.Missing()
	}
	query := url.Values{}
	for name, value := range sel.Query {
		query.Set(name, value)
	}
	v.Selection = sel.ID.String()
	v.Head.Back.Href = kit.WithSelection(kit.Address("/purchases/debits", query), v.Selection)
	v.Head.Sub = plural.Of(sel.N, "debit") + " selected. Nothing is moved here."
	if v.Day.Value == "" {
		return nil
	}
	day, err := calendar.ParseDate(v.Day.Value)
	if err != nil {
		return fault.At("day", "invalid", "Write a date.")
	}
	debits, err := h.planned(c, sel, day, v)
	if err != nil || len(debits) == 0 {
		return err
	}
	m, err := h.Analysis.MovingThese(ctx, who, debits, day)
	if err == nil {
		drawMove(m, v)
	}
	return err
}

// planned are the selected debits that could run on a day, in the order of their days; it notes why others could not.
func (h *Reports) planned(c echo.Context, sel selection.Selection, day calendar.Date,
	v *pages.MoveReport) (out []analysis.PlannedDebit, err error) {
	var whys []string
	not := map[string]int64{}
	for part := range slices.Chunk(sel.Chosen(), partMoves) {
		ids := make([]uuid.UUID, len(part))
		for i, row := range part {
			ids[i] = row.ID
		}
		moves, err := h.Purchases.MovesTo(c.Request().Context(), access.Actor(c), ids, day)
		if err != nil {
			return nil, err
		}
		for _, m := range moves {
			if m.Why == "" && m.Currency == money.ZAR {
				out = append(out, analysis.PlannedDebit{On: m.Collection.ActionDate, Cents: m.Collection.AmountCents})
				continue
			}
			if m.Why == "" {
				m.Why = "It is not in rands."
			}
			if not[m.Why]++; not[m.Why] == 1 {
				whys = append(whys, m.Why)
			}
		}
	}
	slices.Sort(whys)
	for _, why := range whys {
		v.Not = append(v.Not, pages.MoveNot{Count: plural.Of(not[why], "debit"), Text: why})
	}
	slices.SortStableFunc(out, func(a, b analysis.PlannedDebit) int { return a.On.Compare(b.On) })
	return out, nil
}

func drawMove(m analysis.MovingThese, v *pages.MoveReport) {
	v.Sides = []pages.MoveSide{moveSide("As planned", m, m.Stay), moveSide("On the other day", m, m.Move)}
	switch {
	case !m.Stay.Known || !m.Move.Known:
		v.Verdict = fmt.Sprintf("Not enough cases: it takes %d answered debits on each day of the month.", estimate.Enough)
	case !m.Differs():
		v.Verdict = "The ranges overlap: the past does not show that one brings more than the other."
	case m.Move.Band.Low > m.Stay.Band.High:
		v.Verdict = "Debits of that day of the month were paid more often, by more than chance explains."
	default:
		v.Verdict = "Debits of that day of the month were paid less often, by more than chance explains."
	}
	v.Notes = []string{"Counted are your EFT debits with a debit date from " + daysText(m.From, m.To) +
		", by the day of the month on which they ran. Newer ones can still be returned.",
		"They were debits of other clients too. How these clients would pay on another day, no past debit says.",
		"Clients can move a debit on their own page, where you allow it."}
}

func moveSide(title string, m analysis.MovingThese, s analysis.Side) pages.MoveSide {
	out := pages.MoveSide{Title: title, N: words.Grouped(s.N), Cents: words.Sum(s.Cents, money.ZAR), Likely: "–",
		Range: "Cannot say"}
	if s.Known {
		out.Likely = words.Sum(s.Band.Expected, money.ZAR)
		out.Range = words.Sum(s.Band.Low, money.ZAR) + " to " + words.Sum(s.Band.High, money.ZAR)
	}
	q := analysis.Question{Method: bank.EFT}
	for _, d := range s.Days {
		one := pages.MoveDay{Day: words.DayTime(d.Date).Text, N: words.Grouped(d.N), Cents: words.Sum(d.Cents, money.ZAR),
			Share: "–", Range: "Too few", History: components.Figure{Text: fmt.Sprintf("of %s on day %d",
				plural.Of(d.Answered, "debit"), d.Date.Day)}}
		if d.Answered > 0 {
			one.History.Href = listOf(q, "answered", m.From, m.To, "month_day", fmt.Sprint(d.Date.Day))
		}
		if d.Enough() {
			one.Share = words.Share(report.Ratio(d.Paid, d.Answered))
			one.Range = words.Range(d.Range())
		}
		out.Days = append(out.Days, one)
	}
	return out
}
