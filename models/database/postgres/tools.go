package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Tools are the programs that copy a database out and in.
type Tools struct {
	Dir   string // holds pg_dump and pg_restore
	Major int    // 15, 16, …
}

// FindTools finds pg_dump and pg_restore that know a server of that version: its own,
// or newer ones. The error says what to install.
func FindTools(ctx context.Context, dataDir string, serverMajor int) (Tools, error) {
	dirs := candidates(dataDir)
	if p, err := exec.LookPath("pg_dump"); err == nil {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
		dirs = append(dirs, filepath.Dir(p))
	}
	var older []string
	for _, dir := range dirs {
		if !executable(filepath.Join(dir, "pg_dump")) || !executable(filepath.Join(dir, "pg_restore")) {
			continue
		}
		//nolint:gosec // a program of PostgreSQL
		out, err := exec.CommandContext(ctx, filepath.Join(dir, "pg_dump"), "--version").Output()
		if err != nil {
			continue
		}
		major, err := strconv.Atoi(firstNumber.FindString(string(out)))
		switch {
		case err != nil:
		case major < serverMajor:
			older = append(older, fmt.Sprintf("%s holds version %d", dir, major))
		default:
			return Tools{dir, major}, nil
		}
	}
	err := fmt.Errorf(
		"no pg_dump and pg_restore of version %d or newer found: install the package postgresql-client-%d, "+
			"or name their folder in %s",
		serverMajor,
		serverMajor,
		EnvBinaries,
	)
	if len(older) > 0 {
		err = fmt.Errorf("%w (%s)", err, strings.Join(older, "; "))
	}
	return Tools{}, err
}

// Dump writes the database as one snapshot sees it to file, in PostgreSQL's own
// custom format. The snapshot is one that another connection exported and holds.
func (t Tools) Dump(ctx context.Context, dsn, snapshot, file string) error {
	return t.run(ctx, dsn, nil, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--load-via-partition-root",
		"--snapshot="+snapshot, "--file="+file)
}

// Refill writes the rows of a dump into tables that are there, all of them or none, in the name of a role; empty: the
// connection's own.
func (t Tools) Refill(ctx context.Context, dsn, role string, dump io.Reader) error {
	args := []string{"--section=data", "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"}
	if role != "" {
		args = append(args, "--role="+role)
	}
	return t.run(ctx, dsn, dump, "pg_restore", args...)
}

// Restore reads a dump into an empty database, all of it or nothing.
func (t Tools) Restore(ctx context.Context, dsn string, dump io.Reader) error {
	return t.run(ctx, dsn, dump, "pg_restore", "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
}

// List gives the table of contents of a dump.
func (t Tools) List(ctx context.Context, file string) (string, error) {
	var problems bytes.Buffer
	//nolint:gosec // a program of PostgreSQL
	cmd := exec.CommandContext(ctx, filepath.Join(t.Dir, "pg_restore"), "--list", file)
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("pg_restore --list: %w: %s", err, bytes.TrimSpace(problems.Bytes()))
	}
	return string(out), nil
}

// run gives the password by the environment: what stands on a command line can be
// read by everybody on the machine.
func (t Tools) run(ctx context.Context, dsn string, input io.Reader, program string, args ...string) error {
	address, password, err := withoutPassword(dsn)
	if err != nil {
		return err
	}
	//nolint:gosec // a program of PostgreSQL
	cmd := exec.CommandContext(ctx, filepath.Join(t.Dir, program),
		append([]string{"--dbname=" + address, "--no-password"}, args...)...)
	cmd.Stdin, cmd.Env = input, append(os.Environ(), "LC_ALL=C")
	if password != "" {
		cmd.Env = append(cmd.Env, "PGPASSWORD="+password)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is ours to pass on
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	out, err := cmd.CombinedOutput()
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(out)), ctx.Err())
	}
	return nil
}

// libpq knows these words of an address; the others are our driver's alone.
var libpq = map[string]bool{"host": true, "hostaddr": true, "port": true, "user": true, "dbname": true, "sslmode": true,
	"sslrootcert": true, "sslcert": true,
	"sslkey": true, "passfile": true, "service": true, "connect_timeout": true, "options": true,
	"target_session_attrs": true, "channel_binding": true,
	"gssencmode": true, "krbsrvname": true, "application_name": true, "keepalives": true, "keepalives_idle": true}

// withoutPassword takes the password out of an address.
func withoutPassword(dsn string) (address, password string, err error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return "", "", errors.New("the address of the database cannot be read") // the error itself would show it
	}
	if u.User != nil {
		password, _ = u.User.Password()
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	if q.Has("password") {
		password = q.Get("password")
	}
	for name := range q {
		if !libpq[name] {
			q.Del(name)
		}
	}
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // libpq takes a plus for a plus
	return u.String(), password, nil
}
