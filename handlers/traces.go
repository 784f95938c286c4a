package handlers

import (
	"net"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"debitdesk/handlers/access"
)

// traced makes each request a span that is named by its route: never a query value, an id of a person or an address.
// It goes on with the trace of a proxy that is trusted; strangers begin none of ours.
func traced(proxies []*net.IPNet) echo.MiddlewareFunc {
	tracer := otel.Tracer("debitdesk")
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if quiet(r.URL.Path) {
				return next(c)
			}
			ctx := r.Context()
			if fromProxy(r, proxies) {
				ctx = otel.GetTextMapPropagator().Extract(ctx, propagation.HeaderCarrier(r.Header))
			}
			method := knownMethod(r.Method)
			ctx, span := tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
			if !span.IsRecording() {
				return next(c)
			}
			defer span.End()
			c.SetRequest(r.WithContext(ctx))
			err := next(c)
			status := c.Response().Status
			span.SetAttributes(attribute.String("http.request.method", method),
				attribute.Int("http.response.status_code", status),
				attribute.String("debitdesk.request_id", access.RequestID(c)))
			if route := c.Path(); route != "" {
				span.SetName(method + " " + route)
				span.SetAttributes(attribute.String("http.route", route))
			}
			if status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, http.StatusText(status))
			}
			return err
		}
	}
}

// fromProxy tells whether a request comes from this machine or from a proxy that is named.
func fromProxy(r *http.Request, proxies []*net.IPNet) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	for _, network := range proxies {
		if network.Contains(ip) {
			return true
		}
	}
	return ip.IsLoopback()
}
