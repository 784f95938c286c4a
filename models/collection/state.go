// Package collection knows one debit at the bank: its states, its timetable and what follows from its result.
// It knows no HTTP, no SQL and no particular bank.
package collection

import (
	"slices"

	"debitdesk/models/bank"
)

// State is where a collection stands.
type State string

// The states of a collection.
const (
	Scheduled   State = "scheduled"    // waits for its submission deadline
	Submitted   State = "submitted"    // handed to the bank
	InTracking  State = "in_tracking"  // the bank waits for money to arrive (DebiCheck)
	Provisional State = "provisional"  // EFT: taken as paid until the return window closes
	Successful  State = "successful"   // collected at once and for good (DebiCheck)
	Final       State = "final"        // EFT: the return window has closed
	Unpaid      State = "unpaid"       // not collected, or returned
	Disputed    State = "disputed"     // the client objected
	DisputeWon  State = "dispute_won"  // the merchant keeps the money
	DisputeLost State = "dispute_lost" // reversed
	Cancelled   State = "cancelled"    // dropped before it went to the bank
	Recalled    State = "recalled"     // withdrawn after it went to the bank (28)
)

// States lists all states in the order of their life.
func States() []State {
	return []State{Scheduled, Submitted, InTracking, Provisional, Successful, Final, Unpaid, Disputed, DisputeWon,
		DisputeLost, Cancelled, Recalled}
}

// moves is the whole life of a collection. Banks answer out of order, so an answer may skip a step: a dispute proves
// that the money was collected, even when the message about it is still on its way.
var moves = map[State][]State{
	Scheduled:   {Submitted, Cancelled, Unpaid}, // unpaid: the bank refused it when it arrived (60)
	Submitted:   {InTracking, Provisional, Successful, Unpaid, Disputed, Recalled},
	InTracking:  {Successful, Unpaid, Disputed, Recalled},
	Provisional: {Final, Unpaid, Disputed},
	Successful:  {Disputed},
	Final:       {Unpaid, Disputed}, // unpaid: a return after the window
	Disputed:    {DisputeWon, DisputeLost},
}

// MayBecome tells whether a collection in state s may move to another state.
func (s State) MayBecome(next State) bool { return slices.Contains(moves[s], next) }

// Next lists the states that may follow s; none means that s is an end.
func (s State) Next() []State { return slices.Clone(moves[s]) }

// Ended tells that no answer can change the collection any more.
func (s State) Ended() bool { return len(moves[s]) == 0 }

// AtBank tells that the bank has the collection and has not answered.
func (s State) AtBank() bool { return s == Submitted || s == InTracking }

// Collected tells that the merchant has the money, be it provisionally.
func (s State) Collected() bool {
	return s == Provisional || s == Successful || s == Final || s == DisputeWon
}

var afterMessage = map[bank.MessageKind]State{
	bank.Provisional: Provisional,
	bank.Successful:  Successful,
	bank.InTracking:  InTracking,
	bank.Unpaid:      Unpaid,
	bank.Disputed:    Disputed,
	bank.DisputeWon:  DisputeWon,
	bank.DisputeLost: DisputeLost,
	bank.Recalled:    Recalled,
}

// afterBack is where a debit goes that had failed or come back when its money is there after all. It is no provisional
// success: its window has run, and a return that follows is one after the window.
var afterBack = map[State]State{Unpaid: Final, Disputed: DisputeWon}

// After is the state that a bank's answer leads to; ok is false when the answer changes nothing in this state, as a
// repeated or a late one, and is to be acknowledged and ignored.
func (s State) After(kind bank.MessageKind) (next State, ok bool) {
	if kind == bank.PaidAgain {
		next, ok = afterBack[s]
		return next, ok
	}
	next, known := afterMessage[kind]
	if !known || !s.MayBecome(next) {
		return s, false
	}
	return next, true
}

// Settlement is "provisional" or "final" for collected money, else nothing: the API's debit_order.settlement.
func (s State) Settlement() string {
	switch s {
	case Provisional:
		return "provisional"
	case Final, Successful, DisputeWon:
		return "final"
	case Scheduled, Submitted, InTracking, Unpaid, Disputed, DisputeLost, Cancelled, Recalled:
		return ""
	}
	return ""
}

var labels = map[State]string{
	Scheduled:   "Scheduled",
	Submitted:   "At the bank",
	InTracking:  "In tracking",
	Provisional: "Collected, may still be returned",
	Successful:  "Collected",
	Final:       "Collected, can no longer be returned",
	Unpaid:      "Failed",
	Disputed:    "Disputed",
	DisputeWon:  "Dispute won",
	DisputeLost: "Dispute lost",
	Cancelled:   "Cancelled",
	Recalled:    "Recalled",
}

// Label is the state in plain words.
func (s State) Label() string { return labels[s] }
