package client

import (
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// MergedInto finds those who live on in a client (@m merchant, @c client), through other merges too.
const MergedInto = `WITH RECURSIVE gone AS (
	SELECT gone_id FROM client_merges WHERE merchant_id = @m AND kept_id = @c AND undone_at IS NULL
	UNION SELECT d.gone_id FROM client_merges d JOIN gone g ON d.kept_id = g.gone_id
	WHERE d.merchant_id = @m AND d.undone_at IS NULL) SELECT gone_id FROM gone`

// eraseMerged removes the personal data of the records that were merged into the client: they are the same person.
func eraseMerged(t *database.Tx, c Client) error {
	var ids []uuid.UUID
	err := t.Gorm().Raw(MergedInto, map[string]any{"m": c.MerchantID, "c": c.ID}).Find(&ids).Error
	if err != nil {
		return fmt.Errorf("find who was merged into a client: %w", err)
	}
	for _, id := range ids {
		gone, err := lockAny(t, c.MerchantID, id)
		if err != nil {
			return err
		}
		if gone.Erased() {
			continue
		}
		if err := eraseRows(t, gone); err != nil {
			return err
		}
		if _, err := database.Change(t, eraseClient, Client{ID: id, MerchantID: c.MerchantID,
			Details: Details{FullName: ErasedName}, UpdatedAt: t.Now()}, nil); err != nil {
			return err
		}
	}
	return nil
}

// notMerged refuses to erase one of two records alone that are the same person.
func notMerged(t *database.Tx, c Client) error {
	var merged bool
	err := t.Gorm().Raw(`SELECT EXISTS (SELECT FROM client_merges WHERE merchant_id = ? AND gone_id = ?
		AND undone_at IS NULL)`, c.MerchantID, c.ID).Find(&merged).Error
	if err != nil {
		return fmt.Errorf("look whether a client was merged: %w", err)
	}
	if merged {
		return fault.New(fault.Conflict, "client_merged",
			"This client was merged into another one. Erase that one: what is known of this one goes with it.")
	}
	return nil
}
