package main

import (
	"testing"
	"time"

	"debitdesk/models/store/postgres"
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
		`SELECT coalesce(string_agg(n || ' ' || state, ', '), 'none') (SELECT state, count(*) AS n FROM collections GROUP BY 1) AS c`).Scan(&text); err != nil {
		b.t.Fatal(err)
	}
	return text
}
