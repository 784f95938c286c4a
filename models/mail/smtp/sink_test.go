package smtp

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// sink is a mail relay for one test: it keeps what it is given, or answers a
// command as it is told.
type sink struct {
	net.Listener
	answers  map[string]string // by the first word of a command; "." is the end of DATA
	starttls *tls.Config

	mu        sync.Mutex
	said      []string // commands, in order
	delivered []string // whole messages
	encrypted bool
}

// certificate is one for 127.0.0.1 and example.com.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	t.Cleanup(web.Close)
	server = &tls.Config{Certificates: web.TLS.Certificates}
	client = web.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	return server, client
}

func openSink(t *testing.T, answers map[string]string, starttls, implicit *tls.Config) *sink {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if implicit != nil {
		l = tls.NewListener(l, implicit)
	}
	s := &sink{Listener: l, answers: answers, starttls: starttls, encrypted: implicit != nil}
	var talks sync.WaitGroup
	talks.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			talks.Go(func() { s.talk(conn) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); talks.Wait() })
	return s
}

func (s *sink) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = fmt.Fprint(conn, line+"\r\n") }
	say("220 sink")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
		s.keep(line)
		if answer := s.answers[verb]; answer != "" {
			say(answer)
			continue
		}
		switch verb {
		case "EHLO":
			say("250-sink")
			if s.starttls != nil {
				say("250-STARTTLS")
			}
			say("250 AUTH PLAIN")
		case "STARTTLS":
			say("220 go on")
			secured := tls.Server(conn, s.starttls)
			s.mu.Lock()
			s.encrypted = true
			s.mu.Unlock()
			conn, in = secured, bufio.NewReader(secured)
		case "AUTH":
			say("235 welcome")
		case "DATA":
			say("354 go on")
			s.data(in)
			if answer := s.answers["."]; answer != "" {
				say(answer)
				continue
			}
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func (s *sink) data(in *bufio.Reader) {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return // no end, no mail
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(line)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivered = append(s.delivered, text.String())
}

func (s *sink) keep(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, line)
}

func (s *sink) heard(line string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, said := range s.said {
		if strings.HasPrefix(said, line) {
			return true
		}
	}
	return false
}

func (s *sink) mails() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delivered
}
