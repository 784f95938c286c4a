package outbound

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
)

func TestEachConnectionLeavesALineAndCounts(t *testing.T) {
	server, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	var said bytes.Buffer
	Log(slog.New(slog.NewTextHandler(&said, nil)))
	defer Log(nil)
	before := TotalOf(Mail)

	conn, err := Via(Mail, (&net.Dialer{}).DialContext)(t.Context(), "tcp", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	refused := errors.New("nobody listens")
	_, err = Via(Mail, func(context.Context, string, string) (net.Conn, error) { return nil, refused })(
		t.Context(), "tcp", "relay.example:25")
	if !errors.Is(err, refused) {
		t.Error(err)
	}

	if now := TotalOf(Mail); now.Opened-before.Opened != 1 || now.Failed-before.Failed != 1 {
		t.Errorf("%+v became %+v", before, now)
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `msg="outbound connection" purpose="mail relay" to=`+
		server.Addr().String()) || !strings.Contains(lines[1], `msg="outbound connection failed"`) ||
		!strings.Contains(lines[1], "to=relay.example:25") {
		t.Error(said.String())
	}
}

func TestASocketOfThisMachineIsNoConnectionToOthers(t *testing.T) {
	before := TotalOf(Database)
	called := false
	_, _ = Via(Database, func(context.Context, string, string) (net.Conn, error) {
		called = true
		return nil, errors.New("no socket")
	})(t.Context(), "unix", "/run/postgres")
	if !called || TotalOf(Database) != before {
		t.Error(called, TotalOf(Database))
	}
}
