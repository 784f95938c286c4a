package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/migrations"
	"debitdesk/models/database"
	"debitdesk/models/database/postgres"
)

type migrateCmds struct {
	Up     migrateUpCmd     `cmd:"" help:"Bring the database to the newest schema."`
	Status migrateStatusCmd `cmd:"" help:"List the steps of the schema; exit code 1 when one is missing."`
}

type migrateUpCmd struct{}

func (*migrateUpCmd) run(ctx context.Context, c Config, io streams) error {
	return onPool(ctx, c, io, func(pool *pgxpool.Pool) error {
		steps, _, err := migrations.Status(ctx, pool)
		if err != nil {
			return err
		}
		if takes := migrations.Missing(steps).Sentence(); takes != "" {
			if _, err := fmt.Fprintf(io.out, "Bringing the database up to date takes %s.\n", takes); err != nil {
				return err
			}
		}
		if err := migrations.Up(ctx, pool); err != nil {
			return err
		}
		return printSteps(ctx, pool, io)
	})
}

type migrateStatusCmd struct{}

func (*migrateStatusCmd) run(ctx context.Context, c Config, io streams) error {
	return onPool(ctx, c, io, func(pool *pgxpool.Pool) error { return printSteps(ctx, pool, io) })
}

func printSteps(ctx context.Context, pool *pgxpool.Pool, io streams) error {
	steps, behind, err := migrations.Status(ctx, pool)
	if err != nil {
		return err
	}
	for _, s := range steps {
		word := "missing"
		if s.Applied {
			word = "applied"
		}
		line := fmt.Sprintf("%-8s %s", word, s.Name)
		if takes := s.Takes.Sentence(); takes != "" {
			line += " (" + takes + ")"
		}
		if _, err := fmt.Fprintln(io.out, line); err != nil {
			return err
		}
	}
	if behind {
		if takes := migrations.Missing(steps).Sentence(); takes != "" {
			return fmt.Errorf("the database is behind: run debitdesk migrate up, which takes %s", takes)
		}
		return fmt.Errorf("the database is behind: run debitdesk migrate up")
	}
	return nil
}

// onPool needs neither keys nor a schema, unlike Open.
func onPool(ctx context.Context, c Config, io streams, do func(*pgxpool.Pool) error) (err error) {
	dsn := c.SessionURL()
	if c.Embedded() {
		cluster, err := postgres.Open(ctx, c.Data, commandLog(c, io))
		if err != nil {
			return err
		}
		defer func() {
			if closed := cluster.Close(); err == nil {
				err = closed
			}
		}()
		dsn = cluster.DSN(postgres.Database)
	}
	pool, err := database.Sessions(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	return do(pool)
}
