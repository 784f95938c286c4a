package plans

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/plan"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// draft is a plan as a form shows it, with what was typed.
type draft struct {
	plan                  plan.Plan
	name, brand, template string
	holdOut               string // in percent
	steps                 map[plan.Branch][]typed
	empty                 int // steps at the end of each class that are not filled in
	key                   string
}

// typed is a step as it was typed.
type typed struct{ kind, n, text string }

// usual is what a new plan suggests.
var usual = plan.Steps{
	plan.Money: {{Kind: plan.Message}, {Kind: plan.DebitAgain}, {Kind: plan.AskAccount},
		{Kind: plan.Task, Text: "Call the client and agree on how to pay."}},
	plan.AccountGone: {{Kind: plan.Message}, {Kind: plan.WaitBusiness, N: 3}, {Kind: plan.AskAccount},
		{Kind: plan.WaitBusiness, N: 3}, {Kind: plan.Task, Text: "Ask the client for another account."}},
	plan.Objection:  {{Kind: plan.Task, Text: "Ask the client why the debit was stopped or disputed."}},
	plan.BanksFault: {{Kind: plan.DebitAgain}},
	plan.Other:      {{Kind: plan.Task}},
}

func drafted(p plan.Plan, steps plan.Steps) draft {
	d := draft{plan: p, name: p.Name, holdOut: strconv.Itoa(p.HoldOut / 100), steps: map[plan.Branch][]typed{}, empty: 1}
	if p.BrandID != uuid.Nil {
		d.brand = p.BrandID.String()
	}
	if p.TemplateID != uuid.Nil {
		d.template = p.TemplateID.String()
	}
	for _, b := range plan.Branches {
		for _, s := range steps[b] {
			t := typed{kind: kindOf(s.Kind, s.Channel), text: s.Text}
			if s.N > 0 {
				t.n = strconv.Itoa(s.N)
			}
			d.steps[b] = append(d.steps[b], t)
		}
	}
	return d
}

// byChannel stands between a message and its channel in the value of a choice.
const byChannel = "."

func kindOf(k plan.Kind, by plan.Channel) string {
	if by == plan.ByMail {
		return string(k)
	}
	return string(k) + byChannel + string(by)
}

// longest is how many steps a form reads for one class.
const longest = 20

// read takes what was typed. Steps without a kind are left out.
func read(form url.Values) (draft, plan.Input) {
	d := draft{name: form.Get("name"), brand: form.Get("brand_id"), template: form.Get("template_id"),
		holdOut: form.Get("hold_out"), steps: map[plan.Branch][]typed{}, empty: 1, key: form.Get(kit.FormKeyName)}
	in := plan.Input{Name: d.name, Steps: plan.Steps{}}
	if text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(d.holdOut), "%")); text != "" {
		percent, err := strconv.Atoi(text)
		if in.HoldOut = 100 * percent; err != nil || percent < 0 || percent > 100 {
			in.HoldOut = 0
			in.Wrong.Add("hold_out", "invalid", "Enter a whole number of percent, from 0 to 50.")
		}
	}
	in.BrandID = id(d.brand, "brand_id", "Choose a brand of your business.", &in.Wrong)
	in.TemplateID = id(d.template, "template_id", "Choose a template of your business.", &in.Wrong)
	for _, b := range plan.Branches {
		for i := range longest {
			t := typed{form.Get(plan.At(b, i)), form.Get(plan.At(b, i) + ".n"), form.Get(plan.At(b, i) + ".text")}
			if t.kind == "" {
				continue
			}
			at := len(d.steps[b])
			d.steps[b] = append(d.steps[b], t)
			n, err := strconv.Atoi(strings.TrimSpace(t.n))
			kind, channel, _ := strings.Cut(t.kind, byChannel)
			if k := plan.Kind(kind); err != nil && k.Waits() {
				in.Wrong.Add(plan.At(b, at), "invalid", "Enter a whole number for “%s”.", k.Label())
			}
			in.Steps[b] = append(in.Steps[b], plan.Step{Kind: plan.Kind(kind), N: n, Text: t.text,
				Channel: plan.Channel(channel)})
		}
	}
	return d, in
}

func id(text, at, message string, wrong *fault.Problems) uuid.UUID {
	if text == "" {
		return uuid.Nil
	}
	found, err := uuid.Parse(text)
	if err != nil {
		wrong.Add(at, "invalid_choice", "%s", message)
	}
	return found
}

// New serves GET /plans/new; with copy it begins with the steps of another plan.
func (h *Plans) New(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	d := drafted(plan.Plan{}, usual)
	if text := c.QueryParam("copy"); text != "" {
		of, err := uuid.Parse(text)
		if err != nil {
			return fault.Missing()
		}
		p, err := h.Service.Store.Plan(ctx, who.MerchantID, of)
		if err != nil {
			return err
		}
		v, err := h.Service.Store.Version(ctx, who.MerchantID, p.ID, p.Version)
		if err != nil {
			return err
		}
		d = drafted(plan.Plan{Name: "Copy of " + p.Name}, v.Steps)
	}
	return h.form(c, d, nil)
}

// Create serves POST /plans.
func (h *Plans) Create(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	d, in := read(form)
	if form.Get("more") != "" {
		d.empty = 4
		return h.form(c, d, nil)
	}
	who := access.Actor(c)
	err = kit.Once(c, h.Desk, d.key, func(ctx context.Context) (plan.Plan, error) {
		p, err := h.Service.Create(ctx, who, in)
		if err != nil {
			return p, err
		}
		return p, access.AddFlash(c, "ok", "The plan is active. It begins with the next debit that fails.")
	}, func(p plan.Plan) string { return pathOf(p.ID) })
	if kit.MayShow(err) {
		return h.form(c, d, err)
	}
	return err
}

// Edit serves GET /plans/:id/edit.
func (h *Plans) Edit(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	if p.State == plan.Ended {
		return access.RedirectWithFlash(c, "bad", "This plan has ended. Copy it to begin again.", pathOf(p.ID))
	}
	v, err := h.Service.Store.Version(c.Request().Context(), access.Actor(c).MerchantID, p.ID, p.Version)
	if err != nil {
		return err
	}
	return h.form(c, drafted(p, v.Steps), nil)
}

// Change serves POST /plans/:id.
func (h *Plans) Change(c echo.Context) error {
	p, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	d, in := read(form)
	d.plan = p
	if form.Get("more") != "" {
		d.empty = 4
		return h.form(c, d, nil)
	}
	who := access.Actor(c)
	err = kit.Once(c, h.Desk, d.key, func(ctx context.Context) (plan.Plan, error) {
		p, err := h.Service.Change(ctx, who, p.ID, in)
		if err != nil {
			return p, err
		}
		return p, access.AddFlash(c, "ok", "The plan was changed. What is under way goes on by the steps "+
			"it began with; you can move it, under Versions.")
	}, func(p plan.Plan) string { return pathOf(p.ID) })
	if kit.MayShow(err) {
		return h.form(c, d, err)
	}
	return err
}

func (h *Plans) form(c echo.Context, d draft, refused error) error {
	v := pages.PlanFormView{Head: components.PageHead{Title: "New plan", Back: components.Link{Text: "Plans", Href: path}},
		Action: path, Button: components.Button{Label: "Save plan", Kind: "primary"},
		Cancel: components.Link{Text: "Back without saving", Href: path}}
	byInput, summary, fields := kit.Problems(refused)
	if v.Problems.Items = summary; refused != nil && !fields {
		v.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	if d.plan.ID != uuid.Nil {
		at := pathOf(d.plan.ID)
		v.Head = components.PageHead{Title: "Change the plan “" + d.plan.Name + "”",
			Sub:  "Debits that fail from now on follow the changed plan. Purchases under way keep to the steps they began with.",
			Back: components.Link{Text: d.plan.Name, Href: at}}
		v.Action, v.Cancel.Href = at, at
	} else if err := h.places(c, d, byInput, &v); err != nil {
		return err
	}
	if d.key == "" {
		d.key = kit.NewFormKey()
	}
	v.Hidden = []components.Pair{{Name: kit.FormKeyName, Value: d.key}}
	v.Name = components.Field{Label: "Name", Name: "name", Value: d.name, Error: byInput["name"], Required: true,
		MaxLength: 80}
	v.HoldOut = components.Field{Label: "Share of clients to leave out, in %", Name: "hold_out", Value: d.holdOut,
		Error: byInput["hold_out"], InputMode: "numeric", Width: "s", Quiet: true,
		Hint: "For comparison: the plan only records their failed debits, and people handle them as before. " +
			"With 0 the plan covers all clients."}
	for _, b := range plan.Branches {
		v.Branches = append(v.Branches, h.branch(b, d, byInput))
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), v.Head.Title, section,
		func(f layout.Frame) templ.Component { return pages.PlanForm(f, v) })
}

// branch is the part of the form for one class of reason.
func (h *Plans) branch(b plan.Branch, d draft, byInput map[string]string) pages.PlanBranchForm {
	out := pages.PlanBranchForm{Title: "After a debit failed because of " + b.Label()}
	list := slices.Concat(d.steps[b], make([]typed, d.empty))
	for i, t := range list[:min(len(list), longest)] {
		at, step := plan.At(b, i), "Step "+plural.Number(i+1)
		kind := components.Select{Label: step, Name: at, Blank: "No step", Error: byInput[at], Quiet: true}
		for _, k := range plan.Kinds {
			if plan.Offered(k, b) || t.kind == string(k) {
				kind.Options = append(kind.Options, components.Option{Value: string(k), Text: k.Label(),
					Selected: t.kind == string(k)})
			}
			if k == plan.Message {
				kind.Options = append(kind.Options, h.channels(b, t)...)
			}
		}
		out.Steps = append(out.Steps, pages.PlanStepFields{Kind: kind,
			N: components.Field{Label: step + ": days, or day of the month", Name: at + ".n", Value: t.n, InputMode: "numeric",
				Width: "s", Quiet: true},
			Text: components.Field{Label: step + ": what the person is to do", Name: at + ".text", Value: t.text, Quiet: true,
				MaxLength: 200}})
	}
	return out
}

// channels are the messages that do not go by mail alone, where SMS are set up.
func (h *Plans) channels(b plan.Branch, t typed) (out []components.Option) {
	for _, by := range plan.Channels[1:] {
		value := kindOf(plan.Message, by)
		if plan.Offered(plan.Message, b) && h.Purchases.Texts.Ready() || t.kind == value {
			out = append(out, components.Option{Value: value, Text: by.Label(), Selected: t.kind == value})
		}
	}
	return out
}

// places are the choices of brand and template of a new plan.
func (h *Plans) places(c echo.Context, d draft, byInput map[string]string, v *pages.PlanFormView) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	brands, err := h.Brands.Brands(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	templates, err := h.Templates.Templates(ctx, who.MerchantID, subscription.Filter{}, paging.Ask{Limit: 200})
	if err != nil {
		return err
	}
	v.Brand = components.Select{Label: "Brand", Name: "brand_id", Blank: "All brands", Error: byInput["brand_id"]}
	for _, b := range brands {
		v.Brand.Options = append(v.Brand.Options, components.Option{Value: b.ID.String(), Text: b.Name,
			Selected: d.brand == b.ID.String()})
	}
	v.Template = components.Select{Label: "Template", Name: "template_id", Error: byInput["template_id"],
		Blank: "All without a plan of their own"}
	for _, t := range templates {
		v.Template.Options = append(v.Template.Options, components.Option{Value: t.ID.String(), Text: t.Title,
			Selected: d.template == t.ID.String()})
	}
	return nil
}
