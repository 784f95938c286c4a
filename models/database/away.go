package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/puddle/v2"
)

// How long the database may let us wait before a request is told to come back:
// for a new connection, and for one of the pool, unless Options.Patience says otherwise.
const (
	connectTime = 3 * time.Second
	acquireTime = 5 * time.Second
)

// Away tells whether err means that the database cannot serve at this moment: it is
// not reached, stops, starts, has no room left or takes no writes. Nothing is wrong
// with what was asked; the same may succeed in a while. What was on its way when the
// connection was lost may or may not be kept: an Idempotency-Key tells.
func Away(err error) bool {
	if err == nil {
		return false
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return awayState(pg.Code)
	}
	var (
		connect *pgconn.ConnectError
		network *net.OpError
	)
	if errors.As(err, &connect) || errors.As(err, &network) || pgconn.Timeout(err) {
		return true
	}
	for _, lost := range []error{
		context.DeadlineExceeded, pgconn.ErrConnClosed, driver.ErrBadConn, sql.ErrConnDone, puddle.ErrClosedPool,
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, syscall.ENOSPC,
	} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return false
}

// takesNoWrites is what a standby says, and a database that was set read-only.
const takesNoWrites = "25006"

// ReadOnly tells whether the database took no write.
func ReadOnly(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == takesNoWrites
}

// awayState knows the states of PostgreSQL that pass by themselves or by the hand of
// whoever runs it.
func awayState(code string) bool {
	switch code {
	case queryCanceled, // it took too long
		"57P01", "57P02", "57P03", // it stops, has crashed, starts
		"57P05",                // an idle connection was ended
		takesNoWrites, "72000", // until the standby of a switch-over does
		"58030", "F0001": // it cannot read or write its files
		return true
	}
	return strings.HasPrefix(code, "08") || // connection
		strings.HasPrefix(code, "53") // disk full, out of memory, too many connections
}

// dial notices within half a minute that the other end is gone without a word, which
// matters for a connection that only listens.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second,
		Count: 3}}
	return d.DialContext(ctx, network, address)
}

// patience gives up waiting for a connection of the pool; pgxpool asks its tracer.
type patience struct{ limit time.Duration }

type patienceKey struct{}

// waiter is one who waits for a connection.
type waiter struct {
	cancel context.CancelFunc
	who    int64 // as a guard named it
}

var _ pgxpool.AcquireTracer = patience{}

var _ pgxpool.ReleaseTracer = patience{}

func (w patience) TraceAcquireStart(ctx context.Context, p *pgxpool.Pool,
	_ pgxpool.TraceAcquireStartData) context.Context {
	ctx, cancel := context.WithTimeout(ctx, w.limit)
	var who int64
	if g := guard.Load(); g != nil {
		var gets bool
		if who, gets = (*g).Asks(p); !gets {
			cancel()
		}
	}
	return context.WithValue(ctx, patienceKey{}, waiter{cancel, who})
}

func (patience) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, got pgxpool.TraceAcquireEndData) {
	if w, ok := ctx.Value(patienceKey{}).(waiter); ok {
		if g := guard.Load(); g != nil && got.Conn != nil {
			(*g).Took(got.Conn, w.who)
		}
		w.cancel()
	}
}

// TraceRelease implements pgxpool.ReleaseTracer.
func (patience) TraceRelease(_ *pgxpool.Pool, given pgxpool.TraceReleaseData) {
	if g := guard.Load(); g != nil {
		(*g).Gave(given.Conn)
	}
}

// TraceQueryStart implements pgx.QueryTracer, which a tracer has to be.
func (patience) TraceQueryStart(ctx context.Context, conn *pgx.Conn, of pgx.TraceQueryStartData) context.Context {
	noteListening(conn, of.SQL)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (patience) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
