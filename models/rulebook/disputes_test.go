package rulebook_test

import (
	"strings"
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

func TestUntilWhenADebitOfADayCanBeDisputed(t *testing.T) {
	b := rulebook.Default()
	for _, c := range []struct {
		stream, processed, refunded, until string
		proof                              bool
	}{
		{rulebook.EFT, "2026-04-10", "2026-05-20", "2027-04-10", true},
		{rulebook.EFT, "2026-04-11", "2026-05-21", "2027-04-11", true},
		{rulebook.EFT, "2026-04-12", "2026-05-22", "2027-04-12", true},
		{rulebook.EFT, "2026-04-13", "2026-06-12", "2026-06-12", false},
		{rulebook.RM, "2026-04-14", "2026-06-13", "2026-06-13", false},
		{rulebook.DebiCheck, "2026-05-04", "2026-07-03", "2026-07-03", false},
		{rulebook.EFT, "2026-03-25", "2026-05-04", "2027-03-25", true},
	} {
		on := day(t, c.processed)
		d := b.Disputes(c.stream, on, calendar.Date{})
		if d.Refunded(on) != day(t, c.refunded) || d.Until(on) != day(t, c.until) || d.Defence != c.proof {
			t.Errorf("%s of %s: %s, %s, %v", c.stream, c.processed, d.Refunded(on), d.Until(on), d.Defence)
		}
		for _, asked := range []string{"2026-03-30", "2026-11-24"} {
			if early := b.Disputes(c.stream, on, day(t, asked)); early != d && asked != "2026-03-30" {
				t.Errorf("%s of %s asked on %s: %+v", c.stream, c.processed, asked, early)
			}
		}
	}
	printed, today := b.Disputes(rulebook.EFT, day(t, "2026-03-25"), day(t, "2026-03-30")),
		b.Disputes(rulebook.EFT, day(t, "2026-03-25"), day(t, "2026-11-24"))
	if printed.AutoDays != 40 || today.AutoDays != 40 {
		t.Errorf("a statement said %d days, and says %d", printed.AutoDays, today.AutoDays)
	}
}

func TestWhatBecomesOfADispute(t *testing.T) {
	byLodging := forBank(t, "", rulebook.Instead{Key: "dispute.transition", Value: "by_lodging_date", From: "2026-04-13",
		Proof: "letter of the bank"})
	for _, c := range []struct {
		name, processed, lodged string
		book                    *rulebook.Book
		refused                 string
		proof                   string
	}{
		{"the last day", "2026-04-13", "2026-06-12", rulebook.Default(), "", ""},
		{"the day after it", "2026-04-13", "2026-06-13", rulebook.Default(), rulebook.OutOfWindow, ""},
		{"day 40 of an older debit", "2026-04-10", "2026-05-20", rulebook.Default(), "", ""},
		{"day 56 of an older debit", "2026-04-10", "2026-06-05", rulebook.Default(), "", "2026-07-05"},
		{"the same, judged by the day it is lodged", "2026-04-10", "2026-06-05", byLodging, "", ""},
		{"day 61 of it, judged so", "2026-04-10", "2026-06-10", byLodging, rulebook.OutOfWindow, ""},
		{"before the change nothing is judged so", "2026-02-10", "2026-04-12", byLodging, "", "2026-05-12"},
		{"a year and a day", "2026-04-10", "2027-04-11", rulebook.Default(), rulebook.OutOfWindow, ""},
		{"errands end with the old rule", "2026-04-12", "2026-05-23", rulebook.Default(), "", "2026-06-22"},
	} {
		on := day(t, c.processed)
		d := c.book.Disputes(rulebook.EFT, on, calendar.Date{})
		got := c.book.Lodge(d, rulebook.EFT, d.Refunded(on), d.Until(on), day(t, c.lodged))
		proof := ""
		if !got.ProofUntil.IsZero() {
			proof = got.ProofUntil.String()
		}
		if got.Refused != c.refused || proof != c.proof || got.Rows == "" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// What was decided by rows is decided by them for ever: the values are those of the ids that were kept.
func TestTenThousandDecisionsAreReplayedWithoutADifference(t *testing.T) {
	was := rulebook.Default()
	now := forBank(t, "", rulebook.Instead{Key: "dispute.auto_days", Value: 90.0, From: "2026-12-01", Proof: "a letter"},
		rulebook.Instead{Key: "dispute.transition", Value: "by_lodging_date", From: "2026-12-01", Proof: "a letter"})
	first, streams := day(t, "2025-01-01"), []string{rulebook.EFT, rulebook.DebiCheck, rulebook.RM, "naedo"}
	differences, changed := 0, 0
	for n := range 10_000 {
		on, stream := first.AddDays(n/8), streams[n%4]
		made := was.Disputes(stream, on, calendar.Date{})
		again := now.Kept(strings.Fields(made.Rows))
		if again != made || again.Until(on) != made.Until(on) {
			differences++
		}
		if now.Disputes(stream, on, calendar.Date{}) != made {
			changed++
		}
	}
	if differences != 0 {
		t.Errorf("%d old decisions changed", differences)
	}
	if changed == 0 {
		t.Error("the new rule decides nothing")
	}
}
