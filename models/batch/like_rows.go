package batch

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// lastLike is the newest of some batches of the brand that billed at least half of the known clients of a draft;
// NotFound when there is none. The newest are looked at one after another, until one fits.
func (s Store) lastLike(ctx context.Context, b Batch, among int) (last Batch, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(b.MerchantID)).Where(`id = (
		WITH mine AS MATERIALIZED (SELECT DISTINCT client_id FROM batch_rows
			WHERE merchant_id = @m AND batch_id = @batch AND state = 'ready' AND client_id IS NOT NULL)
		SELECT c.id FROM (SELECT id FROM batches WHERE merchant_id = @m AND brand_id = @brand AND id <> @batch
			AND started_at IS NOT NULL ORDER BY id DESC LIMIT @among) AS c
		WHERE (SELECT count(*) FROM mine) > 0 AND 2 * (SELECT count(*) FROM mine
			JOIN (SELECT DISTINCT client_id FROM batch_rows WHERE merchant_id = @m AND batch_id = c.id
				AND state = 'sent') AS sent USING (client_id))
			>= (SELECT count(*) FROM mine)
		ORDER BY c.id DESC LIMIT 1)`, map[string]any{"m": b.MerchantID, "batch": b.ID, "brand": b.BrandID, "among": among}).
		Take(&last).Error
	return last, err
}

// unlike compares a draft with a batch, and names so many differences of each kind.
func (s Store) unlike(ctx context.Context, b Batch, last uuid.UUID, limit int) (l Likeness, err error) {
	var found []struct {
		Kind string
		Of   int
		Difference
		Numbers []int   `gorm:"serializer:json"`
		Amounts []int64 `gorm:"serializer:json"`
	}
	if err := s.Gorm(ctx).Raw(`WITH mine AS (SELECT client_id, min(n) AS n, min(name) AS name,
				array_agg(n ORDER BY n) AS rows, array_agg(total_cents ORDER BY n) AS totals,
				least(sum(total_cents), 9223372036854775807)::bigint AS cents
			FROM batch_rows WHERE merchant_id = @m AND batch_id = @batch AND state = 'ready' AND client_id IS NOT NULL
			GROUP BY 1),
		sent AS (SELECT client_id, min(name) AS name, least(sum(total_cents), 9223372036854775807)::bigint AS cents
			FROM batch_rows WHERE merchant_id = @m AND batch_id = @last AND state = 'sent' AND client_id IS NOT NULL GROUP BY 1),
		compared AS (SELECT client_id, mine.n, coalesce(mine.name, sent.name) AS name, sent.cents AS was, mine.cents,
					mine.rows, mine.totals
				FROM mine FULL JOIN sent USING (client_id)
			UNION ALL SELECT NULL, min(n), min(name), NULL, least(sum(total_cents), 9223372036854775807)::bigint,
					array_agg(n ORDER BY n), array_agg(total_cents ORDER BY n)
				FROM batch_rows WHERE merchant_id = @m AND batch_id = @batch AND state = 'ready' AND client_id IS NULL
				GROUP BY coalesce(client_hash, n::text::bytea)),
		kinds AS (SELECT *, CASE WHEN was IS NULL THEN 'new' WHEN cents IS NULL THEN 'missing'
			WHEN was <> cents THEN 'changed' ELSE 'same' END AS kind FROM compared),
		placed AS (SELECT *, count(*) OVER (PARTITION BY kind) AS of,
			row_number() OVER (PARTITION BY kind ORDER BY n, name, client_id) AS place FROM kinds)
		SELECT kind, of, client_id, coalesce(n, 0) AS n, name, was AS was_cents, cents, array_to_json(rows) AS numbers,
			array_to_json(totals) AS amounts FROM placed WHERE place <= CASE kind WHEN 'same' THEN 1 ELSE @limit END
		ORDER BY array_position(ARRAY['changed', 'new', 'missing'], kind), place`, map[string]any{"m": b.MerchantID,
		"batch": b.ID, "last": last, "limit": limit}).Find(&found).Error; err != nil {
		return l, fmt.Errorf("compare batches: %w", err)
	}
	for _, f := range found {
		switch f.Kind {
		case "same":
			l.Same = f.Of
			continue
		case "new":
			l.New = f.Of
		case "missing":
			l.Missing = f.Of
		case "changed":
			l.Changed = f.Of
		}
		f.rows, f.totals = f.Numbers, f.Amounts
		l.Rows = append(l.Rows, f.Difference)
	}
	return l, nil
}

// mendsOf are the changes of some rows with the rows before them, and the marks that the columns were chosen anew, the
// newest first.
func (s Store) mendsOf(ctx context.Context, b Batch, rows []int) (found []Mend, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(b.MerchantID)).Order("revision DESC, id DESC").
		Find(&found, `batch_id = ? AND (rows = '[]' OR EXISTS (
			SELECT FROM jsonb_array_elements_text(rows) AS r WHERE r::int IN ?))`, b.ID, rows).Error
	return found, err
}

// pricedByTemplates finds the newest change of a template of each client, or of the client's own price in one, from the
// amount of last time to that of this time, as the audit log has it.
func (s Store) pricedByTemplates(ctx context.Context, merchantID uuid.UUID, differ []Difference) error {
	var clients []uuid.UUID
	var was, is []int
	at := map[uuid.UUID]*Difference{}
	for i, d := range differ {
		if d.Cents != nil && d.WasCents != nil {
			clients, was, is = append(clients, d.ClientID), append(was, int(*d.WasCents)), append(is, int(*d.Cents))
			at[d.ClientID] = &differ[i]
		}
	}
	var found []struct {
		ID uuid.UUID
		Priced
	}
	if err := s.Gorm(ctx).Raw(`WITH c AS (SELECT c.id, c.was::text AS was, c.is_now::text AS is_now, s.id AS subscriber,
				t.id AS template, t.title, s.merchant_id
			FROM unnest(?::uuid[], ?::bigint[], ?::bigint[]) AS c (id, was, is_now)
				JOIN template_clients s ON s.client_id = c.id AND s.merchant_id = ?
				JOIN billing_templates t ON t.id = s.template_id AND t.merchant_id = s.merchant_id),
			changed AS (
				SELECT c.id, c.title, a.id AS entry, a.actor_name, a.at, a.after, false AS own FROM c
				JOIN audit_entries a ON a.merchant_id = c.merchant_id AND a.object_id = c.template AND a.client_id IS NULL
					AND a.purchase_id IS NULL AND a.action IN ('template.changed', 'template.price_planned')
					AND a.before ->> 'total_cents' = c.was AND a.after ->> 'total_cents' = c.is_now
				UNION ALL
				SELECT c.id, c.title, a.id, a.actor_name, a.at, a.after, true FROM c
				JOIN audit_entries a ON a.merchant_id = c.merchant_id AND a.client_id = c.id AND a.object_id = c.subscriber
					AND a.action = 'subscriber.changed'
					AND a.before ->> 'total_cents' = c.was AND a.after ->> 'total_cents' = c.is_now)
		SELECT DISTINCT ON (id) id, actor_name AS "by", at, title AS how, nullif(after ->> 'from', '')::date AS "from", own
		FROM changed ORDER BY id, entry DESC`, database.IDs(clients), database.Numbers(was), database.Numbers(is),
		merchantID).Find(&found).Error; err != nil {
		return fmt.Errorf("prices of templates: %w", err)
	}
	for _, f := range found {
		at[f.ID].Template = &f.Priced
	}
	return nil
}
