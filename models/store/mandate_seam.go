package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/mandate"
)

type authRow struct {
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

func (authRow) TableName() string { return "mandate_authentications" }

// AuthenticationsOf implements mandate.Reader.
func (s *Store) AuthenticationsOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]mandate.Authentication, error) {
	var rows []authRow
	err := s.read(ctx).Order("number DESC").Find(&rows, "merchant_id = ? AND mandate_id = ?", merchantID, mandateID).Error
	if err != nil {
		return nil, fmt.Errorf("list authentications: %w", err)
	}
	out := make([]mandate.Authentication, len(rows))
	for i, r := range rows {
		out[i] = mandate.Authentication{ID: r.ID, MerchantID: r.MerchantID, MandateID: r.MandateID, Number: r.Number, Method: mandate.Method(r.Method),
			State: mandate.AuthState(r.State), Code: r.Code, Channel: r.Channel, RequestedBy: r.RequestedBy, CancelDue: r.CancelDue, RequestedAt: r.RequestedAt.UTC(),
			SentAt: orZero(r.SentAt).UTC(), DeliveredAt: orZero(r.DeliveredAt).UTC(), ExpiresAt: orZero(r.ExpiresAt).UTC(), AnsweredAt: orZero(r.AnsweredAt).UTC()}
	}
	return out, nil
}

// VerificationsOf implements mandate.Reader.
func (s *Store) VerificationsOf(context.Context, uuid.UUID, uuid.UUID) ([]mandate.Verification, error) {
	return nil, nil
}
