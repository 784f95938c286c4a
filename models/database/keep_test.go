package database_test

import (
	"testing"
	"time"

	"debitdesk/models/database"
)

func TestPeriodsOfHistory(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{"30d": "2026-10-23", "13m": "2025-10-22", "7y": "2019-11-22"} {
		p, err := database.ParsePeriod(text)
		if err != nil || p.String() != text || p.Before(now).Format(time.DateOnly) != want {
			t.Errorf("%s: %s from %s, %v", text, p, p.Before(now), err)
		}
	}
	if p, err := database.ParsePeriod("forever"); err != nil || !p.Forever() || p.String() != "forever" {
		t.Errorf("forever: %v, %v", p, err)
	}
	for text, want := range map[string]string{"30d": "for at least 30 days", "1y": "for at least 1 year",
		"forever": "for good"} {
		if p, _ := database.ParsePeriod(text); p.Words() != want {
			t.Errorf("%s in words: %s", text, p.Words())
		}
	}
	for _, text := range []string{"", "d", "30", "0d", "-1y", "3w", "1.5y", "10000y", " 1y"} {
		if _, err := database.ParsePeriod(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	least := database.LeastKeep.Audit
	for text, good := range map[string]bool{"5y": true, "60m": true, "1827d": true,
		"forever": true, "4y": false, "59m": false,
		"1825d": false, "1d": false} {
		if _, err := database.ParseKept(text, least); (err == nil) != good {
			t.Errorf("%s for the audit: %v", text, err)
		}
	}
}
