package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// digest is a short name for a text, which only this installation can make. It reads nothing.
func (s Store) digest(merchantID uuid.UUID, text string) []byte {
	return s.Seal.Hash(merchantID, "batch_digest", text)
}

// madeBy tells which of the clients a batch has made.
func (s Store) madeBy(ctx context.Context, b Batch, clients []uuid.UUID) (map[uuid.UUID]bool, error) {
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

// rowsOfPerson numbers the bad and ready rows that name the same person as a row.
func (s Store) rowsOfPerson(ctx context.Context, b Batch, n int) ([]int, error) {
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

// rowsDebiting reads the ready rows that debit one of the accounts, in order.
func (s Store) rowsDebiting(ctx context.Context, merchantID, id uuid.UUID, tokens []uuid.UUID) ([]Row, error) {
	return s.lines(ctx, merchantID, id, `state = 'ready' AND charge = 'wanted' AND token_id = ANY($3) ORDER BY n`, tokens)
}

// debitTotals adds up the debits of ready rows by method and debit date.
func (s Store) debitTotals(ctx context.Context, merchantID, id uuid.UUID) ([]DebitTotal, error) {
	return s.debitsIn(ctx, merchantID, id, Ready, ChargeWanted)
}

// plannedDebits adds up the debits that were planned for sent rows, by method and debit date.
func (s Store) plannedDebits(ctx context.Context, merchantID, id uuid.UUID) ([]DebitTotal, error) {
	return s.debitsIn(ctx, merchantID, id, Sent, ChargeDone)
}

func (s Store) debitsIn(ctx context.Context, merchantID, id uuid.UUID, state RowState,
	charge Charging) ([]DebitTotal, error) {
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
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t DebitTotal, err error) {
		var day *Day
		err = r.Scan(&t.Method, &day, &t.Rows, &t.Cents, &t.Disputable)
		t.Date = database.OrZero(day)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up debits of a batch: %w", err)
	}
	return out, nil
}

// newClients lists who would be made of ready rows, each once.
func (s Store) newClients(ctx context.Context, merchantID, id uuid.UUID, limit int) ([]Row, error) {
	return s.lines(ctx, merchantID, id, `n IN (SELECT min(n) FROM batch_rows
		WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND new_client GROUP BY client_hash)
		ORDER BY n LIMIT $3`, limit)
}

// forgetDecisions forgets who is billed by rows that nothing has become of yet, and what was ticked.
func forgetDecisions(tx *database.Tx, b Batch) {
	tx.Later(
		`UPDATE batch_rows SET decision = '', chosen_client = NULL, confirmed = false
			WHERE merchant_id = $1 AND batch_id = $2 AND state IN ('new', 'ready', 'bad')
		AND (decision <> '' OR confirmed)`,
		b.MerchantID,
		b.ID,
	)
}

// confirm notes that an unusual amount is right, where it still is that amount. It tells of how many rows.
func confirm(tx *database.Tx, b Batch, amounts map[int]int64) (int, error) {
	var numbers []int
	var cents []int64
	for n, amount := range amounts {
		numbers, cents = append(numbers, n), append(cents, amount)
	}
	n, err := tx.Exec(
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

// claim claims a batch that has work for one worker: when the last claim is the one held, or is over. Claims run in
// real time and are named by their moment.
func (s Store) claim(ctx context.Context, ref Ref, held time.Time,
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

// leave gives back the claim that is held, if it still is the last one.
func (s Store) leave(ctx context.Context, ref Ref, held time.Time) error {
	_, err := s.Pool.Exec(ctx,
		`UPDATE batches SET worked_at = 'epoch' WHERE merchant_id = $1 AND id = $2 AND worked_at = $3`,
		database.Native([]any{ref.MerchantID, ref.ID, held})...)
	if err != nil {
		return fmt.Errorf("leave batch: %w", err)
	}
	return nil
}

// freeBatch lets the next worker claim a batch.
func freeBatch(tx *database.Tx, b Batch) {
	tx.Later(`UPDATE batches SET worked_at = 'epoch' WHERE merchant_id = $1 AND id = $2`, b.MerchantID, b.ID)
}

// claimBatch keeps workers away from a batch for as long as a claim lasts.
func claimBatch(tx *database.Tx, b Batch) {
	tx.Later(`UPDATE batches SET worked_at = clock_timestamp() WHERE merchant_id = $1 AND id = $2`, b.MerchantID, b.ID)
}

// atWork names batches that have work and whose last claim is over.
func (s Store) atWork(ctx context.Context, lasts time.Duration) ([]Ref, error) {
	rows, err := s.Pool.Query(ctx, `SELECT merchant_id, id FROM batches WHERE `+batchHasWork+`
		AND worked_at < clock_timestamp() - $1::interval AND (hold_until IS NULL OR hold_until <= $2)
		ORDER BY worked_at LIMIT 20`, lasts, s.Now())
	if err != nil {
		return nil, fmt.Errorf("find batches at work: %w", err)
	}
	refs, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (ref Ref, err error) {
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
func joined(tx *database.Tx, sql string, args ...any) {
	tx.Later(`SET LOCAL enable_nestloop = off`)
	tx.Later(sql, args...)
	tx.Later(`SET LOCAL enable_nestloop TO DEFAULT`)
}

// noteWarnings finds ready rows that a person should look at.
func noteWarnings(tx *database.Tx, b Batch, since time.Time) error {
	joined(tx, `WITH seen AS MATERIALIZED (
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
	return tx.Flush()
}

// markUnusual notes ready rows whose amount is far from what is usual; only those numbered, when any are. What is
// usual is the middle of the client's last twelve purchases, else the middle of the file, else that of the merchant's
// latest purchases; each is worked out once and not anew for each row.
func markUnusual(tx *database.Tx, b Batch, numbered []int) error {
	joined(tx,
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
		int64(UnusualForClient),
		int64(UnusualForFile),
		FileMiddle,
		int64(UnusualAlone),
		int64(UnusualFrom/UnusualForFile),
	)
	return tx.Flush()
}
