// Package dbtest gives tests real databases: each test its own, cloned from a
// template that was migrated once. It knows the throw-away cluster and nothing
// of the product but its migrations, so that the database itself can be
// tested with it; nothing outside tests imports it.
package dbtest

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/migrations"
	"debitdesk/models/database/postgres"
)

// EnvDSN names any database of the cluster that all test binaries of one run
// share; its user must be allowed to create databases. `make test` sets it.
// Without it a test binary starts a cluster of its own.
const EnvDSN = "DEBITDESK_TEST_DSN"

// Database is the name of the database that a connection string leads to.
func Database(dsn string) string {
	if cfg, err := pgx.ParseConfig(dsn); err == nil {
		return cfg.Database
	}
	return ""
}

// Fingerprint changes whenever the schema does, and with it what runs in the database.
func Fingerprint() string {
	sum := sha256.New()
	for _, files := range []embed.FS{migrations.Files, migrations.Live} {
		err := fs.WalkDir(files, ".", func(name string, at fs.DirEntry, err error) error {
			if err != nil || at.IsDir() {
				return err
			}
			text, err := files.ReadFile(name)
			sum.Write([]byte(name))
			sum.Write(text)
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Migrated gives one test its own database, migrated and without rows, as a postgres:// URL. It is dropped when the
// test ends.
func Migrated(tb testing.TB) string {
	tb.Helper()
	return Clone(tb, Fingerprint(), migrate)
}

func migrate(ctx context.Context, dsn string) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	return migrations.Up(ctx, pool)
}

// Empty gives one test its own database without any schema.
func Empty(tb testing.TB) string {
	tb.Helper()
	return Clone(tb, "empty", func(context.Context, string) error { return nil })
}

// Server is the address of a database of the cluster, whose user may make others, and a migrated database to copy.
func Server(tb testing.TB) (dsn, migrated string) {
	tb.Helper()
	dsn, err := cluster()
	if err == nil {
		migrated, err = template(tb.Context(), dsn, Fingerprint(), migrate, "")
	}
	if err != nil {
		tb.Fatalf("a server for this test: %v", err)
	}
	return dsn, migrated
}

// Filled gives one test a migrated database with the rows that fill makes, once for each name in this process. fill
// must close its connections before it returns.
func Filled(tb testing.TB, name string, fill func(ctx context.Context, dsn string) error) string {
	tb.Helper()
	_, migrated := Server(tb)
	return clone(tb, fmt.Sprint(Fingerprint(), " ", name, " of ", os.Getpid()), fill, migrated)
}

// Clone gives one test a copy of the template that migrate makes, once for
// each fingerprint, whichever test binary comes first. migrate must close its
// connections before it returns.
func Clone(tb testing.TB, fingerprint string, migrate func(ctx context.Context, dsn string) error) string {
	tb.Helper()
	return clone(tb, fingerprint, migrate, "")
}

// clone is Clone with a template that begins as a copy of another; empty: it begins without any schema.
func clone(tb testing.TB, fingerprint string, migrate func(ctx context.Context, dsn string) error, from string) string {
	tb.Helper()
	clusterDSN, err := cluster()
	if err != nil {
		tb.Fatalf("a database for this test: %v", err)
	}
	template, err := template(tb.Context(), clusterDSN, fingerprint, migrate, from)
	if err != nil {
		tb.Fatalf("template database: %v", err)
	}
	name := fmt.Sprintf("t_%d_%d", os.Getpid(), clones.Add(1))
	// Copying files beats writing the copy through the log while the template is small.
	if err := run(tb.Context(), clusterDSN, "CREATE DATABASE "+name+" TEMPLATE "+template+
		" STRATEGY file_copy"); err != nil {
		tb.Fatalf("clone the template database: %v", err)
	}
	tb.Cleanup(func() {
		if err := run(context.Background(), clusterDSN, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			tb.Logf("drop the test's database: %v", err)
		}
	})
	return withDatabase(clusterDSN, name)
}

var clones atomic.Int64

// cluster is started at most once in a process, and taken down by its own
// guard when the process ends.
var cluster = sync.OnceValues(func() (string, error) {
	if dsn := os.Getenv(EnvDSN); dsn != "" {
		return dsn, nil
	}
	c, err := postgres.Throwaway(context.Background())
	if err != nil {
		return "", err
	}
	return c.DSN("postgres"), nil
})

// template names the template database of a fingerprint, making it when it is
// missing. An advisory lock lets one process make it while the others wait.
func template(ctx context.Context, clusterDSN, fingerprint string, migrate func(context.Context, string) error,
	from string) (_ string, err error) {
	sum := sha256.Sum256([]byte(fingerprint))
	name := "template_" + hex.EncodeToString(sum[:6])
	if _, known := templates.Load(name); known {
		return name, nil
	}
	conn, err := pgx.Connect(ctx, clusterDSN)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }() // gives up the lock too
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return "", err
	}
	var ready bool
	const made = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)"
	if err := conn.QueryRow(ctx, made, name).Scan(&ready); err != nil {
		return "", err
	}
	if !ready {
		if err := build(ctx, conn, name, withDatabase(clusterDSN, name), migrate, from); err != nil {
			return "", err
		}
	}
	templates.Store(name, true)
	return name, nil
}

var templates sync.Map // names that this process knows to be complete

func build(ctx context.Context, conn *pgx.Conn, name, dsn string, migrate func(context.Context, string) error,
	from string) error {
	create := "CREATE DATABASE " + name
	if from != "" {
		create += " TEMPLATE " + from
	}
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + name + " WITH (FORCE)", // that of a failure
		create} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	if err := migrate(ctx, dsn); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "ALTER DATABASE "+name+" IS_TEMPLATE true")
	return err
}

func run(ctx context.Context, dsn, sql string) error {
	pool, err := administration(dsn)
	if err != nil {
		return err
	}
	_, err = pool.Exec(ctx, sql)
	return err
}

// administration are the connections that make and drop databases. They stay open: a new one for each database costs
// the server more than the copy does. They end with the process.
func administration(dsn string) (*pgxpool.Pool, error) {
	if known, ok := administrations.Load(dsn); ok {
		return known.(*pgxpool.Pool), nil
	}
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 4
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // what it says names a database, and is said once
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	if known, raced := administrations.LoadOrStore(dsn, pool); raced {
		pool.Close()
		return known.(*pgxpool.Pool), nil
	}
	return pool, nil
}

var administrations sync.Map // pools, by where they lead

// withDatabase names another database of the same cluster, in either form of
// connection string.
func withDatabase(dsn, name string) string {
	if !strings.Contains(dsn, "://") {
		return dsn + " dbname=" + name
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn // connecting will say what is wrong with it
	}
	u.Path = "/" + name
	return u.String()
}
