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
	ID           uuid.UUID `gorm:"primaryKey"`
	MerchantID   uuid.UUID
	PurchaseID   uuid.UUID
	Payment      int
	CollectionID *uuid.UUID
	AmountCents  int64
	Currency     string
	State        string
	Channel      string
	HandedOver   bool
	Reference    string
	DueAt        time.Time
	SettledAt    *time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

func (refundRow) TableName() string { return "refunds" }

func (r refundRow) domain() purchase.Refund {
	return purchase.Refund{ID: r.ID, MerchantID: r.MerchantID, PurchaseID: r.PurchaseID, Payment: r.Payment, CollectionID: orZero(r.CollectionID), AmountCents: r.AmountCents,
		Currency: r.Currency, State: purchase.RefundState(r.State), Channel: r.Channel, HandedOver: r.HandedOver, Reference: r.Reference, DueAt: r.DueAt.UTC(),
		SettledAt: utc(r.SettledAt), CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
}

func refundsOf(rows []refundRow) []purchase.Refund {
	out := make([]purchase.Refund, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out
}

// InsertRefund implements purchase.Tx.
func (t *Tx) InsertRefund(r purchase.Refund) {
	t.create(&refundRow{ID: r.ID, MerchantID: r.MerchantID, PurchaseID: r.PurchaseID, Payment: r.Payment, CollectionID: orNull(r.CollectionID), AmountCents: r.AmountCents,
		Currency: r.Currency, State: string(r.State), Channel: r.Channel, Reference: r.Reference, DueAt: Instant(r.DueAt), SettledAt: orNull(r.SettledAt),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt})
	if r.State == purchase.RefundSettled {
		t.tellRefunded(r)
	}
}

// MoveRefund implements purchase.Tx.
func (t *Tx) MoveRefund(r purchase.Refund, from purchase.RefundState) {
	t.mustMove(`UPDATE refunds SET state = $4, channel = $5, settled_at = $6, updated_at = $7 WHERE id = $1 AND merchant_id = $2 AND state = $3`,
		r.ID, r.MerchantID, string(from), string(r.State), r.Channel, orNull(r.SettledAt), r.UpdatedAt)
	if r.State == purchase.RefundSettled {
		t.tellRefunded(r)
	} else {
		t.tellRefundFailed(r)
	}
}

// RefundsUnderWay implements purchase.Reader.
func (s *Store) RefundsUnderWay(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]purchase.Refund, error) {
	var rows []refundRow
	if err := s.read(ctx).Order("id").Find(&rows, "merchant_id = ? AND purchase_id = ? AND state = 'pending'", merchantID, purchaseID).Error; err != nil {
		return nil, fmt.Errorf("find refunds: %w", err)
	}
	return refundsOf(rows), nil
}

// Refund implements purchase.Reader.
func (s *Store) Refund(ctx context.Context, merchantID, id uuid.UUID) (purchase.Refund, error) {
	var row refundRow
	err := s.read(ctx).Take(&row, "merchant_id = ? AND id = ?", merchantID, id).Error
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
