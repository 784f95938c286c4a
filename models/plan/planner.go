package plan

import (
	"cmp"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/sms"
)

// Debit is what the judge of the button "Debit again" says of a purchase.
type Debit struct {
	May   bool
	Why   string        // that it may not, and what helps
	Rule  string        // the key of the rule that refuses it, where one has a key
	On    calendar.Date // the first debit date on which it may
	By    time.Time     // until when it is left to other events: a day before it must be planned
	Cents int64
}

// Facts are what is known of a purchase at a moment.
type Facts struct {
	Now      time.Time
	Owed     bool          // it can still be paid, and nothing is under way
	UnderWay bool          // a debit is planned, or with the bank
	Promised calendar.Date // the day of an open promise; zero: there is none
	Mailable string        // why the client cannot be mailed; empty when they can
	Textable string        // why the client gets no SMS; empty when they can; asked for where the next step is one
	Told     bool          // the client was mailed about this purchase today
	MailedAt time.Time     // when that was last
	TextedAt time.Time     // when the client last got an SMS about it today
	Sub      bool          // it is of a subscription that can be paused
	Debit    Debit         // asked for where the next step is a debit
	PayDay   int           // the client's, by its debits, asked for where a step waits for it; 0: it cannot be told
}

// What is a decision of the planner.
type What string

// The decisions.
const (
	Rest   What = "rest"   // nothing before a moment
	Act    What = "act"    // the step is taken now
	Refuse What = "refuse" // the step is not taken, and the next one is looked at
	Skip   What = "skip"   // as Refuse, since its purpose has passed
	Hold   What = "hold"   // something else is to happen first
	Hand   What = "hand"   // a person goes on
	End    What = "end"
)

// Move is what follows for a run.
type Move struct {
	What  What
	At    time.Time     // of Rest: when it is looked at again
	Day   calendar.Date // from which the next step counts
	On    calendar.Date // of a debit: its date
	Cents int64
	Why   string // in a sentence
	Rules string // keys of the rulebook
	For   string // of Hold: what holds it
	Until calendar.Date
	End   string // the reason
}

// morning is when a day begins for steps that wait for one.
const morning = 8

// lastDay is the day of the month that means its last business day.
const lastDay = 31

// Next decides what is next for a run: the same function plans, runs and rehearses. It knows the facts that it is given
// and nothing else.
func Next(steps []Step, r Run, f Facts, cal *calendar.Calendar) Move {
	m := Move{Day: r.Day}
	today := calendar.DateOf(f.Now)
	switch {
	case r.Cause == Deceased:
		m.What, m.End = End, "died"
		return m
	case f.UnderWay:
		m.What, m.For = Hold, ForDebit
		return m
	case !f.Owed && r.Branch != Objection:
		m.What, m.End = End, "settled"
		return m
	case !f.Promised.IsZero() && !f.Promised.Before(today):
		m.What, m.For, m.Until = Hold, ForPromise, f.Promised.AddDays(1)
		return m
	case r.Step >= len(steps):
		m.What, m.End = End, "steps_over"
		return m
	}
	step := steps[r.Step]
	if step.Kind.Waits() {
		m.Day = until(step, r.Day, f.PayDay, cal)
		return m.not(m.Day.At(morning, 0), f.Now)
	}
	if !Allowed(step.Kind, r.Cause) || r.Branch == Objection && !f.Owed && step.Kind != Task && step.Kind != Stop &&
		step.Kind != Pause {
		m.What = Refuse
		m.Why, m.Rules = against(step.Kind, r.Cause)
		return m
	}
	return m.take(step, f, cal)
}

// take decides on a step that the cause allows.
func (m Move) take(step Step, f Facts, cal *calendar.Calendar) Move {
	switch step.Kind {
	case Message:
		if step.Texts(f.Mailable == "") {
			return m.text(f, cal)
		}
		return m.mail(f, cal)
	case AskAccount:
		return m.mail(f, cal)
	case DebitAgain:
		return m.debit(f)
	case Pause:
		if !f.Sub {
			m.What, m.Why = Skip, "There is no active subscription to pause."
			return m
		}
	case Task:
		m.What, m.Why = Hand, step.Text
		return m
	case Stop:
		m.What, m.End = End, "steps_over"
		return m
	case WaitDays, WaitBusiness, WaitPayDay, WaitLikely:
	}
	m.What = Act
	return m
}

// not makes a move that is not before a moment.
func (m Move) not(at, now time.Time) Move {
	m.What = Act
	if now.Before(at) {
		m.What, m.At = Rest, at
	}
	return m
}

// mail decides on a message.
func (m Move) mail(f Facts, cal *calendar.Calendar) Move {
	switch {
	case f.Mailable != "":
		m.What, m.Why = Refuse, f.Mailable
		return m
	case f.Told:
		m.What, m.Why = Skip, "The client was mailed about this today already, with the link."
		return m
	}
	return m.apart(f.TextedAt, f.Now, cal)
}

// text decides on a message by SMS.
func (m Move) text(f Facts, cal *calendar.Calendar) Move {
	switch {
	case f.Textable != "":
		m.What, m.Why = Refuse, f.Textable
		return m
	case !f.TextedAt.IsZero() && calendar.DateOf(f.TextedAt) == calendar.DateOf(f.Now):
		m.What, m.Why = Skip, "The client got an SMS about this today already, with the link."
		return m
	}
	return m.apart(f.MailedAt, f.Now, cal)
}

// apart puts an hour between messages about the same on two channels (source: follow-up, section 13).
func (m Move) apart(other, now time.Time, cal *calendar.Calendar) Move {
	at := now
	if free := other.Add(time.Hour); !other.IsZero() && free.After(at) {
		at = free
	}
	return m.not(sms.Hours{}.NextAllowed(at, cal), now)
}

// debit decides on a debit. It is planned as late as the cut-off leaves a day for it, so that whatever the client does
// until then stops it.
func (m Move) debit(f Facts) Move {
	d := f.Debit
	m.On, m.Cents = d.On, d.Cents
	if !d.May {
		m.What, m.Why, m.Rules, m.On = Refuse, d.Why, d.Rule, calendar.Date{}
		return m
	}
	return m.not(d.By, f.Now)
}

// until is the day for which a step waits, counted from a day. likely is the client's own pay day; 0: nobody can tell.
func until(step Step, from calendar.Date, likely int, cal *calendar.Calendar) calendar.Date {
	switch step.Kind {
	case WaitDays:
		return from.AddDays(step.N)
	case WaitBusiness:
		return cal.AddBusinessDays(from, step.N)
	case WaitPayDay:
		return payDay(step.N, from, cal)
	case WaitLikely:
		return payDay(cmp.Or(likely, step.N), from, cal)
	case Message, DebitAgain, AskAccount, Pause, Task, Stop:
	}
	return from
}

// payDay is the first pay day after a day. What falls on a closed day is paid before it (follow-up.md, section 6).
func payDay(n int, after calendar.Date, cal *calendar.Calendar) calendar.Date {
	for month := 0; ; month++ {
		if day := cal.PayDay(n, after.AddMonths(month, 1)); day.After(after) {
			return day
		}
	}
}
