package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/user"
)

type userRow struct {
	ID           uuid.UUID `gorm:"primaryKey"`
	MerchantID   uuid.UUID
	Email        string
	Name         string
	Role         string
	PasswordHash string
	Theme        string
	LastSeenAt   *time.Time
	DisabledAt   *time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

func (userRow) TableName() string { return "users" }

func (r userRow) domain() user.User {
	return user.User{ID: r.ID, MerchantID: r.MerchantID, Email: r.Email, Name: r.Name, Role: actor.Role(r.Role), Theme: r.Theme,
		LastSeenAt: orZero(r.LastSeenAt).UTC(), DisabledAt: orZero(r.DisabledAt).UTC(),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
}

// InsertUser implements user.Tx.
func (t *Tx) InsertUser(u user.User, passwordHash string) error {
	t.create(&userRow{ID: u.ID, MerchantID: u.MerchantID, Email: u.Email, Name: u.Name, Role: string(u.Role), PasswordHash: passwordHash,
		Theme: u.Theme, CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt})
	switch err := t.flush(); {
	case violates(err, "users_by_email"):
		return fault.At("email", "unique", "Somebody signs in with this e-mail address already.")
	case err != nil:
		return fmt.Errorf("add user: %w", err)
	}
	return nil
}

// DisableUser implements user.Tx.
func (t *Tx) DisableUser(merchantID, id uuid.UUID, at time.Time) (bool, error) {
	n, err := t.exec(`UPDATE users SET disabled_at = $3, updated_at = $3 WHERE merchant_id = $1 AND id = $2 AND disabled_at IS NULL`, merchantID, id, at)
	if err != nil {
		return false, fmt.Errorf("disable user: %w", err)
	}
	if n == 1 {
		t.later(`DELETE FROM sessions WHERE user_id = $1`, id)
	}
	return n == 1, nil
}

// SetUserTheme implements user.Tx.
func (t *Tx) SetUserTheme(id uuid.UUID, theme string) error {
	n, err := t.exec(`UPDATE users SET theme = $2, updated_at = $3 WHERE id = $1`, id, theme, t.now)
	if err != nil {
		return fmt.Errorf("set theme: %w", err)
	}
	if n != 1 {
		return fault.Missing()
	}
	return nil
}

// SetUserSeen implements user.Tx.
func (t *Tx) SetUserSeen(id uuid.UUID, at time.Time) {
	t.later(`UPDATE users SET last_seen_at = $2 WHERE id = $1`, id, Instant(at))
}

// UserByEmail implements user.Reader.
func (s *Store) UserByEmail(ctx context.Context, email string) (user.User, string, error) {
	var row userRow
	err := s.read(ctx).Where("lower(email) = lower(trim(?))", email).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return user.User{}, "", fault.Missing()
	case err != nil:
		return user.User{}, "", fmt.Errorf("find user: %w", err)
	}
	return row.domain(), row.PasswordHash, nil
}

// User implements user.Reader.
func (s *Store) User(ctx context.Context, merchantID, id uuid.UUID) (user.User, error) {
	var row userRow
	err := s.read(ctx).Where("merchant_id = ? AND id = ?", merchantID, id).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return user.User{}, fault.Missing()
	case err != nil:
		return user.User{}, fmt.Errorf("find user: %w", err)
	}
	return row.domain(), nil
}

type throttleRow struct {
	Key         string `gorm:"primaryKey"`
	Failures    int
	LastAt      time.Time
	LockedUntil *time.Time
}

func (throttleRow) TableName() string { return "sign_in_failures" }

// Throttles implements user.Tx. The rows are locked in one order for everybody.
func (t *Tx) Throttles(keys []string) ([]user.Throttle, error) {
	sorted := slices.Sorted(slices.Values(keys))
	t.later(`INSERT INTO sign_in_failures (key, failures, last_at) SELECT k, 0, $2::timestamptz FROM unnest($1::text[]) k ORDER BY k
		ON CONFLICT DO NOTHING`, sorted, time.Unix(0, 0).UTC())
	db, err := t.read()
	if err != nil {
		return nil, fmt.Errorf("count sign-ins: %w", err)
	}
	var rows []throttleRow
	if err := db.Raw(`SELECT * FROM sign_in_failures WHERE key IN ? ORDER BY key FOR UPDATE`, sorted).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("count sign-ins: %w", err)
	}
	out := make([]user.Throttle, len(keys))
	for _, r := range rows {
		out[slices.Index(keys, r.Key)] = user.Throttle{Key: r.Key, Failures: r.Failures, LastAt: r.LastAt.UTC(), LockedUntil: orZero(r.LockedUntil).UTC()}
	}
	return out, nil
}

// SaveThrottle implements user.Tx.
func (t *Tx) SaveThrottle(c user.Throttle) {
	t.later(`UPDATE sign_in_failures SET failures = $2, last_at = $3, locked_until = $4 WHERE key = $1`,
		c.Key, c.Failures, Instant(c.LastAt), orNull(c.LockedUntil))
}
