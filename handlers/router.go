// Package handlers knows every address of the product and what stands before
// it: who may call, how large a body may be, how errors are answered. It must
// not know rules.
package handlers

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
)

type edge struct {
	Deps
	echo                 *echo.Echo
	calls, failures      *limiters
	atEntrance, atPayers *limiters
}

// New builds the whole HTTP side of the product.
func New(d Deps) (*echo.Echo, error) {
	if d.Log == nil {
		d.Log = slog.Default()
	}
	if d.Metrics == nil {
		d.Metrics = prometheus.NewRegistry()
	}
	counted, err := newMetrics(d.Metrics)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	limits := func(r Rate) *limiters { return newLimiters(r, d.Limits.Now) }
	e := &edge{Deps: d, echo: echo.New(), calls: limits(d.Limits.Calls), failures: limits(d.Limits.Failures),
		atEntrance: limits(d.Limits.Entrance), atPayers: limits(d.Limits.Payers)}
	e.echo.HideBanner, e.echo.HidePort = true, true
	e.echo.HTTPErrorHandler = e.answerError
	// The address of the caller is the peer's, unless a proxy on this machine, or one that is named, names it.
	trusted := []echo.TrustOption{echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range d.Proxies {
		trusted = append(trusted, echo.TrustIPRange(network))
	}
	e.echo.IPExtractor = echo.ExtractIPFromXFFHeader(trusted...)
	e.echo.Pre(requestID, secureHeaders(strings.HasPrefix(d.BaseURL, "https://")), traced(d.Proxies),
		accessLog(d.Log, counted), survive(), cleanPath, e.atDoors)
	table := e.table()
	actions, err := table.Actions()
	if err != nil {
		return nil, err
	}
	e.echo.Use(table.exact(), offering(actions), e.written)
	e.serve(table)
	return e.echo, nil
}
