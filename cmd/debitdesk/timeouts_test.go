package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// impatient serves with short times on a real socket; each is the one that is tried.
func impatient(t *testing.T, p timeouts, handler http.HandlerFunc) net.Conn {
	t.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	must(t, err)
	s := p.server(handler, slog.New(slog.DiscardHandler))
	go func() { _ = s.Serve(on) }()
	t.Cleanup(func() { _ = s.Close() })
	c, err := net.Dial("tcp", on.Addr().String()) //nolint:noctx // a test
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	must(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	return c
}

const soon, never = 150 * time.Millisecond, time.Hour

// ended reads until the server hangs up, and fails when it does not.
func ended(t *testing.T, c net.Conn) string {
	t.Helper()
	said, err := io.ReadAll(c)
	if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() {
		t.Fatal("the connection is still open")
	}
	return string(said)
}

func TestAHeadThatNeverEndsIsCutOff(t *testing.T) {
	t.Parallel()
	c := impatient(t, timeouts{header: soon, read: never, write: never, idle: never},
		func(http.ResponseWriter, *http.Request) { t.Error("it was served") })
	_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
	must(t, err)
	ended(t, c)
}

func TestABodyThatNeverEndsIsCutOff(t *testing.T) {
	t.Parallel()
	read := make(chan error, 1)
	c := impatient(t, timeouts{header: never, read: soon, write: never, idle: never},
		func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			read <- err
		})
	_, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nname=")
	must(t, err)
	ended(t, c)
	if err := <-read; err == nil {
		t.Error("the handler saw a whole body")
	}
}

func TestAReaderThatNeverReadsIsCutOff(t *testing.T) {
	t.Parallel()
	wrote := make(chan error, 1)
	c := impatient(t, timeouts{header: never, read: never, write: soon, idle: never},
		func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
					wrote <- err
					return
				}
			}
		})
	_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	must(t, err)
	select {
	case <-wrote:
	case <-time.After(patience):
		t.Error("the answer still waits for its reader")
	}
}

func TestAConnectionWithoutRequestsIsClosed(t *testing.T) {
	t.Parallel()
	c := impatient(t, timeouts{header: never, read: never, write: never, idle: soon},
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	must(t, err)
	if said := ended(t, c); !strings.Contains(said, "204") {
		t.Errorf("the request before: %q", said)
	}
}

func TestAHeadHasItsLimit(t *testing.T) {
	t.Parallel()
	const slack = 4096 // what net/http adds to any limit
	for size, want := range map[int]string{headerLimit - 100: "204", headerLimit + slack + 100: "431"} {
		c := impatient(t, usual, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nX-Large: "+strings.Repeat("x", size)+"\r\n\r\n")
		must(t, err)
		line, err := bufio.NewReader(c).ReadString('\n')
		must(t, err)
		if !strings.Contains(line, want) {
			t.Errorf("a head of %d bytes: %q, want %s", size, line, want)
		}
	}
}

func TestTheUsualPatienceHasAnEnd(t *testing.T) {
	for name, d := range map[string]time.Duration{"header": usual.header, "read": usual.read, "write": usual.write,
		"idle": usual.idle} {
		if d <= 0 || d > 2*time.Minute {
			t.Errorf("%s: %s", name, d)
		}
	}
}
