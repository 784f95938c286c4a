package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Database is the name of the application's database in the private cluster.
const Database = "debitdesk"

const (
	stopLimit = 2 * time.Minute // a fast shutdown writes one checkpoint
	logLimit  = 10 << 20        // bytes of the server's log that are kept over a restart
)

// privateSettings keep the server small, local and durable.
var privateSettings = []string{
	"listen_addresses=", "unix_socket_permissions=0700", "max_connections=100",
	"fsync=on", "synchronous_commit=on", "full_page_writes=on", "wal_level=minimal", "max_wal_senders=0",
	"work_mem=8MB", "min_wal_size=80MB", "max_wal_size=1GB", "jit=off",
	"timezone=UTC", "log_timezone=UTC", "log_min_messages=warning", "log_checkpoints=off",
}

// Private is our hold on the private cluster of one data folder. Every process
// that uses the cluster holds one; the last to leave stops the server.
type Private struct {
	home      string
	socketDir string
	joined    bool
	gate      string   // path of the lock that is held while starting or stopping
	users     fileLock // shared by everybody who uses the server
	server    *server  // nil when another process started it
	log       *slog.Logger
	unwatch   func() // ends the watch over the server
	close     sync.Once
	closeErr  error
}

// Open starts the private cluster of dataDir, made at the first call, or joins
// it when it already runs: started by another process, or left behind by one
// that was killed. The database named Database exists when Open returns. Until Close
// a server that ends is started again.
// Of several processes that open at once, one starts and the others join.
func Open(ctx context.Context, dataDir string, log *slog.Logger) (_ *Private, err error) {
	dataDir, err = filepath.Abs(dataDir)
	if err != nil {
		return nil, err
	}
	//nolint:gosec // the account of the database must be able to enter it
	if err := os.MkdirAll(dataDir, 0o711); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	p := &Private{gate: filepath.Join(dataDir, "postgres.lock"), log: log}
	leave, err := p.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if p.users, err = openLock(filepath.Join(dataDir, "postgres.users")); err != nil {
		return nil, err
	}
	if err := p.open(ctx, dataDir); err != nil {
		return nil, errors.Join(fmt.Errorf("private PostgreSQL: %w", err), p.abandon(), p.users.release())
	}
	p.beginWatch(ctx, dataDir)
	log.Debug("database ready", "home", p.home, "socket", p.socketDir, "joined", p.joined)
	return p, nil
}

// enter takes the gate: one process at a time starts or stops the server.
func (p *Private) enter(ctx context.Context) (leave func(), err error) {
	gate, err := openLock(p.gate)
	if err != nil {
		return nil, fmt.Errorf("lock of the private PostgreSQL: %w", err)
	}
	if err := gate.exclude(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for another process to start or stop the private PostgreSQL: %w", err),
			gate.release())
	}
	return func() { _ = gate.release() }, nil
}

func (p *Private) open(ctx context.Context, dataDir string) (err error) {
	if err := p.users.share(ctx); err != nil {
		return err
	}
	if p.home, err = home(dataDir); err != nil {
		return err
	}
	acc, err := serverAccount(p.home)
	if err != nil {
		return err
	}
	if p.joined, err = p.join(ctx); err != nil {
		return err
	}
	if !p.joined {
		if err := p.start(ctx, dataDir, acc); err != nil {
			return err
		}
	}
	return createDatabase(ctx, p.socketDir, Database)
}

// data is the cluster's own folder; it exists only when initdb has finished.
func (p *Private) data() string { return filepath.Join(p.home, "data") }

// join connects to a server that runs on our cluster already. It waits while
// one is coming up (after a crash it replays its log) or going down.
func (p *Private) join(ctx context.Context) (bool, error) {
	if p.home == "" {
		return false, nil
	}
	running, ok := readPostmaster(p.data())
	if !ok || !running.alive() {
		return false, nil
	}
	gone := func() bool { return !running.alive() }
	for running.socketDir == "" && !gone() { // it has not written that line yet
		if err := pause(ctx); err != nil {
			return false, err
		}
		running, _ = readPostmaster(p.data())
	}
	p.socketDir = running.socketDir
	if err := await(ctx, p.socketDir, gone); err != nil {
		if gone() {
			return false, nil
		}
		return false, fmt.Errorf("the server with process number %d does not answer: %w", running.pid, err)
	}
	return true, nil
}

func (p *Private) start(ctx context.Context, dataDir string, acc account) (err error) {
	if p.home == "" {
		if p.home, err = place(ctx, dataDir, acc); err != nil {
			return err
		}
	}
	if !acc.mayEnter(ctx, p.home) {
		return closedTo(p.home, acc)
	}
	major, err := majorOnDisk(p.data())
	if err != nil {
		return err
	}
	bin, err := findBinaries(ctx, dataDir, acc, major)
	if err != nil {
		return err
	}
	if major == 0 {
		if err := p.create(ctx, bin, acc); err != nil {
			return err
		}
	}
	if p.socketDir, err = socketFolder(ctx, p.home, acc); err != nil {
		return err
	}
	return p.launch(ctx, bin, acc)
}

// create runs initdb beside the final folder and renames it when it is
// complete, so that being killed half-way leaves nothing that looks like a cluster.
func (p *Private) create(ctx context.Context, bin Binaries, acc account) error {
	p.log.Info("making the private database", "home", p.home, "postgres", bin.Major)
	unfinished := filepath.Join(p.home, "data.new")
	if err := os.RemoveAll(unfinished); err != nil {
		return err
	}
	if err := initdb(ctx, bin, acc, unfinished, "--data-checksums"); err != nil {
		return err
	}
	return os.Rename(unfinished, p.data())
}

func (p *Private) launch(ctx context.Context, bin Binaries, acc account) (err error) {
	if stale, ok := readPostmaster(p.data()); ok && !stale.alive() {
		if err := p.outlive(ctx); err != nil {
			return err
		}
		// The number in both files may by now belong to another process of the account, or
		// to one that nobody has buried, which PostgreSQL itself would take for a running server.
		for _, lock := range []string{filepath.Join(p.data(), "postmaster.pid"),
			filepath.Join(p.socketDir, ".s.PGSQL."+port+".lock")} {
			if err := os.Remove(lock); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	log := filepath.Join(p.home, "server.log")
	if st, err := os.Stat(log); err == nil && st.Size() > logLimit {
		_ = os.Rename(log, log+".1")
	}
	settings := append(slices.Clip(privateSettings), fmt.Sprintf("shared_buffers=%dMB", buffersMB(memoryBytes())))
	if p.server, err = launch(bin, acc, p.data(), p.socketDir, log, settings); err != nil {
		return err
	}
	if err := await(ctx, p.socketDir, p.server.ended); err != nil {
		return fmt.Errorf("%w\n%s", err, tail(log))
	}
	return nil
}

// abandon ends a server that we started and cannot use.
func (p *Private) abandon() error {
	if p.server == nil || p.server.ended() {
		return nil
	}
	if err := p.server.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-p.server.done:
		return nil
	case <-time.After(stopLimit):
		return errors.New("the server does not stop")
	}
}

// majorOnDisk reads which PostgreSQL made the cluster; 0 when there is none.
func majorOnDisk(data string) (int, error) {
	b, err := os.ReadFile(filepath.Join(data, "PG_VERSION")) //nolint:gosec // in the data folder of the settings
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// DSN names a database of the cluster as a postgres:// URL.
func (p *Private) DSN(db string) string { return dsn(p.socketDir, db) }

// Joined tells whether the server ran already when we opened it.
func (p *Private) Joined() bool { return p.joined }

// Close gives up our hold on the cluster and, when nobody else uses it, stops
// the server cleanly. Close all connections first. A second call does nothing.
func (p *Private) Close() error {
	p.close.Do(func() { p.closeErr = p.leave() })
	return p.closeErr
}

func (p *Private) beginWatch(ctx context.Context, dataDir string) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.watch(ctx, dataDir)
	}()
	p.unwatch = func() { cancel(); <-done }
}

func (p *Private) leave() (err error) {
	p.unwatch()
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	defer func() { err = errors.Join(err, p.users.release()) }()
	leave, err := p.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	last, err := p.users.alone()
	if err != nil || !last {
		return err
	}
	return p.stop(ctx)
}

// stop ends the server by a fast shutdown, whoever started it.
func (p *Private) stop(ctx context.Context) error {
	running, ok := readPostmaster(p.data())
	if !ok || !running.alive() {
		return nil
	}
	if err := syscall.Kill(running.pid, syscall.SIGINT); err != nil {
		return fmt.Errorf("stop the private PostgreSQL: %w", err)
	}
	for running.alive() {
		if err := pause(ctx); err != nil {
			return fmt.Errorf("the private PostgreSQL is still stopping: %w", err)
		}
	}
	if p.socketDir != p.home {
		_ = os.Remove(p.socketDir) //nolint:gosec // a folder in the temporary folder, empty now
	}
	return nil
}
