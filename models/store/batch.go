package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// run sends a batch and gives the row count of its last statement.
func run(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) (rows int64, err error) {
	res := conn.SendBatch(ctx, batch)
	for range batch.Len() {
		tag, err := res.Exec()
		if err != nil {
			_ = res.Close()
			return 0, err
		}
		rows = tag.RowsAffected()
	}
	return rows, res.Close()
}

// native gives ids in the form that travels as 16 bytes and not as text.
func native(args []any) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case uuid.UUID:
			args[i] = pgtype.UUID{Bytes: v, Valid: true}
		case *uuid.UUID:
			if v == nil {
				args[i] = nil
			} else {
				args[i] = pgtype.UUID{Bytes: *v, Valid: true}
			}
		}
	}
	return args
}
