package store

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Who holds a connection of the pool and waits for a second one can wait for ever:
// as many callers as the pool has connections hold all of them and wait for each
// other. Whatever runs in a transaction therefore uses the connection of the
// transaction. Tests refuse a second one, whatever context it is asked with.

// holders knows which goroutine holds which connections.
type holders struct {
	mu      sync.Mutex
	of      map[*pgx.Conn]uint64
	many    map[uint64]int
	refused map[string][]string // by database: where a second one was asked for
}

var refusing atomic.Pointer[holders]

// RefuseSecondConnections has every pool of this process refuse a connection to a
// goroutine that holds one. It is for tests.
func RefuseSecondConnections() {
	refusing.CompareAndSwap(nil, &holders{of: map[*pgx.Conn]uint64{}, many: map[uint64]int{}, refused: map[string][]string{}})
}

// SecondConnections tells where second connections to a database were refused.
func SecondConnections(database string) []string {
	h := refusing.Load()
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused[database]
}

// refuse is an error when the goroutine holds a connection already.
func (h *holders) refuse(pool *pgxpool.Pool, id uint64) error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.many[id] == 0 {
		return nil
	}
	database := pool.Config().ConnConfig.Database
	h.refused[database] = append(h.refused[database], string(debug.Stack()))
	return fmt.Errorf("a second connection was asked for while one is held: %w", context.Canceled)
}

// took notes that the goroutine holds the connection.
func (h *holders) took(conn *pgx.Conn, id uint64) {
	if h == nil || conn == nil || listens() {
		return // the queue's listener takes its connection out of the pool
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[conn] = id
	h.many[id]++
}

func (h *holders) gave(conn *pgx.Conn) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	id, ok := h.of[conn]
	if !ok {
		return
	}
	delete(h.of, conn)
	if h.many[id]--; h.many[id] == 0 {
		delete(h.many, id)
	}
}

// listens tells whether the queue's listener asks for the connection. It asks the pool
// directly, so the nearest callers are enough.
func listens() bool {
	var nearest [12]uintptr
	frames := runtime.CallersFrames(nearest[:runtime.Callers(1, nearest[:])])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "(*Listener).Connect") {
			return true
		}
		if !more {
			return false
		}
	}
}

// goroutine is the number of the calling goroutine, as its stack names it; 0 for nil,
// because looking walks the whole stack.
func (h *holders) goroutine() uint64 {
	if h == nil {
		return 0
	}
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	n, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("goroutine ")), []byte(" "))
	id, _ := strconv.ParseUint(string(n), 10, 64)
	return id
}
