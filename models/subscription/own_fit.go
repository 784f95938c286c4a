package subscription

import (
	"context"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// fits tells whether the debits of a subscription may run from a stored account: the mandate allows the price and that
// of the first period, and both agree with what the subscriber brings.
func (s *Service) fits(ctx context.Context, o order, day calendar.Date) func(purchase.Forecast) (bool, error) {
	var amounts []int64
	o.t = o.t.On(day)
	p := s.pattern(o)
	if first := o.sub.Override.first(); first != nil && *first > 0 {
		amounts = append(amounts, *first)
	}
	if p.TotalCents > 0 {
		amounts = append(amounts, p.TotalCents)
	}
	return func(f purchase.Forecast) (bool, error) {
		d := o.sub.Debit
		if same, err := s.sameAccount(ctx, f.Token, d.DebtorAccount); !same || err != nil {
			return false, err
		}
		if f.Mandate.Kind != mandate.DebiCheck {
			return len(d.terms()) == 0, nil
		}
		for _, cents := range amounts {
			if f.Mandate.AgainstAmount(cents, day) != "" {
				return false, nil
			}
		}
		return len(d.against(f.Mandate)) == 0, nil
	}
}

// sameAccount tells whether a stored account has a number that was given; every account has one that was left out. The
// number of a token is sealed for the bank: the purchase that stored it knows it.
func (s *Service) sameAccount(ctx context.Context, t token.Token, number bank.AccountNumber) (bool, error) {
	number = bank.CleanAccount(number.Reveal())
	if number == "" {
		return true, nil
	}
	if number.String() != t.AccountMask {
		return false, nil
	}
	p, err := s.Purchases.Store.Purchase(ctx, t.MerchantID, t.ID)
	return p.Payer.BankAccount == number, err
}

// against are the fields of a subscriber that a mandate which the client confirmed says otherwise.
func (d Debit) against(m mandate.Mandate) (fields []string) {
	if m.Terms == nil {
		return nil
	}
	asked := d.over(m.Terms.Ask())
	was := m.Terms.Ask()
	differs := map[string]bool{
		"value_type":            asked.ValueType != was.ValueType,
		"allow_date_adjustment": asked.AllowDateAdjustment != was.AllowDateAdjustment,
		"max_amount_cents":      *asked.MaxAmountCents != *was.MaxAmountCents,
		"adjustment_category":   asked.AdjustmentCategory != was.AdjustmentCategory,
		"adjustment_rate": asked.AdjustmentRate != nil && (was.AdjustmentRate == nil ||
			!asked.AdjustmentRate.Equal(*was.AdjustmentRate)),
		"adjustment_amount": asked.AdjustmentAmountCents != nil && (was.AdjustmentAmountCents == nil ||
			*asked.AdjustmentAmountCents != *was.AdjustmentAmountCents),
		"creditor_profile_code":     d.text("creditor_profile_code") != m.ProfileCode,
		"creditor_abbreviated_name": d.text("creditor_abbreviated_name") != m.AbbreviatedName,
		"creditor_account_number":   d.text("creditor_account_number") != m.ClearingAccount,
	}
	for _, f := range termFields {
		if d.has(f.own) && differs[f.own] {
			fields = append(fields, ownPrefix+f.own)
		}
	}
	for _, f := range creditorFields {
		if d.text(f.own) != "" && differs[f.own] {
			fields = append(fields, ownPrefix+f.own)
		}
	}
	return fields
}
