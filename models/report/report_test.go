package report_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/rulebook"
)

// shelf answers with what a test puts on it, and notes what was asked.
type shelf struct {
	days     []report.Day
	outcomes map[calendar.Date]report.Outcome
	debits   map[calendar.Date]report.Tally
	start    report.Start
	own      []rulebook.Own

	yesterday, month, until time.Time
	from                    calendar.Date
	counted                 int // how often what waits was counted
}

func (s *shelf) Attention(_ context.Context, _ uuid.UUID, q report.QueueQuery) (report.Attention, error) {
	yesterday, month := q.Yesterday, q.Month
	s.yesterday, s.month = yesterday, month
	return report.Attention{}, nil
}

func (s *shelf) ClientPurchases(context.Context, uuid.UUID, uuid.UUID, int) ([]report.ClientPurchase, error) {
	return nil, nil
}
func (s *shelf) AttentionCounts(context.Context, uuid.UUID, ...report.QueueQuery) ([]int, error) {
	s.counted++
	return []int{7, 1, 2, 3}, nil
}
func (s *shelf) AttentionItems(context.Context, uuid.UUID, report.QueueQuery, int) (report.Items, error) {
	return report.Items{}, nil
}

func (s *shelf) AttentionCount(context.Context, uuid.UUID, time.Time) (int, error) {
	s.counted++
	return 7, nil
}

func (s *shelf) Movements(_ context.Context, _ uuid.UUID, from, _ calendar.Date) ([]report.Day, error) {
	s.from = from
	return s.days, nil
}

func (s *shelf) Outcomes(context.Context, uuid.UUID, calendar.Date,
	calendar.Date) (map[calendar.Date]report.Outcome, error) {
	return s.outcomes, nil
}

func (s *shelf) DebitTally(_ context.Context, _ uuid.UUID, f purchase.DebitFilter) (report.Tally, error) {
	if !f.SubmitBy.IsZero() {
		s.until = f.SubmitBy
		return report.Tally{}, nil
	}
	return s.debits[f.From], nil
}

func (s *shelf) Start(context.Context, uuid.UUID, uuid.UUID) (report.Start, error) {
	return s.start, nil
}

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

func desk(s *shelf, now time.Time) *report.Service {
	return &report.Service{Read: s, Now: func() time.Time { return now }, Calendar: calendar.New(),
		Timetable: collection.DefaultTimetable()}
}

func TestThisMonthIsComparedWithLastMonthUpToTheSameDay(t *testing.T) {
	s := &shelf{days: []report.Day{
		{Date: day(t, "2026-10-01"), InCents: money.SumOf(1000)},
		{Date: day(t, "2026-10-20"), InCents: money.SumOf(500), BackCents: money.SumOf(200)},
		{Date: day(t, "2026-10-21"), InCents: money.SumOf(9000)},
		{Date: day(t, "2026-10-31"), InCents: money.SumOf(70)}, {Date: day(t, "2026-11-01"), InCents: money.SumOf(300)},
		{Date: day(t, "2026-11-20"), InCents: money.SumOf(40), BackCents: money.SumOf(50)},
	}, outcomes: map[calendar.Date]report.Outcome{
		day(t, "2026-10-20"): {Collected: 3, Unpaid: 1}, day(t, "2026-10-21"): {Unpaid: 99},
		day(t, "2026-11-02"): {Collected: 8, Unpaid: 1, Disputed: 1},
	}}
	f, err := desk(s, at(t, "2026-11-20 23:59:59")).Figures(t.Context(), staff)
	if err != nil {
		t.Fatal(err)
	}
	if f.NetCents != money.SumOf(290) || f.WasCents != money.SumOf(1300) {
		t.Errorf("this month %s, last month %s", f.NetCents, f.WasCents)
	}
	if f.Outcome != (report.Outcome{Collected: 8, Unpaid: 1, Disputed: 1}) ||
		f.WasOutcome != (report.Outcome{Collected: 3, Unpaid: 100}) {
		t.Errorf("outcomes %+v and %+v", f.Outcome, f.WasOutcome)
	}
	if len(f.Days) != 30 || f.Days[0].Date != day(t, "2026-10-22") || f.Days[29].Date != day(t, "2026-11-20") ||
		f.Days[9].InCents != money.SumOf(70) {
		t.Errorf("the chart has %d days: %+v", len(f.Days), f.Days)
	}
	if s.from != day(t, "2026-10-01") {
		t.Errorf("asked from %s", s.from)
	}
}

func TestTheLongMonthIsComparedWithTheWholeShortOne(t *testing.T) {
	f, err := desk(&shelf{}, at(t, "2026-03-31 12:00:00")).Figures(t.Context(), staff)
	if err != nil || f.WasFrom != day(t, "2026-02-01") || f.WasTo != day(t, "2026-02-28") {
		t.Errorf("%s to %s, %v", f.WasFrom, f.WasTo, err)
	}
}

func TestTheNextCutOffIsOnABusinessDay(t *testing.T) {
	for now, want := range map[string]string{
		"2026-11-20 11:59:59": "2026-11-20 12:00:00", // Friday
		"2026-11-20 12:00:00": "2026-11-23 12:00:00", // the very cut-off has passed
		"2026-11-21 09:00:00": "2026-11-23 12:00:00", // Saturday
		"2026-12-16 09:00:00": "2026-12-17 12:00:00", // Day of Reconciliation
	} {
		s := &shelf{}
		f, err := desk(s, at(t, now)).Figures(t.Context(), staff)
		if err != nil || !f.NextCutOff.Equal(at(t, want)) || !s.until.Equal(f.NextCutOff) {
			t.Errorf("at %s: %s, %v", now, f.NextCutOff, err)
		}
	}
}

func TestAttentionSpansAreWholeDaysInSAST(t *testing.T) {
	s := &shelf{}
	if _, err := desk(s, at(t, "2026-11-20 00:00:00")).Attention(t.Context(), staff, report.Everyones); err != nil {
		t.Fatal(err)
	}
	if !s.yesterday.Equal(at(t, "2026-11-19 00:00:00")) || !s.month.Equal(at(t, "2026-10-21 00:00:00")) {
		t.Errorf("%s, %s", s.yesterday, s.month)
	}
}

func TestRatiosAreExactAndRoundedHalfUp(t *testing.T) {
	for _, c := range []struct {
		part int64
		of   report.Outcome
		want int64
		ok   bool
	}{
		{0, report.Outcome{}, 0, false},
		{1, report.Outcome{Collected: 9, Unpaid: 1}, 1000, true},
		{1, report.Outcome{Collected: 2, Unpaid: 1}, 3333, true},
		{2, report.Outcome{Collected: 1, Unpaid: 2}, 6667, true},
		{1, report.Outcome{Collected: 199, Disputed: 1}, 50, true},
		{1, report.Outcome{Collected: 19999, Disputed: 1}, 1, true},
		{1, report.Outcome{Collected: 20000, Disputed: 1}, 0, true},
	} {
		if got, ok := c.of.PerTenThousand(c.part); got != c.want || ok != c.ok {
			t.Errorf("%d of %+v: %d %v, want %d %v", c.part, c.of, got, ok, c.want, c.ok)
		}
	}
}

func TestFirstStepsAreThoseThatAPersonMayTake(t *testing.T) {
	done := report.Start{Client: true, Mandate: true, TwoStep: true}
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
	s, none := desk(&shelf{}, at(t, "2026-11-20 12:00:00")), actor.Actor{Kind: actor.Credential}
	_, first := s.Figures(t.Context(), none)
	_, second := s.Attention(t.Context(), none, report.Everyones)
	_, third := s.AttentionItems(t.Context(), none, report.Everyones)
	_, fourth := s.Start(t.Context(), none)
	for i, err := range []error{first, second, third, fourth} {
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// The number beside the section's name is not counted again for a page that shows the counts of all parts.
func TestWhatWaitsIsCountedOnceForAPage(t *testing.T) {
	s := &shelf{}
	service := &report.Service{Read: s, Now: time.Now}
	who := actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: uuid.New()}
	page := paging.Remembering(t.Context())
	if _, err := service.AttentionCounts(page, who); err != nil {
		t.Fatal(err)
	}
	n, err := service.AttentionCount(page, who.MerchantID)
	if err != nil || n != 7 || s.counted != 1 {
		t.Errorf("%d things, counted %d times: %v", n, s.counted, err)
	}
	if _, err := service.AttentionCount(page, uuid.New()); err != nil || s.counted != 2 {
		t.Errorf("another merchant's were counted %d times: %v", s.counted-1, err)
	}
}

func (s *shelf) OwnRules(context.Context, uuid.UUID) ([]rulebook.Own, error) { return s.own, nil }

func TestTheLimitsOfTheMonthAreTheMerchantsWhereTheyAreStricter(t *testing.T) {
	today := calendar.On(2026, time.November, 20)
	for name, c := range map[string]struct {
		own  []rulebook.Own
		want report.Limits
	}{
		"none": {nil, report.Limits{Unpaid: 1000, Dispute: 50}},
		"one": {[]rulebook.Own{{ID: "1", Key: "ratio.unpaid", Value: 500, From: calendar.On(2026, time.November, 1)}},
			report.Limits{Unpaid: 500, Dispute: 50, Own: [2]bool{true, false}}},
		"not yet": {[]rulebook.Own{{ID: "1", Key: "ratio.unpaid", Value: 500, From: calendar.On(2026, time.December, 1)}},
			report.Limits{Unpaid: 1000, Dispute: 50}},
	} {
		f, err := desk(&shelf{own: c.own}, today.At(9, 0)).Figures(t.Context(), staff)
		if err != nil || f.Limits != c.want {
			t.Errorf("%s: %+v %v", name, f.Limits, err)
		}
	}
}
