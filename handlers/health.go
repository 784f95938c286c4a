package handlers

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"debitdesk/handlers/api"
	"debitdesk/models/fault"
)

// Check is one thing that must be fine before requests may come: the database,
// its schema, the keys.
type Check struct {
	Name  string
	Words string // what a stranger may read when it is not fine; empty: failed
	Run   func(context.Context) error
}

// Lacking is what a check says in words that are fit for strangers, such as
// "missing 0007_trust".
type Lacking string

// Error is the words.
func (l Lacking) Error() string { return string(l) }

func (k Check) words(err error) string {
	var lacking Lacking
	switch {
	case errors.As(err, &lacking):
		return string(lacking)
	case k.Words != "":
		return k.Words
	}
	return "failed"
}

func healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// readyz answers 503 with the names of what is not fine, in words that give nothing
// away; why stands in the log. A process that is about to end is not ready, so that
// whoever spreads requests sends it no more.
func (e *edge) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 3*time.Second)
	defer cancel()
	status, found := http.StatusOK, map[string]string{}
	for _, check := range e.Ready {
		found[check.Name] = "ok"
		if err := check.Run(ctx); err != nil {
			e.Log.WarnContext(ctx, "not ready", "check", check.Name, "error", err)
			status, found[check.Name] = http.StatusServiceUnavailable, check.words(err)
		}
	}
	if e.Draining != nil && e.Draining() {
		status, found["process"] = http.StatusServiceUnavailable, "draining"
	}
	return api.JSON(c, status, found)
}

// MetricsHandler serves the metrics; the operations address uses it as it is.
func MetricsHandler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// metrics on the main address are for callers on this machine alone; a request
// that a proxy passed on is somebody else's.
func (e *edge) metricsPage(c echo.Context) error {
	r := c.Request()
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	if e.OpsElsewhere || ip == nil || !ip.IsLoopback() || r.Header.Get(echo.HeaderXForwardedFor) != "" ||
		r.Header.Get("Forwarded") != "" {
		return fault.Missing()
	}
	MetricsHandler(e.Metrics).ServeHTTP(c.Response(), r)
	return nil
}
