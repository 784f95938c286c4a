package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/audit/anchor"
)

func TestTheCommandLineChecksTheAudit(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	if got := typed(t, env, "", "merchant", "create", "gym", "--name", "Gym"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "correct horse battery\n", "user", "create", "--email", "a@example.com", "--role", "admin",
		"--merchant", "gym", "--password-stdin"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "", "audit", "verify"); got.code != exitOK || !strings.Contains(got.out, "gym: ") ||
		!strings.Contains(got.out, "the chain holds") {
		t.Errorf("%+v", got)
	}
	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	for left := 1; left > 0; { // an entry is linked once whatever was under way has ended, in other tests too
		if got := typed(t, env, "", "audit", "verify"); got.code != exitOK {
			t.Fatalf("%+v", got)
		}
		must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM audit_entries e
			WHERE NOT EXISTS (SELECT FROM audit_links l WHERE l.entry_id = e.id)`).Scan(&left))
	}
	for _, sql := range []string{`ALTER TABLE audit_entries DISABLE TRIGGER ALL`,
		`UPDATE audit_entries SET text = 'never' WHERE action = 'user.created'`,
		`ALTER TABLE audit_entries ENABLE TRIGGER ALL`} {
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
	for _, args := range [][]string{{"audit", "verify"}, {"audit", "verify", "--merchant", "gym"}} {
		if got := typed(t, env, "", args...); got.code != exitFailed || !strings.Contains(got.err, "gym: broken at link ") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := typed(t, env, "", "audit", "verify", "--merchant", "nobody"); got.code != exitFailed {
		t.Errorf("%+v", got)
	}
}

func TestAHeadThatWasForgedStopsTheChainUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	env["DEBITDESK_DATA"] = t.TempDir()
	person := func(email string) {
		t.Helper()
		if got := typed(t, env, "correct horse battery\n", "user", "create", "--email", email, "--role", "admin",
			"--merchant", "gym", "--password-stdin"); got.code != exitOK {
			t.Fatalf("%+v", got)
		}
	}
	if got := typed(t, env, "", "merchant", "create", "gym", "--name", "Gym"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	person("a@example.com")
	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	linked := func() (n int) {
		must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM audit_links`).Scan(&n))
		return n
	}
	for linked() == 0 { // another test's transaction may hold it up
		if got := typed(t, env, "", "audit", "verify"); got.code != exitOK {
			t.Fatalf("%+v", got)
		}
	}
	noted, err := os.ReadFile(filepath.Join(env["DEBITDESK_DATA"], anchor.Name))
	if err != nil || !strings.Contains(string(noted), `"n":`) {
		t.Fatalf("nothing is noted beside the database: %s, %v", noted, err)
	}
	_, err = conn.Exec(t.Context(), `UPDATE audit_heads SET signature = 'forged'`)
	must(t, err)
	found, _ := examined(t, env)
	found["audit"].is(t, bad, "audit accept")
	if got := typed(t, env, "", "audit", "verify"); got.code != exitFailed ||
		!strings.Contains(got.err, "gym: broken at link ") {
		t.Errorf("%+v", got)
	}
	found, _ = examined(t, env)
	found["audit"].is(t, bad, "does not hold")
	if got := typed(t, env, "", "audit", "accept", "--merchant", "gym", "--reason", " "); got.code == exitOK {
		t.Errorf("without a reason: %+v", got)
	}
	if got := typed(t, env, "", "audit", "accept", "--merchant", "gym", "--reason",
		"A restore by hand."); got.code != exitOK || !strings.Contains(got.out, "gym: accepted as it stands") {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "", "audit", "verify"); got.code != exitOK {
		t.Errorf("%+v", got)
	}
	found, _ = examined(t, env)
	found["audit"].is(t, fine, "noted outside the database")
}
