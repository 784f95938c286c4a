package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

// Refunds holds the refunds.
var Refunds = table.New[Refund]("refunds")

// insertRefund adds a refund, and tells of one that is paid already.
func insertRefund(tx *database.Tx, r Refund) {
	database.Insert(tx, Refunds, r)
	if r.State == RefundSettled {
		tellRefunded(tx, r)
	}
}

var refundMove = Refunds.Write(
	`UPDATE refunds SET @set(state, channel, settled_at, paid_twice_at, updated_at)
		WHERE id = @id AND merchant_id = @merchant_id AND state = @from
			AND claimed_at IS NOT DISTINCT FROM @claimed_at`,
	"from",
)

// moveRefund writes state, channel and moments of a refund, if it still stands in the state from and its hand-over
// has not begun since it was read; else the transaction ends with fault.ErrLost.
func moveRefund(tx *database.Tx, r Refund, from RefundState) {
	database.MustChange(tx, refundMove, r, from)
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
	purchaseIDs ...uuid.UUID) ([]Refund, error) {
	return database.All(
		ctx,
		s.DB,
		Refunds,
		`merchant_id = $1 AND purchase_id = ANY($2) AND state = 'pending' ORDER BY id`,
		merchantID,
		purchaseIDs,
	)
}

// Refund finds one; NotFound for unknown ids and those of others.
func (s Store) Refund(ctx context.Context, merchantID, id uuid.UUID) (Refund, error) {
	return database.One(ctx, s.DB, Refunds, "merchant_id = $1 AND id = $2", merchantID, id)
}

// RefundByID finds a refund of any merchant, as the bank names it.
func (s Store) RefundByID(ctx context.Context, id uuid.UUID) (Refund, error) {
	return database.One(ctx, s.DB, Refunds, "id = $1", id)
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
