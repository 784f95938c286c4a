package store

import (
	"context"
	"fmt"
	"time"

	"debitdesk/models/webhook"
)

// CountSince implements webhook.Reader: what RepeatSince would deliver.
func (s *Store) CountSince(ctx context.Context, w webhook.Webhook, since time.Time, atMost int) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 `+repeatable+` LIMIT $6) found`,
		append(repeatableArgs(w, since), atMost)...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count events: %w", err)
	}
	return n, nil
}
