package find

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// opened notes what a person looked at, and forgets all but the last. What they opened a moment ago is not written
// again: a page that is loaded anew costs nothing.
func (s Store) opened(ctx context.Context, merchantID, userID uuid.UUID, kind Kind, id uuid.UUID, now time.Time) error {
	err := s.Gorm(ctx).Exec(`WITH noted AS (INSERT INTO recently_opened AS r
			(merchant_id, user_id, object_id, kind, opened_at)
			VALUES (@m, @user, @id, @kind, @now) ON CONFLICT (merchant_id, user_id, object_id) DO UPDATE SET opened_at = @now
			WHERE r.opened_at < (@now)::timestamptz - interval '1 minute' RETURNING 1)
		DELETE FROM recently_opened WHERE merchant_id = @m AND user_id = @user AND EXISTS (SELECT FROM noted)
			AND object_id IN (SELECT object_id FROM recently_opened WHERE merchant_id = @m AND user_id = @user
				AND object_id <> @id ORDER BY opened_at DESC OFFSET @kept)`, map[string]any{"m": merchantID, "user": userID,
		"id": id, "kind": kind, "now": database.Instant(now), "kept": kept - 1}).Error
	if err != nil {
		return fmt.Errorf("note what was opened: %w", err)
	}
	return nil
}

// lasting are the rows behind what was opened, as they stand now. What is gone is left out.
var lasting = []source{
	{kind: Clients, sql: line(clientLine, "true", counts) + lastOf("clients", Clients) + " AND t.deleted_at IS NULL"},
	{kind: Purchases, sql: line(purchaseLine, "true", counts) + lastOf("purchases", Purchases)},
	{kind: Mandates, sql: line(mandateLine, "true", counts) + lastOf("mandates", Mandates)},
	{kind: Tokens, sql: line(tokenLine, "true", counts) + lastOf("tokens", Tokens)},
	{kind: Batches, sql: line(batchLine, "true", counts) + lastOf("batches", Batches)},
	{
		kind: Templates,
		sql:  line(templateLine, "true", counts) + lastOf("billing_templates", Templates) + " AND t.deleted_at IS NULL",
	},
}

func lastOf(table string, kind Kind) string {
	return ofTable(
		table,
		`t.id = ANY (ARRAY(SELECT object_id FROM recently_opened WHERE merchant_id = $1 AND user_id = $2 AND kind = '`+
			string(kind)+`'))`,
	)
}

// recent are the last records that a person opened, the newest first.
func (s Store) recent(ctx context.Context, merchantID, userID uuid.UUID) ([]Hit, error) {
	args := database.Native([]any{merchantID, userID})
	batch := &pgx.Batch{}
	batch.Queue(
		fmt.Sprintf(
			`SELECT object_id FROM recently_opened WHERE merchant_id = $1 AND user_id = $2 ORDER BY opened_at DESC LIMIT %d`,
			kept,
		),
		args...)
	for _, one := range lasting {
		batch.Queue(one.sql, args...)
	}
	results := s.Pool.SendBatch(ctx, batch)
	hits, err := readRecent(results)
	if end := results.Close(); err == nil && end != nil {
		err = fmt.Errorf("find what was opened: %w", end)
	}
	return hits, err
}

func readRecent(results pgx.BatchResults) ([]Hit, error) {
	rows, err := results.Query()
	if err != nil {
		return nil, fmt.Errorf("find what was opened: %w", err)
	}
	order, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (id uuid.UUID, err error) {
		return id, row.Scan((*[16]byte)(&id))
	})
	if err != nil {
		return nil, fmt.Errorf("find what was opened: %w", err)
	}
	var all []Hit
	for _, one := range lasting {
		rows, err := results.Query()
		if err != nil {
			return nil, fmt.Errorf("find what was opened: %w", err)
		}
		hits, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Hit, error) {
			h, _, _, err := readHit(one.kind, row)
			return h, err
		})
		if err != nil {
			return nil, fmt.Errorf("find what was opened: %w", err)
		}
		all = append(all, hits...)
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return slices.Index(order, a.ID) - slices.Index(order, b.ID) })
	return all[:min(len(all), shown)], nil
}
