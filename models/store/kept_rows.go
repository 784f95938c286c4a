package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	mostKept  = 5                // forms of one person; the oldest make room
	formsKept = 30 * time.Minute // nobody gets one after that
)

// KeepForm implements access.FormRows.
func (s *Store) KeepForm(ctx context.Context, userID uuid.UUID, name string, sealed []byte, at time.Time) error {
	_, err := s.Pool.Exec(ctx, `WITH room AS (DELETE FROM kept_forms WHERE name IN (SELECT name FROM kept_forms WHERE user_id = $2 ORDER BY created_at DESC, name OFFSET $5))
		INSERT INTO kept_forms (name, user_id, sealed, created_at) SELECT $1, id, $3, $4 FROM users WHERE id = $2`, name, userID, sealed, Instant(at), mostKept-1)
	if err != nil {
		return fmt.Errorf("keep form: %w", err)
	}
	return nil
}

// KeptForm implements access.FormRows.
func (s *Store) KeptForm(ctx context.Context, userID uuid.UUID, name string, since time.Time) (sealed []byte, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT sealed FROM kept_forms WHERE name = $1 AND user_id = $2 AND created_at > $3`, name, userID, Instant(since)).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find kept form: %w", err)
	}
	return sealed, true, nil
}
