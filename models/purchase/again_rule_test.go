package purchase

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/rulebook"
	"debitdesk/models/token"
)

// The mandate names the 25th: an instalment is debited once for it, and again on the next 25th at the earliest.
func TestAnInstalmentIsDebitedOnceForEachDateOfItsMandate(t *testing.T) {
	account := token.Token{ID: uuid.New()}
	m := mandate.Mandate{Kind: mandate.EFT, PeriodUnits: "months", DeductionDay: 25}
	rules, cal := rulebook.Default(), calendar.New()
	tt := collection.DefaultTimetable()
	failed := func(named, debited calendar.Date, code string) collection.Collection {
		return collection.Collection{Method: bank.EFT, State: collection.Unpaid, TokenID: account.ID, Attempt: 1,
			OriginalDate: named, ActionDate: debited, Result: collection.ResultOf(code)}
	}
	september, october := calendar.On(2026, time.September, 25), calendar.On(2026, time.October, 25)
	first := failed(september, september, "02")
	if got := notBefore(first, account, m, rules); got != october {
		t.Errorf("a debit of 25 September may run again from %s, want 25 October", got)
	}
	second := tt.ActionDateFor(cal, october, calendar.Previous)
	if want := calendar.On(2026, time.October, 23); second != want {
		t.Errorf("the 25th is a Sunday: debited on %s, want %s", second, want)
	}
	if got := notBefore(failed(october, second, "02"), account, m, rules); got != calendar.On(2026, time.November, 25) {
		t.Errorf("a debit that was moved back may run again from %s: its own date is no new one", got)
	}
	if v := tt.Judge("02", 1, second); !v.Blocked {
		t.Error("the second unpaid in a row does not end the mandate: 25 November would run")
	}
	paid := tt.Judge("00", 1, second)
	if v := tt.Judge("02", paid.SoftInRow, october); v.Blocked {
		t.Error("a paid debit between two unpaids does not reset the count")
	}
	for name, free := range map[string]collection.Collection{"not run": failed(september, september, "NR"),
		"of another account": {Method: bank.EFT, State: collection.Unpaid, TokenID: uuid.New(), Attempt: 1,
			ActionDate: september, Result: collection.ResultOf("02")}} {
		if got := notBefore(free, account, m, rules); !got.IsZero() {
			t.Errorf("%s: held back until %s", name, got)
		}
	}
}

// How often is a row: a book in which it is two lets a debit that failed for the first time run again at once.
func TestHowOftenAnInstalmentIsDebitedIsReadFromTheRulebook(t *testing.T) {
	var rows []rulebook.Row
	for _, r := range rulebook.Default().Rows() {
		if r.Key == "eft.presentments_per_cycle" {
			r.Value = rulebook.Int(2)
		}
		rows = append(rows, r)
	}
	twice, err := rulebook.New(rows...)
	if err != nil {
		t.Fatal(err)
	}
	account, day := token.Token{ID: uuid.New()}, calendar.On(2026, time.September, 25)
	m := mandate.Mandate{Kind: mandate.EFT, PeriodUnits: "months", DeductionDay: 25}
	c := collection.Collection{Method: bank.EFT, State: collection.Unpaid, TokenID: account.ID, OriginalDate: day,
		ActionDate: day, Result: collection.ResultOf("02")}
	for attempt, held := range map[int]bool{1: false, 2: true, 3: false, 4: true} {
		c.Attempt = attempt
		if got := notBefore(c, account, m, twice); got.IsZero() == held {
			t.Errorf("attempt %d: not before %s", attempt, got)
		}
	}
}
