package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/database/postgres"
)

// rain is purchases that programs go on posting, each under its own Idempotency-Key,
// whatever happens. One that was not accepted is posted again under the same key.
type rain struct {
	b        *books
	on       atomic.Pointer[[]*process]
	stop     atomic.Bool
	wait     sync.WaitGroup
	accepted atomic.Int64
	refused  atomic.Int64 // 503
	broken   atomic.Int64 // no answer

	mu   sync.Mutex
	ids  map[string]string // key → id
	keys atomic.Int64
}

const drops = 4 // programs at once

func (b *books) rains(on ...*process) *rain {
	r := &rain{b: b, ids: map[string]string{}}
	r.on.Store(&on)
	for n := range drops {
		r.wait.Go(func() {
			client := &http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{}}
			for turn := n; !r.stop.Load(); turn++ {
				r.fall(client, "key-"+strconv.FormatInt(r.keys.Add(1), 10), turn)
			}
		})
	}
	b.t.Cleanup(func() { r.stop.Store(true); r.wait.Wait() })
	return r
}

// fall posts one purchase until it is accepted.
func (r *rain) fall(client *http.Client, key string, turn int) {
	due := ""
	if !r.b.ready.IsZero() { // a move of the clock to then is to find the charges alone
		due = fmt.Sprintf(`"due":%d,`, r.b.ready.AddDate(0, 2, 0).Unix())
	}
	body := fmt.Sprintf(
		`{"brand_id":%q,%s"reference":%q,"client":{"email":"payer@example.com","full_name":"Payer"},"purchase":{"products":[{"name":"Fee","price":100}]}}`,
		r.b.brand,
		due,
		key,
	)
	for deadline := time.Now().Add(50 * time.Second); time.Now().Before(deadline); turn++ {
		on := *r.on.Load()
		status, id, retry := r.post(client, on[turn%len(on)].url, key, body)
		switch {
		case status == http.StatusCreated && id != "":
			r.accepted.Add(1)
			r.mu.Lock()
			r.ids[key] = id
			r.mu.Unlock()
			return
		case status == http.StatusServiceUnavailable && retry == "5":
			r.refused.Add(1)
		case status == 0:
			r.broken.Add(1)
		default:
			r.b.t.Errorf("%s: answered %d, Retry-After %q", key, status, retry)
			return
		}
		<-time.After(20 * time.Millisecond) // a program that comes back
	}
	r.b.t.Errorf("%s was never accepted", key)
}

func (r *rain) post(client *http.Client, url, key, body string) (status int, id, retry string) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+"/api/v1/purchases/",
		strings.NewReader(body))
	if err != nil {
		return 0, "", ""
	}
	req.Header.Set("Authorization", "Bearer "+r.b.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	res, err := client.Do(req)
	if err != nil {
		return 0, "", ""
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", ""
	}
	var made struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(raw, &made)
	if res.StatusCode >= 500 && res.StatusCode != http.StatusServiceUnavailable {
		r.b.t.Logf("%d: %s", res.StatusCode, raw)
	}
	return res.StatusCode, made.ID, res.Header.Get("Retry-After")
}

// more waits until so many more are accepted.
func (r *rain) more(n int64) {
	r.b.t.Helper()
	from := r.accepted.Load()
	r.b.until(fmt.Sprintf("%d more purchases are accepted", n),
		func() bool { return r.accepted.Load() >= from+n || r.b.t.Failed() })
}

// ends stops it and checks that each purchase that was accepted is there, once, and
// that no other is.
func (r *rain) ends() {
	r.b.t.Helper()
	r.stop.Store(true)
	r.wait.Wait()
	rows, err := r.b.db.Query(r.b.t.Context(), `SELECT reference, id::text FROM purchases WHERE reference LIKE 'key-%'`)
	if err != nil {
		r.b.t.Fatal(err)
	}
	seen := map[string]int{}
	for rows.Next() {
		var key, id string
		if err := rows.Scan(&key, &id); err != nil {
			r.b.t.Fatal(err)
		}
		seen[key]++
		if r.ids[key] != id {
			r.b.t.Errorf("%s: %s is there and %q was answered", key, id, r.ids[key])
		}
	}
	if err := rows.Err(); err != nil {
		r.b.t.Fatal(err)
	}
	for key := range r.ids {
		if seen[key] != 1 {
			r.b.t.Errorf("%s was accepted and is there %d times", key, seen[key])
		}
	}
	if n := r.b.number(
		`SELECT count(*) FROM (SELECT object_id FROM audit_entries WHERE action = 'purchase.created'
			GROUP BY 1 HAVING count(*) <> 1) AS x`,
	); n != 0 {
		r.b.t.Errorf("%d purchases stand more than once in the audit", n)
	}
	r.b.t.Logf("accepted %d, told to come back %d, no answer %d", r.accepted.Load(), r.refused.Load(), r.broken.Load())
}

// embeddedBooks are kept by the private PostgreSQL of a data folder.
func embeddedBooks(t *testing.T, data string) (*books, *process) {
	t.Helper()
	b := &books{t: t, env: map[string]string{"DEBITDESK_DATA": data}}
	p := serving(t, b.env)
	makeMerchant(t, b.env, "gym")
	made := typed(t, b.env, "", "apikey", "create", "--merchant", "gym", "--name", "till", "--ttl", "8760h")
	if made.code != exitOK {
		t.Fatalf("%+v", made)
	}
	b.token = strings.TrimSpace(made.out)
	held, err := postgres.Open(t.Context(), data, newLog(Config{LogFormat: "text"}, io.Discard, 0))
	if err != nil {
		t.Fatal(err)
	}
	dsn := held.DSN(postgres.Database)
	if err := held.Close(); err != nil { // the server alone is to watch over it
		t.Fatal(err)
	}
	if b.db, err = pgxpool.New(t.Context(), dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.db.Close)
	b.brand = brandOf(t, map[string]string{"DATABASE_URL": dsn}, "gym")
	return b, p
}

// postmaster is the process number of the private PostgreSQL.
func postmaster(t *testing.T, data string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(string(text), "\n", 2)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// family is a process and its children.
func family(t *testing.T, pid int) []int {
	t.Helper()
	out := []int{pid}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(text)) {
		child, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, child)
	}
	return out
}

func (p *process) becomes(t *testing.T, b *books, path string, want int) {
	t.Helper()
	b.until(fmt.Sprintf("%s answers %d", path, want), func() bool { return p.status(t, path, "") == want })
}

// TestPostgreSQLKilledAndFrozenUnderLoadLosesAndDoublesNothing kills the private
// PostgreSQL twice, which the server starts again, and then freezes it.
func TestPostgreSQLKilledAndFrozenUnderLoadLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	data := shortFolder(t)
	b, p := embeddedBooks(t, data)
	r := b.rains(p)
	r.more(20)
	for range 2 {
		if err := syscall.Kill(postmaster(t, data), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		b.until("the crash is felt", func() bool { return r.refused.Load() > 0 })
		r.more(20)
		r.refused.Store(0)
	}
	frozen := family(t, postmaster(t, data))
	for _, pid := range frozen {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	p.becomes(t, b, "/readyz", http.StatusServiceUnavailable) // after three seconds without an answer
	if code := p.status(t, "/healthz", ""); code != http.StatusOK {
		t.Errorf("alive: %d", code)
	}
	for _, pid := range frozen {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	r.more(20)
	r.ends()
	p.becomes(t, b, "/readyz", http.StatusOK)
	b.until("the sweeps go on", func() bool {
		return b.number(
			`SELECT count(*) FROM audit_entries e, audit_progress p WHERE (e.turn, e.id) > (p.turn, p.entry_id)`) == 0
	})
	done := b.number(`SELECT count(*) FROM river_job WHERE state = 'completed'`)
	payer := b.made(p, "/api/v1/clients/", `{"email":"late@example.com","full_name":"Late Payer"}`)
	if status, out := b.call(p, http.MethodPost, "/billing/",
		fmt.Sprintf(
			`{"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"Fee","price":2500}]},"clients":[{"client_id":%q}]}`,
			b.brand, time.Now().Add(240*time.Hour).Unix(), payer)); status != http.StatusOK {
		t.Fatal(status, out)
	}
	b.until("the queue goes on",
		func() bool { return b.number(`SELECT count(*) FROM river_job WHERE state = 'completed'`) > done })
	if code := p.end(syscall.SIGTERM); code != exitOK {
		t.Errorf("asked to stop, it ended with %d", code)
	}
}

// TestOneOfTwoServersKilledUnderLoadLosesAndDoublesNothing also starts another in its place.
func TestOneOfTwoServersKilledUnderLoadLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	dies, lives := serving(t, b.env), serving(t, b.env)
	r := b.rains(dies, lives)
	r.more(40)
	dies.end(syscall.SIGKILL)
	r.more(20)
	second := serving(t, b.env)
	r.on.Store(&[]*process{lives, second})
	r.more(40)
	r.ends()
	if r.broken.Load() == 0 {
		t.Error("nobody felt the kill")
	}
	lives.isWell(t)
}

// The state is that of a full disk; a real one would need a file system of its own,
// which TestARealDiskThatIsFull has where it may mount one.
func TestWhileTheDatabaseHasNoRoomWritesAnswer503AndReadsGoOn(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	p := serving(t, b.env)
	r := b.rains(p)
	r.more(10)
	execute(t, b.env["DATABASE_URL"], `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
		CREATE TRIGGER full_disk BEFORE INSERT ON purchases FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`)
	b.until("writes are refused", func() bool { return r.refused.Load() > 10 })
	if code := p.status(t, "/api/v1/clients/", b.token); code != http.StatusOK {
		t.Errorf("reading: %d", code)
	}
	p.isWell(t)
	execute(t, b.env["DATABASE_URL"], `DROP TRIGGER full_disk ON purchases`)
	r.more(10)
	r.ends()
	if n := b.number(`SELECT count(*) FROM audit_entries WHERE action = 'purchase.created'`); n != b.number(
		`SELECT count(*) FROM purchases`) {
		t.Errorf("%d purchases are in the audit: something was half done", n)
	}
}

// TestARealDiskThatIsFull fills the file system of the private PostgreSQL, where the
// test may mount one.
func TestARealDiskThatIsFull(t *testing.T) {
	t.Parallel()
	data := shortFolder(t)
	if err := syscall.Mount("tmpfs", data, "tmpfs", 0, "size=160m,mode=755"); err != nil {
		t.Logf("no file system of its own here (%v): the full disk is a simulated one, in the test before", err)
		return
	}
	t.Cleanup(func() { _ = syscall.Unmount(data, syscall.MNT_DETACH) })
	b, p := embeddedBooks(t, data)
	r := b.rains(p)
	r.more(10)
	ballast, err := os.Create(filepath.Join(data, "ballast")) //nolint:gosec // in the test's own folder
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 1<<20)
	fill := func() {
		for {
			if _, err := ballast.Write(chunk); err != nil {
				return
			}
		}
	}
	b.until("writes are refused", func() bool { fill(); return r.refused.Load() > 0 })
	if err := ballast.Truncate(0); err != nil {
		t.Fatal(err)
	}
	r.more(10)
	r.ends()
	p.becomes(t, b, "/readyz", http.StatusOK)
	p.end(syscall.SIGTERM)
}

func pool(t *testing.T, dsn string) *pgxpool.Pool {
	t.Helper()
	p, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}
