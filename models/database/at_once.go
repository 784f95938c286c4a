package database

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// AtOnce reads several things that do not depend on each other. What they ask goes out together: whenever each of them
// waits for an answer or is done, all that is waited for is one round trip. Each asks with the context that it is
// given, writes nothing, and holds nothing that another one waits for, but by paging.Once. The first error, in their
// order, is everybody's.
func AtOnce(ctx context.Context, reads ...func(context.Context) error) error {
	if TxOf(ctx) != nil || asideOf(ctx) != nil || len(reads) < 2 { // one connection, or two databases
		for _, read := range reads {
			if err := read(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	r := roundsOf(ctx)
	if r == nil {
		r = &rounds{ctx: ctx, reading: 1}
		ctx = paging.Grouped(context.WithValue(ctx, roundsKey{}, r), r)
	}
	r.more(len(reads) - 1) // who called waits for them
	errs, panics := make([]error, len(reads)), make([]any, len(reads))
	var all sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(len(reads)))
	for i, read := range reads {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panics[i] = fmt.Sprintf("%v\n%s", p, debug.Stack())
				}
				if left.Add(-1) > 0 { // after the last one, who called goes on
					r.rest()
				}
			}()
			errs[i] = read(ctx)
		})
	}
	all.Wait()
	for i, err := range errs {
		if panics[i] != nil {
			panic(panics[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EachAtOnce reads something of each of several at once, as AtOnce does.
func EachAtOnce[O, T any](ctx context.Context, of []O, read func(context.Context, O) (T, error)) ([]T, error) {
	found, reads := make([]T, len(of)), make([]func(context.Context) error, len(of))
	for i := range of {
		reads[i] = func(ctx context.Context) (err error) {
			found[i], err = read(ctx, of[i])
			return err
		}
	}
	err := AtOnce(ctx, reads...)
	return found, err
}

type roundsKey struct{}

// roundsOf are the round trips that a context shares with others; nil where it asks by itself.
func roundsOf(ctx context.Context) *rounds {
	if TxOf(ctx) != nil || asideOf(ctx) != nil {
		return nil
	}
	r, _ := ctx.Value(roundsKey{}).(*rounds)
	return r
}

// rounds are the round trips of what is read at once.
type rounds struct {
	ctx     context.Context
	mu      sync.Mutex
	reading int // of those that read, how many do not wait
	waiting []*asking
}

// asking is what one of them waits for.
type asking struct {
	on      *Pool
	queries []query
	done    chan error
}

// Waits implements paging.Group.
func (r *rounds) Waits() { r.rest() }

// GoesOn implements paging.Group.
func (r *rounds) GoesOn() { r.more(1) }

func (r *rounds) more(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading += n
}

// ask waits until what is asked was answered.
func (r *rounds) ask(on *Pool, queries []query) error {
	a := &asking{on, queries, make(chan error, 1)}
	r.mu.Lock()
	r.waiting = append(r.waiting, a)
	r.mu.Unlock()
	r.rest()
	return <-a.done
}

// rest tells that somebody waits, or is done. Whoever was the last to read asks for all who wait.
func (r *rounds) rest() {
	r.mu.Lock()
	r.reading--
	if r.reading > 0 || len(r.waiting) == 0 {
		r.mu.Unlock()
		return
	}
	going := r.waiting
	r.waiting, r.reading = nil, len(going)
	r.mu.Unlock()
	var queries []query
	for _, a := range going {
		queries = append(queries, a.queries...)
	}
	err := send(r.ctx, going[0].on.Pool, queries)
	for _, a := range going {
		a.done <- err
	}
}

// query is a statement with what takes its rows.
type query struct {
	sql  string
	args []any
	rows func(pgx.Rows) error
}

// setting is a statement that sets something until the end of a batch.
func setting(name, value string) query {
	return query{sql: "SELECT set_config('" + name + "', '" + value + "', true)",
		rows: func(rows pgx.Rows) error { rows.Close(); return rows.Err() }}
}

// into is a statement whose records go to a list.
func into[T any](list *[]T, s *DB, from *table.Table[T], sql string, args []any) query {
	return query{sql, Native(args), func(rows pgx.Rows) (err error) {
		if *list, err = from.Collect(s.Seal, rows); err != nil {
			err = fmt.Errorf("read from %s: %w", from.Name, err)
		}
		return err
	}}
}

// ask sends statements in one round trip, with those of others where a context shares it.
func (p *Pool) ask(ctx context.Context, on querier, queries ...query) error {
	if r := roundsOf(ctx); r != nil {
		return r.ask(p, queries)
	}
	return send(ctx, on, queries)
}

func send(ctx context.Context, on querier, queries []query) error {
	batch := &pgx.Batch{}
	for _, q := range queries {
		batch.Queue(q.sql, q.args...).Query(func(rows pgx.Rows) (err error) {
			defer func() { // others wait for what was asked with it, and the connection is given back
				if p := recover(); p != nil {
					err = fmt.Errorf("read the rows of %q: %v\n%s", q.sql, p, debug.Stack())
				}
			}()
			return q.rows(rows)
		})
	}
	return on.SendBatch(ctx, batch).Close()
}
