package leaving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
)

// Store reads books.
type Store struct{ *database.DB }

// snapshot is the database as it is at one moment, for one merchant. It has a connection beside the pool, for it may be
// held for minutes while others work.
type snapshot struct {
	conn       *pgx.Conn
	tx         pgx.Tx
	box        *seal.Box
	merchantID uuid.UUID
	numbers    bool
	name, slug string
	asked      int // queries, for a test
}

func (s Store) snapshot(ctx context.Context, merchantID uuid.UUID, numbers bool) (_ *snapshot, err error) {
	shot := &snapshot{box: s.Seal, merchantID: merchantID, numbers: numbers}
	if shot.conn, err = pgx.ConnectConfig(ctx, database.Dedicated(s.Direct, "debitdesk book")); err != nil {
		return nil, fmt.Errorf("open the book: %w", err)
	}
	defer func() {
		if err != nil {
			shot.close()
		}
	}()
	if shot.tx, err = shot.conn.BeginTx(ctx,
		pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}); err != nil {
		return nil, fmt.Errorf("open the book: %w", err)
	}
	err = shot.tx.QueryRow(ctx, `SELECT name, slug FROM merchants WHERE id = $1`, merchantID.String()).
		Scan(&shot.name, &shot.slug)
	if err != nil {
		return nil, fmt.Errorf("open the book: %w", err)
	}
	return shot, nil
}

// close ends the connection at once, and its transaction with it.
func (s *snapshot) close() { _ = s.conn.Close(context.Background()) }

// selected is the query of a column.
func (c column) selected() string {
	switch c.Kind {
	case Amount:
		return "(" + c.from + ")::bigint::text"
	case Day:
		return "to_char(" + c.from + ", 'YYYY-MM-DD')"
	case Moment:
		return "to_char((" + c.from + ") AT TIME ZONE 'UTC' + interval '2 hours', 'YYYY-MM-DD HH24:MI:SS')"
	case YesNo:
		return "CASE WHEN " + c.from + " THEN 'yes' ELSE 'no' END"
	case List:
		return "array_to_string(" + c.from + ", ' ')"
	case Text, Word, Count, JSON, Number:
	}
	return "(" + c.from + ")::text"
}

func (f file) belonging() string {
	where := " FROM " + f.from + " WHERE x.merchant_id = $1"
	if f.where != "" {
		where += " AND " + f.where
	}
	return where
}

// stream is the rows of a file, one after the other: the server sends them as they are written.
type stream struct {
	rows   pgx.Rows
	values [][]byte
	into   []any
	shot   *snapshot
}

func (s *snapshot) rows(ctx context.Context, f file) (*stream, error) {
	var selected []string
	for _, c := range f.columns {
		selected = append(selected, c.selected())
	}
	for _, c := range f.columns {
		if c.seal != nil && s.numbers {
			selected = append(selected, c.seal.from)
		}
	}
	return s.stream(ctx, len(selected),
		"SELECT "+strings.Join(selected, ", ")+f.belonging()+" ORDER BY "+f.order)
}

func (s *snapshot) stream(ctx context.Context, columns int, sql string) (*stream, error) {
	s.asked++
	rows, err := s.tx.Query(ctx, sql, s.merchantID.String())
	if err != nil {
		return nil, err
	}
	out := &stream{rows: rows, values: make([][]byte, columns), into: make([]any, columns), shot: s}
	for i := range out.values {
		out.into[i] = &out.values[i]
	}
	return out, nil
}

// next gives the values of the next row, which hold until the one after it.
func (s *stream) next() ([][]byte, bool, error) {
	if !s.rows.Next() {
		return nil, false, s.rows.Err()
	}
	return s.values, true, s.rows.Scan(s.into...)
}

// open gives a sealed number of a row; false when it is damaged.
func (s *stream) open(in sealed, row string, stored []byte) (string, bool) {
	id, err := uuid.Parse(row)
	if err != nil {
		return "", false
	}
	content, err := s.shot.box.OpenBytes(seal.PlaceOf(in.table, in.column, s.shot.merchantID, id), stored)
	if err != nil {
		return "", false
	}
	if in.part == "" || len(content) == 0 {
		return string(content), true
	}
	var parts map[string]string
	err = json.Unmarshal(content, &parts)
	return parts[in.part], err == nil
}

// count counts the rows of all files but those of lines.
func (s *snapshot) count(ctx context.Context) (n int64, err error) {
	for _, f := range files() {
		if f.lines {
			continue
		}
		var rows int64
		s.asked++
		if e := s.tx.QueryRow(ctx, "SELECT count(*)"+f.belonging(), s.merchantID.String()).Scan(&rows); e != nil {
			err = errors.Join(err, fmt.Errorf("count the rows of %s: %w", f.name, e))
			break
		}
		n += rows
	}
	return n, err
}
