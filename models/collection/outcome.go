package collection

import "slices"

// Outcome is how a debit went, as figures and lists count it. Each debit has one at
// any time; one that was withdrawn before the bank ran it has none.
type Outcome string

// The outcomes.
const (
	OutcomeOpen      Outcome = "open"      // the bank has not answered
	OutcomeCollected Outcome = "collected" // the money is there, be it provisionally
	OutcomeFailed    Outcome = "failed"    // not collected, or returned
	OutcomeDisputed  Outcome = "disputed"  // the client objected, however it was decided
)

// Outcomes lists all of them.
var Outcomes = []Outcome{OutcomeOpen, OutcomeCollected, OutcomeFailed, OutcomeDisputed}

// Answered are the outcomes of debits that the bank has answered.
var Answered = []Outcome{OutcomeCollected, OutcomeFailed, OutcomeDisputed}

// Outcome is how a debit in this state went; empty when it was withdrawn.
func (s State) Outcome() Outcome {
	switch s {
	case Scheduled, Submitted, InTracking:
		return OutcomeOpen
	case Provisional, Successful, Final:
		return OutcomeCollected
	case Unpaid:
		return OutcomeFailed
	case Disputed, DisputeWon, DisputeLost:
		return OutcomeDisputed
	case Cancelled, Recalled:
	}
	return ""
}

// StatesOf lists the states whose debits have one of these outcomes.
func StatesOf(outcomes ...Outcome) (out []State) {
	for _, s := range States() {
		if o := s.Outcome(); o != "" && slices.Contains(outcomes, o) {
			out = append(out, s)
		}
	}
	return out
}

// Names are the states whose debits have one of these outcomes, as the database knows them.
func Names(of ...Outcome) (out []string) {
	for _, s := range StatesOf(of...) {
		out = append(out, string(s))
	}
	return out
}
