package wire

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/paging"
)

// Pipeline is what several readers of one request share: whenever each of them waits for rows or is done, all that is
// waited for is sent in one round trip.
//
// A reader that waits for anything but rows (a lock, a channel, another server) keeps the others from being sent. They
// wait for it one second, once; from then on each reader of this request asks by itself.
type Pipeline struct {
	ctx      context.Context
	patience time.Duration // with a reader that neither asks nor ends; 0: stallTimeout

	mu      sync.Mutex
	busy    int // readers that do not wait
	waiting []*request
	stall   *time.Timer // of those who wait; nil: nobody does
	parked  int         // how often a reader came to wait, so that a timer knows whether it is the last one
	split   bool        // a reader kept the others waiting for too long
}

// request is what one reader waits for.
type request struct {
	on      Sender
	queries []Query
	done    chan error
}

// stallTimeout is how long readers wait for one that neither asks nor ends. It is far longer than a reader computes
// between two questions, and short enough for whoever looks at the page.
const stallTimeout = time.Second

var _ paging.Group = (*Pipeline)(nil)

type pipelineKey struct{}

// PipelineOf is the pipeline that a context shares with other readers; nil: there is none.
func PipelineOf(ctx context.Context) *Pipeline {
	p, _ := ctx.Value(pipelineKey{}).(*Pipeline)
	return p
}

// Pipelined runs readers side by side, each with a context that shares a pipeline: that of ctx, or a new one. It waits
// for all of them. The first error, in their order, is that of all; a panic is passed on.
func Pipelined(ctx context.Context, reads ...func(context.Context) error) error {
	p := PipelineOf(ctx)
	if p == nil {
		p = &Pipeline{ctx: ctx, busy: 1}
		ctx = p.share(ctx)
	}
	return p.run(ctx, reads)
}

func (p *Pipeline) share(ctx context.Context) context.Context {
	return paging.Grouped(context.WithValue(ctx, pipelineKey{}, p), p)
}

func (p *Pipeline) run(ctx context.Context, reads []func(context.Context) error) error {
	p.resume(len(reads) - 1) // who called waits for them
	errs, panics := make([]error, len(reads)), make([]any, len(reads))
	var all sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(len(reads)))
	for i, read := range reads {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					panics[i] = fmt.Sprintf("%v\n%s", v, debug.Stack())
				}
				if left.Add(-1) > 0 { // after the last one, who called goes on
					p.park(nil)
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

// Waits implements paging.Group.
func (p *Pipeline) Waits() { p.park(nil) }

// GoesOn implements paging.Group.
func (p *Pipeline) GoesOn() { p.resume(1) }

func (p *Pipeline) resume(readers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy += readers
}

// Send waits until queries were answered. When ctx ends before they are sent, it returns the error of ctx. What has
// been sent is waited for, since its rows go to the caller; the context of the pipeline breaks that off.
func (p *Pipeline) Send(ctx context.Context, on Sender, queries ...Query) error {
	r := &request{on, queries, make(chan error, 1)}
	p.park(r)
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		if p.withdraw(r) {
			return ctx.Err()
		}
		return <-r.done
	}
}

// park notes that a reader waits: for r, or for something else, or since it is done. The last one to come sends what
// all wait for.
func (p *Pipeline) park(r *request) {
	p.mu.Lock()
	p.busy--
	p.parked++
	if r != nil {
		p.waiting = append(p.waiting, r)
	}
	if p.busy > 0 && !p.split {
		p.watch()
		p.mu.Unlock()
		return
	}
	batch := p.take()
	p.mu.Unlock()
	p.flush(batch)
}

// withdraw takes back a request that was not sent; false when it was.
func (p *Pipeline) withdraw(r *request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.Index(p.waiting, r)
	if at < 0 {
		return false
	}
	p.waiting = slices.Delete(p.waiting, at, at+1)
	p.busy++
	return true
}

// watch sends what is waited for after a while, unless another reader comes before.
func (p *Pipeline) watch() {
	if p.stall != nil {
		p.stall.Stop()
	}
	if len(p.waiting) == 0 {
		return
	}
	last := p.parked
	p.stall = time.AfterFunc(cmp.Or(p.patience, stallTimeout), func() {
		p.mu.Lock()
		if p.parked != last || len(p.waiting) == 0 {
			p.mu.Unlock()
			return
		}
		p.split = true
		batch := p.take()
		p.mu.Unlock()
		p.flush(batch)
	})
}

// take gives what is waited for; whoever waited is busy again once it is answered.
func (p *Pipeline) take() []*request {
	if p.stall != nil {
		p.stall.Stop()
	}
	batch := p.waiting
	p.waiting, p.busy = nil, p.busy+len(batch)
	return batch
}

func (p *Pipeline) flush(batch []*request) {
	if len(batch) == 0 {
		return
	}
	var queries []Query
	for _, r := range batch {
		queries = append(queries, r.queries...)
	}
	err := Send(p.ctx, batch[0].on, queries...)
	for _, r := range batch {
		r.done <- err
	}
}

// QueryRow gives one row, which is asked for with what others read when it is scanned.
func (p *Pipeline) QueryRow(ctx context.Context, on Sender, sql string, args ...any) pgx.Row {
	return pipelinedRow{p, ctx, on, sql, args}
}

// pipelinedRow keeps its context until it is scanned, as a row of pgx does.
type pipelinedRow struct {
	by   *Pipeline
	ctx  context.Context
	on   Sender
	sql  string
	args []any
}

// Scan implements pgx.Row.
func (r pipelinedRow) Scan(into ...any) error {
	none := true
	err := r.by.Send(r.ctx, r.on, Query{r.sql, r.args, func(rows pgx.Rows) error {
		if !rows.Next() {
			return rows.Err()
		}
		none = false
		return rows.Scan(into...)
	}})
	if err == nil && none {
		return pgx.ErrNoRows
	}
	return err
}
