package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

const (
	sendInvoicesExample = `{"brand_id":"<brand_id>","title":"","is_subscription":false,"due":<due>,"send_receipt":true,
 "purchase":{"currency":"ZAR","language":"en","products":[{"name":"Course fee","price":25000}]},
 "clients":[{"client_id":"<client_id_1>"},{"client_id":"<client_id_2>"}]}`
	subscriptionExample = `{"brand_id":"<brand_id>","title":"Gym membership","is_subscription":true,"subscription_period":1,"subscription_period_units":"months",
 "purchase":{"currency":"ZAR","products":[{"name":"Membership","price":45000}]}}`
)

func TestTheExamplesOfBillingRunAsPrinted(t *testing.T) {
	t.Parallel()
	i := integrates(t)
	for _, n := range []string{"1", "2"} {
		made := i.gets(201, "POST", "/api/v1/clients/",
			`{"email":"payer`+n+`@example.com","full_name":"Payer","bank_account":"620000000`+n+`","bank_code":"470010"}`)
		i.known["client_id_"+n] = made["id"].(string)
	}
	now := i.gets(200, "GET", "/sandbox/clock", "")["now"].(float64)
	i.known["due"] = strconv.FormatInt(int64(now)+11*24*3600, 10)
	bearer := "Authorization: Bearer " + i.known["token"]
	status, _, text := i.sends("POST", "/billing/", sendInvoicesExample, bearer, "Content-Type: application/json")
	var ids []string
	if err := json.Unmarshal([]byte(text), &ids); status != 200 || err != nil || len(ids) != 2 {
		t.Fatalf("%d %s", status, text)
	}
	for n, id := range ids {
		i.is(i.gets(200, "GET", "/api/v1/purchases/"+id+"/", ""),
			map[string]any{"client_id": i.known["client_id_"+strconv.Itoa(n+1)], "product": "billing_invoices",
				"billing_template_id": nil})
	}
	plan := i.gets(201, "POST", "/billing_templates/", subscriptionExample)
	i.is(plan, map[string]any{"type": "billing_template", "subscription_active": true, "subscription_paused": false,
		"brand": plan["brand_id"], "subscription_has_active_clients": false})
	i.known["plan"] = plan["id"].(string)
	added := i.gets(200, "POST", "/api/v1/billing_templates/<plan>/add_subscriber/",
		`{"client_id":"<client_id_1>","brand_id":"<brand_id>"}`)
	one, _ := added["billing_template_client"].(map[string]any)
	first, _ := added["purchase"].(map[string]any)
	if one == nil || first == nil || !strings.Contains(first["checkout_url"].(string), "/p/") {
		t.Fatalf("added: %v", added)
	}
	i.is(one, map[string]any{"status": "pending", "send_receipt": true, "send_invoice_on_add_subscriber": true,
		"send_invoice_on_charge_failure": true})
	i.known["one"] = one["id"].(string)
	const form = "Content-Type: application/x-www-form-urlencoded"
	for _, path := range []string{"/billing_templates/clients/<one>/", "/api/v1/billing_templates/<plan>/clients/<one>"} {
		i.is(i.gets(200, "PATCH", path, "send_receipt=false", form), map[string]any{"send_receipt": false})
	}
	i.gets(400, "POST", "/billing_templates/<plan>/send_invoice/", `{"client_id":"<client_id_1>"}`)
	if list := i.gets(200, "GET", "/api/v1/billing_templates/?is_subscription=true&brand_id=<brand_id>",
		"")["results"].([]any); len(list) != 1 {
		t.Errorf("templates: %v", list)
	}
	i.gets(204, "DELETE", "/billing_templates/<plan>/", "")
}

func TestTheExamplesOfWebhooksRunAsPrinted(t *testing.T) {
	t.Parallel()
	i := integrates(t)
	hook := i.gets(
		201,
		"POST",
		"/api/v1/webhooks/",
		`{"title":"Books","callback":"http://127.0.0.1:9/x","all_events":false,"events":["purchase.paid","purchase.payment_failure"]}`,
	)
	i.is(hook, map[string]any{"type": "webhook", "all_events": false})
	i.known["hook"] = hook["id"].(string)
	all := i.gets(200, "PATCH", "/api/v1/webhooks/<hook>/", `{"all_events":true}`)
	if events, ok := all["events"].([]any); !ok || len(events) != 0 || all["public_key"] != hook["public_key"] {
		t.Errorf("all events: %v", all)
	}
	status, _, text := i.sends("GET", "/api/v1/public_key/", "", "Authorization: Bearer "+i.known["token"])
	var key string
	if err := json.Unmarshal([]byte(text), &key); status != 200 || err != nil ||
		!strings.HasPrefix(key, "-----BEGIN PUBLIC KEY-----\n") || key == hook["public_key"] {
		t.Errorf("public key: %d %s", status, text)
	}
	i.gets(200, "GET", "/api/v1/webhooks/deliveries/", "")
	i.gets(204, "DELETE", "/api/v1/webhooks/<hook>/", "")
	i.gets(404, "GET", "/api/v1/webhooks/<hook>/", "")
}
