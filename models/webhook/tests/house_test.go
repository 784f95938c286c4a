package tests

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/api"
	"debitdesk/handlers/letters"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/webhook"
	"debitdesk/models/webhook/post"
)

// start is a Monday at 09:00 SAST in a month without public holidays.
var start = calendar.On(2027, time.February, 1).At(9, 0)

// house is a merchant whose purchases change, on a database of its own, with the
// clock on a day that is the same for every run.
type house struct {
	t         testing.TB
	store     *database.DB
	purchases *purchase.Service
	hooks     *webhook.Service
	who       actor.Actor
	brand     uuid.UUID
}

func open(t testing.TB) *house {
	t.Helper()
	ctx := context.Background()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(ctx, storetest.DSN(t), database.Options{Seal: box, Sandbox: true,
		Machine:  storetest.StandingClock(),
		MaxConns: 10, Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, start)
	h := &house{t: t, store: s}
	h.purchases = &purchase.Service{InTx: s.InTx, Store: purchase.Store{DB: s},
		Now:      s.Now,
		Calendar: calendar.New(), Timetable: collection.DefaultTimetable(),
		Letters: letters.Writer{}, Window: mandate.DefaultWindow(), Limits: mandate.DefaultLimits(), Bank: bank.Everything()}
	h.hooks = h.engine(post.New(true))
	h.who, h.brand = h.merchant("acme")
	return h
}

// engine is one more process that delivers.
func (h *house) engine(p webhook.Poster) *webhook.Service {
	return &webhook.Service{Store: webhook.Store{DB: h.store}, Post: p,
		Letters: letters.Writer{}, Now: h.store.Now, Agent: "Debitdesk/test",
		Body: api.Events{Base: "https://desk.example", Purchase: purchase.Store{DB: h.store}.Snapshot}.Body}
}

func (h *house) merchant(slug string) (actor.Actor, uuid.UUID) {
	h.t.Helper()
	m, brand := h.store.NewID(), h.store.NewID()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, $3, $3)`,
		m, slug, h.store.Now())
	h.exec(
		`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
			VALUES ($1, $2, $3, 'DD', $4, $4)`,
		brand,
		m,
		slug,
		h.store.Now(),
	)
	h.exec(
		`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
			branch_code, is_default, created_at)
		VALUES ($1, $2, $3, 'TEST1', 'TESTMERCH1', '12345678', '051001', true, $4)`,
		h.store.NewID(),
		m,
		brand,
		h.store.Now(),
	)
	return actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: m, Name: "Owner"}, brand
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	_, err := h.store.Pool.Exec(context.Background(), sql, args...)
	must(h.t, err)
}

func (h *house) number(sql string, args ...any) (n int64) {
	h.t.Helper()
	must(h.t, h.store.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

const account, identity = "62000012345", "8001015009087"

// sell makes a purchase that somebody else pays.
func (h *house) sell(change ...func(*purchase.Input)) purchase.Record {
	h.t.Helper()
	in := purchase.Input{
		Client: &client.Details{Email: "n@example.org", FullName: "N Dlamini", BankAccount: account, BankCode: "632005",
			PersonalCode: identity}, BrandID: h.brand, Currency: "ZAR",
		Details: purchase.Details{Language: "en", Products: []purchase.Product{{Name: "Membership", PriceCents: 15000,
			Quantity: decimal.NewFromInt(1)}}},
	}
	for _, c := range change {
		c(&in)
	}
	rec, err := h.purchases.Create(context.Background(), h.who, in)
	must(h.t, err)
	return rec
}

func (h *house) pay(id uuid.UUID) {
	h.t.Helper()
	_, err := h.purchases.MarkAsPaid(context.Background(), h.who, id, nil)
	must(h.t, err)
}

func (h *house) hook(address string, events ...string) webhook.Webhook {
	h.t.Helper()
	w, err := h.hooks.Create(context.Background(), h.who,
		webhook.Input{Title: "Till", Callback: address, AllEvents: len(events) == 0, Events: events})
	must(h.t, err)
	return w
}

// run delivers what is due and tells how many attempts that took.
func (h *house) run() int {
	h.t.Helper()
	n, err := h.hooks.Run(context.Background())
	must(h.t, err)
	return n
}

// to moves the clock and stops at every moment at which a delivery is due.
func (h *house) to(at time.Time) (attempts int) {
	h.t.Helper()
	for {
		next, found, err := h.hooks.NextDue(context.Background())
		must(h.t, err)
		if !found || next.After(at) {
			break
		}
		must(h.t, h.store.Clock.MoveTo(context.Background(), next))
		attempts += h.run()
	}
	must(h.t, h.store.Clock.MoveTo(context.Background(), at))
	return attempts + h.run()
}

func (h *house) deliveries(f webhook.DeliveryFilter) []webhook.Delivery {
	h.t.Helper()
	page, err := h.hooks.Deliveries(context.Background(), h.who, f, paging.Ask{Limit: 100})
	must(h.t, err)
	return page.Items
}

// call is one request that a receiver got.
type call struct {
	header http.Header
	body   []byte
	at     time.Time // of the product
	kept   bool      // it was answered with 2xx
}

func (c call) field(name string) string {
	out := map[string]any{}
	_ = json.Unmarshal(c.body, &out)
	text, _ := out[name].(string)
	return text
}

// receiver is a program of the merchant.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	calls  []call
	answer func(n int, w http.ResponseWriter, r *http.Request) // of the n-th call, from 0; nil: 200
}

func (h *house) receiver(answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	h.t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		n := len(r.calls)
		r.calls = append(r.calls, call{header: req.Header.Clone(), body: body, at: h.store.Now()})
		r.mu.Unlock()
		seen := &status{ResponseWriter: w, code: http.StatusOK}
		defer func() {
			r.mu.Lock()
			r.calls[n].kept = seen.code >= 200 && seen.code < 300
			r.mu.Unlock()
		}()
		if r.answer != nil {
			r.answer(n, seen, req)
		}
	}))
	h.t.Cleanup(r.Close)
	return r
}

type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) { s.code = code; s.ResponseWriter.WriteHeader(code) }

func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (r *receiver) got() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]call(nil), r.calls...)
}

// types are the events that were taken, in the order in which they came.
func (r *receiver) types() (out []string) {
	for _, c := range r.got() {
		if c.kept {
			out = append(out, c.field("event_type"))
		}
	}
	return out
}

// verified checks a signature as a program of a merchant would.
func verified(publicPEM string, body []byte, signature string) error {
	block, _ := pem.Decode([]byte(publicPEM))
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	return rsa.VerifyPKCS1v15(key.(*rsa.PublicKey), crypto.SHA256, sum[:], raw)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
