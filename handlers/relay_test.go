package handlers_test

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
)

// relayServer takes mails and keeps them.
type relayServer struct {
	net.Listener
	mu    sync.Mutex
	mails []string
}

func openRelay(t *testing.T) *relayServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &relayServer{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.talk(conn)
		}
	}()
	return s
}

func (s *relayServer) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

func (s *relayServer) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in, say := bufio.NewReader(conn), func(line string) { _, _ = fmt.Fprint(conn, line+"\r\n") }
	say("220 relay")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " "); strings.ToUpper(verb) {
		case "DATA":
			say("354 go on")
			var text strings.Builder
			for line != ".\r\n" {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
				if line != ".\r\n" {
					text.WriteString(line)
				}
			}
			s.mu.Lock()
			s.mails = append(s.mails, text.String())
			s.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}
