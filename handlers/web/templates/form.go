package templates

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// New serves GET /templates/new.
func (h *Templates) New(c echo.Context) error {
	form := url.Values{"kind": {kindSubscription}, "name": {""}, "price": {""}, "quantity": {"1"},
		"start": {calendar.DateOf(h.Desk.Now()).String()}, "send_receipt": {"yes"}, "force_recurring": {"yes"}}
	if c.QueryParam("kind") == kindInvoice {
		form.Set("kind", kindInvoice)
	}
	planForm(form, subscription.Default())
	return h.form(c, http.StatusOK, nil, form, nil)
}

// Create serves POST /templates. Buttons that only change the form come here too.
func (h *Templates) Create(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if purchases.Reshaped(form) {
		return h.form(c, http.StatusOK, nil, form, nil)
	}
	in := h.input(c, form, nil)
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (subscription.Template, error) {
			return h.Service.Create(ctx, access.Actor(c), in)
		}, func(t subscription.Template) string { return words.TemplateHref(t.ID, "") })
	return h.refused(c, nil, form, err)
}

// Edit serves GET /templates/:id/edit.
func (h *Templates) Edit(c echo.Context) error {
	t, err := h.find(c)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, &t, formOfTemplate(t, h.Desk.Now), nil)
}

// Change serves POST /templates/:id/edit.
func (h *Templates) Change(c echo.Context) error {
	t, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if purchases.Reshaped(form) {
		return h.form(c, http.StatusOK, &t, form, nil)
	}
	if form.Get("version") != strconv.Itoa(t.Version) {
		return h.form(c, http.StatusConflict, &t, form,
			fault.At(
				fault.All,
				"changed",
				"This template was changed while you were editing it. What you typed is below: "+
					"compare it with the template, then save again.",
			))
	}
	if _, err := h.Service.Update(c.Request().Context(), access.Actor(c), t.ID, h.input(c, form, &t)); err != nil {
		return h.refused(c, &t, form, err)
	}
	return access.RedirectWithFlash(c, "ok", "The template is saved. Existing purchases stay as they are.",
		words.TemplateHref(t.ID, ""))
}

// refused shows the form again, with what was typed, when the use case refused it.
func (h *Templates) refused(c echo.Context, t *subscription.Template, form url.Values, err error) error {
	f, ok := fault.From(err)
	if !ok || f.Kind != fault.Invalid {
		return err
	}
	if len(f.Fields) == 0 {
		err = fault.At(fault.All, f.Code, "%s", f.Message)
	}
	return h.form(c, http.StatusUnprocessableEntity, t, form, err)
}

// Preview serves POST /templates/preview: the plan in words with its next dates.
func (h *Templates) Preview(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	brands, err := h.Purchases.Service.Merchants().Brands(c.Request().Context(), access.Actor(c).MerchantID)
	if err != nil {
		return err
	}
	return html.Send(c, http.StatusOK, pages.TemplatePreview(h.preview(form, nil,
		purchases.BrandChosen(brands, form.Get("brand_id")))))
}

func (h *Templates) form(c echo.Context, status int, t *subscription.Template, form url.Values, wrong error) error {
	view, err := h.formView(c, t, form, wrong)
	if err != nil {
		return err
	}
	return h.Desk.ShowIn(c, status, view.Title, templatesSection,
		func(f layout.Frame) templ.Component { return pages.TemplateForm(f, view) })
}

func (h *Templates) formView(c echo.Context, t *subscription.Template, form url.Values,
	wrong error) (pages.TemplateFormView, error) {
	byInput, summary := purchases.LineProblems(wrong)
	v := pages.TemplateFormView{Title: "New template", Action: "/templates",
		Back: components.Link{Text: "Templates", Href: "/templates"}, Button: "Save template",
		Key: form.Get(kit.FormKeyName), Problems: components.ErrorSummary{Items: summary},
		Subscription: form.Get("kind") != kindInvoice}
	if v.Key == "" {
		v.Key = kit.NewFormKey()
	}
	if t != nil {
		v.Title, v.Action, v.Back = "Edit "+t.Name(), words.TemplateHref(t.ID, "/edit"),
			components.Link{Text: t.Name(), Href: words.TemplateHref(t.ID, "")}
		v.Subscription, v.Version, v.Fixed = t.IsSubscription, strconv.Itoa(t.Version), true
		if t.IsSubscription {
			v.Locked = t.Locked()
		}
		if v.Locked != "" { // what is disabled is not sent, and the preview needs it
			kept := url.Values{}
			planForm(kept, t.Plan)
			for name := range kept {
				form.Set(name, kept.Get(name))
				v.Keep = append(v.Keep, components.Pair{Name: name, Value: kept.Get(name)})
			}
		}
	} else {
		v.Kind = components.RadioCards{Legend: "What is it for?", Name: "kind", Value: form.Get("kind"), Columns: true,
			Required: true, Hint: "This cannot be changed later.", Options: []components.RadioCard{
				{Value: kindSubscription, Title: "Subscription",
					Text: "Clients subscribe; each is billed regularly from their bank account.", Icon: "repeat"},
				{Value: kindInvoice, Title: "Invoice template", Text: "The same invoice, sent to one client whenever you need it.",
					Icon: "file"}}}
	}
	brands, err := h.Purchases.Service.Merchants().Brands(c.Request().Context(), access.Actor(c).MerchantID)
	if err != nil {
		return v, err
	}
	brand := purchases.BrandChosen(brands, form.Get("brand_id"))
	v.Brand = purchases.BrandSelect(brands, brand, byInput["brand_id"])
	v.Name = components.Field{Label: "Title", Name: "title", Value: form.Get("title"), Error: byInput["title"],
		Required: true, MaxLength: 256, Hint: "Such as “Monthly membership”. The client sees it too."}
	v.Lines = purchases.LineForms(form, byInput)
	v.VAT = components.Field{Label: "VAT", Name: "tax_percent", Value: form.Get("tax_percent"),
		Error: or2(byInput["tax_percent"], byInput["tax_percent-1"]), Suffix: "%", Numeric: true, InputMode: "decimal",
		Width: "s",
		Hint:  "Added to the prices. Leave it empty for none."}
	v.Due = components.DateField{Label: "Due", Name: "due", Value: form.Get("due"),
		Error: or2(byInput["due"], byInput["invoice_due"]), Required: true, Min: calendar.DateOf(h.Desk.Now()).String(),
		Hint: "The day on which every invoice of this template is due."}
	planFields(&v, form, byInput)
	h.payFields(&v, form, byInput, brand)
	v.Preview = h.preview(form, t, brand)
	return v, nil
}

func or2(text, instead string) string {
	if text != "" {
		return text
	}
	return instead
}

var unitOptions = []struct {
	units subscription.Units
	word  string
}{{subscription.Days, "days"}, {subscription.Weeks, "weeks"}, {subscription.Months, "months"}}

func unitSelect(label, name, value, wrong string, off bool) components.Select {
	s := components.Select{Label: label, Name: name, Error: wrong, Required: true, Disabled: off, Width: "m"}
	for _, o := range unitOptions {
		s.Options = append(s.Options, components.Option{Value: string(o.units), Text: o.word,
			Selected: value == string(o.units)})
	}
	return s
}

func planFields(v *pages.TemplateFormView, form url.Values, wrong map[string]string) {
	off := v.Locked != ""
	number := func(label, name, hint string, required bool) components.Field {
		return components.Field{Label: label, Name: name, Value: form.Get(name), Error: wrong[name], Hint: hint,
			Numeric: true, InputMode: "numeric", Width: "s", Required: required, Disabled: off}
	}
	v.Period, v.Units = number("Every", "subscription_period", "", true),
		unitSelect("Unit", "subscription_period_units", form.Get("subscription_period_units"),
			wrong["subscription_period_units"], off)
	v.DuePeriod, v.DueUnits = number("Due after", "subscription_due_period", "", true),
		unitSelect("Unit", "subscription_due_period_units", form.Get("subscription_due_period_units"),
			wrong["subscription_due_period_units"], off)
	v.Charge = components.RadioCards{Legend: "When is a period billed?", Name: "subscription_charge_period_end",
		Value: form.Get("subscription_charge_period_end"), Columns: true, Options: []components.RadioCard{
			{Value: "no", Title: "When it starts", Text: "Paid in advance: the first bill comes on the first day.",
				Disabled: off},
			{Value: "yes", Title: "When it ends", Text: "Paid afterwards: the first bill comes after one period.",
				Disabled: off}}}
	v.Trials = number("Free periods at the beginning", "subscription_trial_periods", "0 for none.", true)
	v.Cycles = number("Number of billed periods", "number_of_billing_cycles", "Leave it empty to bill until it is ended.",
		false)
	v.Start = components.DateField{Label: "If a client starts on", Name: "start", Value: form.Get("start"), Required: true}
}

// The methods of the form.
const anyMethod = "any"

func (h *Templates) payFields(v *pages.TemplateFormView, form url.Values, wrong map[string]string,
	brand merchant.Brand) {
	debiCheck := components.RadioCard{Value: purchase.DebiCheck, Title: "DebiCheck only",
		Text: "The client’s bank asks the client to confirm the mandate."}
	if why := h.Purchases.Service.Bank.NoDebiCheck(); why != "" {
		debiCheck.Disabled, debiCheck.Text = true, why
		if form.Get("method") == purchase.DebiCheck {
			form.Set("method", anyMethod)
		}
	}
	v.Method = components.RadioCards{Legend: "How may it be paid?", Name: "method",
		Value: or2(form.Get("method"), anyMethod), Error: wrong["payment_method_whitelist"], Options: []components.RadioCard{
			{Value: anyMethod, Title: "Any debit order", Text: "The client gives the account and agrees to the mandate."},
			{Value: purchase.EFT, Title: "EFT debit order only", Text: "The mandate is agreed on the client’s page."},
			debiCheck}}
	v.Force = components.Checkbox{Label: "Store the account with the first payment", Name: "force_recurring",
		Checked: form.Get("force_recurring") != "", Hint: "Needed to debit later periods automatically.",
		Error: wrong["force_recurring"]}
	v.Receipt = components.Checkbox{Label: "Mail a receipt for each payment", Name: "send_receipt",
		Checked: form.Get("send_receipt") != ""}
	v.Profile = components.Select{Label: "Debit-order registration", Name: "profile_code", Error: wrong["profile_code"],
		Blank: "The brand’s default", Quiet: true, Width: "l"}
	for _, p := range brand.Profiles {
		v.Profile.Options = append(v.Profile.Options,
			components.Option{Value: p.ProfileCode, Text: p.ProfileCode + ", " + p.AbbreviatedName,
				Selected: p.ProfileCode == form.Get("profile_code")})
	}
	v.Day = components.Select{Label: "Deduction day", Name: "deduction_day", Error: wrong["deduction_day"], Quiet: true,
		Width: "m", Blank: "The day of the first debit", Options: monthDays(form.Get("deduction_day"))}
	v.ValueType = components.Select{Label: "Amounts of the mandate", Name: "value_type", Error: wrong["value_type"],
		Quiet: true, Width: "l"}
	for _, one := range words.ValueTypes {
		v.ValueType.Options = append(v.ValueType.Options, components.Option{Value: string(one.Type), Text: one.OfTemplate,
			Selected: form.Get("value_type") == string(one.Type)})
	}
	v.Maximum = components.MoneyField{Label: "Never more than", Name: "max_amount_cents",
		Value: form.Get("max_amount_cents"), Error: wrong["max_amount_cents"], Hint: "For each debit. Empty: the price."}
}

// monthDays are the deduction days of a month, the last one by its name.
func monthDays(chosen string) (days []components.Option) {
	for day := 1; day <= 30; day++ {
		n := strconv.Itoa(day)
		days = append(days, components.Option{Value: n, Text: n, Selected: n == chosen})
	}
	last := strconv.Itoa(purchase.LastDay)
	return append(days, components.Option{Value: last, Text: "Last day of the month", Selected: last == chosen})
}

// preview says what the form would do: the plan in words and its next dates.
func (h *Templates) preview(form url.Values, t *subscription.Template, brand merchant.Brand) pages.PreviewView {
	if t != nil && !t.IsSubscription || t == nil && form.Get("kind") == kindInvoice {
		return pages.PreviewView{Invoice: true, Total: totalWords(form)}
	}
	v := pages.PreviewView{Total: totalWords(form)}
	var w fault.Problems
	plan := planOf(form, &w)
	if t != nil && t.Locked() != "" {
		plan, w = t.Plan, nil
	}
	start, err := calendar.ParseDate(form.Get("start"))
	switch {
	case len(w) > 0:
		v.Problem = w[0].Message
		return v
	case err != nil:
		v.Problem = "Choose the day on which a client begins, to see the dates."
		return v
	}
	v.Words, v.Days = planWords(plan, start), h.dates(brand, plan, start, form.Get("method"))
	return v
}

func totalWords(form url.Values) string {
	var d purchase.Details
	var w fault.Problems
	purchases.Lines(form, &d, &w)
	taxed(form, &d, nil, &w)
	cents, wrong := d.TotalCents()
	if len(w) > 0 || len(wrong) > 0 {
		return "–"
	}
	return words.Sum(cents, money.ZAR)
}
