package attention

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

// Service answers what waits for a person.
type Service struct {
	Store Store
	Now   func() time.Time // the product's clock
}

const itemsShown = 12

// Since is the day from which on a failure is new: yesterday.
func (s *Service) Since() calendar.Date { return calendar.DateOf(s.Now()).AddDays(-1) }

// query is a part of the queue as it stands today.
func (s *Service) query(who actor.Actor, whose Whose) Query {
	return Query{Whose: whose, OwnerID: who.ID, Yesterday: s.Since().At(0, 0),
		Month: calendar.DateOf(s.Now()).AddDays(-30).At(0, 0)}
}

// Summary sums up what waits.
func (s *Service) Summary(ctx context.Context, who actor.Actor, whose Whose) (Summary, error) {
	if err := who.May(actor.Read); err != nil {
		return Summary{}, err
	}
	return s.Store.Summary(ctx, who.MerchantID, s.query(who, whose))
}

// Items lists what waits.
func (s *Service) Items(ctx context.Context, who actor.Actor, whose Whose) (Items, error) {
	if err := who.May(actor.Read); err != nil {
		return Items{}, err
	}
	return s.Store.Items(ctx, who.MerchantID, s.query(who, whose), itemsShown)
}

// Item finds everything for which one thing waits, or would, were it not put off.
func (s *Service) Item(ctx context.Context, who actor.Actor, objectID uuid.UUID) (Items, error) {
	if err := who.May(actor.Read); err != nil {
		return Items{}, err
	}
	if objectID == uuid.Nil {
		return Items{}, nil
	}
	q := s.query(who, Everyones)
	q.ObjectID = objectID
	return s.Store.Items(ctx, who.MerchantID, q, 1)
}

// Parts are the parts of the queue, as a page offers them.
var Parts = []Whose{Everyones, Mine, Nobodys, Later}

// Counts counts what each of Parts shows.
func (s *Service) Counts(ctx context.Context, who actor.Actor) ([]int, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	of := make([]Query, len(Parts))
	for i, whose := range Parts {
		of[i] = s.query(who, whose)
	}
	counts, err := s.Store.Counts(ctx, who.MerchantID, of...)
	if err == nil { // everyone's is the number beside the section's name, which is not asked for again
		_, err = paging.Once(ctx, counted(who.MerchantID), func() (int, error) { return counts[0], nil })
	}
	return counts, err
}

// Count is the number beside the section's name.
func (s *Service) Count(ctx context.Context, merchantID uuid.UUID) (int, error) {
	return paging.Once(ctx, counted(merchantID), func() (int, error) {
		return s.Store.Count(ctx, merchantID, s.query(actor.Actor{}, Everyones).Month)
	})
}

// counted names what waits of a merchant among what was looked up for an answer.
func counted(merchantID uuid.UUID) string { return "what waits of " + merchantID.String() }
