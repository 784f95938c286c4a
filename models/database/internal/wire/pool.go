package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrPooled says that what needs a connection of its own would have to share one.
var ErrPooled = errors.New("DATABASE_URL leads to a pooler that shares connections by transaction: " +
	"name the server itself in DATABASE_DIRECT_URL, for what keeps a connection")

// Config is what a pool needs besides the address of its database.
type Config struct {
	MaxConns int32
	// AcquireTimeout is how long a caller waits for a connection.
	AcquireTimeout time.Duration
	// Tracer sees each statement; nil: nobody does.
	Tracer pgx.QueryTracer
	// Dialled sees each connection being opened; nil: nobody does.
	Dialled func(pgconn.DialFunc) pgconn.DialFunc
}

const (
	minConns       = 24
	connectTimeout = 3 * time.Second
	// DirectConns is enough for the queue's listener, migrations and a command.
	DirectConns = 4
)

// Configure is the one place that says how this program connects.
func Configure(dsn string, of Config) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err)
	}
	if of.MaxConns > 0 {
		cfg.MaxConns = of.MaxConns
	} else if cfg.MaxConns < minConns {
		cfg.MaxConns = minConns
	}
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if cfg.ConnConfig.ConnectTimeout == 0 || cfg.ConnConfig.ConnectTimeout > connectTimeout {
		cfg.ConnConfig.ConnectTimeout = connectTimeout
	}
	limit := acquireLimit{of.AcquireTimeout}
	cfg.ConnConfig.Tracer = limit
	if of.Tracer != nil {
		cfg.ConnConfig.Tracer = multitracer.New(limit, of.Tracer)
	}
	cfg.ConnConfig.DialFunc = dial
	if of.Dialled != nil {
		cfg.ConnConfig.DialFunc = of.Dialled(dial)
	}
	cfg.ConnConfig.BuildContextWatcherHandler = watchContext
	cfg.AfterConnect = func(_ context.Context, c *pgx.Conn) error {
		c.TypeMap().RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID,
			Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
		return nil
	}
	return cfg, nil
}

// dial notices within half a minute that the other end is gone without a word, which
// matters for a connection that only listens.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second,
		Count: 3}}
	return d.DialContext(ctx, network, address)
}

// OpenPool connects, and notices a pooler between us and the server: statements are then
// not prepared under a name, which would stay behind on a connection of others. A mode that
// the address names (default_query_exec_mode) stays.
func OpenPool(ctx context.Context, cfg *pgxpool.Config) (pool *pgxpool.Pool, pooler bool, err error) {
	if pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, false, err
	}
	if err := pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		served, err := backendPID(ctx, c.Conn())
		pooler = served != c.Conn().PgConn().PID()
		return err
	}); err != nil {
		pool.Close()
		return nil, false, oneLine(cfg.ConnConfig, err)
	}
	if !pooler || cfg.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return pool, pooler, nil
	}
	pool.Close()
	cfg = cfg.Copy()
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	pool, err = pgxpool.NewWithConfig(ctx, cfg)
	return pool, pooler, err
}

// connectError is why there is no connection, in one line.
type connectError struct {
	text  string
	cause error
}

// Error is that line.
func (u connectError) Error() string { return u.text }

// Unwrap is what the driver said.
func (u connectError) Unwrap() error { return u.cause }

// oneLine words why the server was not reached. The driver tells of each try on a line of its own: of each address,
// with TLS and without.
func oneLine(to *pgx.ConnConfig, err error) error {
	var connect *pgconn.ConnectError
	switch {
	case errors.As(err, &connect):
		var tries []string
		for line := range strings.SplitSeq(connect.Unwrap().Error(), "\n") {
			if line = strings.TrimSpace(line); line != "" && !slices.Contains(tries, line) {
				tries = append(tries, line)
			}
		}
		told := slices.DeleteFunc(slices.Clone(tries), func(line string) bool { return strings.HasSuffix(line, noTLS) })
		if len(told) == 0 {
			told = tries
		}
		why := strings.Join(told, "; ")
		return connectError{fmt.Sprintf("cannot connect to %q as %q: %s", to.Database, to.User, why), err}
	case errors.Is(err, context.DeadlineExceeded):
		return connectError{fmt.Sprintf("no answer from %s within %s", to.Host, to.ConnectTimeout), err}
	}
	return err
}

// noTLS ends a try that was made once more without TLS.
const noTLS = "server refused TLS connection"

// backendPID is the process of the server that answers. A pooler gives its callers a number
// of its own, which differs.
func backendPID(ctx context.Context, c *pgx.Conn) (pid uint32, err error) {
	err = c.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err
}

// SharesByTransaction tells whether two connections to a pooler were served by one
// connection to the server, while both were open.
func SharesByTransaction(ctx context.Context, pool *pgxpool.Pool) (shares bool, err error) {
	first, err := ConnectDedicated(ctx, pool, "debitdesk")
	if err != nil {
		return false, err
	}
	defer func() { _ = first.Close(context.WithoutCancel(ctx)) }()
	second, err := ConnectDedicated(ctx, pool, "debitdesk")
	if err != nil {
		return false, err
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	before, err := backendPID(ctx, first)
	if err != nil {
		return false, err
	}
	err = pgx.BeginTxFunc(ctx, second, pgx.TxOptions{}, func(tx pgx.Tx) error {
		held, err := backendPID(ctx, second)
		if err != nil {
			return err
		}
		after, err := backendPID(ctx, first)
		shares = held == before || after != before
		return err
	})
	return shares, err
}

// Sessions opens a pool for what needs whole sessions, such as migrations. It refuses a
// pooler that shares connections by transaction.
func Sessions(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	cfg, err := Configure(dsn, Config{MaxConns: DirectConns, AcquireTimeout: AcquireTimeout})
	if err != nil {
		return nil, err
	}
	pool, pooler, err := OpenPool(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if pooler {
		shares, err := SharesByTransaction(ctx, pool)
		if err == nil && shares {
			err = ErrPooled
		}
		if err != nil {
			pool.Close()
			return nil, err
		}
	}
	return pool, nil
}

// Unsupported tells that a pooler refuses a setting that a connection begins with.
func Unsupported(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "08P01"
}
