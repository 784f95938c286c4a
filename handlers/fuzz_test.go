package handlers_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers"
	"debitdesk/handlers/api"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/subscription"
)

// The fuzz is the same in each run; another seed finds other things.
const (
	fuzzSeed     = 20261121
	fuzzRequests = 10_000
	fuzzHands    = 8
)

// fuzzer makes requests out of the document, and spoils them.
type fuzzer struct {
	*rand.Rand
	c     *handlertest.Contract
	ops   []*handlertest.Operation
	ids   []string // of ours
	token string
	their string // the stranger's token
}

// shot is one request.
type shot struct {
	op      *handlertest.Operation
	method  string
	path    string // as sent, with escapes
	query   string
	headers http.Header
	body    string
}

func (s shot) String() string {
	body := s.body
	if len(body) > 1500 {
		body = body[:1500] + "…"
	}
	return fmt.Sprintf("%s %.300q ?%.300q\n%v\n%q", s.method, s.path, s.query, s.headers, body)
}

func TestTenThousandSpoiltRequestsAreAllAnsweredInTheContractsForm(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	if s.Deps.API.Templates == nil {
		subs := &subscription.Service{InTx: s.Store.InTx, Store: subscription.Store{DB: s.Store},
			Purchases: s.Purchases, Now: s.Store.Now}
		s.Deps.API.Templates = &api.Templates{Base: handlertest.BaseURL, Service: subs}
	}
	app, err := handlers.New(s.Deps)
	if err != nil {
		t.Fatal(err)
	}
	s.App = app
	ids, served := s.fuzzIDs(), s.served()
	var (
		wait   sync.WaitGroup
		mu     sync.Mutex
		counts = map[int]int{}
		wrong  = map[string]int{}
	)
	for hand := range fuzzHands {
		wait.Go(func() {
			//nolint:gosec // repeatable on purpose
			f := &fuzzer{Rand: rand.New(rand.NewPCG(fuzzSeed, uint64(hand))), c: handlertest.TheContract(), ops: served,
				ids: ids, token: s.A.Token, their: s.B.Token}
			for i := range fuzzRequests / fuzzHands {
				one := f.shot()
				status, answer, err := s.fire(one)
				mu.Lock()
				counts[status/100]++
				if err != nil {
					key := one.method + " " + one.op.Path + " " + fmt.Sprint(status)
					if wrong[key]++; wrong[key] == 1 && len(wrong) <= 12 {
						t.Errorf("seed %d, hand %d, request %d: %v\n%v\n%d %.800s", fuzzSeed, hand, i, err, one, status, answer)
					}
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	t.Logf("answers by hundreds: %v", counts)
	if counts[2] < fuzzRequests/20 || counts[4] < fuzzRequests/5 {
		t.Errorf("too few of a kind: %v", counts)
	}
	if s.log.Len() > 0 {
		t.Errorf("errors were logged:\n%.3000s", s.log)
	}
}

// fire sends one request, and holds its answer against the document.
func (s *street) fire(one shot) (status int, answer string, err error) {
	r := httptest.NewRequest(one.method, "/", strings.NewReader(one.body))
	path, wrong := url.PathUnescape(one.path)
	if wrong != nil {
		path = one.path
	}
	r.URL = &url.URL{Path: path, RawPath: one.path, RawQuery: one.query}
	r.RequestURI = one.path + "?" + one.query
	for name, values := range one.headers {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	s.App.ServeHTTP(w, r)
	status, answer = w.Code, w.Body.String()
	switch {
	case status >= 500:
		return status, answer, fmt.Errorf("status %d", status)
	case one.method == http.MethodHead || status == http.StatusNoContent || status >= 300 && status < 400:
		return status, answer, nil
	case strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && !json.Valid(w.Body.Bytes()):
		return status, answer, fmt.Errorf("no JSON")
	}
	return status, answer, handlertest.TheContract().CheckAnswer(one.method, one.path, status, w.Header(), w.Body.Bytes())
}

// served are the operations that this street has; another test tells which lack.
func (s *street) served() (ops []*handlertest.Operation) {
	routes := map[string]bool{}
	for _, r := range s.App.Routes() {
		routes[r.Method+" "+parameterForm.ReplaceAllString(r.Path, "{$1}")+"/"] = true
	}
	for _, op := range handlertest.TheContract().Operations {
		if routes[op.Method+" "+strings.TrimSuffix(op.Path, "/")+"/"] {
			ops = append(ops, op)
		}
	}
	return ops
}

// fuzzIDs is some of everything, and ids of nobody.
func (s *street) fuzzIDs() []string {
	ids := []string{s.A.BrandID.String(), s.A.BrandID.String(), s.B.BrandID.String(), uuid.Nil.String(), uuid.NewString()}
	for n := range 4 {
		client := s.API("POST", "/clients/", fmt.Sprintf(
			`{"email":"fuzz%d@example.com","full_name":"Fuzz Nkosi","phone":"27821234567","personal_code":"8001015009087","bank_account":"620000000%d","bank_code":"470010"}`,
			n,
			n,
		)).Want(201).Text("id")
		token := s.API("POST", "/purchases/", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`,
			client,
			s.A.BrandID,
		)).Want(201).Text("id")
		open := s.API("POST", "/purchases/", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":100}]}}`, client, s.A.BrandID,
			s.Store.Now().AddDate(0, 0, 9).Unix())).Want(201).Text("id")
		hook := s.API("POST", "/webhooks/", `{"title":"t","callback":"https://example.com/x","all_events":true}`).Want(
			201).Text("id")
		plan := s.API("POST", "/billing_templates/",
			fmt.Sprintf(
				`{"brand_id":%q,"title":"t","is_subscription":%t,"due":%d,"purchase":{"products":[{"name":"m","price":100}]}}`,
				s.A.BrandID, n%2 == 0, s.Store.Now().AddDate(0, 0, 9).Unix())).Want(201).Text("id")
		ids = append(ids, client, token, open, hook, plan)
		if n%2 == 0 {
			s.API("POST", "/billing_templates/"+plan+"/add_subscriber/", fmt.Sprintf(`{"client_id":%q}`, client)).Want(200)
		}
	}
	return append(ids, s.ids["/p"])
}

var fuzzMethods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "FOO"}

// shot makes one request of a random operation.
func (f *fuzzer) shot() shot {
	op := f.ops[f.IntN(len(f.ops))]
	for op.Method == http.MethodGet && f.IntN(3) == 0 { // what changes things has more to get wrong
		op = f.ops[f.IntN(len(f.ops))]
	}
	one := shot{op: op, method: op.Method, path: op.Path, headers: http.Header{"Authorization": {"Bearer " + f.token},
		"Accept": {"application/json"}}}
	if op.AlsoAt != "" && f.IntN(4) == 0 {
		one.path = op.AlsoAt
	}
	if f.IntN(60) == 0 {
		one.method = fuzzMethods[f.IntN(len(fuzzMethods))]
	}
	one.path = f.address(one.path, one.method == "DELETE")
	one.query = f.parameters(op)
	f.spoilHeaders(one.headers)
	if op.Doc["requestBody"] != nil || f.IntN(12) == 0 {
		one.body = f.bodyOf(op, one.headers)
	}
	return one
}

var oddSegments = []string{"..", "%2e%2e", "%00", "%ff%fe", "x", "{id}", "%2F", "%", "counts", "clients",
	"0193B5A2-7C11-7E05-9D3E-5C1F5F0E8A10", "%F0%9F%92%A9", "1", "-1", "null",
	"%27%20OR%201=1", strings.Repeat("9", 3000), "00000000-0000-0000-0000-000000000000",
	"urn:uuid:0193b5a2-7c11-7e05-9d3e-5c1f5f0e8a10", "deliveries", "%0d%0aX:%20y"}

// address fills the ids of a path in. What deletes meets ours seldom, or nothing is left.
func (f *fuzzer) address(path string, deletes bool) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if !strings.HasPrefix(p, "{") {
			continue
		}
		switch n := f.IntN(20); {
		case n < 3:
			parts[i] = oddSegments[f.IntN(len(oddSegments))]
		case deletes && n < 18:
			parts[i] = uuid.NewString()
		default:
			parts[i] = f.id()
		}
	}
	path = strings.Join(parts, "/")
	switch f.IntN(20) {
	case 0:
		return strings.ReplaceAll(path, "/", "//")
	case 1:
		return strings.TrimSuffix(path, "/")
	case 2:
		return path + oddSegments[f.IntN(len(oddSegments))]
	}
	return path
}

func (f *fuzzer) id() string { return f.ids[f.IntN(len(f.ids))] }

var oddTexts = []string{"", "x", "0", "-1", "1e400", "99999999999999999999", "NaN", "true", "TRUE", "null", "%00",
	"%ff", "%zz", "%F0%9F%92%A9", "2026-02-30", "0001-01-01", "9999-12-31",
	"%27%22%3C%3E", "1795417200", "253402300800", "..%2f", "a;b", "%5C%25_", strings.Repeat("y", 4000), "%E2%80%AE",
	"b3BhcXVl", "bw", "eyJ", "paid", "eft", "ZAR", "ZA", "100000000000"}

func (f *fuzzer) parameters(op *handlertest.Operation) string {
	names := []string{"time", "cursor", "limit", "dry_run", "q", "unknown[]", "%ff"}
	listed, _ := op.Doc["parameters"].([]any)
	for _, p := range listed {
		if name, ok := p.(map[string]any)["name"].(string); ok {
			names = append(names, name, name)
		}
	}
	var out []string
	for range f.IntN(4) {
		value := oddTexts[f.IntN(len(oddTexts))]
		if f.IntN(3) == 0 {
			value = f.id()
		}
		out = append(out, names[f.IntN(len(names))]+"="+value)
	}
	if op.Method == http.MethodPost && f.IntN(6) == 0 {
		out = append(out, "dry_run=true")
	}
	return strings.Join(out, "&")
}

func (f *fuzzer) spoilHeaders(h http.Header) {
	set := func(name string, values ...string) { h[name] = []string{values[f.IntN(len(values))]} }
	switch f.IntN(30) {
	case 0:
		set("Authorization", "", "Bearer", "Bearer x.y.z", "Basic eDp5", "bearer  "+f.token, "Bearer "+f.token+"x",
			"Bearer "+f.their, "\xff", "Bearer "+strings.Repeat("a", 9000))
	case 1:
		delete(h, "Authorization")
	case 2:
		set("Accept", "*/*", "", "text/plain", "application/xml;q=\xff", "application/json;version=9")
	case 3:
		set("X-Request-Id", "\x00\x01", strings.Repeat("r", 5000), "<script>")
	case 4:
		set("Cookie", "session=x; \xff=1", strings.Repeat("c=d;", 2000))
	case 5:
		set("X-Forwarded-For", "1.2.3.4, \xff", "::1", "' OR 1=1")
	}
	if f.IntN(8) == 0 {
		set("Idempotency-Key", "a", "b", uuid.NewString(), "\x00", "\xff\xfe", strings.Repeat("k", 255),
			strings.Repeat("k", 256), "💩", " ", "a\nb")
	}
}
