package plans

import (
	"maps"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/plan"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// daysBack is how far a rehearsal goes back when no day was chosen.
const daysBack = 60

// listed is how many steps a rehearsal shows.
const listed = 300

// Rehearse serves GET /plans/:id/rehearsal: what the plan would have done, had it run since a day.
func (h *Plans) Rehearse(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	since, text, wrong := calendar.DateOf(h.Service.Now()).AddDays(-daysBack), kit.PlainText(c.QueryParam("since")), ""
	if text == "" {
		text = since.String()
	} else if since, err = calendar.ParseDate(text); err != nil {
		wrong = "Write the day as 2026-09-01."
	}
	v := pages.PastPlanView{Head: components.PageHead{Title: "Rehearsal of “" + p.Name + "”",
		Sub:  "What the plan would have done, had it run since then. Nothing is written, debited or sent.",
		Back: components.Link{Text: p.Name, Href: pathOf(p.ID)}}, Action: pathOf(p.ID, "rehearsal")}
	var r plan.Rehearsal
	if wrong == "" {
		r, err = h.Service.Rehearse(c.Request().Context(), access.Actor(c), p.ID, since)
		if byInput, _, invalid := kit.Problems(err); invalid {
			wrong, err = byInput["since"], nil
		}
		if err != nil {
			return err
		}
	}
	v.Since = components.DateField{Label: "Since", Name: "since", Value: text, Error: wrong, Required: true}
	if wrong == "" {
		rehearsed(&v, r)
	}
	return h.Desk.ShowIn(c, 200, v.Head.Title, section,
		func(f layout.Frame) templ.Component { return pages.PastPlan(f, v) })
}

func rehearsed(v *pages.PastPlanView, r plan.Rehearsal) {
	done, refused := map[plan.Kind]int{}, map[string]int{}
	for _, s := range r.Steps {
		switch s.What {
		case plan.Done:
			done[s.Kind]++
		case plan.Refused:
			refused[s.Why]++
		case plan.Skipped:
		}
	}
	v.Figures.Wide = true
	fact := func(label, value string) {
		v.Figures.Items = append(v.Figures.Items, components.Fact{Label: label, Value: value})
	}
	fact("Failed debits that the plan would have answered to", plural.Number(r.Failures))
	for _, k := range plan.Kinds {
		if done[k] > 0 {
			fact(k.Label(), plural.Number(done[k]))
		}
	}
	for _, why := range slices.Sorted(maps.Keys(refused)) {
		fact("Refused: "+why, plural.Number(refused[why]))
	}
	meant(v, r, fact)
	if r.Left {
		v.More = "The rehearsal looked at the " + plural.Number(plan.AtOnce) + " purchases that failed last."
	}
	for i, s := range r.Steps {
		if i == listed {
			v.More += " The first " + plural.Number(listed) + " of " + plural.Of(len(r.Steps), "step") + " are listed."
			break
		}
		row := pages.RehearsedRow{Date: s.On.Format("Mon 2 Jan 2006"), Client: s.Client,
			Href: words.PurchasePath(s.Run.PurchaseID), Step: plural.Number(s.N) + ". " + s.Kind.Label(),
			Outcome: s.What.Label(), Why: s.Why, Rule: s.Rules}
		if s.What == plan.Done && s.Kind == plan.DebitAgain {
			row.Why = money.Format(s.Cents, money.ZAR) + " on " + s.Debit.Format("Mon 2 Jan 2006")
		}
		v.Rows = append(v.Rows, row)
	}
}
