package statement_test

import (
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/report"
	"debitdesk/models/statement"
)

// Two statements that were asked for in the same minute have the names of their periods.
func TestAStatementIsCalledAfterItsPeriod(t *testing.T) {
	start := func(month time.Month, day int) time.Time { return calendar.On(2026, month, day).At(0, 0) }
	end := func(month time.Month, day int) time.Time { return start(month, day+1).Add(-time.Microsecond) }
	for _, c := range []struct {
		from, to time.Time
		want     string
	}{
		{start(12, 1), end(12, 31), "statement-ZAR-2026-12-01-to-2026-12-31.csv"},
		{start(12, 1), end(12, 1), "statement-ZAR-2026-12-01.csv"},
		{start(12, 1), time.Time{}, "statement-ZAR-from-2026-12-01.csv"},
		{time.Time{}, end(12, 31), "statement-ZAR-until-2026-12-31.csv"},
		{time.Time{}, time.Time{}, "statement-ZAR-until-2027-01-01.csv"},
	} {
		s := statement.Statement{Format: statement.CSV, Timezone: "Africa/Johannesburg", CreatedAt: start(12, 32),
			Filter: report.Filter{Currencies: []string{"ZAR"}, From: c.from, To: c.to}}
		if got := s.Name(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
