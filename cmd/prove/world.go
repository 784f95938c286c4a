package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"debitdesk/cmd/app"
	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/merchant"
	"debitdesk/models/plan"
	"debitdesk/models/webhook"
)

// accounts decide what the sandbox bank answers to their debits: it pays, has no money (each time, or the first
// time), is closed, takes the money back on the last day, is disputed soon, late and too late, or answers twice.
var accounts = []string{"4000000101", withoutMoney, "4000009102", "4000009012", "4000009500", "4000009030",
	"4000009430", "4000009900", "4000000102", "4000000103"}

// withoutMoney is the account whose debits always come back for lack of money.
const withoutMoney = "4000009002"

// begin is what every history begins with: a merchant with a plan for failures, a subscription and somebody who
// listens, a few clients, and their accounts stored.
func (h *history) begin(ctx context.Context) error {
	m, brand, err := h.desk.Merchants.Create(ctx, merchant.New{Slug: "prove", Name: "Prove", Brand: app.FirstBrand(true)})
	if err != nil {
		return err
	}
	h.brand, h.who = brand, actor.OperatorOf(m.ID)
	issued, err := h.desk.Credentials.Issue(ctx, h.who, credential.Input{Name: "Till", Lifetime: 365 * 24 * time.Hour})
	if err != nil {
		return err
	}
	h.token = issued.Token
	if h.till, err = openTill(ctx); err != nil {
		return err
	}
	if _, err := h.desk.Webhooks.Create(ctx, h.who, webhook.Input{Title: "Till", Callback: h.till.address,
		AllEvents: true}); err != nil {
		return err
	}
	again, err := h.desk.Plans.Create(ctx, h.who, plan.Input{Name: "Again", Steps: plan.Steps{
		plan.Money: {{Kind: plan.Message}, {Kind: plan.WaitDays, N: 3}, {Kind: plan.DebitAgain}},
		plan.Other: {{Kind: plan.Task, Text: "Look at it"}}}})
	if err != nil {
		return err
	}
	h.again = again.ID
	made := h.call(ctx, h.servers[0], http.MethodPost, "/billing_templates/", "", map[string]any{"brand_id": brand.ID,
		"title": "Membership", "is_subscription": true, "subscription_period": 1, "subscription_period_units": "months",
		"subscription_due_period": 7, "subscription_due_period_units": "days", "payment_method_whitelist": []string{"eft"},
		"purchase": map[string]any{"products": []any{map[string]any{"name": "Month", "price": 9900}}}})
	if h.plan = made.id(); h.plan == "" {
		return fmt.Errorf("no subscription: %d %.300s", made.status, made.body)
	}
	first := &lane{history: h, n: 0, rand: h.rand, on: h.servers[0], calm: true}
	first.meetWith(ctx, withoutMoney)
	for range 3 {
		first.meet(ctx)
	}
	if h.clients = first.newClients; len(h.clients) < 4 {
		return fmt.Errorf("too few clients: %d", len(h.clients))
	}
	for range 3 {
		first.store(ctx)
	}
	if h.tokens = first.newTokens; len(h.tokens) < 3 {
		return fmt.Errorf("too few accounts: %d", len(h.tokens))
	}
	for range 4 {
		first.buy(ctx)
	}
	h.purchases = first.newPurchases
	first.subscribe(ctx)
	return h.fail(ctx, first)
}

// fail charges a client who has no money, so that the plan has work in every history.
func (h *history) fail(ctx context.Context, first *lane) error {
	client := h.clients[0]
	token := first.storeFor(ctx, client)
	owed := first.post(ctx, "/purchases/", first.key(), first.goods(client, 20000, 3, ""))
	if token == "" || owed.id() == "" {
		return fmt.Errorf("nothing to charge: %q %d", token, owed.status)
	}
	h.owns(client, owed.id())
	h.tokens, h.purchases = first.newTokens, append(h.purchases, owed.id())
	began := h.notes.tick()
	charged := first.post(ctx, "/purchases/"+owed.id()+"/charge/", "", map[string]any{"recurring_token": token})
	if !charged.ok() {
		return fmt.Errorf("the first debit was refused: %d %.300s", charged.status, charged.body)
	}
	first.onPurchase(owed.id(), "charge", began, charged)
	return nil
}

// till is a program of the merchant that hears its events.
type till struct {
	http.Server
	address string
	mu      sync.Mutex
	heard   map[string]int // how often, by event
}

func openTill(ctx context.Context) (*till, error) {
	t := &till{heard: map[string]int{}}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t.address = "http://" + l.Addr().String() + "/"
	t.ReadHeaderTimeout = patience
	t.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			return // cut off: the server was killed meanwhile
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.heard[r.Header.Get("X-Debitdesk-Event-Id")]++
	})
	go func() { _ = t.Serve(l) }()
	return t, nil
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func parsed(id string) uuid.UUID {
	u, _ := uuid.Parse(id)
	return u
}
