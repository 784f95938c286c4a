package sandbox

import (
	"time"

	"debitdesk/models/bank"
)

// Calendar days in which the payers of the sandbox make a tracked debit good, and the longest a bank waits (industry).
const (
	trackedPayDay = 3
	mostTracking  = 10
)

// playDebiCheck answers in the morning of the action date. No return can follow; a dispute is heard only where the
// debit was outside what the payer authenticated.
func (s *script) playDebiCheck(in bank.Instruction, previous int) {
	switch o := outcomeOf(in.Account); o.does {
	case stopsMandate:
		s.failed(o.code, 0)
	case pays, returnsLate:
		s.collected()
	case returns:
		s.failed(o.code, 0)
	case returnsFirst:
		if previous == 0 {
			s.failed(o.code, 0)
		} else {
			s.collected()
		}
	case tracksAndPays:
		s.tracked(o.code, in.TrackingDays, trackedPayDay)
	case tracksInVain:
		s.tracked(o.code, in.TrackingDays, mostTracking+1)
	case disputes:
		s.collected()
		s.objected(o.code, disputeDay, in.Disputable)
	case disputesLate:
		s.collected()
		s.objected(o.code, lateDisputeDay, in.Disputable)
	case disputesTooLate:
		s.collected()
		s.objected(o.code, s.tt.Disputes(s.action, s.action.At(0, 0)).Until(s.action).DaysSince(s.action)+1, in.Disputable)
	case answersTwice:
		s.collected()
		s.collected()
	case keepsSilent:
	}
}

// morning is when answers of the n-th calendar day after the action date arrive.
func (s *script) morning(n int) time.Time { return s.tt.ReturnsAt.On(s.action.AddDays(n)) }

func (s *script) collected() { s.add(bank.Successful, bank.CodeSuccess, s.morning(0)) }

func (s *script) failed(code string, day int) { s.add(bank.Unpaid, code, s.morning(day)) }

// tracked waits for money, which arrives on day pays if the bank still waits then; without tracking it fails at once.
func (s *script) tracked(code string, days, pays int) {
	days = min(days, mostTracking)
	if days <= 0 {
		s.failed(code, 0)
		return
	}
	s.add(bank.InTracking, code, s.morning(0))
	if pays <= days {
		s.add(bank.Successful, bank.CodeSuccess, s.morning(pays))
		return
	}
	s.failed(code, days)
}

func (s *script) objected(code string, day int, disputable bool) {
	if !disputable {
		s.add(bank.DisputeRejected, code, s.morning(day))
		return
	}
	s.disputed(code, day)
}
