package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// copyRows writes many rows of one kind by COPY, on the transaction's connection.
// The columns are those of the GORM model.
func copyRows[T any](ctx context.Context, t *Tx, tx pgx.Tx, n int, row func(i int) (*T, error)) error {
	if n == 0 {
		return nil
	}
	var zero T
	ins, err := insertionOf(t.s.db.NamingStrategy, &zero)
	if err != nil {
		return err
	}
	columns := make([]string, len(ins.fields))
	for i, f := range ins.fields {
		columns[i] = f.DBName
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{ins.table}, columns, pgx.CopyFromSlice(n, func(i int) ([]any, error) {
		r, err := row(i)
		if err != nil {
			return nil, err
		}
		return ins.copied(ctx, r), nil
	}))
	if err != nil {
		return fmt.Errorf("copy into %s: %w", ins.table, err)
	}
	return nil
}

// copied are the values of one row in the forms that COPY sends as they are.
func (i *insertion) copied(ctx context.Context, row any) []any {
	args := native(i.args(ctx, row))
	for n, f := range i.fields {
		switch words := args[n].(type) {
		case textArray:
			if args[n] = append([]string{}, words...); f.FieldType == searchType { // none is empty, not null
				args[n] = vectorOf(words)
			}
		default:
		}
	}
	return args
}

func vectorOf(words []string) pgtype.TSVector {
	v := pgtype.TSVector{Valid: true, Lexemes: make([]pgtype.TSVectorLexeme, len(words))}
	for i, w := range words {
		v.Lexemes[i].Word = w
	}
	return v
}
