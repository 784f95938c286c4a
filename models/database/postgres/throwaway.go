package postgres

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	throwawayPrefix = "debitdesk-pg-"
	enoughMemory    = 1 << 30 // bytes free in /dev/shm
	startLimit      = 3 * time.Minute
)

// throwawaySettings give up durability: a lost test cluster is no loss. A connection of a test lives shortly, so it
// plans each statement once and not for each of its first values, which took most of the server's time.
// What processes share lies with its other files, so that it goes with them.
var throwawaySettings = []string{
	"listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
	"wal_level=minimal", "max_wal_senders=0", "max_connections=500", "shared_buffers=64MB",
	"max_wal_size=2GB", "checkpoint_timeout=1h", "autovacuum=off", "jit=off", "dynamic_shared_memory_type=mmap",
	"plan_cache_mode=force_generic_plan", "wal_writer_delay=10s", "bgwriter_lru_maxpages=0", "timezone=UTC",
	"log_min_messages=fatal",
}

// Cluster is a throw-away server. It and its files go away with Stop, or
// shortly after the process that started it ends, however it ends.
type Cluster struct {
	dir    string
	server *server
	reaper io.WriteCloser
}

// Throwaway starts an empty cluster, in memory-backed storage where there is
// some. It takes about half a second.
func Throwaway(ctx context.Context) (*Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	return throwaway(ctx, throwawaySettings)
}

func throwaway(ctx context.Context, settings []string) (*Cluster, error) {
	acc, err := serverAccount("")
	if err != nil {
		return nil, err
	}
	bin, err := findBinaries(ctx, "", acc, 0)
	if err != nil {
		return nil, err
	}
	c, err := newFolder(acc)
	if err != nil {
		return nil, err
	}
	if err = initdb(ctx, bin, acc, filepath.Join(c.dir, "data"), "--no-sync"); err == nil {
		err = c.run(ctx, bin, acc, settings)
	}
	if err != nil {
		c.Stop()
		return nil, fmt.Errorf("throw-away PostgreSQL: %w", err)
	}
	return c, nil
}

// newFolder is a cluster of which there is a folder so far.
func newFolder(acc account) (*Cluster, error) {
	dir, err := os.MkdirTemp(throwawayBase(), throwawayPrefix)
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir}
	if err := acc.take(dir); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// run starts the server on the files that are there.
func (c *Cluster) run(ctx context.Context, bin Binaries, acc account, settings []string) (err error) {
	log := filepath.Join(c.dir, "server.log")
	if c.server, err = launch(bin, acc, filepath.Join(c.dir, "data"), c.dir, log, settings); err != nil {
		return err
	}
	if err := c.guard(acc); err != nil {
		return err
	}
	if err := await(ctx, c.dir, c.server.ended); err != nil {
		return fmt.Errorf("%w\n%s", err, tail(log))
	}
	return nil
}

// reap waits until its standard input ends, which it does when we end, be it
// by kill -9; then it ends the server and removes the files.
const reap = `if read -r line; then exit 0; fi
kill -QUIT "$1"
n=0; while [ $n -lt 100 ] && kill -0 "$1" 2>/dev/null; do sleep 0.05; n=$((n+1)); done
rm -rf "$2"`

func (c *Cluster) guard(acc account) error {
	cmd := acc.command(context.Background(), "/", "/bin/sh", "-c", reap, "reap", strconv.Itoa(c.server.cmd.Process.Pid),
		c.dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	c.reaper = stdin
	return nil
}

// DSN names a database of the cluster; "postgres" always exists.
func (c *Cluster) DSN(db string) string { return dsn(c.dir, db) }

// Stop ends the server at once and removes its files.
func (c *Cluster) Stop() {
	if c.server != nil {
		_ = c.server.cmd.Process.Signal(syscall.SIGQUIT)
		select {
		case <-c.server.done:
		case <-time.After(5 * time.Second):
			_ = c.server.cmd.Process.Kill()
			<-c.server.done
		}
	}
	_ = os.RemoveAll(c.dir)
	if c.reaper != nil {
		_, _ = io.WriteString(c.reaper, "done\n")
		_ = c.reaper.Close()
	}
}

// throwawayBase prefers memory: cloning a template is several times quicker
// there. Not a test's own folder: its path may be too long for a socket, and
// its parents are closed to the account that the server runs under.
func throwawayBase() string {
	const memory = "/dev/shm"
	var st syscall.Statfs_t
	//nolint:gosec // sizes of a disk
	if err := syscall.Statfs(memory, &st); err == nil &&
		uint64(st.Bavail)*uint64(st.Bsize) > enoughMemory && syscall.Access(memory, 2) == nil {
		return memory
	}
	if tmp := os.TempDir(); socketFits(filepath.Join(tmp, throwawayPrefix+"0123456789")) {
		return tmp
	}
	return "/tmp"
}
