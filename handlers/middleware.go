package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"debitdesk/handlers/access"
	"debitdesk/models/fault"
)

var saneID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// requestID takes over the caller's id when it is fit for logs, else makes one. Echo's
// middleware would take over any text.
func requestID(next echo.HandlerFunc) echo.HandlerFunc {
	named := middleware.RequestIDWithConfig(middleware.RequestIDConfig{Generator: uuid.NewString})(next)
	return func(c echo.Context) error {
		if h := c.Request().Header; !saneID.MatchString(h.Get(echo.HeaderXRequestID)) {
			h.Del(echo.HeaderXRequestID)
		}
		return named(c)
	}
}

// loggedPath leaves out the secret of a link that was mailed.
func loggedPath(path string) string {
	for _, link := range []string{"/invite/", "/reset/", "/my/link/", "/sms/"} {
		if strings.HasPrefix(path, link) {
			return link + "…"
		}
	}
	return path
}

// accessLog writes one line for each request: never a query value, never a body.
func accessLog(log *slog.Logger, m *metrics) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			start := time.Now()
			if err := next(c); err != nil {
				c.Error(err)
			}
			took, r, status := time.Since(start), c.Request(), c.Response().Status
			m.observe(r.Method, c.Path(), status, took)
			level := slog.LevelInfo
			if quiet(r.URL.Path) {
				level = slog.LevelDebug
			}
			said := []slog.Attr{slog.String("method", r.Method), slog.String("path", loggedPath(r.URL.Path)),
				slog.Int("status", status), slog.Float64("ms", float64(took.Microseconds())/1000),
				slog.String("request_id", access.RequestID(c)), slog.String("ip", c.RealIP())}
			if of := trace.SpanContextFromContext(r.Context()); of.IsSampled() {
				said = append(said, slog.String("trace_id", of.TraceID().String()))
			}
			log.LogAttrs(r.Context(), level, "request", said...)
			return nil
		}
	}
}

// quiet paths would drown the rest.
func quiet(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/metrics" || strings.HasPrefix(path, "/static/")
}

// apiTime is how long a request of a program may take. It is below the server's own
// limit, so that the caller still hears of it.
const apiTime = 45 * time.Second

// within gives a request an end: while the database hangs, its callers do not. What
// ran out of time is answered like every error.
func within(limit time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			own := c.Request()
			ctx, cancel := context.WithTimeout(own.Context(), limit)
			defer cancel()
			c.SetRequest(own.WithContext(ctx))
			err := next(c)
			if err != nil { // whether the caller has gone is to be seen
				c.SetRequest(own)
			}
			return err
		}
	}
}

// survive turns a panic into an error that is answered and logged like others. The error
// does not wrap what was panicked with: a refusal that somebody panicked with is a defect.
func survive() echo.MiddlewareFunc {
	return middleware.RecoverWithConfig(middleware.RecoverConfig{StackSize: 64 << 10, DisableStackAll: true,
		DisableErrorHandler: true, LogErrorFunc: func(_ echo.Context, err error, stack []byte) error {
			return fmt.Errorf("panic: %v\n%s", err, stack) //nolint:errorlint // not wrapped, as said above
		}})
}

// contentPolicy lets a page load its own files and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// secureHeaders sets what every answer carries. Answers are private unless the
// handler says otherwise, as the one for static files does. Echo's middleware does not
// know all of the headers, and would ask the caller's own headers whether it is HTTPS.
func secureHeaders(https bool) echo.MiddlewareFunc {
	known := middleware.SecureWithConfig(middleware.SecureConfig{ContentSecurityPolicy: contentPolicy,
		ContentTypeNosniff: "nosniff", XFrameOptions: "DENY", ReferrerPolicy: "same-origin"})
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		next = known(next)
		return func(c echo.Context) error {
			h := c.Response().Header()
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			h.Set("Cross-Origin-Resource-Policy", "same-origin")
			h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
			h.Set("Cache-Control", "no-store")
			if https {
				h.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000; includeSubDomains")
			}
			return next(c)
		}
	}
}

// cleanPath reads "//" as "/" and forgets a slash at the end, without a
// redirect: a redirect would lose the body of a POST.
func cleanPath(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		u := c.Request().URL
		u.Path = plainPath(u.Path)
		if u.RawPath != "" {
			u.RawPath = plainPath(u.RawPath)
		}
		u.RawQuery = wholeQuery(u.RawQuery)
		return next(c)
	}
}

// wholeQuery writes out what programs forget to: a "%" that begins no escape, and ";".
// Read as it came, the whole parameter would be lost without a word, and a list that was
// to be narrowed by it would answer with everything.
func wholeQuery(raw string) string {
	if _, err := url.ParseQuery(raw); err == nil {
		return raw
	}
	return loosePercent.ReplaceAllStringFunc(strings.ReplaceAll(raw, ";", "%3B"), func(at string) string {
		if len(at) == len("%00") {
			return at
		}
		return "%25"
	})
}

// loosePercent finds escapes, and each "%" that is none.
var loosePercent = regexp.MustCompile(`%[0-9A-Fa-f]{2}|%`)

func plainPath(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if path == "" {
		return "/"
	}
	return path
}

// limitBody refuses bodies above so many bytes.
func limitBody(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.ContentLength > limit {
				return tooLarge(limit)
			}
			r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
			return next(c)
		}
	}
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "request_too_large", "The request may have at most %d bytes.", limit)
}

// sameOrigin refuses what another site makes the browser send with our cookie.
func sameOrigin() echo.MiddlewareFunc {
	protection := http.NewCrossOriginProtection()
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := protection.Check(c.Request()); err != nil {
				return fault.New(fault.Forbidden, "permission_denied", "This request came from another site.").Because(err)
			}
			return next(c)
		}
	}
}

// metrics counts requests by route, so that ids in paths make no new series. Echo's own
// Prometheus middleware cannot give these documented metrics: its labels are fixed (code,
// method, host and url), it takes the host from the caller, who could make series without
// end, and it adds two histograms of sizes for each of them.
type metrics struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "debitdesk_http_requests_total", Help: "Requests by method, route and status."},
			[]string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "debitdesk_http_request_seconds", Help: "Time to answer, in seconds.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}}, []string{"method", "route"}),
	}
	return m, errors.Join(registry.Register(m.total), registry.Register(m.seconds))
}

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "unmatched"
	}
	method = knownMethod(method)
	m.total.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(method, route).Observe(took.Seconds())
}

// knownMethod is a method of HTTP; what callers make up is one of them all.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}
