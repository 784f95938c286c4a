package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/store/table"
)

var (
	authenticationTable = table.New[mandate.Authentication]("mandate_authentications")
	saveAuthentication  = authenticationTable.Write(`UPDATE mandate_authentications
		SET @set(state, code, channel, cancel_due, sent_at, delivered_at, expires_at, answered_at) WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")
)

// InsertAuthentication implements purchase.Tx.
func (t *Tx) InsertAuthentication(a mandate.Authentication) { insert(t, authenticationTable, a) }

// SaveAuthentication writes what may change of an authentication that this
// transaction holds.
func (t *Tx) SaveAuthentication(a mandate.Authentication, from mandate.AuthState) {
	write(t, saveAuthentication, a, from)
}

// AuthenticationsOf implements purchase.Reader and mandate.Reader.
func (s *Store) AuthenticationsOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]mandate.Authentication, error) {
	return all(ctx, s, authenticationTable, "merchant_id = $1 AND mandate_id = $2 ORDER BY number DESC", merchantID, mandateID)
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
