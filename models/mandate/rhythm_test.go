package mandate_test

import (
	"testing"

	"debitdesk/models/mandate"
)

func TestRhythmInAPayersWords(t *testing.T) {
	for _, c := range []struct {
		units string
		day   int
		terms *mandate.Terms
		want  string
	}{
		{"months", 25, nil, "each month on the 25th"},
		{"months", 1, &mandate.Terms{DebitSequence: mandate.Recurring}, "each month on the 1st"},
		{"months", 22, nil, "each month on the 22nd"},
		{"months", 99, nil, "on the last day of each month"},
		{"weeks", 1, nil, "each week on Monday"},
		{"weeks", 7, nil, "each week on Sunday"},
		{"weeks", 8, nil, ""},
		{"days", 0, nil, "as often as every day"},
		{"months", 0, nil, ""},
		{"months", 25, &mandate.Terms{DebitSequence: mandate.OnceOff}, "once"},
	} {
		m := mandate.Mandate{PeriodUnits: c.units, DeductionDay: c.day, Terms: c.terms}
		if got := m.Rhythm(); got != c.want {
			t.Errorf("%s %d: %q, want %q", c.units, c.day, got, c.want)
		}
	}
}
