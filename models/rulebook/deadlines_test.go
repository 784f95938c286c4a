package rulebook_test

import (
	"maps"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

func sast(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04:05", text, calendar.SAST)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestARequestDiesAtTheMinuteOfItsProvider(t *testing.T) {
	for _, c := range []struct{ key, provider, sent, dies string }{
		{"dc.tt1b.until", "", "2026-11-24 19:55:00", "2026-11-24 20:00:00"},
		{"dc.tt1b.until", "kwik", "2026-11-24 19:55:00", "2026-11-24 20:30:00"},
		{"dc.tt1b.until", "stratcol", "2026-11-24 19:55:00", "2026-11-24 21:00:00"},
		{"dc.tt1b.until", "precium", "2026-11-24 19:55:00", "2026-11-24 22:30:00"},
		{"dc.tt2.until", "", "2026-11-06 10:00:00", "2026-11-07 19:00:00"},
		{"dc.tt2.until", "stratcol", "2026-11-06 10:00:00", "2026-11-08 10:00:00"},
		{"dc.tt2.until", "kwik", "2026-11-06 10:00:00", "2026-11-11 00:00:00"},
	} {
		got, err := forBank(t, c.provider).RequestEnds(c.key, sast(t, c.sent), calendar.New())
		if err != nil || !got.Equal(sast(t, c.dies)) {
			t.Errorf("%s of %q: %s %v, want %s", c.key, c.provider, got, err, c.dies)
		}
	}
}

func TestARegisteredMandateIsCollectedInTheEvening(t *testing.T) {
	b := rulebook.Default()
	for at, want := range map[string]string{"2026-11-24 11:59:59": "2026-11-24", "2026-11-24 12:00:00": "2026-11-25"} {
		if got, err := b.RegisteredOn(sast(t, at)); err != nil || got != day(t, want) {
			t.Errorf("%s: %s %v, want %s", at, got, err, want)
		}
	}
	from, to, err := b.RegisteredTracking(day(t, "2026-11-24"), 10)
	if err != nil || !from.Equal(sast(t, "2026-11-25 12:00:00")) || !to.Equal(sast(t, "2026-12-05 00:00:00")) {
		t.Errorf("tracked from %s to %s: %v", from, to, err)
	}
}

func TestWhichMovedDebiCheckDebitsMayBeDisputed(t *testing.T) {
	mild, strict, cal := forBank(t, "amplifin"), rulebook.Default(), calendar.New()
	for _, c := range []struct {
		book           *rulebook.Book
		named, debited string
		adjustable     bool
		want           bool
	}{
		{mild, "2026-08-09", "2026-08-09", true, false},
		{mild, "2026-08-09", "2026-08-07", true, false},
		{mild, "2026-08-09", "2026-08-08", true, false},
		{mild, "2026-08-09", "2026-08-06", true, true},
		{mild, "2026-08-09", "2026-08-07", false, true},
		{mild, "2023-09-24", "2023-09-22", true, true}, // before the rule changed
		{strict, "2026-08-09", "2026-08-07", true, true},
		{mild, "2026-08-12", "2026-08-11", true, true}, // an open Wednesday is not moved
	} {
		if got := c.book.ShiftDisputable(day(t, c.named), day(t, c.debited), c.adjustable, cal); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if got := cal.ShiftEarly(day(t, "2026-08-09"), calendar.Next); got != day(t, "2026-08-11") {
		t.Errorf("without date adjustment the debit of Sunday 9 August runs on %s", got)
	}
}

func TestAPersonIsAnsweredInThirtyDays(t *testing.T) {
	for received, want := range map[string]string{"2026-11-05": "2026-12-05", "2026-11-06": "2026-12-07",
		"2026-11-16": "2026-12-17"} {
		if got := rulebook.Default().AnswerPersonBy(day(t, received), calendar.New()); got != day(t, want) {
			t.Errorf("received %s: %s, want %s", received, got, want)
		}
	}
}

func TestAFixedTermEndsWithNotice(t *testing.T) {
	b, cal := rulebook.Default(), calendar.New()
	first, last, err := b.ExpiryNotice(day(t, "2027-03-31"), cal)
	if err != nil || first != day(t, "2026-12-01") || last != day(t, "2027-01-29") {
		t.Errorf("notice between %s and %s: %v", first, last, err)
	}
	if got := b.LastDayAfterNotice(day(t, "2026-11-23"), cal); got != day(t, "2026-12-22") {
		t.Errorf("cancelled on 23 November: %s", got)
	}
}

func TestAPaymentUnderACreditAgreementIsSharedInOrder(t *testing.T) {
	on := day(t, "2026-11-24")
	for _, c := range []struct {
		cents int64
		want  map[string]int64
	}{
		{10_000, map[string]int64{"interest": 3_000, "fees": 2_000, "principal": 5_000}},
		{4_000, map[string]int64{"interest": 3_000, "fees": 1_000, "principal": 0}},
		{1, map[string]int64{"interest": 1, "fees": 0, "principal": 0}},
	} {
		got := rulebook.Default().Allocate(c.cents, map[string]int64{"interest": 3_000, "fees": 2_000}, on)
		if !maps.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", c.cents, got, c.want)
		}
	}
}
