package plans

import (
	"context"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/plan"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// next says what a plan does next for a purchase.
func next(o plan.Outlook) string {
	step, left := o.Next()
	if !left || o.State != plan.Waiting {
		if o.State == plan.Held && !o.HeldUntil.IsZero() {
			return "Continues automatically on " + o.HeldUntil.Format("Mon 2 Jan 2006") + "."
		}
		return ""
	}
	if o.Plan.State == plan.Paused {
		return "The plan is paused."
	}
	text := step.Short()
	switch m := o.Move; m.What {
	case plan.Rest:
		if !m.On.IsZero() {
			return text + " on " + m.On.Format("Mon 2 Jan 2006") + ", planned on " + words.SayMoment(m.At) + "."
		}
		return text + ", until " + words.SayMoment(m.At) + "."
	case plan.Refuse, plan.Skip:
		return text + " will be left out: " + m.Why
	case plan.Hold:
		return "Waits: the client promised to pay, or a debit is under way."
	case plan.End:
		return "The plan ends."
	case plan.Act, plan.Hand:
	}
	return text + ", at once."
}

// Panel shows what a plan does about a purchase, and names the plan that is at work on it; nil when no plan follows it,
// nor did.
func (h *Plans) Panel(ctx context.Context, who actor.Actor, purchaseID uuid.UUID) (templ.Component, string, error) {
	runs, err := h.Service.Store.RunsOf(ctx, who.MerchantID, purchaseID)
	if err != nil || len(runs) == 0 {
		return nil, "", err
	}
	r := runs[0]
	ahead, err := h.Service.Outlooks(ctx, who.MerchantID, runs[:1])
	if err != nil {
		return nil, "", err
	}
	taken, err := h.Service.Store.Taken(ctx, who.MerchantID, r.ID)
	if err != nil {
		return nil, "", err
	}
	v := pages.PlanBoxView{Plan: components.Link{Text: ahead[0].Plan.Name, Href: pathOf(r.PlanID)},
		State: r.Standing() + ". " + r.Cause.Label() + ".", Next: next(ahead[0]), Run: r.ID.String(),
		Action: words.PurchasePath(purchaseID, "plan")}
	if !r.Live() {
		v.State = "Ended. " + r.Ending() + "."
	}
	for _, t := range taken {
		row := pages.PlanStepRow{What: ahead[0].Done(t), Outcome: t.Outcome.Label(), Why: t.Why,
			When: words.SayMoment(t.DecidedAt)}
		if says := t.Says(); says != "" {
			row.Why = says
		}
		v.Steps = append(v.Steps, row)
	}
	if who.Can(actor.Write) {
		v.Buttons = buttons(r)
		if v.MayHold = r.May(plan.HoldRun); v.MayHold {
			v.Until = components.DateField{Label: "Hold until", Name: "until"}
		}
	}
	atWork := ""
	if ahead[0].GoesOn() {
		atWork = ahead[0].Plan.Name
	}
	return pages.PlanBox(v), atWork, nil
}

var byHand = []struct {
	do    plan.ByHand
	label string
}{{plan.SkipStep, "Skip next step"}, {plan.HoldRun, "Hold plan"}, {plan.Resume, "Let plan go on"},
	{plan.EndRun, "End plan for this purchase"}}

func buttons(r plan.Run) (out []components.Button) {
	for _, b := range byHand {
		if r.May(b.do) {
			out = append(out, components.Button{Label: b.label, Name: "do", Value: string(b.do), Small: true, Changes: true})
		}
	}
	return out
}

// Do serves POST /purchases/:id/plan: it skips, holds, lets go on or ends what a plan does about one purchase.
func (h *Plans) Do(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	run, err := uuid.Parse(form.Get("run"))
	if err != nil {
		return fault.Missing()
	}
	at := words.PurchasePath(id) + "#plan"
	until, wrong := calendar.Date{}, error(nil)
	if text := form.Get("until"); text != "" {
		until, wrong = calendar.ParseDate(text)
	}
	do := plan.ByHand(form.Get("do"))
	if wrong != nil && do == plan.HoldRun {
		return access.RedirectWithFlash(c, "bad", "“"+text(form.Get("until"))+"” is not a day. Write it as 2026-12-24.", at)
	}
	_, err = h.Service.Do(c.Request().Context(), access.Actor(c), id, run, do, until)
	if kit.MayShow(err) {
		return access.RedirectWithFlash(c, "bad", err.Error(), at)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", done[do], at)
}

// text is what was typed, short enough for a message.
func text(typed string) string {
	if r := []rune(typed); len(r) > 30 {
		return string(r[:30]) + "…"
	}
	return typed
}

var done = map[plan.ByHand]string{plan.SkipStep: "The next step was skipped.", plan.HoldRun: "The plan is held.",
	plan.Resume: "The plan is at work again.", plan.EndRun: "The plan was ended for this purchase."}

// ClientPanel lists what plans do for a client; empty when that is nothing.
func (h *Plans) ClientPanel(ctx context.Context, who actor.Actor, c client.Client) (templ.Component, error) {
	runs, err := h.Service.Store.LiveOf(ctx, who.MerchantID, c.ID)
	if err != nil || len(runs) == 0 {
		return templ.NopComponent, err
	}
	ahead, err := h.Service.Outlooks(ctx, who.MerchantID, runs)
	if err != nil {
		return nil, err
	}
	rows, err := h.rows(ctx, who, ahead)
	return pages.PlanPanel(rows), err
}
