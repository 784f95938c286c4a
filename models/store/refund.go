package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/purchase"
)

var refundTable = table.New[purchase.Refund]("refunds")

// InsertRefund implements purchase.Tx.
func (t *Tx) InsertRefund(r purchase.Refund) {
	database.Insert(t.Tx, refundTable, r)
	if r.State == purchase.RefundSettled {
		t.tellRefunded(r)
	}
}

var moveRefund = refundTable.Write(
	`UPDATE refunds SET @set(state, channel, settled_at, paid_twice_at, updated_at)
		WHERE id = @id AND merchant_id = @merchant_id AND state = @from
			AND claimed_at IS NOT DISTINCT FROM @claimed_at`,
	"from",
)

// MoveRefund implements purchase.Tx.
func (t *Tx) MoveRefund(r purchase.Refund, from purchase.RefundState) {
	database.MustChange(t.Tx, moveRefund, r, from)
	switch {
	case from == purchase.RefundSettled: // told when it was paid first
	case r.State == purchase.RefundSettled:
		t.tellRefunded(r)
	default:
		t.tellRefundFailed(r)
	}
}

// RefundsUnderWay implements purchase.Reader.
func (s *Store) RefundsUnderWay(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs ...uuid.UUID) ([]purchase.Refund, error) {
	return database.All(
		ctx,
		s.DB,
		refundTable,
		`merchant_id = $1 AND purchase_id = ANY($2) AND state = 'pending' ORDER BY id`,
		merchantID,
		purchaseIDs,
	)
}

// Refund implements purchase.Reader.
func (s *Store) Refund(ctx context.Context, merchantID, id uuid.UUID) (purchase.Refund, error) {
	return database.One(ctx, s.DB, refundTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// RefundByID implements debit.Reader.
func (s *Store) RefundByID(ctx context.Context, id uuid.UUID) (purchase.Refund, error) {
	return database.One(ctx, s.DB, refundTable, "id = $1", id)
}

var (
	entryTable  = table.New[purchase.Entry]("ledger_entries")
	insertEntry = entryTable.Write(
		`INSERT INTO ledger_entries (@columns, id, at, day) VALUES (@values, @new_id, @now, @today)`, "new_id", "now",
		"today")
)

// InsertEntry implements purchase.Tx. The day is the SAST day of the transaction.
func (t *Tx) InsertEntry(e purchase.Entry) {
	database.Append(t.Tx, insertEntry, e, t.NewID(), t.Now(), calendar.DateOf(t.Now()))
}

var (
	amendmentTable = table.New[purchase.Amendment]("amendments")
	moveAmendment  = amendmentTable.Write(
		`UPDATE amendments SET @set(state, moved, finished_at) WHERE merchant_id = @merchant_id
			AND id = @id AND state = 'open'`,
	)
)

// InsertAmendment implements purchase.Tx.
func (t *Tx) InsertAmendment(a purchase.Amendment) { database.Insert(t.Tx, amendmentTable, a) }

// MoveAmendment implements purchase.Tx.
func (t *Tx) MoveAmendment(a purchase.Amendment) { database.MustChange(t.Tx, moveAmendment, a) }

// Amendment implements purchase.Reader.
func (s *Store) Amendment(ctx context.Context, merchantID, id uuid.UUID) (purchase.Amendment, error) {
	return database.One(ctx, s.DB, amendmentTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// AmendmentOf implements purchase.Reader.
func (s *Store) AmendmentOf(ctx context.Context, merchantID, oldTokenID uuid.UUID) (purchase.Amendment, error) {
	return database.One(ctx, s.DB, amendmentTable, "merchant_id = $1 AND old_token_id = $2 ORDER BY id DESC LIMIT 1",
		merchantID, oldTokenID)
}

// OpenReplacements implements purchase.Reader.
func (s *Store) OpenReplacements(ctx context.Context, merchantID uuid.UUID,
	newIDs []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	found, err := database.All(ctx, s.DB, amendmentTable,
		"merchant_id = $1 AND state = 'open' AND purchase_id = ANY($2::uuid[])", merchantID, database.IDs(newIDs))
	open := make(map[uuid.UUID]uuid.UUID, len(found))
	for _, a := range found {
		open[a.NewID] = a.ID
	}
	return open, err
}

// ScheduledFrom implements purchase.Reader. A purchase whose own account waits for
// its first debit counts too: it names no token that it is paid with.
func (s *Store) ScheduledFrom(ctx context.Context, merchantID, tokenID uuid.UUID) ([]purchase.Purchase, error) {
	return database.All(ctx, s.DB, purchaseTable, `merchant_id = $1 AND status IN ('pending_charge', 'pending_execute')
		AND id IN (SELECT purchase_id FROM collections WHERE merchant_id = $1 AND token_id = $2 AND state = 'scheduled')
		ORDER BY id`, merchantID, tokenID)
}

var deletionTable = table.New[purchase.Deletion]("token_deletions")

// InsertDeletion implements purchase.Tx.
func (t *Tx) InsertDeletion(d purchase.Deletion) { database.Insert(t.Tx, deletionTable, d) }

// EndDeletion implements purchase.Tx.
func (t *Tx) EndDeletion(d purchase.Deletion, state purchase.DeletionState) (bool, error) {
	n, err := t.Exec(`UPDATE token_deletions SET state = $3, ended_at = $4
		WHERE merchant_id = $1 AND id = $2 AND state = 'waiting' AND ($3 <> 'undone' OR until > $4)`, d.MerchantID, d.ID,
		string(state), t.Now())
	if err != nil {
		return false, fmt.Errorf("end deletion: %w", err)
	}
	return n == 1, nil
}

// HoldDeletion implements purchase.Tx.
func (t *Tx) HoldDeletion(d purchase.Deletion) (bool, error) {
	n, err := t.Exec(
		`UPDATE token_deletions SET state = state WHERE merchant_id = $1 AND id = $2 AND state = 'waiting' AND until > $3`,
		d.MerchantID, d.ID, t.Now())
	if err != nil {
		return false, fmt.Errorf("hold deletion: %w", err)
	}
	return n == 1, nil
}

// LeaveToken implements purchase.Tx.
func (t *Tx) LeaveToken(merchantID, id uuid.UUID, leaving bool) {
	t.Later(
		`UPDATE purchases SET token_leaving = $3, version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND id = $2`,
		merchantID, id, leaving, t.Now())
}

// Deletion implements purchase.Reader.
func (s *Store) Deletion(ctx context.Context, merchantID, id uuid.UUID) (purchase.Deletion, error) {
	return database.One(ctx, s.DB, deletionTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// DeletionsWaiting implements purchase.Reader.
func (s *Store) DeletionsWaiting(ctx context.Context, merchantID uuid.UUID) ([]purchase.Deletion, error) {
	return database.All(
		ctx,
		s.DB,
		deletionTable,
		`state = 'waiting' AND merchant_id = $1 AND until > $2 ORDER BY id DESC LIMIT 100`,
		merchantID,
		s.Now(),
	)
}

// DeletionsDue implements purchase.Reader; it serves all merchants.
func (s *Store) DeletionsDue(ctx context.Context, limit int) ([]purchase.Deletion, error) {
	return database.All(ctx, s.DB, deletionTable, `state = 'waiting' AND until <= $1 ORDER BY until LIMIT $2`, s.Now(),
		limit)
}
