package reports

import (
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/analysis"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/savedreport"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Debits serves GET /reports/debits.
func (h *Reports) Debits(c echo.Context) error { return h.debitsPage(c, nil, nil) }

// debitsPage shows how debits went, and the form that saves the question; refused with what was wrong in it.
func (h *Reports) debitsPage(c echo.Context, form url.Values, refused error) error {
	who := access.Actor(c)
	if err := who.May(actor.Read); err != nil {
		return err
	}
	brands, err := h.Brands.Brands(c.Request().Context(), who.MerchantID)
	if err != nil {
		return err
	}
	v := pages.DebitsReport{}
	q, than := h.debitsAsked(c, &v, brands)
	v.Save = h.saveForm(q, than, form, refused)
	p, err := h.Analysis.Look(c.Request().Context(), who, q, than.Of(q))
	status := kit.StatusOf(refused)
	if kit.MayShow(err) {
		wrong, summary, _ := kit.Problems(err)
		v.From.Error, v.To.Error, v.Problems.Items, status = wrong["from"], wrong["to"], summary, kit.StatusOf(err)
		v.None, v.Empty = true, components.Empty{Icon: "calendar", Title: "Choose other days", Text: sentence(err)}
		err = nil
	} else if err == nil {
		err = h.Pictures.draw(c.Request().Context(), who, p, brands, &v)
	}
	if err != nil {
		return err
	}
	return h.Desk.ShowIn(c, status, "How debits went", reportsSection,
		func(f layout.Frame) templ.Component { return pages.DebitsWent(f, v) })
}

// debitsAsked reads the period, this month and the two before unless the address names days, and what narrows it.
func (h *Reports) debitsAsked(c echo.Context, v *pages.DebitsReport, brands []merchant.Brand) (q analysis.Question,
	than savedreport.Than) {
	today := calendar.DateOf(h.Desk.Now())
	q.From, q.To = h.between(c, &v.From, &v.To, calendar.On(today.Year, today.Month-2, 1), today)
	if m := bank.Method(c.QueryParam("method")); m == bank.EFT || m == bank.DebiCheck {
		q.Method = m
	}
	v.Method = components.Select{Label: "Method", Name: "method", Blank: "Any method", Width: "m", Quiet: true}
	for _, m := range []bank.Method{bank.EFT, bank.DebiCheck} {
		v.Method.Options = append(v.Method.Options, components.Option{Value: string(m), Text: words.Method(m),
			Selected: q.Method == m})
	}
	if len(brands) > 1 {
		v.Brand = components.Select{Label: "Brand", Name: "brand", Blank: "Any brand", Width: "m", Quiet: true}
		for _, b := range brands {
			chosen := c.QueryParam("brand") == b.ID.String()
			if chosen {
				q.BrandID = b.ID
			}
			v.Brand.Options = append(v.Brand.Options, components.Option{Value: b.ID.String(), Text: b.Name, Selected: chosen})
		}
	}
	if than = savedreport.Than(c.QueryParam("than")); !slices.Contains(savedreport.Thans, than) {
		than = savedreport.Before
	}
	v.Than = components.Select{Label: "Compare with", Name: "than", Width: "m", Quiet: true}
	for _, t := range savedreport.Thans {
		v.Than.Options = append(v.Than.Options, components.Option{Value: string(t), Text: thanWords[t], Selected: than == t})
	}
	return q, than
}

// thanWords say with what a period is compared.
var thanWords = map[savedreport.Than]string{savedreport.Before: "The days before", savedreport.Year: "A year earlier",
	savedreport.Nothing: "Nothing"}

// listOf is the list of the debits of a question that went so. More narrows it.
func listOf(q analysis.Question, outcome string, from, to calendar.Date, more ...string) string {
	query := url.Values{"debit_from": {from.String()}, "debit_to": {to.String()}, "outcome": {outcome}}
	if q.Method != "" {
		query.Set("method", string(q.Method))
	}
	if q.BrandID != uuid.Nil {
		query.Set("brand", q.BrandID.String())
	}
	for i := 0; i+1 < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return kit.Address("/purchases/debits", query)
}

// daysText says a period: "1 Oct to 27 Nov 2026".
func daysText(from, to calendar.Date) string {
	if from == to {
		return words.DayTime(from).Text
	}
	if from.Year == to.Year {
		return words.Glue(from.Format("2 Jan")) + " to " + words.DayTime(to).Text
	}
	return words.DayTime(from).Text + " to " + words.DayTime(to).Text
}

// spanName names a bar.
func spanName(s analysis.Span, weekly bool) string {
	if weekly {
		return daysText(s.From, s.To)
	}
	return s.From.Format("January 2006")
}

func monthName(m calendar.Date) string { return m.Format("Jan 2006") }

// sentence is a refusal for a person.
func sentence(err error) string {
	f, _ := fault.From(err)
	return f.Words()
}
