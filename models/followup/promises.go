package followup

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

// PromiseStates lists the states of a promise.
var PromiseStates = []PromiseState{Open, Kept, Broken, Withdrawn}

// PromiseFilter narrows the list of promises; its zero value takes everything.
type PromiseFilter struct {
	Standing   PromiseState // as a person sees it today
	ClientID   uuid.UUID
	Due, DueTo calendar.Date // both included
	Search     string        // in the client's name and the note
}

// PromiseLine is a promise with the names of its client and purchase.
type PromiseLine struct {
	Promise
	Client    string
	Reference string // of the purchase; empty: about all that the client owes
}

// PromiseSum is how many promises there are, and what those in rands come to.
type PromiseSum struct{ N, Cents int64 }

// Promises gives a page of what clients promised to pay, the newest promise first.
func (s *Service) Promises(ctx context.Context, who actor.Actor, f PromiseFilter,
	ask paging.Ask) (paging.Page[PromiseLine], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[PromiseLine]{}, err
	}
	return s.Store.promisePage(ctx, who.MerchantID, f, calendar.DateOf(s.Now()), ask)
}

// PromiseSums adds promises up by where they stand; nil where there are too many to look at.
func (s *Service) PromiseSums(ctx context.Context, who actor.Actor,
	f PromiseFilter) (map[PromiseState]PromiseSum, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.promiseSums(ctx, who.MerchantID, f, calendar.DateOf(s.Now()))
}
