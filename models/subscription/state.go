package subscription

import (
	"cmp"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

func (s *Subscriber) begin(tx *database.Tx) {
	s.ID, s.Version, s.CreatedAt, s.UpdatedAt = tx.NewID(), 1, tx.Now(), tx.Now()
}

// activate starts the clock of periods on a day. Dates before that day are missed,
// and not billed.
func (s *Subscriber) activate(t Template, day calendar.Date, at time.Time) {
	s.Status, s.ActivatedAt, s.Anchor = Active, at, day
	if !s.FirstOn.IsZero() {
		s.Anchor = s.FirstOn
	}
	if s.Cycle > 0 {
		s.began()
	}
	s.Passed += s.Cycle // the first period, when the purchase that stored the account billed it
	for t.Plan.Of(*s).BillOn(s.Anchor, s.Cycle).Before(day) {
		s.Cycle++
	}
	s.plan(t)
}

// passed goes on to the next period after one that was billed or skipped.
func (s *Subscriber) passed(t Template, billed bool) {
	s.Cycle++
	if billed {
		s.Passed++
		s.began()
	}
	s.plan(t)
}

// began: the first period was billed; those after it come to the price of each.
func (s *Subscriber) began() { s.Override = s.Override.Every() }

// reference is that of the purchases: of the invoices, else the one that the subscriber's own terms name.
func (s Subscriber) reference() string { return cmp.Or(s.Reference, s.Debit.text("reference_number")) }

// plan works out the next billing date; after the last cycle there is none.
func (s *Subscriber) plan(t Template) {
	if t.Plan.Cycles != nil && s.Passed >= *t.Plan.Cycles {
		s.end("cycles")
		return
	}
	s.NextOn = t.Plan.Of(*s).BillOn(s.Anchor, s.Cycle)
	s.NextAt = s.NextOn.At(0, 0).UTC()
}

// end is final.
func (s *Subscriber) end(why string) {
	s.Status, s.Why = Inactive, why
	s.NextOn, s.NextAt = calendar.Date{}, time.Time{}
	s.StoredToken, s.StoredAt = uuid.Nil, time.Time{}
}
