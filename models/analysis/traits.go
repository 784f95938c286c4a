package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/collection"
)

// The traits that are kept by day, as the database knows them.
const (
	traitBank     = "bank"
	traitTemplate = "template"
	traitAge      = "age"
)

// traits sorts the answers of the question, and of the compared one, by what stands in their mandates and purchases.
func (s *Service) traits(ctx context.Context, merchantID uuid.UUID, p *Picture) error {
	now, err := s.Store.traits(ctx, merchantID, p.Of)
	if err != nil {
		return err
	}
	was := map[string][]sum{}
	if !p.Before.From.IsZero() {
		if was, err = s.Store.traits(ctx, merchantID, p.Before); err != nil {
			return err
		}
	}
	for trait, into := range map[string]*[]Group{traitBank: &p.Banks, traitTemplate: &p.Templates, traitAge: &p.Ages} {
		*into = grouped(now[trait], was[trait], func(s sum) Group { return Group{Value: s.Value} })
	}
	mostFirst(p.Banks)
	mostFirst(p.Templates)
	slices.SortFunc(p.Ages, func(a, b Group) int {
		return cmp.Compare(slices.Index(collection.Ages, collection.Age(a.Value)),
			slices.Index(collection.Ages, collection.Age(b.Value)))
	})
	return nil
}

func mostFirst(groups []Group) {
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Answered().N, a.Answered().N), cmp.Compare(b.Was.Answered().N, a.Was.Answered().N),
			cmp.Compare(a.Value, b.Value))
	})
}
