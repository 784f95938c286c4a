package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"debitdesk/models/bank/files"
)

// TestKilledInTheMiddleOfACutEachFileIsLaidOutOnceWithTheSameBytes kills the server while it makes files for the bank,
// writes them and lays them out. Nobody takes them meanwhile.
func TestKilledInTheMiddleOfACutEachFileIsLaidOutOnceWithTheSameBytes(t *testing.T) {
	t.Parallel()
	const eachFile = 50
	b := newBooks(t)
	dir := filepath.Join(t.TempDir(), "exchange")
	_, err := files.InitProfile(dir, "simulator")
	must(t, err)
	limited(t, filepath.Join(dir, "profile.json"), "max_items", eachFile)
	b.env["DEBITDESK_BANK"] = "files:" + dir
	first := serving(t, b.env)
	b.charge(first)
	b.ready = b.ready.Add(-11 * 24 * time.Hour) // a day after the debit date
	first.end(syscall.SIGTERM)
	const made, written, placed = `SELECT count(*) FROM bank_files_out`,
		`SELECT count(*) FROM bank_files_out WHERE content IS NOT NULL`,
		`SELECT count(*) FROM bank_files_out WHERE state = 'placed'`
	for _, moment := range []struct {
		stage, sql string
		count      int
	}{
		{"handed over", `SELECT count(*) FROM bank_items`, 1}, {"files made", made, 1}, {"files made", made, 9},
		{"files written", written, 3}, {"files written", written, 12},
		{"files laid out", placed, 2}, {"files laid out", placed, 11},
	} {
		before := b.hashes(`SELECT id, encode(sha256, 'hex') FROM bank_files_out WHERE content IS NOT NULL`)
		b.killedAt(moment.stage, moment.sql, moment.count)
		after := b.hashes(`SELECT id, encode(sha256, 'hex') FROM bank_files_out WHERE content IS NOT NULL`)
		for id, hash := range before {
			if after[id] != hash {
				t.Errorf("%s has other bytes after a crash", id)
			}
		}
	}
	last := serving(t, b.env)
	if !b.toReady(last) {
		t.Fatal("the last server died")
	}
	b.laidOutOnce(dir)
	last.isWell(t)
}

// limited writes a number into a profile.
func limited(t *testing.T, path, key string, n int) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	profile := map[string]any{}
	must(t, json.Unmarshal(text, &profile))
	profile[key] = n
	text, err = json.Marshal(profile)
	must(t, err)
	must(t, os.WriteFile(path, text, 0o600))
}

func (b *books) hashes(sql string) map[string]string {
	b.t.Helper()
	rows, err := b.db.Query(b.t.Context(), sql)
	must(b.t, err)
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var id, hash string
		must(b.t, rows.Scan(&id, &hash))
		out[id] = hash
	}
	must(b.t, rows.Err())
	return out
}

// laidOutOnce compares what stands in the outbox with what was written down: so many files, numbered without a gap, and
// each debit in one of them.
func (b *books) laidOutOnce(dir string) {
	b.t.Helper()
	number := b.number(`SELECT count(*) FROM bank_files_out`)
	for _, check := range []struct {
		what, sql string
		want      int
	}{
		{"files that are laid out", `SELECT count(*) FROM bank_files_out WHERE state = 'placed'`, number},
		{"the highest number", `SELECT max(number) FROM bank_files_out`, number},
		{"debits in them", `SELECT count(*) FROM bank_items WHERE state = 'sent' AND message_id <> ''`, many},
		{"debits in all", `SELECT count(*) FROM bank_items`, many},
		{"cents in them", `SELECT sum(sum_cents)::bigint FROM bank_files_out`, many * cents},
	} {
		if n := b.number(check.sql); n != check.want {
			b.t.Errorf("%s: %d, want %d", check.what, n, check.want)
		}
	}
	laid, err := os.ReadDir(filepath.Join(dir, "outbox"))
	must(b.t, err)
	want := b.hashes(`SELECT file_name, encode(sha256, 'hex') FROM bank_files_out`)
	seen := 0
	for _, f := range laid {
		text, err := os.ReadFile(filepath.Join(dir, "outbox", f.Name()))
		must(b.t, err)
		if strings.HasSuffix(f.Name(), ".part") {
			continue // what a crash left; nobody takes it
		}
		if sum := sha256.Sum256(text); want[f.Name()] != hex.EncodeToString(sum[:]) {
			b.t.Errorf("%s has other bytes than were written down", f.Name())
		}
		delete(want, f.Name())
		for id := range b.hashes(`SELECT replace(id::text, '-', ''), '' FROM bank_items WHERE message_id IN
			(SELECT id FROM bank_files_out WHERE file_name = '` + f.Name() + `')`) {
			if n := strings.Count(string(text), "<InstrId>"+id+"</InstrId>"); n != 1 {
				b.t.Errorf("%s stands %d times in %s", id, n, f.Name())
			}
			seen++
		}
	}
	if len(want) > 0 || seen != many {
		b.t.Errorf("%d debits stand in the files; these are not there: %v", seen, want)
	}
}
