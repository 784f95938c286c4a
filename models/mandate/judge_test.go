package mandate_test

import (
	"strings"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
)

var holidays = calendar.New()

func accepted(change func(*mandate.Mandate)) mandate.Mandate {
	m := mandate.Mandate{Kind: mandate.DebiCheck, State: mandate.ActiveState, PeriodUnits: "months", DeductionDay: 25,
		Terms:      ref(terms(nil)),
		AcceptedAt: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)}
	if change != nil {
		change(&m)
	}
	return m
}

func judge(t *testing.T, m mandate.Mandate, cents int64, due string) (string, string) {
	t.Helper()
	return judged(t, m, mandate.Debit{AmountCents: cents, Currency: "ZAR", Due: day(t, due)})
}

// judged gives the reasons and the refusal in words.
func judged(t *testing.T, m mandate.Mandate, d mandate.Debit) (because, refusal string) {
	t.Helper()
	why, against := m.Judge(d, holidays)
	var words []string
	for _, p := range against {
		if p.Code != "purchase_charge_error" || len(why) > 0 {
			t.Fatalf("got %v, %+v", why, p)
		}
		words = append(words, p.Message)
	}
	return strings.Join(why, " "), strings.Join(words, " ")
}

func TestAmountsAreHeldToTheTerms(t *testing.T) {
	for _, c := range []struct {
		value   mandate.ValueType
		cents   int64
		because string
		refusal string
	}{
		{mandate.Fixed, 100000, "", ""}, {mandate.Fixed, 99999, "", "must be exactly R\u00a01\u00a0000,00"},
		{mandate.Fixed, 100001, "", "must be exactly R\u00a01\u00a0000,00"},
		{mandate.Variable, 100000, "", ""}, {mandate.Variable, 99999, "amount_differs", ""},
		{mandate.Variable, 100001, "amount_differs", ""},
		{mandate.Variable, 150000, "amount_differs", ""},
		{mandate.Variable, 150001, "", "above the maximum of one debit under this mandate, R\u00a01\u00a0500,00"},
		{mandate.UsageBased, 100000, "", ""}, {mandate.UsageBased, 1, "amount_differs", ""},
		{mandate.UsageBased, 150001, "", "above the maximum"},
	} {
		m := accepted(func(m *mandate.Mandate) { m.Terms.ValueType = c.value })
		because, refusal := judge(t, m, c.cents, "2026-11-25")
		if because != c.because || c.refusal == "" && refusal != "" || !strings.Contains(refusal, c.refusal) {
			t.Errorf("%s, %d: %q %q", c.value, c.cents, because, refusal)
		}
	}
	fixed := accepted(func(m *mandate.Mandate) { m.Terms.ValueType, m.Terms.MaxAmountCents = mandate.Fixed, 50000 })
	if _, refusal := judge(t, fixed, 100000, "2026-11-25"); !strings.Contains(refusal,
		"above the maximum of one debit under this mandate, R\u00a0500,00") {
		t.Errorf("got %q", refusal)
	}
}

func TestAdjustmentsCountFromAcceptanceToTheDue(t *testing.T) {
	m := accepted(func(m *mandate.Mandate) {
		m.Terms.AdjustmentCategory, m.Terms.AdjustmentRate, m.Terms.AllowDateAdjustment, m.DeductionDay = mandate.Annually,
			rate("6"), true, 20
	})
	for _, c := range []struct {
		due     string
		cents   int64
		because string
		refused bool
	}{
		{"2027-11-19", 100000, "date_differs", false}, {"2027-11-19", 150001, "", true}, {"2027-11-20", 106000, "", false},
		{"2027-11-20", 100000, "amount_differs", false},
		{"2027-11-20", 159000, "amount_differs", false}, {"2027-11-20", 159001, "", true},
	} {
		if because, refusal := judge(t, m, c.cents, c.due); because != c.because || (refusal != "") != c.refused {
			t.Errorf("%s, %d: %q %q", c.due, c.cents, because, refusal)
		}
	}
}

func TestDaysAreHeldToTheDeductionDay(t *testing.T) {
	for _, c := range []struct {
		units string
		day   int
		due   string
		ok    bool
	}{
		{"months", 25, "2026-11-25", true}, {"months", 25, "2026-11-24", false}, {"months", 25, "2026-11-26", false},
		{"months", 25, "2026-10-25", true}, {"months", 25, "2026-10-26", true}, {"months", 25, "2026-10-24", false},
		{"months", 25, "2026-10-27", false},                                     // a Sunday
		{"months", 21, "2026-11-21", true}, {"months", 21, "2026-11-23", false}, // a Saturday is open
		{"months", 25, "2026-12-25", true}, {"months", 25, "2026-12-26", false}, {"months", 25, "2026-12-27", false},
		{"months", 25, "2026-12-28", true}, {"months", 25, "2026-12-29", false}, // Christmas to Sunday
		{"months", 99, "2026-11-30", true}, {"months", 99, "2027-02-28", true}, {"months", 99, "2028-02-28", false},
		{"months", 99, "2028-02-29", true},
		{"months", 99, "2027-03-01", true}, // 28 February 2027 is a Sunday
		{"months", 30, "2026-11-30", true}, {"months", 30, "2026-12-31", false}, {"months", 30, "2027-02-28", true},
		{"months", 30, "2027-03-01", true}, {"months", 30, "2027-03-30", true},
		{"months", 30, "2027-03-31", false}, {"months", 29, "2028-02-29", true}, {"months", 29, "2028-02-28", false},
		{"months", 30, "2028-02-29", true},
		{"months", 99, "2027-02-01", true}, // the last of January 2027 is a Sunday
		{"weeks", 1, "2026-11-23", true}, {"weeks", 1, "2026-11-24", false}, {"weeks", 7, "2026-11-22", true},
		{"weeks", 7, "2026-11-23", true}, {"weeks", 7, "2026-11-24", false},
		{"weeks", 6, "2026-11-21", true}, {"weeks", 6, "2026-11-23", false}, {"weeks", 3, "2026-12-16", true},
		{"weeks", 3, "2026-12-17", true}, {"weeks", 3, "2026-12-18", false}, // a holiday
		{"days", 0, "2026-11-22", true}, {"days", 0, "2026-12-25", true},
	} {
		for _, may := range []bool{false, true} {
			m := accepted(func(m *mandate.Mandate) {
				m.PeriodUnits, m.DeductionDay, m.Terms.AllowDateAdjustment = c.units, c.day, may
			})
			because, refusal := judge(t, m, 100000, c.due)
			if want := map[bool]string{true: "date_differs"}[may && !c.ok]; because != want ||
				(refusal != "") != (!may && !c.ok) {
				t.Errorf("%s %d, due %s, adjustable %v: %q %q", c.units, c.day, c.due, may, because, refusal)
			}
		}
	}
}

func TestARefusalNamesEveryReasonAndWhatHelps(t *testing.T) {
	m := accepted(func(m *mandate.Mandate) { m.DeductionDay = 31 })
	_, refusal := judged(t, m, mandate.Debit{AmountCents: 150001, Currency: "USD", Due: day(t, "2026-11-26")})
	for _, must := range []string{"in ZAR and the debit in USD",
		"R\u00a01\u00a0500,01 is above the maximum of one debit under this mandate, R\u00a01\u00a0500,00", "Lower the amount",
		"due on 26 November 2026", "Move the due date to 30 November 2026", "allow_date_adjustment"} {
		if !strings.Contains(refusal, must) {
			t.Errorf("%q is missing: %v", must, refusal)
		}
	}
	for want, change := range map[string]func(*mandate.Mandate){
		"debits on the 22nd only":                  func(m *mandate.Mandate) { m.DeductionDay = 22 },
		"debits on the last day of the month only": func(m *mandate.Mandate) { m.DeductionDay = 99 },
		"debits on Fridays only": func(m *mandate.Mandate) {
			m.PeriodUnits, m.DeductionDay = "weeks",
				5
		},
		"The terms of this mandate are not on record.": func(m *mandate.Mandate) { m.Terms = nil },
	} {
		if _, refusal := judge(t, accepted(change), 100000, "2026-11-26"); !strings.Contains(refusal, want) {
			t.Errorf("%q is missing: %q", want, refusal)
		}
	}
}

func TestEverythingUnderAFallbackIsDisputable(t *testing.T) {
	m := accepted(func(m *mandate.Mandate) { m.Fallback, m.Terms.AllowDateAdjustment = true, true })
	if because, _ := judge(t, m, 100000, "2026-11-25"); because != "fallback" {
		t.Errorf("got %q", because)
	}
	if because, _ := judge(t, m, 90000, "2026-11-26"); because != "fallback amount_differs date_differs" {
		t.Errorf("got %q", because)
	}
}

func TestAnEFTMandateHasNoTerms(t *testing.T) {
	because, refusal := judged(t, mandate.Mandate{Kind: mandate.EFT, PeriodUnits: "months", DeductionDay: 1},
		mandate.Debit{AmountCents: 1, Currency: "USD", Due: day(t, "2026-11-26")})
	if because != "" || refusal != "" {
		t.Errorf("got %v, %v", because, refusal)
	}
}

// The calendar may move a debit off the mandate's day; what counts is the day on which it runs.
func TestTermsAreHeldAgainstTheActionDate(t *testing.T) {
	back := func(day calendar.Date) calendar.Date { return holidays.ShiftEarly(day, calendar.Previous) }
	late := func(day calendar.Date) calendar.Date {
		return max2(holidays.ShiftEarly(day, calendar.Next), calendar.On(2029, 7, 24))
	}
	for _, c := range []struct {
		name       string
		deduction  int
		due        string
		runs       func(calendar.Date) calendar.Date
		may        bool
		why, wrong string
	}{
		{"moved to the day before", 15, "2027-08-15", back, false, "",
			"due on 15 August 2027 and would run on 14 August 2027. Move the due date to 16 August 2027"},
		{"moved to the day before, other days allowed", 15, "2027-08-15", back, true, "date_differs", ""},
		{"the day after the closed day", 15, "2027-08-16", back, false, "", ""},
		{"moved by the cut-off", 23, "2029-07-23", late, false, "",
			"due on 23 July 2029 and would run on 24 July 2029. Move the due date to 23 August 2029"},
		{"moved by the cut-off, other days allowed", 23, "2029-07-23", late, true, "date_differs", ""},
		{"another day that is moved onto the mandate's", 24, "2029-07-23", late, false, "", ""},
	} {
		m := accepted(func(m *mandate.Mandate) { m.DeductionDay, m.Terms.AllowDateAdjustment = c.deduction, c.may })
		why, wrong := judged(t, m, mandate.Debit{AmountCents: 100000, Currency: "ZAR", Due: day(t, c.due), Runs: c.runs})
		if why != c.why || c.wrong == "" && wrong != "" || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s: %q %q", c.name, why, wrong)
		}
	}
	m := accepted(func(m *mandate.Mandate) {
		m.DeductionDay, m.Terms.AdjustmentCategory, m.Terms.AdjustmentRate = 20, mandate.Annually, rate("6")
	})
	onto := func(calendar.Date) calendar.Date { return calendar.On(2027, 11, 20) }
	if why, wrong := judged(t, m, mandate.Debit{AmountCents: 106000, Currency: "ZAR", Due: day(t, "2027-11-19"),
		Runs: onto}); why != "" || wrong != "" {
		t.Errorf("the price of the action date: %q %q", why, wrong)
	}
}

func max2(a, b calendar.Date) calendar.Date {
	if a.After(b) {
		return a
	}
	return b
}

func TestAPeriodHasOneDebit(t *testing.T) {
	for _, c := range []struct {
		units         string
		deduction     int
		first, second [2]string // due and action date
		both          bool
	}{
		{"months", 25, [2]string{"2026-11-25", "2026-11-25"}, [2]string{"2026-11-25", "2026-11-25"}, true},
		{"months", 25, [2]string{"2026-12-05", "2026-12-05"}, [2]string{"2026-12-25", "2026-12-28"}, true},
		{"months", 25, [2]string{"2026-11-25", "2026-11-25"}, [2]string{"2026-12-05", "2026-12-05"}, false},
		{"months", 25, [2]string{"2026-11-25", "2026-11-25"}, [2]string{"2026-12-25", "2026-12-28"}, false},
		{"months", 99, [2]string{"2027-01-31", "2027-02-01"}, [2]string{"2027-02-28", "2027-03-01"},
			false}, // January's runs in February
		{"months", 99, [2]string{"2027-02-01", "2027-02-01"}, [2]string{"2027-02-28", "2027-03-01"},
			false}, // likewise, due on Monday
		{"months", 99, [2]string{"2027-01-29", "2027-01-29"}, [2]string{"2027-01-31", "2027-02-01"}, true},
		{"months", 1, [2]string{"2026-10-01", "2026-10-01"}, [2]string{"2026-11-01", "2026-10-31"},
			false}, // moved to the day before
		{"weeks", 5, [2]string{"2026-11-23", "2026-11-23"}, [2]string{"2026-11-29", "2026-11-30"}, false},
		{"weeks", 5, [2]string{"2026-11-23", "2026-11-23"}, [2]string{"2026-11-27", "2026-11-27"}, true},
		{"weeks", 5, [2]string{"2026-11-20", "2026-11-20"}, [2]string{"2026-11-27", "2026-11-27"}, false},
		{"weeks", 7, [2]string{"2026-11-22", "2026-11-23"}, [2]string{"2026-11-29", "2026-11-30"}, false},
		{"days", 0, [2]string{"2026-11-25", "2026-11-25"}, [2]string{"2026-11-25", "2026-11-25"}, true},
		{"days", 0, [2]string{"2026-11-22", "2026-11-23"}, [2]string{"2026-11-23", "2026-11-23"}, false},
	} {
		m := accepted(func(m *mandate.Mandate) { m.PeriodUnits, m.DeductionDay = c.units, c.deduction })
		on := func(d [2]string) mandate.Day { return mandate.Day{Due: day(t, d[0]), Action: day(t, d[1])} }
		for range 2 {
			if got := m.SecondInPeriod(on(c.second), []mandate.Day{on(c.first)}, holidays); got != c.both {
				t.Errorf("%s %d: %v and %v: %v", c.units, c.deduction, c.first, c.second, got)
			}
			c.first, c.second = c.second, c.first
		}
		m.Terms.DebitSequence = mandate.OnceOff
		if m.SecondInPeriod(on(c.second), []mandate.Day{on(c.first)}, holidays) {
			t.Error("a once-off mandate has periods")
		}
	}
	m := accepted(nil)
	d := mandate.Debit{AmountCents: 100000, Currency: "ZAR", Due: day(t, "2026-11-25"),
		Others: []mandate.Day{{Due: day(t, "2026-11-25"), Action: day(t, "2026-11-25")}}}
	if why, wrong := judged(t, m, d); why != "second_in_period" || wrong != "" {
		t.Errorf("%q %q", why, wrong)
	}
}
