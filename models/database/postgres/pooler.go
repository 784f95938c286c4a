package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
)

// poolerPort is only part of the socket's name.
const poolerPort = "6432"

// poolerSettings share the connections of the cluster by transaction, fewer than callers
// will have.
const poolerSettings = `[databases]
* = host=%[1]s port=%[2]s user=%[3]s
[pgbouncer]
listen_addr =
listen_port = %[4]s
unix_socket_dir = %[1]s
auth_type = any
pool_mode = transaction
default_pool_size = 12
max_client_conn = 500
logfile = %[1]s/pooler.log
pidfile = %[1]s/pooler.pid
`

// Pooler starts PgBouncer before a throw-away cluster, in transaction mode, and gives what
// names a database through it. It ends with the context.
func (c *Cluster) Pooler(ctx context.Context) (dsn func(db string) string, err error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !executable(program) {
			return nil, errors.New("no pgbouncer (.make/need.sh pgbouncer installs it)")
		}
	}
	acc, err := serverAccount("")
	if err != nil {
		return nil, err
	}
	settings := filepath.Join(c.dir, "pooler.ini")
	text := fmt.Appendf(nil, poolerSettings, c.dir, port, superuser, poolerPort)
	if err := os.WriteFile(settings, text, 0o644); err != nil { //nolint:gosec // no secret in it
		return nil, err
	}
	cmd := acc.command(ctx, c.dir, program, "-q", settings)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(done)
	}()
	dsn = func(db string) string {
		return dsnOf(db, url.Values{"host": {c.dir}, "port": {poolerPort}})
	}
	for {
		err := pingAt(ctx, dsn("postgres"))
		if err == nil {
			return dsn, nil
		}
		select {
		case <-done:
			return nil, fmt.Errorf("pgbouncer ended: %w\n%s", err, tail(filepath.Join(c.dir, "pooler.log")))
		default:
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}
