package handlers_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// follower is a standby that notes what is asked of it.
type follower struct {
	mu     sync.Mutex
	asked  []int64 // positions
	absent bool
}

// OnStandby implements handlers.Standby.
func (f *follower) OnStandby(ctx context.Context, position int64) context.Context {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, position)
	ctx, cancel := context.WithCancel(context.WithValue(ctx, f, true))
	if f.absent {
		cancel() // everything that is read this way fails
	}
	context.AfterFunc(ctx, cancel)
	return ctx
}

// Position implements handlers.Standby.
func (f *follower) Position(context.Context) (int64, error) { return 4711, nil }

func (f *follower) take() []int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.asked
	f.asked = nil
	return out
}

func TestReportsExportsAndSearchesAreReadFromTheStandbyAndNothingElse(t *testing.T) {
	t.Parallel()
	f := &follower{}
	h := handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.Standby = f
		h.Desk.AsOf = func(ctx context.Context) (time.Time, bool) {
			return time.Date(2026, 11, 22, 12, 3, 20, 0, time.UTC), ctx.Value(f) != nil
		}
	})
	const line = "Figures as of 14:03:20."
	for path, heavy := range map[string]bool{
		"/reports": true, "/audit": true, "/clients/export?format=csv": true, "/clients?q=payer": true,
		"/purchases?q=fee": true, "/clients": false, "/clients?q=": false, "/": false, "/attention": false,
		"/batches/new?q=payer": false, "/purchases/new": false,
	} {
		got := h.Page(h.A.Owner, http.MethodGet, path, nil).Want(http.StatusOK)
		if asked := len(f.take()) == 1; asked != heavy {
			t.Errorf("%s: the standby was asked: %v", path, asked)
		}
		if told := strings.Contains(got.Body, line); told != (heavy && !strings.Contains(path, "export")) {
			t.Errorf("%s tells how old it is: %v", path, told)
		}
	}
	f.absent = true
	for _, path := range []string{"/reports", "/audit", "/clients/export?format=csv", "/clients?q=payer"} {
		if got := h.Page(h.A.Owner, http.MethodGet, path, nil).Want(http.StatusOK); strings.Contains(got.Body, line) {
			t.Errorf("%s: what the database answers is told to be old", path)
		}
		if len(f.take()) != 1 {
			t.Errorf("%s was not asked of the standby", path)
		}
	}
}

func TestWhoHasChangedSomethingAsksForAStandbyThatHasIt(t *testing.T) {
	t.Parallel()
	f := &follower{}
	h := handlertest.New(t, func(h *handlertest.Server) { h.Deps.Standby = f })
	got := h.Page(h.A.Owner, http.MethodPost, "/clients", url.Values{"email": {"new@example.com"}, "full_name": {"New"}})
	cookie := ""
	for _, line := range got.Header.Values("Set-Cookie") {
		if strings.HasPrefix(line, "debitdesk-position=") {
			cookie = line
		}
	}
	if !strings.Contains(cookie, "=4711; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax") {
		t.Fatalf("%d, the cookie is %q", got.Status, cookie)
	}
	h.Page(h.A.Owner, http.MethodGet, "/clients?q=new", nil, "Cookie: "+h.A.Owner.Cookie+"; debitdesk-position=4711").
		Want(http.StatusOK)
	h.Page(h.A.Owner, http.MethodGet, "/clients?q=new", nil, "Cookie: "+h.A.Owner.Cookie+"; debitdesk-position=-1").
		Want(http.StatusOK)
	h.Page(h.A.Owner, http.MethodGet, "/clients?q=new", nil, "Cookie: "+h.A.Owner.Cookie+"; debitdesk-position=x").
		Want(http.StatusOK)
	if asked := f.take(); len(asked) != 3 || asked[0] != 4711 || asked[1] != 0 || asked[2] != 0 {
		t.Errorf("asked for %v", asked)
	}
	got = h.Call(http.MethodPost, "/login", url.Values{"email": {"x"}, "password": {"y"}}, "Sec-Fetch-Site: same-origin")
	if strings.Contains(strings.Join(got.Header.Values("Set-Cookie"), ""), "position") {
		t.Error("a stranger learns how far the database is")
	}
}
