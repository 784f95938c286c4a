package listview

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

// Store is where settings and views are kept.
type Store struct{ *database.DB }

const querySealed = "query_sealed"

func queryPlace(v *View) seal.Place {
	return seal.PlaceOf("list_views", querySealed, v.MerchantID, v.ID)
}

func queryColumn[T any](of func(*T) *View) table.Column[T] {
	return table.Column[T]{Name: querySealed,
		Write: func(box *seal.Box, record *T) (any, error) {
			v := of(record)
			if stored := v.Stored(querySealed); stored != nil {
				return stored, nil
			}
			return box.SealBytes(queryPlace(v), []byte("?"+v.Query)), nil
		},
		Read: func(box *seal.Box, record *T, stored []byte) error {
			v := of(record)
			query, err := box.OpenBytes(queryPlace(v), stored)
			if err == nil && len(query) > 0 {
				v.Query = string(query[1:])
			}
			return err
		}}
}

var (
	settingsTable = table.New[Settings]("list_settings")
	viewTable     = table.New("list_views", queryColumn(func(v *View) *View { return v }))
	listedViews   = table.View(queryColumn(func(v *Listed) *View { return &v.View }))
	saveView      = viewTable.Write(`UPDATE list_views SET @set(name, query_sealed, shared, updated_at, deleted_at)
		WHERE merchant_id = @merchant_id AND id = @id`)
)

func (s Store) settings(ctx context.Context, merchantID, userID uuid.UUID, list string) (out Settings, err error) {
	found, err := database.All(ctx, s.DB, settingsTable, "merchant_id = $1 AND user_id = $2 AND list = $3", merchantID,
		userID, list)
	if err != nil || len(found) == 0 {
		return out, err
	}
	return found[0], nil
}

func keepSettings(tx *database.Tx, of Settings) {
	tx.Later(`INSERT INTO list_settings (merchant_id, user_id, list, columns, compact, page_rows, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (merchant_id, user_id, list) DO UPDATE
		SET columns = excluded.columns, compact = excluded.compact, page_rows = excluded.page_rows,
		updated_at = excluded.updated_at`,
		of.MerchantID, of.UserID, of.List, database.Texts(of.Columns), of.Compact, of.PageRows, of.UpdatedAt)
}

// seenBy are the views that a person sees.
const seenBy = `SELECT v.*, p.view_id IS NOT NULL AS pinned, NOT EXISTS (SELECT FROM memberships m
		WHERE m.merchant_id = v.merchant_id AND m.user_id = v.owner_id AND m.disabled_at IS NULL) AS owner_left
		FROM list_views v
	LEFT JOIN list_view_pins p ON p.merchant_id = v.merchant_id AND p.user_id = $2 AND p.view_id = v.id
	WHERE v.merchant_id = $1 AND (v.owner_id = $2 OR v.shared) AND v.deleted_at IS NULL`

func (s Store) views(ctx context.Context, merchantID, userID uuid.UUID, list string) ([]Listed, error) {
	return database.Collect(
		ctx,
		s.DB,
		listedViews,
		seenBy+` AND v.list = $3 ORDER BY v.owner_id <> $2, lower(v.name), v.id`,
		[]any{merchantID, userID, list},
	)
}

func (s Store) pinned(ctx context.Context, merchantID, userID uuid.UUID) ([]Listed, error) {
	return database.Collect(ctx, s.DB, listedViews, seenBy+` AND v.id IN (SELECT view_id FROM list_view_pins
		WHERE merchant_id = $1 AND user_id = $2) ORDER BY p.created_at, v.id`, []any{merchantID, userID})
}

// seen counts the views of a list that stand beside one: shared ones, or those of its owner.
func seen(tx *database.Tx, who actor.Actor, v View) (n int, err error) {
	err = tx.DB().Pool.QueryRow(tx.Context(), `SELECT count(*) FROM list_views WHERE merchant_id = $1 AND list = $2
		AND deleted_at IS NULL AND shared = $3 AND (shared OR owner_id = $4)`,
		database.Native([]any{who.MerchantID, v.List, v.Shared, who.ID})...).Scan(&n)
	if err != nil {
		err = fmt.Errorf("count views: %w", err)
	}
	return n, err
}

func holdView(tx *database.Tx, merchantID, id uuid.UUID) (View, error) {
	return database.First(database.Collect(tx.Context(), tx.DB(), viewTable,
		"SELECT * FROM list_views WHERE merchant_id = $1 AND id = $2 FOR UPDATE", []any{merchantID, id}))
}

func countPins(tx *database.Tx, who actor.Actor) (n int, err error) {
	err = tx.DB().
		Pool.QueryRow(tx.Context(), `SELECT count(*) FROM list_view_pins WHERE merchant_id = $1 AND user_id = $2`,
		database.Native([]any{who.MerchantID, who.ID})...).
		Scan(&n)
	if err != nil {
		err = fmt.Errorf("count pinned views: %w", err)
	}
	return n, err
}

func pin(tx *database.Tx, who actor.Actor, id uuid.UUID, pinned bool, now time.Time) {
	if !pinned {
		tx.Later(
			`DELETE FROM list_view_pins WHERE merchant_id = $1 AND user_id = $2 AND view_id = $3`,
			who.MerchantID,
			who.ID,
			id,
		)
		return
	}
	tx.Later(
		`INSERT INTO list_view_pins (merchant_id, user_id, view_id, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`,
		who.MerchantID,
		who.ID,
		id,
		now,
	)
}

// Forget drops what a person who leaves has chosen for lists, and the views that nobody else sees. Shared views
// stay: an admin can change them.
func Forget(tx *database.Tx, merchantID, userID uuid.UUID) {
	for _, of := range []string{"list_settings WHERE merchant_id = $1 AND user_id = $2",
		"list_view_pins WHERE merchant_id = $1 AND user_id = $2",
		"list_views WHERE merchant_id = $1 AND owner_id = $2 AND NOT shared"} {
		tx.Later("DELETE FROM "+of, merchantID, userID)
	}
}

// Tidy drops views whose deletion nobody has undone.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	return s.InChunks(ctx, `DELETE FROM list_views WHERE ctid = ANY (ARRAY(SELECT ctid FROM list_views
		WHERE deleted_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-undoWithin))
}
