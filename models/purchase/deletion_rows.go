package purchase

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

var deletions = table.New[Deletion]("token_deletions")

func insertDeletion(tx *database.Tx, d Deletion) { database.Insert(tx, deletions, d) }

// endDeletion ends a deletion that waits; false when it does not any more, or when it is to be undone and its time is
// over.
func endDeletion(tx *database.Tx, d Deletion, state DeletionState) (bool, error) {
	n, err := tx.Exec(`UPDATE token_deletions SET state = $3, ended_at = $4
		WHERE merchant_id = $1 AND id = $2 AND state = 'waiting' AND ($3 <> 'undone' OR until > $4)`, d.MerchantID, d.ID,
		string(state), tx.Now())
	if err != nil {
		return false, fmt.Errorf("end deletion: %w", err)
	}
	return n == 1, nil
}

// holdDeletion keeps a deletion that waits from ending meanwhile; false when it does not wait any more, or its time
// is over.
func holdDeletion(tx *database.Tx, d Deletion) (bool, error) {
	n, err := tx.Exec(
		`UPDATE token_deletions SET state = state WHERE merchant_id = $1 AND id = $2 AND state = 'waiting' AND until > $3`,
		d.MerchantID, d.ID, tx.Now())
	if err != nil {
		return false, fmt.Errorf("hold deletion: %w", err)
	}
	return n == 1, nil
}

// leaveToken notes on a tokenising purchase that its token is being deleted, or that it came back.
func leaveToken(tx *database.Tx, merchantID, id uuid.UUID, leaving bool) {
	tx.Later(
		`UPDATE purchases SET token_leaving = $3, version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND id = $2`,
		merchantID, id, leaving, tx.Now())
}

// Deletion finds one; NotFound for unknown ids and those of others.
func (s Store) Deletion(ctx context.Context, merchantID, id uuid.UUID) (Deletion, error) {
	return database.One(ctx, s.DB, deletions, "merchant_id = $1 AND id = $2", merchantID, id)
}

// DeletionsWaiting lists the deletions that can still be undone, newest first.
func (s Store) DeletionsWaiting(ctx context.Context, merchantID uuid.UUID) ([]Deletion, error) {
	return database.All(
		ctx,
		s.DB,
		deletions,
		`state = 'waiting' AND merchant_id = $1 AND until > $2 ORDER BY id DESC LIMIT 100`,
		merchantID,
		s.Now(),
	)
}

// DeletionsDue lists those of all merchants whose time is over.
func (s Store) DeletionsDue(ctx context.Context, limit int) ([]Deletion, error) {
	return database.All(ctx, s.DB, deletions, `state = 'waiting' AND until <= $1 ORDER BY until LIMIT $2`, s.Now(),
		limit)
}
