package simbank

import (
	"fmt"
	"time"

	"debitdesk/models/calendar"
)

// planner writes down everything that will happen to one order.
type planner struct {
	cal      *calendar.Calendar
	now      time.Time // when the order arrived
	order    *order
	previous int  // orders of the same kind from the same account before
	reports  bool // EFT debits that were paid are reported one by one
}

func (p *planner) add(e event) {
	if e.At.Before(p.now) {
		e.At = p.now
	}
	p.order.Plan = append(p.order.Plan, e)
}

// planDebit moves the debit to the next day on which it can still run.
func (p *planner) planDebit() {
	o := p.order
	if o.debiCheck() {
		o.Day = p.runsOn(o.Day, p.cal.ShiftEarly, mornings)
		p.debiCheck()
		return
	}
	o.Day = p.runsOn(o.Day, p.cal.Shift, booking)
	p.eft()
}

func (p *planner) runsOn(day calendar.Date, shift func(calendar.Date, calendar.Shift) calendar.Date,
	until calendar.TimeOfDay) calendar.Date {
	if today := calendar.DateOf(p.now); day.Before(today) {
		day = today
	}
	day = shift(day, calendar.Next)
	if !p.now.Before(until.On(day)) {
		day = shift(day.AddDays(1), calendar.Next)
	}
	return day
}

func (p *planner) eft() {
	r := ruleOf(p.order.Account)
	switch r.does {
	case pays, stopsMandate:
		p.paid()
	case returns, tracksInVain:
		p.credit()
		p.back(r.code, p.business(1))
	case returnsFirst, tracksAndPays:
		if p.previous > 0 {
			p.paid()
			return
		}
		p.credit()
		p.back(r.code, p.business(1))
	case returnsLate:
		p.paid()
		p.back(r.code, p.business(lastReturnDay))
	case disputes:
		p.paid()
		p.back(r.code, p.calendarDay(disputeDay))
	case disputesLate:
		p.paid()
		p.back(r.code, p.calendarDay(lateDisputeDay))
	case reportsTwice:
		p.paid()
		p.report()
	case unknown: // refused before
	case keepsSilent:
		// A bank that books whole groups books this debit with its group and never says more. One that
		// tells of single debits does not book it.
		if !p.reports && !p.order.Single {
			p.credit()
		}
	}
}

// business is the morning of the n-th business day after the debit's day.
func (p *planner) business(n int) time.Time {
	return mornings.On(p.cal.AddBusinessDays(p.order.Day, n))
}

// calendarDay is the morning of the n-th calendar day after it, or of the next business day.
func (p *planner) calendarDay(n int) time.Time {
	return mornings.On(p.cal.Shift(p.order.Day.AddDays(n), calendar.Next))
}

func (p *planner) credit() { p.add(event{At: booking.On(p.order.Day), Book: 1}) }

func (p *planner) paid() {
	p.credit()
	p.report()
}

func (p *planner) report() {
	if p.reports {
		p.add(event{At: p.business(1), Status: "ACSC"})
	}
}

func (p *planner) back(code string, at time.Time) {
	why := returned(code)
	p.add(event{At: at, Book: -1, Notify: true, Code: &why})
}

// debiCheck answers in the morning of the debit's day, and while it is in tracking in that of later days.
func (p *planner) debiCheck() {
	r := ruleOf(p.order.Account)
	switch r.does {
	case pays, returnsLate:
		p.collected(0)
	case reportsTwice:
		p.collected(0)
		p.add(event{At: p.morning(0), Status: "ACSC"})
	case returns, stopsMandate:
		p.failed(r.code, 0)
	case returnsFirst:
		if p.previous > 0 {
			p.collected(0)
		} else {
			p.failed(r.code, 0)
		}
	case tracksAndPays:
		p.tracked(r.code, trackedPayDay)
	case tracksInVain:
		p.tracked(r.code, mostTracking+1)
	case disputes:
		p.collected(0)
		p.objected(r.code, disputeDay)
	case disputesLate:
		p.collected(0)
		p.objected(r.code, lateDisputeDay)
	case keepsSilent, unknown:
	}
}

func (p *planner) morning(n int) time.Time { return mornings.On(p.order.Day.AddDays(n)) }

func (p *planner) collected(day int) { p.add(event{At: p.morning(day), Book: 1, Status: "ACSC"}) }

func (p *planner) failed(code string, day int) {
	why := returned(code)
	p.add(event{At: p.morning(day), Status: "RJCT", Code: &why})
}

// tracked waits for money, which arrives on day pays if the bank still waits then.
func (p *planner) tracked(code string, pays int) {
	days := min(p.order.Tracking, mostTracking)
	if days <= 0 {
		p.failed(code, 0)
		return
	}
	p.add(event{At: p.morning(0), Status: "PDNG", Code: &reason{Code: "TRACKING", Own: true, Text: code + " IN TRACKING"}})
	if pays <= days {
		p.collected(pays)
		return
	}
	p.failed(code, days)
}

func (p *planner) objected(code string, day int) {
	if p.order.disputable() {
		p.back(code, p.calendarDay(day))
	}
}

// planRefund pays on the business day after the day it is asked for.
func (p *planner) planRefund() {
	o := p.order
	if today := calendar.DateOf(p.now); o.Day.Before(today) {
		o.Day = today
	}
	at := p.business(1)
	if code, refused := noRefund[tail(o.Account)]; refused {
		why := returned(code)
		p.add(event{At: at, Status: "RJCT", Code: &why})
		return
	}
	if ruleOf(o.Account).does != keepsSilent {
		p.add(event{At: at, Status: "ACSC", Book: -1})
	}
}

// planMandate has the payer answer. orders counts all orders before, so that each mandate reference is new.
func (p *planner) planMandate(orders []*order) {
	ends := tail(p.order.Account)
	switch {
	case ends == "8003":
		p.declined("AC04", "ACCOUNT CLOSED", p.now.Add(bankAfter))
		return
	case ends == "8500" && p.previous == 0:
		p.add(event{At: p.now.Add(bankAfter), Answer: no, Code: &reason{Code: "EERR", Own: true, Text: "SYSTEM ERROR"}})
		return
	}
	answers, limit := p.now.Add(delayedAfter), p.now.Add(delayedLimit)
	if p.order.prompt() {
		answers, limit = p.now.Add(promptAfter), p.now.Add(promptLimit)
	}
	switch {
	case ends == "8001" && p.order.prompt():
		answers = p.now.Add(promptLate)
	case ends == "8120":
		answers = p.now.Add(delayedLate)
	}
	switch {
	case ends == "8480" || !answers.Before(limit):
		p.declined("NOAS", "NO RESPONSE FROM THE PAYER", limit)
	case ends == "8002":
		p.declined("MS02", "REFUSED BY THE PAYER", answers)
	default:
		p.add(event{At: answers, Answer: yes, Mandate: fmt.Sprintf("SIM%012d", len(orders)+1)})
	}
	if ends == "8600" {
		p.declined("CTCA", "CONTRACT CANCELLED BY THE PAYER", mornings.On(calendar.DateOf(answers).AddDays(1)))
	}
}

func (p *planner) declined(code, text string, at time.Time) {
	p.add(event{At: at, Answer: no, Code: &reason{Code: code, Text: text}})
}
