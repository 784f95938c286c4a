package tests

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// kinds are the types that a program with typed records declares for the fields that it
// reads: a value of another type, or none, ends the program. A "?" may be null.
var kinds = map[string]string{
	"id": "text", "type": "text", "created_on": "int", "updated_on": "int", "status": "text", "status_history": "list",
	"viewed_on":  "int?",
	"company_id": "text", "brand_id": "text", "is_test": "bool", "user_id": "text?", "billing_template_id": "text?",
	"client_id":    "text?",
	"send_receipt": "bool", "is_recurring_token": "bool", "recurring_token": "text?", "skip_capture": "bool",
	"force_recurring":     "bool",
	"reference_generated": "text", "reference": "text", "issued": "text", "due": "int", "refund_availability": "text",
	"refundable_amount":        "int",
	"payment_method_whitelist": "list?", "success_redirect": "text", "failure_redirect": "text", "cancel_redirect": "text",
	"success_callback": "text", "creator_agent": "text", "platform": "text", "product": "text",
	"created_from_ip": "text", "invoice_url": "text?",
	"checkout_url": "text", "direct_post_url": "text?", "marked_as_paid": "bool", "order_id": "text?",
	"currency_conversion": "object?",
	"client.email":        "text", "client.phone": "text", "client.bank_account": "text", "client.cc": "list",
	"client.bcc": "list", "client.country": "text",
	"purchase.currency": "text", "purchase.total": "int", "purchase.language": "text", "purchase.notes": "text",
	"purchase.debt":              "int",
	"purchase.subtotal_override": "int?", "purchase.total_override": "int?", "purchase.request_client_details": "list",
	"purchase.timezone":   "text",
	"purchase.due_strict": "bool", "purchase.email_message": "text", "purchase.metadata": "object",
	"purchase.products.0.name":  "text",
	"purchase.products.0.price": "int", "purchase.products.0.quantity": "text", "purchase.products.0.discount": "int",
	"purchase.products.0.tax_percent": "text", "purchase.products.0.category": "text", "issuer_details.legal_name": "text",
	"issuer_details.bank_accounts": "list", "transaction_data.payment_method": "text", "transaction_data.extra": "object",
	"transaction_data.country": "text", "transaction_data.attempts": "list", "payment": "object?",
}

// moneyKinds are those of a payment.
var moneyKinds = map[string]string{"is_outgoing": "bool", "payment_type": "text", "amount": "int",
	"currency": "text", "net_amount": "int", "fee_amount": "int",
	"pending_amount": "int", "pending_unfreeze_on": "int?", "description": "text", "paid_on": "int?",
	"remote_paid_on": "int?"}

func typed(t *testing.T, body map[string]any, kinds map[string]string) {
	t.Helper()
	for path, kind := range kinds {
		value := at(body, path)
		if value == nil && strings.HasSuffix(kind, "?") {
			continue
		}
		is := "nothing"
		switch v := value.(type) {
		case string:
			is = "text"
		case bool:
			is = "bool"
		case float64:
			if is = "number"; v == math.Trunc(v) {
				is = "int"
			}
		case []any:
			is = "list"
		case map[string]any:
			is = "object"
		}
		if is != strings.TrimSuffix(kind, "?") {
			t.Errorf("%s is %s: %v, want %s", path, is, value, kind)
		}
	}
}

// part is an object deep in an answer.
func part(t *testing.T, body map[string]any, path string) map[string]any {
	t.Helper()
	inner, ok := at(body, path).(map[string]any)
	if !ok {
		t.Fatalf("%s is no object: %v", path, at(body, path))
	}
	return inner
}

// aFrameworkPackage sends a body with each request, a reading and a deletion too, and
// builds records with types out of each answer.
func aFrameworkPackage(t *testing.T, h *handlertest.Server) {
	f, hook := foreign{h, t, []string{"Content-Type: application/json", "Accept: application/json",
		"User-Agent: Framework Package"}}, listen(t)
	brand := h.A.BrandID.String()
	client := f.ask("POST", "/clients/", `{"email":"nomsa@shop.example","full_name":"Nomsa Zulu",
		"phone":"+27 84 123 4567"}`).Want(201)
	person := client.Text("id")
	typed(t, client.JSON(), map[string]string{"type": "text", "created_on": "int", "updated_on": "int",
		"bank_account": "text", "cc": "list", "bcc": "list", "legal_name": "text"})
	found := f.ask("GET", "/clients/?q=nomsa%40shop.example", emptyPHP).Want(200).JSON()
	holds(t, found, map[string]any{"results.0.id": person, "next": nil})
	f.ask("PATCH", "/clients/"+person+"/", `{"city":"Soweto"}`).Want(200).Contains(`"city":"Soweto"`)
	f.ask("PUT", "/clients/"+person+"/", `{"email":"nomsa@shop.example","full_name":"Nomsa Zulu",
		"bank_account":"6200000001","bank_code":"470010"}`).Want(200)
	holds(t, f.ask("GET", "/clients/"+person+"/", emptyPHP).Want(200).JSON(), map[string]any{"id": person, "city": ""})

	watch := f.ask("POST", "/webhooks/", fmt.Sprintf(`{"title":"Framework","callback":%q,"events":["purchase.paid",
		"purchase.cancelled","payment.refunded"],"all_events":false}`, hook.URL)).Want(201)
	typed(t, watch.JSON(), map[string]string{"id": "text", "type": "text", "created_on": "int", "title": "text",
		"all_events": "bool", "public_key": "text", "events": "list", "callback": "text"})
	pem := f.ask("GET", "/webhooks/"+watch.Text("id")+"/", emptyPHP).Want(200).Text("public_key")
	f.ask("GET", "/webhooks/", emptyPHP).Want(200).Contains(watch.Text("id"))

	sell := func(beside string) handlertest.Answer {
		got := f.ask("POST", "/purchases/", fmt.Sprintf(`{"purchase":{"currency":"ZAR","products":[{"name":"Course",
			"price":10000,"quantity":"2","discount":500,"tax_percent":0,"category":"courses"}],"notes":"Thank you"},
			"brand_id":%q,"reference":"cart_9f","send_receipt":true,"creator_agent":"Framework Package",
			"platform":"api","success_redirect":"https://shop.example/ok",
			"due_strict":false%s}`, brand, beside)).Want(201)
		typed(t, got.JSON(), kinds)
		return got
	}
	bought := sell(`,"client":{"email":"nomsa@shop.example","full_name":"Nomsa Zulu"}`)
	id := bought.Text("id")
	holds(t, bought.JSON(), map[string]any{"purchase.total": 19500.0, "refund_availability": "none", "payment": nil})
	paid := f.ask("POST", "/purchases/"+id+"/mark_as_paid/", fmt.Sprintf(`{"paid_on":%d}`,
		h.Store.Now().Unix())).Want(200).JSON()
	typed(t, paid, kinds)
	typed(t, part(t, paid, "payment"), moneyKinds)
	run(t, h)
	told := f.hears(hook, pem, id, "purchase.paid")
	typed(t, told, kinds)
	holds(t, told, map[string]any{"status": "paid", "reference": "cart_9f", "type": "purchase"})
	back := f.ask("POST", "/purchases/"+id+"/refund/", emptyPHP).Want(200).JSON()
	holds(t, back, map[string]any{"type": "payment", "payment.payment_type": "refund", "payment.is_outgoing": true,
		"payment.amount": 19500.0, "related_to.id": id})
	typed(t, back, map[string]string{"id": "text", "created_on": "int", "status": "text", "client.cc": "list",
		"transaction_data.attempts": "list", "company_id": "text",
		"reference_generated": "text", "is_test": "bool", "brand_id": "text", "user_id": "text?"})
	run(t, h)
	holds(t, f.hears(hook, pem, id, "payment.refunded"), map[string]any{"type": "payment", "related_to.type": "purchase"})

	open := sell(`,"client":{"email":"nomsa@shop.example"}`).Text("id")
	f.ask("POST", "/purchases/"+open+"/resend_invoice/", emptyPHP).Want(200)
	holds(t, f.ask("POST", "/purchases/"+open+"/cancel/", emptyPHP).Want(200).JSON(),
		map[string]any{"status": "cancelled"})
	for path, code := range map[string]string{"cancel": "purchase_cancel_wrong_status",
		"release": "purchase_release_wrong_status", "capture": "purchase_capture_wrong_status"} {
		if got := first(t, f.ask("POST", "/purchases/"+open+"/"+path+"/", emptyPHP).Want(400), "__all__"); got != code {
			t.Errorf("%s: %s", path, got)
		}
	}
	first(t, f.ask("GET", "/purchases/not-there/", emptyPHP).Want(404), "__all__")

	token := f.ask("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"currency":"ZAR",
		"products":[{"name":"Plan","price":0}],"payment_method_details":{"direct_debit":{"deduction_day":1}}},
		"force_recurring":true,"payment_method_whitelist":["eft"]}`, person, brand)).Want(201).Text("id")
	due := sell(fmt.Sprintf(`,"client_id":%q,"due":%d`, person, h.Store.Now().Add(10*24*time.Hour).Unix())).Text("id")
	charged := f.ask("POST", "/purchases/"+due+"/charge/", `{"recurring_token":"`+token+`"}`).Want(200).JSON()
	typed(t, charged, kinds)
	holds(t, charged, map[string]any{"status": "pending_charge", "recurring_token": token})
	holds(t, f.settles(due), map[string]any{"status": "paid", "refund_availability": "all"})
	tokens := f.ask("GET", "/clients/"+person+"/recurring_tokens/", emptyPHP).Want(200).JSON()
	holds(t, tokens, map[string]any{"results.0.id": token, "results.0.type": "client_recurring_token"})
	f.ask("GET", "/clients/"+person+"/recurring_tokens/"+token+"/", emptyPHP).Want(200)
	if gone := f.ask("DELETE", "/clients/"+person+"/recurring_tokens/"+token+"/", emptyPHP).Want(204); gone.Body != "" {
		t.Error(gone.Body)
	}
	f.ask("DELETE", "/webhooks/"+watch.Text("id")+"/", emptyPHP).Want(204)
	f.ask("GET", "/company_statements/", emptyPHP).Want(200).Contains(`"results":`)
	f.ask("DELETE", "/clients/"+person+"/", emptyPHP).Want(204)
}

// aTypeScriptClient believes no callback: it takes the id out of it and asks again. It
// writes addresses without the last slash too.
func aTypeScriptClient(t *testing.T, h *handlertest.Server) {
	f, hook := foreign{h, t, []string{"Accept: */*", "Accept-Language: *", "Sec-Fetch-Mode: cors", "User-Agent: node"}},
		listen(t)
	f.companyKey("/public_key/")
	back := hook.URL + "/return?token=5b0c&status=success"
	sell := func(client string) handlertest.Answer {
		return f.ask("POST", "/purchases/", fmt.Sprintf(`{"client":%s,"purchase":{"currency":"ZAR",
			"products":[{"name":"Order 12","price":4999,"quantity":"1"}],"metadata":{"order":"12","lines":[1,2]}},
			"brand_id":%q,"reference":"order-12","success_redirect":%q,"failure_redirect":%q,"cancel_redirect":%q,
			"success_callback":%q,"metadata":{"order":"12"}}`, client, h.A.BrandID, back, back, back, back))
	}
	sell(`{}`).Want(400).WantCode("client.email=required")
	sell(`{"bank_account":"62001230101","bank_code":"250655"}`).Want(400).WantCode("client.email=required")
	made := sell(`{"email":"pieter@shop.example"}`).Want(201)
	id := made.Text("id")
	typed(t, made.JSON(), kinds)
	holds(t, made.JSON(), map[string]any{"purchase.metadata": map[string]any{"order": "12", "lines": []any{1.0, 2.0}}})
	f.pays(made, goodAccount)
	f.settles(id)
	told := f.hears(hook, f.companyKey("/public_key/"), id, "purchase.paid")
	holds(t, told, map[string]any{"id": id, "related_to": nil, "reference": "order-12"})
	read := f.ask("GET", "/purchases/"+id, nothing).Want(200)
	holds(t, read.JSON(), map[string]any{"status": "paid", "reference": "order-12", "payment.amount": 4999.0})
	typed(t, read.JSON(), kinds)
	typed(t, part(t, read.JSON(), "payment"), moneyKinds)
	if on, _ := at(read.JSON(), "payment.paid_on").(float64); on <= 0 || int64(on) > h.Store.Now().Unix() {
		t.Errorf("paid on %v", on)
	}
	typed(t, part(t, read.JSON(), "status_history.0"), map[string]string{"status": "text", "timestamp": "int"})
	typed(t, part(t, read.JSON(), "transaction_data.attempts.0"), map[string]string{"type": "text",
		"successful": "bool", "payment_method": "text",
		"extra": "object", "country": "text", "client_ip": "text", "processing_time": "int", "error": "object?"})
	back2 := f.ask("POST", "/purchases/"+id+"/refund", `{}`).Want(200).JSON()
	holds(t, back2, map[string]any{"related_to.type": "purchase", "related_to.id": id, "payment.amount": 4999.0})
	holds(t, f.ask("GET", "/purchases/"+id, nothing).Want(200).JSON(), map[string]any{"status": "pending_refund"})

	watch := f.ask("POST", "/webhooks/", fmt.Sprintf(`{"title":"Site","callback":%q,
		"events":["purchase.payment_failure"]}`, hook.URL)).Want(201)
	poor := sell(`{"email":"pieter@shop.example"}`).Want(201)
	f.pays(poor, poorAccount)
	f.settles(poor.Text("id"))
	holds(t, f.hears(hook, watch.Text("public_key"), poor.Text("id"), "purchase.payment_failure"),
		map[string]any{"status": "error", "payment": nil})
	failed := f.ask("GET", "/purchases/"+poor.Text("id")+"/", nothing).Want(200).JSON()
	typed(t, failed, kinds)
	holds(t, failed, map[string]any{"status": "error", "payment": nil, "transaction_data.attempts.0.successful": false})
	typed(t, part(t, failed, "transaction_data.attempts.0.error"), map[string]string{"code": "text", "message": "text"})
}

// What a client of the family sends and we do not know is no reason to refuse it, and
// it changes nothing.
func TestTheUnexpectedIsTolerated(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	plain := h.API("POST", "/purchases/", order(h, payer(t, h), "", "")).Want(201).JSON()
	client := plain["client_id"].(string) //nolint:forcetypeassert // it was given
	for name, c := range map[string]struct{ path, beside, inside string }{
		"the token of a later charge": {"/purchases/", `,"recurring_token":"` + client + `"`, ""},
		"fields of the inner object outside": {"/purchases/", `,"due_strict":true,"currency":"MYR",
			"metadata":{"a":1},"timezone":"?"`, ""},
		"names of another style": {"/purchases/", `,"brandId":"x","successCallback":"y","clientId":1`, ""},
		"a total and a client's remark": {"/purchases/", `,"title":"t","redirect_url":"x","amount":5`, `,"total":5,
			"reference":"x"`},
		"what an answer has": {"/purchases/", `,"id":"x","type":"y","status":"paid","payment":{},
			"issuer_details":{},"transaction_data":[],"refundable_amount":"?"`, `,"shipping_options":["x"],
			"has_upsell_products":true`},
		"parameters of an address":    {"/purchases/?time=1795330000&force_recurring=true&currency=MYR", "", ""},
		"a doubled slash":             {"//purchases/", "", ""},
		"no last slash":               {"/purchases", "", ""},
		"a currency in small letters": {"/purchases/", "", `,"currency":"zar","language":"EN"`},
	} {
		got := h.API("POST", c.path, order(h, client, c.beside, c.inside))
		if got.Status != 201 {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
			continue
		}
		made := got.JSON()
		for key, value := range plain {
			switch key {
			case "id", "created_on", "updated_on", "due", "status_history", "reference_generated", "checkout_url", "invoice_url":
				continue // of each its own
			}
			if a, b := written(value), written(made[key]); a != b {
				t.Errorf("%s: %s is %s, want %s", name, key, b, a)
			}
		}
	}
}

func written(value any) string { raw, _ := json.Marshal(value); return string(raw) } // what came as JSON
