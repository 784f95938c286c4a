package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/webhook"
)

// till is a program of the merchant that writes down what it hears.
type till struct {
	*httptest.Server
	mu    sync.Mutex
	calls int
	heard map[string]bool     // by event
	of    map[string][]string // the events of a purchase, each where it came first
}

func openTill(t *testing.T) *till {
	t.Helper()
	r := &till{heard: map[string]bool{}, of: map[string][]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		var body struct {
			ID    string `json:"id"`
			Event string `json:"event_type"`
		}
		raw, err := io.ReadAll(req.Body)
		if err != nil || json.Unmarshal(raw, &body) != nil {
			return // cut off: the process died in the midst of it
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.calls++
		if event := req.Header.Get("X-Debitdesk-Event-Id"); !r.heard[event] {
			r.heard[event] = true
			r.of[body.ID] = append(r.of[body.ID], body.Event)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *till) count() (calls, events int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls, len(r.heard)
}

// hook gives the merchant a webhook, beside the servers.
func (b *books) hook(address string) {
	b.t.Helper()
	c, err := ReadConfig(b.env)
	must(b.t, err)
	app, err := Open(b.t.Context(), c, opening{log: slog.New(slog.DiscardHandler), baseURL: "http://desk.example",
		maxConns: fewConns})
	must(b.t, err)
	defer func() { _ = app.Close() }()
	var merchantID uuid.UUID
	must(b.t, b.db.QueryRow(b.t.Context(), `SELECT merchant_id FROM brands WHERE id = $1`, b.brand).Scan(&merchantID))
	_, err = app.Services.Webhooks.Create(b.t.Context(), actor.OperatorOf(merchantID),
		webhook.Input{Title: "Till", Callback: address, AllEvents: true})
	must(b.t, err)
}

// TestKilledWhileEventsAreToldEachIsHeardInOrder kills the server in the midst of
// delivering, and starts it again: at least once, and each purchase in its order.
func TestKilledWhileEventsAreToldEachIsHeardInOrder(t *testing.T) {
	t.Parallel()
	const purchases, kills = 120, 5
	b := newBooks(t)
	r := openTill(t)
	b.hook(r.URL)
	p := serving(t, b.env)
	client := b.made(p, "/api/v1/clients/", `{"email":"payer@example.com","full_name":"Payer"}`)
	seed := rand.New(rand.NewPCG(2026, 13)) //nolint:gosec // the same moments in every run
	for kill := range kills {
		for range purchases / kills {
			id := b.made(p, "/api/v1/purchases/", fmt.Sprintf(
				`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"Fees","price":25000}]}}`, client, b.brand))
			b.made(p, "/api/v1/purchases/"+id+"/mark_as_paid/", `{}`)
		}
		told := kill*2*purchases/kills + seed.IntN(2*purchases/kills)
		b.until("events were told", func() bool { _, n := r.count(); return n > told })
		p.end(syscall.SIGKILL)
		// Time would let the claims lapse.
		if _, err := b.db.Exec(t.Context(),
			`UPDATE deliveries SET claimed_until = now() - interval '1 second' WHERE claimed_until IS NOT NULL`); err != nil {
			t.Fatal(err)
		}
		p = serving(t, b.env)
	}
	b.until("everything is delivered", func() bool {
		return b.number(`SELECT count(*) FROM deliveries WHERE state <> 'delivered'`) == 0
	})
	calls, events := r.count()
	t.Logf("%d events in %d calls", events, calls)
	if events != 2*purchases || b.number(`SELECT count(*) FROM events`) != 2*purchases {
		t.Errorf("%d events were heard", events)
	}
	for id, heard := range r.of {
		if fmt.Sprint(heard) != fmt.Sprint([]string{webhook.PurchaseCreated, webhook.PurchasePaid}) {
			t.Errorf("of %s it heard %v", id, heard)
		}
	}
}
