package calendar_test

import (
	"sync"
	"testing"

	"debitdesk/models/calendar"
)

func TestAProclaimedDayHoldsFromTheMomentItIsKnown(t *testing.T) {
	c := calendar.New()
	monday := day(t, "2027-01-11")
	if !c.IsBusinessDay(monday) {
		t.Fatal("a plain Monday is closed")
	}
	c.Replace(calendar.Change{Day: monday, Name: "Election day"},
		calendar.Change{Day: day(t, "2026-12-25"), Name: "no", Open: true})
	if reason, closed := c.Closed(monday); !closed || reason != "Election day" {
		t.Errorf("the proclaimed day is %q %v", reason, closed)
	}
	if _, closed := c.Closed(day(t, "2026-12-25")); closed {
		t.Error("a day that is no holiday after all is closed")
	}
	if _, closed := c.Closed(day(t, "2024-05-29")); !closed {
		t.Error("what was proclaimed before is forgotten")
	}
	c.Replace()
	if _, closed := c.Closed(monday); closed {
		t.Error("what was taken back still closes")
	}
}

func TestTheCalendarIsAskedWhileItChanges(t *testing.T) {
	c := calendar.New()
	from, monday := day(t, "2027-01-10"), day(t, "2027-01-11")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 2000 {
				got := c.Shift(from, calendar.Next) // a Sunday: the Monday, or the Tuesday while that is proclaimed
				if n := got.DaysSince(monday); n != 0 && n != 1 {
					t.Errorf("moved to %s", got)
					return
				}
			}
		})
	}
	wait.Go(func() {
		for i := range 2000 {
			if i%2 == 0 {
				c.Replace(calendar.Change{Day: monday, Name: "Election day"})
			} else {
				c.Replace()
			}
		}
	})
	wait.Wait()
}
