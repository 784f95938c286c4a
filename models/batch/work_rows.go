package batch

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

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
	var made []uuid.UUID
	err := s.Gorm(ctx).Raw(`SELECT DISTINCT client_id FROM batch_rows WHERE merchant_id = ? AND batch_id = ?
		AND state IN ('sent', 'voided') AND new_client AND client_id = ANY(?::uuid[])`, b.MerchantID, b.ID,
		database.IDs(clients)).Find(&made).Error
	if err != nil {
		return nil, fmt.Errorf("find clients that a batch made: %w", err)
	}
	for _, id := range made {
		out[id] = true
	}
	return out, nil
}

// rowsOfPerson numbers the bad and ready rows that name the same person as a row.
func (s Store) rowsOfPerson(ctx context.Context, b Batch, n int) (out []int, err error) {
	err = s.Gorm(ctx).Raw(`SELECT n FROM batch_rows WHERE merchant_id = ? AND batch_id = ? AND state IN ('bad', 'ready')
			AND (n = ? OR client_hash =
		(SELECT client_hash FROM batch_rows WHERE merchant_id = ? AND batch_id = ? AND n = ?)) ORDER BY n`, b.MerchantID,
		b.ID, n, b.MerchantID, b.ID, n).Find(&out).Error
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
	charge Charging) (out []DebitTotal, err error) {
	err = s.Gorm(ctx).Raw(`SELECT debit_method AS method, debit_date AS date, count(*) AS rows,
			least(sum(total_cents), 9223372036854775807)::bigint AS cents,
			count(*) FILTER (WHERE disputable <> '{}') AS disputable FROM batch_rows
		WHERE merchant_id = ? AND batch_id = ? AND state = ? AND charge = ?
		GROUP BY 1, 2 ORDER BY 2 NULLS FIRST, 1`, merchantID, id, state, charge).Find(&out).Error
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
	tx.Exec(`UPDATE batch_rows SET decision = '', chosen_client = NULL, confirmed = false
			WHERE merchant_id = ? AND batch_id = ? AND state IN ('new', 'ready', 'bad')
		AND (decision <> '' OR confirmed)`, b.MerchantID, b.ID)
}

// confirm notes that an unusual amount is right, where it still is that amount. It tells of how many rows.
func confirm(tx *database.Tx, b Batch, amounts map[int]int64) (int, error) {
	var numbers, cents []int
	for n, amount := range amounts {
		numbers, cents = append(numbers, n), append(cents, int(amount))
	}
	done := tx.Gorm().Exec(`UPDATE batch_rows r SET confirmed = true, revision = ?
		FROM unnest(?::int[], ?::bigint[]) AS seen (n, cents)
		WHERE r.merchant_id = ? AND r.batch_id = ? AND r.n = seen.n AND r.total_cents = seen.cents AND r.state = 'ready'
		AND r.usual_cents > 0 AND NOT r.confirmed`, b.Revision, database.Numbers(numbers), database.Numbers(cents),
		b.MerchantID, b.ID)
	if done.Error != nil {
		return 0, fmt.Errorf("confirm amounts: %w", done.Error)
	}
	return int(done.RowsAffected), nil
}

// The claim of a worker on a batch is the moment in worked_at: who has renewed it last is at work. The epoch is
// nobody's.

const batchHasWork = `state IN ('checking', 'running', 'voiding')`

// claim claims a batch that has work for one worker: when the last claim is the one held, or is over. Claims run in
// real time and are named by their moment.
func (s Store) claim(ctx context.Context, ref Ref, held time.Time,
	lasts time.Duration) (at time.Time, mine bool, err error) {
	var claimed []time.Time
	err = s.Gorm(ctx).Raw(`UPDATE batches SET worked_at = clock_timestamp() WHERE merchant_id = ? AND id = ? AND `+
		batchHasWork+`
		AND (worked_at = ? OR worked_at < clock_timestamp() - ?::interval) RETURNING worked_at`, ref.MerchantID, ref.ID, held,
		lasts).Find(&claimed).Error
	if err != nil {
		return at, false, fmt.Errorf("claim batch: %w", err)
	}
	if len(claimed) == 0 {
		return at, false, nil
	}
	return claimed[0], true, nil
}

// leave gives back the claim that is held, if it still is the last one.
func (s Store) leave(ctx context.Context, ref Ref, held time.Time) error {
	err := s.Gorm(ctx).Exec(`UPDATE batches SET worked_at = 'epoch' WHERE merchant_id = ? AND id = ? AND worked_at = ?`,
		ref.MerchantID, ref.ID, held).Error
	if err != nil {
		return fmt.Errorf("leave batch: %w", err)
	}
	return nil
}

// freeBatch lets the next worker claim a batch.
func freeBatch(tx *database.Tx, b Batch) {
	tx.Exec(`UPDATE batches SET worked_at = 'epoch' WHERE merchant_id = ? AND id = ?`, b.MerchantID, b.ID)
}

// claimBatch keeps workers away from a batch for as long as a claim lasts.
func claimBatch(tx *database.Tx, b Batch) {
	tx.Exec(`UPDATE batches SET worked_at = clock_timestamp() WHERE merchant_id = ? AND id = ?`,
		b.MerchantID, b.ID)
}

// atWork names batches that have work and whose last claim is over.
func (s Store) atWork(ctx context.Context, lasts time.Duration) (refs []Ref, err error) {
	err = s.Gorm(ctx).Raw(`SELECT merchant_id, id FROM batches WHERE `+batchHasWork+`
		AND worked_at < clock_timestamp() - ?::interval AND (hold_until IS NULL OR hold_until <= ?)
		ORDER BY worked_at LIMIT 20`, lasts, s.Now()).Find(&refs).Error
	if err != nil {
		return nil, fmt.Errorf("find batches at work: %w", err)
	}
	return refs, nil
}

// joined runs a statement that joins the rows of a batch with themselves. The rows change their states faster than
// the statistics about them: a plan for one ready row would look at every row for every other.
func joined(tx *database.Tx, sql string, args map[string]any) error {
	if err := tx.Gorm().Exec(`SET LOCAL enable_nestloop = off`).Error; err != nil {
		return err
	}
	if err := tx.Gorm().Exec(sql, args).Error; err != nil {
		return err
	}
	return tx.Gorm().Exec(`SET LOCAL enable_nestloop TO DEFAULT`).Error
}

// noteWarnings finds ready rows that a person should look at.
func noteWarnings(tx *database.Tx, b Batch, since time.Time) error {
	return joined(tx, `WITH seen AS MATERIALIZED (
			SELECT n, ARRAY(SELECT w FROM unnest(warnings) AS w WHERE w NOT IN ('twice', 'last_week')) || array_remove(ARRAY[
				CASE WHEN count(*) OVER (PARTITION BY same_hash) > 1 THEN 'twice' END,
				CASE WHEN client_id IS NOT NULL AND EXISTS (SELECT FROM purchases p
				WHERE p.client_id = r.client_id AND p.merchant_id = @m
					AND p.total_cents = r.total_cents AND p.created_at >= @since
					AND p.status <> 'cancelled') THEN 'last_week' END], NULL) AS found
			FROM batch_rows r WHERE merchant_id = @m AND batch_id = @batch AND state = 'ready')
		UPDATE batch_rows r SET warnings = seen.found FROM seen
		WHERE r.merchant_id = @m AND r.batch_id = @batch AND r.n = seen.n AND r.warnings <> seen.found`,
		map[string]any{"m": b.MerchantID, "batch": b.ID, "since": since})
}

// markUnusual notes ready rows whose amount is far from what is usual; only those numbered, when any are. What is
// usual is the middle of the client's last twelve purchases, else the middle of the file, else that of the merchant's
// latest purchases; each is worked out once and not anew for each row.
func markUnusual(tx *database.Tx, b Batch, numbered []int) error {
	args := map[string]any{"m": b.MerchantID, "batch": b.ID, "numbered": nil, "client": int64(UnusualForClient),
		"file": int64(UnusualForFile), "middle": FileMiddle, "alone": int64(UnusualAlone),
		"from": int64(UnusualFrom / UnusualForFile)}
	if numbered != nil {
		args["numbered"] = database.Numbers(numbered)
	}
	return joined(tx, `WITH file AS MATERIALIZED (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents) AS cents,
			count(*) AS n FROM batch_rows
			WHERE merchant_id = @m AND batch_id = @batch AND state = 'ready'),
		lately AS MATERIALIZED (SELECT CASE WHEN count(*) >= @middle
			THEN greatest(percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents), (@from)::bigint) END AS cents
			FROM (SELECT total_cents FROM purchases WHERE merchant_id = @m AND total_cents > 0 AND status <> 'cancelled'
			ORDER BY id DESC LIMIT 100) AS latest),
		seen AS MATERIALIZED (SELECT r.n, r.total_cents, CASE WHEN file.n >= @middle THEN file.cents
		ELSE (SELECT cents FROM lately) END AS middle, (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY total_cents)
				FROM (SELECT total_cents FROM purchases p WHERE p.merchant_id = @m AND p.client_id = r.client_id
				AND p.total_cents > 0 AND p.status <> 'cancelled'
					ORDER BY p.id DESC LIMIT 12) AS latest) AS own
			FROM batch_rows r, file WHERE r.merchant_id = @m AND r.batch_id = @batch AND r.state = 'ready'
			AND ((@numbered)::int[] IS NULL OR r.n = ANY((@numbered)::int[]))),
		told AS MATERIALIZED (SELECT n, CASE WHEN own IS NOT NULL THEN CASE WHEN total_cents / @client >= own THEN own END
			WHEN middle IS NULL THEN CASE WHEN total_cents >= @alone THEN (@alone)::bigint END
			WHEN total_cents / @file >= middle THEN middle END AS usual FROM seen)
		UPDATE batch_rows r SET usual_cents = told.usual FROM told
		WHERE r.merchant_id = @m AND r.batch_id = @batch AND r.n = told.n
			AND r.usual_cents IS DISTINCT FROM told.usual`, args)
}
