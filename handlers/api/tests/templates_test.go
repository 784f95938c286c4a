package tests

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

// template makes a template and gives its answer. kind is the JSON of is_subscription.
func template(t *testing.T, h *handlertest.Server, kind, more string) map[string]any {
	t.Helper()
	return h.API("POST", "/billing_templates/", templateBody(h, kind, more)).Want(201).JSON()
}

func templateBody(h *handlertest.Server, kind, more string) string {
	if kind == "false" && !strings.Contains(more, `due"`) {
		more += due(h, 72*time.Hour)
	}
	return fmt.Sprintf(
		`{"brand_id":%q,"title":"Gym","is_subscription":%s,"purchase":{"currency":"ZAR","language":"en","products":[{"name":"Month","price":10000}]}%s}`,
		h.A.BrandID,
		kind,
		more,
	)
}

// subscriber adds a client to a subscription and gives what was answered about it.
func subscriber(t *testing.T, h *handlertest.Server, template, client, more string) (btc, purchase map[string]any) {
	t.Helper()
	got := h.API("POST", "/billing_templates/"+template+"/add_subscriber/",
		fmt.Sprintf(`{"client_id":%q%s}`, client, more)).Want(200).JSON()
	purchase, _ = got["purchase"].(map[string]any)
	return got["billing_template_client"].(map[string]any), purchase
}

func id(of map[string]any) string { return of["id"].(string) }

func TestATemplateAnswersTheCompleteKeySet(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	got := template(t, h, "true", "")
	for key, want := range map[string]any{
		"type": "billing_template", "company_id": h.A.ID.String(), "is_test": true, "user_id": nil,
		"brand_id": h.A.BrandID.String(), "brand": h.A.BrandID.String(), "title": "Gym", "is_subscription": true,
		"issued": nil, "invoice_issued": nil, "due": nil, "invoice_due": nil, "skip_capture": false,
		"invoice_skip_capture": false, "send_receipt": true, "invoice_send_receipt": true,
		"subscription_period": 1.0, "subscription_period_units": "months", "subscription_due_period": 7.0,
		"subscription_due_period_units": "days", "subscription_charge_period_end": false,
		"subscription_trial_periods": 0.0, "subscription_paused": false, "subscription_active": true,
		"subscription_has_active_clients": false, "force_recurring": false,
		"number_of_billing_cycles": nil, "success_redirect": "", "failure_redirect": "", "cancel_redirect": "",
	} {
		if value, ok := got[key]; !ok || value != want {
			t.Errorf("%s: %v, want %v", key, value, want)
		}
	}
	holds(t, got, map[string]any{"purchase.total": 10000.0, "purchase.currency": "ZAR",
		"purchase.products.0.quantity": "1.0000", "purchase.products.0.tax_percent": "0.00"})
	for _, key := range []string{"id", "created_on", "updated_on"} {
		if got[key] == nil {
			t.Errorf("no %s", key)
		}
	}
	for _, path := range []string{"/api/v1/billing_templates/", "/api/v1/billing_templates", "/billing_templates/",
		"/billing_templates", "/api/v1//billing_templates/"} {
		one := h.Call("GET", strings.TrimSuffix(path, "/")+"/"+id(got)+"/", nil, "Authorization: Bearer "+
			h.A.Token).Want(200).JSON()
		if !reflect.DeepEqual(one, got) {
			t.Errorf("%s: %v", path, one)
		}
		list := h.Call("GET", path, nil, "Authorization: Bearer "+h.A.Token).Want(200).JSON()
		if !reflect.DeepEqual(list["results"], []any{got}) || list["next"] != nil || list["previous"] != nil {
			t.Errorf("%s: %v", path, list)
		}
		if made := h.Call("POST", path, templateBody(h, "false", ""), "Authorization: Bearer "+
			h.A.Token).Want(201); made.Text("type") != "billing_template" {
			t.Errorf("%s: %s", path, made.Body)
		} else {
			h.Call("DELETE", strings.TrimSuffix(path, "/")+"/"+made.Text("id"), nil, "Authorization: Bearer "+
				h.A.Token).Want(204)
		}
	}
}

func TestATemplateIsReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/billing_templates/" + id(template(
		t,
		h,
		"true",
		`,"subscription_period":3,"subscription_paused":true,"number_of_billing_cycles":4,"success_redirect":"https://a.example/"`,
	))
	same := h.API("GET", at, nil).Want(200)
	back := h.API("PUT", at+"/", same.Body).Want(200).JSON()
	delete(back, "updated_on")
	was := same.JSON()
	delete(was, "updated_on")
	if !reflect.DeepEqual(back, was) {
		t.Errorf("sent back as it was answered:\n%v\n%v", was, back)
	}
	holds(t, h.API("PUT", at, templateBody(h, "true", "")).Want(200).JSON(),
		map[string]any{"subscription_period": 1.0, "subscription_paused": false, "number_of_billing_cycles": nil,
			"success_redirect": ""})
	h.API("PUT", at, templateBody(h, "false", "")).Want(400).WantCode("is_subscription=invalid")
	h.API("PUT", at, `{}`).Want(400).WantCode("is_subscription=required", "purchase=required")
	h.API("PATCH", at+"/", `{"title":"x"}`).Want(405).WantCode("__all__=method_not_allowed")
	h.Call("PATCH", at, `{"title":"x"}`, "Authorization: Bearer "+h.A.Token).Want(405)
	if got := h.API("DELETE", at+"/", nil).Want(204); got.Body != "" {
		t.Errorf("DELETE answers %q", got.Body)
	}
	h.API("GET", at, nil).Want(404).WantCode("__all__=not_found")
	h.API("PUT", at, `{}`).Want(404)
	h.API("DELETE", at, nil).Want(404)
	h.API("POST", at+"/send_invoice/", `{}`).Want(404)
	h.API("POST", at+"/add_subscriber/", `{}`).Want(404)
	h.API("GET", at+"/clients/", nil).Want(404)
}

func TestWhatIsWrongWithATemplateIsToldAtOnce(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.API("POST", "/billing_templates/", fmt.Sprintf(
		`{"brand_id":%q,"title":"","is_subscription":true,"subscription_period":0,"subscription_period_units":"years","subscription_paused":true,"subscription_active":true,
		"payment_method_whitelist":["visa"],"success_redirect":"x","purchase":{"products":[{"name":"x","price":-1},{"name":"y","price":1,"discount":2}],"timezone":"Mars"}}`,
		h.B.BrandID,
	)).Want(400).
		WantCode("brand_id=does_not_exist", "subscription_period=min_value", "subscription_period_units=invalid_choice",
			"subscription_paused=invalid", "payment_method_whitelist=invalid_payment_method_whitelist",
			"success_redirect=invalid", "purchase.products.0.price=min_value",
			"purchase.products.1.__all__=product_subtotal_negative", "purchase.timezone=invalid_choice")
	h.API("POST", "/billing_templates/", templateBody(h, "false", `,"due":1,"invoice_issued":"x"`)).Want(400).WantCode(
		"due=due_not_greater_than_now", "invoice_issued=invalid")
	h.API("POST", "/billing_templates/", templateBody(h, "false", `,"due":1796104800,"invoice_due":1796104801`)).Want(
		400).WantCode("due=invalid")
	h.API("POST", "/billing_templates/", strings.Replace(templateBody(h, "false", ""), `"due"`, `"x"`, 1)).Want(
		400).WantCode("due=required")
	h.API("POST", "/billing_templates/", `{"title":`).Want(400).WantCode("__all__=parse_error")
	h.API("POST", "/billing_templates/", strings.Repeat(" ", 1<<20)+"{}").Want(413).WantCode("__all__=request_too_large")
	if n := h.Count(`SELECT count(*) FROM billing_templates`); n != 0 {
		t.Errorf("%d templates were kept", n)
	}
}

func TestATemplateThatDoesNotSayWhatItIsNeedsNoDueDate(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	const pattern = `"purchase":{"products":[{"name":"Month","price":1}]}}`
	h.API("POST", "/billing_templates/", `{`+pattern).Want(400).WantCode("is_subscription=required")
	h.API("POST", "/billing_templates/", `{"is_subscription":"x",`+pattern).Want(400).WantCode("is_subscription=invalid")
	h.API("POST", "/billing_templates/", `{"is_subscription":false,`+pattern).Want(400).WantCode("due=required")
}

func TestTemplatesAreListedWithTheirFilters(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	for range 3 {
		template(t, h, "true", "")
	}
	template(t, h, "false", "")
	for query, want := range map[string]int{"": 4, "is_subscription=true": 3, "is_subscription=True": 3,
		"is_subscription=false": 1, "is_subscription=0": 1, "is_subscription=": 4,
		"brand_id=" + h.A.BrandID.String(): 4, "brand_id=" + h.B.BrandID.String(): 0, "brand_id=" + uuid.NewString(): 0,
		"time=17&unknown=x": 4} {
		if got := len(h.API("GET", "/billing_templates/?"+query, nil).Want(200).JSON()["results"].([]any)); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	h.API("GET", "/billing_templates/?is_subscription=perhaps&brand_id=x&limit=0&cursor=y",
		nil).Want(400).WantCode("is_subscription=invalid", "brand_id=invalid", "limit=invalid", "cursor=invalid")
	for _, prefix := range []string{"/api/v1", ""} {
		seen := map[any]bool{}
		next := handlertest.BaseURL + prefix + "/billing_templates/?limit=2&is_subscription=true&brand_id=" +
			h.A.BrandID.String()
		for pages := 0; next != ""; pages++ {
			if !strings.HasPrefix(next, handlertest.BaseURL+prefix+"/billing_templates/?") ||
				!strings.Contains(next, "is_subscription=true") || !strings.Contains(next, "brand_id=") || pages > 2 {
				t.Fatal(next)
			}
			page := h.Call("GET", strings.TrimPrefix(next, handlertest.BaseURL), nil,
				"Authorization: Bearer "+h.A.Token).Want(200).JSON()
			for _, r := range page["results"].([]any) {
				seen[r.(map[string]any)["id"]] = true
			}
			next, _ = page["next"].(string)
		}
		if len(seen) != 3 {
			t.Errorf("%d templates on the pages", len(seen))
		}
	}
}

func TestATemplateSendsAnInvoice(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	once := id(template(t, h, "false",
		`,"issued":"2026-11-30","send_receipt":false,"success_redirect":"https://a.example/"`))
	got := h.API("POST", "/billing_templates/"+once+"/send_invoice/", fmt.Sprintf(`{"client_id":%q}`, client)).Want(
		200).JSON()
	holds(t, got, map[string]any{"type": "purchase", "product": "billing_invoices", "billing_template_id": once,
		"client_id": client, "purchase.total": 10000.0, "issued": "2026-11-30", "send_receipt": false,
		"success_redirect": "https://a.example/", "invoice_url": handlertest.BaseURL + "/p/" + id(got) + "/invoice/"})
	holds(t, h.API("GET", "/purchases/"+id(got), nil).Want(200).JSON(), map[string]any{"billing_template_id": once})
	other := h.Call("POST", "/billing_templates/"+once+"/send_invoice",
		url.Values{"client_id": {client}, "payment_method_whitelist": {"eft"}, "invoice_reference": {"REF-7"}},
		"Authorization: Bearer "+h.A.Token).Want(200).JSON()
	holds(t, other, map[string]any{"reference": "REF-7", "payment_method_whitelist.0": "eft"})
	if n := h.Count(`SELECT count(*) FROM template_clients`); n != 0 {
		t.Errorf("%d recipients were kept", n)
	}
	h.API("POST", "/billing_templates/"+once+"/send_invoice/", fmt.Sprintf(`{"client_id":%q}`, uuid.NewString())).Want(
		400).WantCode("client_id=does_not_exist")
	h.API("POST", "/billing_templates/"+once+"/send_invoice/", `{"payment_method_whitelist":[],"send_receipt":"x"}`).Want(
		400).WantCode("client_id=required", "send_receipt=invalid")
	h.API("POST", "/billing_templates/"+once+"/add_subscriber/", fmt.Sprintf(`{"client_id":%q}`, client)).Want(
		400).Contains(`"__all__"`)
	h.API("GET", "/billing_templates/"+once+"/clients/", nil).Want(200).Contains(`"results":[]`)
	runs := id(template(t, h, "true", ""))
	h.API("POST", "/billing_templates/"+runs+"/send_invoice/", fmt.Sprintf(`{"client_id":%q}`, client)).Want(400).Contains(
		`"__all__"`)
}

func TestADebitOrderSubscriptionKeepsItsBlockWithoutNamingTheMethod(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	body := fmt.Sprintf(
		`{"brand_id":%q,"title":"Policy","is_subscription":true,"purchase":{"products":[{"name":"Premium","price":10000}],
		"payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678"}}}}`, h.A.BrandID)
	got := h.API("POST", "/billing_templates/", body).Want(201)
	details := got.JSON()["purchase"].(map[string]any)["payment_method_details"].(map[string]any)
	block := details["direct_debit"].(map[string]any)
	if block["profile_code"] != "TEST1" || block["deduction_day"] != nil || block["period_units"] != "months" {
		t.Errorf("%v", block)
	}
	h.API("PUT", "/billing_templates/"+got.Text("id"), got.Body).Want(200)
	btc, first := subscriber(t, h, got.Text("id"), payer(t, h), "")
	if first["checkout_url"] == nil && btc["status"] == "pending" {
		t.Errorf("%v %v", btc, first)
	}
}

func TestATemplateWhoseDueHasPassedSendsNothing(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	once := id(template(t, h, "false", ""))
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE billing_templates SET due = $1`,
		h.Store.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	h.API("POST", "/billing_templates/"+once+"/send_invoice/", fmt.Sprintf(`{"client_id":%q}`, client)).Want(400).WantCode(
		"due=due_not_greater_than_now")
	h.API("PUT", "/billing_templates/"+once, templateBody(h, "false", "")).Want(200)
	h.API("POST", "/billing_templates/"+once+"/send_invoice/", fmt.Sprintf(`{"client_id":%q}`, client)).Want(200)
}

func TestATemplateNeedsNeitherTitleNorBrand(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	bare := `{"is_subscription":true,"brand_id":null,"purchase":{"products":[{"name":"Month","price":10000}]}}`
	made := h.API("POST", "/billing_templates/", bare).Want(201).Contains(`"title":""`,
		`"brand_id":"`+h.A.BrandID.String()+`"`)
	h.API("PUT", "/billing_templates/"+made.Text("id")+"/",
		`{"title":"Gym","is_subscription":true,"purchase":{"products":[{"name":"Month","price":10000}]}}`).
		Want(200).Contains(`"title":"Gym"`, `"brand_id":"`+h.A.BrandID.String()+`"`)
	h.API("POST", "/billing_templates/",
		`{"is_subscription":true,"brand_id":"x","title":7,"purchase":{"products":[{"name":"Month","price":1}]}}`).Want(
		400).WantCode("brand_id=invalid")
	h.API("POST", "/billing/",
		`{"due":4000000000,"purchase":{"products":[{"name":"Month","price":1}]},"clients":[{"client_id":"x"}]}`).Want(
		400).WantCode("brand_id=required", "clients.0.client_id=invalid")
}
