package store

import (
	"context"
	"fmt"
	"time"

	"debitdesk/models/webhook"
)

// CountSince implements webhook.Reader: what RepeatSince would deliver.
func (s *Store) CountSince(ctx context.Context, w webhook.Webhook, since time.Time, atMost int) (n int, err error) {
	err = s.read(ctx).Raw(`SELECT count(*) FROM (SELECT 1 FROM events
		WHERE merchant_id = ? AND created_at >= ? AND snapshot IS NOT NULL AND object_type <> 'webhook' AND (? OR type = ANY(?::text[])) LIMIT ?) found`,
		w.MerchantID, Instant(since), w.AllEvents, textArray(w.Events), atMost).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count events: %w", err)
	}
	return n, nil
}
