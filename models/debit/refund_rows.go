package debit

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// claimRefunds notes that the hand-over of refunds begins, and gives those that nobody ended meanwhile: from then on
// the bank may have them.
func claimRefunds(tx *database.Tx, ids []uuid.UUID) (claimed []uuid.UUID, err error) {
	err = tx.Gorm().Raw(`UPDATE refunds SET claimed_at = coalesce(claimed_at, ?) WHERE id = ANY(?::uuid[])
		AND state = 'pending' AND channel = 'bank' RETURNING id`, tx.Now(), database.IDs(ids)).Find(&claimed).Error
	if err != nil {
		return nil, fmt.Errorf("claim refunds: %w", err)
	}
	return claimed, nil
}

// refundsHandedOver notes that the bank has the refunds.
func refundsHandedOver(tx *database.Tx, ids []uuid.UUID) {
	tx.Exec(`UPDATE refunds SET handed_over = true, updated_at = ? WHERE id = ANY(?::uuid[])
		AND NOT handed_over`, tx.Now(), database.IDs(ids))
}

// dropRefunds ends the refunds of a purchase that the bank does not have, since the
// money went back another way, and gives them. One that the bank gave back to a person is not with it.
func dropRefunds(tx *database.Tx, merchantID, purchaseID uuid.UUID) (dropped []purchase.Refund, err error) {
	err = tx.Gorm().Raw(`UPDATE refunds SET state = 'dropped', updated_at = ?
		WHERE merchant_id = ? AND purchase_id = ? AND state = 'pending'
		AND (NOT handed_over AND claimed_at IS NULL OR channel = 'person') RETURNING *`, tx.Now(), merchantID, purchaseID).
		Find(&dropped).Error
	for _, r := range dropped {
		purchase.TellRefundFailed(tx, r)
	}
	return dropped, err
}

// refundsDue lists refunds of final debits that the bank has yet to get, with
// accounts opened. The error names those that could not be opened; the others are
// given all the same. A refund goes back to the account that the money was collected from.
func (s Store) refundsDue(ctx context.Context, limit int) ([]bank.Refund, error) {
	var rows []struct {
		ID            uuid.UUID
		MerchantID    uuid.UUID
		AmountCents   int64
		Currency      string
		CollectionID  uuid.UUID
		StatementLine string
		TokenID       uuid.UUID
		HolderName    string
		BankCode      string
		AccountType   string
		AccountSealed []byte
		Creditor      creditor `gorm:"embedded"`
	}
	err := s.Gorm(ctx).Raw(
		`SELECT r.id, r.merchant_id, r.amount_cents, r.currency, c.id AS collection_id, c.statement_line, t.id AS token_id,
			t.holder_name, t.bank_code, t.account_type, t.account_sealed, `+payeeColumns+`
		FROM refunds r JOIN purchases p ON p.id = r.purchase_id AND p.status = 'pending_refund'
		JOIN collections c ON c.id = r.collection_id AND c.state IN ('successful', 'final', 'dispute_won')
		JOIN tokens t ON t.id = c.token_id JOIN mandates m ON m.id = c.mandate_id`+payeeRows+`
		WHERE r.state = 'pending' AND r.channel = 'bank' AND NOT r.handed_over AND r.due_at <= ?
		ORDER BY r.due_at, r.id LIMIT ?`, s.Now(), limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find refunds: %w", err)
	}
	var out []bank.Refund
	var wrong error
	for _, r := range rows {
		number, err := token.OpenAccount(s.Seal, r.MerchantID, r.TokenID, r.AccountSealed)
		if err != nil {
			wrong = errors.Join(wrong, err)
			continue
		}
		out = append(out, bank.Refund{ID: r.ID, InstructionID: r.CollectionID, MerchantID: r.MerchantID,
			AmountCents: r.AmountCents, Currency: r.Currency,
			Branch: r.BankCode, Account: number, AccountType: bank.AccountType(r.AccountType), HolderName: r.HolderName,
			StatementLine: r.StatementLine, Creditor: r.Creditor.domain()})
	}
	return out, wrong
}
