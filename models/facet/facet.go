// Package facet knows what lists of purchases, invoices, tokens, mandates and clients are narrowed by that stands in
// other records: how their newest debit went, which account is debited, and who made them. No index leads there: each
// record is looked at with the other one, and a page says how far it has looked.
package facet

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// Filter narrows a list; its zero value takes everything.
type Filter struct {
	Answer             Answer
	Method             bank.Method
	BankCode           string        // of the account that is debited
	Health             Health        // of that account
	MadeBy             string        // a Maker, or the id of a person
	FailedAgain        bool          // more than once
	DebitFrom, DebitTo calendar.Date // of the newest debit, or the next one; both inclusive
}

// Answer is what the bank said last: one of these, or a return code.
type Answer string

// The answers. Never says that nothing was debited so far.
const (
	Collected Answer = "collected"
	Failed    Answer = "failed"
	Disputed  Answer = "disputed"
	Waiting   Answer = "waiting" // the bank has not answered the newest debit
	Never     Answer = "never"
)

// Answers lists those that are no codes.
var Answers = []Answer{Collected, Failed, Disputed, Waiting, Never}

// Known tells whether an answer is one of ours or a return code of the banks.
func (a Answer) Known() bool {
	_, known := bank.FindCode(string(a))
	return known || slices.Contains(Answers, a)
}

// Health is how the debits of an account went.
type Health string

// The healths. Only an account that can still be debited, or is blocked, has one.
const (
	Sound   Health = "sound"   // the last debit was collected
	Failing Health = "failing" // the last debit failed
	Unused  Health = "unused"  // never debited
	Blocked Health = "blocked"
)

// Healths lists all of them.
var Healths = []Health{Sound, Failing, Unused, Blocked}

// Maker is the kind of who made a purchase.
type Maker string

// The makers.
const (
	People        Maker = "people"
	Programs      Maker = "programs"
	Batches       Maker = "batches"
	Subscriptions Maker = "subscriptions"
)

// Makers lists all of them.
var Makers = []Maker{People, Programs, Batches, Subscriptions}

// ByDebitDate tells whether debit dates are asked for.
func (f Filter) ByDebitDate() bool { return !f.DebitFrom.IsZero() || !f.DebitTo.IsZero() }

// Choice is one of what a filter offers.
type Choice struct {
	ID   uuid.UUID
	Name string
}

// Service reads what filters offer: what there is, and not everything that could be.
type Service struct{ Store Store }

// Codes are those with which the newest debits failed or were disputed.
func (s *Service) Codes(ctx context.Context, who actor.Actor) ([]string, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.codes(ctx, who.MerchantID)
}

// Team are the people who may have made something.
func (s *Service) Team(ctx context.Context, who actor.Actor) ([]Choice, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.team(ctx, who.MerchantID)
}

// Templates are the newest templates.
func (s *Service) Templates(ctx context.Context, who actor.Actor) ([]Choice, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.templates(ctx, who.MerchantID)
}

// Batches are the newest batches.
func (s *Service) Batches(ctx context.Context, who actor.Actor) ([]Choice, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.batches(ctx, who.MerchantID)
}
