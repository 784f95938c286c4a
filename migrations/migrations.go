// Package migrations holds the database schema and knows how to bring a database to it: tables by numbered steps, of
// which one that was applied is never edited, and what runs in the database (functions, views, triggers) by its text of
// today, under live.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Files are the steps, in the order of their names.
//
//go:embed *.sql
var Files embed.FS

const upLock = 7316214001

// Newest is the number of the last step that this program knows.
func Newest() (n int64) {
	names, _ := fs.Glob(Files, "*.sql")
	for _, name := range names {
		if v, err := goose.NumericComponent(name); err == nil && v > n {
			n = v
		}
	}
	return n
}

// squashed is the first step there is: it holds all that came before the first release. A database that stands before
// it is of that time.
const squashed = 148

// Up brings the database to the newest schema. Several processes may call it
// at once: one applies, the others wait.
func Up(ctx context.Context, pool *pgxpool.Pool) error { return UpTo(ctx, pool, Newest(), 0) }

// UpTo brings it to the schema of a step, and that of the queue to a step of its own; 0: the newest. Functions, views
// and triggers come with the newest step: those of today may ask for more than an earlier one has.
func UpTo(ctx context.Context, pool *pgxpool.Pool, step int64, jobStep int) error {
	// Neither the queue's own migrator nor live texts take a lock, so two starting processes would collide. The
	// lock has a connection of its own, for the migrator takes its from the pool.
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig.Copy())
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // this gives the lock back
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", upLock); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := takeSteps(ctx, pool, conn, step); err != nil {
		return err
	}
	jobs, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return fmt.Errorf("migrate jobs: %w", err)
	}
	if _, err := jobs.Migrate(ctx, rivermigrate.DirectionUp,
		&rivermigrate.MigrateOpts{TargetVersion: jobStep}); err != nil {
		return fmt.Errorf("migrate jobs: %w", err)
	}
	if step < Newest() {
		return nil
	}
	return putLive(ctx, conn)
}

// takeSteps brings the tables to a step.
func takeSteps(ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn, step int64) error {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	provider, err := provider(db, goose.WithSessionLocker(locker))
	if err != nil {
		return err
	}
	last, err := lastStep(ctx, conn)
	switch {
	case err != nil:
		return fmt.Errorf("migrate: %w", err)
	case last == 0:
		if err := putFirst(ctx, conn); err != nil {
			return err
		}
	case last < squashed:
		return fmt.Errorf("the database stands at step %d, which is of a time before the first release: bring it to step %d "+
			"with a program of that time first", last, squashed)
	}
	if _, err := provider.UpTo(ctx, step); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// lastStep is the newest step that a database has; 0: none.
func lastStep(ctx context.Context, conn *pgx.Conn) (step int64, err error) {
	var begun bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, goose.DefaultTablename).Scan(&begun); err != nil ||
		!begun {
		return 0, err
	}
	err = conn.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM `+goose.DefaultTablename+` WHERE is_applied`).Scan(
		&step)
	return step, err
}

// Migration is one step of the schema, whether the database has it, and how long it takes if it has not.
type Migration struct {
	Name    string
	Applied bool
	Takes   Takes
}

// Status lists the steps; Behind is true when one is missing. It takes no lock:
// readiness asks it, also while another process migrates or asks the same.
func Status(ctx context.Context, pool *pgxpool.Pool) (steps []Migration, behind bool, err error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	provider, err := provider(db)
	if err != nil {
		return nil, false, err
	}
	all, err := stateOf(ctx, provider, pool)
	if err != nil {
		return nil, false, fmt.Errorf("migration status: %w", err)
	}
	for _, s := range all {
		done := s.State == goose.StateApplied
		steps = append(steps, Migration{Name: s.Source.Path, Applied: done})
		behind = behind || !done
	}
	if behind {
		if err := foretell(ctx, pool, steps); err != nil {
			return nil, false, fmt.Errorf("migration status: %w", err)
		}
	}
	texts, err := toldTo(ctx, pool)
	if err != nil {
		return nil, false, fmt.Errorf("migration status: %w", err)
	}
	lacks := texts.lacks()
	steps = append(steps, Migration{Name: "functions, views and triggers", Applied: len(lacks) == 0})
	behind = behind || len(lacks) > 0
	jobs, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return nil, false, fmt.Errorf("migration status: %w", err)
	}
	res, err := jobs.Validate(ctx, nil)
	if err != nil {
		return nil, false, fmt.Errorf("migration status: %w", err)
	}
	steps = append(steps, Migration{Name: "job queue", Applied: res.OK})
	return steps, behind || !res.OK, nil
}

// stateOf only looks: goose would make its table in a database that has none, where a
// backup may be about to be restored.
func stateOf(ctx context.Context, p *goose.Provider, pool *pgxpool.Pool) (all []*goose.MigrationStatus, err error) {
	var begun bool
	if err := pool.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, goose.DefaultTablename).Scan(&begun); err != nil {
		return nil, err
	}
	if begun {
		return p.Status(ctx)
	}
	for _, s := range p.ListSources() {
		all = append(all, &goose.MigrationStatus{Source: s, State: goose.StatePending})
	}
	return all, nil
}

func provider(db *sql.DB, options ...goose.ProviderOption) (*goose.Provider, error) {
	p, err := goose.NewProvider(goose.DialectPostgres, db, Files, options...)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return p, nil
}
