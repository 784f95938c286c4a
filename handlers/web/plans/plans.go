// Package plans serves the plans for debits that fail: the list, their forms and pages, and what a plan does about one
// purchase.
package plans

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/merchant"
	"debitdesk/models/plan"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Plans serves the pages of plans.
type Plans struct {
	Desk      *kit.Desk
	Service   *plan.Service
	Purchases *purchase.Service
	Brands    merchant.Store
	Templates subscription.Store
}

const (
	section = "plans"
	path    = "/plans"
)

func pathOf(id uuid.UUID, rest ...string) string {
	at := path + "/" + id.String()
	for _, r := range rest {
		at += "/" + r
	}
	return at
}

var pills = map[plan.State]string{plan.Active: "done", plan.Paused: "wait", plan.Ended: "draft"}

func pill(p plan.Plan) components.Pill {
	return components.Pill{Kind: pills[p.State], Word: p.State.Label()}
}

// List serves GET /plans.
func (h *Plans) List(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	all, err := h.Service.Store.Plans(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	under, err := h.Service.Store.UnderWayOf(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	versions, err := h.Service.Store.Current(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	names, err := h.names(ctx, who.MerchantID, all...)
	if err != nil {
		return err
	}
	v := pages.PlansView{}
	if who.Can(actor.Manage) {
		v.New = components.Button{Label: "New plan", Icon: "plus", Href: path + "/new", Changes: true}
	}
	for _, p := range all {
		v.Rows = append(v.Rows, pages.PlanRow{Name: p.Name, Href: pathOf(p.ID), For: names.of(p),
			UnderWay: plural.Number(under[p.ID]), Sentence: versions[p.ID].Steps.Sentence(plan.Money), Pill: pill(p)})
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Plans", section,
		func(f layout.Frame) templ.Component { return pages.Plans(f, v) })
}

// names are what brands and templates are called.
type names struct{ brands, templates map[uuid.UUID]string }

func (h *Plans) names(ctx context.Context, merchantID uuid.UUID, all ...plan.Plan) (names, error) {
	n := names{map[uuid.UUID]string{}, map[uuid.UUID]string{}}
	brands, err := h.Brands.Brands(ctx, merchantID)
	if err != nil {
		return n, err
	}
	for _, b := range brands {
		n.brands[b.ID] = b.Name
	}
	var ids []uuid.UUID
	for _, p := range all {
		if p.TemplateID != uuid.Nil {
			ids = append(ids, p.TemplateID)
		}
	}
	if len(ids) == 0 {
		return n, nil
	}
	found, err := h.Templates.TemplatesByID(ctx, merchantID, ids)
	for _, t := range found {
		n.templates[t.ID] = t.Title
	}
	return n, err
}

// of says for what a plan answers.
func (n names) of(p plan.Plan) string {
	text := "All brands"
	if p.BrandID != uuid.Nil {
		text = n.brands[p.BrandID]
	}
	if p.TemplateID == uuid.Nil {
		return text
	}
	title := n.templates[p.TemplateID]
	if title == "" {
		title = "a deleted template"
	}
	return text + ", " + title
}

const shown = 50

// Show serves GET /plans/:id.
func (h *Plans) Show(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	versions, err := h.Service.Store.Versions(ctx, who.MerchantID, p.ID)
	if err != nil {
		return err
	}
	names, err := h.names(ctx, who.MerchantID, p)
	if err != nil {
		return err
	}
	v := pages.FailurePlanView{Head: components.PageHead{Title: p.Name, Sub: names.of(p),
		Back: components.Link{Text: "Plans", Href: path}}, Pill: pill(p)}
	for _, one := range versions {
		row := pages.PlanVersionRow{Title: "Version " + plural.Number(one.N), Current: one.N == p.Version,
			By: one.CreatedBy + ", " + words.SayMoment(one.CreatedAt)}
		sentences := sentences(one.Steps)
		if row.Current {
			v.Sentences, v.Notes = sentences, h.Service.Notes(one.Steps)
		} else {
			row.Sentences = sentences
		}
		v.Versions = append(v.Versions, row)
	}
	h.acts(who, p, &v)
	if err := h.figures(ctx, who, p, &v); err != nil {
		return err
	}
	if err := h.compared(ctx, who, p, &v); err != nil {
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, p.Name, section,
		func(f layout.Frame) templ.Component { return pages.FailurePlan(f, v) })
}

func sentences(steps plan.Steps) (out []string) {
	for _, b := range plan.Branches {
		out = append(out, steps.Sentence(b))
	}
	return out
}

// acts are what an admin can do with a plan.
func (h *Plans) acts(who actor.Actor, p plan.Plan, v *pages.FailurePlanView) {
	v.Links = append(v.Links, components.Button{Label: "Rehearse on past failures", Href: pathOf(p.ID, "rehearsal")})
	if !who.Can(actor.Manage) {
		return
	}
	v.Links = append(v.Links, components.Button{Label: "Copy plan", Href: path + "/new?copy=" + p.ID.String(),
		Changes: true})
	if p.State == plan.Ended {
		return
	}
	v.Head.Primary = components.Button{Label: "Change plan", Href: pathOf(p.ID, "edit"), Changes: true}
	v.Action = pathOf(p.ID, "state")
	v.Acts = components.Pair{Name: string(plan.Paused), Value: "Pause plan"}
	if p.State == plan.Paused {
		v.Acts = components.Pair{Name: string(plan.Active), Value: "Let the plan go on"}
	}
	v.Links = append(v.Links, components.Button{Label: "End plan…", Href: pathOf(p.ID, "ending"), Changes: true})
}

// figures count what a plan has done, and list what is under way.
func (h *Plans) figures(ctx context.Context, who actor.Actor, p plan.Plan, v *pages.FailurePlanView) error {
	n, err := h.Service.Store.Count(ctx, who.MerchantID, p.ID)
	if err != nil {
		return err
	}
	v.Figures = components.Facts{Wide: true, Items: []components.Fact{
		{Label: "Waiting for their next step", Value: plural.Number(n.Waiting)},
		{Label: "Held", Value: plural.Number(n.Held)},
		{Label: "With a person", Value: plural.Number(n.WithPerson)},
		{Label: "Ended", Value: plural.Number(n.Ended)},
		{Label: "Ended because they were paid", Value: plural.Number(n.Paid)},
		{Label: "Debits that the plan made", Value: plural.Number(n.Debits)},
		{Label: "Mails that the plan sent", Value: plural.Number(n.Mails)},
		{Label: "Steps that a rule refused", Value: plural.Number(n.Refused)},
	}}
	runs, err := h.Service.Store.UnderWay(ctx, who.MerchantID, p.ID, shown)
	if err != nil {
		return err
	}
	ahead, err := h.Service.Outlooks(ctx, who.MerchantID, runs)
	if err != nil {
		return err
	}
	rows, err := h.rows(ctx, who, ahead)
	if err != nil {
		return err
	}
	v.Runs = rows
	behind(who, p, n.Behind, v)
	if all := n.Waiting + n.Held + n.WithPerson; all > int64(len(rows)) {
		v.More = "These are " + plural.Number(len(rows)) + " of " + plural.Number(all) + "."
	}
	return nil
}

func (h *Plans) rows(ctx context.Context, who actor.Actor, ahead []plan.Outlook) (out []pages.PlanRunRow, err error) {
	ids := make([]uuid.UUID, len(ahead))
	for i, o := range ahead {
		ids[i] = o.PurchaseID
	}
	recs, err := h.Purchases.Several(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	called := map[uuid.UUID]string{}
	for _, rec := range recs {
		called[rec.ID] = words.Reference(rec.Purchase) + ", " + words.PayerName(rec.Purchase)
	}
	for _, o := range ahead {
		out = append(out, pages.PlanRunRow{Name: called[o.PurchaseID], Href: words.PurchasePath(o.PurchaseID) + "#plan",
			Cause: o.Cause.Label(), State: o.Standing(), Next: next(o)})
	}
	return out, nil
}

func (h *Plans) find(c echo.Context) (plan.Plan, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return plan.Plan{}, err
	}
	return h.Service.Store.Plan(c.Request().Context(), access.Actor(c).MerchantID, id)
}

// SetState serves POST /plans/:id/state: it pauses a plan, or lets it go on.
func (h *Plans) SetState(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	to, said := plan.Active, "The plan goes on."
	if form.Get("state") == string(plan.Paused) {
		to, said = plan.Paused, "The plan is paused. What is under way rests until it goes on."
	}
	return h.turn(c, p, to, said)
}

func (h *Plans) turn(c echo.Context, p plan.Plan, to plan.State, said string) error {
	_, err := h.Service.SetState(c.Request().Context(), access.Actor(c), p.ID, to)
	if kit.MayShow(err) {
		return access.RedirectWithFlash(c, "bad", err.Error(), pathOf(p.ID))
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", said, pathOf(p.ID))
}

// AskEnd serves GET /plans/:id/ending.
func (h *Plans) AskEnd(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	n, err := h.Service.Store.Count(c.Request().Context(), access.Actor(c).MerchantID, p.ID)
	if err != nil {
		return err
	}
	under := n.Waiting + n.Held + n.WithPerson
	ask := components.Confirm{ID: "end", Title: "End the plan “" + p.Name + "”?", Button: "End plan", Keep: "Keep plan",
		Text:   "It answers to no further debit that fails, and cannot begin again. Debits that are planned already stay.",
		Action: pathOf(p.ID, "ending"), CancelHref: pathOf(p.ID)}
	if under > 0 {
		ask.Breaks = []string{plural.Of(under, "purchase") + " that it follows " + plural.Pick(under, "waits", "wait") +
			" for a person from now on."}
	}
	return h.Desk.ShowIn(c, http.StatusOK, ask.Title, section,
		func(f layout.Frame) templ.Component { return pages.Ask(f, ask) })
}

// End serves POST /plans/:id/ending.
func (h *Plans) End(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	return h.turn(c, p, plan.Ended, "The plan has ended.")
}
