package batch

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// Store is where batches are kept. What is found is bounded by the merchant; unknown ids and those of others are
// NotFound.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Batch) TableName() string { return "batches" }

// changing are the columns that work on a batch changes.
var changing = []string{"state", "mapping", "content_hash", "counts", "total_rows", "good_only", "warnings_accepted",
	"hold_until", "pause_after", "cursor_n", "note", "starter", "hands", "checked_at", "paced_at", "paced_sent",
	"updated_at", "started_at", "ended_at", "revision", "fingerprint"}

func insertBatch(tx *database.Tx, b Batch) { tx.Create(&b) }

// Lock reads a batch and keeps others from working on it; NotFound otherwise.
func Lock(tx *database.Tx, merchantID, id uuid.UUID) (b Batch, err error) {
	err = tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForUpdate).Take(&b, "id = ?", id).Error
	return b, err
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
	least(coalesce(sum(total_cents) FILTER (WHERE state = 'sent'), 0), 9223372036854775807)) AS counts
	FROM batch_rows WHERE merchant_id = ? AND batch_id = ?`

// countReady counts what sending the ready rows will do, and gives the fingerprint
// of it: the digests of the rows in their order.
const countReady = `SELECT json_build_object('creates', count(DISTINCT client_hash) FILTER (WHERE new_client), 'mails',
	count(*) FILTER (WHERE mailed),
	'debits', count(*) FILTER (WHERE charge = 'wanted'),
	'unusual', count(*) FILTER (WHERE usual_cents > 0 AND NOT confirmed)) AS counts,
	sha256(coalesce(string_agg(int4send(n) || coalesce(digest, ''), '' ORDER BY n), '')) AS fingerprint
	FROM batch_rows WHERE merchant_id = ? AND batch_id = ? AND state = 'ready'`

// save counts the rows and writes the batch; b gets the counts.
func save(tx *database.Tx, b *Batch) error {
	var counted struct {
		Counts      json.RawMessage `gorm:"serializer:json"`
		Fingerprint []byte
	}
	if err := tx.Gorm().Raw(countBatch, b.MerchantID, b.ID).Take(&counted).Error; err != nil {
		return fmt.Errorf("count batch: %w", err)
	}
	b.Counts = Counts{}
	if err := json.Unmarshal(counted.Counts, &b.Counts); err != nil {
		return fmt.Errorf("count batch: %w", err)
	}
	if b.State == Checked {
		if err := tx.Gorm().Raw(countReady, b.MerchantID, b.ID).Take(&counted).Error; err != nil {
			return fmt.Errorf("count what a batch does: %w", err)
		}
		b.Fingerprint = counted.Fingerprint
		if err := json.Unmarshal(counted.Counts, &b.Counts); err != nil {
			return fmt.Errorf("count what a batch does: %w", err)
		}
	}
	err := tx.Gorm().Model(b).Scopes(database.OfMerchant(b.MerchantID)).Select(changing).UpdateColumns(*b).Error
	if err != nil {
		return fmt.Errorf("save batch: %w", err)
	}
	return nil
}

// rememberMapping keeps a mapping for the next file with the same heading.
func rememberMapping(tx *database.Tx, b Batch) error {
	mapping, err := json.Marshal(b.Mapping)
	if err != nil {
		return fmt.Errorf("remember mapping: %w", err)
	}
	return tx.Gorm().Exec(`INSERT INTO batch_mappings (merchant_id, header_hash, mapping, used_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (merchant_id, header_hash) DO UPDATE SET mapping = excluded.mapping, used_at = excluded.used_at`,
		b.MerchantID, b.HeaderHash, string(mapping), tx.Now()).Error
}

// Batch finds a batch.
func (s Store) Batch(ctx context.Context, merchantID, id uuid.UUID) (b Batch, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&b, "id = ?", id).Error
	return b, err
}

func (s Store) list(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (paging.Page[Batch], error) {
	w := &listing.Walk{Columns: database.Columns[Batch](""), From: "batches"}
	w.And("merchant_id = ?", merchantID)
	w.FittingTime("created_at", f.From, f.To)
	if len(f.States) > 0 {
		w.Fitting("state = ANY(?::text[])", database.Texts(f.States))
	}
	return listing.PageOf[Batch](ctx, s.DB, w, ask, nil)
}

// ref finds the merchant of a batch, for the work that goes on by itself.
func (s Store) ref(ctx context.Context, id uuid.UUID) (ref Ref, err error) {
	err = s.Gorm(ctx).Table("batches").Scopes(database.AcrossMerchants).Select("id", "merchant_id").
		Take(&ref, "id = ?", id).Error
	return ref, err
}

// sentBefore finds another batch with the same content that was sent; NotFound when there is none.
func (s Store) sentBefore(ctx context.Context, b Batch) (before Batch, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(b.MerchantID)).Order("started_at DESC").
		Take(&before, "content_hash = ? AND id <> ? AND started_at IS NOT NULL", b.ContentHash, b.ID).Error
	return before, err
}

// mappingFor finds what was chosen for a heading before.
func (s Store) mappingFor(ctx context.Context, merchantID uuid.UUID,
	headerHash []byte) (m Mapping, found bool, err error) {
	var kept []struct {
		Mapping Mapping `gorm:"serializer:json"`
	}
	err = s.Gorm(ctx).Raw(`SELECT mapping FROM batch_mappings WHERE merchant_id = ? AND header_hash = ?`, merchantID,
		headerHash).Find(&kept).Error
	if err != nil {
		return m, false, fmt.Errorf("find mapping: %w", err)
	}
	if len(kept) == 0 {
		return m, false, nil
	}
	return kept[0].Mapping, true, nil
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
	var found []struct {
		Cause string
		N     int
	}
	err := s.Gorm(ctx).Raw(`SELECT cause, count(*) AS n FROM batch_rows, unnest(causes) AS cause
		WHERE merchant_id = ? AND batch_id = ? AND state = 'bad' GROUP BY cause`, merchantID, id).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("count causes: %w", err)
	}
	out := map[string]int{}
	for _, f := range found {
		out[f.Cause] = f.N
	}
	return out, nil
}

// dueTotals adds up ready rows by their due date.
func (s Store) dueTotals(ctx context.Context, merchantID, id uuid.UUID) (out []DueTotal, err error) {
	err = s.Gorm(ctx).Raw(`SELECT due, count(*) AS rows,
		least(sum(total_cents), 9223372036854775807)::bigint AS cents FROM batch_rows
		WHERE merchant_id = ? AND batch_id = ? AND state = 'ready' GROUP BY due ORDER BY due NULLS FIRST`, merchantID, id).
		Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("add up by due date: %w", err)
	}
	return out, nil
}

// voidable adds up the sent rows whose purchases have one of the statuses; those whose debit the bank has only where
// it can be recalled.
func (s Store) voidable(ctx context.Context, merchantID, id uuid.UUID,
	statuses []purchase.Status, recalls bool) (v Voidable, err error) {
	err = s.Gorm(ctx).Raw(`SELECT count(*) AS invoices, coalesce(sum(r.total_cents), 0)::bigint AS cents,
			count(*) FILTER (WHERE p.payer_email <> '') AS mails
		FROM batch_rows r JOIN purchases p ON p.merchant_id = r.merchant_id AND p.id = r.purchase_id
		WHERE r.merchant_id = ? AND r.batch_id = ? AND r.state = 'sent' AND p.status = ANY(?::text[])
		AND (? OR NOT EXISTS (SELECT FROM collections c WHERE c.purchase_id = p.id
		AND c.state IN ('submitted', 'in_tracking')))`,
		merchantID, id, database.Texts(statuses), recalls).Take(&v).Error
	if err != nil {
		return v, fmt.Errorf("count what can be voided: %w", err)
	}
	return v, nil
}
