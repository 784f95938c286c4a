package database

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

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
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
	refusing.CompareAndSwap(nil, &holders{of: map[*pgx.Conn]uint64{}, many: map[uint64]int{},
		refused: map[string][]string{}})
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

// AloneFilling runs fn while no other process fills the database with a demo.
func (s *DB) AloneFilling(ctx context.Context, fn func() error) error {
	const filling = 7316214004
	return alone(ctx, s.Direct, filling, fn)
}

// alone holds an advisory lock, which a crash gives up, while fn runs. The lock has a
// connection beside the pool: fn needs those of the pool.
func alone(ctx context.Context, pool *pgxpool.Pool, lock int64, fn func() error) error {
	conn, err := apart(ctx, pool, "debitdesk alone")
	if err != nil {
		return fmt.Errorf("wait for other processes: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // gives up the lock too
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, lock); err != nil {
		return fmt.Errorf("wait for other processes: %w", err)
	}
	return fn()
}

// apart opens a connection that is not one of the pool, for whatever keeps one for
// long: a lock, or listening.
func apart(ctx context.Context, pool *pgxpool.Pool, name string) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, Apart(pool, name))
}

// Apart is how such a connection is opened. Who gives it up ends it at once: it serves nobody afterwards.
func Apart(pool *pgxpool.Pool, name string) *pgx.ConnConfig {
	cfg := pool.Config().ConnConfig.Copy()
	cfg.Tracer = nil
	cfg.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	cfg.RuntimeParams["application_name"] = name
	return cfg
}

// connTx lets pgx-native code (the job queue, COPY) join a transaction that was
// begun on the same connection. Depth 0 is that outer transaction, which it
// never ends; deeper ones are savepoints.
type connTx struct {
	c     *pgx.Conn
	depth int
}

var _ pgx.Tx = connTx{}

func (t connTx) end(ctx context.Context, verb string) error {
	if t.depth == 0 {
		return nil
	}
	_, err := t.c.Exec(ctx, fmt.Sprintf("%s SAVEPOINT inner_%d", verb, t.depth))
	return err
}

func (t connTx) Begin(ctx context.Context) (pgx.Tx, error) {
	inner := connTx{t.c, t.depth + 1}
	_, err := t.c.Exec(ctx, fmt.Sprintf("SAVEPOINT inner_%d", inner.depth))
	return inner, err
}
func (t connTx) Commit(ctx context.Context) error   { return t.end(ctx, "RELEASE") }
func (t connTx) Rollback(ctx context.Context) error { return t.end(ctx, "ROLLBACK TO") }
func (t connTx) Exec(ctx context.Context, q string, a ...any) (pgconn.CommandTag, error) {
	return t.c.Exec(ctx, q, a...)
}
func (t connTx) Query(ctx context.Context, q string, a ...any) (pgx.Rows, error) {
	return t.c.Query(ctx, q, a...)
}
func (t connTx) QueryRow(ctx context.Context, q string, a ...any) pgx.Row {
	return t.c.QueryRow(ctx, q, a...)
}
func (t connTx) CopyFrom(ctx context.Context, table pgx.Identifier, cols []string,
	src pgx.CopyFromSource) (int64, error) {
	return t.c.CopyFrom(ctx, table, cols, src)
}
func (t connTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.c.SendBatch(ctx, b)
}
func (t connTx) Prepare(ctx context.Context, name, q string) (*pgconn.StatementDescription, error) {
	return t.c.Prepare(ctx, name, q)
}
func (t connTx) Conn() *pgx.Conn                { return t.c }
func (t connTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// run sends a batch and gives the row count of its last statement.
func run(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch) (rows int64, err error) {
	res := conn.SendBatch(ctx, batch)
	for range batch.Len() {
		tag, err := res.Exec()
		if err != nil {
			_ = res.Close()
			return 0, err
		}
		rows = tag.RowsAffected()
	}
	return rows, res.Close()
}

// Native gives ids in the form that travels as 16 bytes and not as text, and is not
// found out anew for each of many.
func Native(args []any) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case uuid.UUID:
			args[i] = pgtype.UUID{Bytes: v, Valid: true}
		case *uuid.UUID:
			if v == nil {
				args[i] = nil
			} else {
				args[i] = pgtype.UUID{Bytes: *v, Valid: true}
			}
		case []uuid.UUID:
			if v == nil {
				continue
			}
			ids := make(pgtype.FlatArray[pgtype.UUID], len(v))
			for n, id := range v {
				ids[n] = pgtype.UUID{Bytes: id, Valid: true}
			}
			args[i] = ids
		}
	}
	return args
}
