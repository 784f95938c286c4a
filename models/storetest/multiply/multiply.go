// Package multiply gives a database that holds one merchant with some history, such as the demo, many times the rows:
// each table that grows with a merchant gets copies of the merchant's own rows. Tests and the bench use it; the
// product does not.
//
// A copy differs from what it is a copy of by rules that hold for every table and column alike, so that joins hold and
// new tables and columns are covered by themselves:
//
//   - The id of a row becomes an id of the copy, everywhere: in ids, references, JSON, texts and kept messages.
//   - Numbers that count (references, contracts, invoices) go on counting, and addresses and phones differ.
//   - What lies in the past moves back by whole days, up to three years: ids, times and dates. What lies ahead stays,
//     so that a debit that waits for its day still waits. The copies are spread evenly over the days; as many of
//     them stay where they are as the last days need to be as full as the others.
//   - What the product keeps for some weeks only (events, requests) is not moved back.
//   - Sealed values are sealed anew for their row. Hashes differ from copy to copy.
//
// The days in mails and in sentences stay as they were written.
package multiply

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/seal"
)

// Options say how much is made.
type Options struct {
	Times     int       // what is there, and so many copies less one
	Neighbour int       // as many copies at a second merchant, whose rows no page of the first should meet
	Merchant  uuid.UUID // whose rows are multiplied; no other merchant has rows
	Box       *seal.Box // opens and seals
	Sealed    []string  // the sealed columns, as table.column
	Tell      func(what string)
}

// backTo is how many days copies move back at most.
const backTo = 3 * 365

// span is how many days the rows cover that are copied.
const span = 35

// daysBack tells how far the copy k of so many moves back.
func daysBack(k, times int) int {
	staying := times * span / (backTo + span)
	if k <= staying {
		return 0
	}
	return 1 + (k-staying-1)*backTo/max(1, times-staying-1)
}

// Fill multiplies the rows of a database that nobody else uses meanwhile.
func Fill(ctx context.Context, dsn string, o Options) (err error) {
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	f := &filling{Options: o, conn: conn, dsn: dsn, until: time.Now().UTC()}
	for _, q := range settings {
		if _, err := conn.Exec(ctx, q); err != nil {
			return err
		}
	}
	if err := f.read(ctx); err != nil {
		return fmt.Errorf("multiply: %w", err)
	}
	if err := f.write(ctx); err != nil {
		return fmt.Errorf("multiply: %w", err)
	}
	return f.derive(ctx)
}

// settings of a connection that fills: no triggers, and room for making indexes.
var settings = []string{"SET session_replication_role = replica", "SET maintenance_work_mem = '512MB'",
	"SET timezone = 'UTC'", "SET synchronous_commit = off"}

// filling is one run.
type filling struct {
	Options
	conn   *pgx.Conn
	dsn    string
	until  time.Time // what lies after it stays
	tables []*table
	ids    map[uuid.UUID]class
	steps  map[string]int64 // of what counts, by its name
	issued map[string]day   // of invoices, by their number
}

// class says how an id is mapped; ids that are not known are of copied rows.
type class byte

const (
	copied class = iota
	fixed        // of a person or key: the same in all copies
	owned        // of the merchant itself: its neighbour has others
	young        // of a row that does not move back
	shared       // of a row that several copies share
)

// copy is one copy of everything.
type copyOf struct {
	k, days   int
	turn      int64 // how many copies come before it
	neighbour bool
	sharedK   int
}
