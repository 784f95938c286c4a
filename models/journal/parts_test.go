package journal

import (
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/calendar"
)

func TestDaysAreDividedIntoAsFewFilesAsHoldThem(t *testing.T) {
	october := func(day int) calendar.Date { return calendar.On(2026, 10, day) }
	ask := Ask{From: october(1), To: october(31), Currency: "ZAR", Format: "csv"}
	days := []dayCount{{october(2), 60, nil}, {october(3), 40, nil}, {october(9), 1, nil}, {october(20), 99, nil},
		{october(21), 100, nil}}
	parts, entries := divide(ask, days, 100)
	if entries != 300 || len(parts) != 3 {
		t.Fatalf("%+v with %d", parts, entries)
	}
	for i, want := range [][2]int{{1, 8}, {9, 20}, {21, 31}} {
		if p := parts[i]; p.From != october(want[0]) || p.To != october(want[1]) || p.Format != "csv" {
			t.Errorf("part %d is %+v", i+1, p)
		}
	}
	if parts, _ := divide(ask, nil, 100); len(parts) != 1 || parts[0] != ask {
		t.Errorf("nothing at all: %+v", parts)
	}
	days[2].N, days[2].ends = 250, []int64{1100, 1200}
	parts, entries = divide(ask, days, 100)
	if entries != 549 {
		t.Errorf("%d entries", entries)
	}
	var got []string
	for _, p := range parts {
		got = append(got, fmt.Sprint(p.From.Day, "-", p.To.Day, " ", p.Piece, ":", p.After, "-", p.UpTo))
	}
	want := "1-8 0:0-0, 9-9 1:0-1100, 9-9 2:1100-1200, 9-9 3:1200-0, 10-20 0:0-0, 21-31 0:0-0"
	if strings.Join(got, ", ") != want {
		t.Errorf("a day that no file holds: %s, want %s", strings.Join(got, ", "), want)
	}
	if only, _ := divide(ask, []dayCount{{ask.From, 150, []int64{7}}}, 100); len(only) != 2 || only[1].To != ask.From {
		t.Errorf("one day alone: %+v", only)
	}
}
