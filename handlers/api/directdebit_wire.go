package api

import (
	"encoding/json"

	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

type methodsBody struct {
	DirectDebit any `json:"direct_debit,omitempty"` // directDebitBody or mandateBody
}

type directDebitBody struct {
	ProfileCode     string `json:"profile_code"`
	AbbreviatedName string `json:"abbreviated_name"`
	AccountNumber   string `json:"account_number"`
	DeductionDay    *int   `json:"deduction_day"` // null: a template leaves it to the day of each purchase
	PeriodUnits     string `json:"period_units"`
}

// mandateBody is the block of a DebiCheck mandate (API contract 4.2).
type mandateBody struct {
	directDebitBody
	ValueType             mandate.ValueType `json:"value_type"`
	AuthenticationType    mandate.Method    `json:"authentication_type"`
	DelayedOnFailure      bool              `json:"do_delayed_on_auth_failure"`
	DebitSequence         mandate.Sequence  `json:"debit_sequence"`
	AdjustmentCategory    mandate.Category  `json:"adjustment_category"`
	AdjustmentRate        *json.Number      `json:"adjustment_rate"` // percent
	AdjustmentAmountCents *int64            `json:"adjustment_amount_cents"`
	AllowDateAdjustment   bool              `json:"allow_date_adjustment"`
	VerifyAccount         bool              `json:"verify_account"`
	MaxAmountCents        int64             `json:"max_amount_cents"`
}

func methodsOf(d *purchase.DirectDebit) methodsBody {
	if d == nil {
		return methodsBody{}
	}
	block := directDebitBody{ProfileCode: d.ProfileCode, AbbreviatedName: d.AbbreviatedName,
		AccountNumber: d.AccountNumber, PeriodUnits: d.PeriodUnits}
	if d.DeductionDay != 0 || d.PeriodUnits == "days" {
		block.DeductionDay = &d.DeductionDay
	}
	if d.Terms == nil {
		return methodsBody{block}
	}
	t := d.Terms
	out := mandateBody{directDebitBody: block, ValueType: t.ValueType, AuthenticationType: t.Authentication,
		DelayedOnFailure: t.DelayedOnFailure,
		DebitSequence:    t.DebitSequence, AdjustmentCategory: t.AdjustmentCategory,
		AdjustmentAmountCents: t.AdjustmentAmountCents,
		AllowDateAdjustment:   t.AllowDateAdjustment, VerifyAccount: t.VerifyAccount, MaxAmountCents: t.MaxAmountCents}
	if t.AdjustmentRate != nil {
		out.AdjustmentRate = ref(json.Number(t.AdjustmentRate.String()))
	}
	return methodsBody{out}
}
