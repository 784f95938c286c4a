package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/credential"
	"debitdesk/models/fault"
	"debitdesk/models/store/table"
)

var credentialTable = table.New[credential.Credential]("credentials")

// InsertCredential implements credential.Tx.
func (t *Tx) InsertCredential(c credential.Credential) { insert(t, credentialTable, c) }

// RevokeCredential implements credential.Tx.
func (t *Tx) RevokeCredential(merchantID, id uuid.UUID, at time.Time) (bool, error) {
	n, err := t.exec(`UPDATE credentials SET revoked_at = $3 WHERE merchant_id = $1 AND id = $2 AND revoked_at IS NULL`,
		merchantID, id, at)
	if err != nil {
		return false, fmt.Errorf("revoke credential: %w", err)
	}
	t.later(`UPDATE credentials SET revoked_at = $3 WHERE merchant_id = $1 AND parent_id = $2 AND revoked_at IS NULL`,
		merchantID, id, at)
	return n == 1, nil
}

// ReplaceCredential implements credential.Tx.
func (t *Tx) ReplaceCredential(merchantID, id, by uuid.UUID, at, ends time.Time) (bool, error) {
	n, err := t.exec(`UPDATE credentials SET replaced_by = $3, expires_at = $5 WHERE merchant_id = $1 AND id = $2
		AND replaced_by IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)`, merchantID, id, by, at,
		ends)
	if err != nil {
		return false, fmt.Errorf("replace credential: %w", err)
	}
	return n == 1, nil
}

// Credentials implements credential.Reader.
func (s *Store) Credentials(ctx context.Context, merchantID uuid.UUID) ([]credential.Credential, error) {
	return all(ctx, s, credentialTable, "merchant_id = $1 AND parent_id IS NULL ORDER BY id DESC", merchantID)
}

// AllCredentials implements credential.Reader.
func (s *Store) AllCredentials(ctx context.Context) ([]credential.Credential, error) {
	return all(ctx, s, credentialTable, "parent_id IS NULL ORDER BY id DESC")
}

// Credential implements credential.Reader.
func (s *Store) Credential(ctx context.Context, merchantID, id uuid.UUID) (credential.Credential, error) {
	return one(ctx, s, credentialTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

//nolint:gosec // columns that are named secret are no secrets
const credentialWithParent = `SELECT c.id, c.merchant_id, c.kind, c.parent_id, c.name, c.scopes, c.secret_hash, c.created_by, c.created_at,
	least(c.expires_at, p.expires_at) AS expires_at, c.last_used_at, coalesce(c.revoked_at, p.revoked_at) AS revoked_at
	FROM credentials c LEFT JOIN credentials p ON p.id = c.parent_id WHERE c.id = $1`

// CredentialByID implements credential.Reader. It runs on every call of the API.
func (s *Store) CredentialByID(ctx context.Context, id uuid.UUID) (credential.Credential, error) {
	return first(collect(ctx, s, credentialTable, credentialWithParent, []any{id}))
}

// CredentialUsed implements credential.Reader.
func (s *Store) CredentialUsed(ctx context.Context, id uuid.UUID, at time.Time, every time.Duration) error {
	_, err := s.Pool.Exec(ctx,
		`UPDATE credentials SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3 OR last_used_at > $2)`,
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
