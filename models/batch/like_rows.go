package batch

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// lastLike is the newest of some batches of the brand that billed at least half of the known clients of a draft;
// NotFound when there is none. The newest are looked at one after another, until one fits.
func (s Store) lastLike(ctx context.Context, b Batch, among int) (Batch, error) {
	return database.One(ctx, s.DB, batchTable, `merchant_id = $1 AND id = (
		WITH mine AS MATERIALIZED (SELECT DISTINCT client_id FROM batch_rows
			WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND client_id IS NOT NULL)
		SELECT c.id FROM (SELECT id FROM batches WHERE merchant_id = $1 AND brand_id = $3 AND id <> $2
			AND started_at IS NOT NULL ORDER BY id DESC LIMIT $4) AS c
		WHERE (SELECT count(*) FROM mine) > 0 AND 2 * (SELECT count(*) FROM mine
			JOIN (SELECT DISTINCT client_id FROM batch_rows WHERE merchant_id = $1 AND batch_id = c.id
				AND state = 'sent') AS sent USING (client_id))
			>= (SELECT count(*) FROM mine)
		ORDER BY c.id DESC LIMIT 1)`, b.MerchantID, b.ID, b.BrandID, among)
}

// unlike compares a draft with a batch, and names so many differences of each kind.
func (s Store) unlike(ctx context.Context, b Batch, last uuid.UUID, limit int) (l Likeness, err error) {
	rows, err := s.Pool.Query(ctx, `WITH mine AS (SELECT client_id, min(n) AS n, min(name) AS name,
				least(sum(total_cents), 9223372036854775807)::bigint AS cents
			FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND client_id IS NOT NULL GROUP BY 1),
		sent AS (SELECT client_id, min(name) AS name, least(sum(total_cents), 9223372036854775807)::bigint AS cents
			FROM batch_rows WHERE merchant_id = $1 AND batch_id = $3 AND state = 'sent' AND client_id IS NOT NULL GROUP BY 1),
		compared AS (SELECT client_id, mine.n, coalesce(mine.name, sent.name) AS name, sent.cents AS was, mine.cents
				FROM mine FULL JOIN sent USING (client_id)
			UNION ALL SELECT NULL, min(n), min(name), NULL, least(sum(total_cents), 9223372036854775807)::bigint
				FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND client_id IS NULL
				GROUP BY coalesce(client_hash, n::text::bytea)),
		kinds AS (SELECT *, CASE WHEN was IS NULL THEN 'new' WHEN cents IS NULL THEN 'missing'
			WHEN was <> cents THEN 'changed' ELSE 'same' END AS kind FROM compared),
		placed AS (SELECT *, count(*) OVER (PARTITION BY kind) AS of,
			row_number() OVER (PARTITION BY kind ORDER BY n, name, client_id) AS place FROM kinds)
		SELECT kind, of, coalesce(client_id, '00000000-0000-0000-0000-000000000000'), coalesce(n, 0), name, was, cents
		FROM placed WHERE place <= CASE kind WHEN 'same' THEN 1 ELSE $4 END
		ORDER BY array_position(ARRAY['changed', 'new', 'missing'], kind), place`, b.MerchantID, b.ID, last, limit)
	if err != nil {
		return l, fmt.Errorf("compare batches: %w", err)
	}
	var kind string
	var of int
	var d Difference
	if _, err := pgx.ForEachRow(rows, []any{&kind, &of, (*[16]byte)(&d.ClientID), &d.N, &d.Name, &d.WasCents, &d.Cents},
		func() error {
			switch kind {
			case "same":
				l.Same = of
				return nil
			case "new":
				l.New = of
			case "missing":
				l.Missing = of
			case "changed":
				l.Changed = of
			}
			one := d
			one.WasCents, one.Cents = kept(d.WasCents), kept(d.Cents)
			l.Rows = append(l.Rows, one)
			return nil
		}); err != nil {
		return l, fmt.Errorf("compare batches: %w", err)
	}
	return l, nil
}

// kept is a copy of what is scanned into again.
func kept(cents *int64) *int64 {
	if cents == nil {
		return nil
	}
	return new(*cents)
}
