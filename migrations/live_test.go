package migrations_test

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/migrations"
	"debitdesk/models/database/dbtest"
	"debitdesk/models/storetest"
)

func open(t *testing.T, dsn string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), dsn)
	must(t, err)
	t.Cleanup(pool.Close)
	return pool
}

func says(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) (text string) {
	t.Helper()
	must(t, pool.QueryRow(t.Context(), sql, args...).Scan(&text))
	return text
}

func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	names, err := fs.Glob(migrations.Live, "live/*.sql")
	must(t, err)
	for _, name := range names {
		text, err := migrations.Live.ReadFile(name)
		must(t, err)
		all[name] = string(text)
	}
	return all
}

// What runs in the database is what the live files tell, and nothing else.
func TestLiveFilesTellAllThatRunsInTheDatabase(t *testing.T) {
	t.Parallel()
	told := []string{"function live_texts"}
	thing := regexp.MustCompile(`(?m)^CREATE (?:OR REPLACE )?(FUNCTION|VIEW) ([a-z_0-9]+)`)
	trigger := regexp.MustCompile(`(?ms)^CREATE (?:OR REPLACE |CONSTRAINT )?TRIGGER ([a-z_0-9]+) .*? ON ([a-z_0-9]+)`)
	for _, text := range texts(t) {
		for _, found := range thing.FindAllStringSubmatch(text, -1) {
			told = append(told, strings.ToLower(found[1])+" "+found[2])
		}
		for _, found := range trigger.FindAllStringSubmatch(text, -1) {
			told = append(told, "trigger "+found[1]+" of "+found[2])
		}
	}
	told = append(told, "trigger audit_entries_kept of audit_entries", "trigger audit_links_kept of audit_links")
	rows, err := open(t, storetest.DSN(t)).Query(t.Context(), `SELECT 'function ' || proname FROM pg_proc p
			WHERE pronamespace = 'public'::regnamespace AND proname !~ '^river_'
				AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
		UNION ALL SELECT 'view ' || viewname FROM pg_views WHERE schemaname = 'public'
		UNION ALL SELECT 'trigger ' || tgname || ' of ' || relname FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
			WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace AND relname !~ '^river_'`)
	must(t, err)
	runs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	slices.Sort(told)
	slices.Sort(runs)
	for _, one := range runs {
		if !slices.Contains(told, one) {
			t.Errorf("no live file tells of %s", one)
		}
	}
	for n, one := range told {
		if !slices.Contains(runs, one) {
			t.Errorf("%s is told of and does not run", one)
		}
		if n > 0 && told[n-1] == one {
			t.Errorf("%s is told twice", one)
		}
	}
}

// A body that PostgreSQL cannot read would be heard of when it runs first.
func TestEachBodyCanBeRead(t *testing.T) {
	t.Parallel()
	pool := open(t, storetest.DSN(t))
	for name, text := range texts(t) {
		if _, err := pool.Exec(t.Context(), text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A text that differs from what the database has is put in again; the others are left alone, and everything is while a
// newer release is beside.
func TestALiveFileIsPutInWhenItsTextDiffers(t *testing.T) {
	t.Parallel()
	pool := open(t, storetest.DSN(t))
	const cents, owed = `SELECT rands_of('ZAR', 5)::text`, `SELECT is_owed('created')::text`
	spoil := func() {
		t.Helper()
		for _, sql := range []string{
			`CREATE OR REPLACE FUNCTION rands_of(currency text, cents bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
				$$ SELECT 7::bigint $$`,
			`CREATE OR REPLACE FUNCTION is_owed(status text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT false $$`} {
			_, err := pool.Exec(t.Context(), sql)
			must(t, err)
		}
	}
	tell := func(change string) {
		t.Helper()
		_, err := pool.Exec(t.Context(), `DO $$ BEGIN EXECUTE format('CREATE OR REPLACE FUNCTION live_texts() RETURNS jsonb
			LANGUAGE sql IMMUTABLE AS %L', 'SELECT ' || quote_literal(live_texts() || '`+change+`') || '::jsonb'); END $$`)
		must(t, err)
	}
	files := says(t, pool, `SELECT live_texts()->>'files'`)
	spoil()
	must(t, migrations.Up(t.Context(), pool))
	if got := says(t, pool, cents); got != "7" {
		t.Errorf("what does not differ was put in: %s", got)
	}
	tell(`{"step": 99999}`)
	tell(`{"files": {}}`)
	must(t, migrations.Up(t.Context(), pool))
	if _, behind, err := migrations.Status(t.Context(), pool); err != nil || behind || says(t, pool, cents) != "7" {
		t.Errorf("beside a newer release: behind %t, %v", behind, err)
	}
	other := regexp.MustCompile(`("live/10_time.sql": )"[0-9a-f]+"`).ReplaceAllString(files, `$1"another"`)
	tell(`{"step": 1}`)
	tell(`{"files": ` + other + `}`)
	if _, behind, err := migrations.Status(t.Context(), pool); err != nil || !behind {
		t.Errorf("another text: behind %t, %v", behind, err)
	}
	must(t, migrations.Up(t.Context(), pool))
	if got := says(t, pool, cents) + " " + says(t, pool, owed); got != "5 false" {
		t.Errorf("after another text of 10_time: %s", got)
	}
	if _, behind, err := migrations.Status(t.Context(), pool); err != nil || behind {
		t.Errorf("put in, and behind %t: %v", behind, err)
	}
}

// A step changes tables; what runs in the database has one place.
func TestStepsTellNothingThatRuns(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.Files, "*.sql")
	must(t, err)
	for _, name := range names {
		text, err := migrations.Files.ReadFile(name)
		must(t, err)
		if found := regexp.MustCompile(`(?i)CREATE\s+(OR\s+REPLACE\s+)?(CONSTRAINT\s+)?(FUNCTION|VIEW|TRIGGER)\s.*`).
			Find(text); found != nil {
			t.Errorf("%s: %s belongs under live", name, found)
		}
	}
}

// A database of today's release goes on from its last step; one of before is named, and left as it is.
func TestADatabaseOfBeforeIsKnownByItsLastStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		last int
		want string
	}{{148, ""}, {147, "stands at step 147"}, {1, "stands at step 1,"}} {
		pool := open(t, dbtest.Empty(t))
		must(t, migrations.UpTo(t.Context(), pool, 148, 0))
		_, err := pool.Exec(t.Context(), `DELETE FROM goose_db_version WHERE version_id > 0`)
		must(t, err)
		_, err = pool.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied)
			SELECT n, true FROM generate_series(1, $1) n`, c.last)
		must(t, err)
		err = migrations.Up(context.Background(), pool)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("from step %d: %v", c.last, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("from step %d: %v, want %q", c.last, err, c.want)
		}
	}
}
