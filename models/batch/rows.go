package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// Store is where batches are kept. What is found is bounded by the merchant; unknown ids and those of others are
// NotFound.
type Store struct{ *database.DB }

var (
	batchTable = table.New[Batch]("batches")
	saveBatch  = batchTable.Write(
		`UPDATE batches SET @set(state, mapping, content_hash, counts, total_rows, good_only,
			warnings_accepted, hold_until, pause_after,
		cursor_n, note, starter, hands, checked_at, paced_at, paced_sent, updated_at, started_at, ended_at, revision,
		fingerprint)
		WHERE merchant_id = @merchant_id AND id = @id`,
	)
)

func insertBatch(tx *database.Tx, b Batch) { database.Insert(tx, batchTable, b) }

// Lock reads a batch and keeps others from working on it; NotFound otherwise.
func Lock(tx *database.Tx, merchantID, id uuid.UUID) (Batch, error) {
	return database.One(tx.Context(), tx.DB(), batchTable, "merchant_id = $1 AND id = $2 FOR UPDATE", merchantID, id)
}

// countBatch counts the rows of a batch by state; one look at one index range.
const countBatch = `SELECT json_build_object(
	'new', count(*) FILTER (WHERE state = 'new'), 'ready', count(*) FILTER (WHERE state = 'ready'), 'bad',
	count(*) FILTER (WHERE state = 'bad'),
	'skipped', count(*) FILTER (WHERE state = 'skipped'), 'sent', count(*) FILTER (WHERE state = 'sent'),
	'failed', count(*) FILTER (WHERE state = 'failed'), 'voided', count(*) FILTER (WHERE state = 'voided'),
	'warned', count(*) FILTER (WHERE state = 'ready' AND warnings <> '{}'), 'charges',
	count(*) FILTER (WHERE state = 'sent' AND charge = 'wanted'),
	'uncharged', count(*) FILTER (WHERE state = 'sent' AND charge = 'failed'),
	'ready_cents', least(coalesce(sum(total_cents) FILTER (WHERE state = 'ready'), 0), 9223372036854775807), 'sent_cents',
	least(coalesce(sum(total_cents) FILTER (WHERE state = 'sent'), 0), 9223372036854775807))::text
	FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2`

// countReady counts what sending the ready rows will do, and gives the fingerprint
// of it: the digests of the rows in their order.
const countReady = `SELECT json_build_object('creates', count(DISTINCT client_hash) FILTER (WHERE new_client), 'mails',
	count(*) FILTER (WHERE mailed),
	'debits', count(*) FILTER (WHERE charge = 'wanted'),
	'unusual', count(*) FILTER (WHERE usual_cents > 0 AND NOT confirmed))::text,
	sha256(coalesce(string_agg(int4send(n) || coalesce(digest, ''), '' ORDER BY n), ''))
	FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready'`

// save counts the rows and writes the batch; b gets the counts.
func save(tx *database.Tx, b *Batch) error {
	return tx.Pgx(func(conn pgx.Tx) error {
		var counts string
		if err := conn.QueryRow(tx.Context(), countBatch, b.MerchantID, b.ID).Scan(&counts); err != nil {
			return fmt.Errorf("count batch: %w", err)
		}
		b.Counts = Counts{}
		if err := json.Unmarshal([]byte(counts), &b.Counts); err != nil {
			return fmt.Errorf("count batch: %w", err)
		}
		if b.State == Checked {
			if err := conn.QueryRow(tx.Context(), countReady, b.MerchantID, b.ID).Scan(&counts, &b.Fingerprint); err != nil {
				return fmt.Errorf("count what a batch does: %w", err)
			}
			if err := json.Unmarshal([]byte(counts), &b.Counts); err != nil {
				return fmt.Errorf("count what a batch does: %w", err)
			}
		}
		args, err := saveBatch.Args(tx.DB().Seal, b)
		if err == nil {
			_, err = conn.Exec(tx.Context(), saveBatch.SQL, args...)
		}
		if err != nil {
			return fmt.Errorf("save batch: %w", err)
		}
		return nil
	})
}

// rememberMapping keeps a mapping for the next file with the same heading.
func rememberMapping(tx *database.Tx, b Batch) error {
	mapping, err := json.Marshal(b.Mapping)
	if err != nil {
		return fmt.Errorf("remember mapping: %w", err)
	}
	tx.Later(`INSERT INTO batch_mappings (merchant_id, header_hash, mapping, used_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (merchant_id, header_hash) DO UPDATE SET mapping = excluded.mapping, used_at = excluded.used_at`,
		b.MerchantID, b.HeaderHash, string(mapping), tx.Now())
	return nil
}

// Batch finds a batch.
func (s Store) Batch(ctx context.Context, merchantID, id uuid.UUID) (Batch, error) {
	return database.One(ctx, s.DB, batchTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

func (s Store) list(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (paging.Page[Batch], error) {
	w := &listing.Walk{Columns: batchTable.Columns(""), From: "batches"}
	w.And("merchant_id = ?", merchantID)
	w.FittingTime("created_at", f.From, f.To)
	if len(f.States) > 0 {
		w.Fitting("state = ANY(?::text[])", database.Texts(f.States))
	}
	return listing.Page(ctx, s.DB, batchTable, w, ask, nil)
}

// ref finds the merchant of a batch, for the work that goes on by itself.
func (s Store) ref(ctx context.Context, id uuid.UUID) (Ref, error) {
	ref := Ref{ID: id}
	err := s.Pool.QueryRow(ctx, `SELECT merchant_id FROM batches WHERE id = $1`, id).Scan(&ref.MerchantID)
	if errors.Is(err, pgx.ErrNoRows) {
		return ref, fault.Missing()
	}
	return ref, err
}

// sentBefore finds another batch with the same content that was sent; NotFound when there is none.
func (s Store) sentBefore(ctx context.Context, b Batch) (Batch, error) {
	return database.One(ctx, s.DB, batchTable,
		"merchant_id = $1 AND content_hash = $2 AND id <> $3 AND started_at IS NOT NULL ORDER BY started_at DESC LIMIT 1",
		b.MerchantID, b.ContentHash, b.ID)
}

// mappingFor finds what was chosen for a heading before.
func (s Store) mappingFor(ctx context.Context, merchantID uuid.UUID,
	headerHash []byte) (m Mapping, found bool, err error) {
	var text string
	err = s.Pool.QueryRow(ctx, `SELECT mapping FROM batch_mappings WHERE merchant_id = $1 AND header_hash = $2`,
		merchantID, headerHash).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &m)
	}
	if err != nil {
		return m, false, fmt.Errorf("find mapping: %w", err)
	}
	return m, true, nil
}

// rows reads rows in the states (all when none) whose number is above after.
func (s Store) rows(ctx context.Context, merchantID, id uuid.UUID, q RowQuery) ([]Row, error) {
	return s.lines(ctx, merchantID, id,
		`($3::text[] IS NULL OR state = ANY($3)) AND n > $4 AND ($5 = '' OR $5 = ANY(causes)) AND (NOT $6 OR warnings <> '{}')
		AND (NOT $7 OR charge = 'wanted') AND (NOT $8 OR usual_cents > 0 AND NOT confirmed) AND revision >= $9
		AND (NOT $10 OR disputable <> '{}') ORDER BY n LIMIT $11`,
		orNil(database.Texts(q.States)), q.After, q.Cause, q.Warned, q.ChargeWanted, q.Unusual, q.Since, q.Disputable,
		q.Limit)
}

func orNil(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// causes counts bad rows by what is wrong.
func (s Store) causes(ctx context.Context, merchantID, id uuid.UUID) (map[string]int, error) {
	rows, err := s.Pool.Query(ctx, `SELECT cause, count(*) FROM batch_rows, unnest(causes) AS cause
		WHERE merchant_id = $1 AND batch_id = $2 AND state = 'bad' GROUP BY cause`, merchantID, id)
	if err != nil {
		return nil, fmt.Errorf("count causes: %w", err)
	}
	out := map[string]int{}
	var cause string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&cause, &n}, func() error { out[cause] = n; return nil })
	if err != nil {
		return nil, fmt.Errorf("count causes: %w", err)
	}
	return out, nil
}

// dueTotals adds up ready rows by their due date.
func (s Store) dueTotals(ctx context.Context, merchantID, id uuid.UUID) ([]DueTotal, error) {
	rows, err := s.Pool.Query(ctx,
		`SELECT due, count(*), least(sum(total_cents), 9223372036854775807)::bigint FROM batch_rows
		WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' GROUP BY due ORDER BY due NULLS FIRST`, merchantID, id)
	if err != nil {
		return nil, fmt.Errorf("add up by due date: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t DueTotal, err error) {
		var due *Day
		err = r.Scan(&due, &t.Rows, &t.Cents)
		t.Due = database.OrZero(due)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up by due date: %w", err)
	}
	return out, nil
}

// voidable adds up the sent rows whose purchases have one of the statuses; those whose debit the bank has only where
// it can be recalled.
func (s Store) voidable(ctx context.Context, merchantID, id uuid.UUID,
	statuses []purchase.Status, recalls bool) (v Voidable, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT count(*), coalesce(sum(r.total_cents), 0)::bigint, count(*) FILTER (WHERE p.payer_email <> '')
		FROM batch_rows r JOIN purchases p ON p.merchant_id = r.merchant_id AND p.id = r.purchase_id
		WHERE r.merchant_id = $1 AND r.batch_id = $2 AND r.state = 'sent' AND p.status = ANY($3)
		AND ($4 OR NOT EXISTS (SELECT FROM collections c WHERE c.purchase_id = p.id
		AND c.state IN ('submitted', 'in_tracking')))`,
		merchantID, id, database.Texts(statuses), recalls).Scan(&v.Invoices, &v.Cents, &v.Mails)
	if err != nil {
		return v, fmt.Errorf("count what can be voided: %w", err)
	}
	return v, nil
}
