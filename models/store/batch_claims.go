package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch"
)

// The claim of a worker on a batch is the moment in worked_at: who has renewed it last is at work. The epoch is nobody's.

const batchHasWork = `state IN ('checking', 'running', 'voiding')`

// ClaimBatch implements batch.Reader.
func (s *Store) ClaimBatch(ctx context.Context, ref batch.Ref, held time.Time, lasts time.Duration) (at time.Time, mine bool, err error) {
	err = s.Pool.QueryRow(ctx, `UPDATE batches SET worked_at = clock_timestamp() WHERE merchant_id = $1 AND id = $2 AND `+batchHasWork+`
		AND (worked_at = $3 OR worked_at < clock_timestamp() - $4::interval) RETURNING worked_at`, native([]any{ref.MerchantID, ref.ID, held, lasts})...).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return at, false, nil
	}
	if err != nil {
		return at, false, fmt.Errorf("claim batch: %w", err)
	}
	return at, true, nil
}

// LeaveBatch implements batch.Reader.
func (s *Store) LeaveBatch(ctx context.Context, ref batch.Ref, held time.Time) error {
	_, err := s.Pool.Exec(ctx, `UPDATE batches SET worked_at = 'epoch' WHERE merchant_id = $1 AND id = $2 AND worked_at = $3`, native([]any{ref.MerchantID, ref.ID, held})...)
	if err != nil {
		return fmt.Errorf("leave batch: %w", err)
	}
	return nil
}

// FreeBatch implements batch.Tx.
func (t *Tx) FreeBatch(b batch.Batch) {
	t.later(`UPDATE batches SET worked_at = 'epoch' WHERE merchant_id = $1 AND id = $2`, b.MerchantID, b.ID)
}

// ClaimBatch implements batch.Tx.
func (t *Tx) ClaimBatch(b batch.Batch) {
	t.later(`UPDATE batches SET worked_at = clock_timestamp() WHERE merchant_id = $1 AND id = $2`, b.MerchantID, b.ID)
}

// BatchesAtWork implements batch.Reader.
func (s *Store) BatchesAtWork(ctx context.Context, lasts time.Duration) ([]batch.Ref, error) {
	rows, err := s.Pool.Query(ctx, `SELECT merchant_id, id FROM batches WHERE `+batchHasWork+`
		AND worked_at < clock_timestamp() - $1::interval AND (hold_until IS NULL OR hold_until <= $2) ORDER BY worked_at LIMIT 20`, lasts, s.Now())
	if err != nil {
		return nil, fmt.Errorf("find batches at work: %w", err)
	}
	refs, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (ref batch.Ref, err error) {
		err = r.Scan(&ref.MerchantID, &ref.ID)
		return ref, err
	})
	if err != nil {
		return nil, fmt.Errorf("find batches at work: %w", err)
	}
	return refs, nil
}
