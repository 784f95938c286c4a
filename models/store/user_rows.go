package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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

// userColumns are a person within one business: what the membership says wins.
const userColumns = `u.id, mb.merchant_id, u.email, u.name, mb.role, u.password_hash, u.theme, u.last_seen_at,
	COALESCE(u.disabled_at, mb.disabled_at) AS disabled_at, u.created_at, u.updated_at, mb.grants, mb.batch_limit_cents`

// memberRow is a person as a member of one business.
type memberRow struct {
	UserRow         userRow `gorm:"embedded"`
	Grants          string
	BatchLimitCents *int64
}

func (r memberRow) domain() (user.User, error) {
	u := r.UserRow.domain()
	u.BatchLimitCents = r.BatchLimitCents
	if err := json.Unmarshal([]byte(r.Grants), &u.Grants); err != nil {
		return u, fmt.Errorf("read grants of user %s: %w", r.UserRow.ID, err)
	}
	return u, nil
}

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

// SetBusinessUsed implements user.Tx.
func (t *Tx) SetBusinessUsed(merchantID, id uuid.UUID, at time.Time) {
	t.later(`UPDATE memberships SET last_used_at = $3 WHERE merchant_id = $1 AND user_id = $2`, merchantID, id, Instant(at))
}

// SetPassword implements user.Tx.
func (t *Tx) SetPassword(id uuid.UUID, hash string, at time.Time) error {
	n, err := t.exec(`UPDATE users SET password_hash = $2, password_changed_at = $3, updated_at = $4 WHERE id = $1`, id, hash, Instant(at), t.now)
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	if n != 1 {
		return fault.Missing()
	}
	return nil
}

// Businesses implements user.Reader.
func (s *Store) Businesses(ctx context.Context, userID uuid.UUID) ([]user.Business, error) {
	rows, err := s.Pool.Query(ctx, `SELECT m.id, m.name, m.is_test FROM memberships mb JOIN merchants m ON m.id = mb.merchant_id JOIN users u ON u.id = mb.user_id
		WHERE mb.user_id = $1 AND mb.disabled_at IS NULL AND u.disabled_at IS NULL ORDER BY mb.last_used_at DESC NULLS LAST, mb.created_at`, userID)
	if err != nil {
		return nil, fmt.Errorf("list businesses: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[user.Business])
	if err != nil {
		return nil, fmt.Errorf("list businesses: %w", err)
	}
	return out, nil
}

// Business implements user.Reader.
func (s *Store) Business(ctx context.Context, id uuid.UUID) (user.Business, error) {
	m, err := s.Merchant(ctx, id)
	return user.Business{ID: m.ID, Name: m.Name, IsTest: m.IsTest}, err
}

// UserByEmail implements user.Reader: the person in the business that was worked
// for last, one where the membership lives before others.
func (s *Store) UserByEmail(ctx context.Context, email string) (user.User, string, error) {
	if strings.ContainsRune(email, 0) || !utf8.ValidString(email) { // no text that could be stored: nobody's
		return user.User{}, "", fault.Missing()
	}
	row, err := s.member(ctx, `lower(u.email) = lower(trim(?)) ORDER BY mb.disabled_at IS NOT NULL, mb.last_used_at DESC NULLS LAST, mb.created_at`, email)
	if err != nil {
		return user.User{}, "", err
	}
	u, err := row.domain()
	return u, row.UserRow.PasswordHash, err
}

// User implements user.Reader.
func (s *Store) User(ctx context.Context, merchantID, id uuid.UUID) (user.User, error) {
	row, err := s.member(ctx, `mb.merchant_id = ? AND u.id = ?`, merchantID, id)
	if err != nil {
		return user.User{}, err
	}
	return row.domain()
}

func (s *Store) member(ctx context.Context, where string, args ...any) (row memberRow, err error) {
	found := s.read(ctx).Raw(`SELECT `+userColumns+` FROM users u JOIN memberships mb ON mb.user_id = u.id WHERE `+where+` LIMIT 1`, args...).Scan(&row)
	switch {
	case found.Error != nil:
		return row, fmt.Errorf("find user: %w", found.Error)
	case found.RowsAffected == 0:
		return row, fault.Missing()
	}
	return row, nil
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
