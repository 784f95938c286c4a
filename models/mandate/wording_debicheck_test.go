package mandate_test

import (
	"strings"
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
)

func debicheck(change func(*mandate.Mandate)) string {
	m, b, start := permission()
	m.Kind, m.AmountCents, m.Terms = mandate.DebiCheck, 100000, ref(terms(nil))
	if change != nil {
		change(&m)
	}
	return plain(mandate.Wording(m, b, start))
}

func TestADebiCheckPermissionNamesTheTermsToo(t *testing.T) {
	text := debicheck(nil)
	for _, must := range []string{"I, Thandi Nkosi, authorise Cape Fitness Holdings (Pty) Ltd (trading as Cape Fitness)",
		"savings account •••• 7890", "by DebiCheck debit order",
		"My bank asks me to confirm this mandate", "R 1 000,00 on Tuesday 1 December 2026",
		"normally on the 1st of the month",
		"The amount may vary (VARIABLE): it is normally R 1 000,00, " +
			"and never above the maximum of R 1 500,00.",
		"The amount and the maximum are not adjusted.",
		"moves to the next day on which DebiCheck debits run", "No debit may run on any other day.",
		"watch it for up to 10 days",
		"CAPEFIT with the contract reference", "20 ordinary working days", "accounts@capefitness.example",
		"only together with that agreement"} {
		if !strings.Contains(text, must) {
			t.Errorf("the text lacks %q:\n%s", must, text)
		}
	}
	if strings.Contains(text, "EFT") || strings.Contains(text, "the ordinary business day before") {
		t.Errorf("the text speaks of EFT:\n%s", text)
	}
}

func TestADebiCheckPermissionFitsItsTerms(t *testing.T) {
	for want, change := range map[string]func(*mandate.Mandate){
		"The amount is fixed (FIXED): each debit is R 1 000,00, and never above the maximum of R 1 000,00.": func(
			m *mandate.Mandate) {
			m.Terms.ValueType, m.Terms.MaxAmountCents = mandate.Fixed, 100000
		},
		"The amount follows what I use (USAGEBASED): it is normally R 1 000,00, " +
			"and never above the maximum of R 1 500,00.": func(m *mandate.Mandate) { m.Terms.ValueType = mandate.UsageBased },
		"Every 12 months the amount and the maximum rise by 6 %.": func(m *mandate.Mandate) {
			m.Terms.AdjustmentCategory, m.Terms.AdjustmentRate = mandate.Annually, rate("6")
		},
		"The amount and the maximum may fall by R 5,00 when the repo rate changes.": func(m *mandate.Mandate) {
			m.Terms.AdjustmentCategory, m.Terms.AdjustmentAmountCents = mandate.Repo, ref(int64(-500))
		},
		"A debit may also run on another day than the one agreed; I may dispute such a debit.": func(m *mandate.Mandate) {
			m.Terms.AllowDateAdjustment = true
		},
		"This authority is for that one debit, for what I owe Cape Fitness": func(m *mandate.Mandate) {
			m.Terms.DebitSequence = mandate.OnceOff
		},
	} {
		if text := debicheck(change); !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	m, b, start := permission()
	m.Terms, b.DebiCheckShift, start.TrackDays = ref(terms(nil)), calendar.Previous, ref(3)
	if text := mandate.Wording(m, b, start); !strings.Contains(text,
		"moves to the next day on which DebiCheck debits run") { // the bank takes none on the day before
		t.Errorf("another day is promised than the bank takes:\n%s", text)
	}
	m.Terms.AllowDateAdjustment = true
	for _, want := range []string{"moves to the day before, on which DebiCheck debits run", "for up to 3 days"} {
		if text := mandate.Wording(m, b, start); !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

// The first debit has a date of its own; the text says so where that is not the day of the others.
func TestTheFirstDebitMayRunOnAnotherDayThanTheRest(t *testing.T) {
	m, b, start := permission()
	m.Kind, m.Terms, m.DeductionDay, start.FirstDebit = mandate.DebiCheck, ref(terms(nil)), 25, calendar.On(2026, 12, 18)
	text := plain(mandate.Wording(m, b, start))
	for _, must := range []string{"on Friday 18 December 2026",
		"normally on the 25th of the month. Each month has one debit; I may dispute a second one.",
		"Apart from the first debit, which runs on the date named above, no debit may run on any other day."} {
		if !strings.Contains(text, must) {
			t.Errorf("the text lacks %q:\n%s", must, text)
		}
	}
	if strings.Contains(text, "No debit may run on any other day") {
		t.Errorf("the text contradicts itself:\n%s", text)
	}
}
