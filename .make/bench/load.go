package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load sends requests over 16 kept connections as fast as answers come, and tells
// how many succeeded per second. request gives the n-th request, or "" at the end.
func (s *server) load(length time.Duration, request func(n int64) string) (perSecond float64, err error) {
	var sent, done atomic.Int64
	var wg sync.WaitGroup
	errs := make(chan error, connections)
	began := time.Now()
	for range connections {
		wg.Go(func() {
			if err := s.loadOne(began.Add(length), &sent, &done, request); err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	select {
	case err := <-errs:
		return 0, err
	default:
	}
	return float64(done.Load()) / time.Since(began).Seconds(), nil
}

func (s *server) loadOne(until time.Time, sent, done *atomic.Int64, request func(n int64) string) error {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	answers := bufio.NewReaderSize(conn, 32<<10)
	for time.Now().Before(until) {
		text := request(sent.Add(1) - 1)
		if text == "" {
			return nil
		}
		if _, err := io.WriteString(conn, text); err != nil {
			return err
		}
		status, body, err := answer(answers)
		if err != nil {
			return err
		}
		if status > 299 {
			return fmt.Errorf("status %d: %s", status, body)
		}
		done.Add(1)
	}
	return nil
}

// answer reads one response without the cost of net/http: the load shares the
// machine with what it measures.
func answer(r *bufio.Reader) (status int, body []byte, err error) {
	length := 0
	for first := true; ; first = false {
		head, err := r.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		head = bytes.TrimRight(head, "\r\n")
		if first {
			status, err = strconv.Atoi(string(head[9:12]))
			if err != nil {
				return 0, nil, err
			}
			continue
		}
		if len(head) == 0 {
			break
		}
		if name, value, ok := bytes.Cut(head, []byte(": ")); ok && http.CanonicalHeaderKey(string(name)) == "Content-Length" {
			length, _ = strconv.Atoi(string(value))
		}
	}
	if status > 299 {
		body = make([]byte, length)
		_, err = io.ReadFull(r, body)
		return status, body, err
	}
	_, err = r.Discard(length)
	return status, nil, err
}

func (s *server) apiRequest(path, body string) string {
	return fmt.Sprintf(
		"POST %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, s.cast.Token, len(body), body)
}

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// pgbench runs a script with 16 clients over the same socket, prepared, and gives
// its transactions per second.
func (s *server) pgbench(ctx context.Context, length time.Duration, script string) (float64, error) {
	file := filepath.Join(s.folder, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, s.bin, "-n", "-M", "prepared", "-c", strconv.Itoa(connections), "-j", "2",
		"-T", strconv.Itoa(int(length.Seconds())), "-f", file, s.dsn())
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	found := tps.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("pgbench printed no rate: %s", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
