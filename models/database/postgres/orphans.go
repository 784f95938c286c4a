package postgres

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
)

// outlive waits until the processes of a server that was killed have ended. Each ends by itself when it sees that the
// server is gone; until then they hold its shared memory, and no other server starts on the cluster.
func (p *Private) outlive(ctx context.Context) error {
	left := orphans(p.data())
	if left > 0 {
		p.log.Info("waiting for the processes of a PostgreSQL that was killed", "processes", left)
	}
	for ; left > 0; left = orphans(p.data()) {
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// orphans counts PostgreSQL's processes that work in the folder of a cluster: all of them do. Without /proc there are
// none to be seen, and PostgreSQL itself refuses to start beside them.
func orphans(data string) (n int) {
	data, err := filepath.EvalSymlinks(data)
	if err != nil {
		return 0
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		folder, err := os.Readlink(filepath.Join(process, "cwd"))
		if err != nil || folder != data {
			continue
		}
		//nolint:gosec // a process that the system lists
		name, _ := os.ReadFile(filepath.Join(process, "comm"))
		if bytes.HasPrefix(name, []byte("postgres")) {
			n++
		}
	}
	return n
}
