package handlers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/database"
)

// closing is a caller who closes the connection with the first bytes of the answer.
type closing struct {
	*httptest.ResponseRecorder
	close func()
}

func (c closing) Write(p []byte) (int, error) { defer c.close(); return c.ResponseRecorder.Write(p) }

// givers call one address after another and go before its end.
type givers struct {
	*handlertest.Server
	t *testing.T
}

func (g givers) ask(ctx context.Context, path string, w http.ResponseWriter) {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if strings.HasPrefix(path, "/api/") {
		r.Header.Set("Authorization", "Bearer "+g.A.Token)
	} else {
		r.Header.Set("Cookie", g.A.Owner.Cookie)
		r.Header.Set("Accept", "text/html")
	}
	g.App.ServeHTTP(w, r)
}

// sessions has every connection that the pool may have opened, and tells how many sessions that took so far.
func (g givers) sessions() int64 {
	g.t.Helper()
	var all, held sync.WaitGroup
	held.Add(handlertest.Connections)
	for range handlertest.Connections {
		all.Go(func() {
			c, err := g.Store.Pool.Acquire(g.t.Context())
			held.Done()
			if err != nil {
				g.t.Error(err)
				return
			}
			held.Wait()
			c.Release()
		})
	}
	all.Wait()
	return g.Store.Pool.Stat().NewConnsCount()
}

// blocked runs fn while whatever reads the table waits, and gives it a way to see that somebody does.
func (g givers) blocked(table string, fn func(waits func())) {
	g.t.Helper()
	conn, err := pgx.Connect(g.t.Context(), g.Store.Pool.Config().ConnString())
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(g.t.Context())) }()
	if _, err := conn.Exec(g.t.Context(), "BEGIN; LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		g.t.Fatal(err)
	}
	fn(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			var n int
			if err := conn.QueryRow(g.t.Context(), `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n); err != nil || n > 0 {
				return
			}
			<-tick.C
		}
	})
}

func TestARequestThatIsGivenUpCostsNoSessionOfTheDatabase(t *testing.T) {
	t.Parallel()
	g := givers{handlertest.New(t, func(h *handlertest.Server) { h.Deps.Unavailable = database.Unavailable }), t}
	made := g.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi"}).
		Want(http.StatusCreated)
	paths := map[string]string{"a page": "/clients/" + made.Text("id"), "a list": "/clients",
		"a search": "/clients?q=thandi", "the API": "/api/v1/clients/", "an export": "/clients/export?format=csv"}
	for _, path := range paths { // whatever is prepared once is
		g.ask(t.Context(), path, httptest.NewRecorder())
	}
	before := g.sessions()
	cost := func(what string) {
		t.Helper()
		if now := g.sessions(); now != before {
			t.Errorf("%s cost %d sessions", what, now-before)
			before = now
		}
	}
	for name, path := range paths {
		ctx, leave := context.WithCancel(t.Context())
		answer := closing{httptest.NewRecorder(), leave}
		g.ask(ctx, path, answer)
		leave()
		if answer.Code != http.StatusOK {
			t.Errorf("%s that is closed with the answer: %d", name, answer.Code)
		}
		cost(name + " that is closed with the answer")
		g.blocked("clients", func(waits func()) {
			ctx, leave := context.WithCancel(t.Context())
			go func() { waits(); leave() }()
			g.ask(ctx, path, httptest.NewRecorder())
		})
		cost(name + " that is aborted")
		g.blocked("clients", func(func()) {
			ctx, leave := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer leave()
			answer := httptest.NewRecorder()
			g.ask(ctx, path, answer)
			if answer.Code == http.StatusInternalServerError {
				t.Errorf("%s that ran out of time answers %d", name, answer.Code)
			}
		})
		cost(name + " that ran out of time")
	}
}

func TestAnOpenedPageIsRememberedThoughItsCallerClosesWithTheAnswer(t *testing.T) {
	t.Parallel()
	g := givers{handlertest.New(t), t}
	made := g.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi"}).
		Want(http.StatusCreated)
	ctx, leave := context.WithCancel(t.Context())
	g.ask(ctx, "/clients/"+made.Text("id"), closing{httptest.NewRecorder(), leave})
	if n := g.Count(`SELECT count(*) FROM recently_opened WHERE object_id = '` + made.Text("id") + `'`); n != 1 {
		t.Errorf("it was remembered %d times", n)
	}
}
