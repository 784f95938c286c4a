package requestlog

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
)

// How much waits to be written, and for how long.
const (
	mostWaiting = 20_000  // entries
	mostBytes   = 8 << 20 // of memory, about
	flushEvery  = 250 * time.Millisecond
	flushTime   = 10 * time.Second // what one write may take
	atOnce      = 2_000            // entries in one write
)

// Log takes entries and writes them a little later, many at a time, so that no
// request waits for it. What finds no room is dropped and counted.
type Log struct {
	Write   func(ctx context.Context, entries []Entry) error
	Dropped func(n int)      // nil: nobody counts
	NewID   func() uuid.UUID // of the product's clock, as Now
	Now     func() time.Time
	Log     *slog.Logger

	mu      sync.Mutex
	waiting []Entry
	bytes   int
	most    int // bytes; 0: mostBytes
}

// Add takes one entry, gives it its id and its moment, and never waits.
func (l *Log) Add(e Entry) {
	e.ID, e.At = l.NewID(), l.Now()
	n := e.size()
	l.mu.Lock()
	room := len(l.waiting) < mostWaiting && l.bytes+n <= l.limit()
	if room {
		l.waiting, l.bytes = append(l.waiting, e), l.bytes+n
	}
	l.mu.Unlock()
	if !room {
		l.drop(1)
	}
}

func (l *Log) limit() int {
	if l.most > 0 {
		return l.most
	}
	return mostBytes
}

func (l *Log) drop(n int) {
	if l.Dropped != nil {
		l.Dropped(n)
	}
}

// Run writes what waits, four times a second, until ctx ends, and then the rest.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.Flush(ctx)
		case <-ctx.Done():
			l.Flush(context.WithoutCancel(ctx))
			return
		}
	}
}

// Flush writes what waits now. What cannot be written is dropped: the next entries
// matter more than these.
func (l *Log) Flush(ctx context.Context) {
	l.mu.Lock()
	entries := l.waiting
	l.waiting, l.bytes = nil, 0
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer cancel()
	for len(entries) > 0 {
		n := min(atOnce, len(entries))
		if err := l.Write(ctx, entries[:n]); err != nil {
			l.drop(len(entries))
			if l.Log != nil {
				l.Log.WarnContext(ctx, "the log of requests could not be written", "error", err,
					"entries", len(entries))
			}
			return
		}
		entries = entries[n:]
	}
}
