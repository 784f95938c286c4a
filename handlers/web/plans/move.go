package plans

import (
	"cmp"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/plan"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// behind says on the page of a plan what goes on by earlier versions.
func behind(who actor.Actor, p plan.Plan, n int64, v *pages.FailurePlanView) {
	if n == 0 || p.State == plan.Ended {
		return
	}
	v.Behind = plural.Of(n, "purchase") + " " + plural.Pick(n, "goes", "go") + " on by an earlier version."
	if who.Can(actor.Manage) {
		v.Move = components.Button{Label: "Move to version " + plural.Number(p.Version) + "…", Href: pathOf(p.ID, "moving"),
			Changes: true}
	}
}

// nothingYet is what comes next while a purchase is held, or is with a person.
const nothingYet = "Nothing until that is over"

// AskMove serves GET /plans/:id/moving: what would follow if all that is under way went on by the present version.
func (h *Plans) AskMove(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	m, err := h.Service.MovePreview(ctx, who, p.ID)
	if err != nil {
		return err
	}
	v := pages.PlanMoveView{Head: components.PageHead{Title: "Move to version " + plural.Number(p.Version),
		Sub:  "What the plan “" + p.Name + "” follows by earlier versions goes on by the present one.",
		Back: components.Link{Text: p.Name, Href: pathOf(p.ID)}}}
	if m.All > 0 && p.State != plan.Ended {
		foreseen(m, &v)
		were, err := h.rows(ctx, who, m.Were)
		if err != nil {
			return err
		}
		for i, is := range m.Rows {
			next := next(is)
			if _, left := is.Next(); !left && is.State != plan.Waiting {
				next = "The plan ends once it goes on."
			}
			v.Rows = append(v.Rows, pages.PlanMoveRow{Name: were[i].Name, Href: were[i].Href, State: were[i].State,
				Was: cmp.Or(were[i].Next, nothingYet), Is: cmp.Or(next, nothingYet)})
		}
		if n := int64(len(v.Rows)); m.All > n {
			v.More = "These are " + plural.Number(n) + " of " + plural.Number(m.All) + "."
		}
	}
	return h.Desk.ShowIn(c, 200, v.Head.Title, section,
		func(f layout.Frame) templ.Component { return pages.PlanMove(f, v) })
}

// foreseen are the figures of a move, and the question.
func foreseen(m plan.Moving, v *pages.PlanMoveView) {
	v.Figures.Wide = true
	fact := func(label string, n int64) {
		v.Figures.Items = append(v.Figures.Items, components.Fact{Label: label, Value: plural.Number(n)})
	}
	fact("Purchases that move", m.All)
	for _, a := range m.Ahead {
		label := "No step is left, and the plan ends"
		if a.Next != "" {
			label = "Next: " + a.Next.Label()
		}
		switch a.State {
		case plan.Held:
			label += " (held until then)"
		case plan.WithPerson:
			label += " (once a person lets it go on)"
		case plan.Waiting, plan.Over:
		}
		fact(label, a.N)
	}
	number := plural.Number(m.Plan.Version)
	v.Ask = components.Confirm{ID: "move", Title: "Move " + plural.Of(m.All, "purchase") + " to version " + number + "?",
		Text: "No step is taken twice: each purchase goes on after the last step already taken. What a person holds " +
			"stays held. A move cannot be undone.",
		Action: pathOf(m.Plan.ID, "moving"), CancelHref: pathOf(m.Plan.ID), Keep: "Keep the earlier versions",
		Button: "Move to version " + number, Safe: true,
		Fields: []components.Pair{{Name: "version", Value: strconv.Itoa(m.Plan.Version)}}}
	if n := m.Ends(); n > 0 {
		v.Ask.Breaks = []string{"For " + plural.Of(n, "purchase") +
			" no step is left: the plan ends, and a person takes over."}
	}
}

// Move serves POST /plans/:id/moving.
func (h *Plans) Move(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	seen, _ := strconv.Atoi(form.Get("version")) // what is no number is no version, and refused
	n, left, err := h.Service.Move(c.Request().Context(), access.Actor(c), p.ID, seen)
	if kit.MayShow(err) {
		return access.RedirectWithFlash(c, "bad", err.Error(), pathOf(p.ID, "moving"))
	}
	if err != nil {
		return err
	}
	said, at := plural.Of(n, "purchase")+" moved.", pathOf(p.ID)
	if left > 0 {
		said, at = said+" "+plural.Of(left, "purchase")+" "+plural.Pick(left, "is", "are")+
			" left. Move again.", pathOf(p.ID, "moving")
	}
	return access.RedirectWithFlash(c, "ok", said, at)
}
