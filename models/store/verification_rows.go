package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/mandate"
)

type verificationRow struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	MerchantID  uuid.UUID
	ClientID    *uuid.UUID
	PurchaseID  *uuid.UUID
	AccountMask string
	AccountHash []byte
	BankCode    string
	Answers     string
	Passed      bool
	At          time.Time
}

func (verificationRow) TableName() string { return "account_verifications" }

func (r verificationRow) domain() mandate.Verification {
	v := mandate.Verification{ID: r.ID, MerchantID: r.MerchantID, ClientID: orZero(r.ClientID), PurchaseID: orZero(r.PurchaseID),
		AccountMask: r.AccountMask, BankCode: r.BankCode, Passed: r.Passed, At: r.At.UTC()}
	_ = json.Unmarshal([]byte(r.Answers), &v.Answers) // as we wrote it
	return v
}

// InsertVerification implements purchase.Tx. The number itself is not kept.
func (t *Tx) InsertVerification(v mandate.Verification) {
	answers, _ := json.Marshal(v.Answers) // texts
	t.create(&verificationRow{ID: v.ID, MerchantID: v.MerchantID, ClientID: orNull(v.ClientID), PurchaseID: orNull(v.PurchaseID), AccountMask: v.AccountMask,
		AccountHash: t.s.seal.Hash(v.MerchantID, "account", v.BankCode+"/"+v.Account.Reveal()), BankCode: v.BankCode, Answers: string(answers), Passed: v.Passed, At: Instant(v.At)})
}

// VerificationsOf implements mandate.Reader.
func (s *Store) VerificationsOf(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]mandate.Verification, error) {
	return s.verifications(ctx, "merchant_id = ? AND purchase_id = ?", merchantID, purchaseID)
}

func (s *Store) verifications(ctx context.Context, which string, args ...any) ([]mandate.Verification, error) {
	var rows []verificationRow
	if err := s.read(ctx).Order("id DESC").Limit(50).Find(&rows, append([]any{which}, args...)...).Error; err != nil {
		return nil, fmt.Errorf("list verifications: %w", err)
	}
	out := make([]mandate.Verification, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out, nil
}

// VerificationsOfClient implements mandate.Lister.
func (s *Store) VerificationsOfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]mandate.Verification, error) {
	return s.verifications(ctx, "merchant_id = ? AND client_id = ?", merchantID, clientID)
}
