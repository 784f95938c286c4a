package main

import (
	"bytes"
	"encoding/json"
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
	"debitdesk/models/database/dbtest"
	"debitdesk/models/database/postgres"
	"debitdesk/models/keyfile"
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

// onAnother is the same installation with another database.
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

	env := c.onAnother(dbtest.Empty(t))
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
	newer = provenAgain(t, c, newer)
	strange := filepath.Join(t.TempDir(), "strange.json")
	if err := keyfile.Generate(strange); err != nil {
		t.Fatal(err)
	}
	empty := dbtest.Empty(t)
	foreign := dbtest.Empty(t)
	execute(t, foreign, `CREATE TABLE customers (id int)`)
	stepped := dbtest.Empty(t)
	execute(t, stepped, `CREATE TABLE goose_db_version (id int)`, `CREATE TABLE customers (id int)`)
	negative := append(bytes.Clone(whole[:len(whole)-16]), []byte("-000000000000100")...)
	changed := bytes.Replace(bytes.Clone(whole), []byte(`"program":"`), []byte(`"pr0gram":"`), 1)
	first := asFirstRelease(t, whole)
	for name, one := range map[string]struct {
		file, dsn, keys, want string
	}{
		"a length below zero": {write("e", negative), empty, "", "damaged"},
		"changed by somebody": {write("f", changed), empty, "", "changed after it was made"},
		"without a proof":     {write("g", first), empty, "", "--sha256"},
		"damaged":             {write("a", flipped), empty, "", "damaged"},
		"cut off":             {write("b", whole[:len(whole)-100]), empty, "", "damaged"},
		"no backup at all":    {write("c", []byte("hello")), empty, "", "damaged"},
		"of a newer release":  {write("d", newer), empty, "", "newer release"},
		"another key file":    {c.file, empty, strange, "lacks the sealing key"},
		"no key file":         {c.file, empty, filepath.Join(t.TempDir(), "none.json"), "needs the key file"},
		"somebody else's":     {c.file, foreign, "", "not Debitdesk's"},
		"with their steps":    {c.file, stepped, "", "not Debitdesk's"},
		"not empty":           {c.file, c.env["DATABASE_URL"], "", "not empty"},
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

// asFirstRelease is a backup without its proof, as earlier releases made them.
func asFirstRelease(t *testing.T, whole []byte) []byte {
	t.Helper()
	end, err := endingOf(bytes.NewReader(whole), int64(len(whole)))
	must(t, err)
	var n backupNotes
	must(t, json.Unmarshal(end.text, &n))
	n.Key, n.Part, n.Parts = "", 0, nil
	text, err := json.Marshal(n)
	must(t, err)
	return append(bytes.Clone(whole[:end.dump]), fmt.Sprintf("%s%s%016x", text, firstMark, len(text))...)
}

// provenAgain is a changed backup with the proof of its keys.
func provenAgain(t *testing.T, c copied, whole []byte) []byte {
	t.Helper()
	set, err := keyfile.Load(keyfile.Path("", c.env["DEBITDESK_DATA"]))
	must(t, err)
	end, err := endingOf(bytes.NewReader(whole), int64(len(whole)))
	must(t, err)
	proof, err := proofOf(end.text, set.Sealing[0])
	must(t, err)
	return append(bytes.Clone(whole[:end.dump]), fmt.Sprintf("%s%x%s%016x", end.text, proof, backupMark, len(end.text))...)
}

func TestABackupOfAnEarlierReleaseIsRestoredWithTheSumThatItsMakerPrinted(t *testing.T) {
	t.Parallel()
	c := backedUp(t)
	whole, err := os.ReadFile(c.file)
	must(t, err)
	file := filepath.Join(t.TempDir(), "first.backup")
	must(t, os.WriteFile(file, asFirstRelease(t, whole), 0o600))
	_, sum, err := sumOf(file)
	must(t, err)
	env := c.onAnother(dbtest.Empty(t))
	if got := typed(t, env, "", "restore", file, "--sha256", strings.Repeat("0", len(sum))); got.code != exitFailed ||
		!strings.Contains(got.err, "not the one that you gave") {
		t.Errorf("with another sum: %+v", got)
	}
	if got := typed(t, env, "", "restore", file, "--sha256", strings.ToUpper(sum)); got.code != exitOK {
		t.Errorf("with its sum: %+v", got)
	}
}

// Whoever had the database for a moment left something behind that runs: it does not come along.
func TestARestoreTakesRowsAndNothingThatRuns(t *testing.T) {
	t.Parallel()
	c := backedUp(t)
	ran := filepath.Join(t.TempDir(), "ran")
	execute(t, c.env["DATABASE_URL"], `CREATE FUNCTION planted(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
			EXECUTE 'COPY (SELECT 1) TO PROGRAM ' || quote_literal('touch `+ran+`'); RETURN true; END $$`,
		`ALTER TABLE clients ADD CONSTRAINT planted CHECK (planted(full_name)) NOT VALID`)
	file := filepath.Join(t.TempDir(), "planted.backup")
	if got := typed(t, c.env, "", "backup", file); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	env := c.onAnother(dbtest.Empty(t))
	if got := typed(t, env, "", "restore", file); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the copy ran")
	}
	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	for what, sql := range map[string]string{
		"planted things": `SELECT (SELECT count(*) FROM pg_proc WHERE proname = 'planted') +
			(SELECT count(*) FROM pg_constraint WHERE conname = 'planted')`,
		"disabled triggers":        `SELECT count(*) FROM pg_trigger WHERE tgenabled = 'D' AND NOT tgisinternal`,
		"foreign keys not checked": `SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND NOT convalidated`,
		"roles left behind": `SELECT count(*) FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
			WHERE r.rolname LIKE 'debitdesk_restore_%' AND d.dbid = (SELECT oid FROM pg_database
			WHERE datname = current_database())`,
	} {
		var n int
		if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
	const schema = `SELECT string_agg(x, E'\n' ORDER BY x) FROM (
		SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
		WHERE contype = 'f' AND conparentid = 0) AS all_of (x)`
	var before, after string
	must(t, c.db.QueryRow(t.Context(), schema).Scan(&before))
	must(t, conn.QueryRow(t.Context(), schema).Scan(&after))
	if before != after {
		t.Errorf("foreign keys differ:\n%s\n\n%s", before, after)
	}
}

func FuzzTheEndOfABackupIsReadWhateverItIs(f *testing.F) {
	f.Add([]byte("x" + firstMark + "-000000000000001"))
	f.Add([]byte("{}" + firstMark + "0000000000000002"))
	f.Add([]byte("{}" + strings.Repeat("0", backupProof) + backupMark + "0000000000000002"))
	f.Add([]byte(backupMark + "ffffffffffffffff"))
	f.Fuzz(func(t *testing.T, file []byte) {
		end, err := endingOf(bytes.NewReader(file), int64(len(file)))
		if err == nil && (end.dump < 0 || end.dump+int64(len(end.text)) > int64(len(file))) {
			t.Errorf("%d bytes of a dump in a file of %d", end.dump, len(file))
		}
		path := filepath.Join(t.TempDir(), "file")
		must(t, os.WriteFile(path, file, 0o600))
		if _, _, err := readBackup(path); err == nil && len(file) < backupFooter {
			t.Error("it was taken for a backup")
		}
	})
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
	looked := dbtest.Empty(t)
	env := c.onAnother(looked)
	env["DEBITDESK_LISTEN"] = "127.0.0.1:0"
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
	env["DEBITDESK_LISTEN"] = "127.0.0.1:0"
	for _, command := range []string{"migrate status", "serve", "audit verify"} {
		got := typed(t, env, "", strings.Fields(command)...)
		if got.code != exitFailed || strings.Count(got.err, "\n") != 1 || strings.Count(got.err, "connection refused") != 1 ||
			strings.Contains(got.err, "secret-word") {
			t.Errorf("%s: %+v", command, got)
		}
	}
}
