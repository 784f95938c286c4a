package prove

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is one process of the product: it serves, and does the work in the background.
type server struct {
	cmd *exec.Cmd
	log bytes.Buffer // what it said; read once it has ended
	mu  sync.Mutex
	url string // empty while it is down
}

// start begins a server over a database and waits until it listens.
func (p *place) start(ctx context.Context, s *server, dsn string) error {
	s.cmd = exec.CommandContext(ctx, p.Program, "serve") //nolint:gosec // our own program
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "DATABASE_URL=" + dsn,
		"DEBITDESK_DATA=" + p.folder, "DEBITDESK_LISTEN=127.0.0.1:0", "DEBITDESK_LOG=error", "DEBITDESK_REQUEST_LOG=false"}
	s.cmd.Stderr = &s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, listens := strings.CutPrefix(lines.Text(), "listening on "); listens {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			s.set(url)
			return nil
		}
	}
	return fmt.Errorf("a server ended before it listened: %w\n%s", s.cmd.Wait(), s.log.String())
}

func (s *server) set(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url = url
}

func (s *server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// end sends a signal and waits until the process is gone.
func (s *server) end(with os.Signal) error {
	if s.cmd == nil || s.cmd.Process == nil || s.cmd.ProcessState != nil {
		return nil
	}
	s.set("")
	err := s.cmd.Process.Signal(with)
	if wait := s.cmd.Wait(); !errors.As(wait, new(*exec.ExitError)) {
		err = errors.Join(err, wait)
	}
	return err
}

func (s *server) kill() error { return s.end(syscall.SIGKILL) }

// answer is what a call came to. Where known is false nobody can say whether it was done: no answer came, or the
// server had lost its database.
type answer struct {
	known  bool
	status int
	body   []byte
}

func (a answer) ok() bool { return a.known && a.status < http.StatusBadRequest }

// id is that of the object in the answer.
func (a answer) id() string {
	return a.field("id")
}

// field is a text in the answer.
func (a answer) field(name string) string {
	var all map[string]any
	_ = json.Unmarshal(a.body, &all)
	text, _ := all[name].(string)
	return text
}

func (a answer) flag(name string) bool {
	var all map[string]any
	_ = json.Unmarshal(a.body, &all)
	is, _ := all[name].(bool)
	return is
}

// ids are those of an answer that is a list of ids.
func (a answer) ids() (out []string) {
	if a.ok() {
		_ = json.Unmarshal(a.body, &out)
	}
	return out
}

// says tells whether an error has this code.
func (a answer) says(code string) bool {
	return a.known && !a.ok() && bytes.Contains(a.body, []byte(`"`+code+`"`))
}

// patience is longer than a server waits for anything.
const patience = time.Minute

// caller is a program of the merchant.
func caller(by http.RoundTripper) *http.Client {
	if by == nil {
		by = plainly
	}
	return &http.Client{Timeout: patience, Transport: by,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

var plainly = &http.Transport{MaxIdleConnsPerHost: lanes}

// call asks one of the servers; a wrong one is told where the product failed on its own.
func (h *history) call(ctx context.Context, on *server, method, path, key string, body any) answer {
	return h.send(ctx, on, method, path, key, "application/json", func() (io.Reader, error) {
		if body == nil {
			return http.NoBody, nil
		}
		raw, err := json.Marshal(body)
		return bytes.NewReader(raw), err
	})
}

func (h *history) send(ctx context.Context, on *server, method, path, key, kind string,
	body func() (io.Reader, error)) answer {
	content, err := body()
	if err != nil {
		h.found("a body cannot be written: %v", err)
		return answer{}
	}
	req, err := http.NewRequestWithContext(ctx, method, on.address()+path, content)
	if err != nil || on.address() == "" {
		return answer{}
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", kind)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := h.client.Do(req)
	if err != nil {
		return answer{}
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	switch {
	case err != nil, res.StatusCode == http.StatusServiceUnavailable:
		return answer{}
	case res.StatusCode >= http.StatusInternalServerError:
		h.found("%s %s was answered %d: %.200s", method, path, res.StatusCode, raw)
		return answer{}
	}
	return answer{known: true, status: res.StatusCode, body: raw}
}
