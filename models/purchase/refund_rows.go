package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

// TableName implements GORM's Tabler.
func (Refund) TableName() string { return "refunds" }

// insertRefund adds a refund, and tells of one that is paid already.
func insertRefund(tx *database.Tx, r Refund) {
	tx.Create(&r)
	if r.State == RefundSettled {
		tellRefunded(tx, r)
	}
}

// moveRefund writes state, channel and moments of a refund, if it still stands in the state from and its hand-over
// has not begun since it was read; else the transaction ends with fault.ErrLost.
func moveRefund(tx *database.Tx, r Refund, from RefundState) {
	tx.Fail(database.OneRow(tx.Gorm().Model(&r).Scopes(database.OfMerchant(r.MerchantID)).
		Where("state = ? AND claimed_at IS NOT DISTINCT FROM ?", from, database.InstantOrNull(r.ClaimedAt)).
		Select("state", "channel", "settled_at", "paid_twice_at", "updated_at").UpdateColumns(r)))
	switch {
	case from == RefundSettled: // told when it was paid first
	case r.State == RefundSettled:
		tellRefunded(tx, r)
	default:
		TellRefundFailed(tx, r)
	}
}

// RefundsUnderWay lists the refunds of some purchases that are not settled yet, oldest first.
func (s Store) RefundsUnderWay(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs ...uuid.UUID) (found []Refund, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("id").
		Find(&found, "purchase_id = ANY(?::uuid[]) AND state = 'pending'", database.IDs(purchaseIDs)).Error
	return found, err
}

// Refund finds one; NotFound for unknown ids and those of others.
func (s Store) Refund(ctx context.Context, merchantID, id uuid.UUID) (r Refund, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&r, "id = ?", id).Error
	return r, err
}

// RefundByID finds a refund of any merchant, as the bank names it.
func (s Store) RefundByID(ctx context.Context, id uuid.UUID) (r Refund, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Take(&r, "id = ?", id).Error
	return r, err
}

var (
	entries     = table.New[Entry]("ledger_entries")
	entryInsert = entries.Write(
		`INSERT INTO ledger_entries (@columns, id, at, day) VALUES (@values, @new_id, @now, @today)`, "new_id", "now",
		"today")
)

// insertEntry books a movement of money, for Purchase.book alone. The day is the SAST day of the transaction.
func insertEntry(tx *database.Tx, e Entry) {
	database.Append(tx, entryInsert, e, tx.NewID(), tx.Now(), calendar.DateOf(tx.Now()))
}
