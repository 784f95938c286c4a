package web_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// patience is how long a test waits for what must come.
const patience = 5 * time.Minute

// wire is the server on a real listener, with a DebiCheck mandate that waits for
// the payer and everything that watches it.
type wire struct {
	*handlertest.Server
	t     *testing.T
	site  *httptest.Server
	watch *mandate.Watch
	asked []string
	id    uuid.UUID
}

func newWire(t *testing.T) *wire {
	t.Helper()
	w := &wire{t: t}
	w.Server = handlertest.New(t, func(h *handlertest.Server) {
		var err error
		if w.watch, err = (mandate.Store{DB: h.Store}).Watch(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.watch.Close)
		h.Deps.Live.Watch = w.watch
		h.Deps.Live.AskAgain = func(_ context.Context, _ actor.Actor, id uuid.UUID, method mandate.Method) (purchase.Record,
			error) {
			if len(w.asked) > 0 {
				return purchase.Record{}, fault.New(fault.Conflict, "mandate_wrong_status", "The client is already being asked.")
			}
			w.asked = append(w.asked, id.String()+" "+string(method))
			return purchase.Record{}, nil
		}
	})
	w.site = httptest.NewServer(w.App)
	t.Cleanup(func() {
		w.watch.Close() // as the server stops: streams must not hold it up
		w.site.Close()
	})
	w.id = w.Store.NewID()
	w.exec(
		`INSERT INTO mandates (id, merchant_id, brand_id, kind, state, contract_reference, profile_code, abbreviated_name,
			clearing_account, period_units,
			deduction_day, amount_cents, holder_name, account_mask, bank_code, account_type, consent_text, consent_at,
			consent_channel, created_at, updated_at)
		VALUES ($1, $2, $3, 'debicheck', 'pending_authentication', 'W1', 'TEST1', 'TESTMERCH1', '12345678', 'months', 1, 0,
		'', '', '', '', '', now(), 'bank', now(), now())`,
		w.id,
		w.A.ID,
		w.A.BrandID,
	)
	now := w.Store.Now()
	w.exec(
		`INSERT INTO mandate_authentications (id, merchant_id, mandate_id, number, method, state,
			requested_at, sent_at, expires_at)
		VALUES (gen_random_uuid(), $1, $2, 1, 'REALTIME', 'sent', $3, $3, $4)`,
		w.A.ID,
		w.id,
		now,
		now.Add(2*time.Minute),
	)
	return w
}

func (w *wire) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.Store.Pool.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
}

// deliver is what the bank's first message does.
func (w *wire) deliver() {
	w.t.Helper()
	w.exec(`UPDATE mandate_authentications SET state = 'delivered', delivered_at = $2 WHERE mandate_id = $1`, w.id,
		w.Store.Now())
}

// accept is what the payer's yes does.
func (w *wire) accept() {
	w.t.Helper()
	w.exec(
		`WITH a AS (UPDATE mandate_authentications SET state = 'accepted', channel = 'ussd', answered_at = $2
			WHERE mandate_id = $1)
		UPDATE mandates SET state = 'active' WHERE id = $1`,
		w.id,
		w.Store.Now(),
	)
}

// watcher is an open panel of somebody's browser.
type watcher struct {
	t      *testing.T
	events chan [2]string // name and data; closed at the end of the stream
	leave  context.CancelFunc
}

// open asks for the stream as a browser does.
func (w *wire) open(who handlertest.Person, id string) (*watcher, *http.Response) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.site.URL+"/mandates/"+id+"/events", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Cookie", who.Cookie)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r) //nolint:bodyclose // the reader of the events does
	if err != nil {
		w.t.Fatal(err)
	}
	one := &watcher{t: w.t, events: make(chan [2]string, 16), leave: cancel}
	go func() {
		defer close(one.events)
		defer func() { _ = answer.Body.Close() }()
		name, data := "", []string{}
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			switch field, value, _ := strings.Cut(lines.Text(), ": "); field {
			case "event":
				name = value
			case "data":
				data = append(data, value)
			case "":
				if name != "" {
					one.events <- [2]string{name, strings.Join(data, "\n")}
				}
				name, data = "", nil
			}
		}
	}()
	return one, answer
}

// next waits for an event with all of the words. Each event is the whole state, so
// that one which shows what was before may come once more.
func (one *watcher) next(name string, words ...string) {
	one.t.Helper()
	over := time.After(patience)
	last := [2]string{"nothing"}
	for {
		select {
		case got, more := <-one.events:
			if !more {
				one.t.Fatalf("the stream has ended with %q: %s", last[0], last[1])
			}
			missing := slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(got[1], word) })
			if last = got; got[0] == name && !missing {
				return
			}
		case <-over:
			one.t.Fatalf("no event %q with %q; the last was %q: %s", name, words, last[0], last[1])
		}
	}
}

// ended waits for the end of the stream; no outcome may come any more.
func (one *watcher) ended() {
	one.t.Helper()
	over := time.After(patience)
	for {
		select {
		case got, more := <-one.events:
			if !more {
				return
			}
			if got[0] == "final" {
				one.t.Fatalf("one more event: %s", got[1])
			}
		case <-over:
			one.t.Fatal("the stream stays open")
		}
	}
}

func TestAPanelShowsEachChangeAtOnceUntilTheMandateIsSettled(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	mine, answer := w.open(w.A.Staff, w.id.String())
	colleague, _ := w.open(w.A.Owner, w.id.String())
	for name, want := range map[string]string{"Content-Type": "text/event-stream; charset=utf-8",
		"Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, panel := range []*watcher{mine, colleague} {
		panel.next("state", "Waiting for the client’s answer", `data-seconds="120"`, "sends it to the client’s phone")
	}
	w.deliver()
	for _, panel := range []*watcher{mine, colleague} {
		panel.next("state", "is on the client’s phone")
	}
	w.accept()
	for _, panel := range []*watcher{mine, colleague} {
		panel.next("final", "Accepted by the client", "By cellphone banking")
		panel.ended()
	}
	late, _ := w.open(w.A.Finance, w.id.String())
	late.next("final", "Accepted by the client")
	late.ended()
}

func TestAMoveOfTheClockReachesThePanel(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	panel, _ := w.open(w.A.Staff, w.id.String())
	panel.next("state", "left to answer")
	if err := w.Store.Clock.MoveTo(t.Context(), w.Store.Now().Add(3*time.Minute)); err != nil {
		t.Fatal(err)
	}
	panel.next("state", "Time is up. The result comes in a moment.")
}

func TestNobodyElseGetsTheStreamOfAMandate(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	for _, row := range []struct {
		name   string
		who    handlertest.Person
		id     string
		status int
	}{
		{"a stranger", w.B.Owner, w.id.String(), http.StatusNotFound},
		{"an unknown mandate", w.A.Owner, uuid.NewString(), http.StatusNotFound},
		{"no id", w.A.Owner, "x", http.StatusNotFound},
		{"signed out", handlertest.Person{}, w.id.String(), http.StatusSeeOther},
	} {
		one, answer := w.open(row.who, row.id)
		if answer.StatusCode != row.status {
			t.Errorf("%s: %d, want %d", row.name, answer.StatusCode, row.status)
		}
		one.ended()
	}
	if n := w.watch.Watchers(); n != 0 {
		t.Errorf("%d subscriptions are left", n)
	}
}

func TestABrowserThatGoesAwayIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	panel, _ := w.open(w.A.Staff, w.id.String())
	panel.next("state")
	if n := w.watch.Watchers(); n != 1 {
		t.Fatalf("%d subscriptions of one panel", n)
	}
	panel.leave()
	panel.ended()
	// The server notices by itself; its Close waits for every request to end.
	closed := make(chan struct{})
	go func() { w.site.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("the request goes on")
	}
	if n := w.watch.Watchers(); n != 0 {
		t.Errorf("%d subscriptions are left", n)
	}
}

func TestOpenPanelsDoNotHoldUpTheStop(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	panel, _ := w.open(w.A.Staff, w.id.String())
	panel.next("state")
	w.watch.Close()
	panel.ended()
	stop, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := w.site.Config.Shutdown(stop); err != nil {
		t.Error(err)
	}
}

func TestThePayerIsAskedAgainFromThePanel(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	at := "/mandates/" + w.id.String()
	w.Page(w.A.Staff, "POST", at+"/authentications",
		url.Values{"method": {"FALLBACK"}}).Want(http.StatusUnprocessableEntity).Contains("Choose REALTIME or DELAYED.")
	w.Page(w.B.Owner, "POST", at+"/authentications", url.Values{"method": {"DELAYED"}}).Want(http.StatusNotFound)
	if len(w.asked) != 0 {
		t.Fatalf("asked %q", w.asked)
	}
	got := w.Page(w.A.Staff, "POST", at+"/authentications", url.Values{"method": {"DELAYED"}}).Want(http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != at {
		t.Errorf("goes on to %s", to)
	}
	if len(w.asked) != 1 || w.asked[0] != w.id.String()+" DELAYED" {
		t.Errorf("asked %q", w.asked)
	}
	w.Page(w.A.Staff, "POST", at+"/authentications",
		url.Values{"method": {"REALTIME"}}).Want(http.StatusConflict).Contains("The client is already being asked.")
	w.Page(w.A.Staff, "POST", at+"/authentications", url.Values{"method": {"REALTIME"}},
		"HX-Request: true").Want(http.StatusConflict).Contains("The client is already being asked.")
}

func TestAStreamEndsWithTheAccessOfItsPerson(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	panel, _ := w.open(w.A.Staff, w.id.String())
	panel.next("state", "sends it to the client’s phone")
	w.exec(`UPDATE memberships SET disabled_at = now() WHERE merchant_id = $1 AND user_id = $2`, w.A.ID, w.A.Staff.ID)
	w.exec(`DELETE FROM sessions WHERE user_id = $1`, w.A.Staff.ID)
	w.deliver()
	panel.ended()
}
