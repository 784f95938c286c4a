package database

import (
	"context"
	"errors"
	"fmt"
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

// configure is the one place that says how this program connects.
func configure(dsn string, opt Options) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", err)
	}
	if opt.MaxConns > 0 {
		cfg.MaxConns = opt.MaxConns
	} else if cfg.MaxConns < 24 {
		cfg.MaxConns = 24
	}
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if cfg.ConnConfig.ConnectTimeout == 0 || cfg.ConnConfig.ConnectTimeout > connectTime {
		cfg.ConnConfig.ConnectTimeout = connectTime
	}
	cfg.ConnConfig.Tracer = patience{opt.Patience}
	if opt.Tracer != nil {
		cfg.ConnConfig.Tracer = multitracer.New(patience{opt.Patience}, opt.Tracer)
	}
	cfg.ConnConfig.DialFunc = dial
	if opt.Dialled != nil {
		cfg.ConnConfig.DialFunc = opt.Dialled(dial)
	}
	cfg.ConnConfig.BuildContextWatcherHandler = watchGivingUp
	cfg.AfterConnect = func(_ context.Context, c *pgx.Conn) error {
		c.TypeMap().RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID,
			Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
		return nil
	}
	return cfg, nil
}

// openPool connects, and notices a pooler between us and the server: statements are then
// not prepared under a name, which would stay behind on a connection of others. A mode that
// the address names (default_query_exec_mode) stays.
func openPool(ctx context.Context, cfg *pgxpool.Config) (pool *pgxpool.Pool, pooler bool, err error) {
	if pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, false, err
	}
	if err := pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		served, err := servedBy(ctx, c.Conn())
		pooler = served != c.Conn().PgConn().PID()
		return err
	}); err != nil {
		pool.Close()
		return nil, false, inOneLine(cfg.ConnConfig, err)
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

// unreached is why there is no connection, in one line.
type unreached struct {
	text  string
	cause error
}

// Error is that line.
func (u unreached) Error() string { return u.text }

// Unwrap is what the driver said.
func (u unreached) Unwrap() error { return u.cause }

// inOneLine words why the server was not reached. The driver tells of each try on a line of its own: of each address,
// with TLS and without.
func inOneLine(to *pgx.ConnConfig, err error) error {
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
		return unreached{fmt.Sprintf("cannot connect to %q as %q: %s", to.Database, to.User, strings.Join(told, "; ")), err}
	case errors.Is(err, context.DeadlineExceeded):
		return unreached{fmt.Sprintf("no answer from %s within %s", to.Host, to.ConnectTimeout), err}
	}
	return err
}

// noTLS ends a try that was made once more without TLS.
const noTLS = "server refused TLS connection"

// servedBy is the process of the server that answers. A pooler gives its callers a number
// of its own, which is another one.
func servedBy(ctx context.Context, c *pgx.Conn) (pid uint32, err error) {
	err = c.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err
}

// sharesByTransaction tells whether two connections to a pooler were served by one
// connection to the server, while both were open.
func sharesByTransaction(ctx context.Context, pool *pgxpool.Pool) (shares bool, err error) {
	first, err := apart(ctx, pool, "debitdesk")
	if err != nil {
		return false, err
	}
	defer func() { _ = first.Close(context.WithoutCancel(ctx)) }()
	second, err := apart(ctx, pool, "debitdesk")
	if err != nil {
		return false, err
	}
	defer func() { _ = second.Close(context.WithoutCancel(ctx)) }()
	before, err := servedBy(ctx, first)
	if err != nil {
		return false, err
	}
	err = pgx.BeginTxFunc(ctx, second, pgx.TxOptions{}, func(tx pgx.Tx) error {
		held, err := servedBy(ctx, second)
		if err != nil {
			return err
		}
		after, err := servedBy(ctx, first)
		shares = held == before || after != before
		return err
	})
	return shares, err
}

// connect opens the pool, and what goes around a pooler.
func (s *DB) connect(ctx context.Context, dsn string) error {
	cfg, err := configure(dsn, s.Options)
	if err != nil {
		return err
	}
	pool, pooler, err := openPool(ctx, cfg)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.Pool, s.Direct, s.Pooler = &Pool{Pool: pool}, pool, pooler
	if s.Options.DirectURL == "" {
		if !pooler {
			return nil
		}
		shares, err := sharesByTransaction(ctx, pool)
		if err == nil && shares {
			err = ErrPooled
		}
		return err
	}
	if cfg, err = configure(s.Options.DirectURL, s.Options); err != nil {
		return fmt.Errorf("DATABASE_DIRECT_URL: %w", err)
	}
	cfg.MaxConns = directConns
	if s.Direct, pooler, err = openPool(ctx, cfg); err != nil {
		s.Direct = pool
		return fmt.Errorf("open database (DATABASE_DIRECT_URL): %w", err)
	}
	if pooler {
		if shares, err := sharesByTransaction(ctx, s.Direct); err != nil || shares {
			return errors.Join(err, fmt.Errorf("DATABASE_DIRECT_URL leads to a pooler, too: %w", ErrPooled))
		}
	}
	return nil
}

// Sessions opens a pool for what needs whole sessions, such as migrations. It refuses a
// pooler that shares connections by transaction.
func Sessions(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	cfg, err := configure(dsn, Options{MaxConns: directConns, Patience: acquireTime})
	if err != nil {
		return nil, err
	}
	pool, pooler, err := openPool(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if pooler {
		shares, err := sharesByTransaction(ctx, pool)
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

// directConns is enough for the queue's listener, migrations and a command.
const directConns = 4

// unsupported tells that a pooler refuses a setting that a connection begins with.
func unsupported(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "08P01"
}
