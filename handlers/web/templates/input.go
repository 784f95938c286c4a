package templates

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/mandates"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// most is the largest count that a plan takes.
const most = 256

// input reads the form of a template; what cannot be read is a problem. What the
// form does not show of a template that exists stays as it is.
func (h *Templates) input(c echo.Context, form url.Values, old *subscription.Template) subscription.Input {
	who := access.Actor(c)
	in := subscription.Input{Title: strings.TrimSpace(form.Get("title")), IsSubscription: form.Get("kind") != kindInvoice,
		Plan: subscription.Default()}
	p := purchase.Input{Currency: money.ZAR, Options: purchase.Options{Platform: "web", Source: "web_office"}}
	if who.Kind == actor.User {
		p.UserID = who.ID
	}
	if old != nil {
		in.IsSubscription, in.Paused = old.IsSubscription, old.Paused
		p.Currency, p.Details, p.Options, p.DueStrict, p.Issued = old.Currency, old.Details, old.Options, old.DueStrict,
			old.Issued
		p.UserID, p.BrandID = old.UserID, old.BrandID
		p.Details.DirectDebit = nil
	}
	w := &in.Problems
	if in.Title == "" { // programs may leave it out; people look for their templates by it
		w.Add("title", "required", "Enter a title.")
	}
	if id, err := uuid.Parse(form.Get("brand_id")); err == nil {
		p.BrandID = id
	} else if p.BrandID == uuid.Nil {
		if brands, err := h.Purchases.Service.Merchants().Brands(c.Request().Context(), who.MerchantID); err == nil {
			p.BrandID = purchases.BrandChosen(brands, "").ID
		}
	}
	var were []purchase.Product
	were, p.Details.Products = p.Details.Products, nil
	if p.Details.Timezone == "" {
		p.Details.Timezone = "Africa/Johannesburg"
	}
	purchases.Lines(form, &p.Details, w)
	taxed(form, &p.Details, were, w)
	if in.IsSubscription {
		if old != nil && old.Locked() != "" {
			in.Plan = old.Plan
		} else {
			in.Plan = planOf(form, w)
		}
	} else {
		p.Due = h.dueOf(form, w)
		p.Options.SendReceipt = form.Get("send_receipt") != ""
	}
	pay(form, in, &p, h.Purchases.Service.AsksBy(), w)
	in.Pattern = p
	return in
}

// taxed puts the VAT of the form on every line. Left empty, the lines of a template
// keep what each has of its own.
func taxed(form url.Values, d *purchase.Details, were []purchase.Product, w *fault.Problems) {
	for i := range d.Products {
		if i < len(were) && were[i].Name == d.Products[i].Name {
			own := were[i]
			own.PriceCents, own.Quantity = d.Products[i].PriceCents, d.Products[i].Quantity
			d.Products[i] = own
		}
	}
	text := strings.TrimSuffix(strings.TrimSpace(form.Get("tax_percent")), "%")
	if text == "" {
		return
	}
	percent, err := decimal.NewFromString(strings.Replace(strings.TrimSpace(text), ",", ".", 1))
	if err != nil || len(text) > 8 || percent.IsNegative() || percent.GreaterThan(decimal.NewFromInt(100)) {
		w.Add("tax_percent", "invalid", "Enter the VAT in percent, such as 15.")
		return
	}
	for i := range d.Products {
		d.Products[i].TaxPercent = percent
	}
}

func (h *Templates) dueOf(form url.Values, w *fault.Problems) *time.Time {
	day, err := calendar.ParseDate(form.Get("due"))
	if err != nil {
		w.Add("due", "required", "Enter the day on which the invoices are due.")
		return nil
	}
	due := h.Purchases.Service.Timetable.DueOn(day).UTC()
	return &due
}

// planOf reads the plan; a number that cannot be read counts as 1, with a problem.
func planOf(form url.Values, w *fault.Problems) subscription.Plan {
	p := subscription.Plan{
		Period: wholeWithin(form, "subscription_period", 1, most, w), Units: unitsOf(form, "subscription_period_units", w),
		DuePeriod:    wholeWithin(form, "subscription_due_period", 1, most, w),
		DueUnits:     unitsOf(form, "subscription_due_period_units", w),
		ChargeAtEnd:  form.Get("subscription_charge_period_end") == "yes",
		TrialPeriods: wholeWithin(form, "subscription_trial_periods", 0, most, w),
	}
	if strings.TrimSpace(form.Get("number_of_billing_cycles")) != "" {
		n := wholeWithin(form, "number_of_billing_cycles", 1, subscription.MaxCycles, w)
		p.Cycles = &n
	}
	return p
}

func wholeWithin(form url.Values, name string, least, atMost int, w *fault.Problems) int {
	n, err := strconv.Atoi(strings.TrimSpace(form.Get(name)))
	if err != nil || n < least || n > atMost {
		w.Add(name, "invalid", "Enter a whole number from %d to %s.", least, words.Grouped(int64(atMost)))
		return max(least, 1)
	}
	return n
}

func unitsOf(form url.Values, name string, w *fault.Problems) subscription.Units {
	switch u := subscription.Units(form.Get(name)); u {
	case subscription.Days, subscription.Weeks, subscription.Months:
		return u
	}
	w.Add(name, "invalid_choice", "Choose days, weeks or months.")
	return subscription.Months
}

// pay reads how it may be paid, and the debit-order block.
func pay(form url.Values, in subscription.Input, p *purchase.Input, by mandate.Method, w *fault.Problems) {
	p.Options.ForceRecurring = form.Get("force_recurring") != ""
	p.Options.Whitelist = nil
	method := form.Get("method")
	if method != purchase.EFT && method != purchase.DebiCheck {
		return
	}
	p.Options.Whitelist = []string{method}
	d := &purchase.DirectDebitInput{ProfileCode: form.Get("profile_code")}
	if text := strings.TrimSpace(form.Get("deduction_day")); text != "" {
		day, err := strconv.Atoi(text)
		if err != nil {
			w.Add(mandates.DdAt+".deduction_day", "invalid", "Enter a number.")
		} else {
			d.DeductionDay = &day
		}
	}
	if in.IsSubscription {
		d.PeriodUnits = string(in.Plan.Units)
	}
	if method == purchase.DebiCheck {
		d.Ask = asked(form, p.Details, by, w)
	}
	p.DirectDebit = d
}

// asked is the mandate that DebiCheck asks the client's bank for.
func asked(form url.Values, d purchase.Details, by mandate.Method, w *fault.Problems) *mandate.Ask {
	a := &mandate.Ask{ValueType: or2(form.Get("value_type"), string(mandate.Fixed)),
		AuthenticationType: string(by), DebitSequence: string(mandate.Recurring),
		AdjustmentCategory: string(mandate.Never)}
	price, _ := d.LinesCents()
	if text := strings.TrimSpace(form.Get("max_amount_cents")); text != "" {
		cents, err := money.Parse(text)
		if err != nil {
			w.Add(mandates.DdAt+".max_amount_cents", "invalid", "%s.", words.Capital(err.Error()))
			return a
		}
		price = cents
	}
	a.MaxAmountCents = &price
	return a
}

// formOfTemplate is a template as the form shows it.
func formOfTemplate(t subscription.Template, now func() time.Time) url.Values {
	form := url.Values{"kind": {kindInvoice}, "title": {t.Title}, "brand_id": {t.BrandID.String()}, "method": {anyMethod},
		"start": {calendar.DateOf(now()).String()}}
	if t.IsSubscription {
		form.Set("kind", kindSubscription)
	}
	rates := map[string]bool{}
	for _, p := range t.Details.Products {
		form["name"] = append(form["name"], p.Name)
		form["price"] = append(form["price"], money.Amount(p.PriceCents))
		form["quantity"] = append(form["quantity"], p.Quantity.String())
		rates[p.TaxPercent.String()] = true
	}
	if len(rates) == 1 && !t.Details.Products[0].TaxPercent.IsZero() {
		form.Set("tax_percent", t.Details.Products[0].TaxPercent.String())
	}
	if !t.Due.IsZero() {
		form.Set("due", calendar.DateOf(t.Due).String())
	}
	planForm(form, t.Plan)
	tick := func(name string, on bool) {
		if on {
			form.Set(name, "yes")
		}
	}
	tick("force_recurring", t.Options.ForceRecurring)
	tick("send_receipt", t.Options.SendReceipt)
	if len(t.Options.Whitelist) == 1 {
		form.Set("method", t.Options.Whitelist[0])
	}
	if d := t.Details.DirectDebit; d != nil {
		form.Set("profile_code", d.ProfileCode)
		if d.DeductionDay > 0 {
			form.Set("deduction_day", strconv.Itoa(d.DeductionDay))
		}
		if d.Terms != nil {
			form.Set("value_type", string(d.Terms.ValueType))
			form.Set("max_amount_cents", money.Amount(d.Terms.MaxAmountCents))
		}
	}
	return form
}

func planForm(form url.Values, p subscription.Plan) {
	form.Set("subscription_period", strconv.Itoa(p.Period))
	form.Set("subscription_period_units", string(p.Units))
	form.Set("subscription_due_period", strconv.Itoa(p.DuePeriod))
	form.Set("subscription_due_period_units", string(p.DueUnits))
	form.Set("subscription_charge_period_end", "no")
	if p.ChargeAtEnd {
		form.Set("subscription_charge_period_end", "yes")
	}
	form.Set("subscription_trial_periods", strconv.Itoa(p.TrialPeriods))
	if p.Cycles != nil {
		form.Set("number_of_billing_cycles", strconv.Itoa(*p.Cycles))
	}
}
