package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/fault"
)

type credentialRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	MerchantID uuid.UUID
	Kind       string
	ParentID   *uuid.UUID
	Name       string
	Scopes     textArray
	SecretHash []byte
	CreatedBy  *uuid.UUID
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	LastUsedAt *time.Time
	RevokedAt  *time.Time
	Replaces   *uuid.UUID
	ReplacedBy *uuid.UUID
}

func (credentialRow) TableName() string { return "credentials" }

func credentialRowOf(c credential.Credential) *credentialRow {
	row := &credentialRow{ID: c.ID, MerchantID: c.MerchantID, Kind: string(c.Kind), ParentID: orNull(c.ParentID), Name: c.Name,
		SecretHash: c.SecretHash, CreatedBy: orNull(c.CreatedBy), CreatedAt: Instant(c.CreatedAt),
		ExpiresAt: orNull(c.ExpiresAt), LastUsedAt: orNull(c.LastUsedAt), RevokedAt: orNull(c.RevokedAt), Replaces: orNull(c.Replaces), ReplacedBy: orNull(c.ReplacedBy)}
	for _, s := range c.Scopes {
		row.Scopes = append(row.Scopes, string(s))
	}
	return row
}

func (r credentialRow) domain() credential.Credential {
	c := credential.Credential{ID: r.ID, MerchantID: r.MerchantID, Kind: credential.Kind(r.Kind), ParentID: orZero(r.ParentID), Name: r.Name,
		SecretHash: r.SecretHash, CreatedBy: orZero(r.CreatedBy), CreatedAt: r.CreatedAt.UTC(),
		ExpiresAt: orZero(r.ExpiresAt).UTC(), LastUsedAt: orZero(r.LastUsedAt).UTC(), RevokedAt: orZero(r.RevokedAt).UTC(), Replaces: orZero(r.Replaces), ReplacedBy: orZero(r.ReplacedBy)}
	for _, s := range r.Scopes {
		c.Scopes = append(c.Scopes, actor.Scope(s))
	}
	return c
}

// InsertCredential implements credential.Tx.
func (t *Tx) InsertCredential(c credential.Credential) { t.create(credentialRowOf(c)) }

// RevokeCredential implements credential.Tx.
func (t *Tx) RevokeCredential(merchantID, id uuid.UUID, at time.Time) (bool, error) {
	n, err := t.exec(`UPDATE credentials SET revoked_at = $3 WHERE merchant_id = $1 AND id = $2 AND revoked_at IS NULL`, merchantID, id, at)
	if err != nil {
		return false, fmt.Errorf("revoke credential: %w", err)
	}
	t.later(`UPDATE credentials SET revoked_at = $3 WHERE merchant_id = $1 AND parent_id = $2 AND revoked_at IS NULL`, merchantID, id, at)
	return n == 1, nil
}

// ReplaceCredential implements credential.Tx.
func (t *Tx) ReplaceCredential(merchantID, id, by uuid.UUID, at, ends time.Time) (bool, error) {
	n, err := t.exec(`UPDATE credentials SET replaced_by = $3, expires_at = $5 WHERE merchant_id = $1 AND id = $2
		AND replaced_by IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)`, merchantID, id, by, at, ends)
	if err != nil {
		return false, fmt.Errorf("replace credential: %w", err)
	}
	return n == 1, nil
}

// Credentials implements credential.Reader.
func (s *Store) Credentials(ctx context.Context, merchantID uuid.UUID) ([]credential.Credential, error) {
	return listCredentials(s.read(ctx).Where("merchant_id = ?", merchantID))
}

// AllCredentials implements credential.Reader.
func (s *Store) AllCredentials(ctx context.Context) ([]credential.Credential, error) {
	return listCredentials(s.read(ctx))
}

func listCredentials(of *gorm.DB) ([]credential.Credential, error) {
	var rows []credentialRow
	if err := of.Where("parent_id IS NULL").Order("id DESC").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list credentials: %w", err)
	}
	out := make([]credential.Credential, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out, nil
}

// Credential implements credential.Reader.
func (s *Store) Credential(ctx context.Context, merchantID, id uuid.UUID) (credential.Credential, error) {
	var row credentialRow
	err := s.read(ctx).Where("merchant_id = ? AND id = ?", merchantID, id).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return credential.Credential{}, fault.Missing()
	case err != nil:
		return credential.Credential{}, fmt.Errorf("find credential: %w", err)
	}
	return row.domain(), nil
}

// CredentialByID implements credential.Reader. It runs on every call of the
// API, hence without the detour through GORM.
func (s *Store) CredentialByID(ctx context.Context, id uuid.UUID) (credential.Credential, error) {
	var r credentialRow
	var scopes []string
	err := s.Pool.QueryRow(ctx, `SELECT c.id, c.merchant_id, c.kind, c.parent_id, c.name, c.scopes, c.secret_hash, c.created_by, c.created_at,
			least(c.expires_at, p.expires_at), c.last_used_at, coalesce(c.revoked_at, p.revoked_at)
		FROM credentials c LEFT JOIN credentials p ON p.id = c.parent_id WHERE c.id = $1`, id).Scan(
		&r.ID, &r.MerchantID, &r.Kind, &r.ParentID, &r.Name, &scopes, &r.SecretHash, &r.CreatedBy, &r.CreatedAt,
		&r.ExpiresAt, &r.LastUsedAt, &r.RevokedAt)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return credential.Credential{}, fault.Missing()
	case err != nil:
		return credential.Credential{}, fmt.Errorf("find credential: %w", err)
	}
	r.Scopes = scopes
	return r.domain(), nil
}

// CredentialUsed implements credential.Reader.
func (s *Store) CredentialUsed(ctx context.Context, id uuid.UUID, at time.Time, every time.Duration) error {
	_, err := s.Pool.Exec(ctx, `UPDATE credentials SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3 OR last_used_at > $2)`,
		id, at, at.Add(-every))
	if err != nil {
		return fmt.Errorf("note the use of a credential: %w", err)
	}
	return nil
}

// IsTestMerchant tells whether the merchant's records are test records; NotFound when there is none.
func (s *Store) IsTestMerchant(ctx context.Context, merchantID uuid.UUID) (test bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT is_test FROM merchants WHERE id = $1`, merchantID).Scan(&test)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, fault.Missing()
	case err != nil:
		return false, fmt.Errorf("find merchant: %w", err)
	}
	return test, nil
}
