package collection

import (
	"fmt"
	"strings"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/plural"
	"debitdesk/models/rulebook"
)

// stream is what the rulebook calls the debits of this timetable.
func (t Timetable) stream() string {
	if t.early {
		return rulebook.DebiCheck
	}
	return rulebook.EFT
}

// ReturnDays is the return window of a debit, in business days after its action date.
func (t Timetable) ReturnDays(action calendar.Date) int {
	return int(t.Rules.On("eft.return_window", rulebook.EFT, action).Int())
}

// SoftLimit is how many soft unpaids in a row end an EFT mandate, by the rule of the day of the last; 0: there is none.
// How often a DebiCheck debit may stay unpaid is the client's bank's to say (reference: debit orders 2.5).
func (t Timetable) SoftLimit(action calendar.Date) int {
	if t.early {
		return 0
	}
	return int(t.Rules.On("eft.unpaid_in_row_ends", rulebook.EFT, action).Int())
}

// tracking is how many days the bank may wait for the money of a debit, of mandates that clients confirmed and of
// others.
func (t Timetable) tracking(action calendar.Date) (confirmed, registered int) {
	if !t.early {
		return 0, 0
	}
	confirmed = int(t.Rules.On("dc.tracking_days", rulebook.DebiCheck, action).Int())
	registered = confirmed
	if row, found := t.Rules.Find(rulebook.Question{Key: "rm.tracking_days", Stream: rulebook.RM, Day: action}); found {
		registered = int(row.Value.Int())
	}
	return confirmed, registered
}

// By is the timetable by the stricter rules of a merchant.
func (t Timetable) By(rules *rulebook.Book) Timetable {
	t.Rules = rules
	return t
}

// Disputes are the terms on which a debit that runs on a day may be disputed, as known at a moment.
func (t Timetable) Disputes(processed calendar.Date, now time.Time) rulebook.Disputes {
	return t.Rules.Disputes(t.stream(), processed, calendar.DateOf(now))
}

// LeadWords is how long before its date a debit must be made, such as "two business days"; empty when it may be made on
// the day itself. Every sentence about it asks here.
func (t Timetable) LeadWords() string {
	if t.early {
		return t.MinimumWords()
	}
	return counted(t.LeadBusinessDays, "business day")
}

// MinimumWords is how long before its due date a debit must be made, in days of 24 hours; empty when there is no such
// time.
func (t Timetable) MinimumWords() string { return counted(int(t.MinimumLead/(24*time.Hour)), "day") }

// SubmitWords is when a debit goes to the bank, such as "at 12:00 SAST, two business days before its debit date".
func (t Timetable) SubmitWords() string {
	if t.LeadBusinessDays == 0 {
		return "at " + t.CutOff.String() + " SAST on its debit date"
	}
	return "at " + t.CutOff.String() + " SAST, " + counted(t.LeadBusinessDays, "business day") + " before its debit date"
}

// TooSoonWords says why a debit cannot be due so early.
func (t Timetable) TooSoonWords() string {
	if least := t.MinimumWords(); least != "" {
		return "A debit order needs a due date at least " + least + " ahead."
	}
	return "A debit order needs a due date that lies ahead."
}

// tooSoonFor is TooSoonWords for a day that was picked.
func (t Timetable) tooSoonFor(earliest calendar.Date) string {
	if least := t.LeadWords(); least != "" {
		return fmt.Sprintf("Too soon: a debit order needs %s. The earliest day is %s.", least, say(earliest))
	}
	return fmt.Sprintf("Too soon: the cut-off for this day has passed. The earliest day is %s.", say(earliest))
}

var small = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// counted is "two business days"; empty for none.
func counted(n int, noun string) string {
	switch {
	case n <= 0:
		return ""
	case n < len(small):
		return small[n] + " " + plural.Pick(n, noun, noun+"s")
	}
	return plural.Of(n, noun)
}

// Stream is what the rulebook calls this debit. One under a mandate that nobody confirmed runs as a registered mandate.
func (c Collection) Stream() string {
	if c.Method == bank.EFT {
		return rulebook.EFT
	}
	for _, because := range c.DisputableBecause {
		if because == becauseFallback {
			return rulebook.RM
		}
	}
	return rulebook.DebiCheck
}

// becauseFallback is how package mandate, which knows this one, calls it.
const becauseFallback = "fallback"

// judge keeps the terms on which the debit may be disputed, and the rows that have them.
func (c *Collection) judge(d rulebook.Disputes, processed calendar.Date) {
	c.DisputeDeadline, c.DisputeUntil, c.DisputeRows = d.Refunded(processed), d.Until(processed), d.Rows
}

// Processed judges a debit by the day on which it was collected: a tracked one by the day on which the money came. The
// day of an EFT debit is its action date, whenever the bank reports it. What was judged once is not judged again.
func (c *Collection) Processed(t Timetable, at time.Time, now time.Time) {
	day := c.ActionDate
	if on := calendar.DateOf(at); c.Method != bank.EFT && on.After(day) {
		day = on
	}
	if c.DisputeRows != "" && day == c.ActionDate {
		return
	}
	c.judge(t.Rules.Disputes(c.Stream(), day, calendar.DateOf(now)), day)
}

// terms are the days of the debit's decision. A debit of the release before kept no rows; its days are the scheme's.
func (c Collection) terms() (refunded, until calendar.Date) {
	if c.DisputeRows == "" || c.DisputeUntil.IsZero() {
		d := rulebook.Default().Disputes(c.Stream(), c.ActionDate, calendar.Date{})
		return d.Refunded(c.ActionDate), d.Until(c.ActionDate)
	}
	return c.DisputeDeadline, c.DisputeUntil
}

// DisputableUntil is the last day on which the client may dispute the debit; ok is false where they may not at all.
func (c Collection) DisputableUntil() (last calendar.Date, ok bool) {
	if _, may := c.MayBeDisputed(); !may {
		return calendar.Date{}, false
	}
	_, last = c.terms()
	return last, true
}

// StillDisputable tells whether the client may dispute the debit at a moment, and until when.
func (c Collection) StillDisputable(now time.Time) (last calendar.Date, still bool) {
	last, may := c.DisputableUntil()
	return last, may && !calendar.DateOf(now).After(last)
}

// RefundedUntil is the last day on which a dispute is refunded without a question.
func (c Collection) RefundedUntil() calendar.Date {
	last, _ := c.terms()
	return last
}

// Lodge judges a dispute of the debit that the bank reports.
func (c Collection) Lodge(t Timetable, at time.Time) rulebook.Lodged {
	refunded, until := c.terms()
	d := t.Rules.Kept(strings.Fields(c.DisputeRows))
	if c.DisputeRows == "" {
		d = rulebook.Default().Disputes(c.Stream(), c.ActionDate, calendar.Date{})
	}
	return t.Rules.Lodge(d, c.Stream(), refunded, until, calendar.DateOf(at))
}

// Lodge judges a dispute of a debit of this timetable that was processed on a day.
func (t Timetable) Lodge(processed calendar.Date, at time.Time) rulebook.Lodged {
	d := t.Disputes(processed, at)
	return t.Rules.Lodge(d, t.stream(), d.Refunded(processed), d.Until(processed), calendar.DateOf(at))
}

// ProofBy is the last day to prove the mandate of a disputed debit; zero where the bank asks for no proof.
func (c Collection) ProofBy() calendar.Date {
	if c.ProofUntil.IsZero() && c.ProofDue { // of the release before, which knew one rule for all days
		row, _ := rulebook.Default().Row("dispute.proof_days/eft/scheme/always")
		return calendar.DateOf(c.ResultAt).AddDays(int(row.Value.Int()))
	}
	return c.ProofUntil
}
