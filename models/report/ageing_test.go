package report_test

import (
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/report"
)

func TestArrearsHaveTheAgeOfTheirDueDay(t *testing.T) {
	due := calendar.On(2026, 1, 31)
	for days, want := range map[int]report.Age{-20: report.NotDue, 0: report.NotDue, 1: report.To30, 30: report.To30,
		31: report.To60, 60: report.To60, 61: report.To90, 90: report.To90, 91: report.Over90, 400: report.Over90} {
		if got := report.AgeOf(due, due.AddDays(days)); got != want {
			t.Errorf("%d days after the due day: %s, want %s", days, got.Words(), want.Words())
		}
	}
}

// The days that a report leads to are those of the rule.
func TestAnAgeLeadsToItsDueDays(t *testing.T) {
	day := calendar.On(2026, 11, 29)
	for ago := -3; ago < 200; ago++ {
		due := day.AddDays(-ago)
		for _, age := range report.Ages {
			from, to := age.Due(day)
			within := (from.IsZero() || !due.Before(from)) && (to.IsZero() || !due.After(to))
			if within != (report.AgeOf(due, day) == age) {
				t.Errorf("due %d days ago: %s is from %s to %s", ago, age.Words(), from, to)
			}
		}
	}
}

func TestTheAgesOfAnAccountComeToWhatItOwes(t *testing.T) {
	day := calendar.On(2026, 11, 29)
	a := report.Account{AsOf: day}
	for ago, cents := range map[int]int64{-5: 100, 0: 20, 12: 3000, 45: 40_000, 90: 500_000, 91: 6_000_000} {
		a.Lines = append(a.Lines, report.AccountLine{Due: day.AddDays(-ago).At(12, 0),
			Standing: report.Standing{Status: "overdue", TotalCents: cents}})
	}
	want := report.Ageing{money.SumOf(120), money.SumOf(3000), money.SumOf(40_000), money.SumOf(500_000),
		money.SumOf(6_000_000)}
	if got := a.Ageing(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
