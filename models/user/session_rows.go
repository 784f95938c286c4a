package user

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

var (
	sessionTable   = table.New[Session]("sessions")
	signedIn       = table.View[SignedIn]()
	replaceSession = sessionTable.Write(`WITH gone AS (DELETE FROM sessions WHERE id_hash = ANY(@old) RETURNING 1)
		INSERT INTO sessions (@columns) SELECT @values WHERE EXISTS (SELECT FROM gone)`, "old")
)

const findSession = `SELECT s.id_hash, s.user_id, s.data, s.ip, s.user_agent, s.created_at, s.seen_at, s.expires_at,
	m.id AS merchant_id, s.factor, s.proven_at, s.issuer_id, s.issuer_subject, s.issuer_sid, s.ends_at,
	COALESCE(i.name, '') AS issuer_name, i.id IS NOT NULL AS confined,
	u.id AS u_id, m.id AS u_merchant_id, u.email AS u_email, u.name AS u_name, mb.role AS u_role, mb.grants AS u_grants,
	mb.batch_limit_cents AS u_batch_limit_cents,
	u.theme AS u_theme, u.keys_off AS u_keys_off, u.last_seen_at AS u_last_seen_at, m.name AS merchant_name,
	m.slug AS merchant_slug, m.is_test, b.id AS brand_id, b.name AS brand_name,
	u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id) AS has_factor,
	m.require_second_factor AS require_factor,
	COALESCE((SELECT jsonb_agg(jsonb_build_object('ID', x.id, 'Name', x.name, 'IsTest', x.is_test) ORDER BY x.name, x.id)
	FROM memberships o JOIN merchants x ON x.id = o.merchant_id
		WHERE o.user_id = u.id AND o.merchant_id <> m.id AND o.disabled_at IS NULL), '[]') AS others
	FROM sessions s JOIN users u ON u.id = s.user_id JOIN merchants m ON m.id = COALESCE(s.merchant_id, u.merchant_id)
	JOIN memberships mb ON mb.user_id = u.id AND mb.merchant_id = m.id
	LEFT JOIN issuers i ON i.id = s.issuer_id
	LEFT JOIN LATERAL (SELECT id, name FROM brands WHERE merchant_id = m.id ORDER BY id LIMIT 1) b ON true
	WHERE s.id_hash = ANY($1) AND s.expires_at > $2 AND s.created_at > $3 AND u.disabled_at IS NULL
	AND mb.disabled_at IS NULL LIMIT 1`

// FindSession gives the living session with one of these hashes and everything around
// it in one query. Found is false when there is none, or when the person was disabled,
// altogether or in the business that the session works for.
func (s Store) FindSession(ctx context.Context, hashes [][]byte, now,
	bornAfter time.Time) (in SignedIn, found bool, err error) {
	list, err := database.Collect(ctx, s.DB, signedIn, findSession, []any{hashes, now, bornAfter})
	if err != nil || len(list) == 0 {
		return in, false, err
	}
	in = list[0]
	if in.Confined = in.Confined && len(in.Others) > 0; in.Confined {
		in.Others = nil
	}
	return in, true, nil
}

// InsertSession keeps a new session.
func (s Store) InsertSession(ctx context.Context, v Session) error {
	if _, err := database.ExecOne(ctx, s.DB, sessionTable.Insert, v); err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// ReplaceSession puts a new session in the place of an old one, in one step: of two who
// come with the same old one, one gets false.
func (s Store) ReplaceSession(ctx context.Context, old [][]byte, v Session) (bool, error) {
	return database.ExecOne(ctx, s.DB, replaceSession, v, old)
}

// SetSessionData keeps what the browser's session carries. A session that was ended
// meanwhile stays ended.
func (s Store) SetSessionData(ctx context.Context, hash []byte, data string) error {
	if _, err := s.Pool.Exec(ctx, `UPDATE sessions SET data = $2 WHERE id_hash = $1`, hash, data); err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// TouchSession moves the idle end of a session, and when its person was seen.
func (s Store) TouchSession(ctx context.Context, hash []byte, ip string, seen, expires time.Time) error {
	_, err := s.Pool.Exec(ctx,
		`WITH s AS (UPDATE sessions SET ip = $2, seen_at = $3, expires_at = $4 WHERE id_hash = $1 RETURNING user_id)
		, m AS (UPDATE memberships m SET last_used_at = $3 FROM sessions x JOIN users y ON y.id = x.user_id
			WHERE x.id_hash = $1 AND m.user_id = x.user_id AND m.merchant_id = COALESCE(x.merchant_id, y.merchant_id))
		UPDATE users u SET last_seen_at = $3 FROM s WHERE u.id = s.user_id`, hash, ip, seen, expires)
	if err != nil {
		return fmt.Errorf("touch session: %w", err)
	}
	return nil
}

// DeleteSession ends a session on every process; one that is gone already is no error.
func (s Store) DeleteSession(ctx context.Context, hash []byte) error {
	if _, err := s.Pool.Exec(ctx, `DELETE FROM sessions WHERE id_hash = $1`, hash); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// DropDeadSessions removes sessions and sign-in counters that are over, and tells how
// many.
func (s Store) DropDeadSessions(ctx context.Context, now, bornAfter time.Time) (n int64, err error) {
	yesterday := now.AddDate(0, 0, -1)
	for _, dead := range []struct {
		sql  string
		args []any
	}{
		{`DELETE FROM sessions WHERE expires_at <= $1 OR created_at <= $2`, []any{now, bornAfter}},
		{`DELETE FROM sign_in_failures WHERE last_at < $1 AND (locked_until IS NULL OR locked_until < $2)`,
			[]any{yesterday, now}},
		{`DELETE FROM password_resets WHERE expires_at < $1`, []any{yesterday}},
	} {
		done, err := s.Pool.Exec(ctx, dead.sql, dead.args...)
		if err != nil {
			return 0, fmt.Errorf("drop dead sessions: %w", err)
		}
		n += done.RowsAffected()
	}
	return n, nil
}

// deleteSessionOf ends one session of that person; false when there is none.
func deleteSessionOf(tx *database.Tx, userID uuid.UUID, hash []byte) (bool, error) {
	n, err := tx.Exec(`DELETE FROM sessions WHERE user_id = $1 AND id_hash = $2`, userID, hash)
	if err != nil {
		return false, fmt.Errorf("end session: %w", err)
	}
	return n == 1, nil
}

// endSessions ends all sessions of a person but the one to keep, if any.
func endSessions(tx *database.Tx, userID uuid.UUID, keep []byte) {
	tx.Later(`DELETE FROM sessions WHERE user_id = $1 AND id_hash IS DISTINCT FROM $2`, userID, keep)
}

// deleteOtherSessions ends all sessions of that person but one, and tells how many.
func deleteOtherSessions(tx *database.Tx, userID uuid.UUID, but []byte) (int64, error) {
	n, err := tx.Exec(`DELETE FROM sessions WHERE user_id = $1 AND id_hash <> $2`, userID, but)
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return n, nil
}

// SessionsOf are the person's living sessions, the last seen first.
func (s Store) SessionsOf(ctx context.Context, userID uuid.UUID, now time.Time) ([]Session, error) {
	return database.All(
		ctx,
		s.DB,
		sessionTable,
		"user_id = $1 AND expires_at > $2 AND created_at > $3 ORDER BY seen_at DESC",
		userID,
		now,
		now.Add(-SessionAbsolute),
	)
}

const (
	mostKept  = 5                // forms of one person; the oldest make room
	FormsKept = 30 * time.Minute // nobody gets one after that
)

func (s Store) KeepForm(ctx context.Context, userID uuid.UUID, name string, sealed []byte, at time.Time) error {
	_, err := s.Pool.Exec(
		ctx,
		`WITH room AS (DELETE FROM kept_forms WHERE name IN (SELECT name FROM kept_forms WHERE user_id = $2
			ORDER BY created_at DESC, name OFFSET $5))
		INSERT INTO kept_forms (name, user_id, sealed, created_at) SELECT $1, id, $3, $4 FROM users
		WHERE id = $2`,
		name,
		userID,
		sealed,
		database.Instant(at),
		mostKept-1,
	)
	if err != nil {
		return fmt.Errorf("keep form: %w", err)
	}
	return nil
}

func (s Store) KeptForm(ctx context.Context, userID uuid.UUID, name string,
	since time.Time) (sealed []byte, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT sealed FROM kept_forms WHERE name = $1 AND user_id = $2 AND created_at > $3`, name,
		userID, database.Instant(since)).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find kept form: %w", err)
	}
	return sealed, true, nil
}

// HasFactor tells whether a person set up a second factor.
func (s Store) HasFactor(ctx context.Context, userID uuid.UUID) (has bool, err error) {
	err = s.Pool.QueryRow(
		ctx,
		`SELECT u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id)
			FROM users u WHERE u.id = $1`,
		userID,
	).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find a passkey or app: %w", err)
	}
	return has, nil
}
