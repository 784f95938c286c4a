package tests

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// receiver is somebody's program that hears of events.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []taken
}

type taken struct {
	signature string
	body      []byte
}

func listen(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusNoContent}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, taken{q.Header.Get("X-Signature"), body})
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answers(status int) { r.mu.Lock(); r.status = status; r.mu.Unlock() }

func (r *receiver) heard() []taken {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]taken(nil), r.got...)
}

// run delivers what is due.
func run(t *testing.T, h *handlertest.Server) {
	t.Helper()
	if _, err := h.Webhooks.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func hook(h *handlertest.Server, callback string) string {
	return h.API("POST", "/webhooks/", map[string]any{"title": "Accounting", "callback": callback,
		"all_events": true}).Want(201).Text("id")
}

func TestAWebhookIsMadeReadChangedAndDeleted(t *testing.T) {
	h := handlertest.New(t)
	made := h.API(
		"POST",
		"/webhooks/",
		`{"title":" Accounting ","callback":"https://a.example/hooks","events":["purchase.paid","purchase.created"],"public_key":"mine","unknown":1}`,
	).Want(201)
	record := made.JSON()
	for _, key := range []string{"id", "type", "created_on", "updated_on", "title", "callback", "all_events", "events",
		"public_key"} {
		if _, has := record[key]; !has {
			t.Errorf("no %s in %s", key, made.Body)
		}
	}
	if len(record) != 9 || record["type"] != "webhook" || record["title"] != "Accounting" ||
		record["all_events"] != false {
		t.Errorf("%s", made.Body)
	}
	if !strings.HasPrefix(made.Text("public_key"), "-----BEGIN PUBLIC KEY-----\n") {
		t.Error(made.Text("public_key"))
	}
	made.Contains(`"events":["purchase.created","purchase.paid"]`)
	path := "/webhooks/" + made.Text("id") + "/"
	if got := h.API("GET", path, nil).Want(200); got.Body != made.Body {
		t.Errorf("%s is not %s", got.Body, made.Body)
	}
	patched := h.API("PATCH", path, `{"title":"Books"}`).Want(200).Contains(`"title":"Books"`,
		`"callback":"https://a.example/hooks"`, `"events":["purchase.created","purchase.paid"]`)
	if patched.Text("public_key") != made.Text("public_key") {
		t.Error("the key changed")
	}
	h.API("PATCH", path, url.Values{"all_events": {"true"}}).Want(200).Contains(`"all_events":true`, `"events":[]`)
	h.API("PATCH", path, url.Values{"events": {"purchase.chargeback"}}).Want(200).Contains(`"all_events":false`,
		`"events":["purchase.chargeback"]`)
	h.API("PUT", path, `{"title":"All"}`).Want(400).WantCode("callback=required", "events=required")
	h.API("PUT", path, `{"title":"All","callback":"http://b.example","all_events":true,"events":["purchase.paid"]}`).Want(
		200).Contains(`"callback":"http://b.example"`, `"events":[]`)
	if gone := h.API("DELETE", path, nil).Want(204); gone.Body != "" {
		t.Error(gone.Body)
	}
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		h.API(method, path, nil).Want(404).WantCode("__all__=not_found")
	}
	h.API("GET", "/webhooks/", nil).Want(200).Contains(`"results":[]`)
}

func TestAWebhookIsRefusedWithEveryProblemAtItsField(t *testing.T) {
	h := handlertest.New(t)
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		body  any
		codes []string
	}{
		"nothing": {`{}`, []string{"title=required", "callback=required", "events=required"}},
		"nulls": {`{"title":null,"callback":null,"all_events":null}`,
			[]string{"title=required", "callback=required", "all_events=required"}},
		"empty": {`{"title":" ","callback":"","events":[]}`,
			[]string{"title=required", "callback=required", "events=required"}},
		"long title": {map[string]any{"title": long(101)}, []string{"title=max_length"}},
		"long callback": {map[string]any{"callback": "https://a.example/" + long(483)},
			[]string{"callback=max_length"}},
		"no address":           {`{"callback":"somewhere"}`, []string{"callback=invalid"}},
		"no web address":       {`{"callback":"ftp://a.example"}`, []string{"callback=invalid"}},
		"an object as title":   {`{"title":{},"callback":[]}`, []string{"title=invalid", "callback=invalid"}},
		"no boolean":           {`{"all_events":"perhaps"}`, []string{"all_events=invalid"}},
		"no list":              {`{"events":{}}`, []string{"events=not_a_list"}},
		"an unknown event":     {`{"events":["purchase.eaten"]}`, []string{"events=invalid_choice"}},
		"an entry that is odd": {`{"events":["purchase.paid",{}]}`, []string{"events=invalid"}},
		"too many":             {`{"events":["` + strings.Repeat(`a","`, 100) + `a"]}`, []string{"events=max_length"}},
	} {
		got := h.API("POST", "/webhooks/", c.body)
		found := got.Codes()
		for _, code := range c.codes {
			if got.Status != 400 || !found[code] {
				t.Errorf("%s: %d, no %s in %s", name, got.Status, code, got.Body)
			}
		}
	}
	h.API("POST", "/webhooks/", `{"title":`).Want(400).WantCode("__all__=parse_error")
	h.API("POST", "/webhooks/", map[string]any{"title": long(100), "callback": "https://a.example/" + long(482),
		"all_events": true}).Want(201)
}

func TestWebhooksComeInPagesOfTheirOwnMerchant(t *testing.T) {
	h := handlertest.New(t)
	for i := range 3 {
		h.API("POST", "/webhooks/", map[string]any{"title": fmt.Sprint(i), "callback": "https://a.example",
			"all_events": true}).Want(201)
	}
	h.APIAs(h.B, "POST", "/webhooks/", map[string]any{"title": "theirs", "callback": "https://b.example",
		"all_events": true}).Want(201)
	first := h.API("GET", "/webhooks/?limit=2", nil).Want(200).Contains(`"title":"2"`, `"title":"1"`).Lacks("theirs",
		`"title":"0"`)
	next := first.Text("next")
	if !strings.HasPrefix(next, handlertest.BaseURL+"/api/v1/webhooks/?cursor=") {
		t.Fatal(next)
	}
	h.API("GET", strings.TrimPrefix(next, handlertest.BaseURL+"/api/v1"), nil).Want(200).Contains(`"title":"0"`,
		`"next":null`).Lacks(`"title":"1"`)
	h.API("GET", "/webhooks/?limit=0&cursor=x", nil).Want(400).WantCode("limit=invalid", "cursor=invalid")
}

func TestAWebhookIsMadeOnceForOneIdempotencyKey(t *testing.T) {
	h := handlertest.New(t)
	body := `{"title":"A","callback":"https://a.example","all_events":true}`
	first := h.API("POST", "/webhooks/", body, "Idempotency-Key: one").Want(201)
	if again := h.API("POST", "/webhooks/", body, "Idempotency-Key: one").Want(201); again.Body != first.Body {
		t.Errorf("%s is not %s", again.Body, first.Body)
	}
	h.API("POST", "/webhooks/", `{"title":"B","callback":"https://a.example","all_events":true}`,
		"Idempotency-Key: one").Want(400).WantCode("__all__=idempotency_key_reuse")
	if n := h.Count(`SELECT count(*) FROM webhooks`); n != 1 {
		t.Errorf("%d webhooks", n)
	}
}

func TestThePublicKeyOfTheCompanyIsAJSONText(t *testing.T) {
	h := handlertest.New(t)
	h.Webhooks.NewKeys = nil // each company has its own
	got := h.API("GET", "/public_key/", nil).Want(200)
	var text string
	if err := json.Unmarshal([]byte(got.Body), &text); err != nil {
		t.Fatal(err)
	}
	if block, rest := pem.Decode([]byte(text)); block == nil || len(strings.TrimSpace(string(rest))) > 0 {
		t.Errorf("no PEM: %q", text)
	}
	if again := h.API("GET", "/public_key", nil).Want(200); again.Body != got.Body {
		t.Error("another key")
	}
	if theirs := h.APIAs(h.B, "GET", "/public_key/", nil).Want(200); theirs.Body == got.Body {
		t.Error("two companies share a key")
	}
}

func TestADeliveryIsSignedOverTheBytesThatArrive(t *testing.T) {
	h, at := handlertest.New(t), listen(t)
	w := h.API("POST", "/webhooks/", map[string]any{"title": "A", "callback": at.URL,
		"events": []string{"purchase.created"}}).Want(201)
	purchase := h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client":{"email":"zoe@example.com","full_name":"Zoë <&>"},"brand_id":%q,"purchase":{"products":[{"name":"m","price":100}]}}`,
		h.A.BrandID,
	)).Want(201).Text("id")
	run(t, h)
	heard := at.heard()
	if len(heard) != 1 {
		t.Fatalf("%d deliveries", len(heard))
	}
	var body map[string]any
	if err := json.Unmarshal(heard[0].body, &body); err != nil || body["event_type"] != "purchase.created" ||
		body["id"] != purchase || body["type"] != "purchase" {
		t.Errorf("%v %s", err, heard[0].body)
	}
	verify(t, w.Text("public_key"), heard[0])
	log := h.API("GET", "/webhooks/deliveries/", nil).Want(200)
	log.Contains(`"event":"purchase.created","url":"`+at.URL+`","created_on":"2026-`, `"delivered_on":"2026-`,
		`"attempts":1,"delivery_attempts":[{"attempted_on":"2026-`,
		`"error_message":""}],"payload":{"event_type":"purchase.created"`)
	log.Contains(`"type":"webhook_delivery"`, `"event_type":"purchase.created"`, `"state":"delivered"`, `"attempts":1`,
		`"last_status":204`, `"next_attempt_on":null`, `"object_id":"`+purchase+`"`)
	one, _ := log.JSON()["results"].([]any)[0].(map[string]any)
	h.API("GET", fmt.Sprintf("/webhooks/deliveries/%s/", one["id"]), nil).Want(200).Contains(`"signature":"`+
		heard[0].signature+`"`, `"attempt_log":[{"number":1,`, `"body":{`, `"event_type":"purchase.created"`)
}

// What an event carries is the record as GET shows it at that moment, masks included.
func TestAnEventShowsTheRecordAsGetDoes(t *testing.T) {
	t.Parallel()
	h, at := handlertest.New(t), listen(t)
	hook(h, at.URL)
	for _, identity := range []string{"8501015000085", "A1234567"} {
		made := h.API("POST", "/purchases/", fmt.Sprintf(`{"client":{"email":"zoe@example.com","personal_code":%q,
			"bank_account":"62001230101","bank_code":"250655"},"brand_id":%q,
			"purchase":{"products":[{"name":"m","price":100}]}}`, identity, h.A.BrandID)).Want(201)
		run(t, h)
		heard := at.heard()
		want := `{"event_type":"purchase.created",` + strings.TrimPrefix(made.Body, "{")
		if got := string(heard[len(heard)-1].body); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		paid := h.API("POST", "/purchases/"+made.Text("id")+"/mark_as_paid/", nil).Want(200)
		refund := h.API("POST", "/purchases/"+made.Text("id")+"/refund/", `{"amount":40}`).Want(200)
		run(t, h)
		heard = at.heard()
		for i, want := range []string{`{"event_type":"purchase.paid",` + strings.TrimPrefix(paid.Body, "{"),
			`{"event_type":"payment.refunded",` + strings.TrimPrefix(refund.Body, "{")} {
			if got := string(heard[len(heard)-2+i].body); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	}
}

func verify(t *testing.T, key string, got taken) {
	t.Helper()
	block, _ := pem.Decode([]byte(key))
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(got.signature)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(got.body)
	//nolint:forcetypeassert // an RSA key by contract
	if err := rsa.VerifyPKCS1v15(public.(*rsa.PublicKey), crypto.SHA256, sum[:], raw); err != nil {
		t.Error(err)
	}
}

func TestTheDeliveryLogIsFiltered(t *testing.T) {
	h, at := handlertest.New(t), listen(t)
	one, two := hook(h, at.URL), hook(h, at.URL)
	at.answers(500)
	sent := h.API("POST", "/webhooks/"+one+"/test/", nil).Want(200).Contains(`"event_type":"webhook.test"`,
		`"state":"pending"`, `"payload":{"event_type":"webhook.test",`)
	run(t, h)
	at.answers(200)
	h.API("POST", "/webhooks/"+two+"/test/", nil).Want(200)
	run(t, h)
	count := func(query string) int {
		list, _ := h.API("GET", "/webhooks/deliveries/"+query, nil).Want(200).JSON()["results"].([]any)
		return len(list)
	}
	for query, want := range map[string]int{"": 2, "?webhook_id=" + one: 1, "?event_id=" + sent.Text("event_id"): 1,
		"?state=delivered": 1, "?state=pending": 1, "?state=failed": 0,
		"?id=" + one: 1, "?source_type=purchase": 0, "?source_type=billing_template_client&id=" + two: 0,
		"?webhook_id=" + two + "&state=pending": 0} {
		if got := count(query); got != want {
			t.Errorf("%q finds %d, want %d", query, got, want)
		}
	}
	h.API("GET", "/webhooks/deliveries/?state=lost&source_type=card&id=x&webhook_id=x&event_id=x&limit=x", nil).Want(400).
		WantCode("state=invalid_choice", "source_type=invalid_choice", "id=invalid", "webhook_id=invalid", "event_id=invalid",
			"limit=invalid")
	theirs, _ := h.APIAs(h.B, "GET", "/webhooks/deliveries/", nil).Want(200).JSON()["results"].([]any)
	if len(theirs) != 0 {
		t.Error("the stranger sees the log")
	}
}

func TestEventsAreSentOnceMore(t *testing.T) {
	h, at := handlertest.New(t), listen(t)
	w, before := hook(h, at.URL), h.Store.Now().Add(-time.Hour).Unix()
	h.API("POST", "/purchases/",
		fmt.Sprintf(`{"client":{"email":"a@example.com"},"brand_id":%q,"purchase":{"products":[{"name":"m","price":100}]}}`,
			h.A.BrandID)).Want(201)
	run(t, h)
	list, _ := h.API("GET", "/webhooks/deliveries/", nil).Want(200).JSON()["results"].([]any)
	first, _ := list[0].(map[string]any)
	h.API("POST", fmt.Sprintf("/webhooks/deliveries/%s/resend/", first["id"]), nil).Want(200).Contains(`"resend":true`,
		`"state":"pending"`)
	run(t, h)
	path := "/webhooks/" + w + "/resend/"
	body := fmt.Sprintf(`{"since":%d}`, before)
	h.API("POST", path, body, "Idempotency-Key: again").Want(200).Contains(`{"resent":1}`)
	h.API("POST", path, body, "Idempotency-Key: again").Want(200).Contains(`{"resent":1}`)
	run(t, h)
	heard := at.heard()
	if len(heard) != 3 || string(heard[0].body) != string(heard[2].body) {
		t.Errorf("%d deliveries", len(heard))
	}
	h.API("POST", path, fmt.Sprintf(`{"since":%d}`, h.Store.Now().Add(time.Hour).Unix())).Want(200).Contains(
		`{"resent":0}`)
	h.API("POST", path, nil).Want(400).WantCode("since=required")
	h.API("POST", path, `{"since":"yesterday"}`).Want(400).WantCode("since=invalid")
}

func TestAStrangersWebhookIsNobodys(t *testing.T) {
	h := handlertest.New(t)
	w := hook(h, "https://a.example")
	for _, c := range [][2]string{{"GET", "/"}, {"PUT", "/"}, {"PATCH", "/"}, {"DELETE", "/"}, {"POST", "/test/"},
		{"POST", "/resend/"}} {
		if got := h.APIAs(h.B, c[0], "/webhooks/"+w+c[1], `{"since":1}`); got.Status != http.StatusNotFound {
			t.Errorf("%s %s: %d %s", c[0], c[1], got.Status, got.Body)
		}
	}
	h.API("GET", "/webhooks/nothing/", nil).Want(404).WantCode("__all__=not_found")
	h.API("GET", "/webhooks/deliveries/nothing/", nil).Want(404).WantCode("__all__=not_found")
	h.API("POST", "/webhooks/deliveries/", nil).Want(405).WantCode("__all__=method_not_allowed")
}

func TestAddressesWithAPasswordAreRefusedAndOlderOnesHidden(t *testing.T) {
	h := handlertest.New(t)
	const bad = "https://anna:geheim@shop.example/in"
	h.API("POST", "/webhooks/", `{"title":"Shop","callback":"`+bad+`","all_events":true}`).Want(400).
		WantCode("callback=invalid").Contains("Leave the user name and password out").Lacks("geheim")
	for _, name := range []string{"success_callback", "success_redirect", "failure_redirect", "cancel_redirect"} {
		h.API("POST", "/purchases/", fmt.Sprintf(`{"client":{"email":"n@example.com"},"brand_id":%q,%q:%q,
			"purchase":{"products":[{"name":"Fibre","price":100}]}}`, h.A.BrandID, name, bad)).Want(400).
			WantCode(name + "=invalid")
	}
	id := hook(h, "https://shop.example/in")
	purchase := h.API("POST", "/purchases/", fmt.Sprintf(`{"client":{"email":"n@example.com"},"brand_id":%q,
		"purchase":{"products":[{"name":"Fibre","price":100}]}}`, h.A.BrandID)).Want(201).Text("id")
	for _, older := range []string{`UPDATE webhooks SET callback = $1`, `UPDATE deliveries SET address = $1`,
		`UPDATE purchases SET options = options || jsonb_build_object('success_callback', $1::text)`} {
		if _, err := h.Store.Pool.Exec(t.Context(), older, bad); err != nil {
			t.Fatal(err)
		}
	}
	h.API("GET", "/webhooks/"+id+"/", nil).Want(200).Contains("https://••••@shop.example/in").Lacks("geheim")
	h.API("GET", "/webhooks/deliveries/", nil).Want(200).Contains("https://••••@shop.example/in").Lacks("geheim")
	h.API("GET", "/purchases/"+purchase+"/", nil).Want(200).Contains("https://••••@shop.example/in").Lacks("geheim")
	for _, page := range []string{"/developers/webhooks", "/developers/webhooks/" + id,
		"/developers/webhooks/" + id + "/edit", "/developers/webhooks/" + id + "/deletion"} {
		h.Page(h.A.Owner, "GET", page, nil).Want(200).Contains("https://••••@shop.example/in").Lacks("geheim")
	}
	h.API("PATCH", "/webhooks/"+id+"/", `{"title":"Books"}`).Want(200).Lacks("geheim") // the older address may stay
	h.API("PATCH", "/webhooks/"+id+"/", `{"callback":"https://anna:other@shop.example/in"}`).Want(400).
		WantCode("callback=invalid")
	h.API("PATCH", "/webhooks/"+id+"/", `{"callback":"https://shop.example/new"}`).Want(200)
	audit := h.Page(h.A.Owner, "GET", "/audit", nil).Want(200).Contains("Changed the webhook").Lacks("geheim").Body
	entry := regexp.MustCompile(`/audit/[0-9a-f-]{36}`).FindString(audit)
	h.Page(h.A.Owner, "GET", entry, nil).Want(200).Contains("https://••••@shop.example/in").Lacks("geheim")
}
