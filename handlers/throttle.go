package handlers

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"debitdesk/handlers/access"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Rate is how often somebody may call: so many requests a second, and so many at
// once. The zero Rate is no limit.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Limits are what is allowed, in this process: several processes allow as many times
// more. The clock is the wall's, not the sandbox's.
type Limits struct {
	Calls    Rate             // of each credential
	Failures Rate             // of proofs that were refused, from each address
	Entrance Rate             // of sign-ins, resets and invitations, from each address
	Payers   Rate             // of the payer's pages, from each address
	Now      func() time.Time // nil: time.Now
}

// most callers are remembered at once; who has been quiet long enough to have the
// whole burst again is forgotten.
const (
	mostCallers = 50_000
	sweepEvery  = time.Minute
)

// limiters keep a bucket for each caller. Echo's RateLimiter keeps the same buckets, but
// tells only yes or no: not how many calls are left and until when, which the answers
// say, and it cannot look without taking, as guarded must.
type limiters struct {
	rate  Rate
	now   func() time.Time
	mu    sync.Mutex
	known map[string]*rate.Limiter
	swept time.Time
}

func newLimiters(r Rate, now func() time.Time) *limiters {
	if now == nil {
		now = time.Now
	}
	return &limiters{rate: r, now: now, known: map[string]*rate.Limiter{}}
}

// left is what a caller may still do.
type left struct {
	allowed   bool
	remaining int
	reset     int // seconds until the whole burst is there again
	retry     int // seconds until one more call is allowed, at least 1
}

// take uses up n calls of a caller, or tells that there are none; 0 only looks.
func (l *limiters) take(caller string, n int) left {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.forget(now)
	lim := l.known[caller]
	if lim == nil {
		lim = rate.NewLimiter(rate.Limit(l.rate.PerSecond), l.rate.Burst)
		if n > 0 {
			l.known[caller] = lim
		}
	}
	out := left{allowed: lim.AllowN(now, n)}
	tokens := lim.TokensAt(now)
	if n == 0 {
		out.allowed = tokens >= 1
	}
	out.remaining = max(0, int(tokens))
	out.reset = l.seconds(float64(l.rate.Burst) - tokens)
	out.retry = max(1, l.seconds(1-tokens))
	return out
}

func (l *limiters) seconds(calls float64) int {
	return int(math.Ceil(max(0, calls) / l.rate.PerSecond))
}

// forget drops who has the whole burst again: a new limiter says the same. When too
// many are left, all begin anew.
func (l *limiters) forget(now time.Time) {
	if now.Sub(l.swept) < sweepEvery && len(l.known) < mostCallers {
		return
	}
	l.swept = now
	for caller, lim := range l.known {
		if lim.TokensAt(now) >= float64(l.rate.Burst) {
			delete(l.known, caller)
		}
	}
	if len(l.known) >= mostCallers {
		clear(l.known)
	}
}

// throttled refuses a credential that calls too often. It stands after the caller is
// known and before the Idempotency-Key, which must not keep the refusal.
func (l *limiters) throttled(next echo.HandlerFunc) echo.HandlerFunc {
	if l.rate.Burst == 0 {
		return next
	}
	return func(c echo.Context) error {
		now := l.take(access.Actor(c).ID.String(), 1)
		h := c.Response().Header()
		h.Set("RateLimit-Limit", strconv.Itoa(l.rate.Burst))
		h.Set("RateLimit-Remaining", strconv.Itoa(now.remaining))
		h.Set("RateLimit-Reset", strconv.Itoa(now.reset))
		if !now.allowed {
			return tooOften(now, "This credential made too many requests. Try again in %s.")
		}
		return next(c)
	}
}

// guarded refuses an address that showed wrong proofs too often. It stands before the
// proof is looked at.
func (l *limiters) guarded(next echo.HandlerFunc) echo.HandlerFunc {
	if l.rate.Burst == 0 {
		return next
	}
	return func(c echo.Context) error {
		caller := c.RealIP()
		if now := l.take(caller, 0); !now.allowed {
			return tooOften(now, "Too many wrong credentials came from this address. Try again in %s.")
		}
		err := next(c)
		if fault.Is(err, fault.Unauthenticated) || err == nil && c.Response().Status == http.StatusUnauthorized {
			l.take(caller, 1)
		}
		return err
	}
}

func tooOften(now left, sentence string) error {
	f := fault.New(fault.TooMany, "throttled", sentence, plural.Of(max(now.retry, 1), "second"))
	f.RetryAfterSeconds = now.retry
	return f
}
