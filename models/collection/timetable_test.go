package collection_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/rulebook"
)

var (
	cal = calendar.New()
	tt  = collection.DefaultTimetable()
)

func day(t *testing.T, text string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func sast(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04:05", text, calendar.SAST)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestTheEarliestActionDateAroundEaster(t *testing.T) {
	for now, want := range map[string]string{
		"2026-04-01 11:59:59": "2026-04-07",
		"2026-04-01 12:00:00": "2026-04-08",
		"2026-04-02 11:59:59": "2026-04-08",
		"2026-04-02 12:00:00": "2026-04-09",
		"2026-04-02 15:00:00": "2026-04-09",
		"2026-04-03 09:00:00": "2026-04-09",
		"2026-04-06 23:59:59": "2026-04-09",
		"2026-04-07 11:00:00": "2026-04-09",
		"2026-11-23 09:00:00": "2026-11-25",
		"2026-11-20 13:00:00": "2026-11-25",
	} {
		if got := tt.EarliestActionDate(cal, sast(t, now)).String(); got != want {
			t.Errorf("%s: %s, want %s", now, got, want)
		}
	}
}

func TestTheEarliestActionDateIsTheFirstWithAnOpenDeadline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(1_767_225_600, 1_893_456_000).Draw(t, "now"), 0)
		got := tt.EarliestActionDate(cal, now)
		if !cal.IsBusinessDay(got) || !tt.SubmitAt(cal, got).After(now) {
			t.Fatalf("%s is closed or its deadline has passed", got)
		}
		before := cal.BusinessDaysBefore(got, 1)
		if tt.SubmitAt(cal, before).After(now) {
			t.Fatalf("%s was possible already", before)
		}
		if tt.TooSoon(tt.DueOn(got), now) {
			t.Fatalf("the earliest day %s is too soon by the two-day rule", got)
		}
	})
}

func TestAPlanMovesOffClosedDays(t *testing.T) {
	for _, c := range []struct {
		name, due, now string
		shift          calendar.Shift
		action, submit string
		execute        string
		late           bool
		note           string
	}{
		{"an open day stays", "2026-12-01 12:00:00", "2026-11-23 09:00:00", calendar.Previous, "2026-12-01",
			"2026-11-27 12:00:00", "2026-12-01 00:00:00", false, ""},
		{"Heritage Day, previous", "2026-09-24 12:00:00", "2026-09-01 09:00:00", calendar.Previous, "2026-09-23",
			"2026-09-21 12:00:00", "2026-09-23 00:00:00", false,
			"Thu 24 Sep 2026 is closed (Heritage Day); the debit runs on Wed 23 Sep 2026."},
		{"Heritage Day, next", "2026-09-24 12:00:00", "2026-09-01 09:00:00", calendar.Next, "2026-09-25",
			"2026-09-22 12:00:00", "2026-09-24 00:00:00", false,
			"Thu 24 Sep 2026 is closed (Heritage Day); the debit runs on Fri 25 Sep 2026."},
		{"two plain days over Easter", "2026-04-04 12:00:00", "2026-04-02 09:00:00", calendar.Previous, "2026-04-08",
			"2026-04-02 12:00:00", "2026-04-04 00:00:00", true,
			"The submission deadline for Sat 4 Apr 2026 has passed; the debit runs on Wed 8 Apr 2026."},
		{"due late on its day", "2026-12-01 23:59:59", "2026-11-23 09:00:00", calendar.Previous, "2026-12-01",
			"2026-11-27 12:00:00", "2026-12-01 00:00:00", false, ""},
	} {
		p := tt.Plan(cal, sast(t, c.due), c.shift, sast(t, c.now))
		if p.ActionDate.String() != c.action || !p.SubmitAt.Equal(sast(t, c.submit)) ||
			!p.ExecuteAt.Equal(sast(t, c.execute)) || p.Late != c.late {
			t.Errorf("%s: %+v", c.name, p)
		}
		if p.Note() != c.note {
			t.Errorf("%s: note %q", c.name, p.Note())
		}
	}
}

func TestReturnsFinalityAlertAndDisputes(t *testing.T) {
	p := tt.Plan(cal, sast(t, "2026-11-27 12:00:00"), calendar.Previous, sast(t, "2026-11-02 09:00:00")) // a Friday
	for name, pair := range map[string][2]time.Time{
		"provisional on the action date":               {p.ProvisionalAt, sast(t, "2026-11-27 17:00:00")},
		"first return on the next processing day":      {tt.ReturnAt(cal, p.ActionDate, 1), sast(t, "2026-11-30 06:00:00")},
		"last return on the fourth":                    {tt.ReturnAt(cal, p.ActionDate, 4), sast(t, "2026-12-03 06:00:00")},
		"final the morning after the fourth":           {p.FinalAt, sast(t, "2026-12-04 06:00:00")},
		"an alert after five business days of silence": {p.AlertAt, sast(t, "2026-12-04 06:00:00")},
	} {
		if !pair[0].Equal(pair[1]) {
			t.Errorf("%s: %s", name, pair[0])
		}
	}
	monday := tt.FinalAt(cal, day(t, "2026-11-23")) // the fourth business day is a Friday
	if !monday.Equal(sast(t, "2026-11-28 06:00:00")) {
		t.Errorf("final on the Saturday morning: %s", monday)
	}
	if p.DisputeDeadline.String() != "2027-01-26" || p.DisputeUntil != p.DisputeDeadline {
		t.Errorf("sixty days: %s, %s", p.DisputeDeadline, p.DisputeUntil)
	}
	c := collection.Collection{Method: bank.EFT}
	c.Schedule(p)
	if in := c.Lodge(tt, sast(t, "2027-01-26 23:59:59")); in.Refused != "" || !in.ProofUntil.IsZero() {
		t.Errorf("the sixtieth day still refunds at once: %+v", in)
	}
	if late := c.Lodge(tt, sast(t, "2027-01-27 00:00:00")); late.Refused != rulebook.OutOfWindow {
		t.Errorf("the next is refused: %+v", late)
	}
}

func TestTwoDaysWithFiveMinutesOfGrace(t *testing.T) {
	now := sast(t, "2026-11-23 09:00:00")
	if tt.TooSoon(sast(t, "2026-11-25 08:55:00"), now) {
		t.Error("five minutes short is within the grace")
	}
	if !tt.TooSoon(sast(t, "2026-11-25 08:54:59"), now) {
		t.Error("one second more is too soon")
	}
}

func TestTheDatePickerSaysWhyADayIsImpossible(t *testing.T) {
	now := sast(t, "2026-09-18 13:00:00") // Friday, after the cut-off
	for _, c := range []struct {
		date, action string
		obstacle     collection.Obstacle
		words        string
	}{
		{"2026-09-18", "2026-09-23", collection.TooEarly, "The earliest day is Wed 23 Sep 2026."},
		{"2026-09-20", "2026-09-23", collection.TooEarly, "Too soon"},
		{"2026-09-22", "2026-09-23", collection.TooEarly, "Too soon"},
		{"2026-09-23", "2026-09-23", collection.Free, ""},
		{"2026-09-24", "2026-09-23", collection.Shut,
			"Heritage Day: banks are closed. The debit would run on Wed 23 Sep 2026."},
		{"2026-09-25", "2026-09-25", collection.Free, ""},
		{"2026-09-26", "2026-09-25", collection.Shut, "Saturday"},
		{"2026-09-27", "2026-09-25", collection.Shut, "Sunday"},
		{"2026-09-28", "2026-09-28", collection.Free, ""},
	} {
		got := tt.Choose(cal, day(t, c.date), calendar.Previous, now)
		if got.Obstacle != c.obstacle || got.Possible != (c.obstacle == collection.Free) ||
			got.ActionDate.String() != c.action || !strings.Contains(got.Reason, c.words) {
			t.Errorf("%s: %+v", c.date, got)
		}
		if !got.SubmitBy.Equal(tt.SubmitAt(cal, got.ActionDate)) || !got.SubmitBy.After(now) {
			t.Errorf("%s: deadline %s", c.date, got.SubmitBy)
		}
		if (got.Reason == "") != got.Possible {
			t.Errorf("%s: %q", c.date, got.Reason)
		}
	}
}

func TestTheEarliestDayToPickKeepsTheMinimumLeadToo(t *testing.T) {
	for now, want := range map[string]string{
		"2026-11-23 11:59:00": "2026-11-25", // Monday: the bank takes Tuesday, a person may pick Wednesday noon
		"2026-11-23 12:04:00": "2026-11-25", // within the grace
		"2026-11-23 12:06:00": "2026-11-26",
		"2026-11-26 12:06:00": "2026-11-30", // Sunday is shut
	} {
		if got := tt.For(bank.DebiCheck).EarliestDue(cal, sast(t, now)).String(); got != want {
			t.Errorf("DebiCheck at %s: %s, want %s", now, got, want)
		}
		if got := tt.EarliestDue(cal, sast(t, now)); got.Before(tt.EarliestActionDate(cal, sast(t, now))) {
			t.Errorf("EFT at %s: %s is before the earliest action date", now, got)
		}
	}
}
