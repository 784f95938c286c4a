package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/migrations"
	"debitdesk/models/store/keyfile"
	"debitdesk/models/store/postgres"
	"debitdesk/models/store/storetest"
)

// copied is a backup that was made while purchases came in, and where it came from.
type copied struct {
	*books
	file string
	told line
}

// backedUp makes purchases with sealed numbers and copies the database meanwhile.
func backedUp(t *testing.T) copied {
	t.Helper()
	b := newBooks(t)
	p := serving(t, b.env)
	b.made(p, "/api/v1/clients/",
		`{"email":"sealed@example.com","full_name":"Sealed Payer","bank_account":"62000012345","bank_code":"470010"}`)
	var stop atomic.Bool
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			for !stop.Load() {
				b.made(p, "/api/v1/purchases/", fmt.Sprintf(
					`{"brand_id":%q,"client":{"email":"payer@example.com","full_name":"Payer"},"purchase":{"products":[{"name":"Fee","price":100}]}}`,
					b.brand,
				))
			}
		})
	}
	b.until("purchases come in", func() bool { return b.number(`SELECT count(*) FROM purchases`) > 20 })
	c := copied{books: b, file: filepath.Join(t.TempDir(), "desk.backup")}
	c.told = typed(t, b.env, "", "backup", c.file)
	at := b.number(`SELECT count(*) FROM purchases`)
	b.until("purchases go on coming in", func() bool { return b.number(`SELECT count(*) FROM purchases`) > at })
	stop.Store(true)
	wait.Wait()
	p.end(syscall.SIGTERM)
	if c.told.code != exitOK {
		t.Fatalf("%+v", c.told)
	}
	return c
}

// onAnother is the same house with another database.
func (c copied) onAnother(dsn string) map[string]string {
	env := maps.Clone(c.env)
	env["DATABASE_URL"] = dsn
	return env
}

func TestABackupMadeWhileServingIsRestoredRowByRow(t *testing.T) {
	t.Parallel()
	c := backedUp(t)
	info, err := os.Stat(c.file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(c.file + ".part"); err == nil {
		t.Error("the unfinished file is still there")
	}
	_, sum, err := sumOf(c.file)
	if err != nil || !strings.Contains(c.told.out, sum) || !strings.Contains(c.told.out, "keys.json") ||
		!strings.Contains(c.told.out, "purchases") {
		t.Errorf("told %q, sum %s, %v", c.told.out, sum, err)
	}
	if again := typed(t, c.env, "", "backup", c.file); again.code != exitFailed ||
		!strings.Contains(again.err, "already exists") {
		t.Errorf("a file was written over: %+v", again)
	}

	env := c.onAnother(storetest.Empty(t))
	got := typed(t, env, "", "restore", c.file)
	if got.code != exitOK || !strings.Contains(got.out, "the audit holds") ||
		!strings.Contains(got.out, "every row is there") {
		t.Fatalf("%+v", got)
	}
	one, err := pgxpool.New(t.Context(), env["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(one.Close)
	// What is in the copy is the beginning of what the original holds now.
	for _, table := range []string{"purchases", "clients", "audit_entries"} {
		var last string
		var copiedRows, originalRows string
		if err := one.QueryRow(t.Context(), `SELECT max(id::text) FROM `+table).Scan(&last); err != nil {
			t.Fatal(err)
		}
		fingerprint := `SELECT count(*) || ' ' || md5(string_agg(x.id::text, ',' ORDER BY x.id)) FROM ` + table +
			` x WHERE id::text = ANY($1)`
		rows, _ := one.Query(t.Context(), `SELECT id::text FROM `+table)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if err := one.QueryRow(t.Context(), fingerprint, ids).Scan(&copiedRows); err != nil {
			t.Fatal(err)
		}
		if err := c.db.QueryRow(t.Context(), fingerprint, ids).Scan(&originalRows); err != nil {
			t.Fatal(err)
		}
		if copiedRows != originalRows || len(ids) == 0 {
			t.Errorf("%s: %s in the copy, %s in the original", table, copiedRows, originalRows)
		}
	}
	var purchases, counted int
	if err := one.QueryRow(
		t.Context(),
		`SELECT (SELECT count(*) FROM purchases), (SELECT count(DISTINCT object_id) FROM audit_entries
			WHERE action = 'purchase.created')`,
	).Scan(&purchases, &counted); err != nil || purchases != counted {
		t.Errorf("%d purchases, %d of them in the audit: not one moment (%v)", purchases, counted, err)
	}
	p := serving(t, env)
	p.isWell(t)
	if code, body := p.get(t, "/api/v1/purchases/"+c.madeHere(t, p)+"/", c.token); code != http.StatusOK {
		t.Errorf("what was made after the restore: %d %s", code, body)
	}
	if second := typed(t, env, "", "restore", c.file); second.code != exitFailed ||
		!strings.Contains(second.err, "other connections") {
		t.Errorf("restored under a running server: %+v", second)
	}
	p.end(syscall.SIGTERM)
	one.Close()
	if second := typed(t, env, "", "restore", c.file); second.code != exitFailed ||
		!strings.Contains(second.err, "not empty") {
		t.Errorf("restored over a merchant: %+v", second)
	}
	if v := typed(t, env, "", "audit", "verify"); v.code != exitOK {
		t.Errorf("the audit of the copy, gone on: %+v", v)
	}
}

// madeHere makes a purchase on another server with the same keys.
func (c copied) madeHere(t *testing.T, p *process) string {
	t.Helper()
	return c.made(p, "/api/v1/purchases/", fmt.Sprintf(
		`{"brand_id":%q,"client":{"email":"late@example.com","full_name":"Late"},"purchase":{"products":[{"name":"Fee","price":100}]}}`,
		c.brand,
	))
}

func TestWhatCannotBeRestoredIsRefusedWithASentenceAndNothingIsTouched(t *testing.T) {
	t.Parallel()
	c := backedUp(t)
	whole, err := os.ReadFile(c.file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/3] ^= 0x40
	newest := strconv.FormatInt(migrations.Newest(), 10) // the notes keep their length
	newer := bytes.Replace(bytes.Clone(whole), []byte(`,"`+newest+`"]`),
		[]byte(`,"`+strings.Repeat("9", len(newest))+`"]`), 1)
	strange := filepath.Join(t.TempDir(), "strange.json")
	if err := keyfile.Generate(strange); err != nil {
		t.Fatal(err)
	}
	empty := storetest.Empty(t)
	foreign := storetest.Empty(t)
	execute(t, foreign, `CREATE TABLE customers (id int)`)
	stepped := storetest.Empty(t)
	execute(t, stepped, `CREATE TABLE goose_db_version (id int)`, `CREATE TABLE customers (id int)`)
	for name, one := range map[string]struct {
		file, dsn, keys, want string
	}{
		"damaged":            {write("a", flipped), empty, "", "damaged"},
		"cut off":            {write("b", whole[:len(whole)-100]), empty, "", "damaged"},
		"no backup at all":   {write("c", []byte("hello")), empty, "", "damaged"},
		"of a newer release": {write("d", newer), empty, "", "newer release"},
		"another key file":   {c.file, empty, strange, "lacks the sealing key"},
		"no key file":        {c.file, empty, filepath.Join(t.TempDir(), "none.json"), "needs the key file"},
		"somebody else's":    {c.file, foreign, "", "not Debitdesk's"},
		"with their steps":   {c.file, stepped, "", "not Debitdesk's"},
		"not empty":          {c.file, c.env["DATABASE_URL"], "", "not empty"},
	} {
		t.Run(name, func(t *testing.T) {
			env := c.onAnother(one.dsn)
			if one.keys != "" {
				env["DEBITDESK_KEYS"] = one.keys
			}
			if one.want == "not empty" {
				c.db.Reset()
			}
			got := typed(t, env, "", "restore", one.file)
			if got.code != exitFailed || !strings.Contains(got.err, one.want) {
				t.Errorf("%+v", got)
			}
		})
	}
	conn, err := pgx.Connect(t.Context(), empty)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var tables int
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace`).Scan(
		&tables); err != nil || tables != 0 {
		t.Errorf("%d tables in a database that was to be left alone, %v", tables, err)
	}
}

func execute(t *testing.T, dsn string, all ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, sql := range all {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

// Who looks before the restore, and who was told by an earlier release that there is no schema yet, can still restore.
func TestADatabaseThatWasOnlyLookedAtIsStillEmpty(t *testing.T) {
	t.Parallel()
	c := backedUp(t)
	looked := storetest.Empty(t)
	env := c.onAnother(looked)
	for _, command := range []string{"doctor", "migrate status", "serve", "audit verify"} {
		if got := typed(t, env, "", strings.Fields(command)...); got.code != exitFailed {
			t.Fatalf("%s: %+v", command, got)
		}
	}
	if status := typed(t, env, "", "audit", "verify"); !strings.Contains(status.err, "more") || len(status.err) > 300 {
		t.Errorf("a long list: %+v", status)
	}
	var tables int
	conn, err := pgx.Connect(t.Context(), looked)
	must(t, err)
	must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace`).Scan(&tables))
	must(t, conn.Close(t.Context()))
	if tables != 0 {
		t.Errorf("looking left %d tables", tables)
	}
	execute(t, looked, `CREATE TABLE goose_db_version (id serial, version_id bigint, is_applied boolean)`,
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, true)`)
	if got := typed(t, env, "", "restore", c.file); got.code != exitOK {
		t.Errorf("%+v", got)
	}
}

func TestTheEmbeddedDatabaseTakesACopyAndGivesOne(t *testing.T) {
	t.Parallel()
	c := backedUp(t)
	data := shortFolder(t)
	env := map[string]string{"DEBITDESK_DATA": data, "DEBITDESK_KEYS": keyfile.Path("", c.env["DEBITDESK_DATA"])}
	if got := typed(t, env, "", "restore", c.file); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "", "backup", filepath.Join(t.TempDir(), "again")); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
}

// A stand-in for pg_dump writes its command line and environment down.
func TestThePasswordOfTheDatabaseIsNoArgumentOfAProgram(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = --version ] && echo 'pg_dump (PostgreSQL) 99.1' && exit\necho \"$@\" > " + dir +
		"/args\nenv > " + dir + "/env\n"
	for _, program := range []string{"pg_dump", "pg_restore"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	t.Setenv(postgres.EnvBinaries, dir)
	tools, err := postgres.FindTools(t.Context(), "", 15)
	if err != nil {
		t.Fatal(err)
	}
	for _, dsn := range []string{"postgres://desk:s3cr%40t@db.example/desk?sslmode=require&pool_max_conns=4",
		"postgres:///desk?host=/run&user=desk&password=s3cr%40t"} {
		if err := tools.Dump(t.Context(), dsn, "1-1", "x"); err != nil {
			t.Fatal(err)
		}
		args, _ := os.ReadFile(filepath.Join(dir, "args"))
		env, _ := os.ReadFile(filepath.Join(dir, "env"))
		if bytes.Contains(args, []byte("s3cr")) || bytes.Contains(args, []byte("pool_max")) ||
			!bytes.Contains(env, []byte("PGPASSWORD=s3cr@t")) {
			t.Errorf("arguments %s", args)
		}
	}
	if _, err := postgres.FindTools(t.Context(), "", 100); err == nil ||
		!strings.Contains(err.Error(), "install the package postgresql-client-100") {
		t.Errorf("programs that are too old: %v", err)
	}
}

func TestAServerThatIsNotReachedIsToldOfInOneLine(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	env["DATABASE_URL"] = "postgres://desk:secret-word@127.0.0.1:1/desk"
	for _, command := range []string{"migrate status", "serve", "audit verify"} {
		got := typed(t, env, "", strings.Fields(command)...)
		if got.code != exitFailed || strings.Count(got.err, "\n") != 1 || strings.Count(got.err, "connection refused") != 1 ||
			strings.Contains(got.err, "secret-word") {
			t.Errorf("%s: %+v", command, got)
		}
	}
}
