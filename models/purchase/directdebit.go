package purchase

import (
	"cmp"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
)

const directDebitAt = "purchase.payment_method_details.direct_debit"

// LastDay stands for the last day of the month (industry: 31 is no collection day).
const LastDay = mandate.LastDay

// complete checks a debit-order block against the brand's registrations and the
// rules on mandates, and fills in what was left out (API contract 4.1 to 4.3).
func (d *DirectDebitInput) complete(w *fault.Problems, b merchant.Brand, p Purchase) *DirectDebit {
	at := func(name string) string { return directDebitAt + "." + name }
	out := &DirectDebit{ProfileCode: d.ProfileCode, AbbreviatedName: d.AbbreviatedName, AccountNumber: d.AccountNumber,
		PeriodUnits: cmp.Or(d.PeriodUnits, "months")}
	d.match(w, b, out)
	if onlyDebiCheck(p.Options.Whitelist) {
		out.Terms = d.terms(w, p)
	} else {
		for _, name := range d.MandateFields {
			w.Add(at(name), "invalid", "This field belongs to debicheck; leave it out for eft.")
		}
	}
	switch out.PeriodUnits {
	case "months", "weeks", "days":
		out.DeductionDay = d.day(w, out.PeriodUnits, p)
	default:
		w.Add(at("period_units"), "invalid_choice", "%q is not a valid choice. Choose one of: months, weeks, days.",
			d.PeriodUnits)
	}
	return out
}

// terms are what the client is to authenticate. Where the product lines are wrong
// there is no price yet, and the limits that follow from it are not checked.
func (d *DirectDebitInput) terms(w *fault.Problems, p Purchase) *mandate.Terms {
	var ask mandate.Ask
	if d.Ask != nil {
		ask = *d.Ask
	}
	price, wrong := p.Details.LinesCents()
	total := p.TotalCents
	if len(wrong) > 0 || len(p.Details.Products) == 0 {
		price, total = money.MaxCents, 0
	}
	terms := ask.Check(w, directDebitAt, price, total)
	if d.Ask == nil {
		return nil
	}
	return &terms
}

// match finds the registration that fits what was given.
func (d *DirectDebitInput) match(w *fault.Problems, b merchant.Brand, out *DirectDebit) {
	if b.MerchantID != (merchant.Brand{}).MerchantID && len(b.Profiles) == 0 {
		for name, given := range map[string]string{"profile_code": d.ProfileCode, "abbreviated_name": d.AbbreviatedName,
			"account_number": d.AccountNumber} {
			if given == "" {
				w.Add(directDebitAt+"."+name, "required",
					"This brand has no debit-order profile; give one that the bank has registered.")
			} else {
				w.Add(directDebitAt+"."+name, "does_not_exist", "%q is not registered for this brand.", given)
			}
		}
		return
	}
	for _, p := range b.Profiles {
		if fits(d.ProfileCode, p.ProfileCode) && fits(d.AbbreviatedName, p.AbbreviatedName) &&
			fits(d.AccountNumber, p.AccountNumber) {
			out.ProfileCode, out.AbbreviatedName, out.AccountNumber = p.ProfileCode, p.AbbreviatedName, p.AccountNumber
			return
		}
	}
	known := func(given string, of func(merchant.Profile) string, name string) bool {
		for _, p := range b.Profiles {
			if fits(given, of(p)) {
				return true
			}
		}
		if len(b.Profiles) > 0 {
			w.Add(directDebitAt+"."+name, "does_not_exist", "%q is not registered for this brand.", given)
		}
		return false
	}
	code := known(d.ProfileCode, func(p merchant.Profile) string { return p.ProfileCode }, "profile_code")
	name := known(d.AbbreviatedName, func(p merchant.Profile) string { return p.AbbreviatedName }, "abbreviated_name")
	account := known(d.AccountNumber, func(p merchant.Profile) string { return p.AccountNumber }, "account_number")
	if code && name && account && len(b.Profiles) > 0 {
		w.Add(directDebitAt+".profile_code", "does_not_exist",
			"The profile code, name and account are registered, but not together.")
	}
}

func fits(given, registered string) bool { return given == "" || given == registered }

// day is the deduction day; left out, it is the SAST day of due.
func (d *DirectDebitInput) day(w *fault.Problems, units string, p Purchase) int {
	at := directDebitAt + ".deduction_day"
	due := calendar.DateOf(p.Due)
	if units == "days" {
		return 0
	}
	if d.DeductionDay == nil {
		if units == "weeks" {
			return due.ISOWeekday()
		}
		if due.Day == 31 {
			return LastDay
		}
		return due.Day
	}
	day := *d.DeductionDay
	switch {
	case units == "weeks" && (day < 1 || day > 7):
		w.Add(at, "invalid", "For weeks this is 1 (Monday) to 7 (Sunday).")
	case units == "months" && day == 31:
		w.Add(at, "invalid", "31 is not a deduction day; use 99 for the last day of the month.")
	case units == "months" && day != LastDay && (day < 1 || day > 30):
		w.Add(at, "invalid", "For months this is 1 to 30, or 99 for the last day of the month.")
	}
	return day
}

// checkAccount applies the rules of the client's bank, now that a debit order
// will use the account (API contract 12.4).
func checkAccount(w *fault.Problems, p *Purchase, in *Input) {
	for _, problem := range p.Payer.AccountProblems() {
		if in.Client != nil {
			w.Add("client."+problem.Field, problem.Code, "%s", problem.Message)
			continue
		}
		w.Add("client_id", problem.Code, "The client’s bank details cannot be used: %s", problem.Message)
	}
}
