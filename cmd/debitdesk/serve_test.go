package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"debitdesk/models/database/dbtest"
	"debitdesk/models/database/postgres"
	"debitdesk/models/storetest"
)

// binary is the program, built once for all tests that need a process of its own.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "debitdesk")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

var scratch string // removed after the run

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "debitdesk-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	endBrowser()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// process is a running server.
type process struct {
	cmd *exec.Cmd
	out io.Reader
	url string
	log *logged
}

type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serving starts a server and returns when it listens.
func serving(t *testing.T, variables map[string]string, args ...string) *process {
	t.Helper()
	p := launched(t, variables, args...)
	p.listens(t)
	return p
}

func launched(t *testing.T, variables map[string]string, args ...string) *process {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // our own program
	p := &process{cmd: exec.Command(path, append([]string{"serve"}, args...)...), log: &logged{}}
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "DEBITDESK_LISTEN=127.0.0.1:0",
		"DEBITDESK_LOG=error"}
	for k, v := range variables {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	p.cmd.Stderr = p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.out = out
	t.Cleanup(func() { p.end(syscall.SIGTERM) })
	return p
}

func (p *process) listens(t *testing.T) {
	t.Helper()
	lines := bufio.NewScanner(p.out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			p.url = url
			return
		}
	}
	t.Fatalf("it never listened: %v\n%s", p.cmd.Wait(), p.log)
}

// end sends a signal and gives the exit code.
func (p *process) end(s os.Signal) int {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Signal(s)
		_ = p.cmd.Wait()
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) get(t *testing.T, path, token string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func (p *process) status(t *testing.T, path, token string) int {
	t.Helper()
	code, _ := p.get(t, path, token)
	return code
}

func (p *process) isWell(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/healthz", "/readyz"} {
		if code, body := p.get(t, path, ""); code != http.StatusOK {
			t.Errorf("%s: %d %s\n%s", path, code, body, p.log)
		}
	}
}

func TestTheEmbeddedDatabaseOutlivesTheServer(t *testing.T) {
	t.Parallel()
	data := shortFolder(t)
	env := map[string]string{"DEBITDESK_DATA": data}
	first := serving(t, env)
	first.isWell(t)
	// A second command joins the database of the running server.
	both := map[string]string{"DEBITDESK_DATA": data}
	makeMerchant(t, both, "gym")
	if got := typed(t, both, "long enough to pass\n", "user", "create", "--email", "o@gym.example", "--role", "admin",
		"--merchant", "gym", "--password-stdin"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if token := demoToken(t, both); first.status(t, "/api/v1/clients/", token) != http.StatusOK {
		t.Errorf("the running server does not know the token of a demo that was made beside it\n%s", first.log)
	}
	if code := first.end(syscall.SIGKILL); code != -1 {
		t.Errorf("killed, it ended with %d", code)
	}
	second := serving(t, env) // joins what the first left running
	second.isWell(t)
	if got := typed(t, both, "", "apikey", "list", "--merchant", "gym"); got.code != exitOK {
		t.Errorf("what was written is gone: %+v", got)
	}
	if code := second.end(syscall.SIGTERM); code != exitOK {
		t.Errorf("asked to stop, it ended with %d\n%s", code, second.log)
	}
	if _, err := os.Stat(filepath.Join(data, "postgres", "data", "postmaster.pid")); !os.IsNotExist(err) {
		t.Errorf("the last to leave did not stop the database: %v", err)
	}
}

func demoToken(t *testing.T, env map[string]string) string {
	t.Helper()
	got := typed(t, env, "", "demo", "--json", "--clients", "2")
	var told struct {
		Token string `json:"api_token"`
	}
	if err := json.Unmarshal([]byte(got.out), &told); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
	return told.Token
}

// shortFolder is a data folder that the database's own user can enter.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dd-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cluster, err := postgres.Open(context.Background(), dir, newLog(Config{LogFormat: "text"}, io.Discard, 0))
		if err == nil {
			_ = cluster.Close() // stops one that a failed test left
		}
		_ = os.RemoveAll(dir)
	})
	return dir
}

func TestTwoServersShareOneDatabase(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": dbtest.Empty(t), "DEBITDESK_DATA": t.TempDir()}
	servers := []*process{launched(t, env, "--migrate", "--demo"), launched(t, env, "--migrate", "--demo")} // both at once
	for _, s := range servers {
		s.listens(t)
		s.isWell(t)
	}
}

func TestTheOperationsAddressStandsApart(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": storetest.DSN(t), "DEBITDESK_DATA": t.TempDir(),
		"DEBITDESK_OPS_LISTEN": "127.0.0.1:0"}
	p := serving(t, env)
	if code := p.status(t, "/metrics", ""); code != http.StatusNotFound {
		t.Errorf("metrics on the main address: %d", code)
	}
	if p.status(t, "/debug/pprof/", "") == http.StatusOK {
		t.Error("profiles on the main address")
	}
}
