package store

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch"
	"debitdesk/models/store/table"
)

var (
	batchTable = table.New[batch.Batch]("batches")
	saveBatch  = batchTable.Write(`UPDATE batches SET @set(state, mapping, content_hash, counts, total_rows, good_only, warnings_accepted, hold_until, pause_after,
		cursor_n, note, starter, updated_at, started_at, ended_at, revision, fingerprint) WHERE merchant_id = @merchant_id AND id = @id`)
)

// InsertBatch implements batch.Tx.
func (t *Tx) InsertBatch(b batch.Batch) { insert(t, batchTable, b) }

// LockBatch implements batch.Tx.
func (t *Tx) LockBatch(merchantID, id uuid.UUID) (batch.Batch, error) {
	return one(t.Context(), t.s, batchTable, "merchant_id = $1 AND id = $2 FOR UPDATE", merchantID, id)
}

// countBatch counts the rows of a batch by state; one look at one index range.
const countBatch = `SELECT json_build_object(
	'new', count(*) FILTER (WHERE state = 'new'), 'ready', count(*) FILTER (WHERE state = 'ready'), 'bad', count(*) FILTER (WHERE state = 'bad'),
	'skipped', count(*) FILTER (WHERE state = 'skipped'), 'sent', count(*) FILTER (WHERE state = 'sent'),
	'failed', count(*) FILTER (WHERE state = 'failed'), 'voided', count(*) FILTER (WHERE state = 'voided'),
	'warned', count(*) FILTER (WHERE state = 'ready' AND warnings <> '{}'), 'charges', count(*) FILTER (WHERE state = 'sent' AND charge = 'wanted'),
	'uncharged', count(*) FILTER (WHERE state = 'sent' AND charge = 'failed'),
	'ready_cents', least(coalesce(sum(total_cents) FILTER (WHERE state = 'ready'), 0), 9223372036854775807), 'sent_cents', least(coalesce(sum(total_cents) FILTER (WHERE state = 'sent'), 0), 9223372036854775807))::text
	FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2`

// countReady counts what sending the ready rows will do, and gives the fingerprint
// of it: the digests of the rows in their order.
const countReady = `SELECT json_build_object('creates', count(DISTINCT client_hash) FILTER (WHERE new_client), 'mails', count(*) FILTER (WHERE mailed),
	'debits', count(*) FILTER (WHERE charge = 'wanted'), 'unusual', count(*) FILTER (WHERE usual_cents > 0 AND NOT confirmed))::text,
	sha256(coalesce(string_agg(int4send(n) || coalesce(digest, ''), '' ORDER BY n), ''))
	FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready'`

// SaveBatch implements batch.Tx.
func (t *Tx) SaveBatch(b *batch.Batch) error {
	return t.Pgx(func(tx pgx.Tx) error {
		var counts string
		if err := tx.QueryRow(t.ctx, countBatch, b.MerchantID, b.ID).Scan(&counts); err != nil {
			return fmt.Errorf("count batch: %w", err)
		}
		b.Counts = batch.Counts{}
		if err := json.Unmarshal([]byte(counts), &b.Counts); err != nil {
			return fmt.Errorf("count batch: %w", err)
		}
		if b.State == batch.Checked {
			if err := tx.QueryRow(t.ctx, countReady, b.MerchantID, b.ID).Scan(&counts, &b.Fingerprint); err != nil {
				return fmt.Errorf("count what a batch does: %w", err)
			}
			if err := json.Unmarshal([]byte(counts), &b.Counts); err != nil {
				return fmt.Errorf("count what a batch does: %w", err)
			}
		}
		args, err := saveBatch.Args(t.s.seal, b)
		if err == nil {
			_, err = tx.Exec(t.ctx, saveBatch.SQL, args...)
		}
		if err != nil {
			return fmt.Errorf("save batch: %w", err)
		}
		return nil
	})
}

// RememberMapping implements batch.Tx.
func (t *Tx) RememberMapping(b batch.Batch) error {
	mapping, err := json.Marshal(b.Mapping)
	if err != nil {
		return fmt.Errorf("remember mapping: %w", err)
	}
	t.later(`INSERT INTO batch_mappings (merchant_id, header_hash, mapping, used_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (merchant_id, header_hash) DO UPDATE SET mapping = excluded.mapping, used_at = excluded.used_at`, b.MerchantID, b.HeaderHash, string(mapping), t.now)
	return nil
}
