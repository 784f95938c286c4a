package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/handlers/access"
	"debitdesk/models/fault"
)

var saneID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// requestID takes over the caller's id when it is fit for logs, else makes one.
func requestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !saneID.MatchString(id) {
			id = uuid.NewString()
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

// loggedPath leaves out the secret of a link that was mailed.
func loggedPath(path string) string {
	for _, link := range []string{"/invite/", "/reset/"} {
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
			log.LogAttrs(r.Context(), level, "request", slog.String("method", r.Method), slog.String("path", loggedPath(r.URL.Path)),
				slog.Int("status", status), slog.Float64("ms", float64(took.Microseconds())/1000),
				slog.String("request_id", access.RequestID(c)), slog.String("ip", c.RealIP()))
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

// within gives a request an end: while the database hangs, its callers do not.
func within(limit time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			ctx, cancel := context.WithTimeout(c.Request().Context(), limit)
			defer cancel()
			c.SetRequest(c.Request().WithContext(ctx))
			return next(c)
		}
	}
}

// survive turns a panic into an error that is answered and logged like others.
func survive(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // the very value ends the connection
				panic(p)
			}
			err = &panicked{p, debug.Stack()}
		}()
		return next(c)
	}
}

type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string {
	if err, ok := p.value.(error); ok {
		return "panic: " + err.Error() + "\n" + string(p.stack)
	}
	text, _ := p.value.(string)
	return "panic: " + text + "\n" + string(p.stack)
}

// contentPolicy lets a page load its own files and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// secureHeaders sets what every answer carries. Answers are private unless the
// handler says otherwise, as the one for static files does.
func secureHeaders(https bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			h := c.Response().Header()
			h.Set("Content-Security-Policy", contentPolicy)
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("X-Frame-Options", "DENY")
			h.Set("Referrer-Policy", "same-origin")
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			h.Set("Cross-Origin-Resource-Policy", "same-origin")
			h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
			h.Set("Cache-Control", "no-store")
			if https {
				h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
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
		return next(c)
	}
}

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

// metrics counts requests by route, so that ids in paths make no new series.
type metrics struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "debitdesk_http_requests_total", Help: "Requests by method, route and status."}, []string{"method", "route", "status"}),
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
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other"
	}
	m.total.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(method, route).Observe(took.Seconds())
}
