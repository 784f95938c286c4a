// Package prove plays seeded histories of the whole product and checks what came of them. A history has a database of
// its own, two servers over it in processes of their own, and a merchant whose programs, staff and clients do at
// random, some of it at once, what people do; a clock that moves on by days; and faults: servers that are killed,
// connections that break, answers of the bank that come late, twice, in another order or not at first.
//
// What must hold afterwards stands in three places: the models of a history, which Porcupine compares with what was
// answered (models.go); sentences about the rows (checks_rows.go); and what the product checks of itself, its
// figures, its journal and its audit. The package knows the product by its addresses and its use cases, and the
// sandbox bank by its tables, for that bank is another house; nothing in the product knows of this package.
package prove

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/cmd/app"
	"debitdesk/models/database"
	"debitdesk/models/database/postgres"
	"debitdesk/models/plural"
)

// Options say what is played, and with what.
type Options struct {
	Seed      uint64 // of the first history; the next has the next number
	Histories int
	Faults    []Fault
	Every     int    // histories of which a line tells; 0: 10
	Server    string // a postgres:// address of the server for the databases; empty: a throw-away server
	Template  string // a migrated database there, without rows; empty: one is made and dropped
	Program   string // file of the program that serves
	Open      func(ctx context.Context, dsn, folder string) (*Desk, error)
	Out       io.Writer

	// Transport carries the calls of programs to the servers; nil: as it is. What it does to them is seen as the
	// product's.
	Transport http.RoundTripper
	// After is called when nothing was wrong, before the database is dropped; nil: nothing.
	After func(context.Context, *Played) error
}

// Played is a history that is over.
type Played struct {
	h  *history
	DB *pgxpool.Pool
}

// Check looks at everything again, and says what does not hold.
func (p *Played) Check(ctx context.Context) ([]string, error) { return p.h.check(ctx) }

// Desk is the product as it is opened in this process.
type Desk struct {
	app.Services
	Store *database.DB
	Close func() error
}

// Failure is a history after which something did not hold.
type Failure struct {
	Seed  uint64
	Wrong []string // sentences
	Acts  []string // what was done, in order; acts of one round were done at once
}

const tells = 10

// Run plays the histories one after the other and stops at the first that fails. An error means that a history could
// not be played to its end, which says nothing about the product.
func Run(ctx context.Context, o Options) (failed *Failure, err error) {
	p, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	every := o.Every
	if every == 0 {
		every = tells
	}
	acts := 0
	for n := range o.Histories {
		h, err := p.history(ctx, o.Seed+uint64(n)) //nolint:gosec // counts from 0
		if err != nil {
			return nil, fmt.Errorf("the history of seed %d: %w", o.Seed+uint64(n), err) //nolint:gosec // as above
		}
		if acts += len(h.acts); len(h.wrong) > 0 {
			return &Failure{Seed: h.seed, Wrong: h.wrong, Acts: h.acts}, nil
		}
		if (n+1)%every == 0 || n+1 == o.Histories {
			_, _ = fmt.Fprintf(o.Out, "%s with %s, nothing wrong; the next seed is %d\n", plural.Of(n+1, "history"),
				plural.Of(acts, "act"), h.seed+1)
		}
	}
	return nil, nil
}

// place is where histories are played: a server of PostgreSQL, a template and a folder.
type place struct {
	Options
	bases
	cluster *postgres.Cluster
	folder  string
}

func open(ctx context.Context, o Options) (p *place, err error) {
	p = &place{Options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.folder, err = os.MkdirTemp("", "debitdesk-prove-"); err != nil {
		return p, err
	}
	dsn := o.Server
	if dsn == "" {
		if p.cluster, err = postgres.Throwaway(ctx); err != nil {
			return p, err
		}
		dsn = p.cluster.DSN("postgres")
	}
	p.bases, err = openBases(ctx, dsn, o.Template)
	return p, err
}

func (p *place) close() error {
	err := p.bases.close()
	if p.cluster != nil {
		p.cluster.Stop()
	}
	return errors.Join(err, os.RemoveAll(p.folder))
}

// Tell writes a failure for people, and how to play the history again.
func (f Failure) Tell(out io.Writer, faults []Fault) {
	_, _ = fmt.Fprintf(out, "The history of seed %d does not hold.\n", f.Seed)
	for _, one := range f.Wrong {
		_, _ = fmt.Fprintf(out, "  %s\n", one)
	}
	_, _ = fmt.Fprintf(out, "What was done:\n  %s\n", strings.Join(f.Acts, "\n  "))
	_, _ = fmt.Fprintf(out, "Play it again: debitdesk prove --seed %d --histories 1 --faults %s\n"+
		"The acts are the same then; which of those at once comes first is not.\n", f.Seed, Names(faults))
}
