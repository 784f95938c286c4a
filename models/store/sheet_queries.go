package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/mandate"
)

type authenticationRow struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	MerchantID  uuid.UUID
	MandateID   uuid.UUID
	Number      int
	Method      string
	State       string
	Code        string
	Channel     string
	RequestedBy string
	CancelDue   bool
	RequestedAt time.Time
	SentAt      *time.Time
	DeliveredAt *time.Time
	ExpiresAt   *time.Time
	AnsweredAt  *time.Time
}

func (authenticationRow) TableName() string { return "mandate_authentications" }

func (r authenticationRow) domain() mandate.Authentication {
	return mandate.Authentication{ID: r.ID, MerchantID: r.MerchantID, MandateID: r.MandateID, Number: r.Number, Method: mandate.Method(r.Method),
		State: mandate.AuthState(r.State), Code: r.Code, Channel: r.Channel, RequestedBy: r.RequestedBy, CancelDue: r.CancelDue, RequestedAt: r.RequestedAt.UTC(),
		SentAt: utcOrZero(r.SentAt), DeliveredAt: utcOrZero(r.DeliveredAt), ExpiresAt: utcOrZero(r.ExpiresAt), AnsweredAt: utcOrZero(r.AnsweredAt)}
}

// AuthenticationsOf implements mandate.Reader.
func (s *Store) AuthenticationsOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]mandate.Authentication, error) {
	var rows []authenticationRow
	if err := s.read(ctx).Order("number DESC").Find(&rows, "merchant_id = ? AND mandate_id = ?", merchantID, mandateID).Error; err != nil {
		return nil, fmt.Errorf("list authentications: %w", err)
	}
	out := make([]mandate.Authentication, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out, nil
}

// VerificationsOf implements mandate.Reader.
func (s *Store) VerificationsOf(ctx context.Context, merchantID, purchaseID uuid.UUID) ([]mandate.Verification, error) {
	return s.verifications(ctx, "merchant_id = ? AND purchase_id = ?", merchantID, purchaseID)
}

// VerificationsOfClient implements mandate.Lister.
func (s *Store) VerificationsOfClient(ctx context.Context, merchantID, clientID uuid.UUID) ([]mandate.Verification, error) {
	return s.verifications(ctx, "merchant_id = ? AND client_id = ?", merchantID, clientID)
}

// latestVerifications is how many of them are shown.
const latestVerifications = 20

func (s *Store) verifications(ctx context.Context, condition string, args ...any) ([]mandate.Verification, error) {
	var rows []struct {
		ID, MerchantID        uuid.UUID
		ClientID, PurchaseID  *uuid.UUID
		AccountMask, BankCode string
		Answers               []byte
		Passed                bool
		At                    time.Time
	}
	err := s.read(ctx).Table("account_verifications").Where(condition, args...).Order("id DESC").Limit(latestVerifications).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list verifications: %w", err)
	}
	out := make([]mandate.Verification, len(rows))
	for i, r := range rows {
		var answers bank.Verified
		if err := json.Unmarshal(r.Answers, &answers); err != nil {
			return nil, fmt.Errorf("read verification: %w", err)
		}
		out[i] = mandate.Verification{ID: r.ID, MerchantID: r.MerchantID, ClientID: orZero(r.ClientID), PurchaseID: orZero(r.PurchaseID),
			AccountMask: r.AccountMask, BankCode: r.BankCode, Answers: answers, Passed: r.Passed, At: r.At.UTC()}
	}
	return out, nil
}
