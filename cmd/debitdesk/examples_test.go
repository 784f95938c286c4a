package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// integrator calls a running server with the bytes that documentation prints.
type integrator struct {
	t     *testing.T
	on    *process
	known map[string]string // what <name> in a printed example stands for
}

// sends one request with nothing but the headers given; body "" has Content-Length 0.
func (i *integrator) sends(method, path, body string, headers ...string) (int, http.Header, string) {
	i.t.Helper()
	for name, value := range i.known {
		path, body = strings.ReplaceAll(path, "<"+name+">", value), strings.ReplaceAll(body, "<"+name+">", value)
	}
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, i.on.url+path, strings.NewReader(body))
	if err != nil {
		i.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	noRedirect := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := noRedirect.Do(req)
	if err != nil {
		i.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		i.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(raw)
}

// gets is an answer with the status wanted, as an object.
func (i *integrator) gets(want int, method, path, body string, headers ...string) map[string]any {
	i.t.Helper()
	headers = append([]string{"Authorization: Bearer " + i.known["token"], "Accept: application/json"}, headers...)
	if body != "" && len(headers) == 2 {
		headers = append(headers, "Content-Type: application/json")
	}
	status, header, text := i.sends(method, path, body, headers...)
	if status != want {
		i.t.Fatalf("%s %s: %d, want %d: %s", method, path, status, want, text)
	}
	out := map[string]any{}
	if want == http.StatusNoContent {
		if text != "" {
			i.t.Errorf("%s %s: a body %q with 204", method, path, text)
		}
		return out
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil || header.Get("Content-Type") != "application/json" {
		i.t.Fatalf("%s %s: %v, %s", method, path, err, header.Get("Content-Type"))
	}
	return out
}

func (i *integrator) is(got map[string]any, want map[string]any) {
	i.t.Helper()
	for key, value := range want {
		if got[key] != value {
			i.t.Errorf("%s is %v, want %v", key, got[key], value)
		}
	}
}

const (
	storeAnAccount = `{"client_id":"<client_id>","brand_id":"<brand_id>","payment_method_whitelist":["eft"],"force_recurring":true,
 "purchase":{"currency":"ZAR","language":"en","products":[{"name":"Membership","price":0}],
  "payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":1,"period_units":"months"}}}}`
	aLaterPurchase = `{"client_id":"<client_id>","brand_id":"<brand_id>","due":<due>,"purchase":{"currency":"ZAR","language":"en","products":[{"name":"December","price":10000}]}}`
	theCharge      = `{"recurring_token":"<token_id>"}`
)

// integrates starts a server with a merchant, whose program has its credential from /oauth/token.
func integrates(t *testing.T) *integrator {
	t.Helper()
	env := sandboxOn(t)
	makeMerchant(t, env, "gym")
	made := typed(t, env, "", "apikey", "create", "--merchant", "gym", "--name", "shop", "--client-credentials")
	var secret struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal([]byte(made.out), &secret); err != nil {
		t.Fatalf("%v %+v", err, made)
	}
	i := &integrator{t: t, on: serving(t, env), known: map[string]string{"brand_id": brandOf(t, env, "gym")}}
	form := "grant_type=client_credentials&client_id=" + secret.ID + "&client_secret=" + secret.Secret
	status, header, text := i.sends("POST", "/oauth/token", form, "Content-Type: application/x-www-form-urlencoded")
	var got struct {
		Token   string `json:"access_token"`
		Type    string `json:"token_type"`
		Expires int    `json:"expires_in"`
		Scope   string `json:"scope"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK || got.Type != "Bearer" ||
		got.Expires < 86399 || got.Expires > 86400 || got.Scope == "" || header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v %d %s", status, header, got.Expires, text)
	}
	i.known["token"] = got.Token
	i.refusals(form)
	return i
}

// refusals have the form of OAuth 2.0.
func (i *integrator) refusals(form string) {
	i.t.Helper()
	for _, c := range []struct {
		body, kind, code string
		status           int
	}{
		{form + "x", "application/x-www-form-urlencoded", "invalid_client", 401},
		{"grant_type=password&client_id=a", "application/x-www-form-urlencoded", "unsupported_grant_type", 400},
		{"", "", "invalid_request", 400},
	} {
		var headers []string
		if c.kind != "" {
			headers = append(headers, "Content-Type: "+c.kind)
		}
		status, _, text := i.sends("POST", "/oauth/token/", c.body, headers...)
		if status != c.status || !strings.Contains(text, `"error":"`+c.code+`"`) {
			i.t.Errorf("%q: %d %s, want %d %s", c.body, status, text, c.status, c.code)
		}
	}
}

func TestTheExamplesOfTheAPIRunAsPrinted(t *testing.T) {
	t.Parallel()
	i := integrates(t)
	client := i.gets(
		201,
		"POST",
		"/api/v1/clients/",
		`{"email":"thandi@example.com","full_name":"Thandi Nkosi","phone":"27821234567","bank_account":"6200000001","bank_code":"470010","country":"South Africa","description":"unknown"}`,
	)
	i.known["client_id"] = client["id"].(string)
	stored := i.gets(201, "POST", "/api/v1/purchases/", storeAnAccount)
	i.is(stored, map[string]any{"status": "preauthorized", "is_recurring_token": true})
	i.known["token_id"] = stored["id"].(string)
	list := i.gets(200, "GET", "/api/v1/clients/<client_id>/recurring_tokens/", "")
	if one, ok := list["results"].([]any)[0].(map[string]any); !ok || list["next"] != nil || list["previous"] != nil ||
		len(one) != 6 ||
		one["id"] != i.known["token_id"] || one["type"] != "client_recurring_token" || one["payment_method"] != "eft" ||
		len(one["description"].(string)) != 36 {
		t.Errorf("tokens: %v", list)
	}
	i.is(i.gets(200, "GET", "/api/v1/clients/<client_id>/recurring_tokens/<token_id>/", ""),
		map[string]any{"id": i.known["token_id"]})
	now := i.gets(200, "GET", "/sandbox/clock", "")["now"].(float64)
	i.known["due"] = strconv.FormatInt(int64(now)+11*24*3600, 10)
	later := i.gets(201, "POST", "/api/v1/purchases/", aLaterPurchase)
	i.known["purchase_id"] = later["id"].(string)
	i.is(i.gets(200, "POST", "/api/v1/purchases/<purchase_id>/charge/", theCharge),
		map[string]any{"status": "pending_charge", "recurring_token": i.known["token_id"]})
	moved := i.gets(200, "POST", "/sandbox/clock", `{"advance":"480h"}`)
	if done, ok := moved["done"].(map[string]any); !ok || done["collections"] != 1.0 {
		t.Errorf("moved: %v", moved)
	}
	// The credential lives a day of real time, however far the sandbox clock has gone on.
	paid := i.gets(200, "GET", "/api/v1/purchases/<purchase_id>/", "")
	i.is(paid, map[string]any{"status": "paid", "refundable_amount": 10000.0})
	i.gets(204, "DELETE", "/api/v1/clients/<client_id>/recurring_tokens/<token_id>/", "")
	i.gets(404, "DELETE", "/api/v1/clients/<client_id>/recurring_tokens/<token_id>/", "")
	i.gets(400, "POST", "/api/v1/purchases/<purchase_id>/charge/", theCharge)
}

// Real clients write addresses, bodies and headers in all these ways.
func TestClientsOfTheFamilyAreUnderstood(t *testing.T) {
	t.Parallel()
	i := integrates(t)
	client := i.gets(201, "POST", "//api/v1//clients/?time=1795417200",
		`{"email":"thandi@example.com","cc":null,"bcc":null,"country":"","brand_id":"x"}`)
	i.known["client_id"] = client["id"].(string)
	purchase := func(path string) string {
		return i.gets(201, "POST", path,
			`{"client_id":"<client_id>","brand_id":"<brand_id>","purchase":{"products":[{"name":"m","price":100,"quantity":"2"}],"total":5},"unknown":{"a":[]}}`)["id"].(string)
	}
	for _, path := range []string{"/api/v1/purchases/", "/api/v1/purchases", "//api/v1//purchases/",
		"/api//v1///purchases//?time=1&x=%20", "/api/v1/purchases?"} {
		i.known["purchase_id"] = purchase(path)
		// POST without a body: Content-Length 0 and no Content-Type.
		i.is(i.gets(200, "POST", "//api/v1//purchases/<purchase_id>/cancel/?time=17", ""),
			map[string]any{"status": "cancelled"})
	}
	for _, path := range []string{"/api/v1/purchases/<purchase_id>/", "/api/v1/purchases/<purchase_id>",
		"//api/v1/purchases//<purchase_id>/"} {
		i.is(i.gets(200, "GET", path, ""), map[string]any{"id": i.known["purchase_id"]})
	}
	const form = "Content-Type: application/x-www-form-urlencoded"
	i.is(i.gets(200, "PATCH", "/api/v1/clients/<client_id>/", "full_name=Thandi+Nkosi&active=false&city=Durban%20North",
		form), map[string]any{"full_name": "Thandi Nkosi", "city": "Durban North", "email": "thandi@example.com"})
	i.is(i.gets(200, "PATCH", "/api/v1/clients/<client_id>", `{"state":"KZN"}`,
		"Content-Type: application/json; charset=UTF-8"), map[string]any{"state": "KZN", "city": "Durban North"})
	i.known["purchase_id"] = purchase("/api/v1/purchases/")
	i.is(i.gets(200, "POST", "/api/v1/purchases/<purchase_id>/mark_as_paid/", "", "Content-Length: 0"),
		map[string]any{"status": "paid", "marked_as_paid": true})
	i.is(i.gets(200, "POST", "/api/v1/purchases/<purchase_id>/refund/", "amount=50", form),
		map[string]any{"type": "payment", "status": "success"})
	i.known["purchase_id"] = purchase("/api/v1/purchases/")
	i.is(i.gets(200, "POST", "/api/v1/purchases/<purchase_id>/resend_invoice/", ""), map[string]any{"type": "purchase"})
	for _, root := range []string{"/purchases/<purchase_id>/delete_recurring_token/",
		"//purchases/<purchase_id>/delete_recurring_token", "/api/v1/purchases/<purchase_id>/delete_recurring_token/"} {
		if got := fmt.Sprint(i.gets(400, "POST", root, "")); !strings.Contains(got, "invalid_recurring_token") {
			t.Errorf("%s: %s", root, got)
		}
	}
}
