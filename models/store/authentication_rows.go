package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
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
		State: mandate.AuthState(r.State), Code: r.Code, Channel: r.Channel, RequestedBy: r.RequestedBy, CancelDue: r.CancelDue,
		RequestedAt: r.RequestedAt.UTC(), SentAt: utc(r.SentAt), DeliveredAt: utc(r.DeliveredAt), ExpiresAt: utc(r.ExpiresAt), AnsweredAt: utc(r.AnsweredAt)}
}

func authentications(rows []authenticationRow) []mandate.Authentication {
	out := make([]mandate.Authentication, len(rows))
	for i, r := range rows {
		out[i] = r.domain()
	}
	return out
}

// InsertAuthentication implements purchase.Tx.
func (t *Tx) InsertAuthentication(a mandate.Authentication) {
	t.create(&authenticationRow{ID: a.ID, MerchantID: a.MerchantID, MandateID: a.MandateID, Number: a.Number, Method: string(a.Method), State: string(a.State),
		Code: a.Code, Channel: a.Channel, RequestedBy: a.RequestedBy, CancelDue: a.CancelDue, RequestedAt: Instant(a.RequestedAt),
		SentAt: instantOrNull(a.SentAt), DeliveredAt: instantOrNull(a.DeliveredAt), ExpiresAt: instantOrNull(a.ExpiresAt), AnsweredAt: instantOrNull(a.AnsweredAt)})
}

// SaveAuthentication writes what may change of an authentication that this
// transaction holds.
func (t *Tx) SaveAuthentication(a mandate.Authentication, from mandate.AuthState) {
	t.later(`UPDATE mandate_authentications SET state = $4, code = $5, channel = $6, cancel_due = $7, sent_at = $8, delivered_at = $9, expires_at = $10, answered_at = $11
		WHERE merchant_id = $1 AND id = $2 AND state = $3`, a.MerchantID, a.ID, string(from), string(a.State), a.Code, a.Channel, a.CancelDue,
		instantOrNull(a.SentAt), instantOrNull(a.DeliveredAt), instantOrNull(a.ExpiresAt), instantOrNull(a.AnsweredAt))
}

// AuthenticationsOf implements purchase.Reader and mandate.Reader.
func (s *Store) AuthenticationsOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]mandate.Authentication, error) {
	var rows []authenticationRow
	if err := s.read(ctx).Order("number DESC").Find(&rows, "merchant_id = ? AND mandate_id = ?", merchantID, mandateID).Error; err != nil {
		return nil, fmt.Errorf("list authentications: %w", err)
	}
	return authentications(rows), nil
}

// DebitsUnder implements purchase.Reader.
func (s *Store) DebitsUnder(ctx context.Context, merchantID, mandateID uuid.UUID) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT count(*) FROM collections WHERE merchant_id = $1 AND mandate_id = $2
		AND `+standing, merchantID, mandateID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count debits under a mandate: %w", err)
	}
	return n, nil
}

// standing: a debit that is under way or was collected, and did not fail; as the
// index collections_once says it.
const standing = `state NOT IN ('unpaid', 'cancelled', 'recalled', 'dispute_lost')`

// DebitsNear implements purchase.Reader.
func (s *Store) DebitsNear(ctx context.Context, merchantID uuid.UUID, mandateIDs []uuid.UUID, from, to calendar.Date) (map[uuid.UUID][]mandate.Day, error) {
	out := map[uuid.UUID][]mandate.Day{}
	if len(mandateIDs) == 0 {
		return out, nil
	}
	rows, err := s.Pool.Query(ctx, `SELECT mandate_id, original_date, action_date FROM collections WHERE merchant_id = $1 AND mandate_id = ANY($2)
		AND (once_off OR action_date BETWEEN $3 AND $4) AND `+standing, merchantID, mandateIDs, from, to)
	if err != nil {
		return nil, fmt.Errorf("find debits under mandates: %w", err)
	}
	var id uuid.UUID
	var d mandate.Day
	_, err = pgx.ForEachRow(rows, []any{&id, &d.Due, &d.Action}, func() error {
		out[id] = append(out[id], d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find debits under mandates: %w", err)
	}
	return out, nil
}

// DebitsBefore implements purchase.Reader.
func (s *Store) DebitsBefore(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID][]mandate.Day, error) {
	rows, err := s.Pool.Query(ctx, `SELECT own.id, collections.original_date, collections.action_date FROM collections own
		JOIN collections ON collections.merchant_id = own.merchant_id AND collections.mandate_id = own.mandate_id
			AND (collections.created_at, collections.id) < (own.created_at, own.id)
			AND collections.action_date BETWEEN own.action_date - $3::int AND own.action_date + $3::int AND collections.`+standing+`
		WHERE own.merchant_id = $1 AND own.id = ANY($2)`, merchantID, ids, mandate.PeriodReach)
	if err != nil {
		return nil, fmt.Errorf("find debits before others: %w", err)
	}
	out := map[uuid.UUID][]mandate.Day{}
	var id uuid.UUID
	var d mandate.Day
	_, err = pgx.ForEachRow(rows, []any{&id, &d.Due, &d.Action}, func() error {
		out[id] = append(out[id], d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find debits before others: %w", err)
	}
	return out, nil
}

// HoldDebits implements purchase.Tx. Debits of one mandate begin one after the
// other: the second waits for the first, and then finds it.
func (t *Tx) HoldDebits(merchantID, mandateID uuid.UUID, from, to calendar.Date, seen int) {
	t.must(`SELECT count(*) FROM (SELECT 1 FROM mandates WHERE merchant_id = $1 AND id = $2 FOR NO KEY UPDATE) AS held`, merchantID, mandateID)
	t.must(`SELECT CASE WHEN count(*) = $5 THEN 1 ELSE 0 END FROM collections WHERE merchant_id = $1 AND mandate_id = $2
		AND action_date BETWEEN $3 AND $4 AND `+standing, merchantID, mandateID, from, to, seen)
}
