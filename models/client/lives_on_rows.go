package client

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// LivesOn is the client in whom another lives on that was merged away, through other merges too; the same for all
// others.
func (s Store) LivesOn(ctx context.Context, merchantID, id uuid.UUID) (uuid.UUID, error) {
	var kept []uuid.UUID
	err := s.Gorm(ctx).Raw(`WITH RECURSIVE up AS (
		SELECT kept_id, 1 AS n FROM client_merges WHERE merchant_id = @m AND gone_id = @c AND undone_at IS NULL
		UNION SELECT d.kept_id, up.n + 1 FROM client_merges d JOIN up ON d.gone_id = up.kept_id
		WHERE d.merchant_id = @m AND d.undone_at IS NULL) SELECT kept_id FROM up ORDER BY n DESC LIMIT 1`,
		map[string]any{"m": merchantID, "c": id}).Find(&kept).Error
	if err != nil {
		return uuid.Nil, fmt.Errorf("find in whom a client lives on: %w", err)
	}
	if len(kept) == 0 {
		return id, nil
	}
	return kept[0], nil
}
