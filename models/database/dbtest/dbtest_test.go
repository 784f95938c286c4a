package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

func scan(t *testing.T, dsn, sql string, into any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if err := conn.QueryRow(t.Context(), sql).Scan(into); err != nil {
		t.Fatal(err)
	}
}

func TestEachTestHasItsOwnMigratedDatabase(t *testing.T) {
	t.Parallel()
	a, b := Migrated(t), Migrated(t)
	if a == b {
		t.Fatal("two databases share a name")
	}
	var jobs int
	scan(t, a, "SELECT count(*) FROM river_job", &jobs)
	if err := run(t.Context(), a, "CREATE TABLE only_in_a ()"); err != nil {
		t.Fatal(err)
	}
	var seen bool
	scan(t, b, "SELECT to_regclass('only_in_a') IS NOT NULL", &seen)
	if seen {
		t.Error("a table made in one database is seen in the other")
	}
}

func TestTheTemplateIsMigratedOnce(t *testing.T) {
	t.Parallel()
	migrated := 0
	for range 2 {
		Clone(t, "counted "+t.Name(), func(context.Context, string) error { migrated++; return nil })
	}
	if migrated != 1 {
		t.Errorf("migrated %d times", migrated)
	}
}

func TestAnEmptyDatabaseHasNoTables(t *testing.T) {
	t.Parallel()
	var tables int
	scan(t, Empty(t), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", &tables)
	if tables != 0 {
		t.Errorf("%d tables", tables)
	}
}

func TestTheDatabaseOfAConnectionStringIsReplaced(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"postgres:///postgres?host=%2Frun&user=postgres": "postgres:///x?host=%2Frun&user=postgres",
		"postgres://u:p@db:5433/one?sslmode=disable":     "postgres://u:p@db:5433/x?sslmode=disable",
		"host=/run user=postgres dbname=postgres":        "host=/run user=postgres dbname=postgres dbname=x",
	} {
		if got := withDatabase(dsn, "x"); got != want {
			t.Errorf("%s: got %s, want %s", dsn, got, want)
		}
	}
}
