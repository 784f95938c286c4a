package demo

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
)

// Again is the story of the demo for a merchant that is there already: it begins
// tomorrow morning, and the clock moves with it.
type Again struct {
	Merchant merchant.Merchant
	Brand    merchant.Brand
	Who      actor.Actor
	Clients  int
	Seed     int // other clients
	Step     func(done, all int)
}

// Live lives through the five weeks and gives the purchases that were made.
func (s *Service) Live(ctx context.Context, a Again) ([]uuid.UUID, error) {
	begins := calendar.DateOf(s.Clock.Now()).AddDays(1)
	if err := s.Advance(ctx, begins.At(7, 30)); err != nil {
		return nil, err
	}
	story := &story{s: s, merchant: a.Merchant, brand: a.Brand, admin: a.Who, today: begins.AddDays(history), seed: a.Seed,
		told: a.Step}
	for n := range a.Clients {
		story.member(n)
	}
	err := story.live(ctx, story.today.At(18, 0))
	return story.made, err
}
