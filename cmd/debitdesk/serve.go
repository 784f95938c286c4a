package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"debitdesk/handlers"
	"debitdesk/models/mandate"
	"debitdesk/models/upkeep"
)

type serveCmd struct {
	NoWorkers bool `help:"Leave the background work to other processes."`
	Migrate   bool `help:"Bring the database to the newest schema first; the embedded one is always brought up to date."`
	Demo      bool `help:"Fill an empty database with the demo merchant first (sandbox mode)."`
}

// How long what is under way may take when the server stops.
const (
	drainTime   = 10 * time.Second
	memoryAim   = 80 << 20 // bytes; soft, the collector works harder above it
	gcPercent   = 300      // the live heap is small; below the limit there is room to collect less often
	headerLimit = 32 << 10 // bytes
)

func (s *serveCmd) run(ctx context.Context, c Config, io streams) (err error) {
	keepSmall()
	log := serverLog(c, io)
	// First the address: a second server on it should not touch the database.
	main, ops, err := listen(ctx, c)
	if err != nil {
		return err
	}
	defer closeAll(main, ops)
	untraced, err := watch(ctx, c, log)
	if err != nil {
		return err
	}
	defer untraced()
	baseURL := c.PublicURL(main.Addr().String())
	a, err := Open(ctx, c, opening{log: log, baseURL: baseURL, migrate: s.Migrate})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.fit(ctx); err != nil {
		return err
	}
	if s.Demo {
		if err := a.welcome(ctx, baseURL, io.out); err != nil {
			return err
		}
	}
	return a.Serve(ctx, main, ops, baseURL, !s.NoWorkers, io.out)
}

// Serve answers on the listeners and works until ctx ends, then in this order: not
// ready any more but still serving, for as long as the configuration says; the open
// panels, no new requests, those under way to their end, the workers.
func (a *App) Serve(ctx context.Context, main, ops net.Listener, baseURL string, working bool, out io.Writer) error {
	metrics := a.metrics()
	watch, err := mandate.Store{DB: a.Store}.Watch(ctx)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil // told to end before it began
	case err != nil:
		return err
	}
	defer watch.Close()
	handler, err := a.handler(metrics, baseURL, ops != nil, watch)
	if err != nil {
		return err
	}
	stopWork, err := a.startWork(ctx, working)
	if err != nil {
		return err
	}
	secure, err := a.Config.tlsConfig(a.Log)
	if err != nil {
		return errors.Join(err, stopWork(ctx))
	}
	noteRequests := a.startRequestLog(ctx)
	failed := make(chan error, 2)
	var servers []*http.Server
	if ops != nil {
		servers = append(servers, start(ops, nil, operations(metrics), a.Log, failed))
		a.Log.Info("operations address", "url", "http://"+shown(ops.Addr()))
	}
	servers = append(servers, start(main, secure, handler, a.Log, failed))
	if _, err := fmt.Fprintf(out, "listening on %s://%s\n", schemeOf(secure), shown(main.Addr())); err != nil {
		a.Log.Warn("standard output is closed", "error", err)
	}
	if err := a.offerFirstLink(ctx, baseURL, out); err != nil {
		a.Log.Warn("no link for the first admin was printed", "error", err)
	}
	select {
	case <-ctx.Done():
		err = a.drain(failed)
	case err = <-failed:
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	watch.Close() // ends the streams, which would hold up the stop
	for i := len(servers) - 1; i >= 0; i-- {
		if drained := servers[i].Shutdown(drain); drained != nil {
			a.Log.Warn("requests cut off", "error", drained)
			_ = servers[i].Close()
		}
	}
	noteRequests()
	return errors.Join(err, stopWork(drain))
}

// startRequestLog begins to write what programs asked, and gives what writes the rest
// when nobody asks any more.
func (a *App) startRequestLog(ctx context.Context) (end func()) {
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.Requests.Run(writing)
	}()
	return func() {
		stop()
		<-done
	}
}

// drain keeps serving for a while, so that whoever spreads requests can look
// elsewhere first. A second signal ends the program at once.
func (a *App) drain(failed <-chan error) error {
	a.draining.Store(true)
	a.Log.Info("stopping", "drain", a.Config.Drain)
	if a.Config.Drain == 0 {
		return nil
	}
	select {
	case <-time.After(a.Config.Drain):
		return nil
	case err := <-failed:
		return err
	}
}

// metrics are those of the program itself and of the business; the edge adds its own.
func (a *App) metrics() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&business{read: upkeep.Store{DB: a.Store}, now: time.Now, log: a.Log, standby: a.Store.Standby})
	return r
}

// start serves on a listener: with TLS, unless secure is nil.
func start(on net.Listener, secure *tls.Config, handler http.Handler, log *slog.Logger,
	failed chan<- error) *http.Server {
	s := usual.server(handler, log)
	serve := func() error { return s.Serve(on) }
	if secure != nil {
		s.TLSConfig = secure
		serve = func() error { return s.ServeTLS(on, "", "") }
	}
	go func() {
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve: %w", err)
		}
	}()
	return s
}

func schemeOf(secure *tls.Config) string {
	if secure != nil {
		return "https"
	}
	return "http"
}

// operations are for whoever runs the product, on an address of their own.
func operations(metrics *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", handlers.MetricsHandler(metrics))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

func listen(ctx context.Context, c Config) (main, ops net.Listener, err error) {
	var l net.ListenConfig
	if c.handedOver() {
		main, err = takeOver(firstHanded)
	} else {
		main, err = l.Listen(ctx, "tcp", c.Listen)
	}
	if err != nil {
		return nil, nil, err
	}
	if c.OpsListen == "" {
		return main, nil, nil
	}
	if ops, err = l.Listen(ctx, "tcp", c.OpsListen); err != nil {
		_ = main.Close()
		return nil, nil, err
	}
	return main, ops, nil
}

// firstHanded is the number of the first socket that systemd hands over.
const firstHanded = 3

// handedOver tells whether a supervisor opened the main address for us. It keeps the
// address open while we are replaced: callers wait for a moment and are not refused.
func (c Config) handedOver() bool { return c.ListenFDs > 0 && c.ListenPID == os.Getpid() }

func takeOver(number uintptr) (net.Listener, error) {
	syscall.CloseOnExec(int(number)) // our own PostgreSQL is not to inherit it
	f := os.NewFile(number, "main address")
	defer func() { _ = f.Close() }() // the listener has a copy
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("the socket that was handed over (LISTEN_FDS): %w", err)
	}
	return l, nil
}

func closeAll(all ...net.Listener) {
	for _, l := range all {
		if l != nil {
			_ = l.Close()
		}
	}
}

// shown is an address that a browser on this machine can open.
func shown(a net.Addr) string {
	if t, ok := a.(*net.TCPAddr); ok && t.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", t.Port)
	}
	return a.String()
}

// keepSmall sets a soft limit of memory unless whoever runs it set one.
func keepSmall() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryAim)
		debug.SetGCPercent(gcPercent)
	}
}
