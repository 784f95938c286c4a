package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/database/history"
	"debitdesk/models/plural"
)

// CopyInfo is what a backup remembers of the database it was taken from.
type CopyInfo struct {
	Schema []string         `json:"schema"` // the steps of the schema, in their order
	Jobs   int              `json:"jobs"`   // the step of the queue's own schema
	Rows   map[string]int64 `json:"rows"`   // table → rows
	Months []string         `json:"months"` // the tables of months, as schema and name, that hold the rows of some
	Keys   []string         `json:"keys"`   // the sealing keys that something is sealed with
}

// AsOneMoment runs fn with the name of a snapshot that another connection may join,
// and with what the database holds at that moment. Nobody is held up meanwhile.
func (s Store) AsOneMoment(ctx context.Context, fn func(snapshot string, info CopyInfo) error) error {
	return history.Still(ctx, s.DB, func(conn *pgxpool.Conn) error {
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
			func(tx pgx.Tx) error {
				var snapshot string
				if err := tx.QueryRow(ctx, `SELECT pg_export_snapshot()`).Scan(&snapshot); err != nil {
					return fmt.Errorf("export a snapshot: %w", err)
				}
				info, err := copyInfo(ctx, tx)
				if err != nil {
					return err
				}
				return fn(snapshot, info)
			})
	})
}

// Holds counts what the database holds now.
func (s Store) Holds(ctx context.Context) (info CopyInfo, err error) {
	err = pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			info, err = copyInfo(ctx, tx)
			return err
		})
	return info, err
}

func copyInfo(ctx context.Context, tx pgx.Tx) (info CopyInfo, err error) {
	tables, err := ourTables(ctx, tx)
	if err != nil {
		return info, err
	}
	info.Rows = map[string]int64{}
	for _, table := range tables {
		var n int64
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+pgx.Identifier{"public", table}.Sanitize()).Scan(&n); err != nil {
			return info, fmt.Errorf("count %s: %w", table, err)
		}
		info.Rows[table] = n
	}
	months, err := tx.Query(ctx, `SELECT relnamespace::regnamespace::text || ' ' || relname FROM pg_class
		WHERE relispartition AND relkind = 'r' ORDER BY 1`)
	if err != nil {
		return info, fmt.Errorf("list partitions: %w", err)
	}
	if info.Months, err = pgx.CollectRows(months, pgx.RowTo[string]); err != nil {
		return info, fmt.Errorf("list partitions: %w", err)
	}
	steps, err := tx.Query(ctx,
		`SELECT version_id FROM goose_db_version WHERE is_applied AND version_id > 0 ORDER BY version_id`)
	if err != nil {
		return info, fmt.Errorf("steps of the schema: %w", err)
	}
	versions, err := pgx.CollectRows(steps, pgx.RowTo[int64])
	if err != nil {
		return info, fmt.Errorf("steps of the schema: %w", err)
	}
	for _, v := range versions {
		info.Schema = append(info.Schema, strconv.FormatInt(v, 10))
	}
	if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM river_migration`).Scan(&info.Jobs); err != nil {
		return info, fmt.Errorf("steps of the queue's schema: %w", err)
	}
	used, err := keysInUse(ctx, tx.Query)
	if err != nil {
		return info, err
	}
	for id := range used {
		info.Keys = append(info.Keys, id)
	}
	slices.Sort(info.Keys)
	return info, nil
}

// ourTables are those in the schema that holds everything of ours; partitions, which are
// in another one, belong to them.
func ourTables(ctx context.Context, q pgx.Tx) ([]string, error) {
	rows, err := q.Query(ctx,
		`SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Occupied says why a database is not to be written over: somebody else than this one
// connection uses it, or it holds a merchant, or tables that are not ours. Empty: it
// may be.
func Occupied(ctx context.Context, conn *pgx.Conn) (why string, err error) {
	var others int
	err = conn.QueryRow(ctx,
		`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
		AND pid <> pg_backend_pid()`).Scan(&others)
	if err != nil {
		return "", fmt.Errorf("look at the database: %w", err)
	}
	if others > 0 {
		return fmt.Sprintf("%d other connections use this database: stop every serve and work first", others), nil
	}
	var tables int
	var steps, filled bool
	err = conn.QueryRow(ctx,
		`SELECT count(*), coalesce(bool_or(relname = 'goose_db_version'), false),
			coalesce(bool_or(relname = 'merchants'), false)
		FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')`).
		Scan(&tables, &steps, &filled)
	if err != nil {
		return "", fmt.Errorf("look at the database: %w", err)
	}
	switch {
	case tables == 0, tables == 1 && steps: // earlier releases made that table when they were asked for the schema
		return "", nil
	case !steps || !filled:
		return "this database holds tables that are not Debitdesk's: restore into an empty one", nil
	}
	var merchants int
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM merchants`).Scan(&merchants); err != nil {
		return "", fmt.Errorf("look at the database: %w", err)
	}
	if merchants > 0 {
		return fmt.Sprintf("this database is not empty, it holds %s: restore into an empty one",
			plural.Of(merchants, "merchant")), nil
	}
	return "", nil
}

// Clear takes our empty tables away, so that a copy of any release fits in. Call it
// only when Occupied says nothing.
func Clear(ctx context.Context, conn *pgx.Conn) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, kind := range []struct{ list, drop string }{
			{`SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
				"TABLE"},
			{`SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
				AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`, "FUNCTION"},
			{`SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'`, "SEQUENCE"},
			{`SELECT typname::text FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')`, "TYPE"},
		} {
			rows, err := tx.Query(ctx, kind.list)
			if err != nil {
				return err
			}
			names, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			for _, name := range names {
				if kind.drop != "FUNCTION" { // its name comes quoted, with its arguments
					name = pgx.Identifier{"public", name}.Sanitize()
				}
				if _, err := tx.Exec(ctx, "DROP "+kind.drop+" IF EXISTS "+name+" CASCADE"); err != nil {
					return err
				}
			}
		}
		_, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS history CASCADE")
		return err
	})
	if err != nil {
		return fmt.Errorf("clear the empty database: %w", err)
	}
	return nil
}

// Differences names what a database holds otherwise than a copy says.
func (i CopyInfo) Differences(got CopyInfo) error {
	var wrong []error
	for table, want := range i.Rows {
		if n, there := got.Rows[table]; !there || n != want {
			wrong = append(wrong, fmt.Errorf("%s: %s, and %d in the backup", table, plural.Of(n, "row"), want))
		}
	}
	return errors.Join(wrong...)
}
