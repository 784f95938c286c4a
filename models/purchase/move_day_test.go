package purchase

import (
	"slices"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/merchant"
)

// What a client is offered and what staff are told come from one rule: a day is either offered or has a reason.
func TestADayIsOfferedOrSaysWhyNot(t *testing.T) {
	now := calendar.On(2026, time.November, 27).At(9, 0)
	s := &Service{Now: func() time.Time { return now }, Calendar: calendar.New(), Timetable: collection.DefaultTimetable()}
	brand := merchant.Brand{}
	due := calendar.On(2026, time.December, 7)
	c := collection.Collection{Method: EFT, State: collection.Scheduled}
	c.Schedule(s.Schedule(brand, EFT).PlanOn(due, now))
	rec := Record{Purchase: Purchase{Status: PendingCharge}, Brand: brand, Collection: &c}
	moves, err := s.DayMovesOf(rec)
	if err != nil || len(moves.Days) < 10 {
		t.Fatal(moves.Days, err)
	}
	for day := calendar.DateOf(now); day.Before(due.AddDays(60)); day = day.AddDays(1) {
		if why, offered := s.whyNotOn(rec, day), slices.Contains(moves.Days, day); (why == "") != offered {
			t.Errorf("%s: offered %t, and %q", day, offered, why)
		}
	}
	if why := s.whyNotOn(rec, due); why != "It runs on that day already." {
		t.Error(why)
	}
	for _, change := range []func(*collection.Collection){
		func(c *collection.Collection) { c.Method = DebiCheck },
		func(c *collection.Collection) { c.State = collection.Submitted },
		func(c *collection.Collection) { c.SubmitAt = now },
	} {
		other := c
		change(&other)
		if why := s.whyNotOn(Record{Purchase: rec.Purchase, Collection: &other}, moves.Days[0]); why == "" {
			t.Errorf("%+v can move", other)
		}
	}
}
