package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/fault"
	"debitdesk/models/store/table"
	"debitdesk/models/user"
)

// memberRecord is a person as a member of one business, with what signs the person in.
type memberRecord struct {
	user.User
	PasswordHash string
}

var (
	userTable  = table.New[user.User]("users")
	insertUser = userTable.Write(`INSERT INTO users (@columns, password_hash) VALUES (@values, @password_hash)`,
		"password_hash")
	memberUser = table.View[memberRecord]()
)

// userColumns are a person within one business: what the membership says wins.
const userColumns = `u.id, mb.merchant_id, u.email, u.name, mb.role, u.password_hash, u.theme, u.last_seen_at,
	COALESCE(u.disabled_at, mb.disabled_at) AS disabled_at, u.created_at, u.updated_at, mb.grants, mb.batch_limit_cents`

// InsertUser implements user.Tx.
func (t *Tx) InsertUser(u user.User, passwordHash string) error {
	write(t, insertUser, u, passwordHash)
	switch err := t.flush(); {
	case violates(err, "users_by_email"):
		return fault.At("email", "unique", "This e-mail address is already in use.")
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
	t.later(`UPDATE memberships SET last_used_at = $3 WHERE merchant_id = $1 AND user_id = $2`, merchantID, id,
		Instant(at))
}

// SetPassword implements user.Tx.
func (t *Tx) SetPassword(id uuid.UUID, hash string, at time.Time) error {
	n, err := t.exec(`UPDATE users SET password_hash = $2, password_changed_at = $3, updated_at = $4 WHERE id = $1`, id,
		hash, Instant(at), t.now)
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
	rows, err := s.Pool.Query(ctx,
		`SELECT m.id, m.name, m.is_test FROM memberships mb JOIN merchants m ON m.id = mb.merchant_id JOIN users u ON u.id = mb.user_id
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
	m, err := s.member(ctx,
		`lower(u.email) = lower(trim($1)) ORDER BY mb.disabled_at IS NOT NULL, mb.last_used_at DESC NULLS LAST, mb.created_at`, email)
	return m.User, m.PasswordHash, err
}

// User implements user.Reader.
func (s *Store) User(ctx context.Context, merchantID, id uuid.UUID) (user.User, error) {
	m, err := s.member(ctx, `mb.merchant_id = $1 AND u.id = $2`, merchantID, id)
	return m.User, err
}

const memberFrom = `SELECT ` + userColumns + ` FROM users u JOIN memberships mb ON mb.user_id = u.id WHERE `

func (s *Store) member(ctx context.Context, where string, args ...any) (memberRecord, error) {
	return first(collect(ctx, s, memberUser, memberFrom+where+` LIMIT 1`, args))
}

// people are who may sign in for a business.
func (s *Store) people(ctx context.Context, order string, args ...any) ([]user.User, error) {
	found, err := collect(ctx, s, memberUser, memberFrom+
		`mb.merchant_id = $1 AND mb.disabled_at IS NULL AND u.disabled_at IS NULL `+order, args)
	out := make([]user.User, len(found))
	for i, m := range found {
		out[i] = m.User
	}
	return out, err
}

// PeopleOf lists who may sign in for a business, by name, up to limit.
func (s *Store) PeopleOf(ctx context.Context, merchantID uuid.UUID, limit int) ([]user.User, error) {
	return s.people(ctx, `ORDER BY lower(u.name), u.id LIMIT $2`, merchantID, limit)
}

var (
	throttleTable = table.New[user.Throttle]("sign_in_failures")
	saveThrottle  = throttleTable.Write(
		`UPDATE sign_in_failures SET @set(failures, last_at, locked_until) WHERE key = @key`)
)

// Throttles implements user.Tx. The rows are locked in one order for everybody.
func (t *Tx) Throttles(keys []string) ([]user.Throttle, error) {
	sorted := slices.Sorted(slices.Values(keys))
	t.later(
		`INSERT INTO sign_in_failures (key, failures, last_at) SELECT k, 0, $2::timestamptz FROM unnest($1::text[]) k ORDER BY k
		ON CONFLICT DO NOTHING`, sorted, time.Unix(0, 0).UTC())
	found, err := all(t.Context(), t.s, throttleTable, "key = ANY($1) ORDER BY key FOR UPDATE", sorted)
	out := make([]user.Throttle, len(keys))
	for _, c := range found {
		out[slices.Index(keys, c.Key)] = c
	}
	return out, err
}

// SaveThrottle implements user.Tx.
func (t *Tx) SaveThrottle(c user.Throttle) { write(t, saveThrottle, c) }

var (
	resetTable  = table.New[user.Reset]("password_resets")
	insertReset = resetTable.Write(`INSERT INTO password_resets (@columns, created_at) VALUES (@values, @now)`, "now")
)

// InsertReset implements user.Tx.
func (t *Tx) InsertReset(r user.Reset) { write(t, insertReset, r, t.now) }

// UseResets implements user.Tx.
func (t *Tx) UseResets(r user.Reset, at time.Time) (bool, error) {
	n, err := t.exec(
		`UPDATE password_resets SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2`,
		r.Hash, Instant(at))
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
