package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"debitdesk/models/storetest"
)

func TestAServerThatIsToldToEndSaysSoFirstAndServesMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.env["DEBITDESK_DRAIN"] = "20s" // the two requests below come within it
	p := serving(t, b.env)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.becomes(t, b, "/readyz", http.StatusServiceUnavailable)
	if code, body := p.get(t, "/readyz", ""); code != http.StatusServiceUnavailable ||
		!strings.Contains(body, `"process":"draining"`) || !strings.Contains(body, `"database":"ok"`) {
		t.Errorf("%d %s", code, body)
	}
	if code := p.status(t, "/api/v1/clients/", b.token); code != http.StatusOK {
		t.Errorf("a request while draining: %d", code)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, p.log)
	}
}

// handed starts a server as systemd does with a socket unit: the socket is number 3,
// and the process number is told.
func handed(t *testing.T, socket *os.File, variables map[string]string) *process {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // our own program
	p := &process{cmd: exec.Command("/bin/sh", "-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" serve`, path), log: &logged{}}
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "DEBITDESK_LISTEN=127.0.0.1:1",
		"DEBITDESK_LOG=error"}
	for k, v := range variables {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	p.cmd.ExtraFiles, p.cmd.Stderr = []*os.File{socket}, p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.out = out
	t.Cleanup(func() { p.end(syscall.SIGTERM) })
	p.listens(t)
	return p
}

func TestARestartOnASocketThatIsHandedOverRefusesNobody(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	if err := l.Close(); err != nil { // the copy lives on, as with systemd
		t.Fatal(err)
	}
	now := handed(t, socket, b.env)
	r := b.rains(now)
	for range 2 {
		r.more(20)
		if code := now.end(syscall.SIGTERM); code != exitOK {
			t.Errorf("asked to stop, it ended with %d\n%s", code, now.log)
		}
		now = handed(t, socket, b.env)
	}
	r.more(20)
	r.ends()
	if r.refused.Load()+r.broken.Load() != 0 {
		t.Errorf("%d requests were told to come back, %d got no answer", r.refused.Load(), r.broken.Load())
	}
}

func TestASocketForAnotherProcessIsNotTaken(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		fds, pid int
		want     bool
	}{{1, os.Getpid(), true}, {2, os.Getpid(), true}, {0, os.Getpid(), false}, {1, os.Getpid() + 1, false},
		{1, 0, false}} {
		if got := (Config{ListenFDs: one.fds, ListenPID: one.pid}).handedOver(); got != one.want {
			t.Errorf("%+v: %v", one, got)
		}
	}
}

// A release after this one added a step: what this release has not heard of.
const stepAhead = `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true);
	ALTER TABLE purchases ADD COLUMN of_tomorrow text; ALTER TABLE clients ADD COLUMN of_tomorrow text NOT NULL DEFAULT '';
	CREATE TABLE of_tomorrow (id uuid PRIMARY KEY)`

func TestTwoServersServeOnWhileANewerReleaseBringsTheDatabaseAhead(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	before := serving(t, b.env)
	r := b.rains(before)
	r.more(20)
	execute(t, b.env["DATABASE_URL"], stepAhead)
	after := serving(t, b.env, "--migrate")
	r.on.Store(&[]*process{before, after})
	r.more(40)
	r.ends()
	if r.refused.Load()+r.broken.Load() != 0 {
		t.Errorf("%d requests were told to come back, %d got no answer", r.refused.Load(), r.broken.Load())
	}
	for _, p := range []*process{before, after} {
		p.isWell(t)
		if code := p.status(t, "/api/v1/clients/", b.token); code != http.StatusOK {
			t.Errorf("the list of clients: %d\n%s", code, p.log)
		}
		if log := p.log.String(); log != "" {
			t.Errorf("errors in the log:\n%s", log)
		}
	}
}

// TestStatementsOfTheReleaseBeforeStillWork writes as its processes do, which know
// nothing of the columns and tables of this one.
func TestStatementsOfTheReleaseBeforeStillWork(t *testing.T) {
	t.Parallel()
	dsn := storetest.DSN(t)
	const merchant, user = "'0193b5a2-0000-7000-8000-000000000001'", "'0193b5a2-0000-7000-8000-000000000002'"
	execute(t, dsn, `INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES (`+merchant+
		`, 'gym', 'Gym', true, now(), now());
		INSERT INTO users (id, merchant_id, email, name, role, password_hash, created_at, updated_at) VALUES (`+user+`, `+
		merchant+`, 'a@b.example', 'A', 'admin', 'x', now(), now());
		INSERT INTO sessions (id_hash, user_id, data, ip, user_agent, created_at, seen_at, expires_at) VALUES ('\x01', `+user+
		`, '{}', '', '', now(), now(), now() + interval '1 hour');
		INSERT INTO audit_entries (id, merchant_id, at, actor_kind, actor_name, action, object_type, object_id, text)
			VALUES ('0193b5a2-0000-7000-8000-000000000003', `+merchant+`, now(), 'user', 'A', 'user.signed_in', 'user', `+user+
		`, 'Signed in.');
		INSERT INTO brands (id, merchant_id, name, created_at, updated_at) VALUES ('0193b5a2-0000-7000-8000-000000000004', `+
		merchant+`, 'Gym', now(), now());
		UPDATE users SET disabled_at = now() WHERE id = `+user)
	b := &books{t: t}
	env := map[string]string{"DATABASE_URL": dsn, "DEBITDESK_DATA": t.TempDir()}
	got := typed(t, env, "", "audit", "verify")
	for tries := 0; got.code == exitOK && strings.Contains(got.out, "0 entries") && tries < 100; tries++ {
		// An entry is linked when all older transactions of the server have ended, and other tests have some.
		got = typed(t, env, "", "audit", "verify")
	}
	if got.code != exitOK || !strings.Contains(got.out, "1 entry") {
		t.Errorf("its entry is not in the chain: %+v", got)
	}
	b.db = pool(t, dsn)
	if n := b.number(`SELECT count(*) FROM memberships WHERE user_id = ` + user + ` AND role = 'admin'`); n != 1 {
		t.Errorf("a person that it added has %d memberships", n)
	}
}
