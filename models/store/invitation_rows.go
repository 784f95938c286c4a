package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/fault"
	"debitdesk/models/member"
	"debitdesk/models/store/table"
)

var (
	invitationTable  = table.New[member.Invitation]("invitations")
	insertInvitation = invitationTable.Write(`INSERT INTO invitations (@columns, token_hash) VALUES (@values, @token_hash)`, "token_hash")
)

// InsertInvitation implements member.Tx.
func (t *Tx) InsertInvitation(i member.Invitation, tokenHash []byte) error {
	write(t, insertInvitation, i, tokenHash)
	switch err := t.flush(); {
	case violates(err, "invitations_open"):
		return fault.At("email", "already_invited", "This address is invited already. Send that invitation again, or revoke it first.")
	case err != nil:
		return fmt.Errorf("add invitation: %w", err)
	}
	return nil
}

// RenewInvitation implements member.Tx.
func (t *Tx) RenewInvitation(i member.Invitation, tokenHash []byte) (bool, error) {
	return t.one("renew invitation", `UPDATE invitations SET token_hash = $3, expires_at = $4, mail_count = $5
		WHERE merchant_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL AND mail_count = $5 - 1`, i.MerchantID, i.ID, tokenHash, Instant(i.ExpiresAt), i.MailCount)
}

// RevokeInvitation implements member.Tx.
func (t *Tx) RevokeInvitation(merchantID, id uuid.UUID, at time.Time) (bool, error) {
	return t.one("revoke invitation", `UPDATE invitations SET revoked_at = $3 WHERE merchant_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL`, merchantID, id, Instant(at))
}

// UseInvitation implements member.Tx.
func (t *Tx) UseInvitation(id uuid.UUID, tokenHash []byte, at time.Time) (bool, error) {
	return t.one("use invitation", `UPDATE invitations SET accepted_at = $3 WHERE id = $1 AND token_hash = $2 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $3`, id, tokenHash, Instant(at))
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
	return all(ctx, s, invitationTable, "merchant_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL ORDER BY id DESC", merchantID)
}

// Invitation implements member.Reader.
func (s *Store) Invitation(ctx context.Context, merchantID, id uuid.UUID) (member.Invitation, error) {
	return one(ctx, s, invitationTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// InvitationByToken implements member.Reader.
func (s *Store) InvitationByToken(ctx context.Context, tokenHash []byte) (member.Invitation, error) {
	return one(ctx, s, invitationTable, "token_hash = $1", tokenHash)
}
