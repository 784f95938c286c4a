package mandate_test

import (
	"slices"
	"strings"
	"testing"

	"debitdesk/models/mandate"
)

// plain makes amounts easy to type.
func plain(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

func explain(change func(*mandate.Mandate)) mandate.Explanation {
	m := accepted(change)
	return m.Terms.Explain(m, "ZAR")
}

func TestWhatTheBankAllowsIsOneSentence(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*mandate.Mandate)
		want   string
	}{
		"variable": {
			nil,
			"The bank will allow one debit of up to R 1 500,00 each month, on the 25th; " +
				"an amount other than R 1 000,00 may be disputed."},
		"usage": {func(m *mandate.Mandate) { m.Terms.ValueType = mandate.UsageBased },
			"The bank will allow one debit of up to R 1 500,00 each month, on the 25th; " +
				"an amount other than R 1 000,00 may be disputed."},
		"fixed": {func(m *mandate.Mandate) { m.Terms.ValueType, m.Terms.MaxAmountCents = mandate.Fixed, 100000 },
			"The bank will allow one debit of exactly R 1 000,00 each month, on the 25th; no other amount."},
		"usage of nothing": {func(m *mandate.Mandate) { m.Terms.ValueType, m.Terms.PriceCents = mandate.UsageBased, 0 },
			"The bank will allow one debit of up to R 1 500,00 each month, on the 25th; " +
				"every debit may be disputed, because the price is R 0,00."},
		"another day": {func(m *mandate.Mandate) { m.Terms.AllowDateAdjustment = true },
			"The bank will allow one debit of up to R 1 500,00 each month, normally on the 25th; " +
				"an amount other than R 1 000,00 or another day may be disputed."},
		"fixed on another day": {func(m *mandate.Mandate) {
			m.Terms.ValueType, m.Terms.AllowDateAdjustment = mandate.Fixed,
				true
		},
			"The bank will allow one debit of exactly R 1 000,00 each month, normally on the 25th; " +
				"another day may be disputed."},
		"last day": {func(m *mandate.Mandate) { m.DeductionDay = 99 },
			"The bank will allow one debit of up to R 1 500,00 each month, on the last day of the month; " +
				"an amount other than R 1 000,00 may be disputed."},
		"weeks": {func(m *mandate.Mandate) { m.PeriodUnits, m.DeductionDay = "weeks", 5 },
			"The bank will allow one debit of up to R 1 500,00 each week, on Fridays; " +
				"an amount other than R 1 000,00 may be disputed."},
		"days": {func(m *mandate.Mandate) { m.PeriodUnits, m.DeductionDay, m.Terms.AllowDateAdjustment = "days", 0, true },
			"The bank will allow one debit of up to R 1 500,00 each day; an amount other than R 1 000,00 may be disputed."},
		"once": {func(m *mandate.Mandate) { m.Terms.DebitSequence = mandate.OnceOff },
			"The bank will allow one debit in all, of up to R 1 500,00, on the 25th; " +
				"an amount other than R 1 000,00 may be disputed."},
		"once, fixed": {func(m *mandate.Mandate) {
			m.Terms.DebitSequence, m.Terms.ValueType = mandate.OnceOff,
				mandate.Fixed
		},
			"The bank will allow one debit in all, of exactly R 1 000,00, on the 25th; no other amount."},
		"no type yet":    {func(m *mandate.Mandate) { m.Terms.ValueType = "" }, ""},
		"no maximum yet": {func(m *mandate.Mandate) { m.Terms.MaxAmountCents = 0 }, ""},
	} {
		if got := plain(explain(c.change).Allowed); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWhatCouldBeDisputedIsListed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*mandate.Mandate)
		want   []string
	}{
		"fixed": {func(m *mandate.Mandate) { m.Terms.ValueType = mandate.Fixed },
			[]string{"A second debit in the same month."}},
		"variable": {nil, []string{"A debit of an amount other than R 1 000,00.", "A second debit in the same month."}},
		"everything": {func(m *mandate.Mandate) { m.Terms.AllowDateAdjustment, m.Terms.DelayedOnFailure = true, true },
			[]string{"Every debit, if the client does not answer in time and the fallback takes over.",
				"A debit of an amount other than R 1 000,00.", "A debit that does not run on the 25th.",
				"A second debit in the same month."}},
		"under the fallback": {func(m *mandate.Mandate) {
			m.Fallback, m.Terms.DelayedOnFailure, m.Terms.ValueType = true, true, mandate.Fixed
		},
			[]string{"Every debit, because the mandate rests on the fallback."}},
	} {
		got := explain(c.change).Disputable
		for i := range got {
			got[i] = plain(got[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAdjustmentsAreSaidWithTheirFirstOutcome(t *testing.T) {
	for want, change := range map[string]func(*mandate.Mandate){
		"Price and maximum never change.": nil,
		"":                                func(m *mandate.Mandate) { m.Terms.AdjustmentCategory = "" },
		"Every 12 months after acceptance, price and maximum rise by 6 %: the first time to R 1 060,00 and R 1 590,00.": func(
			m *mandate.Mandate) {
			m.Terms.AdjustmentCategory, m.Terms.AdjustmentRate = mandate.Annually, rate("6")
		},
		"Every 6 months after acceptance, price and maximum fall by 0.5 %: the first time to R 995,00 and R 1 492,50.": func(
			m *mandate.Mandate) {
			m.Terms.AdjustmentCategory, m.Terms.AdjustmentRate = mandate.Biannually, rate("-0.50")
		},
		"Every 3 months after acceptance, price and maximum rise by R 25,05: " +
			"the first time to R 1 025,05 and R 1 525,05.": func(m *mandate.Mandate) {
			m.Terms.AdjustmentCategory, m.Terms.AdjustmentAmountCents = mandate.Quarterly, ref(int64(2505))
		},
		"Every 3 months after acceptance, price and maximum fall by R 25,00: " +
			"the first time to R 975,00 and R 1 475,00.": func(m *mandate.Mandate) {
			m.Terms.AdjustmentCategory, m.Terms.AdjustmentAmountCents = mandate.Quarterly, ref(int64(-2500))
		},
		"Price and maximum are tied to the repo rate, which changes on no fixed date. " +
			"Debits are checked against the amounts that the client authenticated.": func(m *mandate.Mandate) {
			m.Terms.AdjustmentCategory, m.Terms.AdjustmentRate = mandate.Repo, rate("1")
		},
	} {
		if got := plain(explain(change).Adjusts); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWarningsAppearWhereTheyBelong(t *testing.T) {
	for text, c := range map[string]struct{ with, without func(*mandate.Mandate) }{
		"FIXED means that every debit is exactly the same": {func(m *mandate.Mandate) { m.Terms.ValueType = mandate.Fixed },
			nil},
		"A maximum above R 500 000,00 may alarm the client": {
			func(m *mandate.Mandate) { m.Terms.ValueType, m.Terms.MaxAmountCents = mandate.UsageBased, 50_000_001 },
			func(m *mandate.Mandate) { m.Terms.ValueType, m.Terms.MaxAmountCents = mandate.UsageBased, 50_000_000 }},
		"the scheme now calls this a registered mandate": {func(m *mandate.Mandate) { m.Terms.DelayedOnFailure = true }, nil},
		"The maximum is below the price of R 1 000,00": {func(m *mandate.Mandate) { m.Terms.MaxAmountCents = 99999 },
			func(m *mandate.Mandate) { m.Terms.MaxAmountCents = 100000 }},
		"the adjustment changes nothing": {
			func(m *mandate.Mandate) {
				m.Terms.DebitSequence, m.Terms.AdjustmentCategory = mandate.OnceOff, mandate.Annually
			},
			func(m *mandate.Mandate) { m.Terms.DebitSequence = mandate.OnceOff }},
	} {
		says := func(change func(*mandate.Mandate)) bool {
			return strings.Contains(plain(strings.Join(explain(change).Warnings, " ")), text)
		}
		if !says(c.with) || says(c.without) {
			t.Errorf("%q: with %v, without %v", text, says(c.with), says(c.without))
		}
	}
}
