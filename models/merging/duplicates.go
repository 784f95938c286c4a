package merging

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
)

// Pair are two clients who may be the same one. The first was added before the later one.
type Pair struct {
	First, Later client.Client
	Same         []string // "identity number", "account and name", "e-mail address and name"
}

// Place is a pair at which a page of duplicates ends.
type Place struct{ First, Later uuid.UUID }

// PairsOnPage is how many pairs a page has.
const PairsOnPage = 50

// Duplicates lists clients who may be the same one, the latest first; older tells that there are more.
func (s *Service) Duplicates(ctx context.Context, who actor.Actor, from Place) (out []Pair, older bool, err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, false, err
	}
	all, err := s.Store.duplicates(ctx, who.MerchantID, from, PairsOnPage+1)
	if older = len(all) > PairsOnPage; older {
		all = all[:PairsOnPage]
	}
	if err != nil || len(all) == 0 {
		return nil, false, err
	}
	var ids []uuid.UUID
	for _, f := range all {
		ids = append(ids, f.first, f.later)
	}
	by, err := s.Store.several(ctx, who.MerchantID, ids)
	for _, f := range all {
		first, later := by[f.first], by[f.later]
		if first.ID != uuid.Nil && later.ID != uuid.Nil { // one may have been deleted meanwhile
			out = append(out, Pair{first, later, f.same})
		}
	}
	return out, older, err
}

// mostLikely is how many clients with the same account are proposed.
const mostLikely = 5

// Likely finds clients who may be the same as one.
func (s *Service) Likely(ctx context.Context, who actor.Actor, one client.Client) ([]client.Twin, error) {
	alike, err := s.Clients.Alike(ctx, who, one.Details)
	if err != nil {
		return nil, err
	}
	alike = slices.DeleteFunc(alike, func(t client.Twin) bool { return t.ID == one.ID })
	same, err := s.Store.sameAccount(ctx, one, mostLikely)
	for _, c := range same {
		at := slices.IndexFunc(alike, func(t client.Twin) bool { return t.ID == c.ID })
		if at < 0 {
			alike, at = append(alike, client.Twin{Client: c}), len(alike)
		}
		alike[at].Same = append(alike[at].Same, "account")
	}
	if err != nil || len(alike) == 0 {
		return nil, err
	}
	apart, err := s.Store.apartFrom(ctx, who.MerchantID, one.ID)
	return slices.DeleteFunc(alike, func(t client.Twin) bool { return apart[t.ID] }), err
}
