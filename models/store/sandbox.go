package store

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/mandate"
	"debitdesk/models/simulation"
)

var (
	atBank = table.View(resultColumn(func(a *simulation.AtBank) *collection.Collection { return &a.Collection }))
	phones = table.View[simulation.Phone]()
)

// AtBank implements simulation.BankReader.
func (s *Store) AtBank(ctx context.Context, merchantID uuid.UUID, limit int) ([]simulation.AtBank, error) {
	return database.Seek(ctx, s.DB, atBank, `SELECT c.*, p.reference_generated AS reference, p.payer_name, t.account_mask
		FROM collections c JOIN purchases p ON p.id = c.purchase_id JOIN tokens t ON t.id = c.token_id
		WHERE c.merchant_id = ? AND c.state IN ('submitted', 'in_tracking', 'provisional', 'successful', 'final', 'disputed')
		ORDER BY (c.state IN ('submitted', 'in_tracking')) DESC, c.action_date DESC, c.id DESC LIMIT ?`, merchantID, limit)
}

// onPhones is a request with what a handset shows of it.
const onPhones = `SELECT a.*, m.id AS m_id, m.merchant_id AS m_merchant_id, m.kind AS m_kind, m.state AS m_state, m.contract_reference AS m_contract_reference,
	m.abbreviated_name AS m_abbreviated_name, m.period_units AS m_period_units, m.deduction_day AS m_deduction_day, m.amount_cents AS m_amount_cents,
	m.terms AS m_terms, m.holder_name AS m_holder_name, m.account_mask AS m_account_mask, m.bank_code AS m_bank_code, b.name AS brand, p.currency
	FROM mandate_authentications a JOIN mandates m ON m.id = a.mandate_id JOIN brands b ON b.id = m.brand_id JOIN purchases p ON p.id = m.id
	WHERE a.merchant_id = ? AND `

const openAuthentication = `state IN ('requested', 'sent', 'delivered')`

// Phones implements simulation.BankReader.
func (s *Store) Phones(ctx context.Context, merchantID uuid.UUID,
	limit int) (open, over []simulation.Phone, err error) {
	if open, err = database.Seek(ctx, s.DB, phones, onPhones+"a."+openAuthentication+` ORDER BY a.requested_at DESC, a.id DESC`,
		merchantID); err != nil {
		return nil, nil, err
	}
	over, err = database.Seek(ctx, s.DB, phones, onPhones+"NOT a."+openAuthentication+
		` ORDER BY coalesce(a.answered_at, a.expires_at, a.requested_at) DESC, a.id DESC LIMIT ?`, merchantID, limit)
	return open, over, err
}

// OpenAuthentication implements simulation.BankReader.
func (s *Store) OpenAuthentication(ctx context.Context, merchantID,
	mandateID uuid.UUID) (mandate.Authentication, error) {
	return database.One(ctx, s.DB, mandate.Authentications, "merchant_id = $1 AND mandate_id = $2 AND "+openAuthentication+
		" ORDER BY number DESC LIMIT 1", merchantID, mandateID)
}

var _ simulation.BankReader = (*Store)(nil)
