package mandate_test

import (
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/rulebook"
)

func TestADelayedRequestEndsWhenItsBankEndsIt(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.ParseInLocation("2006-01-02 15:04", text, calendar.SAST)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	sandbox := mandate.DefaultLimits()
	if got := sandbox.Ends(mandate.Delayed, at("2026-11-24 19:55")); !got.Equal(at("2026-11-26 19:55")) {
		t.Errorf("the simulated bank: %s", got)
	}
	for _, c := range []struct{ provider, sent, dies, span string }{
		{"", "2026-11-24 19:55", "2026-11-24 20:00", "until 20:00 that day"},
		{"kwik", "2026-11-24 19:55", "2026-11-24 20:30", "until 20:30 that day"},
		{"stratcol", "2026-11-24 19:55", "2026-11-24 21:00", "until 21:00 that day"},
		{"precium", "2026-11-24 19:55", "2026-11-24 22:30", "until 22:30 that day"},
		{"", "2026-11-24 20:00", "2026-11-25 20:00", "until 20:00 that day"}, // asked on the next day
		{"", "2026-11-24 00:00", "2026-11-24 20:00", "until 20:00 that day"},
	} {
		book, err := rulebook.Default().ForBank("Acme", c.provider, nil)
		if err != nil {
			t.Fatal(err)
		}
		l := mandate.LimitsBy(book).AtBank(book)
		if got := l.Ends(mandate.Delayed, at(c.sent)); !got.Equal(at(c.dies)) {
			t.Errorf("%q, sent %s: dies %s", c.provider, c.sent, got)
		}
		if got := l.Span(mandate.Delayed); got != c.span {
			t.Errorf("%q: %q", c.provider, got)
		}
		if got := l.Ends(mandate.Fallback, at(c.sent)); !got.Equal(at(c.sent).Add(48 * time.Hour)) {
			t.Errorf("%q: the fallback dies %s", c.provider, got)
		}
	}
}

func TestABankThatEndsNothingOnItsDayWaitsTheWholeTime(t *testing.T) {
	book, err := rulebook.Default().ForBank("Acme", "", []rulebook.Instead{{Key: "dc.tt1b.until", Stream: "debicheck",
		From: "2020-01-01", Proof: "letter of N Botha"}})
	if err != nil {
		t.Fatal(err)
	}
	l := mandate.LimitsBy(book).AtBank(book)
	sent := calendar.On(2026, time.November, 24).At(19, 55)
	if got := l.Ends(mandate.Delayed, sent); !got.Equal(sent.Add(48 * time.Hour)) {
		t.Error(got)
	}
	if got := l.Within(mandate.Delayed); got != "within 48 hours" {
		t.Error(got)
	}
}
