package installation

import (
	"context"
	"fmt"
	"time"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Store is where the link is kept.
type Store struct{ *database.DB }

const anyUser = `SELECT EXISTS (SELECT FROM users)`

// AnyUser tells whether there is a user, of any business.
func (s Store) AnyUser(ctx context.Context) (has bool, err error) {
	if err := s.Pool.QueryRow(ctx, anyUser).Scan(&has); err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return has, nil
}

// AnyAdmin tells whether an admin of any business can sign in.
func (s Store) AnyAdmin(ctx context.Context) (has bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM memberships mb JOIN users u ON u.id = mb.user_id
		WHERE mb.role = 'admin' AND mb.disabled_at IS NULL AND u.disabled_at IS NULL)`).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for an admin: %w", err)
	}
	return has, nil
}

// Link is nil for the link that works at that moment; NotFound for any other.
func (s Store) Link(ctx context.Context, hash []byte, at time.Time) error {
	var works bool
	err := s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM first_links WHERE token_hash = $1 AND expires_at > $2)
		AND NOT EXISTS (SELECT FROM users)`, hash, database.Instant(at)).Scan(&works)
	switch {
	case err != nil:
		return fmt.Errorf("find the first link: %w", err)
	case !works:
		return fault.Missing()
	}
	return nil
}

// begin keeps others from making or using a link until the transaction ends; Conflict once there is a user.
func begin(tx *database.Tx) error {
	if _, err := tx.Exec(`SELECT pg_advisory_xact_lock(hashtext('debitdesk first link'))`); err != nil {
		return fmt.Errorf("hold the first link: %w", err)
	}
	has, err := Store{tx.DB()}.AnyUser(tx.Context())
	if err == nil && has {
		err = opened()
	}
	return err
}

// keepLink puts a new link in the place of the one before.
func keepLink(tx *database.Tx, hash []byte, at, until time.Time) error {
	_, err := tx.Exec(`INSERT INTO first_links (token_hash, created_at, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (one) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at,
			expires_at = excluded.expires_at`, hash, database.Instant(at), database.Instant(until))
	if err != nil {
		return fmt.Errorf("keep the first link: %w", err)
	}
	return nil
}

// useLink takes the link; false when it is not the newest, is over or was taken.
func useLink(tx *database.Tx, hash []byte, at time.Time) (bool, error) {
	return tx.ExecOne("use the first link", `DELETE FROM first_links WHERE token_hash = $1 AND expires_at > $2`, hash,
		database.Instant(at))
}
