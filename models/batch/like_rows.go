package batch

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
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
				array_agg(n ORDER BY n) AS rows, array_agg(total_cents ORDER BY n) AS totals,
				least(sum(total_cents), 9223372036854775807)::bigint AS cents
			FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND client_id IS NOT NULL GROUP BY 1),
		sent AS (SELECT client_id, min(name) AS name, least(sum(total_cents), 9223372036854775807)::bigint AS cents
			FROM batch_rows WHERE merchant_id = $1 AND batch_id = $3 AND state = 'sent' AND client_id IS NOT NULL GROUP BY 1),
		compared AS (SELECT client_id, mine.n, coalesce(mine.name, sent.name) AS name, sent.cents AS was, mine.cents,
					mine.rows, mine.totals
				FROM mine FULL JOIN sent USING (client_id)
			UNION ALL SELECT NULL, min(n), min(name), NULL, least(sum(total_cents), 9223372036854775807)::bigint,
					array_agg(n ORDER BY n), array_agg(total_cents ORDER BY n)
				FROM batch_rows WHERE merchant_id = $1 AND batch_id = $2 AND state = 'ready' AND client_id IS NULL
				GROUP BY coalesce(client_hash, n::text::bytea)),
		kinds AS (SELECT *, CASE WHEN was IS NULL THEN 'new' WHEN cents IS NULL THEN 'missing'
			WHEN was <> cents THEN 'changed' ELSE 'same' END AS kind FROM compared),
		placed AS (SELECT *, count(*) OVER (PARTITION BY kind) AS of,
			row_number() OVER (PARTITION BY kind ORDER BY n, name, client_id) AS place FROM kinds)
		SELECT kind, of, coalesce(client_id, '00000000-0000-0000-0000-000000000000'), coalesce(n, 0), name, was, cents,
			rows, totals FROM placed WHERE place <= CASE kind WHEN 'same' THEN 1 ELSE $4 END
		ORDER BY array_position(ARRAY['changed', 'new', 'missing'], kind), place`, b.MerchantID, b.ID, last, limit)
	if err != nil {
		return l, fmt.Errorf("compare batches: %w", err)
	}
	var kind string
	var of int
	var d Difference
	if _, err := pgx.ForEachRow(rows, []any{&kind, &of, (*[16]byte)(&d.ClientID), &d.N, &d.Name, &d.WasCents, &d.Cents,
		&d.rows, &d.totals},
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
			d.rows, d.totals = nil, nil
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

// mendsOf are the changes of some rows with the rows before them, and the marks that the columns were chosen anew, the
// newest first.
func (s Store) mendsOf(ctx context.Context, b Batch, rows []int) ([]Mend, error) {
	return database.Seek(ctx, s.DB, mendTable, `SELECT `+mendTable.Columns("")+` FROM batch_mends
		WHERE merchant_id = ? AND batch_id = ? AND (rows = '[]' OR EXISTS (
			SELECT FROM jsonb_array_elements_text(rows) AS r WHERE r::int IN ?))
		ORDER BY revision DESC, id DESC`, b.MerchantID, b.ID, rows)
}

// pricedByTemplates finds the newest change of a template of each client from the amount of last time to that of this
// time, as the audit log has it.
func (s Store) pricedByTemplates(ctx context.Context, merchantID uuid.UUID, differ []Difference) error {
	var clients []uuid.UUID
	var was, is []int64
	at := map[uuid.UUID]*Difference{}
	for i, d := range differ {
		if d.Cents != nil && d.WasCents != nil {
			clients, was, is = append(clients, d.ClientID), append(was, *d.WasCents), append(is, *d.Cents)
			at[d.ClientID] = &differ[i]
		}
	}
	rows, err := s.Pool.Query(ctx, `SELECT DISTINCT ON (c.id) c.id, a.actor_name, a.at, t.title,
			coalesce(a.after ->> 'from', '')
		FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS c (id, was, is_now)
			JOIN template_clients s ON s.client_id = c.id AND s.merchant_id = $1
			JOIN billing_templates t ON t.id = s.template_id AND t.merchant_id = $1
			JOIN audit_entries a ON a.merchant_id = $1 AND a.object_id = t.id AND a.client_id IS NULL
				AND a.purchase_id IS NULL AND a.action IN ('template.changed', 'template.price_planned')
				AND a.before ->> 'total_cents' = c.was::text AND a.after ->> 'total_cents' = c.is_now::text
		ORDER BY c.id, a.id DESC`, merchantID, database.IDs(clients), was, is)
	if err != nil {
		return fmt.Errorf("prices of templates: %w", err)
	}
	var id [16]byte
	var p Priced
	var from string
	if _, err := pgx.ForEachRow(rows, []any{&id, &p.By, &p.At, &p.How, &from}, func() (err error) {
		one := p
		if one.From = (calendar.Date{}); from != "" {
			one.From, err = calendar.ParseDate(from)
		}
		at[id].Template = &one
		return err
	}); err != nil {
		return fmt.Errorf("prices of templates: %w", err)
	}
	return nil
}
