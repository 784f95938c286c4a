package subscription

import (
	"slices"
	"strings"
	"unicode/utf8"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// MaxCycles is the most periods that a plan bills, unless it is endless (ours).
const MaxCycles = 100_000

// The limits of a template (source: POST /billing/).
const (
	maxTitle   = 256
	maxPeriod  = 256
	maxAhead   = 10 // years to a first date (ours)
	maxDebit   = 50 // DebiCheck fields of a subscriber (ours)
	maxText    = 256
	firstOnKey = "subscription_billing_scheduled_on"
)

// check reports what is wrong with a template and needs no look at stored records.
func (in *Input) check(w *fault.Problems) {
	text(w, "title", in.Title, maxTitle)
	if in.IsSubscription {
		in.Plan.check(w)
		if in.Pattern.Currency != "" && in.Pattern.Currency != money.ZAR && !w.Has("purchase.currency") {
			w.Add("purchase.currency", "invalid_choice", "Subscriptions are debited; debit orders need the currency ZAR.")
		}
		if slices.Equal(in.Pattern.Options.Whitelist, []string{purchase.DebiCheck}) && in.Pattern.DirectDebit == nil {
			w.Add("purchase.payment_method_details.direct_debit", "required",
				"A mandate by debicheck needs this block with the terms of the mandate.")
		}
		return
	}
	if w.Has("is_subscription") { // whether a due date is needed cannot be told
		return
	}
	if in.Pattern.Due == nil && !w.Has("due") && !w.Has("invoice_due") {
		w.Add("due", "required", "This field is required when is_subscription is false.")
	}
}

func (p Plan) check(w *fault.Problems) {
	between(w, "subscription_period", p.Period, 1, maxPeriod)
	units(w, "subscription_period_units", p.Units)
	between(w, "subscription_due_period", p.DuePeriod, 1, maxPeriod)
	units(w, "subscription_due_period_units", p.DueUnits)
	between(w, "subscription_trial_periods", p.TrialPeriods, 0, maxPeriod)
	if p.Cycles != nil {
		between(w, "number_of_billing_cycles", *p.Cycles, 1, MaxCycles)
	}
}

func between(w *fault.Problems, at string, n, least, most int) {
	switch {
	case w.Has(at):
	case n < least:
		w.Add(at, "min_value", "Ensure this value is greater than or equal to %d.", least)
	case n > most:
		w.Add(at, "max_value", "Ensure this value is less than or equal to %d.", most)
	}
}

func units(w *fault.Problems, at string, u Units) {
	if u != Days && u != Weeks && u != Months && !w.Has(at) {
		w.Add(at, "invalid_choice", "%q is not a valid choice. Choose one of: days, weeks, months.",
			strings.ToValidUTF8(string(u), "?"))
	}
}

func text(w *fault.Problems, at, value string, most int) {
	switch {
	case w.Has(at):
	case strings.ContainsRune(value, 0) || !utf8.ValidString(value):
		w.Add(at, "invalid", "This text contains characters that cannot be stored.")
	case !fault.IsOneLine(value):
		w.OneLine(at, value)
	case utf8.RuneCountInString(value) > most:
		w.Add(at, "max_length", "Ensure this field has no more than %d characters.", most)
	}
}

// check reports what is wrong with a subscriber beside a template.
func (in *SubscriberInput) check(w *fault.Problems, t Template, by *purchase.Service, now calendar.Date) {
	if !w.Has("payment_method_whitelist") && by.CheckWhitelist(w, "payment_method_whitelist", in.Whitelist) {
		in.checkMethods(w, t)
	}
	text(w, "invoice_reference", in.Reference, 128)
	in.checkFirstOn(w, firstOnKey, now)
	in.Debit.check(w)
	if in.Override != nil && !w.Has("invoice_override") {
		wrong := purchase.CheckProducts(in.Override.Products)
		if wrong == nil { // lines that are wrong have no total
			_, wrong = in.Override.apply(t)
		}
		w.Under("invoice_override", wrong)
	}
}

// checkMethods: what stores the account must know how.
func (in *SubscriberInput) checkMethods(w *fault.Problems, t Template) {
	terms := t.Details.DirectDebit != nil && t.Details.DirectDebit.Terms != nil || len(in.Debit.terms()) > 0
	switch only := len(in.Whitelist) == 1; {
	case only && in.Whitelist[0] == purchase.DebiCheck && !terms:
		w.Add("payment_method_whitelist", "invalid_payment_method_whitelist",
			"This template has no terms of a DebiCheck mandate.")
	}
}

func (d *Debit) check(w *fault.Problems) {
	if len(d.Fields) > maxDebit {
		w.Add(fault.All, "max_length", "There are too many subscription fields.")
	}
	for name, v := range d.Fields {
		if value, is := v.(string); is {
			text(w, "subscription_"+name, value, maxText)
		}
	}
	account, id := d.DebtorAccount.Reveal(), d.DebtorID.Reveal()
	const masked = "This is a masked number. Send the full number, or leave the field out."
	if bank.IsMasked(account) {
		w.Add("subscription_debtor_account_number", "invalid", masked)
	}
	if bank.IsMasked(id) {
		w.Add("subscription_debtor_id_number", "invalid", masked)
	}
	text(w, "subscription_debtor_account_number", account, 34)
	text(w, "subscription_debtor_id_number", id, 32)
}

func (in *SubscriberInput) checkFirstOn(w *fault.Problems, at string, now calendar.Date) {
	switch {
	case in.FirstOn.IsZero() || w.Has(at):
	case in.FirstOn.Before(now):
		w.Add(at, "min_value", "The first date cannot be in the past; today is %s.", now)
	case in.FirstOn.Year > now.Year+maxAhead:
		w.Add(at, "max_value", "The first date can be at most %d years ahead.", maxAhead)
	}
}

// releaseDate names the day of the first debit among the DebiCheck fields.
const releaseDate = "release_date"

// begin takes the day of the first debit from the DebiCheck fields where it stands there alone.
func (in *SubscriberInput) begin(w *fault.Problems, now calendar.Date) {
	const at = ownPrefix + releaseDate
	day, err := calendar.ParseDate(in.Debit.text(releaseDate))
	switch {
	case err != nil:
	case in.FirstOn.IsZero():
		in.FirstOn = day
		in.checkFirstOn(w, at, now)
	case in.FirstOn != day && !w.Has(at):
		w.Add(at, "invalid", "The first date is %s (subscription_billing_scheduled_on). Give the same here, or leave it out.",
			in.FirstOn)
	}
}
