package token

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/facet"
	"debitdesk/models/paging"
)

// Filter narrows the register of tokens; its zero value takes all that are live.
type Filter struct {
	States      []State // none: active and blocked
	Facets      facet.Filter
	CreatedFrom time.Time // stored at or after it; zero: open
	CreatedTo   time.Time
	ClientID    uuid.UUID
	Search      string    // words of the client's name or e-mail
	UnusedSince time.Time // not charged since then; zero: does not matter
	Concern     Concern   // only those that need attention for it; empty: does not matter
}

// Narrow tells whether anything but the state is filtered.
func (f Filter) Narrow() bool {
	return f.Facets != facet.Filter{} || !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero() || f.ClientID != uuid.Nil ||
		f.Search != "" ||
		!f.UnusedSince.IsZero() ||
		f.Concern != ""
}

// Concern is why a token needs attention, as attention has it.
type Concern string

// The concerns of tokens.
const (
	Needed   Concern = "blocked"  // blocked, and scheduled purchases or active subscribers still need it
	Replaces Concern = "replaced" // confirmed by the client in the place of another, and nobody took over
)

// Concerns are all of them, each with the one state of the tokens that it is about.
var Concerns = map[Concern]State{Needed: Blocked, Replaces: Active}

// Entry is one line of the register: a token and whose it is.
type Entry struct {
	Token
	ClientName, ClientEmail string // empty when the purchase had no client record
}

// CountLimit is where counts stop: above it a page says "more than".
const CountLimit = 10_000

// Service holds what people read about tokens.
type Service struct {
	Store Store
}

// List gives a page of the register, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Entry], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Entry]{}, err
	}
	return s.Store.Tokens(ctx, who.MerchantID, f, ask)
}

// Counts gives how many tokens stand in each state, up to CountLimit + 1 each.
func (s *Service) Counts(ctx context.Context, who actor.Actor, f Filter) (map[State]int64, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.CountTokens(ctx, who.MerchantID, f, CountLimit+1)
}

// Several finds those of some tokens that there are, live or not, in no order.
func (s *Service) Several(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Entry, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.TokenEntries(ctx, who.MerchantID, ids)
}

// Get finds one token, live or not.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Entry, error) {
	if err := who.May(actor.Read); err != nil {
		return Entry{}, err
	}
	return s.Store.TokenEntry(ctx, who.MerchantID, id)
}
