package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/sandbox"
)

// AtBank implements sandbox.Reader.
func (s *Store) AtBank(ctx context.Context, merchantID uuid.UUID, limit int) ([]sandbox.AtBank, error) {
	var rows []struct {
		Collection  collectionRow `gorm:"embedded"`
		Reference   string
		PayerName   string
		AccountMask string
	}
	err := s.read(ctx).Raw(`SELECT c.*, p.reference_generated AS reference, p.payer_name, t.account_mask
		FROM collections c JOIN purchases p ON p.id = c.purchase_id JOIN tokens t ON t.id = c.token_id
		WHERE c.merchant_id = ? AND c.state IN ('submitted', 'in_tracking', 'provisional', 'successful', 'final', 'disputed')
		ORDER BY (c.state IN ('submitted', 'in_tracking')) DESC, c.action_date DESC, c.id DESC LIMIT ?`, merchantID, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list what is at the bank: %w", err)
	}
	out := make([]sandbox.AtBank, len(rows))
	for i, r := range rows {
		out[i] = sandbox.AtBank{Collection: r.Collection.domain(), Reference: r.Reference, PayerName: r.PayerName, AccountMask: r.AccountMask}
	}
	return out, nil
}

var _ sandbox.Reader = (*Store)(nil)
