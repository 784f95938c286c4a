package mandate_test

import (
	"strings"
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
)

func permission() (mandate.Mandate, merchant.Brand, mandate.Start) {
	return mandate.Mandate{HolderName: "Thandi Nkosi", AccountMask: "•••• 7890", BankCode: "470010",
			AccountType:     bank.Savings,
			AbbreviatedName: "CAPEFIT", PeriodUnits: "months", DeductionDay: 1, AmountCents: 49900},
		merchant.Brand{BrandInput: merchant.BrandInput{Name: "Cape Fitness",
			LegalName: "Cape Fitness Holdings (Pty) Ltd", Email: "accounts@capefitness.example"}},
		mandate.Start{Currency: "ZAR", FirstDebit: calendar.On(2026, 12, 1)}
}

func TestThePermissionNamesEverythingThatAMandateMustName(t *testing.T) {
	text := mandate.Wording(permission())
	for _, must := range []string{"Thandi Nkosi", "authorise Cape Fitness Holdings (Pty) Ltd (trading as Cape Fitness)",
		"savings account ••••\u00a07890",
		"Capitec, branch 470010", "R\u00a0499,00 on Tuesday 1 December 2026", "the 1st of the month", "CAPEFIT",
		"20 ordinary working days",
		"accounts@capefitness.example", "the ordinary business day before"} {
		if !strings.Contains(text, must) {
			t.Errorf("the text lacks %q:\n%s", must, text)
		}
	}
}

func TestThePermissionFitsWhatIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*mandate.Mandate, *merchant.Brand, *mandate.Start)
		want   string
	}{
		"nothing is collected": {func(_ *mandate.Mandate, _ *merchant.Brand, t *mandate.Start) {
			t.FirstDebit = calendar.Date{}
		}, "Nothing is debited now."},
		"the name is not known": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) { m.HolderName = "" },
			"I, the account holder named on this form,"},
		"nor is the account": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) { m.AccountMask = "" },
			"debit the bank account given on this form by"},
		"the last day": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) { m.DeductionDay = 99 },
			"normally on the last day of the month."},
		"the 3rd": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) { m.DeductionDay = 3 },
			"the 3rd of the month"},
		"the 12th": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) { m.DeductionDay = 12 },
			"the 12th of the month"},
		"the 22nd": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) { m.DeductionDay = 22 },
			"the 22nd of the month"},
		"Sundays are day seven": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) {
			m.PeriodUnits, m.DeductionDay = "weeks", 7
		}, "normally on Sundays."},
		"days have no fixed day": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) {
			m.PeriodUnits, m.DeductionDay = "days", 0
		}, "the dates that we agreed, as often as every day."},
		"nobody chose the day": {func(_ *mandate.Mandate, _ *merchant.Brand, t *mandate.Start) { t.AnyDay = true },
			"the dates that we agreed."},
		"no period": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) { m.PeriodUnits = "" },
			"the dates that we agreed."},
		"a reference is known": {func(m *mandate.Mandate, _ *merchant.Brand, _ *mandate.Start) {
			m.ContractReference = "DD0000000042"
		}, "shown as CAPEFIT with the contract reference DD0000000042."},
		"or will be given": {func(*mandate.Mandate, *merchant.Brand, *mandate.Start) {},
			"shown as CAPEFIT with the contract reference of this authority."},
		"it ends": {func(*mandate.Mandate, *merchant.Brand, *mandate.Start) {}, "ends when I cancel it"},
		"moved to the next day": {func(_ *mandate.Mandate, b *merchant.Brand, _ *mandate.Start) { b.Shift = calendar.Next },
			"the next ordinary business day."},
		"one name": {func(_ *mandate.Mandate, b *merchant.Brand, _ *mandate.Start) { b.LegalName = "" },
			"authorise Cape Fitness to debit"},
		"no address on record": {func(_ *mandate.Mandate, b *merchant.Brand, _ *mandate.Start) { b.Email = "" },
			"notice in writing. Cancelling"},
	} {
		m, b, terms := permission()
		c.change(&m, &b, &terms)
		if text := mandate.Wording(m, b, terms); !strings.Contains(text, c.want) {
			t.Errorf("%s: the text lacks %q:\n%s", name, c.want, text)
		}
	}
}
