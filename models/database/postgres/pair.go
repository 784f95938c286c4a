package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// pairSettings are those of a throw-away cluster that others follow: what was committed
// is in its log, and the log is sent on.
func pairSettings() []string {
	out := slices.DeleteFunc(slices.Clone(throwawaySettings), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return slices.Contains([]string{"synchronous_commit", "wal_level", "max_wal_senders"}, name)
	})
	return append(out, "synchronous_commit=on", "wal_level=replica", "max_wal_senders=8", "wal_keep_size=512MB",
		"hot_standby=on", "max_standby_streaming_delay=200ms", "wal_receiver_status_interval=100ms",
		"wal_retrieve_retry_interval=200ms")
}

// ThrowawayPair starts two empty clusters: a primary, and a standby that follows it by
// streaming and that each commit waits for. It is for tests of what a change of the
// primary, or reading from a standby, does to the product.
func ThrowawayPair(ctx context.Context) (primary, standby *Cluster, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*startLimit)
	defer cancel()
	if primary, err = throwaway(ctx, pairSettings()); err != nil {
		return nil, nil, err
	}
	if standby, err = primary.follow(ctx); err == nil {
		err = primary.waitFor(ctx)
	}
	if err != nil {
		primary.Stop()
		if standby != nil {
			standby.Stop()
		}
		return nil, nil, fmt.Errorf("throw-away pair of PostgreSQL: %w", err)
	}
	return primary, standby, nil
}

// follow copies the cluster as it runs, and starts the copy as its standby.
func (c *Cluster) follow(ctx context.Context) (*Cluster, error) {
	acc, err := serverAccount("")
	if err != nil {
		return nil, err
	}
	bin, err := findBinaries(ctx, "", acc, 0)
	if err != nil {
		return nil, err
	}
	s, err := newFolder(acc)
	if err != nil {
		return nil, err
	}
	if err := c.CopyTo(ctx, filepath.Join(s.dir, "data"), "--write-recovery-conf", "--wal-method=stream"); err != nil {
		s.Stop()
		return nil, err
	}
	if err := s.run(ctx, bin, acc, pairSettings()); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// CopyTo copies the cluster with pg_basebackup, as it runs, to a folder that the account
// of the server makes.
func (c *Cluster) CopyTo(ctx context.Context, folder string, args ...string) error {
	acc, err := serverAccount("")
	if err != nil {
		return err
	}
	bin, err := findBinaries(ctx, "", acc, 0)
	if err != nil {
		return err
	}
	tools, err := FindTools(ctx, "", bin.Major)
	if err != nil {
		return err
	}
	args = append(
		[]string{"--dbname=" + c.DSN("postgres"), "--pgdata=" + folder, "--checkpoint=fast", "--no-sync"},
		args...)
	cmd := acc.command(ctx, "/", filepath.Join(tools.Dir, "pg_basebackup"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// waitFor has each commit wait for the standby, from when the standby follows.
func (c *Cluster) waitFor(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.DSN("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, sql := range []string{`ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	for {
		var following bool
		if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')`).Scan(
			&following); err != nil || following {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// Kill ends the server and all that it started at once, as a power cut does. Its files stay.
func (c *Cluster) Kill() error {
	pid := c.server.cmd.Process.Pid
	all := []int{pid}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil && !errors.Is(err, os.ErrNotExist) { // without it the others notice by themselves
		return err
	}
	for word := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(word); err == nil {
			all = append(all, child)
		}
	}
	for _, pid := range all {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	<-c.server.done
	return nil
}

// Promote makes a standby the primary, and returns when it takes writes.
func (c *Cluster) Promote(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.DSN("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var promoted bool
	if err := conn.QueryRow(ctx, `SELECT pg_promote(true, $1)`, int(startLimit/time.Second)).Scan(&promoted); err != nil {
		return err
	}
	if !promoted {
		return errors.New("the standby was not promoted in time")
	}
	return nil
}

// Any names one database of several clusters in one address. The first that has the
// attributes answers, such as read-write.
func Any(db, attributes string, all ...*Cluster) string {
	var hosts, ports []string
	for _, c := range all {
		hosts, ports = append(hosts, c.dir), append(ports, port)
	}
	return dsnOf(db, url.Values{"host": {strings.Join(hosts, ",")}, "port": {strings.Join(ports, ",")},
		"target_session_attrs": {attributes}})
}
