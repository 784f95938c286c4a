package wire

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Batcher runs calls that arrive while others are running as one batch. The first callers run at once, each by itself;
// later ones wait and are run together, by the first of them, which leads the batch. When a batch fails, each of its
// calls is run by itself, so that no call fails because of another. A batch that takes long stops holding others back.
type Batcher[T any] struct {
	// Patience is how long a running batch holds others back; 0: 100 ms.
	Patience time.Duration

	mu      sync.Mutex
	running int // batches that hold others back
	callers int // in those batches
	waiting []*call[T]
}

// call is one caller's item and what it waits for.
type call[T any] struct {
	item   T
	leads  bool
	result chan result[T]
}

// result tells a caller who waited what to do: lead a batch, run by itself, or return what became of its batch.
type result[T any] struct {
	batch     []T
	followers []*call[T] // the batch without its leader
	alone     bool
	err       error
}

const (
	// MinBatch is how many callers that wait are a batch of their own beside one that is running.
	MinBatch = 8

	maxBatch     = 32               // callers in one batch
	batchTimeout = 10 * time.Second // for one batch
	patience     = 100 * time.Millisecond
)

// maxRunning is how many batches run at a time: while one waits for the disk, others use the processors.
var maxRunning = max(2, runtime.GOMAXPROCS(0))

// Policy says how calls are run.
type Policy[T any] struct {
	Unbatched  int               // callers that run side by side before another one has to wait
	Compatible func(a, b T) bool // tells whether two calls may share a batch
	One        func(T) error
	Batch      func(ctx context.Context, batch []T) error // ctx outlives the callers
}

// Do runs one call, by itself or in a batch. It returns the error of ctx when that ends while the call waits; a call
// whose batch is already under way may still be carried out then, as when a connection is lost.
func (b *Batcher[T]) Do(ctx context.Context, item T, p Policy[T]) error {
	c := &call[T]{item: item, result: make(chan result[T], 1)}
	b.mu.Lock()
	b.waiting = append(b.waiting, c)
	b.start(p)
	b.mu.Unlock()
	var got result[T]
	select {
	case got = <-c.result:
	case <-ctx.Done():
		if !b.withdraw(c) {
			return ctx.Err()
		}
		got = <-c.result
	}
	switch {
	case got.batch != nil:
		return b.lead(ctx, got, p)
	case got.alone:
		return p.One(item)
	}
	return got.err
}

// Waiting is the length of the queue.
func (b *Batcher[T]) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// start lets the first call that waits lead a batch of those compatible with it, unless they have to wait for others.
func (b *Batcher[T]) start(p Policy[T]) {
	n := len(b.waiting)
	if n == 0 || b.callers >= p.Unbatched && (n < MinBatch || b.running >= maxRunning) {
		return
	}
	first := b.waiting[0]
	var next result[T]
	var later []*call[T]
	for _, c := range b.waiting {
		if len(next.batch) == maxBatch || !p.Compatible(first.item, c.item) {
			later = append(later, c)
			continue
		}
		next.batch = append(next.batch, c.item)
		if c != first {
			next.followers = append(next.followers, c)
		}
	}
	b.running, b.callers, b.waiting, first.leads = b.running+1, b.callers+len(next.batch), later, true
	first.result <- next
}

// withdraw takes a call out of the queue, and tells whether it leads a batch already and has to run it all the same.
func (b *Batcher[T]) withdraw(c *call[T]) (leads bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = slices.DeleteFunc(b.waiting, func(other *call[T]) bool { return other == c })
	return c.leads
}

// lead runs a batch in the name of its first caller, and tells its followers.
func (b *Batcher[T]) lead(ctx context.Context, mine result[T], p Policy[T]) error {
	done := sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.running, b.callers = b.running-1, b.callers-len(mine.batch)
		b.start(p)
	})
	defer done()
	defer time.AfterFunc(cmp.Or(b.Patience, patience), done).Stop()
	theirs := result[T]{alone: true}
	tell := sync.OnceFunc(func() {
		for _, c := range mine.followers {
			c.result <- theirs
		}
	})
	defer tell()
	if len(mine.batch) == 1 {
		return p.One(mine.batch[0])
	}
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTimeout)
	defer cancel()
	err := p.Batch(longer, mine.batch)
	if err == nil || Unavailable(err) { // when the server went away, what was written may stand
		theirs = result[T]{err: err}
		return err
	}
	tell()
	return p.One(mine.batch[0])
}
