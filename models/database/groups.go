package database

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// groups serves callers who come while others are being served many at once. Nobody waits for a group to fill: as long
// as few come, each is served at once and by itself. When a group fails, each of its callers is served alone, so that
// nobody fails for another.
type groups[T any] struct {
	mu      sync.Mutex
	served  int // groups that are being served
	waiting []*caller[T]
}

// caller waits for its turn.
type caller[T any] struct {
	item  T
	leads bool
	turn  chan turn[T]
}

// turn is what becomes of a caller who waited: it leads a group, is served alone, or was served with others.
type turn[T any] struct {
	group []T
	rest  []*caller[T] // of the group, who are told
	alone bool
	err   error
}

const (
	mostTogether = 32               // callers in one group
	togetherTime = 10 * time.Second // for one group
)

// atOnce is how many groups are served at a time: while one waits for the disk, others use the processors.
var atOnce = max(2, runtime.GOMAXPROCS(0))

// serving says how callers are served.
type serving[T any] struct {
	alike func(a, b T) bool // tells whether two may be served together
	one   func(T) error
	all   func(ctx context.Context, group []T) error // the context outlives the callers
}

// do serves one caller, at once or with others.
func (g *groups[T]) do(ctx context.Context, item T, by serving[T]) error {
	g.mu.Lock()
	if g.served < atOnce {
		g.served++
		g.mu.Unlock()
		defer g.next(by)
		return by.one(item)
	}
	c := &caller[T]{item: item, turn: make(chan turn[T], 1)}
	g.waiting = append(g.waiting, c)
	g.mu.Unlock()
	var got turn[T]
	select {
	case got = <-c.turn:
	case <-ctx.Done():
		if !g.leave(c) {
			return ctx.Err() // should it be on its way, it may be served, as when a connection is lost
		}
		got = <-c.turn
	}
	switch {
	case got.group != nil:
		return g.lead(ctx, got, by)
	case got.alone:
		return by.one(item)
	}
	return got.err
}

// leave takes out a caller who waits no longer, and tells whether it is to lead a group all the same.
func (g *groups[T]) leave(c *caller[T]) (leads bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(other *caller[T]) bool { return other == c })
	return c.leads
}

// next gives the turn of a group that is done to those who wait.
func (g *groups[T]) next(by serving[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.served--
		return
	}
	first := g.waiting[0]
	var mine turn[T]
	var later []*caller[T]
	for _, c := range g.waiting {
		if len(mine.group) == mostTogether || !by.alike(first.item, c.item) {
			later = append(later, c)
			continue
		}
		mine.group = append(mine.group, c.item)
		if c != first {
			mine.rest = append(mine.rest, c)
		}
	}
	g.waiting, first.leads = later, true
	first.turn <- mine
}

// lead serves a group in the name of its first caller, and tells the others.
func (g *groups[T]) lead(ctx context.Context, mine turn[T], by serving[T]) error {
	defer g.next(by)
	others := turn[T]{alone: true}
	tell := sync.OnceFunc(func() {
		for _, c := range mine.rest {
			c.turn <- others
		}
	})
	defer tell()
	if len(mine.group) == 1 {
		return by.one(mine.group[0])
	}
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), togetherTime)
	defer cancel()
	err := by.all(longer, mine.group)
	if err == nil || Away(err) { // when the database went away, what was written may have been kept
		others = turn[T]{err: err}
		return err
	}
	tell()
	return by.one(mine.group[0])
}
