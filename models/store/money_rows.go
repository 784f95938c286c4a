package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

type refundRow struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	MerchantID  uuid.UUID
	PurchaseID  uuid.UUID
	AmountCents int64
	Currency    string
	State       string
	Channel     string
	HandedOver  bool
	Reference   string
	SettledAt   *time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func (refundRow) TableName() string { return "refunds" }

func (r refundRow) domain() purchase.Refund {
	return purchase.Refund{ID: r.ID, MerchantID: r.MerchantID, PurchaseID: r.PurchaseID, AmountCents: r.AmountCents, Currency: r.Currency,
		Settled: r.State == "settled", Channel: r.Channel, Reference: r.Reference, SettledAt: utc(r.SettledAt), CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
}

// InsertRefund implements purchase.Tx.
func (t *Tx) InsertRefund(r purchase.Refund) {
	state := "pending"
	if r.Settled {
		state = "settled"
	}
	t.create(&refundRow{ID: r.ID, MerchantID: r.MerchantID, PurchaseID: r.PurchaseID, AmountCents: r.AmountCents, Currency: r.Currency, State: state,
		Channel: r.Channel, Reference: r.Reference, SettledAt: orNull(r.SettledAt), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt})
	if r.Settled {
		t.tellRefunded(r)
	}
}

// SettleRefund implements purchase.Tx: compare-and-set from pending.
func (t *Tx) SettleRefund(r purchase.Refund) (bool, error) {
	n, err := t.exec(`UPDATE refunds SET state = 'settled', channel = $3, settled_at = $4, updated_at = $4 WHERE id = $1 AND merchant_id = $2 AND state = 'pending'`,
		r.ID, r.MerchantID, r.Channel, r.SettledAt)
	if err != nil {
		return false, fmt.Errorf("settle refund: %w", err)
	}
	if n == 1 {
		t.tellRefunded(r)
	}
	return n == 1, nil
}

// PendingRefund implements purchase.Reader.
func (s *Store) PendingRefund(ctx context.Context, merchantID, purchaseID uuid.UUID) (purchase.Refund, error) {
	var row refundRow
	err := s.read(ctx).Take(&row, "merchant_id = ? AND purchase_id = ? AND state = 'pending'", merchantID, purchaseID).Error
	return row.domain(), missing(err, "find refund")
}

type entryRow struct {
	ID           uuid.UUID `gorm:"primaryKey"`
	MerchantID   uuid.UUID
	PurchaseID   uuid.UUID
	CollectionID *uuid.UUID
	RefundID     *uuid.UUID
	Kind         string
	AmountCents  int64
	Currency     string
	Code         string
	At           time.Time
	Day          calendar.Date
}

func (entryRow) TableName() string { return "ledger_entries" }

// InsertEntry implements purchase.Tx. The day is the SAST day of the transaction.
func (t *Tx) InsertEntry(e purchase.Entry) {
	t.create(&entryRow{ID: t.NewID(), MerchantID: e.MerchantID, PurchaseID: e.PurchaseID, CollectionID: orNull(e.CollectionID), RefundID: orNull(e.RefundID),
		Kind: string(e.Kind), AmountCents: e.AmountCents, Currency: e.Currency, Code: e.Code, At: t.now, Day: calendar.DateOf(t.now)})
}
