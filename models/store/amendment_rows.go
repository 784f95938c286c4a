package store

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
	"debitdesk/models/store/table"
)

var (
	amendmentTable = table.New[purchase.Amendment]("amendments")
	moveAmendment  = amendmentTable.Write(`UPDATE amendments SET @set(state, moved, finished_at) WHERE merchant_id = @merchant_id AND id = @id AND state = 'open'`)
)

// InsertAmendment implements purchase.Tx.
func (t *Tx) InsertAmendment(a purchase.Amendment) { insert(t, amendmentTable, a) }

// MoveAmendment implements purchase.Tx.
func (t *Tx) MoveAmendment(a purchase.Amendment) { move(t, moveAmendment, a) }

// Amendment implements purchase.Reader.
func (s *Store) Amendment(ctx context.Context, merchantID, id uuid.UUID) (purchase.Amendment, error) {
	return one(ctx, s, amendmentTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// AmendmentOf implements purchase.Reader.
func (s *Store) AmendmentOf(ctx context.Context, merchantID, oldTokenID uuid.UUID) (purchase.Amendment, error) {
	return one(ctx, s, amendmentTable, "merchant_id = $1 AND old_token_id = $2 ORDER BY id DESC LIMIT 1", merchantID, oldTokenID)
}

// ScheduledFrom implements purchase.Reader. A purchase whose own account waits for
// its first debit counts too: it names no token that it is paid with.
func (s *Store) ScheduledFrom(ctx context.Context, merchantID, tokenID uuid.UUID) ([]purchase.Purchase, error) {
	return all(ctx, s, purchaseTable, `merchant_id = $1 AND status IN ('pending_charge', 'pending_execute')
		AND id IN (SELECT purchase_id FROM collections WHERE merchant_id = $1 AND token_id = $2 AND state = 'scheduled') ORDER BY id`, merchantID, tokenID)
}
