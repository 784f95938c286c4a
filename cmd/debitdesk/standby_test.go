package main

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"debitdesk/models/database/postgres"
)

// pairOf is a primary and a standby that its commits wait for, and an environment that
// names both.
func pairOf(t *testing.T) (primary, standby *postgres.Cluster, env map[string]string) {
	t.Helper()
	primary, standby, err := postgres.ThrowawayPair(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(primary.Stop)
	t.Cleanup(standby.Stop)
	env = map[string]string{"DATABASE_URL": postgres.Any("postgres", "read-write", primary, standby),
		"DEBITDESK_DATA": t.TempDir()}
	if got := typed(t, env, "", "migrate", "up"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	return primary, standby, env
}

// counts is number for a database that may be away, which counts nothing.
func (b *books) counts(sql string) (n int) {
	if err := b.db.QueryRow(b.t.Context(), sql).Scan(&n); err != nil {
		return 0
	}
	return n
}

// TestThePrimaryKilledUnderLoadLosesNothingOnceTheStandbyIsPromoted has two servers with
// both database servers in their address. The primary dies while purchases rain and due
// debits are collected.
func TestThePrimaryKilledUnderLoadLosesNothingOnceTheStandbyIsPromoted(t *testing.T) {
	t.Parallel()
	primary, standby, env := pairOf(t)
	b := booksOn(t, env)
	b.due = 100
	servers := []*process{serving(t, env), serving(t, env)}
	b.charge(servers[0])
	r := b.rains(servers...)
	r.more(100)
	moved := make(chan bool, 1)
	go func() { moved <- b.toReady(servers[0]) }()
	b.until("debits are with the bank",
		func() bool { return b.counts(`SELECT count(*) FROM sandbox_instructions`) > 0 })
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	b.until("the servers feel it", func() bool { return r.refused.Load() > 0 })
	before := b.states(standby)
	killed := r.accepted.Load()
	promoted := time.Now()
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	writes := time.Now()
	b.until("the first answer", func() bool { return r.accepted.Load() > killed })
	t.Logf("debits at the kill: %s; promoted in %s, first answer %s later", before,
		writes.Sub(promoted).Round(time.Millisecond), time.Since(writes).Round(time.Millisecond))
	r.more(100)
	<-moved
	b.until("the clock is moved, and all of it done", func() bool {
		return b.toReady(servers[1]) &&
			b.counts(`SELECT count(*) FROM collections WHERE state IN ('provisional', 'final')`) == b.due
	})
	r.ends()
	b.exactlyOnce()
	for _, s := range servers {
		s.becomes(t, b, "/readyz", 200)
	}
}

// states tells how far the debits are, as a standby has them.
func (b *books) states(on *postgres.Cluster) (text string) {
	b.t.Helper()
	if err := pool(b.t, on.DSN("postgres")).QueryRow(b.t.Context(),
		`SELECT coalesce(string_agg(n || ' ' || state, ', '), 'none')
			FROM (SELECT state, count(*) AS n FROM collections GROUP BY 1) AS c`).
		Scan(&text); err != nil {
		b.t.Fatal(err)
	}
	return text
}

// reads gives a page to the clerk.
func (c *clerk) reads(on *process, path string) (int, string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, on.url+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.browser.Do(req)
	if err != nil {
		c.t.Fatalf("%v\n%s", err, on.log)
	}
	defer func() { _ = res.Body.Close() }()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(page)
}

func (c *clerk) sees(on *process, path, text string) bool {
	c.t.Helper()
	status, page := c.reads(on, path)
	if status != http.StatusOK {
		c.t.Errorf("%s: %d %.500s", path, status, page)
	}
	return strings.Contains(page, text)
}

// TestReportsComeFromTheStandbyAndWhoeverWritesSeesIt pauses what the standby replays: the
// one who has written reads from the primary, the others read what was, and are told so.
func TestReportsComeFromTheStandbyAndWhoeverWritesSeesIt(t *testing.T) {
	t.Parallel()
	primary, standby, env := pairOf(t)
	env["DATABASE_URL"], env["DATABASE_READ_URL"] = primary.DSN("postgres"), standby.DSN("postgres")
	b := booksOn(t, env)
	p := serving(t, env)
	writes, reads := b.signIn(p), &clerk{b, &http.Client{}}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	reads.browser.Jar = jar
	reads.submit(p, "/login", formType,
		strings.NewReader(url.Values{"email": {"finance@gym.example"}, "password": {"long enough to pass"}}.Encode()))
	execute(t, primary.DSN("postgres"), `ALTER SYSTEM RESET synchronous_standby_names`)
	execute(t, primary.DSN("postgres"), `SELECT pg_reload_conf()`)
	execute(t, standby.DSN("postgres"), `SELECT pg_wal_replay_pause()`)
	const search = "/clients?q=nomvula"
	writes.submit(p, "/clients", formType,
		strings.NewReader(url.Values{"email": {"n@example.org"}, "full_name": {"Nomvula Dlamini"}}.Encode()))
	if !writes.sees(p, search, "Nomvula Dlamini") {
		t.Error("who has written does not see it")
	}
	if !reads.sees(p, "/clients", "Nomvula Dlamini") {
		t.Error("a list without a search is not read from the primary")
	}
	reads.browser.Jar, _ = cookiejar.New(nil)
	at, _ := url.Parse(p.url)
	for _, cookie := range jar.Cookies(at) {
		if cookie.Name != "debitdesk-position" { // a minute ago
			reads.browser.Jar.SetCookies(at, []*http.Cookie{cookie})
		}
	}
	if reads.sees(p, search, "Nomvula Dlamini") {
		t.Error("the search of others is not read from the standby")
	}
	b.until("the reports tell how old they are", func() bool { return reads.sees(p, "/reports", "Figures as of ") })
	if _, text := p.get(t, "/metrics", ""); !strings.Contains(text, "debitdesk_standby_up 1") ||
		!strings.Contains(text, `debitdesk_standby_reads_total{by="primary"}`) {
		t.Error("the metrics do not tell of it")
	}
	execute(t, standby.DSN("postgres"), `SELECT pg_wal_replay_resume()`)
	b.until("the standby has it", func() bool { return reads.sees(p, search, "Nomvula Dlamini") })
	if got := typed(t, env, "", "doctor"); !strings.Contains(got.out, "behind; it answers reports, exports and searches") {
		t.Errorf("the doctor says %s%s", got.out, got.err)
	}
	if err := standby.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/reports", search, "/clients/export?format=csv"} {
		if status, page := reads.reads(p, path); status != http.StatusOK {
			t.Errorf("%s without the standby: %d %.500s", path, status, page)
		}
	}
	if !reads.sees(p, search, "Nomvula Dlamini") {
		t.Error("the primary does not answer in its place")
	}
}

// TestEverythingButListeningGoesThroughAPoolerThatSharesByTransaction has two servers
// behind PgBouncer, with fewer connections than they ask for.
func TestEverythingButListeningGoesThroughAPoolerThatSharesByTransaction(t *testing.T) {
	t.Parallel()
	cluster, err := postgres.Throwaway(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	pooled, err := cluster.Pooler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"DATABASE_URL": pooled("postgres"), "DEBITDESK_DATA": t.TempDir(),
		"DEBITDESK_LISTEN": "127.0.0.1:0"}
	for _, command := range []string{"migrate up", "backup " + t.TempDir() + "/copy", "serve"} {
		if got := typed(t, env, "", strings.Fields(command)...); got.code != exitFailed ||
			!strings.Contains(got.err, "DATABASE_DIRECT_URL") {
			t.Errorf("%s, without a way around: %+v", command, got)
		}
	}
	env["DATABASE_DIRECT_URL"] = cluster.DSN("postgres")
	if got := typed(t, env, "", "migrate", "up"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	const rows = 100
	b := booksOn(t, env)
	b.due = 100
	box := openLetterbox(t)
	env["DEBITDESK_SMTP_URL"] = "smtp://" + box.Addr().String()
	servers := []*process{serving(t, env), serving(t, env)}
	c := b.signIn(servers[0])
	id := c.upload(servers[0], b.payers(servers[0], rows, 5))
	b.until("checked", b.inState(id, "checked"))
	c.start(servers[0], id, rows)
	b.charge(servers[0])
	b.until("the batch is done", b.inState(id, "done"))
	b.rowsSent(id, rows)
	if status, file := c.reads(servers[1], "/clients/export?format=csv"); status != http.StatusOK ||
		strings.Count(file, "\n") <= rows {
		t.Errorf("the export: %d, %d lines", status, strings.Count(file, "\n"))
	}
	r := b.rains(servers...)
	r.more(50)
	if !b.toReady(servers[0]) {
		t.Fatal("the clock was not moved")
	}
	b.until("the other server hears of the clock", func() bool {
		_, clock := b.call(servers[1], http.MethodGet, "/sandbox/clock", "")
		now, _ := clock["now"].(float64)
		return int64(now) >= b.ready.Unix()
	})
	b.until("everything that came due is collected", func() bool {
		return b.number(`SELECT count(*) FROM collections WHERE state IN ('provisional', 'final')`) == b.due
	})
	r.more(50)
	r.ends()
	if n := b.number(
		`SELECT count(*) FROM (SELECT purchase_id FROM collections GROUP BY 1 HAVING count(*) = 1) AS once`,
	); n != b.due {
		t.Errorf("%d purchases were collected once", n)
	}
	if r.refused.Load()+r.broken.Load() > 0 {
		t.Errorf("%d requests were refused, %d broken", r.refused.Load(), r.broken.Load())
	}
	if got := typed(t, env, "", "doctor"); !strings.Contains(got.out,
		"behind a pooler; DATABASE_DIRECT_URL leads around it") {
		t.Errorf("the doctor says %s%s", got.out, got.err)
	}
	if got := typed(t, env, "", "backup", t.TempDir()+"/copy"); got.code != exitOK {
		t.Errorf("%+v", got)
	}
	for _, s := range servers {
		s.isWell(t)
		if log := s.log.String(); log != "" {
			t.Errorf("errors in the log:\n%s", log)
		}
	}
}
