package report

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/rulebook"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.ParseInLocation("2006-01-02 15:04:05", text, calendar.SAST)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func day(t *testing.T, text string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var staff = actor.Actor{Kind: actor.User, Role: actor.Staff, MerchantID: uuid.New()}

func desk(now time.Time) *Service {
	return &Service{Now: func() time.Time { return now }, Calendar: calendar.New(),
		Timetable: collection.DefaultTimetable()}
}

func TestThisMonthIsComparedWithLastMonthUpToTheSameDay(t *testing.T) {
	f := monthTo(day(t, "2026-11-20"))
	f.addDays([]Day{
		{Date: day(t, "2026-10-01"), InCents: money.SumOf(1000)},
		{Date: day(t, "2026-10-20"), InCents: money.SumOf(500), BackCents: money.SumOf(200)},
		{Date: day(t, "2026-10-21"), InCents: money.SumOf(9000)},
		{Date: day(t, "2026-10-31"), InCents: money.SumOf(70)}, {Date: day(t, "2026-11-01"), InCents: money.SumOf(300)},
		{Date: day(t, "2026-11-20"), InCents: money.SumOf(40), BackCents: money.SumOf(50)},
	})
	f.addOutcomes(map[calendar.Date]Outcome{
		day(t, "2026-10-20"): {Collected: 3, Unpaid: 1}, day(t, "2026-10-21"): {Unpaid: 99},
		day(t, "2026-11-02"): {Collected: 8, Unpaid: 1, Disputed: 1},
	})
	if f.NetCents != money.SumOf(290) || f.WasCents != money.SumOf(1300) {
		t.Errorf("this month %s, last month %s", f.NetCents, f.WasCents)
	}
	if f.Outcome != (Outcome{Collected: 8, Unpaid: 1, Disputed: 1}) ||
		f.WasOutcome != (Outcome{Collected: 3, Unpaid: 100}) {
		t.Errorf("outcomes %+v and %+v", f.Outcome, f.WasOutcome)
	}
	if len(f.Days) != 30 || f.Days[0].Date != day(t, "2026-10-22") || f.Days[29].Date != day(t, "2026-11-20") ||
		f.Days[9].InCents != money.SumOf(70) {
		t.Errorf("the chart has %d days: %+v", len(f.Days), f.Days)
	}
	if f.first() != day(t, "2026-10-01") {
		t.Errorf("asked from %s", f.first())
	}
}

func TestTheLongMonthIsComparedWithTheWholeShortOne(t *testing.T) {
	f := monthTo(day(t, "2026-03-31"))
	if f.WasFrom != day(t, "2026-02-01") || f.WasTo != day(t, "2026-02-28") {
		t.Errorf("%s to %s", f.WasFrom, f.WasTo)
	}
}

func TestTheNextCutOffIsOnABusinessDay(t *testing.T) {
	for now, want := range map[string]string{
		"2026-11-20 11:59:59": "2026-11-20 12:00:00", // Friday
		"2026-11-20 12:00:00": "2026-11-23 12:00:00", // the very cut-off has passed
		"2026-11-21 09:00:00": "2026-11-23 12:00:00", // Saturday
		"2026-12-16 09:00:00": "2026-12-17 12:00:00", // Day of Reconciliation
	} {
		if next := desk(at(t, now)).nextCutOff(); !next.Equal(at(t, want)) {
			t.Errorf("at %s: %s", now, next)
		}
	}
}

func TestRatiosAreExactAndRoundedHalfUp(t *testing.T) {
	for _, c := range []struct {
		part int64
		of   Outcome
		want int64
		ok   bool
	}{
		{0, Outcome{}, 0, false},
		{1, Outcome{Collected: 9, Unpaid: 1}, 1000, true},
		{1, Outcome{Collected: 2, Unpaid: 1}, 3333, true},
		{2, Outcome{Collected: 1, Unpaid: 2}, 6667, true},
		{1, Outcome{Collected: 199, Disputed: 1}, 50, true},
		{1, Outcome{Collected: 19999, Disputed: 1}, 1, true},
		{1, Outcome{Collected: 20000, Disputed: 1}, 0, true},
	} {
		if got, ok := c.of.PerTenThousand(c.part); got != c.want || ok != c.ok {
			t.Errorf("%d of %+v: %d %v, want %d %v", c.part, c.of, got, ok, c.want, c.ok)
		}
	}
}

func TestFirstStepsAreThoseThatAPersonMayTake(t *testing.T) {
	done := Start{Client: true, Mandate: true, TwoStep: true}
	if !done.Done(false, false) || done.Done(true, false) || done.Done(false, true) {
		t.Error("a step that a person may not take holds the list open, or one that they may take does not")
	}
	done.Batch, done.SecondAdmin = true, true
	if !done.Done(true, true) {
		t.Error("not done with all steps")
	}
	if done.TwoStep = false; done.Done(false, false) {
		t.Error("done without two-step sign-in")
	}
}

func TestNobodyReadsWithoutPermission(t *testing.T) {
	s, none := desk(at(t, "2026-11-20 12:00:00")), actor.Actor{Kind: actor.Credential}
	_, first := s.Figures(t.Context(), none)
	_, second := s.Start(t.Context(), none)
	_, third := s.ClientAccount(t.Context(), none, uuid.New())
	for i, err := range []error{first, second, third} {
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestTheLimitsOfTheMonthAreTheMerchantsWhereTheyAreStricter(t *testing.T) {
	today := calendar.On(2026, time.November, 20)
	for name, c := range map[string]struct {
		own  []rulebook.Own
		want Limits
	}{
		"none": {nil, Limits{Unpaid: 1000, Dispute: 50}},
		"one": {[]rulebook.Own{{ID: "1", Key: "ratio.unpaid", Value: 500, From: calendar.On(2026, time.November, 1)}},
			Limits{Unpaid: 500, Dispute: 50, Own: [2]bool{true, false}}},
		"not yet": {[]rulebook.Own{{ID: "1", Key: "ratio.unpaid", Value: 500, From: calendar.On(2026, time.December, 1)}},
			Limits{Unpaid: 1000, Dispute: 50}},
	} {
		if limits := LimitsOf(staff.MerchantID, c.own, nil, today); limits != c.want {
			t.Errorf("%s: %+v", name, limits)
		}
	}
}
