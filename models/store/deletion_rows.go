package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
	"debitdesk/models/store/table"
	"debitdesk/models/token"
)

var deletionTable = table.New[purchase.Deletion]("token_deletions")

// InsertDeletion implements purchase.Tx.
func (t *Tx) InsertDeletion(d purchase.Deletion) { insert(t, deletionTable, d) }

// EndDeletion implements purchase.Tx.
func (t *Tx) EndDeletion(d purchase.Deletion, state purchase.DeletionState) (bool, error) {
	n, err := t.exec(`UPDATE token_deletions SET state = $3, ended_at = $4
		WHERE merchant_id = $1 AND id = $2 AND state = 'waiting' AND ($3 <> 'undone' OR until > $4)`, d.MerchantID, d.ID, string(state), t.now)
	if err != nil {
		return false, fmt.Errorf("end deletion: %w", err)
	}
	return n == 1, nil
}

// HoldDeletion implements purchase.Tx.
func (t *Tx) HoldDeletion(d purchase.Deletion) (bool, error) {
	n, err := t.exec(`UPDATE token_deletions SET state = state WHERE merchant_id = $1 AND id = $2 AND state = 'waiting' AND until > $3`, d.MerchantID, d.ID, t.now)
	if err != nil {
		return false, fmt.Errorf("hold deletion: %w", err)
	}
	return n == 1, nil
}

// TurnToken implements purchase.Tx.
func (t *Tx) TurnToken(merchantID, id uuid.UUID, from, to token.State) (bool, error) {
	n, err := t.exec(`UPDATE tokens SET state = CASE WHEN $4 = 'active' AND blocked_code <> '' THEN 'blocked' ELSE $4 END, updated_at = $5
		WHERE merchant_id = $1 AND id = $2 AND state = $3`, merchantID, id, string(from), string(to), t.now)
	if err != nil {
		return false, fmt.Errorf("turn token: %w", err)
	}
	return n == 1, nil
}

// LeaveToken implements purchase.Tx.
func (t *Tx) LeaveToken(merchantID, id uuid.UUID, leaving bool) {
	t.later(`UPDATE purchases SET token_leaving = $3, version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND id = $2`, merchantID, id, leaving, t.now)
}

// Deletion implements purchase.Reader.
func (s *Store) Deletion(ctx context.Context, merchantID, id uuid.UUID) (purchase.Deletion, error) {
	return one(ctx, s, deletionTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// DeletionsWaiting implements purchase.Reader.
func (s *Store) DeletionsWaiting(ctx context.Context, merchantID uuid.UUID) ([]purchase.Deletion, error) {
	return all(ctx, s, deletionTable, `state = 'waiting' AND merchant_id = $1 AND until > $2 ORDER BY id DESC LIMIT 100`, merchantID, s.Now())
}

// DeletionsDue implements purchase.Reader; it serves all merchants.
func (s *Store) DeletionsDue(ctx context.Context, limit int) ([]purchase.Deletion, error) {
	return all(ctx, s, deletionTable, `state = 'waiting' AND until <= $1 ORDER BY until LIMIT $2`, s.Now(), limit)
}

// DeletingTokensOf implements purchase.Reader.
func (s *Store) DeletingTokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error) {
	return all(ctx, s, tokenTable, "merchant_id = $1 AND client_id = $2 AND state = 'deleting' ORDER BY id DESC", merchantID, clientID)
}
