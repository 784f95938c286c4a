package credential

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

// What each call of the API asks stays beside GORM: one question for the calls that come at the same moment.
var credentialTable = table.New[Credential]("credentials")

// Store is where credentials are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Credential) TableName() string { return "credentials" }

// revokeCredential marks it and the tokens exchanged from it; false when it is not the
// merchant's or was revoked before.
func revokeCredential(tx *database.Tx, merchantID, id uuid.UUID, at time.Time) (bool, error) {
	of := func(which string) *gorm.DB {
		return tx.Gorm().Model(&Credential{}).Scopes(database.OfMerchant(merchantID)).Where(which, id).
			Where("revoked_at IS NULL").UpdateColumn("revoked_at", at)
	}
	revoked, err := database.Found(of("id = ?"))
	if err == nil {
		err = of("parent_id = ?").Error
	}
	if err != nil {
		return false, fmt.Errorf("revoke credential: %w", err)
	}
	return revoked, nil
}

// replaceCredential gives it a successor and lets it end; false when it is not the
// merchant's, or does not work at that moment, or has a successor.
func replaceCredential(tx *database.Tx, merchantID, id, by uuid.UUID, at, ends time.Time) (bool, error) {
	replaced, err := database.Found(tx.Gorm().Model(&Credential{}).Scopes(database.OfMerchant(merchantID)).
		Where("id = ? AND replaced_by IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)", id, at).
		UpdateColumns(map[string]any{"replaced_by": by, "expires_at": ends}))
	if err != nil {
		return false, fmt.Errorf("replace credential: %w", err)
	}
	return replaced, nil
}

// Credentials of the merchant, newest first, without exchanged tokens.
func (s Store) Credentials(ctx context.Context, merchantID uuid.UUID) (found []Credential, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("parent_id IS NULL").Order("id DESC").
		Find(&found).Error
	return found, err
}

// AllCredentials are those of every merchant, newest first, without exchanged tokens.
func (s Store) AllCredentials(ctx context.Context) (found []Credential, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Where("parent_id IS NULL").Order("id DESC").Find(&found).Error
	return found, err
}

// Credential of the merchant; NotFound when there is none.
func (s Store) Credential(ctx context.Context, merchantID, id uuid.UUID) (c Credential, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&c, "id = ?", id).Error
	return c, err
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
	err := s.Gorm(ctx).Model(&Credential{}).Scopes(database.AcrossMerchants).
		Where("id = ? AND (last_used_at IS NULL OR last_used_at <= ? OR last_used_at > ?)", id, at.Add(-every), at).
		UpdateColumn("last_used_at", at).Error
	if err != nil {
		return fmt.Errorf("note the use of a credential: %w", err)
	}
	return nil
}

// IsTestMerchant tells whether the merchant's records are test records; NotFound when
// there is none.
func (s Store) IsTestMerchant(ctx context.Context, merchantID uuid.UUID) (test bool, err error) {
	var row struct{ IsTest bool }
	err = s.Gorm(ctx).Table("merchants").Take(&row, "id = ?", merchantID).Error
	if err != nil && !fault.Is(err, fault.NotFound) {
		err = fmt.Errorf("find merchant: %w", err)
	}
	return row.IsTest, err
}
