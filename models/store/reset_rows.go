package store

import (
	"context"
	"fmt"
	"time"

	"debitdesk/models/store/table"
	"debitdesk/models/user"
)

var (
	resetTable  = table.New[user.Reset]("password_resets")
	insertReset = resetTable.Write(`INSERT INTO password_resets (@columns, created_at) VALUES (@values, @now)`, "now")
)

// InsertReset implements user.Tx.
func (t *Tx) InsertReset(r user.Reset) { write(t, insertReset, r, t.now) }

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
	return one(ctx, s, resetTable, "token_hash = $1", hash)
}
