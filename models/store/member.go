package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/member"
	"debitdesk/models/store/table"
)

// livesIn is a membership that lets its person come in.
const livesIn = `SELECT FROM memberships m WHERE m.user_id = u.id AND m.disabled_at IS NULL`

const memberColumns = `SELECT mb.user_id AS id, mb.merchant_id, u.email, u.name, mb.role, mb.grants, mb.batch_limit_cents,
	u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id) AS has_factor, mb.last_used_at,
	COALESCE(mb.disabled_at, u.disabled_at) AS disabled_at, mb.created_at AS joined_at
	FROM memberships mb JOIN users u ON u.id = mb.user_id WHERE `

var memberView = table.View[member.Member]()

func (s *Store) members(ctx context.Context, which string, args ...any) ([]member.Member, error) {
	return collect(ctx, s, memberView, memberColumns+which, args)
}

// Members implements member.Reader.
func (s *Store) Members(ctx context.Context, merchantID uuid.UUID) ([]member.Member, error) {
	return s.members(ctx, `mb.merchant_id = $1 ORDER BY lower(COALESCE(NULLIF(u.name, ''), u.email)), u.id`, merchantID)
}

// Member implements member.Reader.
func (s *Store) Member(ctx context.Context, merchantID, userID uuid.UUID) (member.Member, error) {
	return first(s.members(ctx, `mb.merchant_id = $1 AND mb.user_id = $2`, merchantID, userID))
}

// HoldMembers implements member.Tx. Sessions come before memberships, as in
// TouchSession, so that neither waits for the other in a circle.
func (t *Tx) HoldMembers(merchantID, userID uuid.UUID) ([]member.Member, error) {
	t.later(`SELECT FROM sessions WHERE user_id = $1 ORDER BY id_hash FOR UPDATE`, userID)
	return t.s.members(t.Context(), `mb.merchant_id = $1 ORDER BY mb.user_id FOR UPDATE OF mb`, merchantID)
}

// AccountOf implements member.Reader.
func (s *Store) AccountOf(ctx context.Context, email string) (id uuid.UUID, belongs bool, err error) {
	rows, err := s.Pool.Query(ctx, `SELECT u.id, u.disabled_at IS NULL AND EXISTS (`+livesIn+
		`) FROM users u WHERE lower(u.email) = lower(trim($1))`, email)
	if err != nil {
		return id, false, fmt.Errorf("find account: %w", err)
	}
	err = fault.Missing()
	_, scanned := pgx.ForEachRow(rows, []any{&id, &belongs}, func() error { err = nil; return nil })
	if scanned != nil {
		return id, false, fmt.Errorf("find account: %w", scanned)
	}
	return id, belongs, err
}

// SetTerms implements member.Tx. users.role is what a process of the release
// before reads.
func (t *Tx) SetTerms(merchantID, userID uuid.UUID, terms member.Terms) {
	t.later(
		`UPDATE memberships SET role = $3, grants = $4, batch_limit_cents = $5, updated_at = $6 WHERE merchant_id = $1 AND user_id = $2`,
		merchantID, userID, string(terms.Role), grantsJSON(terms.Grants), terms.BatchLimitCents, t.now)
	t.later(`UPDATE users SET role = $3, updated_at = $4 WHERE merchant_id = $1 AND id = $2`, merchantID, userID,
		string(terms.Role), t.now)
}

// DisableMember implements member.Tx.
func (t *Tx) DisableMember(merchantID, userID uuid.UUID, at time.Time) {
	t.endSessionsIn(merchantID, userID)
	t.later(`UPDATE memberships SET disabled_at = $3, updated_at = $3 WHERE merchant_id = $1 AND user_id = $2`, merchantID,
		userID, at)
	t.leaves(userID)
}

// EnableMember implements member.Tx.
func (t *Tx) EnableMember(merchantID, userID uuid.UUID) {
	t.later(`UPDATE memberships SET disabled_at = NULL, updated_at = $3 WHERE merchant_id = $1 AND user_id = $2`,
		merchantID, userID, t.now)
	t.comesBack(merchantID, userID)
}

// RemoveMember implements member.Tx.
func (t *Tx) RemoveMember(merchantID, userID uuid.UUID) {
	t.endSessionsIn(merchantID, userID)
	t.later(`DELETE FROM memberships WHERE merchant_id = $1 AND user_id = $2`, merchantID, userID)
	t.leaves(userID)
}

// AddMember implements member.Tx.
func (t *Tx) AddMember(merchantID, userID uuid.UUID, terms member.Terms, used time.Time) {
	t.later(
		`INSERT INTO memberships (user_id, merchant_id, role, grants, batch_limit_cents, last_used_at, created_at, updated_at) VALUES ($2, $1, $3, $4, $5, $7, $6, $6)
		ON CONFLICT (user_id, merchant_id) DO UPDATE SET role = excluded.role, grants = excluded.grants, batch_limit_cents = excluded.batch_limit_cents,
			last_used_at = excluded.last_used_at, updated_at = excluded.updated_at`,
		merchantID, userID, string(terms.Role), grantsJSON(terms.Grants), terms.BatchLimitCents, t.now, orNull(used))
	t.comesBack(merchantID, userID)
}

// TakeBack implements member.Tx.
func (t *Tx) TakeBack(userID uuid.UUID, name, passwordHash string, at time.Time) (bool, error) {
	n, err := t.exec(
		`UPDATE users u SET name = $2, password_hash = $3, password_changed_at = $4, updated_at = $5 WHERE id = $1
		AND (u.disabled_at IS NOT NULL OR NOT EXISTS (`+livesIn+`))`, userID, name, passwordHash, Instant(at), t.now)
	if err != nil {
		return false, fmt.Errorf("take a person back: %w", err)
	}
	return n == 1, nil
}

func (t *Tx) endSessionsIn(merchantID, userID uuid.UUID) {
	t.later(
		`DELETE FROM sessions s USING users u WHERE u.id = s.user_id AND s.user_id = $2 AND COALESCE(s.merchant_id, u.merchant_id) = $1`, merchantID, userID)
}

// leaves disables whom no business lets in any more altogether, and else makes
// another business the first one: a process of the release before reads both.
func (t *Tx) leaves(userID uuid.UUID) {
	t.later(`UPDATE users u SET disabled_at = $2, updated_at = $2 WHERE id = $1 AND disabled_at IS NULL AND NOT EXISTS (`+
		livesIn+`)`, userID, t.now)
	t.later(`UPDATE users u SET merchant_id = o.merchant_id, role = o.role, updated_at = $2
		FROM (SELECT * FROM memberships WHERE user_id = $1 AND disabled_at IS NULL ORDER BY last_used_at DESC NULLS LAST, created_at LIMIT 1) o
		WHERE u.id = $1 AND NOT EXISTS (`+livesIn+` AND m.merchant_id = u.merchant_id)`, userID, t.now)
}

// comesBack undoes leaves for whom a business lets in.
func (t *Tx) comesBack(merchantID, userID uuid.UUID) {
	t.later(
		`UPDATE users u SET disabled_at = NULL, updated_at = $3, merchant_id = o.merchant_id, role = o.role FROM memberships o
		WHERE u.id = $2 AND o.user_id = u.id AND o.merchant_id = $1 AND (u.disabled_at IS NOT NULL OR NOT EXISTS (`+livesIn+
			` AND m.merchant_id = u.merchant_id))`, merchantID, userID, t.now)
}

// grantsJSON writes actions and yes or no, which always encode.
func grantsJSON(g actor.Grants) string {
	if len(g) == 0 {
		return "{}"
	}
	b, _ := json.Marshal(g)
	return string(b)
}

var (
	invitationTable  = table.New[member.Invitation]("invitations")
	insertInvitation = invitationTable.Write(
		`INSERT INTO invitations (@columns, token_hash) VALUES (@values, @token_hash)`, "token_hash")
)

// InsertInvitation implements member.Tx.
func (t *Tx) InsertInvitation(i member.Invitation, tokenHash []byte) error {
	write(t, insertInvitation, i, tokenHash)
	switch err := t.flush(); {
	case violates(err, "invitations_open"):
		return fault.At("email", "already_invited",
			"This address is invited already. Send that invitation again, or revoke it first.")
	case err != nil:
		return fmt.Errorf("add invitation: %w", err)
	}
	return nil
}

// RenewInvitation implements member.Tx.
func (t *Tx) RenewInvitation(i member.Invitation, tokenHash []byte) (bool, error) {
	return t.one("renew invitation", `UPDATE invitations SET token_hash = $3, expires_at = $4, mail_count = $5
		WHERE merchant_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL AND mail_count = $5 - 1`,
		i.MerchantID, i.ID, tokenHash, Instant(i.ExpiresAt), i.MailCount)
}

// RevokeInvitation implements member.Tx.
func (t *Tx) RevokeInvitation(merchantID, id uuid.UUID, at time.Time) (bool, error) {
	return t.one("revoke invitation",
		`UPDATE invitations SET revoked_at = $3 WHERE merchant_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL`, merchantID, id, Instant(at))
}

// UseInvitation implements member.Tx.
func (t *Tx) UseInvitation(id uuid.UUID, tokenHash []byte, at time.Time) (bool, error) {
	return t.one("use invitation",
		`UPDATE invitations SET accepted_at = $3 WHERE id = $1 AND token_hash = $2 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $3`, id, tokenHash, Instant(at))
}

// one runs an update and tells whether it found its row.
func (t *Tx) one(what, sql string, args ...any) (bool, error) {
	n, err := t.exec(sql, args...)
	if err != nil {
		return false, fmt.Errorf("%s: %w", what, err)
	}
	return n == 1, nil
}

// Invitations implements member.Reader.
func (s *Store) Invitations(ctx context.Context, merchantID uuid.UUID) ([]member.Invitation, error) {
	return all(ctx, s, invitationTable, "merchant_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL ORDER BY id DESC",
		merchantID)
}

// Invitation implements member.Reader.
func (s *Store) Invitation(ctx context.Context, merchantID, id uuid.UUID) (member.Invitation, error) {
	return one(ctx, s, invitationTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// InvitationByToken implements member.Reader.
func (s *Store) InvitationByToken(ctx context.Context, tokenHash []byte) (member.Invitation, error) {
	return one(ctx, s, invitationTable, "token_hash = $1", tokenHash)
}
