package main

import (
	"log/slog"
	"net/http"
	"time"
)

// timeouts are how long a client may take, so that slow ones hold no connection for
// good. How many connections one address may open is left to the proxy in front.
type timeouts struct {
	header time.Duration // for the head of a request
	read   time.Duration // for all of a request
	write  time.Duration // for the answer; streams lift it
	idle   time.Duration // between requests
}

var usual = timeouts{header: 10 * time.Second, read: time.Minute, write: time.Minute, idle: 2 * time.Minute}

func (p timeouts) server(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: p.header, ReadTimeout: p.read, WriteTimeout: p.write,
		IdleTimeout:    p.idle,
		MaxHeaderBytes: headerLimit, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
}
