package handlers_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
)

// wallClock is a clock that a test moves.
type wallClock struct {
	mu sync.Mutex
	at time.Time
}

func (w *wallClock) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *wallClock) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

func throttledHouse(t *testing.T, l handlers.Limits) (*handlertest.Server, *wallClock) {
	t.Helper()
	clock := &wallClock{at: time.Unix(1_800_000_000, 0)}
	l.Now = clock.now
	return handlertest.New(t, func(h *handlertest.Server) { h.Deps.Limits = l }), clock
}

func TestACredentialThatCallsTooOftenWaitsAndNobodyElseDoes(t *testing.T) {
	t.Parallel()
	h, clock := throttledHouse(t, handlers.Limits{Calls: handlers.Rate{PerSecond: 0.5, Burst: 3}})
	for left := 2; left >= 0; left-- {
		got := h.API("GET", "/clients/", nil).Want(200)
		if got.Header.Get("RateLimit-Limit") != "3" || got.Header.Get("RateLimit-Remaining") != strconv.Itoa(left) ||
			got.Header.Get("RateLimit-Reset") != strconv.Itoa(2*(3-left)) {
			t.Errorf("with %d left: %v", left, got.Header)
		}
	}
	refused := h.API("POST", "/clients/", `{"email":"a@example.com"}`, "Idempotency-Key: k").Want(429)
	refused.WantCode("__all__=throttled")
	if refused.Header.Get("Retry-After") != "2" || refused.Header.Get("RateLimit-Remaining") != "0" {
		t.Errorf("got %v", refused.Header)
	}
	h.APIAs(h.B, "GET", "/clients/", nil).Want(200)
	clock.wait(2*time.Second - time.Millisecond)
	if late := h.API("GET", "/clients/", nil).Want(429); late.Header.Get("Retry-After") != "1" {
		t.Errorf("a moment before: %v", late.Header)
	}
	clock.wait(time.Millisecond)
	done := h.API("POST", "/clients/", `{"email":"a@example.com"}`, "Idempotency-Key: k").Want(201)
	if done.Header.Get("Idempotency-Replayed") != "" {
		t.Error("the refusal was kept for its key")
	}
}

func TestNoLimitMeansNoHeaders(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	if got := h.API("GET", "/clients/", nil).Want(200); got.Header.Get("RateLimit-Limit") != "" {
		t.Errorf("got %v", got.Header)
	}
}

func TestAnAddressThatGuessesCredentialsWaits(t *testing.T) {
	t.Parallel()
	h, clock := throttledHouse(t, handlers.Limits{Failures: handlers.Rate{PerSecond: 1, Burst: 3}})
	guess := func() handlertest.Answer {
		return h.Call("GET", "/api/v1/clients/", nil, "Authorization: Bearer x")
	}
	for range 3 {
		h.API("GET", "/clients/", nil).Want(200) // what succeeds costs nothing
		guess().Want(401)
	}
	guess().Want(429).WantCode("__all__=throttled")
	h.Call("POST", "/oauth/token", map[string][]string{}).Want(429).Contains(`{"error":"temporarily_unavailable"`)
	clock.wait(time.Second)
	h.API("GET", "/clients/", nil).Want(200)
	guess().Want(401)
	guess().Want(429)
}
