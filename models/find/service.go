package find

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
)

// Service holds the use cases of the search.
type Service struct {
	Store Store
	Now   func() time.Time // the product's clock, by which "tomorrow" is understood
	Real  func() time.Time
}

// Found are the records of one kind, best first. Count is how many there are; -1 where that is more than is counted.
type Found struct {
	Kind  Kind
	Hits  []Hit
	Count int
}

// Understand reads what a person typed, today.
func (s *Service) Understand(typed string) Meaning {
	return Understand(typed, calendar.DateOf(s.Now()))
}

// Find gives what was found, the kind with the best record first.
func (s *Service) Find(ctx context.Context, who actor.Actor, m Meaning) ([]Found, error) {
	if err := who.May(actor.Read); err != nil || m.Nothing() {
		return nil, err
	}
	answers, err := s.Store.find(ctx, who.MerchantID, m)
	if err != nil {
		return nil, err
	}
	found := inOrder(m, answers)
	if len(found) == 0 && m.mayBeLike() {
		if answers, err = s.Store.like(ctx, who.MerchantID, m); err != nil {
			return nil, err
		}
		found = inOrder(m, answers)
	}
	return found, nil
}

// Recent are what a person opened last, the newest first.
func (s *Service) Recent(ctx context.Context, who actor.Actor) ([]Hit, error) {
	if err := who.May(actor.Read); err != nil || who.Kind != actor.User {
		return nil, err
	}
	return s.Store.recent(ctx, who.MerchantID, who.ID)
}

// Opened notes that a person looked at a record.
func (s *Service) Opened(ctx context.Context, who actor.Actor, kind Kind, id uuid.UUID) error {
	if who.Kind != actor.User {
		return nil
	}
	return s.Store.opened(ctx, who.MerchantID, who.ID, kind, id, s.Real())
}

// inOrder puts what the sources answered together.
func inOrder(m Meaning, answers []answer) []Found {
	byKind := map[Kind]*Found{}
	for _, a := range answers {
		for _, h := range a.hits {
			of := byKind[h.Kind]
			if of == nil {
				of = &Found{Kind: h.Kind}
				byKind[h.Kind] = of
			}
			h.Score = scoreOf(m, h)
			if at := slices.IndexFunc(of.Hits, func(o Hit) bool { return o.ID == h.ID }); at >= 0 {
				of.Hits[at].Score = max(of.Hits[at].Score, h.Score)
			} else {
				of.Hits = append(of.Hits, h)
			}
		}
		if of := byKind[a.kind]; of != nil && of.Count >= 0 {
			if of.Count = max(of.Count, a.count); a.count < 0 {
				of.Count = -1
			}
		}
	}
	var out []Found
	for _, kind := range Kinds {
		of := byKind[kind]
		if of == nil {
			continue
		}
		if of.Count >= 0 {
			of.Count = max(of.Count, len(of.Hits))
		}
		slices.SortStableFunc(of.Hits, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(b.ID.String(), a.ID.String()))
		})
		out = append(out, *of)
	}
	slices.SortStableFunc(out, func(a, b Found) int { return cmp.Compare(b.Hits[0].Score, a.Hits[0].Score) })
	return out
}

// scoreOf raises what a source found where it fits in another way, too.
func scoreOf(m Meaning, h Hit) Score {
	switch {
	case m.Digits != "" && strings.HasSuffix(h.Mark, m.Digits) && h.Kind == Tokens:
		return max(h.Score, ByNumber)
	case m.Text != "" && (strings.EqualFold(h.Mark, m.Text) || strings.EqualFold(h.Second, m.Text)):
		return max(h.Score, ByNumber)
	}
	return h.Score
}
