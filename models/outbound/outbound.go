// Package outbound is how this program connects to others: the database, the mail relay, providers of short messages,
// endpoints of merchants, issuers, the authority for certificates, the bank, the collector of traces. Each connection
// leaves a line in the log and counts in the metrics, so that whoever runs the product sees what it talks to. It must
// not know what is said.
package outbound

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Purpose says what a connection is for.
type Purpose string

// What this program connects for.
const (
	Database     Purpose = "database"
	Mail         Purpose = "mail relay"
	Messages     Purpose = "short messages"
	Webhooks     Purpose = "webhook"
	SignIn       Purpose = "sign-in issuer"
	Certificates Purpose = "certificate authority"
	Bank         Purpose = "bank files"
	Traces       Purpose = "traces"
)

// Purposes are all of them.
func Purposes() []Purpose {
	return []Purpose{Database, Mail, Messages, Webhooks, SignIn, Certificates, Bank, Traces}
}

// Dial opens a connection, as net.Dialer.DialContext does.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Via is a dial that notes what it opens. Sockets of this machine are no connection to others.
func Via(p Purpose, dial Dial) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if network == "unix" {
			return dial(ctx, network, address)
		}
		ctx, span := otel.Tracer("debitdesk").Start(ctx, "connect "+string(p), trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(attribute.String("server.address", address)))
		defer span.End()
		began := time.Now() //nolint:forbidigo // how long it takes is real time
		conn, err := dial(ctx, network, address)
		note(ctx, p, address, conn, err, time.Since(began))
		if err != nil {
			span.SetStatus(codes.Error, "no connection")
		}
		return conn, err
	}
}

// Transport carries HTTP to addresses that the operator chose, as the usual one does: through the proxy of the
// environment, too.
func Transport(p Purpose) *http.Transport {
	usual, _ := http.DefaultTransport.(*http.Transport)
	noted := usual.Clone()
	noted.DialContext = Via(p, usual.DialContext)
	return noted
}

// Total counts the connections for one purpose since the program began.
type Total struct{ Opened, Failed int64 }

// counts are the totals so far.
var counts sync.Map // of *[2]atomic.Int64 by Purpose

func countOf(p Purpose) *[2]atomic.Int64 {
	n, _ := counts.LoadOrStore(p, &[2]atomic.Int64{})
	return n.(*[2]atomic.Int64) //nolint:forcetypeassert // nothing else is stored
}

// TotalOf is how often this program connected, or tried to.
func TotalOf(p Purpose) Total {
	n := countOf(p)
	return Total{n[0].Load(), n[1].Load()}
}

var log atomic.Pointer[slog.Logger]

// Log has each connection leave a line from now on; a command that nobody watches says nothing.
func Log(to *slog.Logger) { log.Store(to) }

func note(ctx context.Context, p Purpose, address string, conn net.Conn, err error, took time.Duration) {
	n := countOf(p)
	said := []slog.Attr{slog.String("purpose", string(p)), slog.String("to", address),
		slog.Float64("ms", float64(took.Microseconds())/1000)}
	text, level := "outbound connection", slog.LevelInfo
	if err == nil {
		n[0].Add(1)
		said = append(said, slog.String("ip", conn.RemoteAddr().String()))
	} else {
		n[1].Add(1)
		text = "outbound connection failed"
		if p == Database { // each part that waits for it tells of that itself, in one line
			level = slog.LevelDebug
		}
		said = append(said, slog.Any("error", err))
	}
	if l := log.Load(); l != nil {
		l.LogAttrs(ctx, level, text, said...)
	}
}
