package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	superuser    = "postgres"
	port         = "5432" // only part of the socket's name: no server of ours listens on TCP
	pollInterval = 10 * time.Millisecond
)

// dsn names a database behind a unix socket in folder socketDir.
func dsn(socketDir, db string) string {
	return dsnOf(db, url.Values{"host": {socketDir}, "port": {port}})
}

// dsnOf names a database of servers of ours that the words of an address describe.
func dsnOf(db string, q url.Values) string {
	q.Set("user", superuser)
	q.Set("sslmode", "disable")
	return "postgres:///" + url.PathEscape(db) + "?" + q.Encode()
}

// initdb makes a cluster in dir, which must not exist, with names and words
// compared by code point so that every machine sorts alike.
func initdb(ctx context.Context, bin Binaries, acc account, dir string, extra ...string) error {
	locales := [][]string{{"--locale=C.UTF-8"}, {"--locale=en_US.UTF-8", "--lc-collate=C"}, {"--locale=C"}}
	if bin.Major >= 17 {
		locales = [][]string{{"--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"}}
	}
	var err error
	for _, locale := range locales { // not every system has every locale
		args := append([]string{"-D", dir, "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-instructions"}, extra...)
		var out []byte
		if out, err = acc.command(ctx, filepath.Dir(dir), bin.Path("initdb"),
			append(args, locale...)...).CombinedOutput(); err == nil {
			return nil
		}
		err = fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
		if rm := os.RemoveAll(dir); rm != nil || ctx.Err() != nil {
			return errors.Join(err, rm, ctx.Err())
		}
	}
	return err
}

// server is one postgres process that we started.
type server struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// launch starts postgres on the cluster in dir with its socket in socketDir.
// It outlives us: its output goes to logFile, its life does not hang on ctx.
func launch(bin Binaries, acc account, dir, socketDir, logFile string, settings []string) (*server, error) {
	//nolint:gosec // in the data folder of the settings
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the server has its own copy
	args := []string{"-D", dir, "-k", socketDir}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	s := &server{cmd: acc.command(context.Background(), dir, bin.Path("postgres"), args...), done: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait() // how it ended is in its log
		close(s.done)
	}()
	return s, nil
}

// await returns when the server answers; ended says when there is nothing left to wait for.
func await(ctx context.Context, socketDir string, ended func() bool) error {
	for {
		over := ended() // asked first: an answer after the end is impossible, not the reverse
		err := ping(ctx, socketDir)
		if err == nil {
			return nil
		}
		if over {
			return fmt.Errorf("the server ended: %w", err)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pollInterval):
		return nil
	}
}

func ping(ctx context.Context, socketDir string) error {
	return pingAt(ctx, dsn(socketDir, "postgres"))
}

func pingAt(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func (s *server) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// createDatabase makes an empty database when it is missing.
func createDatabase(ctx context.Context, socketDir, name string) error {
	conn, err := pgx.Connect(ctx, dsn(socketDir, "postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) && pg.Code == "42P04" { // duplicate_database
		return nil
	}
	return err
}

// postmaster is what a running server says about itself in postmaster.pid.
type postmaster struct {
	pid       int
	socketDir string
}

// readPostmaster reads dir/postmaster.pid; false when there is none or it is not complete yet.
func readPostmaster(dir string) (postmaster, bool) {
	b, err := os.ReadFile(filepath.Join(dir, "postmaster.pid")) //nolint:gosec // in the data folder of the settings
	if err != nil {
		return postmaster{}, false
	}
	lines := strings.Split(string(b), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 0 {
		return postmaster{}, false
	}
	p := postmaster{pid: pid}
	if len(lines) > 4 { // pid, data folder, start time, port, socket folder, …
		p.socketDir = strings.TrimSpace(lines[4])
	}
	return p, true
}

// alive tells whether the process runs and is a PostgreSQL server: after a
// reboot the number in an old file may belong to anything.
func (p postmaster) alive() bool {
	if err := syscall.Kill(p.pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		_, noProc := os.Stat("/proc/self/stat")
		return noProc != nil // without /proc the signal is all we can ask
	}
	return bytes.Contains(stat, []byte("(postgres) ")) && !bytes.Contains(stat, []byte("(postgres) Z"))
}

// tail gives the last lines of a server's log, for error messages.
func tail(logFile string) string {
	b, err := os.ReadFile(logFile) //nolint:gosec // in the data folder of the settings
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
