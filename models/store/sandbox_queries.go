package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/mandate"
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

// phoneRow is a request with what a handset shows of it.
type phoneRow struct {
	Request                                            authenticationRow `gorm:"embedded"`
	MandateState, ContractReference, AbbreviatedName   string
	PeriodUnits                                        string
	DeductionDay                                       int
	AmountCents                                        int64
	Terms                                              []byte
	HolderName, AccountMask, BankCode, Brand, Currency string
}

const phones = `SELECT a.*, m.state AS mandate_state, m.contract_reference, m.abbreviated_name, m.period_units, m.deduction_day, m.amount_cents,
	m.terms, m.holder_name, m.account_mask, m.bank_code, b.name AS brand, p.currency
	FROM mandate_authentications a JOIN mandates m ON m.id = a.mandate_id JOIN brands b ON b.id = m.brand_id JOIN purchases p ON p.id = m.id
	WHERE a.merchant_id = ? AND `

const openAuthentication = `state IN ('requested', 'sent', 'delivered')`

func (r phoneRow) domain() (sandbox.Phone, error) {
	var terms mandate.Terms
	if err := json.Unmarshal(r.Terms, &terms); err != nil {
		return sandbox.Phone{}, fmt.Errorf("terms of mandate %s: %w", r.Request.MandateID, err)
	}
	return sandbox.Phone{Request: r.Request.domain(), Brand: r.Brand, Currency: r.Currency, Mandate: mandate.Mandate{
		ID: r.Request.MandateID, MerchantID: r.Request.MerchantID, Kind: mandate.DebiCheck, State: mandate.State(r.MandateState), ContractReference: r.ContractReference,
		AbbreviatedName: r.AbbreviatedName, PeriodUnits: r.PeriodUnits, DeductionDay: r.DeductionDay, AmountCents: r.AmountCents, Terms: &terms,
		HolderName: r.HolderName, AccountMask: r.AccountMask, BankCode: r.BankCode}}, nil
}

// Phones implements sandbox.Reader.
func (s *Store) Phones(ctx context.Context, merchantID uuid.UUID, limit int) (open, over []sandbox.Phone, err error) {
	if open, err = s.phones(ctx, phones+"a."+openAuthentication+` ORDER BY a.requested_at DESC, a.id DESC`, merchantID); err != nil {
		return nil, nil, err
	}
	over, err = s.phones(ctx, phones+"NOT a."+openAuthentication+` ORDER BY coalesce(a.answered_at, a.expires_at, a.requested_at) DESC, a.id DESC LIMIT ?`, merchantID, limit)
	return open, over, err
}

func (s *Store) phones(ctx context.Context, query string, args ...any) ([]sandbox.Phone, error) {
	var rows []phoneRow
	if err := s.read(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("list what is on payers' phones: %w", err)
	}
	out := make([]sandbox.Phone, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = r.domain(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// OpenAuthentication implements sandbox.Reader.
func (s *Store) OpenAuthentication(ctx context.Context, merchantID, mandateID uuid.UUID) (mandate.Authentication, error) {
	var row authenticationRow
	err := s.read(ctx).Order("number DESC").Take(&row, "merchant_id = ? AND mandate_id = ? AND "+openAuthentication, merchantID, mandateID).Error
	return row.domain(), missing(err, "find what is asked of the payer")
}

var _ sandbox.Reader = (*Store)(nil)
