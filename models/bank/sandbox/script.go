// Package sandbox is a deterministic bank: documented account numbers decide what happens, a clock decides when.
// It knows the bank port and the debit-order timetable, and no database: its memory is a Ledger.
package sandbox

import (
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

// Entry is one answer that the bank will give. Seq counts from 1 within one order.
type Entry struct {
	Seq       int
	Kind      bank.MessageKind
	Code      string
	Channel   string // of an accepted mandate
	Reference string // the bank's, of an accepted mandate
	DueAt     time.Time
}

// The days after the action date on which the sandbox's payers dispute.
const (
	disputeDay     = 10 // inside the dispute window
	lateDisputeDay = 41 // the first day on which proof was asked for, of debits before 13 April 2026
)

// Script is everything the bank will say about a collection, unless it is recalled, contested or forced. previous
// counts the collections handed over before from the same account.
func Script(in bank.Instruction, previous int, tt collection.Timetable, cal *calendar.Calendar) []Entry {
	s := script{action: in.ActionDate, tt: tt.For(in.Method), cal: cal}
	if in.Method == bank.DebiCheck {
		s.playDebiCheck(in, previous)
	} else {
		s.play(in.Account, previous)
	}
	return Renumber(s.entries, 0)
}

// RefundScript settles a refund on the next processing morning.
func RefundScript(now time.Time, tt collection.Timetable, cal *calendar.Calendar) []Entry {
	at := nextMorning(now, tt, cal)
	return []Entry{{Seq: 1, Kind: bank.RefundSettled, Code: bank.CodeSuccess, DueAt: at}}
}

// Renumber counts entries on from the last number used.
func Renumber(entries []Entry, last int) []Entry {
	for i := range entries {
		entries[i].Seq = last + 1 + i
	}
	return entries
}

type script struct {
	action  calendar.Date
	tt      collection.Timetable
	cal     *calendar.Calendar
	entries []Entry
}

func (s *script) play(account bank.AccountNumber, previous int) {
	switch o := outcomeOf(account); o.does {
	case pays, stopsMandate:
		s.success()
	case returns, tracksInVain:
		s.unpaid(o.code, 1)
	case returnsFirst, tracksAndPays:
		if previous == 0 {
			s.unpaid(o.code, 1)
		} else {
			s.success()
		}
	case returnsLate:
		s.success()
		s.unpaid(o.code, s.tt.ReturnDays(s.action))
	case disputes:
		s.success()
		s.disputed(o.code, disputeDay)
	case disputesLate:
		s.success()
		s.disputed(o.code, lateDisputeDay)
	case disputesTooLate:
		s.success()
		s.disputed(o.code, s.tt.Disputes(s.action, s.action.At(0, 0)).Until(s.action).DaysSince(s.action)+1)
	case answersTwice:
		s.success()
		s.success()
	case keepsSilent:
	}
}

func (s *script) success() {
	s.add(bank.Provisional, bank.CodeSuccess, s.tt.ProvisionalAtFor(s.action))
}

func (s *script) unpaid(code string, businessDay int) {
	s.add(bank.Unpaid, code, s.tt.ReturnAt(s.cal, s.action, businessDay))
}

func (s *script) add(kind bank.MessageKind, code string, at time.Time) {
	s.entries = append(s.entries, Entry{Kind: kind, Code: code, DueAt: at})
}

// disputed is a dispute in the morning of a calendar day after the action date.
func (s *script) disputed(code string, day int) {
	s.entries = append(s.entries, disputeAt(s.tt.ReturnsAt.On(s.action.AddDays(day)), s.action, code, s.tt)...)
}

// disputeAt is a dispute at a moment of a debit that was processed on a day. After the last day the payer's bank
// does not hear it. Where the rules of the debit's day give the merchant time to prove the mandate, that is lost
// when it has passed without a proof.
func disputeAt(at time.Time, processed calendar.Date, code string, tt collection.Timetable) []Entry {
	lodged := tt.Lodge(processed, at)
	if lodged.Refused != "" {
		return []Entry{{Kind: bank.DisputeRejected, Code: code, DueAt: at}}
	}
	entries := []Entry{{Kind: bank.Disputed, Code: code, DueAt: at}}
	if lodged.ProofUntil.IsZero() {
		return entries
	}
	return append(entries, Entry{Kind: bank.DisputeLost, Code: code, DueAt: tt.ReturnsAt.On(lodged.ProofUntil.AddDays(1))})
}

func nextMorning(now time.Time, tt collection.Timetable, cal *calendar.Calendar) time.Time {
	return tt.ReturnAt(cal, calendar.DateOf(now), 1)
}
