package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/member"
)

type invitationRow struct {
	ID              uuid.UUID `gorm:"primaryKey"`
	MerchantID      uuid.UUID
	Email           string
	Name            string
	Role            string
	Grants          string
	BatchLimitCents *int64
	TokenHash       []byte
	InvitedBy       *uuid.UUID
	MailCount       int
	ExpiresAt       time.Time
	AcceptedAt      *time.Time
	RevokedAt       *time.Time
	CreatedAt       time.Time
}

func (invitationRow) TableName() string { return "invitations" }

func (r invitationRow) domain() (member.Invitation, error) {
	i := member.Invitation{ID: r.ID, MerchantID: r.MerchantID, Email: r.Email, Name: r.Name,
		Terms: member.Terms{Role: actor.Role(r.Role), BatchLimitCents: r.BatchLimitCents}, InvitedBy: orZero(r.InvitedBy), MailCount: r.MailCount,
		ExpiresAt: r.ExpiresAt.UTC(), AcceptedAt: orZero(r.AcceptedAt).UTC(), RevokedAt: orZero(r.RevokedAt).UTC(), CreatedAt: r.CreatedAt.UTC()}
	if err := json.Unmarshal([]byte(r.Grants), &i.Grants); err != nil {
		return i, fmt.Errorf("read grants of invitation %s: %w", r.ID, err)
	}
	return i, nil
}

// InsertInvitation implements member.Tx.
func (t *Tx) InsertInvitation(i member.Invitation, tokenHash []byte) error {
	t.create(&invitationRow{ID: i.ID, MerchantID: i.MerchantID, Email: i.Email, Name: i.Name, Role: string(i.Role), Grants: grantsJSON(i.Grants), BatchLimitCents: i.BatchLimitCents,
		TokenHash: tokenHash, InvitedBy: orNull(i.InvitedBy), MailCount: i.MailCount, ExpiresAt: Instant(i.ExpiresAt), CreatedAt: i.CreatedAt})
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
	var rows []invitationRow
	err := s.read(ctx).Where("merchant_id = ? AND accepted_at IS NULL AND revoked_at IS NULL", merchantID).Order("id DESC").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list invitations: %w", err)
	}
	out := make([]member.Invitation, len(rows))
	for n, r := range rows {
		if out[n], err = r.domain(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Invitation implements member.Reader.
func (s *Store) Invitation(ctx context.Context, merchantID, id uuid.UUID) (member.Invitation, error) {
	return invitation(s.read(ctx).Where("merchant_id = ? AND id = ?", merchantID, id))
}

// InvitationByToken implements member.Reader.
func (s *Store) InvitationByToken(ctx context.Context, tokenHash []byte) (member.Invitation, error) {
	return invitation(s.read(ctx).Where("token_hash = ?", tokenHash))
}

func invitation(of *gorm.DB) (member.Invitation, error) {
	var row invitationRow
	if err := missing(of.Take(&row).Error, "find invitation"); err != nil {
		return member.Invitation{}, err
	}
	return row.domain()
}
