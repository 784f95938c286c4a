package handlers

import (
	"context"
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
	Name string
	Run  func(context.Context) error
}

func healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// readyz answers 503 with the names of what is not fine; why stands in the log.
func (e *edge) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 3*time.Second)
	defer cancel()
	status, found := http.StatusOK, map[string]string{}
	for _, check := range e.Ready {
		found[check.Name] = "ok"
		if err := check.Run(ctx); err != nil {
			e.Log.WarnContext(ctx, "not ready", "check", check.Name, "error", err)
			status, found[check.Name] = http.StatusServiceUnavailable, "failed"
		}
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
	if e.OpsElsewhere || ip == nil || !ip.IsLoopback() || r.Header.Get(echo.HeaderXForwardedFor) != "" || r.Header.Get("Forwarded") != "" {
		return fault.Missing()
	}
	MetricsHandler(e.Metrics).ServeHTTP(c.Response(), r)
	return nil
}
