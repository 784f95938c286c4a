package main

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestTheCommandLineChecksTheAudit(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	if got := typed(t, env, "", "merchant", "create", "gym", "--name", "Gym"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "correct horse battery\n", "user", "create", "--email", "a@example.com", "--role", "admin", "--merchant", "gym", "--password-stdin"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "", "audit", "verify"); got.code != exitOK || !strings.Contains(got.out, "gym: ") || !strings.Contains(got.out, "the chain holds") {
		t.Errorf("%+v", got)
	}
	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	for _, sql := range []string{`ALTER TABLE audit_entries DISABLE TRIGGER ALL`, `UPDATE audit_entries SET text = 'never' WHERE action = 'user.created'`, `ALTER TABLE audit_entries ENABLE TRIGGER ALL`} {
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
