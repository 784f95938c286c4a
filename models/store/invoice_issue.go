package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/dryrun"
)

// TakeNumbers implements billing.Reader: a block of a counter that may have gaps.
func (s *Store) TakeNumbers(ctx context.Context, brandID uuid.UUID, name string, n int) (first int64, err error) {
	if dryrun.Is(ctx) {
		return s.LookAtNumber(ctx, brandID, name)
	}
	err = s.Pool.QueryRow(ctx, `INSERT INTO brand_counters AS c (brand_id, name, next) VALUES ($1, $2, $3 + 1)
		ON CONFLICT (brand_id, name) DO UPDATE SET next = c.next + $3 RETURNING next - $3`, brandID, name,
		int64(n)).Scan(&first)
	if err != nil {
		return 0, fmt.Errorf("take %s numbers: %w", name, err)
	}
	return first, nil
}

// Invoice implements billing.Reader.
func (s *Store) Invoice(ctx context.Context, merchantID, id uuid.UUID) (billing.Invoice, error) {
	return database.One(ctx, s.DB, billing.Table, "merchant_id = $1 AND id = $2", merchantID, id)
}

// DocumentsOf implements billing.Reader.
func (s *Store) DocumentsOf(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs []uuid.UUID) (map[uuid.UUID]billing.Documents, error) {
	found, err := database.All(ctx, s.DB, billing.Table, "merchant_id = $1 AND purchase_id = ANY($2) ORDER BY id",
		merchantID, purchaseIDs)
	return billing.DocumentsBy(found), err
}

// DebitsOf implements billing.Reader.
func (s *Store) DebitsOf(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs []uuid.UUID) (map[uuid.UUID]billing.Debit, error) {
	var rows []struct {
		PurchaseID            uuid.UUID
		ActionDate, CreatedAt time.Time
		State                 string
		BankCode, AccountMask string
		Deleting              bool
	}
	err := s.Gorm(ctx).Raw(
		`SELECT DISTINCT ON (c.purchase_id) c.purchase_id, c.action_date, c.created_at, c.state, t.bank_code, t.account_mask,
			t.state = 'deleting' AS deleting
		FROM collections c JOIN tokens t ON t.id = c.token_id WHERE c.merchant_id = ? AND c.purchase_id = ANY(?::uuid[])
		ORDER BY c.purchase_id, c.attempt DESC`,
		merchantID, database.IDs(purchaseIDs)).
		Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find debits: %w", err)
	}
	out := make(map[uuid.UUID]billing.Debit, len(rows))
	for _, r := range rows {
		y, m, d := r.ActionDate.Date()
		out[r.PurchaseID] = billing.Debit{On: calendar.On(y, m, d), BankCode: r.BankCode, Mask: r.AccountMask,
			State: collection.State(r.State), PlannedAt: r.CreatedAt.UTC(),
			OnHold: r.Deleting && r.State == string(collection.Scheduled)}
	}
	return out, nil
}
