package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"debitdesk/models/database/postgres"
	"debitdesk/models/keyfile"
)

// manyRows says how the demo is multiplied.
type manyRows struct {
	keep      string // the folder that stays for another run; empty: none
	times     int
	neighbour int
}

// desk is the demo alone and the demo multiplied, each with a server, on one private PostgreSQL.
type desk struct {
	folder            string
	keep              bool
	db                *postgres.Private
	alone, multiplied *server
	cast              demoCast
}

// demoCast is what the demo tells of itself.
type demoCast struct {
	Brand   string `json:"brand_id"`
	Token   string `json:"api_token"`
	Clients []struct {
		ID string `json:"id"`
	} `json:"clients"`
}

const multipliedDatabase = "multiplied"

// openDesk makes both databases, or takes those of an earlier run.
func openDesk(ctx context.Context, many manyRows) (d *desk, err error) {
	d = &desk{folder: many.keep, keep: many.keep != ""}
	if !d.keep {
		if d.folder, err = os.MkdirTemp("", "debitdesk-bench"); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(d.second(), 0o755); err != nil { //nolint:gosec // the account of the database must enter it
		return d, err
	}
	if err := os.Chmod(d.folder, 0o755); err != nil { //nolint:gosec // as above
		return d, err
	}
	if err := d.makeDemo(ctx); err != nil {
		return d, err
	}
	if d.db, err = postgres.Open(ctx, d.first(), slog.New(slog.DiscardHandler)); err != nil {
		return d, err
	}
	if err := d.multiply(ctx, many); err != nil {
		return d, err
	}
	d.alone, d.multiplied = &server{}, &server{}
	return d, errors.Join(d.alone.serve(demoEnv(d.first(), "")),
		d.multiplied.serve(demoEnv(d.second(), d.db.DSN(multipliedDatabase))))
}

func (d *desk) first() string  { return filepath.Join(d.folder, "data") }
func (d *desk) second() string { return filepath.Join(d.folder, "multiplied") }

func (d *desk) close() {
	for _, s := range []*server{d.alone, d.multiplied} {
		if s != nil && s.cmd != nil && s.cmd.Process != nil {
			s.leave()
		}
	}
	if d.db != nil {
		_ = d.db.Close()
	}
	if !d.keep {
		_ = os.RemoveAll(d.folder)
	}
}

// makeDemo has the demo of `debitdesk demo`, and what it says of itself.
func (d *desk) makeDemo(ctx context.Context) error {
	said := filepath.Join(d.folder, "demo.json")
	text, err := os.ReadFile(said) //nolint:gosec // our own folder
	if errors.Is(err, os.ErrNotExist) {
		cmd := exec.CommandContext(ctx, "bin/debitdesk", "demo", "--json")
		cmd.Env, cmd.Stderr = demoEnv(d.first(), ""), os.Stderr
		if text, err = cmd.Output(); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		err = os.WriteFile(said, text, 0o600)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &d.cast)
}

// multiply copies the demo's database once it was in use, and fills the copy. Its name is the last that it gets: what
// was cut off is made again.
func (d *desk) multiply(ctx context.Context, many manyRows) error {
	on := &server{db: d.db}
	there, err := on.query(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)::text`, multipliedDatabase)
	if err != nil || there == "true" {
		return err
	}
	if err := d.use(ctx); err != nil {
		return fmt.Errorf("use the demo: %w", err)
	}
	root, err := connect(ctx, d.db.DSN("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close(ctx) }()
	for _, q := range []string{"DROP DATABASE IF EXISTS filling",
		"CREATE DATABASE filling TEMPLATE " + postgres.Database} {
		if _, err := root.Exec(ctx, q); err != nil {
			return err
		}
	}
	keys, err := os.ReadFile(filepath.Join(d.first(), keyfile.Name))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.second(), keyfile.Name), keys, 0o600); err != nil {
		return err
	}
	if err := multiplied(ctx, d.db.DSN("filling"), d.second(), many.times, many.neighbour); err != nil {
		return err
	}
	_, err = root.Exec(ctx, "ALTER DATABASE filling RENAME TO "+multipliedDatabase)
	return err
}

// use calls the API of the demo as a program does, with a webhook that is told, so that there are requests, answers to
// keys and deliveries to multiply: the demo itself is made without a server.
func (d *desk) use(ctx context.Context) error {
	till := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer till.Close()
	s := &server{db: d.db}
	if err := s.serve(demoEnv(d.first(), "")); err != nil {
		return err
	}
	defer s.leave()
	call := func(method, path, key, body string) error {
		r, err := http.NewRequestWithContext(ctx, method, s.base+"/api/v1"+path, bytes.NewBufferString(body))
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+d.cast.Token)
		r.Header.Set("Content-Type", "application/json")
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		if res.StatusCode >= http.StatusBadRequest {
			text, _ := io.ReadAll(res.Body)
			return fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, text)
		}
		return nil
	}
	err := call(http.MethodPost, "/webhooks/", "",
		fmt.Sprintf(`{"title":"Till","callback":%q,"all_events":true}`, till.URL))
	for n, c := range d.cast.Clients {
		if err == nil {
			err = errors.Join(call(http.MethodGet, "/clients/"+c.ID+"/", "", ""),
				call(http.MethodGet, "/clients/"+c.ID+"/recurring_tokens/", "", ""),
				call(http.MethodGet, "/purchases/?client="+c.ID, "", ""))
		}
		if err == nil && n%5 == 0 {
			err = call(http.MethodPatch, "/clients/"+c.ID+"/", "patch-"+c.ID, `{"city":"Cape Town"}`)
		}
		if err == nil && n%25 == 0 {
			err = call(http.MethodPost, "/purchases/", "buy-"+c.ID, fmt.Sprintf(
				`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"Day pass","price":15000}]}}`, c.ID, d.cast.Brand))
		}
	}
	if err != nil {
		return err
	}
	return d.delivered(ctx, s)
}

// delivered waits until the webhook was told, and has it told of the events before it too, as if it had always been.
func (d *desk) delivered(ctx context.Context, s *server) error {
	for range 100 {
		waiting, err := s.query(ctx, `SELECT count(*)::text FROM deliveries WHERE state <> 'delivered'`)
		if err != nil {
			return err
		}
		told, err := s.query(ctx, `SELECT count(*)::text FROM deliveries`)
		if err != nil {
			return err
		}
		if waiting == "0" && told != "0" {
			return s.exec(ctx, strings.ReplaceAll(toldBefore, "\n", " "))
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("the webhook was not told")
}

const toldBefore = `WITH one AS (SELECT * FROM deliveries ORDER BY created_at LIMIT 1),
	made AS (INSERT INTO deliveries (id, merchant_id, seq, event_id, source_id, webhook_id,
	endpoint, address, state, attempts,
			last_status, done_at, created_at, last_error)
		SELECT (substr(e.id::text, 1, 15) || substr(gen_random_uuid()::text, 16))::uuid,
		e.merchant_id, e.seq, e.id, e.source_id,
			one.webhook_id, one.endpoint, one.address, one.state, 1, 200, e.created_at + interval '20 ms', e.created_at, ''
		FROM events e, one WHERE NOT EXISTS (SELECT FROM deliveries d WHERE d.event_id = e.id) RETURNING id, created_at)
	INSERT INTO delivery_attempts (delivery_id, number, at, took_ms, status, error, answer)
	SELECT id, 1, created_at, 18, 200, '', '' FROM made`
