package mandate

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/facet"
	"debitdesk/models/paging"
)

// Filter narrows the register of mandates; its zero value takes all.
type Filter struct {
	States   []State // none: all
	Kind     Kind    // empty: both
	ClientID uuid.UUID
	Search   string  // words of the client's name or e-mail, or of the contract reference
	Concern  Concern // those alone that need attention for it; empty: does not matter
	Facets   facet.Filter

	CreatedFrom, CreatedTo time.Time // both inclusive; zero: open
}

// Concern is why a mandate needs attention, as attention has it.
type Concern string

// The concerns of mandates: the client's bank suspended it, though it was to go on, and the client has no newer account
// that can be charged; a recurring one was confirmed, and nothing is planned on it.
const (
	Stopped Concern = "suspended"
	Idle    Concern = "idle"
)

// Concerns are all of them.
var Concerns = []Concern{Stopped, Idle}

// Narrow tells whether anything but state and kind is filtered.
func (f Filter) Narrow() bool {
	return f.ClientID != uuid.Nil || f.Search != "" || f.Concern != "" || f.looked()
}

// looked tells whether something is asked for that is looked at in each mandate.
func (f Filter) looked() bool {
	return f.Facets != facet.Filter{} || !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero()
}

// Entry is one line of the register: a mandate, without its wording, and whose it is.
type Entry struct {
	Mandate
	ClientName, ClientEmail string // empty when the purchase had no client record
}

// CountLimit is where counts under a filter stop: above it a page says "more than".
const CountLimit = 10_000

// List gives a page of the register, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Entry], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Entry]{}, err
	}
	page, err := s.Store.Mandates(ctx, who.MerchantID, f, ask)
	if err != nil {
		return page, err
	}
	return page, s.Store.markBlocked(ctx, who.MerchantID, ofEntries(page.Items)...)
}

func ofEntries(list []Entry) []*Mandate {
	out := make([]*Mandate, len(list))
	for i := range list {
		out[i] = &list[i].Mandate
	}
	return out
}

// Several finds those of some mandates that there are, in no order.
func (s *Service) Several(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Entry, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	list, err := s.Store.Entries(ctx, who.MerchantID, ids)
	if err != nil {
		return list, err
	}
	return list, s.Store.markBlocked(ctx, who.MerchantID, ofEntries(list)...)
}

// Counts gives how many mandates stand in each state. It is exact for all and for
// a kind; under a narrower filter it may stop above CountLimit. The filter's own
// states do not matter.
func (s *Service) Counts(ctx context.Context, who actor.Actor, f Filter) (map[State]int64, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	if !f.Narrow() {
		return s.Store.MandateCounts(ctx, who.MerchantID, f.Kind)
	}
	return s.Store.CountMandates(ctx, who.MerchantID, f, CountLimit+1)
}

// VerificationsOfClient gives what banks said about a client's accounts, newest first.
func (s *Service) VerificationsOfClient(ctx context.Context, who actor.Actor,
	clientID uuid.UUID) ([]Verification, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.VerificationsOfClient(ctx, who.MerchantID, clientID)
}
