package plan

import (
	"slices"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
)

// event is something that happened to a purchase, and that moves a run.
type event struct {
	at     time.Time
	status purchase.Status        // it moved to this status
	failed *collection.Collection // this debit failed
	ended  string                 // the run ends for this reason
	until  calendar.Date          // a promise was made for the day before
	broken bool                   // a promise was settled, and nothing was paid
}

// past is what is known of one purchase from the first failure on.
type past struct {
	rec      purchase.Record
	debits   []collection.Collection // in their order
	promises []promised
	mailed   []time.Time          // of mails about failures and reminders
	blocked  map[string]time.Time // of its account: since when, by code
	events   []event              // in their order
}

type promised struct {
	made, settled time.Time // settled is zero while it is open
	kept          bool
	due           calendar.Date
}

// line puts what happened into order.
func (p *past) line() {
	for i := range p.debits {
		c := &p.debits[i]
		if at := p.failedAt(*c); !at.IsZero() {
			p.events = append(p.events, event{at: at, failed: c})
		}
		if c.State == collection.Final {
			p.events = append(p.events, event{at: c.FinalAt, ended: "paid"})
		}
	}
	for _, h := range p.rec.History {
		p.events = append(p.events, event{at: h.At, status: h.Status})
	}
	for _, w := range p.promises {
		p.events = append(p.events, event{at: w.made, until: w.due.AddDays(1)})
		switch {
		case w.kept:
			p.events = append(p.events, event{at: w.settled, ended: "promise_kept"})
		case !w.settled.IsZero():
			p.events = append(p.events, event{at: w.settled, broken: true})
		}
	}
	slices.SortStableFunc(p.events, func(a, b event) int { return a.at.Compare(b.at) })
}

// failedAt is when a failed debit was booked: the moment at which its purchase moved; zero when it did not fail.
func (p *past) failedAt(c collection.Collection) time.Time {
	disputed := c.State == collection.Disputed || c.State == collection.DisputeLost
	if c.State != collection.Unpaid && (!disputed || c.ProofDue) {
		return time.Time{}
	}
	at := c.ResultAt
	for _, h := range p.rec.History {
		if (h.Status == purchase.Failed || h.Status == purchase.Chargeback) && !h.At.Before(at) {
			return h.At
		}
	}
	return at
}

// status is where the purchase stood at a moment.
func (p *past) status(now time.Time) (s purchase.Status) {
	for _, h := range p.rec.History {
		if h.At.After(now) {
			break
		}
		s = h.Status
	}
	return s
}

// returnable tells that what was paid by then could still be returned.
func (p *past) returnable(now time.Time) bool {
	return slices.ContainsFunc(p.debits, func(c collection.Collection) bool {
		return c.Method == bank.EFT && !c.ProvisionalAt.IsZero() && !c.ProvisionalAt.After(now) && c.FinalAt.After(now) &&
			(c.State != collection.Unpaid || c.ResultAt.After(now))
	})
}

// last is the debit that had failed last.
func (p *past) last(now time.Time) (c collection.Collection) {
	for _, one := range p.debits {
		if at := p.failedAt(one); !at.IsZero() && !at.After(now) {
			c = one
		}
	}
	return c
}

// facts are what was known at a moment, but for the judgement of a debit.
func (p *past) facts(now time.Time) Facts {
	s := p.status(now)
	f := Facts{Now: now, Owed: s.Owing() && s != purchase.PendingCharge && s != purchase.PendingExecute,
		UnderWay: s == purchase.PendingCharge || s == purchase.PendingExecute}
	for _, w := range p.promises {
		if !w.made.After(now) && (w.settled.IsZero() || w.settled.After(now)) && w.due.After(f.Promised) {
			f.Promised = w.due
		}
	}
	today := calendar.DateOf(now)
	for _, at := range p.mailed {
		if !at.After(now) && calendar.DateOf(at) == today && at.After(f.MailedAt) {
			f.Told, f.MailedAt = true, at
		}
	}
	return f
}

// happened moves a run as the triggers of the database do.
func (r *Run) happened(e event, p *past) {
	switch {
	case e.failed != nil:
		r.failedAgain(*e.failed)
	case e.ended != "":
		r.State, r.HeldFor, r.EndReason = Over, "", e.ended
	case !e.until.IsZero():
		if r.State == Waiting || r.State == Held && r.HeldFor == ForPromise {
			r.State, r.HeldFor, r.HeldUntil = Held, ForPromise, e.until
		}
	case e.broken:
		if r.State == Held && r.HeldFor == ForPromise {
			r.free()
		}
	default:
		r.moved(e, p)
	}
}

func (r *Run) free() { r.State, r.HeldFor, r.HeldUntil = Waiting, "", calendar.Date{} }

// moved follows the status of the purchase.
func (r *Run) moved(e event, p *past) {
	switch s := e.status; {
	case s == purchase.PendingCharge || s == purchase.PendingExecute || s == purchase.Paid && p.returnable(e.at):
		if r.State == Waiting || r.State == Held && r.HeldFor == ForPromise {
			r.State, r.HeldFor, r.HeldUntil = Held, ForDebit, calendar.Date{}
		}
	case s.Owing():
		if r.State == Held && r.HeldFor == ForDebit {
			r.free()
		}
	case s == purchase.Chargeback && r.Branch == Objection:
	default:
		r.State, r.HeldFor = Over, ""
		switch s {
		case purchase.Cancelled, purchase.Expired:
			r.EndReason = string(s)
		case purchase.Chargeback:
			r.EndReason = "disputed"
		case purchase.Paid:
			r.EndReason = "paid"
		default:
			r.EndReason = "settled"
		}
	}
}

// failedAgain goes on after a debit that failed for the same class of reason, and ends after any other.
func (r *Run) failedAgain(c collection.Collection) {
	if r.State != Waiting && r.State != Held {
		return
	}
	cause := CauseOf(c.Result.Code)
	r.CollectionID, r.Cause, r.Code, r.Failures = c.ID, cause, c.Result.Code, r.Failures+1
	if c.ActionDate.After(r.Day) {
		r.Day = c.ActionDate
	}
	switch r.free(); {
	case cause == Deceased:
		r.State, r.EndReason = Over, "died"
	case cause.Branch() != r.Branch && (cause == Disputed || cause == StoppedBy):
		r.State, r.EndReason = Over, string(cause)
	case cause.Branch() != r.Branch:
		r.State, r.EndReason = Over, "cause"
	}
}
