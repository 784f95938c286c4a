package webhook

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
)

// CountLimit is how many events are counted; one more stands for "more than that".
const CountLimit = 10_000

// CountSince tells how many events ResendSince would deliver, up to CountLimit and
// one more.
func (s *Service) CountSince(ctx context.Context, who actor.Actor, webhookID uuid.UUID, since time.Time) (int, error) {
	if err := who.May(actor.Read); err != nil {
		return 0, err
	}
	w, err := s.Store.Webhook(ctx, who.MerchantID, webhookID)
	if err != nil {
		return 0, err
	}
	return s.Store.CountSince(ctx, w, since, CountLimit+1)
}
