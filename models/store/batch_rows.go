package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/batch"
)

type batchRow struct {
	ID               uuid.UUID `gorm:"primaryKey"`
	MerchantID       uuid.UUID
	BrandID          uuid.UUID
	Name             string
	Source           string
	State            string
	Format           string
	Mapping          string
	HeaderHash       []byte
	ContentHash      []byte
	Counts           string
	TotalRows        int
	Revision         int
	Fingerprint      []byte
	GoodOnly         bool
	WarningsAccepted bool
	HoldUntil        *time.Time
	PauseAfter       *int
	CursorN          int
	Note             string
	Creator          string
	Starter          *string
	CreatedAt        time.Time
	UpdatedAt        time.Time
	StartedAt        *time.Time
	EndedAt          *time.Time
}

func (batchRow) TableName() string { return "batches" }

func (r batchRow) domain() (batch.Batch, error) {
	b := batch.Batch{ID: r.ID, MerchantID: r.MerchantID, BrandID: r.BrandID, Name: r.Name, Source: batch.Source(r.Source), State: batch.State(r.State),
		HeaderHash: r.HeaderHash, ContentHash: r.ContentHash, Rows: r.TotalRows, Revision: r.Revision, Fingerprint: r.Fingerprint, GoodOnly: r.GoodOnly, WarningsAccepted: r.WarningsAccepted,
		HoldUntil: orZero(r.HoldUntil).UTC(), PauseAfter: orZero(r.PauseAfter), Cursor: r.CursorN, Note: r.Note,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), StartedAt: orZero(r.StartedAt).UTC(), EndedAt: orZero(r.EndedAt).UTC()}
	for text, into := range map[string]any{r.Format: &b.Format, r.Mapping: &b.Mapping, r.Counts: &b.Counts, r.Creator: &b.Creator} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return b, fmt.Errorf("read batch %s: %w", r.ID, err)
		}
	}
	if r.Starter != nil {
		if err := json.Unmarshal([]byte(*r.Starter), &b.Starter); err != nil {
			return b, fmt.Errorf("read who started batch %s: %w", r.ID, err)
		}
	}
	return b, nil
}

func batchRowOf(b batch.Batch) (*batchRow, error) {
	r := &batchRow{ID: b.ID, MerchantID: b.MerchantID, BrandID: b.BrandID, Name: b.Name, Source: string(b.Source), State: string(b.State),
		HeaderHash: b.HeaderHash, ContentHash: b.ContentHash, TotalRows: b.Rows, Revision: b.Revision, Fingerprint: b.Fingerprint, GoodOnly: b.GoodOnly, WarningsAccepted: b.WarningsAccepted,
		HoldUntil: orNull(b.HoldUntil), PauseAfter: orNull(b.PauseAfter), CursorN: b.Cursor, Note: b.Note,
		CreatedAt: Instant(b.CreatedAt), UpdatedAt: Instant(b.UpdatedAt), StartedAt: orNull(b.StartedAt), EndedAt: orNull(b.EndedAt)}
	if r.ContentHash == nil {
		r.ContentHash = []byte{} // known when all rows were read
	}
	if r.Fingerprint == nil {
		r.Fingerprint = []byte{} // known when all rows are checked
	}
	parts := []struct {
		from any
		into *string
	}{{b.Format, &r.Format}, {b.Mapping, &r.Mapping}, {b.Counts, &r.Counts}, {b.Creator, &r.Creator}}
	if b.Starter.Kind != "" {
		r.Starter = new(string)
		parts = append(parts, struct {
			from any
			into *string
		}{b.Starter, r.Starter})
	}
	for _, p := range parts {
		text, err := json.Marshal(p.from)
		if err != nil {
			return nil, fmt.Errorf("write batch %s: %w", b.ID, err)
		}
		*p.into = string(text)
	}
	return r, nil
}

// InsertBatch implements batch.Tx.
func (t *Tx) InsertBatch(b batch.Batch) {
	row, err := batchRowOf(b)
	if err != nil {
		t.fail(err)
		return
	}
	t.create(row)
}

// LockBatch implements batch.Tx.
func (t *Tx) LockBatch(merchantID, id uuid.UUID) (batch.Batch, error) {
	db, err := t.read()
	if err != nil {
		return batch.Batch{}, err
	}
	var row batchRow
	if err := db.Clauses(forUpdate).Take(&row, "merchant_id = ? AND id = ?", merchantID, id).Error; err != nil {
		return batch.Batch{}, missing(err, "lock batch")
	}
	return row.domain()
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
		r, err := batchRowOf(*b)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.ctx, `UPDATE batches SET state = $3, mapping = $4, content_hash = $5, counts = $6, total_rows = $7, good_only = $8,
			warnings_accepted = $9, hold_until = $10, pause_after = $11, cursor_n = $12, note = $13, starter = $14, updated_at = $15,
			started_at = $16, ended_at = $17, revision = $18, fingerprint = $19 WHERE merchant_id = $1 AND id = $2`,
			r.MerchantID, r.ID, r.State, r.Mapping, r.ContentHash, r.Counts, r.TotalRows, r.GoodOnly, r.WarningsAccepted, r.HoldUntil, r.PauseAfter,
			r.CursorN, r.Note, r.Starter, r.UpdatedAt, r.StartedAt, r.EndedAt, r.Revision, r.Fingerprint)
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
