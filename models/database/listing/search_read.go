package listing

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// reader hands over what a query finds.
type reader func(ctx context.Context, take func(pgx.Rows) error, sql string, args ...any) error

// IDs reads the first column, and no more, of what a query finds whose values stand
// where it says ?.
func IDs(ctx context.Context, db *database.DB, query string, args ...any) ([]uuid.UUID, error) {
	return readIDs(ctx, db, db.Pool.Read, query, args...)
}

func readIDs(ctx context.Context, db *database.DB, on reader, query string,
	args ...any) (found []uuid.UUID, err error) {
	query, args = db.Statement(query, args...)
	err = on(ctx, func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (id uuid.UUID, err error) {
			values := make([]any, len(row.FieldDescriptions()))
			values[0] = &id
			return id, row.Scan(values...)
		})
		return err
	}, query, database.Native(args)...)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return found, nil
}

// withoutScans keeps PostgreSQL from reading a whole table because it takes a word for
// a common one: here the words are rare.
func withoutScans(ctx context.Context, db *database.DB, do func(reader) error) error {
	if database.TxOf(ctx) != nil {
		return do(db.Pool.Read)
	}
	err := db.Pool.Reading(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		return do(func(ctx context.Context, take func(pgx.Rows) error, sql string, args ...any) error {
			rows, err := tx.Query(ctx, sql, args...)
			if err != nil {
				return err
			}
			return take(rows)
		})
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("look words up: %w", err)
	}
	return err
}
