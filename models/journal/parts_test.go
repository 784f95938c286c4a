package journal

import (
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

func TestDaysAreDividedIntoAsFewFilesAsHoldThem(t *testing.T) {
	october := func(day int) calendar.Date { return calendar.On(2026, 10, day) }
	ask := Ask{From: october(1), To: october(31), Currency: "ZAR", Format: "csv"}
	days := []dayCount{{october(2), 60}, {october(3), 40}, {october(9), 1}, {october(20), 99}, {october(21), 100}}
	parts, entries, err := divide(ask, days, 100)
	if err != nil || entries != 300 || len(parts) != 3 {
		t.Fatalf("%+v with %d: %v", parts, entries, err)
	}
	for i, want := range [][2]int{{1, 8}, {9, 20}, {21, 31}} {
		if p := parts[i]; p.From != october(want[0]) || p.To != october(want[1]) || p.Format != "csv" {
			t.Errorf("part %d is %+v", i+1, p)
		}
	}
	if _, _, err := divide(ask, days, 99); !fault.Is(err, fault.Invalid) {
		t.Errorf("a day that no file holds: %v", err)
	}
	if parts, _, err := divide(ask, nil, 100); err != nil || len(parts) != 1 || parts[0] != ask {
		t.Errorf("nothing at all: %+v, %v", parts, err)
	}
}
