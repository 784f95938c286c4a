package batch

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// TableName implements GORM's Tabler.
func (Mend) TableName() string { return "batch_mends" }

// insertMend keeps a change with the rows before it, dropMend forgets one, dropMends all of a batch.
func insertMend(tx *database.Tx, m Mend) { tx.Create(&m) }

func dropMend(tx *database.Tx, m Mend) {
	tx.Fail(tx.Gorm().Scopes(database.OfMerchant(m.MerchantID)).
		Delete(&Mend{}, "batch_id = ? AND id = ?", m.BatchID, m.ID).Error)
}

func dropMends(tx *database.Tx, b Batch) {
	tx.Fail(tx.Gorm().Scopes(database.OfMerchant(b.MerchantID)).Delete(&Mend{}, "batch_id = ?", b.ID).Error)
}

// deleteBatch deletes a draft with its rows.
func deleteBatch(tx *database.Tx, b Batch) {
	dropMends(tx, b)
	tx.Exec(`DELETE FROM batch_rows WHERE merchant_id = ? AND batch_id = ?`, b.MerchantID, b.ID)
	tx.Fail(tx.Gorm().Scopes(database.OfMerchant(b.MerchantID)).Where("started_at IS NULL").
		Delete(&Batch{}, "id = ?", b.ID).Error)
}

// mends lists changes of a draft that can be undone, the newest first, without the rows before them.
func (s Store) mends(ctx context.Context, merchantID, id uuid.UUID) (found []Mend, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Omit(mendRows).Order("revision DESC, id DESC").
		Find(&found, "batch_id = ?", id).Error
	return found, err
}

// mend finds one of them with the rows before it; NotFound when there is none.
func (s Store) mend(ctx context.Context, merchantID, batchID, id uuid.UUID) (m Mend, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&m, "batch_id = ? AND id = ?", batchID, id).Error
	return m, err
}
