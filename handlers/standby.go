package handlers

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
)

// Standby is a copy of the database that follows it, a little behind.
type Standby interface {
	// OnStandby gives a context whose reads go to the standby when it has what the database had
	// written at that position; else the context itself.
	OnStandby(ctx context.Context, position int64) context.Context
	// Position is how far the database has written.
	Position(ctx context.Context) (int64, error)
}

// How a browser remembers how far the database had written when its person changed
// something last. A standby that is further behind than that long is not read anyway.
const (
	positionCookie  = "debitdesk-position"
	positionSeconds = 60
)

// standbyTimeout is how long a page may wait for the standby.
const standbyTimeout = 10 * time.Second

// searched are the lists whose search by words may be answered by a standby.
var searched = map[string]bool{"/clients": true, "/tokens": true, "/mandates": true, "/purchases": true,
	"/purchases/debits": true, "/invoices": true, "/templates": true, "/templates/:id": true, "/bank/movements": true}

// heavy tells what a standby may answer: reports, exports and searches. What decides
// about a change is asked of the database itself.
func heavy(c echo.Context) bool {
	if safe := c.Request().Method; safe != http.MethodGet && safe != http.MethodHead {
		return false
	}
	path := c.Path()
	return path == "/reports" || path == "/audit" || strings.HasSuffix(path, "/export") ||
		searched[path] && strings.TrimSpace(c.QueryParam("q")) != ""
}

// onStandby has heavy pages read from the standby. Where that comes to nothing, the database
// has the last word: the standby may fail, or not know yet what the page is about.
func (e *edge) onStandby(next echo.HandlerFunc) echo.HandlerFunc {
	if e.Standby == nil {
		return next
	}
	return func(c echo.Context) error {
		if !heavy(c) {
			return next(c)
		}
		own := c.Request()
		ctx := e.Standby.OnStandby(own.Context(), position(c))
		if ctx == own.Context() {
			return next(c)
		}
		if !strings.HasSuffix(c.Path(), "/export") { // which takes as long as it needs, each part of it not
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, standbyTimeout)
			defer cancel()
		}
		c.SetRequest(own.WithContext(ctx))
		err := next(c)
		if err == nil || c.Response().Committed {
			return err
		}
		c.SetRequest(own)
		return next(c)
	}
}

func position(c echo.Context) int64 {
	cookie, err := c.Cookie(positionCookie)
	if err != nil {
		return 0
	}
	at, err := strconv.ParseInt(cookie.Value, 10, 64)
	if err != nil || at < 0 {
		return 0
	}
	return at
}

// written notes in the browser how far the database has written once the person has
// changed something, so that they do not read from a standby that lacks it.
func (e *edge) written(next echo.HandlerFunc) echo.HandlerFunc {
	if e.Standby == nil {
		return next
	}
	return func(c echo.Context) error {
		if m := c.Request().Method; m != http.MethodGet && m != http.MethodHead {
			c.Response().Before(func() { e.notePosition(c) })
		}
		return next(c)
	}
}

func (e *edge) notePosition(c echo.Context) {
	if _, person := access.Session(c); !person {
		return
	}
	at, err := e.Standby.Position(c.Request().Context())
	if err != nil || at == 0 {
		return
	}
	//nolint:gosec // secure with https, as the session's own
	c.SetCookie(&http.Cookie{Name: positionCookie, Value: strconv.FormatInt(at, 10), Path: "/", MaxAge: positionSeconds,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(e.BaseURL, "https://")})
}
