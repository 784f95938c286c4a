package mandates

import (
	"context"
	"net/url"
	"strconv"

	"debitdesk/models/actor"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// presetRows is how many of the newest purchases are looked through for a mandate
// of the brand.
const presetRows = 50

// preset fills the form as the last mandate of the brand was asked for. What
// belongs to one client, such as the amounts, is not taken over.
func (h *MandateForms) preset(ctx context.Context, who actor.Actor, b merchant.Brand, form url.Values) error {
	page, err := h.Purchases.List(ctx, who, purchase.Filter{}, paging.Ask{Limit: presetRows})
	if err != nil {
		return err
	}
	for _, rec := range page.Items {
		dd := rec.Details.DirectDebit
		if rec.BrandID != b.ID || dd == nil || dd.Terms == nil {
			continue
		}
		t := dd.Terms
		form.Set("preset", "yes")
		form.Set("value_type", string(t.ValueType))
		form.Set("debit_sequence", string(t.DebitSequence))
		form.Set("adjustment_category", string(t.AdjustmentCategory))
		if t.AdjustmentRate != nil {
			form.Set("adjustment_rate", t.AdjustmentRate.String())
		}
		tick(form, "allow_date_adjustment", t.AllowDateAdjustment)
		tick(form, "do_delayed_on_auth_failure", t.DelayedOnFailure)
		tick(form, "verify_account", t.VerifyAccount)
		form.Set("period_units", dd.PeriodUnits)
		switch dd.PeriodUnits {
		case "months":
			form.Set("deduction_day", strconv.Itoa(dd.DeductionDay))
		case "weeks":
			form.Set("deduction_weekday", strconv.Itoa(dd.DeductionDay))
		}
		for _, p := range b.Profiles {
			if p.ProfileCode == dd.ProfileCode && p.AbbreviatedName == dd.AbbreviatedName &&
				p.AccountNumber == dd.AccountNumber {
				form.Set("profile_code", p.ID.String())
			}
		}
		return nil
	}
	return nil
}

func tick(form url.Values, name string, on bool) {
	form.Del(name)
	if on {
		form.Set(name, "yes")
	}
}
