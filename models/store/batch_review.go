package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch"
	"debitdesk/models/database"
)

// Digest implements batch.Reader.
func (s *Store) Digest(merchantID uuid.UUID, text string) []byte {
	return s.Seal.Hash(merchantID, "batch_digest", text)
}

// MadeBy implements batch.Reader.
func (s *Store) MadeBy(ctx context.Context, b batch.Batch, clients []uuid.UUID) (map[uuid.UUID]bool, error) {
	out := map[uuid.UUID]bool{}
	if len(clients) == 0 || !b.Started() {
		return out, nil
	}
	rows, err := s.Pool.Query(ctx,
		`SELECT DISTINCT client_id FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state IN ('sent', 'voided')
		AND new_client AND client_id = ANY($3)`, b.MerchantID, b.ID, clients)
	if err != nil {
		return nil, fmt.Errorf("find clients that a batch made: %w", err)
	}
	var id uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { out[id] = true; return nil }); err != nil {
		return nil, fmt.Errorf("find clients that a batch made: %w", err)
	}
	return out, nil
}

// RowsOfPerson implements batch.Reader.
func (s *Store) RowsOfPerson(ctx context.Context, b batch.Batch, n int) ([]int, error) {
	rows, err := s.Pool.Query(
		ctx,
		`SELECT n FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state IN ('bad', 'ready')
			AND (n = $3 OR client_hash =
		(SELECT client_hash FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND n = $3)) ORDER BY n`,
		b.MerchantID,
		b.ID,
		n,
	)
	if err != nil {
		return nil, fmt.Errorf("find rows of one person: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("find rows of one person: %w", err)
	}
	return out, nil
}

// RowsDebiting implements batch.Reader.
func (s *Store) RowsDebiting(ctx context.Context, merchantID, id uuid.UUID, tokens []uuid.UUID) ([]batch.Row, error) {
	return s.lines(ctx, merchantID, id, `state = 'ready' AND charge = 'wanted' AND token_id = ANY($3) ORDER BY n`, tokens)
}

// DebitTotals implements batch.Reader.
func (s *Store) DebitTotals(ctx context.Context, merchantID, id uuid.UUID) ([]batch.DebitTotal, error) {
	return s.debitTotals(ctx, merchantID, id, batch.Ready, batch.ChargeWanted)
}

// PlannedDebits implements batch.Reader.
func (s *Store) PlannedDebits(ctx context.Context, merchantID, id uuid.UUID) ([]batch.DebitTotal, error) {
	return s.debitTotals(ctx, merchantID, id, batch.Sent, batch.ChargeDone)
}

func (s *Store) debitTotals(ctx context.Context, merchantID, id uuid.UUID, state batch.RowState,
	charge batch.Charging) ([]batch.DebitTotal, error) {
	rows, err := s.Pool.Query(
		ctx,
		`SELECT debit_method, debit_date, count(*), least(sum(total_cents), 9223372036854775807)::bigint,
			count(*) FILTER (WHERE disputable <> '{}') FROM batch_rows
		WHERE merchant_id = $1 AND batch_id = $2 AND state = $3 AND charge = $4
		GROUP BY 1, 2 ORDER BY 2 NULLS FIRST, 1`,
		merchantID, id, string(state), string(charge))
	if err != nil {
		return nil, fmt.Errorf("add up debits of a batch: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t batch.DebitTotal, err error) {
		var day *batch.Day
		err = r.Scan(&t.Method, &day, &t.Rows, &t.Cents, &t.Disputable)
		t.Date = database.OrZero(day)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up debits of a batch: %w", err)
	}
	return out, nil
}

// NewClients implements batch.Reader.
func (s *Store) NewClients(ctx context.Context, merchantID, id uuid.UUID, limit int) ([]batch.Row, error) {
	return s.lines(ctx, merchantID, id, `n IN (SELECT min(n) FROM batch_rows
		WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND new_client GROUP BY client_hash)
		ORDER BY n LIMIT $3`, limit)
}

// ForgetDecisions implements batch.Tx.
func (t *Tx) ForgetDecisions(b batch.Batch) {
	t.Later(
		`UPDATE batch_rows SET decision = '', chosen_client = NULL, confirmed = false
			WHERE merchant_id = $1 AND batch_id = $2 AND state IN ('new', 'ready', 'bad')
		AND (decision <> '' OR confirmed)`,
		b.MerchantID,
		b.ID,
	)
}

// Confirm implements batch.Tx.
func (t *Tx) Confirm(b batch.Batch, amounts map[int]int64) (int, error) {
	var numbers []int
	var cents []int64
	for n, amount := range amounts {
		numbers, cents = append(numbers, n), append(cents, amount)
	}
	n, err := t.Exec(
		`UPDATE batch_rows r SET confirmed = true, revision = $5 FROM unnest($3::int[], $4::bigint[]) AS seen (n, cents)
		WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.n = seen.n AND r.total_cents = seen.cents AND r.state = 'ready'
		AND r.usual_cents > 0 AND NOT r.confirmed`,
		b.MerchantID, b.ID, numbers, cents, b.Revision)
	if err != nil {
		return 0, fmt.Errorf("confirm amounts: %w", err)
	}
	return int(n), nil
}

// The claim of a worker on a batch is the moment in worked_at: who has renewed it last is at work. The epoch is
// nobody's.

const batchHasWork = `state IN ('checking', 'running', 'voiding')`

// ClaimBatch implements batch.Reader.
func (s *Store) ClaimBatch(ctx context.Context, ref batch.Ref, held time.Time,
	lasts time.Duration) (at time.Time, mine bool, err error) {
	err = s.Pool.QueryRow(ctx, `UPDATE batches SET worked_at = clock_timestamp() WHERE merchant_id = $1 AND id = $2 AND `+
		batchHasWork+`
		AND (worked_at = $3 OR worked_at < clock_timestamp() - $4::interval) RETURNING worked_at`,
		database.Native([]any{ref.MerchantID, ref.ID, held, lasts})...).Scan(&at)
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
	_, err := s.Pool.Exec(ctx,
		`UPDATE batches SET worked_at = 'epoch' WHERE merchant_id = $1 AND id = $2 AND worked_at = $3`,
		database.Native([]any{ref.MerchantID, ref.ID, held})...)
	if err != nil {
		return fmt.Errorf("leave batch: %w", err)
	}
	return nil
}

// FreeBatch implements batch.Tx.
func (t *Tx) FreeBatch(b batch.Batch) {
	t.Later(`UPDATE batches SET worked_at = 'epoch' WHERE merchant_id = $1 AND id = $2`, b.MerchantID, b.ID)
}

// ClaimBatch implements batch.Tx.
func (t *Tx) ClaimBatch(b batch.Batch) {
	t.Later(`UPDATE batches SET worked_at = clock_timestamp() WHERE merchant_id = $1 AND id = $2`, b.MerchantID, b.ID)
}

// BatchesAtWork implements batch.Reader.
func (s *Store) BatchesAtWork(ctx context.Context, lasts time.Duration) ([]batch.Ref, error) {
	rows, err := s.Pool.Query(ctx, `SELECT merchant_id, id FROM batches WHERE `+batchHasWork+`
		AND worked_at < clock_timestamp() - $1::interval AND (hold_until IS NULL OR hold_until <= $2)
		ORDER BY worked_at LIMIT 20`, lasts, s.Now())
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

// joined queues a statement that joins the rows of a batch with themselves. The rows change their states faster than
// the statistics about them: a plan for one ready row would look at every row for every other.
func (t *Tx) joined(sql string, args ...any) {
	t.Later(`SET LOCAL enable_nestloop = off`)
	t.Later(sql, args...)
	t.Later(`SET LOCAL enable_nestloop TO DEFAULT`)
}

// Warn implements batch.Tx.
func (t *Tx) Warn(b batch.Batch, since time.Time) error {
	t.joined(`WITH seen AS MATERIALIZED (
			SELECT n, ARRAY(SELECT w FROM unnest(warnings) AS w WHERE w NOT IN ('twice', 'last_week')) || array_remove(ARRAY[
				CASE WHEN count(*) OVER (PARTITION BY same_hash) > 1 THEN 'twice' END,
				CASE WHEN client_id IS NOT NULL AND EXISTS (SELECT FROM purchases p
				WHERE p.client_id = r.client_id AND p.merchant_id = $1
					AND p.total_cents = r.total_cents AND p.created_at >= $3
					AND p.status <> 'cancelled') THEN 'last_week' END], NULL) AS found
			FROM batch_rows r WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready')
		UPDATE batch_rows r SET warnings = seen.found FROM seen
		WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.n = seen.n AND r.warnings <> seen.found`, b.MerchantID, b.ID,
		since)
	return t.Flush()
}

// MarkUnusual implements batch.Tx. What is usual is the middle of the client's last twelve purchases, else the middle
// of the file, else that of the merchant's latest purchases; each is worked out once and not anew for each row.
func (t *Tx) MarkUnusual(b batch.Batch, numbered []int) error {
	t.joined(
		`WITH file AS MATERIALIZED (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents) AS cents, count(*) AS n
			FROM batch_rows
			WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready'),
		lately AS MATERIALIZED (SELECT CASE WHEN count(*) >= $6
			THEN greatest(percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents), $8) END AS cents
			FROM (SELECT total_cents FROM purchases WHERE merchant_id = $1 AND total_cents > 0 AND status <> 'cancelled'
			ORDER BY id DESC LIMIT 100) AS latest),
		seen AS MATERIALIZED (SELECT r.n, r.total_cents, CASE WHEN file.n >= $6 THEN file.cents
		ELSE (SELECT cents FROM lately) END AS middle, (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents)
				FROM (SELECT total_cents FROM purchases p WHERE p.merchant_id = $1 AND p.client_id = r.client_id
				AND p.total_cents > 0 AND p.status <> 'cancelled'
					ORDER BY p.id DESC LIMIT 12) AS latest) AS own
			FROM batch_rows r, file WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.state = 'ready'
			AND ($3::int[] IS NULL OR r.n = ANY($3))),
		told AS MATERIALIZED (SELECT n, CASE WHEN own IS NOT NULL THEN CASE WHEN total_cents / $4 >= own THEN own END
			WHEN middle IS NULL THEN CASE WHEN total_cents >= $7 THEN $7 END
			WHEN total_cents / $5 >= middle THEN middle END AS usual FROM seen)
		UPDATE batch_rows r SET usual_cents = told.usual FROM told
		WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.n = told.n AND r.usual_cents IS DISTINCT FROM told.usual`,
		b.MerchantID,
		b.ID,
		numbered,
		int64(batch.UnusualForClient),
		int64(batch.UnusualForFile),
		batch.FileMiddle,
		int64(batch.UnusualAlone),
		int64(batch.UnusualFrom/batch.UnusualForFile),
	)
	return t.Flush()
}
