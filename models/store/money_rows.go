package store

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
	"debitdesk/models/store/table"
)

var refundTable = table.New[purchase.Refund]("refunds")

// InsertRefund implements purchase.Tx.
func (t *Tx) InsertRefund(r purchase.Refund) {
	insert(t, refundTable, r)
	if r.State == purchase.RefundSettled {
		t.tellRefunded(r)
	}
}

var moveRefund = refundTable.Write(`UPDATE refunds SET @set(state, channel, settled_at, updated_at) WHERE id = @id AND merchant_id = @merchant_id AND state = @from`, "from")

// MoveRefund implements purchase.Tx.
func (t *Tx) MoveRefund(r purchase.Refund, from purchase.RefundState) {
	move(t, moveRefund, r, from)
	if r.State == purchase.RefundSettled {
		t.tellRefunded(r)
	} else {
		t.tellRefundFailed(r)
	}
}

// RefundsUnderWay implements purchase.Reader.
func (s *Store) RefundsUnderWay(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]purchase.Refund, error) {
	return all(ctx, s, refundTable, `merchant_id = $1 AND purchase_id = $2 AND state = 'pending' ORDER BY id`, merchantID, purchaseID)
}

// Refund implements purchase.Reader.
func (s *Store) Refund(ctx context.Context, merchantID, id uuid.UUID) (purchase.Refund, error) {
	return one(ctx, s, refundTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// RefundByID implements debit.Reader.
func (s *Store) RefundByID(ctx context.Context, id uuid.UUID) (purchase.Refund, error) {
	return one(ctx, s, refundTable, "id = $1", id)
}

var (
	entryTable  = table.New[purchase.Entry]("ledger_entries")
	insertEntry = entryTable.Write(`INSERT INTO ledger_entries (@columns, id, at, day) VALUES (@values, @new_id, @now, @today)`, "new_id", "now", "today")
)

// InsertEntry implements purchase.Tx. The day is the SAST day of the transaction.
func (t *Tx) InsertEntry(e purchase.Entry) {
	write(t, insertEntry, e, t.NewID(), t.now, calendar.DateOf(t.now))
}
