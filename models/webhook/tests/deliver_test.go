package tests

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/purchase"
	"debitdesk/models/upkeep"
	"debitdesk/models/webhook"
	"debitdesk/models/webhook/post"
)

func TestAWebhookHearsOfEachEventOnceSignedOverTheVeryBytes(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	w := h.hook(r.URL + "/hook?a=1")
	p := h.sell()
	h.pay(p.ID)
	if n := h.run(); n != 2 {
		t.Errorf("%d attempts", n)
	}
	if got := r.types(); !slices.Equal(got, []string{webhook.PurchaseCreated, webhook.PurchasePaid}) {
		t.Fatal(got)
	}
	for _, c := range r.got() {
		if err := verified(w.PublicKey, c.body, c.header.Get("X-Signature")); err != nil {
			t.Error(err)
		}
		if verified(w.PublicKey, append(slices.Clone(c.body), ' '), c.header.Get("X-Signature")) == nil {
			t.Error("another body verifies, too")
		}
		if c.header.Get("Content-Type") != "application/json" || c.header.Get("User-Agent") != "Debitdesk/test" ||
			c.field("id") != p.ID.String() || c.field("type") != "purchase" {
			t.Errorf("%v %s", c.header, c.body)
		}
		if bytes.Contains(c.body, []byte(account)) || bytes.Contains(c.body, []byte(identity)) ||
			!bytes.Contains(c.body, []byte("•••• 2345")) {
			t.Errorf("numbers are not masked: %s", c.body)
		}
	}
	if r.got()[0].field("status") != "created" || r.got()[1].field("status") != "paid" {
		t.Error("the bodies are not as things stood")
	}
	if h.run() != 0 {
		t.Error("something came again")
	}
}

func TestASnapshotIsWhatTheAPIShowedThen(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	h.hook(r.URL)
	p := h.sell()
	h.pay(p.ID) // before anything is delivered
	h.run()
	first := r.got()[0]
	if first.field("status") != "created" || bytes.Contains(first.body, []byte(`"paid"`)) {
		t.Errorf("%s", first.body)
	}
}

func TestOnlyWantedEventsAreKeptAndTold(t *testing.T) {
	t.Parallel()
	h := open(t)
	silent := h.sell()
	r := h.receiver(nil)
	h.hook(r.URL, webhook.PurchasePaid)
	h.pay(silent.ID)
	h.run()
	if got := r.types(); !slices.Equal(got, []string{webhook.PurchasePaid}) {
		t.Error(got)
	}
	if n := h.number(`SELECT count(*) FROM events WHERE snapshot IS NULL AND type = 'purchase.created'`); n != 1 {
		t.Errorf("%d events without a copy", n)
	}
}

func TestACallbackIsSignedWithTheCompanyKeyWhoeverAsksForItFirst(t *testing.T) {
	t.Parallel()
	h := open(t)
	keys := make([]string, 4)
	var wait sync.WaitGroup
	for i := range keys {
		wait.Go(func() { keys[i], _ = h.hooks.CompanyKey(context.Background(), h.who) })
	}
	wait.Wait()
	if keys[0] == "" || len(slices.Compact(slices.Clone(keys))) != 1 {
		t.Fatalf("keys differ: %q", keys)
	}
	r := h.receiver(nil)
	p := h.sell(func(in *purchase.Input) { in.Options.SuccessCallback = r.URL + "/paid" })
	h.pay(p.ID)
	h.run()
	calls := r.got()
	if len(calls) != 1 || calls[0].field("event_type") != webhook.PurchasePaid {
		t.Fatalf("%d calls", len(calls))
	}
	if err := verified(keys[0], calls[0].body, calls[0].header.Get("X-Signature")); err != nil {
		t.Error(err)
	}
}

func TestARefundIsTheEventOfItsPayment(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	h.hook(r.URL, webhook.PaymentRefunded)
	p := h.sell()
	h.pay(p.ID)
	back, err := h.purchases.Refund(context.Background(), h.who, p.ID, nil)
	must(t, err)
	h.run()
	calls := r.got()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	if c := calls[0]; c.field("type") != "payment" || c.field("id") != back.Refund.ID.String() ||
		!bytes.Contains(c.body, []byte(p.ID.String())) {
		t.Errorf("%s", c.body)
	}
}

func TestRetriesComeAtTheirMomentsAndEndAfterNine(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	h.hook(r.URL, webhook.PurchaseCreated)
	h.sell()
	began := h.store.Now()
	h.run()
	h.to(began.Add(10 * 24 * time.Hour))
	first := r.got()[0].at
	want := []time.Duration{0, 16*time.Minute + 52500*time.Millisecond, 33*time.Minute + 45*time.Second,
		67*time.Minute + 30*time.Second, 135 * time.Minute,
		270 * time.Minute, 9 * time.Hour, 18 * time.Hour, 36 * time.Hour}
	if len(r.got()) != len(want) {
		t.Fatalf("%d attempts", len(r.got()))
	}
	for i, c := range r.got() { // the clock runs on while calls are made
		if late := c.at.Sub(first) - want[i]; late.Abs() > 30*time.Second {
			t.Errorf("attempt %d was %s late", i+1, late)
		}
	}
	d := h.deliveries(webhook.DeliveryFilter{State: webhook.Failed})
	if len(d) != 1 || d[0].Attempts != 9 || d[0].LastStatus != 500 || !d[0].NextAt.IsZero() {
		t.Errorf("%+v", d)
	}
}

func TestEventsOfAPurchaseWaitForTheEarlierOneAndOthersDoNot(t *testing.T) {
	t.Parallel()
	h := open(t)
	broken := uuid.Nil
	down := true
	r := h.receiver(nil)
	r.answer = func(n int, w http.ResponseWriter, _ *http.Request) {
		r.mu.Lock()
		id := r.calls[n].field("id")
		r.mu.Unlock()
		if down && id == broken.String() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	h.hook(r.URL)
	p, other := h.sell(), h.sell()
	broken = p.ID
	h.run()
	h.pay(p.ID)
	h.pay(other.ID)
	h.run()
	if got := r.types(); !slices.Equal(got, []string{webhook.PurchaseCreated, webhook.PurchasePaid}) {
		t.Fatalf("of the other: %v", got)
	}
	h.to(h.store.Now().Add(time.Hour))
	down = false
	h.to(h.store.Now().Add(time.Hour))
	var mine []string
	for _, c := range r.got() {
		if c.kept && c.field("id") == p.ID.String() {
			mine = append(mine, c.field("event_type"))
		}
	}
	if !slices.Equal(mine, []string{webhook.PurchaseCreated, webhook.PurchasePaid}) {
		t.Errorf("taken: %v", mine)
	}
	if n := h.number(`SELECT count(*) FROM deliveries WHERE state <> 'delivered'`); n != 0 {
		t.Errorf("%d are left", n)
	}
}

func TestTheNextEventGoesOnWhenTheEarlierOneIsGivenUp(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	r.answer = func(n int, w http.ResponseWriter, _ *http.Request) {
		r.mu.Lock()
		event := r.calls[n].field("event_type")
		r.mu.Unlock()
		if event == webhook.PurchaseCreated {
			w.WriteHeader(http.StatusGone)
		}
	}
	h.hook(r.URL)
	p := h.sell()
	h.pay(p.ID)
	h.run()
	h.to(h.store.Now().Add(37 * time.Hour))
	if n := len(r.got()); n != 10 {
		t.Errorf("%d calls", n)
	}
	if got := r.types(); !slices.Equal(got, []string{webhook.PurchasePaid}) {
		t.Errorf("taken: %v", got)
	}
}

func TestBadEndpointsAreFailuresAndSayWhy(t *testing.T) {
	t.Parallel()
	elsewhere := 0 // calls
	for _, row := range []struct {
		name, says string
		status     int
		answer     func(n int, w http.ResponseWriter, r *http.Request)
	}{
		{"redirect", "The endpoint answered 302. Redirects are not followed: use the address that it leads to.", 302,
			func(_ int, w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					elsewhere++
				}
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
			}},
		{"hang up", "The connection was closed before an answer.",
			0, func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"hang", "No answer within 5s.", 0, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"not found", "The endpoint answered 404.", 404, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			r := h.receiver(row.answer)
			w := h.hook(r.URL, webhook.PurchaseCreated)
			h.sell()
			h.run()
			d := h.deliveries(webhook.DeliveryFilter{WebhookID: w.ID})
			if len(d) != 1 || d[0].State != webhook.Pending || d[0].Attempts != 1 || d[0].LastStatus != row.status ||
				d[0].LastError != row.says {
				t.Errorf("%+v", d)
			}
			if elsewhere != 0 || len(r.got()) != 1 {
				t.Errorf("%d calls, %d of them elsewhere", len(r.got()), elsewhere)
			}
			failing, err := h.hooks.Failing(context.Background(), h.who.MerchantID)
			if err != nil || len(failing) != 1 || failing[0].Failures != 1 || failing[0].FailingSince.IsZero() {
				t.Errorf("%+v, %v", failing, err)
			}
			full, signature, err := h.hooks.Delivery(context.Background(), h.who, d[0].ID)
			if err != nil || len(full.Tries) != 1 || full.Tries[0].Error != row.says ||
				verified(w.PublicKey, full.Body, signature) != nil {
				t.Errorf("%+v, %v", full, err)
			}
		})
	}
}

func TestAHangingEndpointDoesNotHoldAnother(t *testing.T) {
	t.Parallel()
	h := open(t)
	release, healthy := make(chan struct{}), make(chan struct{}, 30)
	slow := h.receiver(func(int, http.ResponseWriter, *http.Request) { <-release })
	quick := h.receiver(func(int, http.ResponseWriter, *http.Request) { healthy <- struct{}{} })
	h.hook(slow.URL, webhook.PurchaseCreated)
	h.hook(quick.URL, webhook.PurchaseCreated)
	for range 30 {
		h.sell()
	}
	ended := make(chan int)
	go func() { n, _ := h.hooks.Run(context.Background()); ended <- n }()
	for range 30 {
		<-healthy
	}
	close(release)
	if n := <-ended; n != 60 {
		t.Errorf("%d attempts", n)
	}
}

func TestTwoEnginesDeliverOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	h.hook(r.URL)
	const purchases = 40
	for range purchases {
		h.pay(h.sell().ID)
	}
	engines := []*webhook.Service{h.hooks, h.engine(post.New(true)), h.engine(post.New(true))}
	var wait sync.WaitGroup
	for _, e := range engines {
		wait.Go(func() {
			if _, err := e.Run(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	h.run()
	seen := map[string]int{}
	last := map[string]string{}
	for _, c := range r.got() {
		seen[c.header.Get("X-Debitdesk-Delivery-Id")]++
		id, event := c.field("id"), c.field("event_type")
		if event == webhook.PurchasePaid && last[id] != webhook.PurchaseCreated {
			t.Errorf("%s heard of %s first", id, event)
		}
		last[id] = event
	}
	if len(seen) != 2*purchases || len(r.got()) != 2*purchases {
		t.Errorf("%d deliveries in %d calls", len(seen), len(r.got()))
	}
}

func TestAProcessThatEndsAfterTheCallHasItRepeated(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	h.hook(r.URL, webhook.PurchaseCreated)
	h.sell()
	tasks, err := h.hooks.Store.ClaimDeliveries(context.Background(), 10, 4, []string{})
	if err != nil || len(tasks) != 1 {
		t.Fatal(len(tasks), err)
	}
	if h.run() != 0 { // somebody has it
		t.Error("it was claimed twice")
	}
	if due, err := h.hooks.Overdue(context.Background()); err != nil || !due {
		t.Error("nobody waits for it", err)
	}
	h.exec(`UPDATE deliveries SET claimed_until = now() - interval '1 second'`) // as time would
	if h.run() != 1 || len(r.got()) != 1 {
		t.Error("it was not taken over")
	}
	// The first one comes back and notes a failure: too late.
	must(t, h.hooks.Store.NoteAttempt(context.Background(), tasks[0],
		webhook.Outcome{Attempt: webhook.Attempt{Number: 1, At: h.store.Now(), Error: "late"}, State: webhook.Failed}))
	if d := h.deliveries(webhook.DeliveryFilter{}); d[0].State != webhook.Delivered || d[0].Attempts != 1 {
		t.Errorf("%+v", d[0])
	}
}

func TestConcurrentChangesOfAPurchaseAreToldInTheOrderOfTheirCommits(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	h.hook(r.URL)
	for range 10 {
		p := h.sell()
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() { _, _ = h.purchases.MarkAsPaid(context.Background(), h.who, p.ID, nil) })
			wait.Go(func() { _, _ = h.purchases.Cancel(context.Background(), h.who, p.ID) })
			wait.Go(func() { _, _ = h.purchases.Refund(context.Background(), h.who, p.ID, ref(int64(100))) })
		}
		wait.Wait()
		rec, err := h.purchases.Get(context.Background(), h.who, p.ID)
		must(t, err)
		var told, history []string
		rows, err := h.store.Pool.Query(context.Background(), `SELECT type FROM events WHERE source_id = $1 ORDER BY seq`,
			p.ID)
		must(t, err)
		for rows.Next() {
			var event string
			must(t, rows.Scan(&event))
			told = append(told, event)
		}
		for _, c := range rec.History {
			history = append(history, map[purchase.Status]string{purchase.Created: webhook.PurchaseCreated,
				purchase.Paid:      webhook.PurchasePaid,
				purchase.Cancelled: webhook.PurchaseCancelled, purchase.Refunded: webhook.PaymentRefunded,
				purchase.PendingRefund: webhook.PurchasePendingRefund}[c.Status])
		}
		if !slices.Equal(told, history) {
			t.Errorf("told %v, happened %v", told, history)
		}
	}
	h.run()
	if n := h.number(`SELECT count(*) FROM events`); int(n) != len(r.got()) {
		t.Errorf("%d events, %d calls", n, len(r.got()))
	}
}

func ref[T any](v T) *T { return &v }

func TestThousandsOfNewsInOneTransactionAreTold(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(nil)
	h.hook(r.URL, webhook.PurchaseCreated)
	one := h.sell()
	must(t, h.purchases.InTx(context.Background(), func(tx *database.Tx) error {
		for i := range 500 {
			p := one.Purchase
			p.ID, p.ReferenceGenerated = tx.NewID(), fmt.Sprintf("DD%d", 1000+i)
			purchase.Insert(tx, p)
		}
		return nil
	}))
	if n := h.number(`SELECT count(*) FROM events WHERE snapshot IS NOT NULL`); n != 501 {
		t.Errorf("%d events", n)
	}
	if n := h.number(
		`SELECT count(*) FROM (SELECT seq, id, lag(id) OVER (ORDER BY seq) AS before FROM events) e WHERE before > id`,
	); n != 0 {
		t.Errorf("%d ids are not in the order of events", n)
	}
	if n := h.run(); n != 501 || len(r.types()) != 501 {
		t.Errorf("%d attempts", n)
	}
}

func TestWhatAnEventKeepsHasNoNumberOfAPayer(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.hook("https://shop.example")
	h.pay(h.sell().ID)
	if n := h.number(`SELECT count(*) FROM events WHERE snapshot IS NOT NULL`); n != 2 {
		t.Fatalf("%d events", n)
	}
	if n := h.number(
		`SELECT count(*) FROM events WHERE snapshot::text LIKE '%' || $1 || '%' OR snapshot::text LIKE '%' || $2 || '%'
			OR snapshot::text LIKE '%sealed%'`,
		account,
		identity,
	); n != 0 {
		t.Errorf("%d events keep numbers", n)
	}
}

func TestOldEventsAreTidiedUnlessTheyAreOnTheirWay(t *testing.T) {
	t.Parallel()
	h := open(t)
	r := h.receiver(func(n int, w http.ResponseWriter, _ *http.Request) {
		if n > 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	h.hook(r.URL, webhook.PurchaseCreated)
	h.sell()
	h.run()
	h.sell()
	h.run()
	age := func(days int) {
		h.exec(`UPDATE events SET created_at = now() - make_interval(days => $1)`, days)
		h.exec(`UPDATE deliveries SET done_at = now() - make_interval(days => $1) WHERE done_at IS NOT NULL`, days)
		must(t, upkeep.Store{DB: h.store}.Tidy(context.Background(), time.Now()))
	}
	age(29)
	if n := h.number(`SELECT count(*) FROM events`); n != 2 {
		t.Errorf("%d events after 29 days", n)
	}
	age(31)
	if events, sent := h.number(`SELECT count(*) FROM events`), h.number(`SELECT count(*) FROM deliveries`); events != 1 ||
		sent != 1 || h.number(`SELECT count(*) FROM delivery_attempts`) != 1 {
		t.Errorf("%d events, %d deliveries after 31 days", events, sent)
	}
}
