package credential

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

var credentialTable = table.New[Credential]("credentials")

// Store is where credentials are kept.
type Store struct{ *database.DB }

func insertCredential(tx *database.Tx, c Credential) { database.Insert(tx, credentialTable, c) }

// revokeCredential marks it and the tokens exchanged from it; false when it is not the
// merchant's or was revoked before.
func revokeCredential(tx *database.Tx, merchantID, id uuid.UUID, at time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE credentials SET revoked_at = $3 WHERE merchant_id = $1 AND id = $2 AND revoked_at IS NULL`,
		merchantID, id, at)
	if err != nil {
		return false, fmt.Errorf("revoke credential: %w", err)
	}
	tx.Later(`UPDATE credentials SET revoked_at = $3 WHERE merchant_id = $1 AND parent_id = $2 AND revoked_at IS NULL`,
		merchantID, id, at)
	return n == 1, nil
}

// replaceCredential gives it a successor and lets it end; false when it is not the
// merchant's, or does not work at that moment, or has a successor.
func replaceCredential(tx *database.Tx, merchantID, id, by uuid.UUID, at, ends time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE credentials SET replaced_by = $3, expires_at = $5 WHERE merchant_id = $1 AND id = $2
		AND replaced_by IS NULL AND revoked_at IS NULL
		AND (expires_at IS NULL OR expires_at > $4)`, merchantID, id, by, at,
		ends)
	if err != nil {
		return false, fmt.Errorf("replace credential: %w", err)
	}
	return n == 1, nil
}

// Credentials of the merchant, newest first, without exchanged tokens.
func (s Store) Credentials(ctx context.Context, merchantID uuid.UUID) ([]Credential, error) {
	return database.All(ctx, s.DB, credentialTable,
		"merchant_id = $1 AND parent_id IS NULL ORDER BY id DESC", merchantID)
}

// AllCredentials are those of every merchant, newest first, without exchanged tokens.
func (s Store) AllCredentials(ctx context.Context) ([]Credential, error) {
	return database.All(ctx, s.DB, credentialTable, "parent_id IS NULL ORDER BY id DESC")
}

// Credential of the merchant; NotFound when there is none.
func (s Store) Credential(ctx context.Context, merchantID, id uuid.UUID) (Credential, error) {
	return database.One(ctx, s.DB, credentialTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// The list stands in a query of its own, so that the planner never counts it: it would plan anew for each number.
//
//nolint:gosec // columns that are named secret are no secrets
const credentialWithParent = `SELECT c.id, c.merchant_id, c.kind, c.parent_id, c.name, c.scopes,
	c.secret_hash, c.created_by, c.created_at,
	least(c.expires_at, p.expires_at) AS expires_at, c.last_used_at, coalesce(c.revoked_at, p.revoked_at) AS revoked_at
	FROM credentials c LEFT JOIN credentials p ON p.id = c.parent_id WHERE c.id = ANY ((SELECT $1::uuid[])::uuid[])`

// CredentialByID of whichever merchant; revoked when its parent is, and over when its
// parent is. It runs on every call of the API, as one question for the calls that come at the same moment.
func (s Store) CredentialByID(ctx context.Context, id uuid.UUID) (Credential, error) {
	return database.First(database.Kept[database.Lookups[uuid.UUID, []Credential]](s.DB).Find(ctx, id, s.credentialsByID))
}

func (s Store) credentialsByID(ctx context.Context, ids []uuid.UUID) ([][]Credential, error) {
	found, err := database.Collect(ctx, s.DB, credentialTable, credentialWithParent, []any{slices.Clone(ids)})
	out := make([][]Credential, len(ids))
	for i, id := range ids {
		for _, c := range found {
			if c.ID == id {
				c.Scopes = slices.Clone(c.Scopes)
				out[i] = []Credential{c}
			}
		}
	}
	return out, err
}

// CredentialUsed notes the use, at most once for each stretch of time.
func (s Store) CredentialUsed(ctx context.Context, id uuid.UUID, at time.Time, every time.Duration) error {
	_, err := s.Pool.Exec(
		ctx,
		`UPDATE credentials SET last_used_at = $2 WHERE id = $1
			AND (last_used_at IS NULL OR last_used_at <= $3 OR last_used_at > $2)`,
		id,
		at,
		at.Add(-every),
	)
	if err != nil {
		return fmt.Errorf("note the use of a credential: %w", err)
	}
	return nil
}

// IsTestMerchant tells whether the merchant's records are test records; NotFound when
// there is none.
func (s Store) IsTestMerchant(ctx context.Context, merchantID uuid.UUID) (test bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT is_test FROM merchants WHERE id = $1`, merchantID).Scan(&test)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, fault.Missing()
	case err != nil:
		return false, fmt.Errorf("find merchant: %w", err)
	}
	return test, nil
}
