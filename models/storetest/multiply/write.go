package multiply

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"debitdesk/models/plural"
)

// write replaces the rows of all tables by those of all copies, the oldest first, as history grows. Constraints and
// indexes are made afterwards, those of one table while the next is copied.
func (f *filling) write(ctx context.Context) error {
	foreign, rest, err := f.dropConstraints(ctx)
	if err != nil {
		return err
	}
	if err := f.neighbour(ctx); err != nil {
		return err
	}
	filled := make(chan *table, len(f.tables))
	built := make(chan error, 1)
	go func() { built <- f.build(ctx, filled, rest) }()
	slices.SortStableFunc(f.tables, func(a, b *table) int { return len(b.rows) - len(a.rows) })
	for _, t := range f.tables {
		if err = f.copyTable(ctx, t); err != nil {
			err = fmt.Errorf("%s: %w", t.name, err)
			break
		}
		filled <- t
	}
	close(filled)
	if err := errors.Join(err, <-built); err != nil {
		return err
	}
	f.Tell("references")
	for _, q := range foreign {
		if _, err := f.conn.Exec(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}

func (f *filling) copyTable(ctx context.Context, t *table) error {
	f.Tell(fmt.Sprintf("%s: %s", t.name, plural.Of(len(t.rows), "row")))
	if len(t.rows) == 0 {
		return nil
	}
	frozen := " WITH (FREEZE)" // its rows need no clean-up later
	if t.partitioned {
		frozen = ""
	}
	return pgx.BeginFunc(ctx, f.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "TRUNCATE "+t.name); err != nil {
			return err
		}
		return f.stream(ctx, t.name+" ("+t.names()+")", frozen, func(w *bufio.Writer) error {
			var line []byte
			each := func(c copyOf) error {
				for _, row := range t.rows {
					line = line[:0]
					for _, p := range row {
						line = p.write(line, c)
					}
					if _, err := w.Write(line); err != nil {
						return err
					}
				}
				return nil
			}
			return f.copies(t, each)
		})
	})
}

// stream copies into a table what is written.
func (f *filling) stream(ctx context.Context, into, with string, write func(*bufio.Writer) error) error {
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 1<<20)
		_ = w.CloseWithError(errors.Join(write(b), b.Flush()))
	}()
	_, err := f.conn.PgConn().CopyFrom(ctx, r, "COPY "+into+" FROM STDIN"+with)
	_ = r.CloseWithError(io.ErrClosedPipe) // ends the writer when the copying failed
	return err
}

// copies calls for each copy that a table gets, the oldest first.
func (f *filling) copies(t *table, each func(copyOf) error) error {
	half := (f.Times + 1) / 2
	for k := f.Times - 1; k >= 0; k-- {
		if t.limit > 0 && k >= t.limit || slices.Contains(sharedTables, t.name) && k >= half {
			continue
		}
		c := copyOf{k: k, days: daysBack(k, f.Times), turn: int64(f.Times - 1 - k)}
		if k < half {
			c.sharedK = k
		}
		if err := each(c); err != nil {
			return err
		}
		if k < f.Neighbour {
			c.neighbour = true
			if err := each(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// neighbour makes the second merchant, its brand and keys.
func (f *filling) neighbour(ctx context.Context) error {
	if f.Neighbour == 0 {
		return nil
	}
	for _, name := range ownedTables {
		t := &table{name: name}
		var err error
		if t.columns, t.key, err = f.columnsOf(ctx, name); err != nil {
			return err
		}
		if err := f.readRows(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		err = f.stream(ctx, name+" ("+t.names()+")", "", func(w *bufio.Writer) error {
			for _, row := range t.rows {
				line := string(joined(row, copyOf{neighbour: true}))
				if name == "merchants" {
					line = f.renamed(t, line)
				}
				if _, err := w.WriteString(line); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// renamed gives the second merchant a name of its own; one demo is enough.
func (f *filling) renamed(t *table, line string) string {
	values := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	for i, c := range t.columns {
		switch c.name {
		case "slug":
			values[i] += "-next-door"
		case "name":
			values[i] += " next door"
		case "is_demo":
			values[i] = "f"
		}
	}
	return strings.Join(values, "\t") + "\n"
}

// made is one constraint or index as it was.
type made struct{ table, make string }

type dropped struct{ drop, again string }

const othersDepend = "2BP01" // what PostgreSQL says when a view needs what is dropped

// dropConstraints takes constraints and indexes away and tells how to make them again.
func (f *filling) dropConstraints(ctx context.Context) (foreign []string, rest []made, err error) {
	names := make([]string, len(f.tables))
	for i, t := range f.tables {
		names[i] = t.name
	}
	rows, err := f.conn.Query(ctx, `SELECT c.contype = 'f', c.conrelid::regclass::text, quote_ident(c.conname),
			pg_get_constraintdef(c.oid)
		FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid LEFT JOIN pg_class t ON t.oid = c.confrelid
		WHERE c.contype IN ('f', 'p', 'u') AND c.conparentid = 0 AND NOT r.relispartition
			AND (r.relname = ANY ($1) OR t.relname = ANY ($1)) ORDER BY c.contype, c.conname`, names)
	if err != nil {
		return nil, nil, err
	}
	type constraint struct {
		Foreign          bool
		Table, Name, Def string
	}
	constraints, err := pgx.CollectRows(rows, pgx.RowToStructByPos[constraint])
	if err != nil {
		return nil, nil, err
	}
	var drops []dropped
	for _, c := range constraints {
		again := "ALTER TABLE " + c.Table + " ADD CONSTRAINT " + c.Name + " " + c.Def
		drops = append(drops, dropped{"ALTER TABLE " + c.Table + " DROP CONSTRAINT " + c.Name, again})
		if c.Foreign {
			foreign = append(foreign, again)
		} else {
			rest = append(rest, made{c.Table, again})
		}
	}
	rows, err = f.conn.Query(ctx, `SELECT t.relname, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
		FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
		WHERE t.relname = ANY ($1) AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid
			AND c.contype IN ('p', 'u')) ORDER BY 2`, names)
	if err != nil {
		return nil, nil, err
	}
	for rows.Next() {
		var table, name, def string
		if err := rows.Scan(&table, &name, &def); err != nil {
			return nil, nil, err
		}
		def = strings.Replace(def, " ON ONLY ", " ON ", 1) // an index of a table by months covers its months
		drops = append(drops, dropped{"DROP INDEX " + name, def})
		rest = append(rest, made{table, def})
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	for _, d := range drops {
		_, err := f.conn.Exec(ctx, d.drop)
		if needed := (&pgconn.PgError{}); errors.As(err, &needed) && needed.Code == othersDepend {
			rest = slices.DeleteFunc(rest, func(m made) bool { return m.make == d.again }) // a view needs the key: it stays
		} else if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", d.drop, err)
		}
	}
	return foreign, rest, nil
}

// build makes the keys and indexes of the tables that come, and tells the planner of their rows.
func (f *filling) build(ctx context.Context, filled <-chan *table, rest []made) (err error) {
	conn, err := pgx.Connect(ctx, f.dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, q := range settings {
		if _, err := conn.Exec(ctx, q); err != nil {
			return err
		}
	}
	for t := range filled {
		for _, m := range rest {
			if m.table != t.name {
				continue
			}
			if _, err := conn.Exec(ctx, m.make); err != nil {
				return fmt.Errorf("%s: %w", m.make, err)
			}
		}
		if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) "+t.name); err != nil {
			return err
		}
		f.Tell(t.name + ": indexed")
	}
	return nil
}

// derive makes what follows from the rows.
func (f *filling) derive(ctx context.Context) error {
	f.Tell("what follows from the rows")
	for _, q := range []string{
		"TRUNCATE " + strings.Join(derivedTables, ", "),
		`INSERT INTO audit_progress (turn, entry_id) VALUES (-1, '00000000-0000-0000-0000-000000000000')`,
		`UPDATE audit_turns SET base = GREATEST(base, (SELECT COALESCE(max(turn), 0) + 1 FROM audit_entries))`,
		`UPDATE collections SET state = 'final' WHERE state = 'provisional' AND action_date < current_date - 60`,
		"SELECT rebuild_figures()",
		`INSERT INTO purchase_counts (merchant_id, status, n)
			SELECT merchant_id, status, count(*) FROM purchases GROUP BY 1, 2`,
		`INSERT INTO purchase_sums (merchant_id, status, cents) SELECT merchant_id, status, sum(total_cents) FROM purchases
			WHERE currency = 'ZAR' GROUP BY 1, 2`,
		`INSERT INTO storing_counts (merchant_id, status, n) SELECT merchant_id, status, count(*) FROM purchases
			WHERE total_cents = 0 GROUP BY 1, 2`,
		`INSERT INTO mandate_counts (merchant_id, kind, state, n) SELECT merchant_id, kind, state, count(*) FROM mandates
			GROUP BY 1, 2, 3`,
		fmt.Sprintf(`UPDATE brand_counters SET next = next * %d`, f.Times),
		`INSERT INTO invoice_series (brand_id, kind, year, next, prefix)
			SELECT i.brand_id, i.kind, i.year, max(i.serial) + 1, max(s.prefix) FROM invoices i
			JOIN invoice_series s ON s.brand_id = i.brand_id AND s.kind = i.kind GROUP BY 1, 2, 3
			ON CONFLICT (brand_id, kind, year) DO UPDATE SET next = excluded.next`,
		`SELECT setval(pg_get_serial_sequence('events', 'seq'), (SELECT COALESCE(max(seq), 1) FROM events))`,
		"SET session_replication_role = DEFAULT", // an entry is posted by its trigger
		"SELECT post_missing()",
		"SELECT fold_journal(2147483647)",
		"SET session_replication_role = replica",
		"ANALYZE",
	} {
		if _, err := f.conn.Exec(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}
