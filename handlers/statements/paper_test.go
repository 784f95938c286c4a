package statements_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/statements"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/report"
	"debitdesk/models/statement"
)

// A statement of a period that is not over says when it was made, and not how the balance will be at its end.
func TestAStatementClosesWhenItWasMadeAtTheLatest(t *testing.T) {
	end := calendar.On(2026, 12, 31).At(23, 59)
	for _, c := range []struct {
		to, made time.Time
		want     string
	}{
		{end, calendar.On(2027, 1, 4).At(9, 0), "2026-12-31 23:59:00"},
		{end, calendar.On(2026, 12, 4).At(9, 0), "2026-12-04 09:00:00"},
		{time.Time{}, calendar.On(2026, 12, 4).At(9, 0), "2026-12-04 09:00:00"},
	} {
		var file bytes.Buffer
		paper := statements.New(&file)
		st := statement.Statement{Format: statement.CSV, Timezone: "Africa/Johannesburg", BeganAt: c.made,
			Filter: report.Filter{Currencies: []string{money.ZAR}, To: c.to}}
		if err := paper.Open(st, money.Sum{}); err != nil {
			t.Fatal(err)
		}
		if err := paper.Close(statement.Sums{}); err != nil {
			t.Fatal(err)
		}
		paper.Release()
		if !strings.Contains(file.String(), c.want+",Closing balance") {
			t.Errorf("%s, made %s: %s", c.to, c.made, &file)
		}
	}
}
