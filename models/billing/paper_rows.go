package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
)

// Store is where invoices and credit notes are kept. What is found is bounded by the merchant; unknown ids and those of
// others are NotFound.
type Store struct{ *database.DB }

// Invoice finds a document by its id.
func (s Store) Invoice(ctx context.Context, merchantID, id uuid.UUID) (i Invoice, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&i, "id = ?", id).Error
	return i, err
}

// Invoices gives invoices and credit notes by their ids; those that are not there are left out.
func (s Store) Invoices(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Invoice, error) {
	var found []Invoice
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).
		Find(&found, "id = ANY(?::uuid[])", database.IDs(ids)).Error
	out := make(map[uuid.UUID]Invoice, len(found))
	for _, i := range found {
		out[i.ID] = i
	}
	return out, err
}

// DocumentsOf gives the documents of purchases; those without are left out.
func (s Store) DocumentsOf(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs []uuid.UUID) (map[uuid.UUID]Documents, error) {
	var found []Invoice
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("id").
		Find(&found, "kind IN ? AND purchase_id = ANY(?::uuid[])", []Kind{Invoiced, Credited}, // as the index has them
			database.IDs(purchaseIDs)).Error
	return DocumentsBy(found), err
}

// debitsOf gives the newest debit of purchases; those without are left out.
func (s Store) debitsOf(ctx context.Context, merchantID uuid.UUID,
	purchaseIDs []uuid.UUID) (map[uuid.UUID]Debit, error) {
	var rows []struct {
		PurchaseID            uuid.UUID
		ActionDate, CreatedAt time.Time
		State                 string
		BankCode, AccountMask string
		ContractReference     string
		Deleting              bool
	}
	err := s.Gorm(ctx).Raw(
		`SELECT DISTINCT ON (c.purchase_id) c.purchase_id, c.action_date, c.created_at, c.state, t.bank_code, t.account_mask,
			t.state = 'deleting' AS deleting, m.contract_reference
		FROM collections c JOIN tokens t ON t.id = c.token_id JOIN mandates m ON m.id = c.mandate_id
		WHERE c.merchant_id = ? AND c.purchase_id = ANY(?::uuid[])
		ORDER BY c.purchase_id, c.attempt DESC`,
		merchantID, database.IDs(purchaseIDs)).
		Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find debits: %w", err)
	}
	out := make(map[uuid.UUID]Debit, len(rows))
	for _, r := range rows {
		y, m, d := r.ActionDate.Date()
		out[r.PurchaseID] = Debit{On: calendar.On(y, m, d), BankCode: r.BankCode, Mask: r.AccountMask,
			State: collection.State(r.State), PlannedAt: r.CreatedAt.UTC(), MandateReference: r.ContractReference,
			OnHold: r.Deleting && r.State == string(collection.Scheduled)}
	}
	return out, nil
}
