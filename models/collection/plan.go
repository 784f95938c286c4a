package collection

import (
	"fmt"
	"time"

	"debitdesk/models/calendar"
)

// Plan is when everything about one collection happens.
type Plan struct {
	OriginalDate    calendar.Date // the SAST day of due
	ActionDate      calendar.Date
	SubmitAt        time.Time
	ExecuteAt       time.Time
	ProvisionalAt   time.Time
	FinalAt         time.Time
	AlertAt         time.Time
	DisputeDeadline calendar.Date // the last day on which a dispute is refunded without questions
	DisputeUntil    calendar.Date // the last day on which the debit can be disputed at all
	DisputeRows     string        // the rows of the rulebook that both are by
	TrackingDays    int           // DebiCheck: how long the bank may wait for money
	RegisteredDays  int           // the same of a mandate that the client did not confirm
	// Closed names what closes the original day, such as "Heritage Day"; empty when it is open.
	Closed string
	// Late says that the submission deadline of the wanted day has passed, so that a later action date was taken.
	Late bool
}

// Moved tells that the bank will be asked for another day than the due day.
func (p Plan) Moved() bool { return p.ActionDate != p.OriginalDate }

// Note explains a moved action date in a sentence, or nothing.
func (p Plan) Note() string {
	switch {
	case p.Late:
		return fmt.Sprintf("The submission deadline for %s has passed; the debit runs on %s.", say(p.OriginalDate),
			say(p.ActionDate))
	case p.Moved():
		return fmt.Sprintf("%s is closed (%s); the debit runs on %s.", say(p.OriginalDate), p.Closed, say(p.ActionDate))
	default:
		return ""
	}
}

// Plan works out the days of a collection that is due at an instant. A closed day moves by the shift; a day whose
// submission deadline has passed moves to the earliest one possible. The two-day minimum is TooSoon's business.
func (t Timetable) Plan(cal *calendar.Calendar, due time.Time, shift calendar.Shift, now time.Time) Plan {
	p := Plan{OriginalDate: calendar.DateOf(due)}
	p.Closed, _ = t.closed(cal, p.OriginalDate)
	p.ActionDate = t.ActionDateFor(cal, p.OriginalDate, shift)
	if earliest := t.EarliestActionDate(cal, now); p.ActionDate.Before(earliest) {
		p.ActionDate, p.Late = earliest, true
	}
	p.SubmitAt = t.SubmitAt(cal, p.ActionDate)
	p.ExecuteAt = t.ExecuteAt(due, p.ActionDate)
	p.ProvisionalAt = t.ProvisionalAtFor(p.ActionDate)
	p.FinalAt = t.FinalAt(cal, p.ActionDate)
	p.AlertAt = t.AlertAt(cal, p.ActionDate)
	terms := t.Disputes(p.ActionDate, now)
	p.DisputeDeadline, p.DisputeUntil, p.DisputeRows = terms.Refunded(p.ActionDate), terms.Until(p.ActionDate), terms.Rows
	p.TrackingDays, p.RegisteredDays = t.tracking(p.ActionDate)
	return p
}

// Obstacle says why a day cannot be picked as it is.
type Obstacle string

// The obstacles.
const (
	Free     Obstacle = ""         // nothing stands against it
	TooEarly Obstacle = "too_soon" // inside the lead that the bank wants; refused
	Shut     Obstacle = "closed"   // weekend or holiday; taken, but debited on ActionDate
)

// Choice is what a date picker shows for one day.
type Choice struct {
	Date       calendar.Date
	Possible   bool
	Obstacle   Obstacle
	Reason     string        // words for Obstacle, naming the holiday; empty when possible
	ActionDate calendar.Date // the day of the debit: the day itself, where it would be shifted to, or the earliest day
	SubmitBy   time.Time     // the submission deadline of ActionDate
}

// Choose judges one day of a date picker.
func (t Timetable) Choose(cal *calendar.Calendar, day calendar.Date, shift calendar.Shift, now time.Time) Choice {
	due := t.DueOn(day)
	plan := t.Plan(cal, due, shift, now)
	c := Choice{Date: day, ActionDate: plan.ActionDate, SubmitBy: plan.SubmitAt}
	earliest := t.EarliestDue(cal, now)
	switch {
	case t.TooSoon(due, now) || plan.Late:
		c.Obstacle = TooEarly
		c.Reason = t.tooSoonFor(earliest)
	case plan.Closed != "":
		c.Obstacle = Shut
		c.Reason = fmt.Sprintf("%s: banks are closed. The debit would run on %s.", plan.Closed, say(plan.ActionDate))
	default:
		c.Possible = true
	}
	return c
}

func say(d calendar.Date) string { return d.Format("Mon 2 Jan 2006") }
