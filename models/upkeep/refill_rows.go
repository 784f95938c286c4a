package upkeep

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Refill makes the database, whose schema is there and which nobody uses, ready for the rows of a copy, has fill bring
// them in, and makes it whole again. The schema is the one that this program made: whatever else a copy brings, such as
// a rule or a trigger of somebody else, is not taken over. Foreign keys are checked once all rows are there.
//
// fill is told the role in whose name rows are to be written. It may write rows and nothing else, which matters where
// the connection itself may do everything; empty: the connection's own, which is no superuser.
func Refill(ctx context.Context, conn *pgx.Conn, of CopyInfo, fill func(role string) error) (err error) {
	ours, err := tablesOf(ctx, conn, "public")
	if err != nil {
		return err
	}
	months, err := tablesOf(ctx, conn, "history")
	if err != nil {
		return err
	}
	var strange []string
	for table := range of.Rows {
		if !slices.Contains(ours, pgx.Identifier{"public", table}.Sanitize()) {
			strange = append(strange, table)
		}
	}
	if len(strange) > 0 {
		slices.Sort(strange)
		return fmt.Errorf("the backup holds tables that are not Debitdesk's: %s", strings.Join(strange, ", "))
	}
	keys, err := foreignKeys(ctx, conn)
	if err != nil {
		return err
	}
	role, drop, err := writer(ctx, conn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	var open, whole []string
	for _, k := range keys {
		open = append(open, "ALTER TABLE "+k.Table+" DROP CONSTRAINT "+k.Name)
		whole = append(whole, "ALTER TABLE "+k.Table+" ADD CONSTRAINT "+k.Name+" "+k.Definition)
	}
	for _, table := range slices.Concat(ours, months) { // what a month has of its own is not disabled with its table
		open = append(open, "ALTER TABLE "+table+" DISABLE TRIGGER USER")
		whole = append(whole, "ALTER TABLE "+table+" ENABLE TRIGGER USER")
	}
	open = append(open, "TRUNCATE "+strings.Join(ours, ", "))
	if err := allOf(ctx, conn, open); err != nil {
		return fmt.Errorf("open the tables: %w", err)
	}
	if err := fill(role); err != nil {
		return err
	}
	if err := allOf(ctx, conn, whole); err != nil {
		return fmt.Errorf("the rows do not fit together: %w", err)
	}
	return nil
}

// allOf runs statements in one transaction.
func allOf(ctx context.Context, conn *pgx.Conn, statements []string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, sql := range statements {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// tablesOf lists the tables of a schema under their whole names: ours are in public, their months in history.
func tablesOf(ctx context.Context, conn *pgx.Conn, schema string) ([]string, error) {
	rows, err := conn.Query(ctx, `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') ORDER BY 1`, schema)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for i, name := range names {
		names[i] = pgx.Identifier{schema, name}.Sanitize()
	}
	return names, err
}

type foreignKey struct{ Table, Name, Definition string }

// foreignKeys are those of our tables, in an order in which they can be made again.
func foreignKeys(ctx context.Context, conn *pgx.Conn) ([]foreignKey, error) {
	rows, err := conn.Query(ctx, `SELECT format('%I.%I', n.nspname, t.relname), format('%I', c.conname),
			pg_get_constraintdef(c.oid)
		FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_namespace n ON n.oid = t.relnamespace
		WHERE c.contype = 'f' AND c.conparentid = 0 AND n.nspname IN ('public', 'history') ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("list foreign keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[foreignKey])
	if err != nil {
		return nil, fmt.Errorf("list foreign keys: %w", err)
	}
	return keys, nil
}

// writer makes a role that may write rows and nothing else, where the connection is a superuser's.
func writer(ctx context.Context, conn *pgx.Conn) (role string, drop func() error, err error) {
	var super bool
	if err := conn.QueryRow(ctx, `SELECT rolsuper FROM pg_roles WHERE rolname = current_user`).Scan(&super); err != nil {
		return "", nil, fmt.Errorf("look at the role: %w", err)
	}
	if !super {
		return "", func() error { return nil }, nil
	}
	role = "debitdesk_restore_" + strings.ToLower(rand.Text())
	if err := allOf(ctx, conn, []string{"CREATE ROLE " + role, "GRANT USAGE ON SCHEMA public, history TO " + role,
		"GRANT INSERT ON ALL TABLES IN SCHEMA public, history TO " + role,
		"GRANT UPDATE ON ALL SEQUENCES IN SCHEMA public, history TO " + role}); err != nil {
		return "", nil, fmt.Errorf("make a role that writes rows: %w", err)
	}
	return role, func() error {
		return allOf(context.WithoutCancel(ctx), conn, []string{"DROP OWNED BY " + role, "DROP ROLE " + role})
	}, nil
}
