package user

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// TableName implements GORM's Tabler.
func (Session) TableName() string { return "sessions" }

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
	WHERE s.id_hash IN ? AND s.expires_at > ? AND s.created_at > ? AND u.disabled_at IS NULL
	AND mb.disabled_at IS NULL LIMIT 1`

// FindSession gives the living session with one of these hashes and everything around
// it in one query. Found is false when there is none, or when the person was disabled,
// altogether or in the business that the session works for.
func (s Store) FindSession(ctx context.Context, hashes [][]byte, now,
	bornAfter time.Time) (in SignedIn, found bool, err error) {
	err = s.Gorm(ctx).Raw(findSession, hashes, now, bornAfter).Take(&in).Error
	if fault.Is(err, fault.NotFound) {
		return SignedIn{}, false, nil
	}
	if err != nil {
		return in, false, err
	}
	if in.Confined = in.Confined && len(in.Others) > 0; in.Confined {
		in.Others = nil
	}
	return in, true, nil
}

// ofPeople is GORM for sessions. They are a person's, whatever business they work for.
func ofPeople(db *gorm.DB) *gorm.DB { return db.Model(&Session{}).Scopes(database.AcrossMerchants) }

// InsertSession keeps a new session.
func (s Store) InsertSession(ctx context.Context, v Session) error {
	if err := ofPeople(s.Gorm(ctx)).Create(&v).Error; err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// ReplaceSession puts a new session in the place of an old one, in one step: of two who
// come with the same old one, one gets false.
func (s Store) ReplaceSession(ctx context.Context, old [][]byte, v Session) (found bool, err error) {
	err = s.InTx(ctx, func(tx *database.Tx) error {
		gone := ofPeople(tx.Gorm()).Delete(&Session{}, "id_hash IN ?", old)
		if found = gone.RowsAffected > 0; gone.Error != nil || !found {
			return gone.Error
		}
		return ofPeople(tx.Gorm()).Create(&v).Error
	})
	return found && err == nil, err
}

// SetSessionData keeps what the browser's session carries. A session that was ended
// meanwhile stays ended.
func (s Store) SetSessionData(ctx context.Context, hash []byte, data string) error {
	if err := ofPeople(s.Gorm(ctx)).Where("id_hash = ?", hash).UpdateColumn("data", data).Error; err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// TouchSession moves the idle end of a session, and when its person was seen.
func (s Store) TouchSession(ctx context.Context, hash []byte, ip string, seen, expires time.Time) error {
	err := s.Gorm(ctx).Exec(`WITH s AS (
			UPDATE sessions SET ip = ?, seen_at = ?, expires_at = ? WHERE id_hash = ? RETURNING user_id),
		m AS (UPDATE memberships m SET last_used_at = ? FROM sessions x JOIN users y ON y.id = x.user_id
			WHERE x.id_hash = ? AND m.user_id = x.user_id AND m.merchant_id = COALESCE(x.merchant_id, y.merchant_id))
		UPDATE users u SET last_seen_at = ? FROM s WHERE u.id = s.user_id`, ip, seen, expires, hash, seen, hash, seen).Error
	if err != nil {
		return fmt.Errorf("touch session: %w", err)
	}
	return nil
}

// DeleteSession ends a session on every process; one that is gone already is no error.
func (s Store) DeleteSession(ctx context.Context, hash []byte) error {
	if err := ofPeople(s.Gorm(ctx)).Delete(&Session{}, "id_hash = ?", hash).Error; err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// DropDeadSessions removes sessions and sign-in counters that are over, and tells how
// many.
func (s Store) DropDeadSessions(ctx context.Context, now, bornAfter time.Time) (n int64, err error) {
	yesterday := now.AddDate(0, 0, -1)
	for _, dead := range []*gorm.DB{
		ofPeople(s.Gorm(ctx)).Delete(&Session{}, "expires_at <= ? OR created_at <= ?", now, bornAfter),
		s.Gorm(ctx).Delete(&Throttle{}, "last_at < ? AND (locked_until IS NULL OR locked_until < ?)", yesterday, now),
		s.Gorm(ctx).Delete(&Reset{}, "expires_at < ?", yesterday),
	} {
		if dead.Error != nil {
			return 0, fmt.Errorf("drop dead sessions: %w", dead.Error)
		}
		n += dead.RowsAffected
	}
	return n, nil
}

// deleteSessionOf ends one session of that person; false when there is none.
func deleteSessionOf(tx *database.Tx, userID uuid.UUID, hash []byte) (bool, error) {
	found, err := database.Found(ofPeople(tx.Gorm()).Delete(&Session{}, "user_id = ? AND id_hash = ?", userID, hash))
	if err != nil {
		return false, fmt.Errorf("end session: %w", err)
	}
	return found, nil
}

// endSessions ends all sessions of a person but the one to keep, if any.
func endSessions(tx *database.Tx, userID uuid.UUID, keep []byte) error {
	return ofPeople(tx.Gorm()).Delete(&Session{}, "user_id = ? AND id_hash IS DISTINCT FROM ?", userID, keep).Error
}

// deleteOtherSessions ends all sessions of that person but one, and tells how many.
func deleteOtherSessions(tx *database.Tx, userID uuid.UUID, but []byte) (int64, error) {
	ended := ofPeople(tx.Gorm()).Delete(&Session{}, "user_id = ? AND id_hash <> ?", userID, but)
	if ended.Error != nil {
		return 0, fmt.Errorf("end sessions: %w", ended.Error)
	}
	return ended.RowsAffected, nil
}

// SessionsOf are the person's living sessions, the last seen first.
func (s Store) SessionsOf(ctx context.Context, userID uuid.UUID, now time.Time) (living []Session, err error) {
	err = ofPeople(s.Gorm(ctx)).Where("user_id = ? AND expires_at > ? AND created_at > ?", userID, now,
		now.Add(-SessionAbsolute)).Order("seen_at DESC").Find(&living).Error
	return living, err
}

const (
	mostKept  = 5                // forms of one person; the oldest make room
	FormsKept = 30 * time.Minute // nobody gets one after that
)

func (s Store) KeepForm(ctx context.Context, userID uuid.UUID, name string, sealed []byte, at time.Time) error {
	err := s.Gorm(ctx).Exec(`WITH room AS (DELETE FROM kept_forms WHERE name IN (
			SELECT name FROM kept_forms WHERE user_id = ? ORDER BY created_at DESC, name OFFSET ?))
		INSERT INTO kept_forms (name, user_id, sealed, created_at) SELECT ?, id, ?, ? FROM users WHERE id = ?`, userID,
		mostKept-1, name, sealed, database.Instant(at), userID).Error
	if err != nil {
		return fmt.Errorf("keep form: %w", err)
	}
	return nil
}

func (s Store) KeptForm(ctx context.Context, userID uuid.UUID, name string,
	since time.Time) (sealed []byte, found bool, err error) {
	var kept []struct{ Sealed []byte }
	err = s.Gorm(ctx).Table("kept_forms").Where("name = ? AND user_id = ? AND created_at > ?", name, userID,
		database.Instant(since)).Find(&kept).Error
	if err != nil {
		return nil, false, fmt.Errorf("find kept form: %w", err)
	}
	if len(kept) == 0 {
		return nil, false, nil
	}
	return kept[0].Sealed, true, nil
}

// HasFactor tells whether a person set up a second factor.
func (s Store) HasFactor(ctx context.Context, userID uuid.UUID) (has bool, err error) {
	err = s.Gorm(ctx).Raw(`SELECT u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id)
		FROM users u WHERE u.id = ?`, userID).Scan(&has).Error
	if err != nil {
		return false, fmt.Errorf("find a passkey or app: %w", err)
	}
	return has, nil
}
