package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/store/postgres"
)

// server is the built binary, serving on a folder of its own.
type server struct {
	cmd    *exec.Cmd
	folder string
	base   string // http://127.0.0.1:port
	demo   demo
	db     *postgres.Private
	bin    string // of pgbench
}

// demo is what `debitdesk demo --json` prints.
type demo struct {
	MerchantID string `json:"merchant_id"`
	BrandID    string `json:"brand_id"`
	Token      string `json:"api_token"`
	Users      []struct{ Email, Password, Role string }
	Clients    []struct{ ID, Email string }
}

func start(ctx context.Context) (*server, error) {
	folder, err := os.MkdirTemp("", "debitdesk-bench")
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder}
	env := append(os.Environ(), "DEBITDESK_DATA="+filepath.Join(folder, "data"), "DEBITDESK_LISTEN=127.0.0.1:0", "DEBITDESK_LOG=error", "DATABASE_URL=")
	seed := exec.CommandContext(ctx, "bin/debitdesk", "demo", "--json")
	seed.Env, seed.Stderr = env, os.Stderr
	out, err := seed.Output()
	if err != nil {
		return s, fmt.Errorf("demo: %w", err)
	}
	if err := json.Unmarshal(out, &s.demo); err != nil {
		return s, fmt.Errorf("demo: %w", err)
	}
	s.cmd = exec.Command("bin/debitdesk", "serve")
	s.cmd.Env, s.cmd.Stderr = env, os.Stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	if err := s.cmd.Start(); err != nil {
		return s, err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "listening on "); ok {
			s.base = strings.TrimSpace(address)
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	if s.db, err = postgres.Open(ctx, filepath.Join(folder, "data"), nil); err != nil {
		return s, err
	}
	return s, s.findPgbench(ctx)
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
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		_ = s.cmd.Wait()
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
	r.Header.Set("Authorization", "Bearer "+s.demo.Token)
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
func (s *server) signIn() (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Jar: jar, Timeout: time.Minute}
	for _, u := range s.demo.Users {
		if u.Role != "admin" {
			continue
		}
		r, err := http.NewRequest(http.MethodPost, s.base+"/login", strings.NewReader(url.Values{"email": {u.Email}, "password": {u.Password}}.Encode()))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		res, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("sign in: %d", res.StatusCode)
		}
	}
	return client, nil
}
