package collection_test

import (
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

func TestTheBankWaitsForMoneyNoLongerThanTheMerchantWants(t *testing.T) {
	own := rulebook.Default().ForMerchant("m", []rulebook.Own{
		{ID: "1", Key: "dc.tracking_days", Value: 3, From: day(t, "2026-12-01")},
		{ID: "2", Key: "rm.tracking_days", Value: 1, From: day(t, "2026-12-01")}})
	now := day(t, "2026-11-24").At(9, 0)
	for _, c := range []struct {
		method                bank.Method
		on                    string
		confirmed, registered int
	}{
		{bank.DebiCheck, "2026-11-30", 10, 10},
		{bank.DebiCheck, "2026-12-01", 3, 1},
		{bank.EFT, "2026-12-01", 0, 0},
	} {
		p := tt.By(own).ScheduleOf(c.method, cal, calendar.Next).PlanOn(day(t, c.on), now)
		if p.TrackingDays != c.confirmed || p.RegisteredDays != c.registered {
			t.Errorf("%s on %s: %d and %d days", c.method, c.on, p.TrackingDays, p.RegisteredDays)
		}
	}
	if p := tt.ScheduleOf(bank.DebiCheck, cal, calendar.Next).PlanOn(day(t, "2026-12-01"), now); p.TrackingDays != 10 {
		t.Errorf("without a rule of their own: %d days", p.TrackingDays)
	}
}
