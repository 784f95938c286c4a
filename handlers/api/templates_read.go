package api

import (
	"math"

	"debitdesk/handlers/api/input"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// readTemplate reads a template; stored is what is replaced, nil for a new one or
// an unknown one. What is read-only is not looked at: the subscription fields of
// one-time invoices, the invoice fields of subscriptions, and a plan that
// subscribers run on (source: API contract 5.1, rules 1 and 2).
func readTemplate(o *input.Object, stored *subscription.Template) subscription.Input {
	in := subscription.Input{Title: o.Text("title", 256), IsSubscription: o.NeedBool("is_subscription"),
		Plan: subscription.Default()}
	if stored != nil {
		if in.IsSubscription != stored.IsSubscription && !o.Problems().Has("is_subscription") {
			o.Add("is_subscription", "invalid", "This cannot change once the template exists. Create a new template.")
		}
		in.IsSubscription = stored.IsSubscription
	}
	in.Pattern.BrandID = brandIfGiven(o)
	readPattern(o, &in.Pattern)
	switch {
	case stored == nil && o.Problems().Has("is_subscription"): // which fields belong to it cannot be told
	case !in.IsSubscription:
		readInvoiceFields(o, &in.Pattern)
	case stored != nil && stored.Locked() != "":
		in.Plan, in.Paused = stored.Plan, readPaused(o)
	default:
		in.Plan, in.Paused = readPlan(o), readPaused(o)
	}
	in.Problems = o.Problems()
	return in
}

// patternWhitelist: a pattern keeps the debit-order block without naming a
// method (source: debit-order subscriptions), so the block itself tells which it is.
func patternWhitelist(o *input.Object, block *purchase.DirectDebitInput) []string {
	list := readWhitelist(o)
	switch {
	case list != nil || block == nil || o.Problems().Has("payment_method_whitelist"):
		return list
	case len(block.MandateFields) > 0:
		return []string{purchase.DebiCheck}
	}
	return []string{purchase.EFT}
}

// readPlan reads the subscription fields; null counts as left out.
func readPlan(o *input.Object) subscription.Plan {
	p := subscription.Default()
	number := func(name string, place *int, lowest, highest int64) {
		if n := o.NullInt(name, input.Between(lowest, highest)); n != nil {
			*place = int(*n)
		}
	}
	units := func(name string, place *subscription.Units) {
		if !o.IsBlank(name) {
			*place = subscription.Units(o.Choice(name, string(*place), string(subscription.Days), string(subscription.Weeks),
				string(subscription.Months)))
		}
	}
	number("subscription_period", &p.Period, 1, 256)
	units("subscription_period_units", &p.Units)
	number("subscription_due_period", &p.DuePeriod, 1, 256)
	units("subscription_due_period_units", &p.DueUnits)
	number("subscription_trial_periods", &p.TrialPeriods, 0, 256)
	readSwitch(o, "subscription_charge_period_end", &p.ChargeAtEnd)
	if n := o.NullInt("number_of_billing_cycles", input.Between(1, math.MaxInt32)); n != nil {
		p.Cycles = ref(int(*n))
	}
	return p
}

// readPaused: subscription_active is the same said the other way round.
func readPaused(o *input.Object) bool {
	return either(o, "subscription_paused", "subscription_active", func(name string) bool {
		return o.Bool(name, false) == (name == "subscription_paused")
	}, false)
}

// readSwitch puts true or false into the place when the request says one.
func readSwitch(o *input.Object, name string, place *bool) {
	if !o.IsBlank(name) {
		*place = o.Bool(name, *place)
	}
}

// readWhitelist is nil for null and left out.
func readWhitelist(o *input.Object) []string {
	if o.IsLeftOut("payment_method_whitelist") {
		return nil
	}
	return orEmpty(o.Texts("payment_method_whitelist", 50, 64, false))
}
