// Package held refuses a connection of a pool to whoever holds one already, so that tests find what would wait for
// itself under load. It knows goroutines by their numbers.
package held

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/petermattis/goid"

	"debitdesk/models/database"
)

// holders knows which goroutine holds which connections.
type holders struct {
	mu      sync.Mutex
	of      map[*pgx.Conn]int64
	many    map[int64]int
	refused map[string][]string // by database: where a second one was asked for
}

var all = &holders{of: map[*pgx.Conn]int64{}, many: map[int64]int{}, refused: map[string][]string{}}

// Refuse has every pool of this process refuse a connection to a goroutine that holds one.
func Refuse() { database.GuardConnections(all) }

// Refused tells where second connections to a database were refused.
func Refused(database string) []string {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.refused[database]
}

// Asks implements database.Guard.
func (h *holders) Asks(pool *pgxpool.Pool) (who int64, gets bool) {
	who = goid.Get()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.many[who] == 0 {
		return who, true
	}
	database := pool.Config().ConnConfig.Database
	h.refused[database] = append(h.refused[database], string(debug.Stack()))
	return who, false
}

// Took implements database.Guard.
func (h *holders) Took(conn *pgx.Conn, who int64) {
	if listens() {
		return // the queue's listener takes its connection out of the pool
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[conn] = who
	h.many[who]++
}

// Gave implements database.Guard.
func (h *holders) Gave(conn *pgx.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	who, ok := h.of[conn]
	if !ok {
		return
	}
	delete(h.of, conn)
	if h.many[who]--; h.many[who] == 0 {
		delete(h.many, who)
	}
}

// callers are the nearest ones to whoever asks a pool, without those between the pool and Took.
type callers [6]uintptr

// betweenUs are the calls of runtime.Callers, listens, Took and the pool's tracer.
const betweenUs = 4

var listening sync.Map // callers: whether the queue's listener is one of them, which costs more to find out

// listens tells whether the queue's listener asks for the connection. It asks the pool directly, so the nearest callers
// are enough.
func listens() bool {
	var nearest callers
	n := runtime.Callers(betweenUs, nearest[:])
	known, ok := listening.Load(nearest)
	if !ok {
		known, _ = listening.LoadOrStore(nearest, named(nearest[:n], "(*Listener).Connect"))
	}
	return known.(bool) //nolint:errcheck // nothing else is stored
}

func named(calls []uintptr, end string) bool {
	frames := runtime.CallersFrames(calls)
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, end) {
			return true
		}
		if !more {
			return false
		}
	}
}
