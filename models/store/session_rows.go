package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/user"
)

type sessionRow struct {
	IDHash    []byte `gorm:"primaryKey"`
	UserID    *uuid.UUID
	Data      string
	IP        string
	UserAgent string
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time

	MerchantID *uuid.UUID
	Factor     string
	ProvenAt   *time.Time
}

func (sessionRow) TableName() string { return "sessions" }

func (r sessionRow) domain() user.Session {
	return user.Session{Hash: r.IDHash, UserID: orZero(r.UserID), Data: r.Data, IP: r.IP, UserAgent: r.UserAgent,
		CreatedAt: r.CreatedAt.UTC(), SeenAt: r.SeenAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(),
		MerchantID: orZero(r.MerchantID), Factor: user.Factor(r.Factor), ProvenAt: orZero(r.ProvenAt).UTC()}
}

// signedInRow is a session joined with what the frame of a page shows.
type signedInRow struct {
	sessionRow
	Email        string
	Name         string
	Role         string
	Theme        string
	LastSeenAt   *time.Time
	MerchantName string
	MerchantSlug string
	IsTest       bool
	BrandID      *uuid.UUID
	BrandName    *string

	Grants          string
	BatchLimitCents *int64
	HasFactor       bool
	RequireFactor   bool
	Others          []user.Business
}

// FindSession gives the living session with one of these hashes and everything
// around it in one query. Found is false when there is none, or when the person
// was disabled, altogether or in the business that the session works for.
func (s *Store) FindSession(ctx context.Context, hashes [][]byte, now, bornAfter time.Time) (in user.SignedIn, found bool, err error) {
	var r signedInRow
	err = s.Pool.QueryRow(ctx, `SELECT s.id_hash, s.user_id, s.data, s.ip, s.user_agent, s.created_at, s.seen_at, s.expires_at, m.id, s.factor, s.proven_at,
			u.email, u.name, mb.role, mb.grants, mb.batch_limit_cents, u.theme, u.last_seen_at, m.name, m.slug, m.is_test, b.id, b.name,
			u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id), m.require_second_factor,
			COALESCE((SELECT jsonb_agg(jsonb_build_object('ID', x.id, 'Name', x.name, 'IsTest', x.is_test) ORDER BY x.name, x.id) FROM memberships o JOIN merchants x ON x.id = o.merchant_id
				WHERE o.user_id = u.id AND o.merchant_id <> m.id AND o.disabled_at IS NULL), '[]')
		FROM sessions s JOIN users u ON u.id = s.user_id JOIN merchants m ON m.id = COALESCE(s.merchant_id, u.merchant_id)
		JOIN memberships mb ON mb.user_id = u.id AND mb.merchant_id = m.id
		LEFT JOIN LATERAL (SELECT id, name FROM brands WHERE merchant_id = m.id ORDER BY id LIMIT 1) b ON true
		WHERE s.id_hash = ANY($1) AND s.expires_at > $2 AND s.created_at > $3 AND u.disabled_at IS NULL AND mb.disabled_at IS NULL LIMIT 1`, hashes, now, bornAfter).Scan(
		&r.IDHash, &r.UserID, &r.Data, &r.IP, &r.UserAgent, &r.CreatedAt, &r.SeenAt, &r.ExpiresAt, &r.MerchantID, &r.Factor, &r.ProvenAt,
		&r.Email, &r.Name, &r.Role, &r.Grants, &r.BatchLimitCents, &r.Theme, &r.LastSeenAt, &r.MerchantName, &r.MerchantSlug, &r.IsTest, &r.BrandID, &r.BrandName,
		&r.HasFactor, &r.RequireFactor, &r.Others)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return in, false, nil
	case err != nil:
		return in, false, fmt.Errorf("find session: %w", err)
	}
	in = user.SignedIn{
		Session: r.sessionRow.domain(),
		User: user.User{ID: orZero(r.UserID), MerchantID: orZero(r.MerchantID), Email: r.Email, Name: r.Name, Role: actor.Role(r.Role),
			BatchLimitCents: r.BatchLimitCents, Theme: r.Theme, LastSeenAt: orZero(r.LastSeenAt).UTC()},
		MerchantName: r.MerchantName, MerchantSlug: r.MerchantSlug, IsTest: r.IsTest, BrandID: orZero(r.BrandID), BrandName: orZero(r.BrandName),
		HasFactor: r.HasFactor, RequireFactor: r.RequireFactor, Others: r.Others,
	}
	if err := json.Unmarshal([]byte(r.Grants), &in.User.Grants); err != nil {
		return in, false, fmt.Errorf("read grants of user %s: %w", in.User.ID, err)
	}
	return in, true, nil
}

// InsertSession keeps a new session.
func (s *Store) InsertSession(ctx context.Context, v user.Session) error {
	err := s.read(ctx).Create(&sessionRow{IDHash: v.Hash, UserID: orNull(v.UserID), Data: v.Data, IP: v.IP, UserAgent: v.UserAgent,
		CreatedAt: v.CreatedAt, SeenAt: v.SeenAt, ExpiresAt: v.ExpiresAt,
		MerchantID: orNull(v.MerchantID), Factor: string(v.Factor), ProvenAt: orNull(v.ProvenAt)}).Error
	if err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// SetSessionData keeps what the browser's session carries. A session that was
// ended meanwhile stays ended.
func (s *Store) SetSessionData(ctx context.Context, hash []byte, data string) error {
	err := s.read(ctx).Model(&sessionRow{}).Where("id_hash = ?", hash).Update("data", data).Error
	if err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// TouchSession moves the idle end of a session, and when its person was seen.
func (s *Store) TouchSession(ctx context.Context, hash []byte, ip string, seen, expires time.Time) error {
	_, err := s.Pool.Exec(ctx, `WITH s AS (UPDATE sessions SET ip = $2, seen_at = $3, expires_at = $4 WHERE id_hash = $1 RETURNING user_id)
		, m AS (UPDATE memberships m SET last_used_at = $3 FROM sessions x JOIN users y ON y.id = x.user_id
			WHERE x.id_hash = $1 AND m.user_id = x.user_id AND m.merchant_id = COALESCE(x.merchant_id, y.merchant_id))
		UPDATE users u SET last_seen_at = $3 FROM s WHERE u.id = s.user_id`, hash, ip, seen, expires)
	if err != nil {
		return fmt.Errorf("touch session: %w", err)
	}
	return nil
}

// DeleteSession ends a session on every process; one that is gone already is no error.
func (s *Store) DeleteSession(ctx context.Context, hash []byte) error {
	if err := s.read(ctx).Where("id_hash = ?", hash).Delete(&sessionRow{}).Error; err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// DropDeadSessions removes sessions and sign-in counters that are over, and tells how many.
func (s *Store) DropDeadSessions(ctx context.Context, now, bornAfter time.Time) (int64, error) {
	done := s.read(ctx).Where("expires_at <= ? OR created_at <= ?", now, bornAfter).Delete(&sessionRow{})
	if done.Error != nil {
		return 0, fmt.Errorf("drop dead sessions: %w", done.Error)
	}
	counters := s.read(ctx).Where("last_at < ? AND (locked_until IS NULL OR locked_until < ?)", now.AddDate(0, 0, -1), now).Delete(&throttleRow{})
	if counters.Error != nil {
		return 0, fmt.Errorf("drop old sign-in counters: %w", counters.Error)
	}
	links := s.read(ctx).Where("expires_at < ?", now.AddDate(0, 0, -1)).Delete(&resetRow{})
	if links.Error != nil {
		return 0, fmt.Errorf("drop old password resets: %w", links.Error)
	}
	return done.RowsAffected + counters.RowsAffected + links.RowsAffected, nil
}

// DeleteSessionOf implements user.Tx.
func (t *Tx) DeleteSessionOf(userID uuid.UUID, hash []byte) (bool, error) {
	n, err := t.exec(`DELETE FROM sessions WHERE user_id = $1 AND id_hash = $2`, userID, hash)
	if err != nil {
		return false, fmt.Errorf("end session: %w", err)
	}
	return n == 1, nil
}

// EndSessions implements user.Tx.
func (t *Tx) EndSessions(userID uuid.UUID, keep []byte) {
	t.later(`DELETE FROM sessions WHERE user_id = $1 AND id_hash IS DISTINCT FROM $2`, userID, keep)
}

// SessionsOf implements user.Reader.
func (s *Store) SessionsOf(ctx context.Context, userID uuid.UUID, now time.Time) ([]user.Session, error) {
	var rows []sessionRow
	err := s.read(ctx).Where("user_id = ? AND expires_at > ? AND created_at > ?", userID, now, now.Add(-user.SessionAbsolute)).
		Order("seen_at DESC").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	out := make([]user.Session, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out, nil
}
