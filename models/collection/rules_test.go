package collection_test

import (
	"testing"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/rulebook"
)

func TestSubmissionAndReturnsOverDeclaredHolidays(t *testing.T) {
	for _, c := range []struct{ action, submit string }{
		{"2026-11-05", "2026-11-02"}, // over the election day
		{"2024-05-30", "2024-05-27"},
		{"2026-04-07", "2026-04-01"}, // over Easter
		{"2026-12-28", "2026-12-23"},
	} {
		want := day(t, c.submit).At(12, 0)
		if got := tt.SubmitAt(cal, day(t, c.action)); !got.Equal(want) {
			t.Errorf("%s leaves at %s, want %s", c.action, got, want)
		}
	}
	unaware := cal.KnownOn(day(t, "2026-08-06"))
	if got := tt.SubmitAt(unaware, day(t, "2026-11-05")); !got.Equal(day(t, "2026-11-03").At(12, 0)) {
		t.Errorf("before the day was declared: %s", got)
	}
	p := tt.Plan(cal, tt.DueOn(day(t, "2026-11-04")), calendar.Previous, day(t, "2026-10-01").At(9, 0))
	if p.ActionDate != day(t, "2026-11-03") || p.Closed != "Election day" {
		t.Errorf("due on the election day: %+v", p)
	}
	if last := cal.AddBusinessDays(day(t, "2026-11-03"), tt.ReturnDays(day(t, "2026-11-03"))); last !=
		day(t, "2026-11-10") {
		t.Errorf("the return window ends on %s", last)
	}
	if reason, closed := cal.Closed(day(t, "2033-12-27")); closed {
		t.Errorf("27 December 2033 is closed without a declaration: %s", reason)
	}
}

// A tracked debit is judged by the day on which the money came, whenever it was due.
func TestATrackedDebitIsJudgedByTheDayItWasCollected(t *testing.T) {
	due := day(t, "2026-04-10")
	early := tt.For(bank.DebiCheck)
	c := collection.Collection{Method: bank.DebiCheck, Disputable: true, DisputableBecause: []string{"fallback"}}
	c.Schedule(early.Plan(cal, early.DueOn(due), calendar.Next, day(t, "2026-04-01").At(9, 0)))
	c.State = collection.InTracking
	c.Processed(tt, day(t, "2026-04-14").At(6, 0), day(t, "2026-04-14").At(6, 5))
	c.State = collection.Successful
	if last, may := c.DisputableUntil(); !may || last != day(t, "2026-06-13") {
		t.Errorf("until %s, %v", last, may)
	}
}

func TestAnEFTDebitIsJudgedByItsActionDateHoweverLateTheBankReportsIt(t *testing.T) {
	c := collection.Collection{Method: bank.EFT}
	c.Schedule(tt.Plan(cal, tt.DueOn(day(t, "2026-04-10")), calendar.Previous, day(t, "2026-04-01").At(9, 0)))
	before := c
	c.State = collection.Provisional
	c.Processed(tt, day(t, "2026-04-13").At(6, 0), day(t, "2026-04-13").At(6, 5))
	if c.DisputeDeadline != before.DisputeDeadline || c.DisputeDeadline != day(t, "2026-05-20") ||
		c.DisputeRows != before.DisputeRows {
		t.Errorf("%s by %s", c.DisputeDeadline, c.DisputeRows)
	}
}

// The release before kept 40 days and no rows: such a debit is judged by the rules of its own day.
func TestADebitOfTheReleaseBeforeIsReadByTheRulesOfItsDay(t *testing.T) {
	for action, want := range map[string]string{"2026-10-01": "2026-11-30", "2026-03-25": "2027-03-25"} {
		on := day(t, action)
		c := collection.Collection{Method: bank.EFT, State: collection.Final, ActionDate: on, Disputable: true,
			DisputableBecause: []string{collection.BecauseEFT}, DisputeDeadline: on.AddDays(40)}
		if last, may := c.DisputableUntil(); !may || last != day(t, want) {
			t.Errorf("a debit of %s: until %s", action, last)
		}
		c.ProofDue, c.ResultAt = true, on.AddDays(50).At(6, 0)
		if by := c.ProofBy(); by != on.AddDays(80) {
			t.Errorf("proof of a debit of %s by %s", action, by)
		}
	}
}

func TestTheLeadIsSaidAsTheBankWantsIt(t *testing.T) {
	for _, c := range []struct {
		eft, debiCheck                 int
		lead, least, submit, early, no string
	}{
		{0, 0, "", "", "at 12:00 SAST on its debit date", "", "needs a due date that lies ahead."},
		{1, 1, "one business day", "one day", "at 12:00 SAST, one business day before its debit date", "one day",
			"at least one day ahead."},
		{2, 1, "two business days", "two days", "at 12:00 SAST, two business days before its debit date", "two days",
			"at least two days ahead."},
		{3, 3, "three business days", "three days", "at 12:00 SAST, three business days before its debit date", "three days",
			"at least three days ahead."},
		{5, 1, "five business days", "five days", "at 12:00 SAST, five business days before its debit date", "two days",
			"at least five days ahead."},
	} {
		b := tt.WithLead(c.eft, c.debiCheck)
		if b.LeadWords() != c.lead || b.MinimumWords() != c.least || b.SubmitWords() != c.submit ||
			b.For(bank.DebiCheck).LeadWords() != c.early || b.TooSoonWords() != "A debit order "+tail(c.no) {
			t.Errorf("lead %d: %q, %q, %q, %q, %q", c.eft, b.LeadWords(), b.MinimumWords(), b.SubmitWords(),
				b.For(bank.DebiCheck).LeadWords(), b.TooSoonWords())
		}
	}
}

func tail(words string) string {
	if words[:2] == "at" {
		return "needs a due date " + words
	}
	return words
}

// Two years of days: what is shown, announced and answered about a debit is what is booked, for each method, shift
// rule, lead of 0 to 5 days and both windows of dispute.
func TestWhatIsShownOfADebitIsWhatIsBookedOnEachDayOfTwoYears(t *testing.T) {
	first := day(t, "2025-12-01")
	for lead := range 6 {
		by := tt.WithLead(lead, min(lead, 3))
		for _, method := range []bank.Method{bank.EFT, bank.DebiCheck} {
			for _, shift := range []calendar.Shift{calendar.Previous, calendar.Next} {
				schedule := by.ScheduleOf(method, cal, shift)
				for n := range 730 {
					due := first.AddDays(n)
					now := due.AddDays(-20).At(9, 0)
					shown, preview := schedule.Choose(due, now), schedule.PlanOn(due, now)
					c := collection.Collection{Method: method, Disputable: true, DisputableBecause: []string{"amount_differs"}}
					c.Schedule(by.For(method).Plan(cal, by.For(method).DueOn(due), shift, now))
					last, _ := c.DisputableUntil()
					d := by.Rules.Disputes(c.Stream(), c.ActionDate, calendar.DateOf(now))
					window := 60
					if c.ActionDate.Before(day(t, "2026-04-13")) {
						window = map[bank.Method]int{bank.EFT: 40, bank.DebiCheck: 365}[method]
					}
					if shown.ActionDate != c.ActionDate || preview.ActionDate != c.ActionDate ||
						!shown.SubmitBy.Equal(c.SubmitAt) || !preview.FinalAt.Equal(c.FinalAt) || preview.DisputeUntil != last ||
						last != d.Until(c.ActionDate) || c.DisputeRows != d.Rows || d.AutoDays != window ||
						c.RefundedUntil() != c.ActionDate.AddDays(window) {
						t.Fatalf("%s due %s, lead %d, %s: shown %+v, booked %+v", method, due, lead, shift, shown, c)
					}
					if _, still := c.StillDisputable(last.At(23, 59)); !still {
						t.Fatalf("%s due %s cannot be disputed on its last day", method, due)
					}
					if _, still := c.StillDisputable(last.AddDays(1).At(0, 0)); still {
						t.Fatalf("%s due %s can be disputed after its last day", method, due)
					}
				}
			}
		}
	}
}

func TestAReplayOfDebitsChangesNone(t *testing.T) {
	later, err := rulebook.Default().ForBank("acme", "", []rulebook.Instead{{Key: "dispute.auto_days", Value: 90.0,
		From: "2026-01-01", Proof: "a letter"}})
	if err != nil {
		t.Fatal(err)
	}
	first, changed := day(t, "2025-06-01"), 0
	for n := range 10_000 {
		on := first.AddDays(n / 10)
		c := collection.Collection{Method: bank.EFT}
		c.Schedule(tt.Plan(cal, tt.DueOn(on), calendar.Previous, on.AddDays(-20).At(9, 0)))
		was := c
		c.State = collection.Provisional
		c.Processed(collection.TimetableBy(later), c.ActionDate.At(17, 0), c.ActionDate.At(17, 0))
		if c.DisputeDeadline != was.DisputeDeadline || c.DisputeUntil != was.DisputeUntil ||
			c.DisputeRows != was.DisputeRows {
			changed++
		}
	}
	if changed > 0 {
		t.Errorf("%d of 10 000 decisions changed", changed)
	}
}
