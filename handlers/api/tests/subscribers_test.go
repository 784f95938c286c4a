package tests

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/credential"
)

func TestASubscriberIsAddedReadAndChanged(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	runs := id(template(t, h, "true", ""))
	btc, first := subscriber(t, h, runs, client, `,"brand_id":"`+h.A.BrandID.String()+
		`","subscription_debtor_account_number":"6200000001","subscription_debtor_id_number":"8501015000085","subscription_tracking_period":3`)
	holds(t, btc, map[string]any{"type": "billing_template_client", "client_id": client, "status": "pending",
		"send_invoice_on_charge_failure": true, "send_invoice_on_add_subscriber": true,
		"send_receipt": true, "subscription_confirm_each_order": false, "number_of_billing_cycles_passed": 0.0,
		"subscription_debtor_account_number": "•••• 0001", "subscription_debtor_id_number": "850101•••••85",
		"subscription_tracking_period": 3.0, "invoice_override": nil, "payment_method_whitelist": nil})
	if first == nil || first["billing_template_id"] != runs || first["checkout_url"] == nil {
		t.Fatalf("the purchase whose page stores the account: %v", first)
	}
	at := []string{"/billing_templates/" + runs + "/clients/" + id(btc), "/billing_templates/clients/" + id(btc)}
	for _, path := range []string{at[0], at[0] + "/", at[1], at[1] + "/"} {
		for _, prefix := range []string{"", "/api/v1"} {
			if got := h.Call("GET", prefix+path, nil, "Authorization: Bearer "+h.A.Token).Want(200).JSON(); !reflect.DeepEqual(
				got, btc) {
				t.Errorf("%s: %v", path, got)
			}
		}
		h.API("DELETE", path, nil).Want(405).WantCode("__all__=method_not_allowed")
		h.API("PUT", path, `{}`).Want(405)
	}
	form := h.API("PATCH", at[0]+"/", url.Values{"send_invoice_on_charge_failure": {"false"}, "send_receipt": {"false"},
		"invoice_reference": {"MEM-1"}, "payment_method_whitelist": {"eft"},
		"client_id": {uuid.NewString()}, "subscription_billing_scheduled_on": {"2031-01-01"},
		"subscription_debtor_account_number": {"•••• 0001"}}).Want(200).JSON()
	holds(t, form, map[string]any{"send_invoice_on_charge_failure": false, "send_receipt": false,
		"invoice_reference": "MEM-1", "payment_method_whitelist.0": "eft", "client_id": client,
		"subscription_billing_scheduled_on":  btc["subscription_billing_scheduled_on"],
		"subscription_debtor_account_number": "•••• 0001", "send_invoice_on_add_subscriber": true,
		"subscription_tracking_period": 3.0})
	h.API("PATCH", at[1], `{"invoice_override":{"total_override":5000},"subscription_tracking_period":null}`).Want(
		200).Contains(`"total_override":5000`, `"subscription_tracking_period":null`, `"invoice_reference":"MEM-1"`)
	h.API("PATCH", at[1], `{"status":"pending"}`).Want(200)
	h.API("PATCH", at[1], `{"status":"active","send_receipt":"x"}`).Want(400).WantCode("status=invalid",
		"send_receipt=invalid").Contains("pending")
	h.API("PATCH", at[1], `{"status":"gone"}`).Want(400).WantCode("status=invalid_choice")
	h.API("PATCH", at[1], `{"payment_method_whitelist":[]}`).Want(400).WantCode("payment_method_whitelist=min_length")
	h.API("PATCH", at[1],
		`{"payment_method_whitelist":["visa"],"invoice_override":{"products":[{"name":"a","price":1,"discount":5}]}}`).Want(
		400).
		WantCode("payment_method_whitelist=invalid_payment_method_whitelist")
	if n := h.Count(
		`SELECT count(*) FROM template_clients t, audit_entries a WHERE concat(t, a) LIKE '%6200000001%'
			OR concat(t, a) LIKE '%8501015000085%'`,
	); n != 0 {
		t.Error("numbers stand in clear")
	}
	other := id(template(t, h, "true", ""))
	h.API("GET", "/billing_templates/"+other+"/clients/"+id(btc), nil).Want(404)
	h.API("PATCH", "/billing_templates/"+other+"/clients/"+id(btc), `{}`).Want(404)
	h.API("POST", "/billing_templates/"+runs+"/add_subscriber/", `{"client_id":"`+uuid.NewString()+
		`","subscription_billing_scheduled_on":"2020-01-01"}`).Want(400).WantCode("client_id=does_not_exist",
		"subscription_billing_scheduled_on=min_value")
}

func TestASubscriberWithAStoredAccountIsPausedAndGoesOn(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201)
	runs := id(template(t, h, "true", ""))
	btc, _ := subscriber(t, h, runs, client, "")
	holds(t, btc, map[string]any{"status": "active"})
	holds(t, h.API("GET", "/billing_templates/"+runs, nil).Want(200).JSON(),
		map[string]any{"subscription_has_active_clients": true})
	at := "/billing_templates/" + runs + "/clients/" + id(btc)
	holds(t, h.API("PATCH", at, url.Values{"status": {"subscription_paused"}}).Want(200).JSON(),
		map[string]any{"status": "subscription_paused",
			"subscription_billing_scheduled_on": btc["subscription_billing_scheduled_on"]})
	h.API("PATCH", at, `{"status":"subscription_paused"}`).Want(200)
	h.API("PATCH", at, `{"status":"inactive"}`).Want(400).WantCode("status=invalid")
	holds(t, h.API("PATCH", at, `{"status":"active"}`).Want(200).JSON(), map[string]any{"status": "active"})
	locked := h.API("PUT", "/billing_templates/"+runs,
		templateBody(
			h,
			"true",
			`,"subscription_period":5,"subscription_period_units":"nonsense","subscription_active":false,"success_redirect":"https://a.example/new"`,
		)).Want(200).JSON()
	holds(t, locked, map[string]any{"subscription_period": 1.0, "subscription_period_units": "months",
		"subscription_paused": true, "success_redirect": "https://a.example/new"})
	h.API("DELETE", "/billing_templates/"+runs, nil).Want(204)
	if n := h.Count(`SELECT count(*) FROM template_clients WHERE status = 'inactive'`); n != 1 {
		t.Error("the subscriber of a deleted template is over")
	}
}

func TestAddingASubscriberTwiceWithOneKeyAddsOne(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	runs, once := id(template(t, h, "true", "")), id(template(t, h, "false", ""))
	for _, c := range []struct{ path, body, count string }{
		{"/billing_templates/" + runs + "/add_subscriber/", fmt.Sprintf(`{"client_id":%q}`, client),
			`SELECT count(*) FROM template_clients`},
		{"/billing_templates/" + once + "/send_invoice/", fmt.Sprintf(`{"client_id":%q}`, client),
			`SELECT count(*) FROM purchases WHERE product = 'billing_invoices'`},
		{"/billing_templates/", strings.Replace(templateBody(h, "true", ""), "Gym", "Twice", 1),
			`SELECT count(*) FROM billing_templates WHERE title = 'Twice'`},
	} {
		answers := atOnce(times(8, func() handlertest.Answer {
			return h.API("POST", c.path, c.body,
				"Idempotency-Key: one "+c.path)
		})...)
		for _, a := range answers {
			if a.Status/100 != 2 || a.Body != answers[0].Body {
				t.Errorf("%s: %d %s", c.path, a.Status, a.Body)
			}
		}
		if n := h.Count(c.count); n != 1 {
			t.Errorf("%s acted %d times", c.path, n)
		}
		if again := h.API("POST", c.path, c.body, "Idempotency-Key: one "+c.path); again.Body != answers[0].Body ||
			again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s again: %s", c.path, again.Body)
		}
		h.API("POST", c.path, `{}`, "Idempotency-Key: one "+c.path).Want(400).WantCode("__all__=idempotency_key_reuse")
	}
	subscriber(t, h, runs, client, "")
	if n := h.Count(`SELECT count(*) FROM template_clients`); n != 2 {
		t.Errorf("the same client may be added several times: %d", n)
	}
}

func TestChangesOfOneSubscriberAtOnceAllHold(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201)
	runs := id(template(t, h, "true", ""))
	btc, _ := subscriber(t, h, runs, client, "")
	at := "/billing_templates/clients/" + id(btc) + "/"
	answers := atOnce(
		func() handlertest.Answer { return h.API("PATCH", at, `{"status":"subscription_paused"}`) },
		func() handlertest.Answer { return h.API("PATCH", at, `{"send_receipt":false}`) },
		func() handlertest.Answer { return h.API("PATCH", at, `{"invoice_reference":"R-1"}`) },
		func() handlertest.Answer { return h.API("PATCH", at, `{"subscription_tracking_period":4}`) },
	)
	for _, a := range answers {
		a.Want(200)
	}
	holds(t, h.API("GET", at, nil).Want(200).JSON(), map[string]any{"status": "subscription_paused", "send_receipt": false,
		"invoice_reference": "R-1", "subscription_tracking_period": 4.0})
	paused := atOnce(times(6, func() handlertest.Answer { return h.API("PATCH", at, `{"status":"active"}`) })...)
	if won(paused, 200) != 6 {
		t.Errorf("%v", paused)
	}
}

func TestSubscribersAreListedInPages(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	runs, other := id(template(t, h, "true", "")), id(template(t, h, "true", ""))
	want := []any{}
	for range 5 {
		btc, _ := subscriber(t, h, runs, client, "")
		want = append([]any{btc["id"]}, want...)
	}
	subscriber(t, h, other, client, "")
	got, next := []any{}, "/api/v1/billing_templates/"+runs+"/clients/?limit=2"
	for next != "" {
		page := h.Call("GET", strings.TrimPrefix(next, handlertest.BaseURL), nil, "Authorization: Bearer "+
			h.A.Token).Want(200).JSON()
		for _, r := range page["results"].([]any) {
			got = append(got, r.(map[string]any)["id"])
		}
		next, _ = page["next"].(string)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want newest first %v", got, want)
	}
	h.API("GET", "/billing_templates/"+runs+"/clients/?limit=x", nil).Want(400).WantCode("limit=invalid")
}

func TestAnotherMerchantsTemplatesAreNotThere(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	runs := id(template(t, h, "true", ""))
	btc, _ := subscriber(t, h, runs, client, "")
	theirs := h.APIAs(h.B, "POST", "/billing_templates/",
		strings.Replace(templateBody(h, "true", ""), h.A.BrandID.String(), h.B.BrandID.String(), 1)).Want(201).Text("id")
	for _, c := range [][2]string{{"GET", ""}, {"PUT", ""}, {"DELETE", ""}, {"POST", "/send_invoice/"},
		{"POST", "/add_subscriber/"}, {"GET", "/clients/"}, {"GET", "/clients/" + id(btc)},
		{"PATCH", "/clients/" + id(btc)}} {
		h.APIAs(h.B, c[0], "/billing_templates/"+runs+c[1], templateBody(h, "true", "")).Want(404).WantCode(
			"__all__=not_found")
	}
	h.APIAs(h.B, "GET", "/billing_templates/clients/"+id(btc), nil).Want(404)
	h.APIAs(h.B, "PATCH", "/billing_templates/clients/"+id(btc), `{"send_receipt":false}`).Want(404)
	h.APIAs(h.B, "PATCH", "/billing_templates/"+theirs+"/clients/"+id(btc), `{"send_receipt":false}`).Want(404)
	h.APIAs(h.B, "POST", "/billing_templates/"+theirs+"/add_subscriber/", fmt.Sprintf(`{"client_id":%q}`, client)).Want(
		400).WantCode("client_id=does_not_exist")
	if list := h.APIAs(h.B, "GET", "/billing_templates/", nil).Want(200).JSON()["results"].([]any); len(list) != 1 {
		t.Errorf("%d templates", len(list))
	}
	for _, path := range []string{"/billing_templates/clients", "/billing_templates/nonsense",
		"/billing_templates/" + runs + "/clients/nonsense", "/billing_templates/clients/nonsense"} {
		h.API("GET", path, nil).Want(404).WantCode("__all__=not_found")
	}
	same, err := json.Marshal(h.API("GET", "/billing_templates/clients/"+id(btc), nil).Want(200).JSON())
	if now, _ := json.Marshal(btc); err != nil || string(same) != string(now) {
		t.Errorf("it was changed: %s", same)
	}
}

func TestTheFirstDateIsTakenOnAddingAndNeverAgain(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client, known := payer(t, h), payer(t, h)
	h.API("POST", "/purchases/", tokenising(h, known, 0)).Want(201)
	runs := id(template(t, h, "true", ""))
	day := h.Store.Now().AddDate(0, 0, 40).Format("2006-01-02")
	for status, who := range map[string]string{"pending": client, "active": known} {
		btc, _ := subscriber(t, h, runs, who, `,"subscription_billing_scheduled_on":"`+day+`"`)
		holds(t, btc, map[string]any{"status": status, "subscription_billing_scheduled_on": day})
		holds(t, h.API("PATCH", "/billing_templates/clients/"+id(btc),
			`{"subscription_billing_scheduled_on":"2031-05-05","client_id":"`+client+`"}`).Want(200).JSON(),
			map[string]any{"subscription_billing_scheduled_on": day, "client_id": who})
	}
}

func TestACredentialForBillingAloneMayWriteWhatItCannotRead(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201)
	made, err := h.Deps.OAuth.Issue(t.Context(), h.A.Actor,
		credential.Input{Name: "billing", Lifetime: time.Hour, Scopes: []actor.Scope{actor.ScopeBilling}})
	must(t, err)
	call := func(method, path, body string) handlertest.Answer {
		return h.Call(method, "/billing_templates"+path, body, "Authorization: Bearer "+made.Token)
	}
	runs := call("POST", "/", templateBody(h, "true", "")).Want(201).Text("id")
	added := call("POST", "/"+runs+"/add_subscriber/", fmt.Sprintf(`{"client_id":%q}`, client)).Want(200).JSON()
	btc := id(added["billing_template_client"].(map[string]any))
	call("PATCH", "/clients/"+btc, `{"status":"subscription_paused"}`).Want(200).Contains(`"status":"subscription_paused"`)
	call("PATCH", "/clients/"+btc, `{"status":"pending"}`).Want(400).WantCode("status=invalid")
	call("PUT", "/"+runs, templateBody(h, "true", `,"subscription_period":"locked"`)).Want(200).Contains(
		`"subscription_period":1`)
	call("PATCH", "/clients/"+uuid.NewString(), `{"send_receipt":"x"}`).Want(404)
	call("GET", "/"+runs, "").Want(403).WantCode("__all__=permission_denied")
	call("GET", "/", "").Want(403)
	call("DELETE", "/"+runs, "").Want(204)
	h.Call("PATCH", "/billing_templates/clients/"+btc, nil).Want(401).WantCode("__all__=authentication_failed")
}
