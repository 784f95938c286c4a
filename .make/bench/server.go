package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/database/postgres"
)

// server is the built binary, serving on a folder of its own.
type server struct {
	cmd    *exec.Cmd
	env    []string
	folder string
	base   string // http://127.0.0.1:port
	cast   cast
	db     *postgres.Private
	bin    string // of pgbench
}

// cast is the merchant that the measurements are made with.
type cast struct {
	MerchantID string `json:"merchant_id"`
	BrandID    string `json:"brand_id"`
	Token      string `json:"-"`
}

const admin, password = "admin@bench.example", "a long password for the bench"

func start(ctx context.Context) (*server, error) {
	folder, err := os.MkdirTemp("", "debitdesk-bench")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(folder, 0o755); err != nil { //nolint:gosec // the account of the database must enter it
		return nil, err
	}
	s := &server{folder: folder}
	env := append(os.Environ(), "DEBITDESK_DATA="+filepath.Join(folder, "data"), "DEBITDESK_LISTEN=127.0.0.1:0",
		"DEBITDESK_LOG=error", "DEBITDESK_RATE_LIMIT=0", "DATABASE_URL=")
	if err := s.seed(ctx, env); err != nil {
		return s, err
	}
	if err := s.serve(env); err != nil {
		return s, err
	}
	if s.db, err = postgres.Open(ctx, filepath.Join(folder, "data"), slog.New(slog.DiscardHandler)); err != nil {
		return s, err
	}
	const ids = "SELECT json_build_object('merchant_id', m.id, 'brand_id', b.id)::text " +
		"FROM merchants m JOIN brands b ON b.merchant_id = m.id"
	text, err := s.query(ctx, ids)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(text), &s.cast); err != nil {
		return s, err
	}
	return s, s.findPgbench(ctx)
}

// serve starts the binary and waits until it listens.
func (s *server) serve(env []string, args ...string) error {
	s.env = env
	s.cmd = exec.Command("bin/debitdesk", append([]string{"serve"}, args...)...) //nolint:gosec // our own binary and words
	s.cmd.Env, s.cmd.Stderr = env, os.Stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "listening on "); ok {
			s.base = strings.TrimSpace(address)
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return nil
}

// leave ends the process alone.
func (s *server) leave() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

// seed makes the merchant by the commands that a person would use.
func (s *server) seed(ctx context.Context, env []string) error {
	run := func(input string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "bin/debitdesk", args...) //nolint:gosec // our own binary and words
		cmd.Env, cmd.Stderr, cmd.Stdin = env, os.Stderr, strings.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		return out, err
	}
	if _, err := run("", "migrate", "up"); err != nil {
		return err
	}
	if _, err := run("", "merchant", "create", "bench", "--name", "Bench"); err != nil {
		return err
	}
	token, err := run("", "apikey", "create", "--merchant", "bench", "--name", "bench")
	if err != nil {
		return err
	}
	_, err = run(password, "user", "create", "--email", admin, "--role", "admin", "--merchant", "bench",
		"--password-stdin")
	s.cast.Token = strings.TrimSpace(string(token))
	return err
}

func (s *server) findPgbench(ctx context.Context) error {
	found, err := postgres.FindBinaries(ctx, filepath.Join(s.folder, "data"))
	if err != nil {
		return err
	}
	s.bin = found.Path("pgbench")
	if _, err := os.Stat(s.bin); err != nil {
		s.bin, err = exec.LookPath("pgbench")
		return err
	}
	return nil
}

func (s *server) stop() {
	if s.db != nil {
		_ = s.db.Close()
	}
	if s.cmd != nil && s.cmd.Process != nil {
		s.leave()
	}
	_ = os.RemoveAll(s.folder)
}

func (s *server) dsn() string { return s.db.DSN(postgres.Database) }

func (s *server) exec(ctx context.Context, statements ...string) error {
	conn, err := pgx.Connect(ctx, s.dsn())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, q := range statements {
		if _, err := conn.Exec(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(q[:min(len(q), 60)]), err)
		}
	}
	return nil
}

// post calls the API once and reads the answer.
func (s *server) post(path, body string, into any) error {
	r, err := http.NewRequest(http.MethodPost, s.base+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.cast.Token)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode > 299 {
		return fmt.Errorf("%s: %d %s", path, res.StatusCode, b)
	}
	return json.Unmarshal(b, into)
}

// signIn gives a browser's client with the session of the demo's admin.
func (s *server) signIn() (*http.Client, error) { return walk.SignIn(s.base, admin, password) }
