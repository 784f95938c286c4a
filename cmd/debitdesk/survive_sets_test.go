package main

import (
	"syscall"
	"testing"
)

// TestTwoServersKilledInTheMidstOfASetLeaveTheBooksOfTheBank has two servers at the same debits and kills one
// of them in the midst of a set: what it had written of the set was not committed, and the other, or the next,
// does it.
func TestTwoServersKilledInTheMidstOfASetLeaveTheBooksOfTheBank(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	first := serving(t, b.env)
	b.charge(first)
	first.end(syscall.SIGTERM)
	writing := func(table string) string { // a transaction has written to it and is not over
		return `SELECT count(*) FROM pg_locks WHERE mode = 'RowExclusiveLock' AND relation = '` + table + `'::regclass`
	}
	for _, moment := range []struct{ stage, sql string }{
		{"being claimed", writing("collections")},
		{"being booked", writing("ledger_entries")},
		{"being booked, once more", writing("ledger_entries")},
	} {
		other := serving(t, b.env)
		beside := make(chan bool, 1)
		go func() { beside <- b.toReady(other) }()
		b.killedAt(moment.stage, moment.sql, 1)
		other.end(syscall.SIGKILL)
		<-beside
	}
	last := serving(t, b.env)
	if !b.toReady(last) {
		t.Fatal("the last server died")
	}
	b.exactlyOnce()
	if theirs, ours := b.number(`SELECT sum(amount_cents)::bigint FROM sandbox_instructions`),
		b.number(`SELECT sum(amount_cents)::bigint FROM ledger_entries`); theirs != ours {
		t.Errorf("the bank collected %d cents, the books say %d", theirs, ours)
	}
}
