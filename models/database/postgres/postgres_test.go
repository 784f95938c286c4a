package postgres

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// helperEnv makes the test binary act as a second process of ours: it opens
// the cluster of the named folder, says how, and closes it when its input ends.
const helperEnv = "DEBITDESK_TEST_OPEN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperEnv); dir != "" {
		os.Exit(otherProcess(dir))
	}
	os.Exit(m.Run())
}

func otherProcess(dir string) int {
	p, err := Open(context.Background(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(map[bool]string{true: "joined", false: "started"}[p.Joined()])
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := p.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// other is a second process that holds the cluster.
type other struct {
	tb    testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func spawn(tb testing.TB, dataDir string) *other {
	tb.Helper()
	exe, err := os.Executable()
	must(tb, err)
	o := &other{tb: tb, cmd: exec.CommandContext(tb.Context(), exe)}
	o.cmd.Env = append(os.Environ(), helperEnv+"="+dataDir)
	o.stdin, err = o.cmd.StdinPipe()
	must(tb, err)
	out, err := o.cmd.StdoutPipe()
	must(tb, err)
	o.out = bufio.NewReader(out)
	must(tb, o.cmd.Start())
	return o
}

// says waits for how the process opened the cluster.
func (o *other) says() string {
	o.tb.Helper()
	line, err := o.out.ReadString('\n')
	must(o.tb, err)
	return strings.TrimSpace(line)
}

func (o *other) quit() {
	o.tb.Helper()
	must(o.tb, o.stdin.Close())
	must(o.tb, o.cmd.Wait())
}

func (o *other) kill9() {
	o.tb.Helper()
	must(o.tb, o.cmd.Process.Kill())
	_ = o.cmd.Wait() // reports the kill
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// folder is a data folder that the server's account can reach, unlike TempDir.
func folder(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "dd")
	must(tb, err)
	must(tb, os.Chmod(dir, 0o755))
	tb.Cleanup(func() { must(tb, os.RemoveAll(dir)) })
	return filepath.Join(dir, "data")
}

func open(tb testing.TB, dataDir string) *Private {
	tb.Helper()
	p, err := Open(tb.Context(), dataDir, slog.New(slog.DiscardHandler))
	must(tb, err)
	tb.Cleanup(func() { must(tb, p.Close()) })
	return p
}

func ask(tb testing.TB, dsn, sql string) string {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), dsn)
	must(tb, err)
	defer func() { must(tb, conn.Close(context.WithoutCancel(tb.Context()))) }()
	var answer string
	must(tb, conn.QueryRow(tb.Context(), sql).Scan(&answer))
	return answer
}

func execute(tb testing.TB, dsn, sql string) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), dsn)
	must(tb, err)
	defer func() { must(tb, conn.Close(context.WithoutCancel(tb.Context()))) }()
	_, err = conn.Exec(tb.Context(), sql)
	must(tb, err)
}

func expect(tb testing.TB, what, got, want string) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func running(dataDir string) bool {
	pm, ok := readPostmaster(filepath.Join(dataDir, clusterDir, "data"))
	return ok && pm.alive()
}
