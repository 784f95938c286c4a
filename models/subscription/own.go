package subscription

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// ownPrefix begins the names of a subscriber's own DebiCheck fields (API contract 5.2).
const ownPrefix = "subscription_"

// termFields are the fields of a subscriber that the client confirms at the bank, and how a mandate names them.
var termFields = []struct{ own, mandate string }{
	{"value_type", "value_type"}, {"authentication_type", "authentication_type"},
	{"do_delayed_on_auth_failure", "do_delayed_on_auth_failure"}, {"verify_account", "verify_account"},
	{"allow_date_adjustment", "allow_date_adjustment"}, {"max_amount_cents", "max_amount_cents"},
	{"adjustment_category", "adjustment_category"}, {"adjustment_rate", "adjustment_rate"},
	{"adjustment_amount", "adjustment_amount_cents"},
}

// creditorFields name the registration by which a subscriber is debited.
var creditorFields = []struct{ own, block string }{
	{"creditor_profile_code", "profile_code"}, {"creditor_abbreviated_name", "abbreviated_name"},
	{"creditor_account_number", "account_number"},
}

func (d Debit) text(name string) string { text, _ := d.Fields[name].(string); return text }

func (d Debit) has(name string) bool { return d.Fields[name] != nil }

func (d Debit) yes(name string, place *bool) {
	if b, ok := d.Fields[name].(bool); ok {
		*place = b
	}
}

// Whole reads a number as it was given, or as it comes back from a store.
func (d Debit) Whole(name string) *int64 {
	switch n := d.Fields[name].(type) {
	case int64:
		return &n
	case json.Number:
		if whole, err := n.Int64(); err == nil {
			return &whole
		}
	case float64:
		whole := int64(n) // exact: nothing kept here reaches 2 to the 53rd
		return &whole
	}
	return nil
}

// terms are the names of the fields for the bank to confirm that the subscriber brings.
func (d Debit) terms() (given []string) {
	for _, f := range termFields {
		if d.has(f.own) {
			given = append(given, f.mandate)
		}
	}
	return given
}

func (d Debit) creditor() bool {
	return slices.ContainsFunc(creditorFields, func(f struct{ own, block string }) bool { return d.text(f.own) != "" })
}

// over puts the subscriber's own terms over those of the template, field by field. What cannot stand beside a field of
// the subscriber's own gives way to it.
func (d Debit) over(a mandate.Ask) mandate.Ask {
	a.ValueType = cmp.Or(d.text("value_type"), a.ValueType)
	a.AuthenticationType = cmp.Or(d.text("authentication_type"), a.AuthenticationType)
	a.AdjustmentCategory = cmp.Or(d.text("adjustment_category"), a.AdjustmentCategory)
	a.DebitSequence = cmp.Or(a.DebitSequence, string(mandate.Recurring))
	d.yes("do_delayed_on_auth_failure", &a.DelayedOnFailure)
	d.yes("verify_account", &a.VerifyAccount)
	d.yes("allow_date_adjustment", &a.AllowDateAdjustment)
	if most := d.Whole("max_amount_cents"); most != nil {
		a.MaxAmountCents = most
	}
	byRate, byAmount := d.has("adjustment_rate"), d.has("adjustment_amount")
	if byRate || byAmount || d.text("value_type") == string(mandate.Fixed) ||
		d.text("adjustment_category") == string(mandate.Never) {
		a.AdjustmentRate, a.AdjustmentAmountCents = nil, nil
	}
	if byRate {
		if rate, err := decimal.NewFromString(d.text("adjustment_rate")); err == nil {
			a.AdjustmentRate = &rate
		}
	}
	if byAmount {
		a.AdjustmentAmountCents = d.Whole("adjustment_amount")
	}
	return a
}

// withOwn is the pattern of one subscriber under the terms that the subscriber brings, with everything that is wrong
// with them beside those of the template, at the subscriber's names (API contract 12.34). A subscriber who brings terms
// to be confirmed at the bank and no methods is asked by DebiCheck.
func (o order) withOwn(by *purchase.Service, p purchase.Purchase) (purchase.Purchase, fault.Problems) {
	d := o.sub.Debit
	if days := d.Whole("tracking_period"); days != nil {
		n := int(*days)
		p.Details.TrackingDays = &n
	}
	if times := d.Whole("realtime_auth_retries"); times != nil {
		p.Details.AuthRetries = int(*times)
	}
	given := d.terms()
	if len(given) == 0 && !d.creditor() {
		return p, nil
	}
	var w fault.Problems
	q := p
	switch {
	case o.sub.Whitelist != nil:
		q.Options.Whitelist = o.sub.Whitelist
	case len(given) > 0:
		q.Options.Whitelist = []string{purchase.DebiCheck}
	}
	if len(given) > 0 && len(q.Options.Whitelist) != 1 {
		w.Add("payment_method_whitelist", "invalid_payment_method_whitelist",
			"With terms of a DebiCheck mandate this must be exactly [\"debicheck\"], or left out.")
		return p, w
	}
	in := purchase.DirectDebitInput{ProfileCode: d.text("creditor_profile_code"),
		AbbreviatedName: d.text("creditor_abbreviated_name"), AccountNumber: d.text("creditor_account_number"),
		MandateFields: given}
	var ask mandate.Ask
	if was := p.Details.DirectDebit; was != nil {
		in.ProfileCode, in.AbbreviatedName = cmp.Or(in.ProfileCode, was.ProfileCode), cmp.Or(in.AbbreviatedName,
			was.AbbreviatedName)
		in.AccountNumber, in.PeriodUnits = cmp.Or(in.AccountNumber, was.AccountNumber), was.PeriodUnits
		if day := was.DeductionDay; day != 0 {
			in.DeductionDay = &day
		}
		if was.Terms != nil {
			ask = was.Terms.Ask()
		}
	} else if o.t.IsSubscription {
		in.PeriodUnits = string(o.t.Plan.Units)
	}
	if slices.Equal(q.Options.Whitelist, []string{purchase.DebiCheck}) {
		ask = d.over(ask)
		in.Ask = &ask
	}
	var wrong fault.Problems
	q.Details.DirectDebit = by.Block(&wrong, in, o.brand, q)
	for _, f := range wrong {
		f.Path = ownPath(f.Path)
		if !w.Has(f.Path) {
			w = append(w, f)
		}
	}
	if len(w) > 0 {
		return p, w
	}
	return q, nil
}

// ownPath is where a problem of a debit-order block stands at a subscriber.
func ownPath(path string) string {
	field, is := strings.CutPrefix(path, purchase.DirectDebitAt+".")
	if !is {
		return path
	}
	for _, f := range termFields {
		if f.mandate == field {
			return ownPrefix + f.own
		}
	}
	for _, f := range creditorFields {
		if f.block == field {
			return ownPrefix + f.own
		}
	}
	return fault.All
}

// Who is asked, and for which account: the subscriber's own particulars over those of the client. An account
// of its own comes with its own branch and type.
func (d Debit) payer(of client.Details) client.Details {
	if name := strings.TrimSpace(d.text("debtor_first_name") + " " + d.text("debtor_last_name")); name != "" {
		of.FullName = name
	}
	if d.DebtorID != "" {
		of.PersonalCode = bank.CleanID(d.DebtorID.Reveal())
	}
	of.Phone = cmp.Or(d.text("debtor_phone_number"), of.Phone)
	if number := bank.CleanAccount(d.DebtorAccount.Reveal()); number != "" && number != of.BankAccount {
		of.BankAccount, of.BankCode, of.AccountType = number, "", ""
	}
	of.BankCode = cmp.Or(bank.CleanBranch(d.text("debtor_branch_code")), of.BankCode)
	of.AccountType = cmp.Or(bank.AccountType(d.text("debtor_account_type")), of.AccountType)
	return of
}

// checkDebtor holds the account that is asked for against the rules on accounts, as far as it was given.
func (d Debit) checkDebtor(w *fault.Problems, of client.Details, now calendar.Date) {
	who := d.payer(of)
	note := func(field string, problems []bank.Problem) {
		for _, p := range problems {
			if at := ownPrefix + "debtor_" + field; !w.Has(at) {
				w.Add(at, p.Code, "%s", p.Message)
			}
		}
	}
	if d.DebtorAccount != "" && who.BankCode != "" || d.text("debtor_branch_code") != "" && who.BankAccount != "" {
		for _, p := range who.AccountProblems() {
			at := map[string]string{bank.FieldAccount: "account_number", bank.FieldBranch: "branch_code"}[p.Field]
			note(cmp.Or(at, "account_type"), []bank.Problem{p})
		}
	}
	if d.DebtorID != "" {
		note("id_number", who.IdentityProblems(now))
	}
	if d.text("debtor_phone_number") != "" {
		note("phone_number", who.PhoneProblems())
	}
}

// checkOwn reports what is wrong with the price and the terms of a subscriber together, beside those of the template.
func (s *Service) checkOwn(w *fault.Problems, o order, was Debit, first *int64) {
	d := o.sub.Debit
	d.checkDebtor(w, o.payer, today(s.Now()))
	if at := ownPrefix + "reference_number"; o.sub.Reference != "" && d.text("reference_number") != "" &&
		o.sub.Reference != d.text("reference_number") && !w.Has(at) {
		w.Add(at, "invalid", "The reference of the invoices is %q (invoice_reference). Give the same here, or leave it out.",
			o.sub.Reference)
	}
	if times, most := d.Whole("realtime_auth_retries"), int64(s.Purchases.Limits.MostTries-1); times != nil &&
		*times > most && !w.Has(ownPrefix+"realtime_auth_retries") {
		w.Add(ownPrefix+"realtime_auth_retries", "max_value", "Ensure this value is less than or equal to %d.", most)
	}
	p, wrong := o.sub.Override.apply(o.t)
	if len(wrong) > 0 {
		return // it is said at the price
	}
	p, wrong = o.withOwn(s.Purchases, p)
	for _, f := range wrong {
		if !w.Has(f.Path) {
			*w = append(*w, f)
		}
	}
	if len(wrong) > 0 {
		return
	}
	p = p.For(o.sub.ClientID, o.payer, o.sub.Whitelist)
	if dd := p.Details.DirectDebit; o.sub.Override.Every() != nil && dd != nil && dd.Terms != nil &&
		p.TotalCents > dd.Terms.MaxAmountCents && !w.Has("invoice_override") {
		w.Add("invoice_override."+fault.All, "max_value", "The mandate of this template allows %d cents a debit at most.",
			dd.Terms.MaxAmountCents)
	}
	checkFirst(w, p, first)
	if list := p.Options.Whitelist; list != nil && !slices.Contains(list, purchase.DebiCheck) {
		for _, name := range []string{"tracking_period", "realtime_auth_retries"} {
			if at := ownPrefix + name; d.has(name) && d.Fields[name] != was.Fields[name] && !w.Has(at) {
				w.Add(at, "invalid", "This field belongs to debicheck; leave it out for eft.")
			}
		}
	}
}

// once refuses what only periods have, for a single invoice.
func (in *SubscriberInput) once(w *fault.Problems) {
	const never = "A one-time invoice has no periods; leave this out."
	if at := "subscription_first_amount_cents"; in.First != nil && !w.Has(at) {
		w.Add(at, "invalid", never)
	}
	if at := "subscription_confirm_each_order"; in.Switches.ConfirmEachOrder && !w.Has(at) {
		w.Add(at, "invalid", never)
	}
	if at := ownPrefix + releaseDate; in.Debit.has(releaseDate) && !w.Has(at) {
		w.Add(at, "invalid", never)
	}
}
