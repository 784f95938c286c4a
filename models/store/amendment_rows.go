package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
)

type amendmentRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	MerchantID uuid.UUID
	OldTokenID uuid.UUID
	PurchaseID uuid.UUID
	State      string
	Moved      int
	CreatedBy  string
	CreatedAt  time.Time
	FinishedAt *time.Time
}

func (amendmentRow) TableName() string { return "amendments" }

func (r amendmentRow) domain() purchase.Amendment {
	return purchase.Amendment{ID: r.ID, MerchantID: r.MerchantID, OldTokenID: r.OldTokenID, NewID: r.PurchaseID, State: purchase.AmendmentState(r.State),
		Moved: r.Moved, CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(), FinishedAt: utc(r.FinishedAt)}
}

// InsertAmendment implements purchase.Tx.
func (t *Tx) InsertAmendment(a purchase.Amendment) {
	t.create(&amendmentRow{ID: a.ID, MerchantID: a.MerchantID, OldTokenID: a.OldTokenID, PurchaseID: a.NewID, State: string(a.State), Moved: a.Moved,
		CreatedBy: a.CreatedBy, CreatedAt: a.CreatedAt, FinishedAt: instantOrNull(a.FinishedAt)})
}

// MoveAmendment implements purchase.Tx.
func (t *Tx) MoveAmendment(a purchase.Amendment) {
	t.mustMove(`UPDATE amendments SET state = $3, moved = $4, finished_at = $5 WHERE merchant_id = $1 AND id = $2 AND state = 'open'`,
		a.MerchantID, a.ID, string(a.State), a.Moved, instantOrNull(a.FinishedAt))
}

// WithdrawCollection implements purchase.Tx. A claim that has run out counts too:
// the bank may have got the collection all the same.
func (t *Tx) WithdrawCollection(merchantID, id uuid.UUID) (bool, error) {
	n, err := t.exec(`UPDATE collections SET state = 'cancelled', updated_at = $3
		WHERE merchant_id = $1 AND id = $2 AND state = 'scheduled' AND claimed_until IS NULL`, merchantID, id, t.now)
	if err != nil {
		return false, fmt.Errorf("withdraw collection: %w", err)
	}
	return n == 1, nil
}

// Amendment implements purchase.Reader.
func (s *Store) Amendment(ctx context.Context, merchantID, id uuid.UUID) (purchase.Amendment, error) {
	row, err := take[amendmentRow](ctx, s, "merchant_id = $1 AND id = $2", merchantID, id)
	return row.domain(), missing(err, "find amendment")
}

// AmendmentOf implements purchase.Reader.
func (s *Store) AmendmentOf(ctx context.Context, merchantID, oldTokenID uuid.UUID) (purchase.Amendment, error) {
	row, err := take[amendmentRow](ctx, s, "merchant_id = $1 AND old_token_id = $2 ORDER BY id DESC LIMIT 1", merchantID, oldTokenID)
	return row.domain(), missing(err, "find amendment")
}

// ScheduledFrom implements purchase.Reader. A purchase whose own account waits for
// its first debit counts too: it names no token that it is paid with.
func (s *Store) ScheduledFrom(ctx context.Context, merchantID, tokenID uuid.UUID) ([]purchase.Purchase, error) {
	var rows []purchaseRow
	err := s.read(ctx).Select(purchaseColumns).Order("id").Find(&rows, `merchant_id = ? AND status IN ('pending_charge', 'pending_execute')
		AND id IN (SELECT purchase_id FROM collections WHERE merchant_id = ? AND token_id = ? AND state = 'scheduled')`, merchantID, merchantID, tokenID).Error
	if err != nil {
		return nil, fmt.Errorf("list scheduled purchases: %w", err)
	}
	return s.purchasesOf(rows)
}
