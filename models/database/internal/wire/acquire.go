package wire

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Whoever holds a connection of the pool and waits for a second one can wait for ever: as many callers as the pool has
// connections hold all of them and wait for each other. Whatever runs in a transaction therefore uses the connection of
// the transaction. Tests refuse a second connection by a Guard, whatever context it is asked for with.

// AcquireTimeout is how long a request waits for a connection of the pool, unless it is configured otherwise.
const AcquireTimeout = 5 * time.Second

// Guard sees who takes connections of pools and who gives them back.
type Guard interface {
	// Asks tells who asks for a connection, and whether it gets one.
	Asks(pool *pgxpool.Pool) (who int64, gets bool)
	Took(conn *pgx.Conn, who int64)
	Gave(conn *pgx.Conn)
}

var guard atomic.Pointer[Guard]

// GuardConnections has every pool of this process ask a guard: the first that is given. It is for tests; production has
// none.
func GuardConnections(g Guard) { guard.CompareAndSwap(nil, &g) }

// acquireLimit gives up waiting for a connection of the pool; pgxpool calls its tracer.
type acquireLimit struct{ limit time.Duration }

type acquireKey struct{}

// acquiring is one wait for a connection.
type acquiring struct {
	cancel context.CancelFunc
	who    int64 // as a guard named it
}

var _ pgxpool.AcquireTracer = acquireLimit{}

var _ pgxpool.ReleaseTracer = acquireLimit{}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (a acquireLimit) TraceAcquireStart(ctx context.Context, p *pgxpool.Pool,
	_ pgxpool.TraceAcquireStartData) context.Context {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	var who int64
	if g := guard.Load(); g != nil {
		var gets bool
		if who, gets = (*g).Asks(p); !gets {
			cancel()
		}
	}
	return context.WithValue(ctx, acquireKey{}, acquiring{cancel, who})
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (acquireLimit) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, got pgxpool.TraceAcquireEndData) {
	if a, ok := ctx.Value(acquireKey{}).(acquiring); ok {
		if g := guard.Load(); g != nil && got.Conn != nil {
			(*g).Took(got.Conn, a.who)
		}
		a.cancel()
	}
}

// TraceRelease implements pgxpool.ReleaseTracer.
func (acquireLimit) TraceRelease(_ *pgxpool.Pool, given pgxpool.TraceReleaseData) {
	if g := guard.Load(); g != nil {
		(*g).Gave(given.Conn)
	}
}

// TraceQueryStart implements pgx.QueryTracer, which a tracer has to be.
func (acquireLimit) TraceQueryStart(ctx context.Context, conn *pgx.Conn, of pgx.TraceQueryStartData) context.Context {
	noteListening(conn, of.SQL)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (acquireLimit) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
