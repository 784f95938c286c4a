package database

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// groups serves callers who come while others are being served many at once. Few are served at once, each by itself; as
// soon as there are more, those who come wait for the ones before them, and are served together. When a group fails,
// each of its callers is served alone, so that nobody fails for another, and a group that takes long keeps nobody back.
type groups[T any] struct {
	mu      sync.Mutex
	serving int // groups that keep others back
	callers int // in those groups
	waiting []*caller[T]
	patient time.Duration // for which a group keeps others back; 0: patientTime
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
	enough       = 8                // callers who are a group of their own beside another
	mostTogether = 32               // callers in one group
	togetherTime = 10 * time.Second // for one group
	patientTime  = 100 * time.Millisecond
)

// most is how many groups are served at a time: while one waits for the disk, others use the processors.
var most = max(2, runtime.GOMAXPROCS(0))

// served says how callers are served.
type served[T any] struct {
	few   int               // callers who do not wait for each other
	alike func(a, b T) bool // tells whether two may be served together
	one   func(T) error
	all   func(ctx context.Context, group []T) error // the context outlives the callers
}

// do serves one caller, at once or with others.
func (g *groups[T]) do(ctx context.Context, item T, by served[T]) error {
	c := &caller[T]{item: item, turn: make(chan turn[T], 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, c)
	g.begin(by)
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

// begin gives the first who waits its turn, with all who may be served with it, unless they are to wait for others.
func (g *groups[T]) begin(by served[T]) {
	n := len(g.waiting)
	if n == 0 || g.callers >= by.few && (n < enough || g.serving >= most) {
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
	g.serving, g.callers, g.waiting, first.leads = g.serving+1, g.callers+len(mine.group), later, true
	first.turn <- mine
}

// leave takes out a caller who waits no longer, and tells whether it is to lead a group all the same.
func (g *groups[T]) leave(c *caller[T]) (leads bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(other *caller[T]) bool { return other == c })
	return c.leads
}

// lead serves a group in the name of its first caller, and tells the others.
func (g *groups[T]) lead(ctx context.Context, mine turn[T], by served[T]) error {
	done := sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.serving, g.callers = g.serving-1, g.callers-len(mine.group)
		g.begin(by)
	})
	defer done()
	defer time.AfterFunc(cmp.Or(g.patient, patientTime), done).Stop()
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
