package wire

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// Unavailable tells whether err means that the server cannot serve at this moment: it is not reached, stops, starts,
// has no room left or takes no writes. Nothing is wrong with what was asked; the same may succeed in a while. What was
// under way when the connection was lost may or may not have been committed.
func Unavailable(err error) bool {
	if err == nil {
		return false
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return transient(pg.Code)
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

// readOnly is the state of a write to a standby, or to a database that was set read-only.
const readOnly = "25006"

// ReadOnly tells whether the server refused a write because it takes none.
func ReadOnly(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == readOnly
}

// transient knows the states of PostgreSQL that pass by themselves, or once an operator has acted.
func transient(code string) bool {
	switch code {
	case queryCanceled, // it took too long
		"57P01", "57P02", "57P03", // the server stops, has crashed, starts
		"57P05",           // an idle connection was ended
		readOnly, "72000", // until the standby of a switch-over takes writes
		"58030", "F0001": // it cannot read or write its files
		return true
	}
	return strings.HasPrefix(code, "08") || // connection
		strings.HasPrefix(code, "53") // disk full, out of memory, too many connections
}
