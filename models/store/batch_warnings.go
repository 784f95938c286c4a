package store

import (
	"time"

	"debitdesk/models/batch"
)

// joined queues a statement that joins the rows of a batch with themselves. The rows change their states faster than the
// statistics about them: a plan for one ready row would look at every row for every other.
func (t *Tx) joined(sql string, args ...any) {
	t.later(`SET LOCAL enable_nestloop = off`)
	t.later(sql, args...)
	t.later(`SET LOCAL enable_nestloop TO DEFAULT`)
}

// Warn implements batch.Tx.
func (t *Tx) Warn(b batch.Batch, since time.Time) error {
	t.joined(`WITH seen AS MATERIALIZED (
			SELECT n, ARRAY(SELECT w FROM unnest(warnings) AS w WHERE w NOT IN ('twice', 'last_week')) || array_remove(ARRAY[
				CASE WHEN count(*) OVER (PARTITION BY same_hash) > 1 THEN 'twice' END,
				CASE WHEN client_id IS NOT NULL AND EXISTS (SELECT FROM purchases p WHERE p.client_id = r.client_id AND p.merchant_id = $1
					AND p.total_cents = r.total_cents AND p.created_at >= $3 AND p.status <> 'cancelled') THEN 'last_week' END], NULL) AS found
			FROM batch_rows r WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready')
		UPDATE batch_rows r SET warnings = seen.found FROM seen
		WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.n = seen.n AND r.warnings <> seen.found`, b.MerchantID, b.ID, since)
	return t.flush()
}

// MarkUnusual implements batch.Tx. What is usual is the middle of the client's last twelve purchases, else the middle of
// the file, else that of the merchant's latest purchases; each is worked out once and not anew for each row.
func (t *Tx) MarkUnusual(b batch.Batch, numbered []int) error {
	t.joined(`WITH file AS MATERIALIZED (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents) AS cents, count(*) AS n FROM batch_rows
			WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready'),
		lately AS MATERIALIZED (SELECT CASE WHEN count(*) >= $6 THEN percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents) END AS cents
			FROM (SELECT total_cents FROM purchases WHERE merchant_id = $1 AND total_cents > 0 AND status <> 'cancelled' ORDER BY id DESC LIMIT 100) AS latest),
		seen AS MATERIALIZED (SELECT r.n, r.total_cents, CASE WHEN file.n >= $6 THEN file.cents ELSE (SELECT cents FROM lately) END AS middle, (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents)
				FROM (SELECT total_cents FROM purchases p WHERE p.merchant_id = $1 AND p.client_id = r.client_id AND p.total_cents > 0 AND p.status <> 'cancelled'
					ORDER BY p.id DESC LIMIT 12) AS latest) AS own
			FROM batch_rows r, file WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.state = 'ready' AND ($3::int[] IS NULL OR r.n = ANY($3))),
		told AS MATERIALIZED (SELECT n, CASE WHEN own IS NOT NULL THEN CASE WHEN total_cents / $4 >= own THEN own END
			WHEN middle IS NULL THEN CASE WHEN total_cents >= $7 THEN $7 END
			WHEN total_cents / $5 >= middle THEN middle END AS usual FROM seen)
		UPDATE batch_rows r SET usual_cents = told.usual FROM told
		WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.n = told.n AND r.usual_cents IS DISTINCT FROM told.usual`,
		b.MerchantID, b.ID, numbered, int64(batch.UnusualForClient), int64(batch.UnusualForFile), batch.FileMiddle, int64(batch.UnusualAlone))
	return t.flush()
}
