package store

import (
	"context"
	"time"

	"github.com/google/uuid"

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
		SentAt: orZero(r.SentAt).UTC(), DeliveredAt: orZero(r.DeliveredAt).UTC(), ExpiresAt: orZero(r.ExpiresAt).UTC(), AnsweredAt: orZero(r.AnsweredAt).UTC()}
}

// LatestAuthentication implements purchase.Reader.
func (s *Store) LatestAuthentication(ctx context.Context, merchantID, mandateID uuid.UUID) (mandate.Authentication, error) {
	row, err := take[authenticationRow](ctx, s, "merchant_id = $1 AND mandate_id = $2 ORDER BY number DESC LIMIT 1", merchantID, mandateID)
	return row.domain(), missing(err, "find authentication")
}
