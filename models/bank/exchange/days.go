package exchange

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
)

// Day is one day at the bank: what should have moved on the merchant's account, and what did.
//
// A debit counts in on its debit date when it has counted as paid, or when the bank booked it, even if it was returned
// since. Returns and disputes of such debits, and refunds, count out on the day of the bank's answer. So a debit that
// came back counts in on its date and out on the day of the return; one that never moved money counts nowhere. What is
// expected is what counts in less what counts out. What was booked is the movements of the day that are matched to our
// items or messages, credits less debits. There is a difference only when a statement or a movement tells of the day.
type Day struct {
	Day          calendar.Date
	HandedOver   Figure  `gorm:"embedded;embeddedPrefix:handed_over_"`  // debits of this date that left in a message
	Acknowledged Figure  `gorm:"embedded;embeddedPrefix:acknowledged_"` // those whose message the bank has acknowledged
	Open         Figure  `gorm:"embedded;embeddedPrefix:open_"`         // those that have no answer
	Paid         Figure  `gorm:"embedded;embeddedPrefix:paid_"`         // counts in
	Back         Figure  `gorm:"embedded;embeddedPrefix:back_"`         // counts out: returned, disputed, refunded; > 0
	Booked       Figure  `gorm:"embedded;embeddedPrefix:booked_"`       // matched movements
	Movements    int64   // of any state
	Statement    bool    // a statement tells of the day
	Due          bool    `gorm:"-"` // everything about it should be known by now
	Note         DayNote `gorm:"-"` // of a difference that was accepted; it may be another one by now
}

// DayPart is one figure of a day.
type DayPart string

// The figures that are made of items.
const (
	PartHandedOver   DayPart = "handed_over"
	PartAcknowledged DayPart = "acknowledged"
	PartOpen         DayPart = "open"
	PartPaid         DayPart = "paid"
	PartBack         DayPart = "back"
	PartExpected     DayPart = "expected"
)

// DayParts lists them.
var DayParts = []DayPart{PartHandedOver, PartAcknowledged, PartOpen, PartPaid, PartBack, PartExpected}

// ExpectedCents is what should have moved.
func (d Day) ExpectedCents() int64 { return d.Paid.Cents - d.Back.Cents }

// Difference is what moved above what should have; told is false when nothing tells of the day.
func (d Day) Difference() (cents int64, told bool) {
	return d.Booked.Cents - d.ExpectedCents(), d.Statement || d.Movements > 0
}

// State is whether the day adds up.
func (d Day) State() DayState {
	cents, told := d.Difference()
	switch {
	case told && cents == 0:
		return DayAddsUp
	case told && d.Note.Note != "" && d.Note.Cents == cents:
		return DayAccepted
	case !d.Due:
		return DayEarly
	case told:
		return DayDiffers
	default:
		return DayUntold
	}
}

// DayState is whether a day adds up.
type DayState string

// The states of a day.
const (
	DayAddsUp   DayState = "adds_up"
	DayDiffers  DayState = "differs"
	DayUntold   DayState = "untold"   // the bank has told nothing about it
	DayAccepted DayState = "accepted" // it differs, and a person noted why that is right
	DayEarly    DayState = "early"    // answers may still come
)

// MostDays is how many days are read at once (ours).
const MostDays = 400

// Days are the bank days between two dates, newest first; days on which nothing happened are left out.
func (s *Service) Days(ctx context.Context, who actor.Actor, from, to calendar.Date) ([]Day, error) {
	return looking(who, func(of uuid.UUID) ([]Day, error) {
		if first := to.AddDays(1 - MostDays); from.Before(first) {
			from = first
		}
		days, err := s.Store.BankDays(ctx, of, from, to)
		if err != nil {
			return nil, err
		}
		notes, err := s.Store.dayNotes(ctx, of, from, to)
		now := s.Now()
		for i := range days {
			days[i].Note = notes[days[i].Day]
			days[i].Due = !now.Before(s.dueAt(days[i].Day))
		}
		return days, err
	})
}

// dueAt is when everything about a day should be known: when silence means that its debits were paid.
func (s *Service) dueAt(day calendar.Date) time.Time {
	return s.Rules.SilenceAt.On(s.Calendar.AddBusinessDays(day, 1))
}

// lookBack is over how many days home tells that one does not add up (ours).
const lookBack = 30

// Concerns are what a person should look at about the bank.
type Concerns struct {
	Findings int64
	Days     []calendar.Date // that do not add up, newest first
}

// Concerns counts open findings, and finds the days of the last month that do not add up.
func (s *Service) Concerns(ctx context.Context, who actor.Actor) (c Concerns, err error) {
	if c.Findings, err = s.CountFindings(ctx, who, FindingFilter{State: FindingOpen}); err != nil {
		return c, err
	}
	today := calendar.DateOf(s.Now())
	days, err := s.Days(ctx, who, today.AddDays(-lookBack), today.AddDays(-1))
	for _, d := range days {
		if d.State() == DayDiffers {
			c.Days = append(c.Days, d.Day)
		}
	}
	return c, err
}
