package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// many is how many charges come due at once, from few accounts.
const many, accounts, cents = 1000, 10, 12500

// books is a database with a merchant whose charges come due, and servers over it.
type books struct {
	t     *testing.T
	env   map[string]string
	db    *pgxpool.Pool
	token string
	brand string
	ready time.Time // by then every charge is collected, provisionally
	kills int       // while mails were leaving
	due   int       // charges that come due
}

// newBooks are written through a server that is stopped afterwards.
func newBooks(t *testing.T) *books {
	t.Helper()
	return booksOn(t, sandboxOn(t))
}

func booksOn(t *testing.T, env map[string]string) *books {
	t.Helper()
	b := &books{t: t, env: env, due: many}
	makeMerchant(t, b.env, "gym")
	made := typed(t, b.env, "", "apikey", "create", "--merchant", "gym", "--name", "till", "--ttl", "8760h")
	if made.code != exitOK {
		t.Fatalf("%+v", made)
	}
	b.token = strings.TrimSpace(made.out)
	var err error
	if b.db, err = pgxpool.New(t.Context(), sessionURL(b.env)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.db.Close)
	b.brand = brandOf(t, b.env, "gym")
	return b
}

// sessionURL is the address that leads around a pooler.
func sessionURL(env map[string]string) string {
	if direct := env["DATABASE_DIRECT_URL"]; direct != "" {
		return direct
	}
	return env["DATABASE_URL"]
}

// brandOf is the one brand of a merchant.
func brandOf(t *testing.T, env map[string]string, slug string) (id string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), sessionURL(env))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if err := conn.QueryRow(t.Context(),
		`SELECT b.id::text FROM brands b JOIN merchants m ON m.id = b.merchant_id WHERE m.slug = $1`,
		slug).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// call is one call of the API; the answer is nil when the server died meanwhile.
func (b *books) call(on *process, method, path, body string) (int, map[string]any) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, on.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Error(err)
		return 0, nil
	}
	req.Header.Set("Authorization", "Bearer "+b.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	out := map[string]any{}
	_ = json.Unmarshal(raw, &out)
	return res.StatusCode, out
}

// made is the id of what a POST made.
func (b *books) made(on *process, path, body string) string {
	status, out := b.call(on, http.MethodPost, path, body)
	if status != http.StatusCreated && status != http.StatusOK {
		b.t.Errorf("POST %s: %d %v", path, status, out)
	}
	id, _ := out["id"].(string)
	return id
}

// charge stores accounts and charges them, many times, for one day.
func (b *books) charge(on *process) {
	b.t.Helper()
	_, clock := b.call(on, http.MethodGet, "/sandbox/clock", "")
	now, _ := clock["now"].(float64)
	due := time.Unix(int64(now), 0).Add(72 * time.Hour)
	b.ready = due.Add(12 * 24 * time.Hour)
	var clients, tokens []string
	for i := range accounts {
		clients = append(clients, b.made(on, "/api/v1/clients/",
			fmt.Sprintf(
				`{"email":"payer%d@example.com","full_name":"Payer %d","bank_account":"620000%04d","bank_code":"470010"}`, i, i,
				i)))
		tokens = append(tokens, b.made(on, "/api/v1/purchases/",
			fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
			"purchase":{"products":[{"name":"Membership","price":0}],"payment_method_details":{"direct_debit":{"profile_code":"TEST1"}}}}`, clients[i], b.brand)))
	}
	if b.t.Failed() {
		b.t.FailNow()
	}
	next := make(chan int)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range next {
				id := b.made(on, "/api/v1/purchases/", fmt.Sprintf(
					`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"December","price":%d}]}}`,
					clients[i%accounts], b.brand, due.Unix(), cents))
				b.made(on, "/api/v1/purchases/"+id+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, tokens[i%accounts]))
			}
		})
	}
	for i := range b.due {
		next <- i
	}
	close(next)
	wait.Wait()
	if n := b.number(`SELECT count(*) FROM purchases WHERE status = 'pending_charge'`); n != b.due || b.t.Failed() {
		b.t.Fatalf("%d purchases wait for their day", n)
	}
}

// toReady asks a server to move the clock; true when it did. Without its database it asks to come back.
func (b *books) toReady(on *process) bool {
	status, out := b.call(on, http.MethodPost, "/sandbox/clock", fmt.Sprintf(`{"now":%q}`, b.ready.Format(time.RFC3339)))
	if status == 0 || status == http.StatusServiceUnavailable {
		return false
	}
	if status != http.StatusOK && !strings.Contains(fmt.Sprint(out), "min_value") {
		b.t.Errorf("the clock was not moved: %d %v", status, out)
	}
	return true
}

func (b *books) number(sql string, args ...any) (n int) {
	b.t.Helper()
	if err := b.db.QueryRow(b.t.Context(), sql, args...).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// exactlyOnce checks that each charge was collected once, everywhere where money is written down.
func (b *books) exactlyOnce() {
	b.t.Helper()
	for _, check := range []struct {
		what, sql string
		want      int
	}{
		{"paid purchases", `SELECT count(*) FROM purchases WHERE status = 'paid' AND payment IS NOT NULL AND total_cents > 0`,
			b.due},
		{"purchases with exactly one collection",
			`SELECT count(*) FROM (SELECT purchase_id FROM collections GROUP BY 1 HAVING count(*) = 1) AS once`, b.due},
		{"collections", `SELECT count(*) FROM collections WHERE state IN ('provisional', 'final')`, b.due},
		{"instructions at the bank",
			`SELECT count(*) FROM sandbox_instructions i JOIN collections c ON c.id = i.id AND c.amount_cents = i.amount_cents`,
			b.due},
		{"instructions in all", `SELECT count(*) FROM sandbox_instructions`, b.due},
		{"answers of the bank, kept", `SELECT count(*) FROM bank_messages WHERE outcome LIKE 'applied%'`, b.due},
		{"answers of the bank, waiting",
			`SELECT count(*) FROM sandbox_answers WHERE delivered_at IS NULL AND kind = 'provisional'`, 0},
		{"purchases with exactly one movement of money",
			`SELECT count(*) FROM (SELECT purchase_id FROM ledger_entries GROUP BY 1
			HAVING count(*) = 1 AND min(kind) = 'collected') AS once`, b.due},
		{"cents in the books", `SELECT coalesce(sum(amount_cents), 0)::bigint FROM ledger_entries`, b.due * cents},
		{"collected in the time line, more than once",
			`SELECT count(*) FROM (SELECT purchase_id FROM audit_entries WHERE action = 'collection.provisional'
			GROUP BY 1 HAVING count(*) <> 1) AS twice`, 0},
		{"attempts, not one and successful",
			`SELECT count(*) FROM purchases WHERE total_cents > 0 AND reference NOT LIKE 'key-%'
				AND jsonb_array_length(attempts) <> 1`, 0},
	} {
		if n := b.number(check.sql); n != check.want {
			b.t.Errorf("%s: %d, want %d", check.what, n, check.want)
		}
	}
}

// TestKilledWhileChargesComeDueEachIsCollectedOnce kills the server in the midst
// of its work, each time at another stage, and starts it again.
func TestKilledWhileChargesComeDueEachIsCollectedOnce(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	first := serving(t, b.env)
	b.charge(first)
	first.end(syscall.SIGTERM)
	seed := rand.New(rand.NewPCG(2026, 11)) //nolint:gosec // the same moments in every run
	for _, moment := range []struct{ stage, sql string }{
		{"being handed over", `SELECT count(*) FROM collections WHERE claimed_until > now()`},
		{"with the bank", `SELECT count(*) FROM sandbox_instructions`},
		{"handed over", `SELECT count(*) FROM collections WHERE state <> 'scheduled'`},
		{"at the day", `SELECT count(*) FROM purchases WHERE status NOT IN ('pending_charge', 'preauthorized')`},
		{"answered", `SELECT count(*) FROM bank_messages`},
		{"collected", `SELECT count(*) FROM ledger_entries`},
	} {
		before := b.number(moment.sql)
		b.killedAt(moment.stage, moment.sql, min(many, before+1+seed.IntN(many/4)))
	}
	last := serving(t, b.env)
	if !b.toReady(last) {
		t.Fatal("the last server died")
	}
	b.exactlyOnce()
}

// killedAt starts a server that moves the clock, and kills it as soon as so many are counted.
func (b *books) killedAt(stage, sql string, count int) {
	b.t.Helper()
	p := serving(b.t, b.env)
	ended := make(chan bool, 1)
	go func() { ended <- b.toReady(p) }()
	deadline := time.Now().Add(20 * time.Second)
	answered := false
	for b.number(sql) < count && !answered {
		select {
		case answered = <-ended:
		default:
		}
		if time.Now().After(deadline) {
			b.t.Errorf("%s: never %d\n%s", stage, count, p.log)
			break
		}
	}
	p.end(syscall.SIGKILL)
	b.t.Logf("killed when %d of %d were %s (answered before: %v)", b.number(sql), count, stage, answered)
}

// TestTwoServersMoveTheClockAtOnceAndCollectOnce has both at the same work on one database.
func TestTwoServersMoveTheClockAtOnceAndCollectOnce(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	servers := []*process{serving(t, b.env), serving(t, b.env)}
	b.charge(servers[0])
	var wait sync.WaitGroup
	for _, s := range servers {
		wait.Go(func() {
			if !b.toReady(s) {
				t.Errorf("a server did not answer\n%s", s.log)
			}
		})
	}
	wait.Wait()
	b.exactlyOnce()
	for _, s := range servers {
		s.isWell(t)
		if log := s.log.String(); log != "" {
			t.Errorf("errors in the log:\n%s", log)
		}
	}
}

// TestOfTwoServersOneDiesAndTheOtherFinishes: what the dead one had claimed is taken over.
func TestOfTwoServersOneDiesAndTheOtherFinishes(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	dies, lives := serving(t, b.env), serving(t, b.env)
	b.charge(dies)
	ended := make(chan bool, 2)
	go func() { ended <- b.toReady(dies) }()
	deadline := time.Now().Add(20 * time.Second)
	for b.number(`SELECT count(*) FROM collections WHERE claimed_until > now()`) == 0 && time.Now().Before(deadline) {
		continue // at once: the claims of the first hand-over
	}
	go func() { ended <- b.toReady(lives) }()
	dies.end(syscall.SIGKILL)
	<-ended
	<-ended
	b.exactlyOnce()
	lives.isWell(t)
}
