package mandate

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/paging"
)

// Filter narrows the register of mandates; its zero value takes all.
type Filter struct {
	States   []State // none: all
	Kind     Kind    // empty: both
	ClientID uuid.UUID
	Search   string // words of the payer's name or e-mail, or of the contract reference
	// Waiting takes only those that the client's bank suspended, though they were to go
	// on, and whose client has no newer account that can be charged.
	Waiting bool
}

// Narrow tells whether anything but state and kind is filtered.
func (f Filter) Narrow() bool { return f.ClientID != uuid.Nil || f.Search != "" || f.Waiting }

// Entry is one line of the register: a mandate, without its wording, and whose it is.
type Entry struct {
	Mandate
	ClientName, ClientEmail string // empty when the purchase had no client record
}

// Lister is what the register asks of the store.
type Lister interface {
	// Mandates gives one page, newest first.
	Mandates(ctx context.Context, merchantID uuid.UUID, f Filter, ask paging.Ask) (paging.Page[Entry], error)
	// MandateCounts counts all mandates of a merchant by state, exactly; an empty
	// kind takes both.
	MandateCounts(ctx context.Context, merchantID uuid.UUID, kind Kind) (map[State]int64, error)
	// CountMandates counts by state what a filter lets through; nil where that is more than
	// limit, or a search finds too much to be counted.
	CountMandates(ctx context.Context, merchantID uuid.UUID, f Filter, limit int64) (map[State]int64, error)
	// VerificationsOfClient gives what banks said about a client's accounts, newest first.
	VerificationsOfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]Verification, error)
}

// CountLimit is where counts under a filter stop: above it a page says "more than".
const CountLimit = 10_000

// List gives a page of the register, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Entry], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Entry]{}, err
	}
	return s.Lists.Mandates(ctx, who.MerchantID, f, ask)
}

// Counts gives how many mandates stand in each state. It is exact for all and for
// a kind; under a narrower filter it may stop above CountLimit. The filter's own
// states do not matter.
func (s *Service) Counts(ctx context.Context, who actor.Actor, f Filter) (map[State]int64, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	if !f.Narrow() {
		return s.Lists.MandateCounts(ctx, who.MerchantID, f.Kind)
	}
	return s.Lists.CountMandates(ctx, who.MerchantID, f, CountLimit+1)
}

// VerificationsOfClient gives what banks said about a client's accounts, newest first.
func (s *Service) VerificationsOfClient(ctx context.Context, who actor.Actor,
	clientID uuid.UUID) ([]Verification, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Lists.VerificationsOfClient(ctx, who.MerchantID, clientID)
}
