package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/user"
)

type resetRow struct {
	TokenHash []byte `gorm:"primaryKey"`
	UserID    uuid.UUID
	ExpiresAt time.Time
	UsedAt    *time.Time
	CreatedAt time.Time
}

func (resetRow) TableName() string { return "password_resets" }

// InsertReset implements user.Tx.
func (t *Tx) InsertReset(r user.Reset) {
	t.create(&resetRow{TokenHash: r.Hash, UserID: r.UserID, ExpiresAt: r.ExpiresAt, CreatedAt: t.now})
}

// UseResets implements user.Tx.
func (t *Tx) UseResets(r user.Reset, at time.Time) (bool, error) {
	n, err := t.exec(`UPDATE password_resets SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2`, r.Hash, Instant(at))
	if err != nil {
		return false, fmt.Errorf("use password reset: %w", err)
	}
	t.later(`UPDATE password_resets SET used_at = $2 WHERE user_id = $1 AND used_at IS NULL`, r.UserID, Instant(at))
	return n == 1, nil
}

// Reset implements user.Reader.
func (s *Store) Reset(ctx context.Context, hash []byte) (user.Reset, error) {
	var row resetRow
	err := s.read(ctx).Take(&row, "token_hash = ?", hash).Error
	return user.Reset{Hash: row.TokenHash, UserID: row.UserID, ExpiresAt: row.ExpiresAt.UTC(), UsedAt: orZero(row.UsedAt).UTC()}, missing(err, "find password reset")
}
