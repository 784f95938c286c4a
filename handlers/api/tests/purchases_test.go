package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// payer makes a client with an account and returns its id.
func payer(t *testing.T, h *handlertest.Server) string {
	t.Helper()
	return h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"phone":        "27821234567",
		"bank_account": "6200000001", "bank_code": "470010", "personal_code": "8501015000085"}).Want(201).Text("id")
}

func body(h *handlertest.Server, client string, more string) string {
	return fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"currency":"ZAR","language":"en","products":[{"name":"December","price":10000}]}%s}`,
		client,
		h.A.BrandID,
		more,
	)
}

func tokenising(h *handlertest.Server, client string, price int) string {
	return fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
 "purchase":{"currency":"ZAR","language":"en","products":[{"name":"Membership","price":%d}],
  "payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":1,"period_units":"months"}}}}`,
		client, h.A.BrandID, price)
}

func due(h *handlertest.Server, in time.Duration) string {
	return fmt.Sprintf(`,"due":%d`, h.Store.Now().Add(in).Unix())
}

func TestA_purchase_answers_the_complete_key_set(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	got := h.API("POST", "/purchases/", body(h, client, "")).Want(201).JSON()
	for _, key := range []string{"id", "type", "created_on", "updated_on", "client", "purchase", "payment",
		"issuer_details", "transaction_data", "status",
		"status_history", "viewed_on", "company_id", "brand_id", "user_id", "is_test", "billing_template_id", "client_id",
		"recurring_token", "order_id",
		"send_receipt", "skip_capture", "force_recurring", "is_recurring_token", "marked_as_paid", "reference",
		"reference_generated", "issued", "due",
		"refund_availability", "refundable_amount", "currency_conversion", "payment_method_whitelist", "success_redirect",
		"failure_redirect", "cancel_redirect",
		"success_callback", "creator_agent", "created_from_ip", "platform", "product", "invoice_url", "direct_post_url",
		"checkout_url", "can_retrieve",
		"can_chargeback", "upsell_campaigns", "referral_campaign_id", "referral_code", "referral_code_details",
		"referral_code_generated",
		"retain_level_details", "debit_order"} {
		if _, ok := got[key]; !ok {
			t.Errorf("the answer lacks %s", key)
		}
	}
	details := got["purchase"].(map[string]any)
	product := details["products"].([]any)[0].(map[string]any)
	if details["total"] != 10000.0 || product["quantity"] != "1.0000" || product["tax_percent"] != "0.00" ||
		got["status"] != "created" || got["debit_order"] != nil {
		t.Errorf("got %v", got)
	}
	if got["client"].(map[string]any)["bank_account"] != "•••• 0001" {
		t.Errorf("the account is not masked: %v", got["client"])
	}
	if got["due"].(float64)-got["created_on"].(float64) != 3600 {
		t.Error("the default due is one hour after creation")
	}
	again := h.API("GET", "/purchases/"+got["id"].(string), nil).Want(200).JSON()
	was, _ := json.Marshal(got)
	is, _ := json.Marshal(again)
	if string(was) != string(is) {
		t.Errorf("stored and read back differ:\n%s\n%s", was, is)
	}
}

func TestEverything_wrong_with_a_purchase_is_told_at_once(t *testing.T) {
	h := handlertest.New(t)
	h.API(
		"POST",
		"/purchases/",
		`{"client":{"email":"no"},"client_id":"0192d1a0-0000-7000-8000-000000000000","brand_id":"0192d1a0-0000-7000-8000-000000000000",
		"due":1,"platform":"`+strings.Repeat("x", 51)+`","payment_method_whitelist":["visa"],
		"purchase":{"currency":"usd","products":[{"name":"ok","price":1},{"name":"","price":-1,"quantity":"1.23456","tax_percent":101},{"name":"x","price":1,"discount":5}],"timezone":"Mars/Base"}}`,
	).
		Want(400).WantCode("__all__=purchase_client_or_id_only", "brand_id=does_not_exist", "due=due_not_greater_than_now",
		"platform=max_length",
		"payment_method_whitelist=invalid_payment_method_whitelist", "purchase.currency=invalid_choice",
		"purchase.products.1.price=min_value",
		"purchase.products.1.quantity=max_decimal_places", "purchase.products.1.tax_percent=max_value",
		"purchase.products.2.__all__=product_subtotal_negative", "purchase.timezone=invalid_choice")
	h.API("POST", "/purchases/", `{}`).Want(400).WantCode("__all__=purchase_client_or_id_required", "brand_id=required",
		"purchase=required")
	h.API("POST", "/purchases/", `{"purchase":`).Want(400).WantCode("__all__=parse_error")
	if n := h.Count("SELECT count(*) FROM purchases"); n != 0 {
		t.Errorf("%d purchases were stored", n)
	}
}

func TestAn_account_is_stored_without_taking_money(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	got := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).JSON()
	if got["status"] != "preauthorized" || got["is_recurring_token"] != true {
		t.Fatalf("status %v, token %v", got["status"], got["is_recurring_token"])
	}
	list := h.API("GET", "/clients/"+client+"/recurring_tokens/", nil).Want(200).JSON()["results"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["id"] != got["id"] ||
		list[0].(map[string]any)["payment_method"] != "eft" {
		t.Errorf("tokens: %v", list)
	}
	if h.Count("SELECT count(*) FROM mandates WHERE consent_channel = 'api' AND length(consent_text) > 0") != 1 ||
		h.Count("SELECT count(*) FROM collections") != 0 {
		t.Error("a mandate and no collection were expected")
	}
	if n := h.Count(
		"SELECT count(*) FROM purchases p, tokens k, mandates m, audit_entries a " +
			"WHERE concat(p, k, m, a) LIKE '%6200000001%'",
	); n != 0 {
		t.Error("the account number stands in clear")
	}
}

func TestAn_amount_is_collected_first_when_the_account_is_stored(t *testing.T) {
	h := handlertest.New(t)
	got := h.API("POST", "/purchases/", tokenising(h, payer(t, h), 10000)).Want(201).JSON()
	order := got["debit_order"].(map[string]any)
	if got["status"] != "pending_execute" || got["is_recurring_token"] != false ||
		order["collection_state"] != "scheduled" || order["disputable"] != true {
		t.Errorf("got %v %v", got["status"], order)
	}
}

func TestMandate_fields_belong_to_debicheck(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	h.API("POST", "/purchases/",
		fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"m","price":0}],
		"payment_method_details":{"direct_debit":{"profile_code":"NOPE","deduction_day":31,"value_type":"FIXED","max_amount_cents":null}}}}`,
			client,
			h.A.BrandID,
		)).
		Want(400).WantCode("purchase.payment_method_details.direct_debit.value_type=invalid",
		"purchase.payment_method_details.direct_debit.deduction_day=invalid",
		"purchase.payment_method_details.direct_debit.profile_code=does_not_exist")
	h.API("POST", "/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":0}]}}`, client, h.A.BrandID)).
		Want(400).WantCode("purchase.__all__=min_value")
}

func TestA_charge_waits_for_its_due_and_can_be_cancelled(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	id := h.API("POST", "/purchases", body(h, client, due(h, 48*time.Hour))).Want(201).Text("id")
	charged := h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":"`+token+`"}`).Want(200).JSON()
	if charged["status"] != "pending_charge" || charged["recurring_token"] != token {
		t.Fatalf("got %v %v", charged["status"], charged["recurring_token"])
	}
	h.API("POST", "/purchases/"+id+"/charge", `{"recurring_token":"`+token+`"}`).Want(400).WantCode(
		"__all__=purchase_charge_wrong_status")
	if got := h.API("POST", "/purchases/"+id+"/cancel/", nil).Want(200).JSON(); got["status"] != "cancelled" ||
		got["debit_order"].(map[string]any)["collection_state"] != "cancelled" {
		t.Errorf("got %v", got)
	}
	h.API("POST", "/purchases/"+id+"/cancel/", nil).Want(400).WantCode("__all__=purchase_cancel_wrong_status")
}

func TestThe_checks_of_a_charge_come_in_order(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	soon := h.API("POST", "/purchases/", body(h, client, due(h, 47*time.Hour))).Want(201).Text("id")
	h.API("POST", "/purchases/"+token[:35]+"x/charge/", `{}`).Want(404).WantCode("__all__=not_found")
	h.API("POST", "/purchases/"+soon+"/charge/", nil).Want(400).WantCode("recurring_token=required")
	h.API("POST", "/purchases/"+soon+"/charge/", `{"recurring_token":"`+soon+`"}`).Want(400).WantCode(
		"__all__=invalid_recurring_token")
	h.API("POST", "/purchases/"+soon+"/charge/", `{"recurring_token":"`+token+`"}`).Want(400).WantCode("due=due_too_soon")
	h.API("POST", "/purchases/"+soon+"/cancel/", nil).Want(200)
	h.API("POST", "/purchases/"+soon+"/charge/", `{"recurring_token":"nonsense"}`).Want(400).WantCode(
		"__all__=invalid_recurring_token")
}

func TestOf_32_charges_at_once_one_wins(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	id := h.API("POST", "/purchases/", body(h, client, due(h, 72*time.Hour))).Want(201).Text("id")
	var wg sync.WaitGroup
	statuses := make([]int, 32)
	for i := range statuses {
		wg.Go(func() {
			statuses[i] = h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":"`+token+`"}`).Status
		})
	}
	wg.Wait()
	won := 0
	for _, s := range statuses {
		switch s {
		case 200:
			won++
		case 400:
		default:
			t.Errorf("status %d", s)
		}
	}
	if n := h.Count("SELECT count(*) FROM collections"); won != 1 || n != 1 {
		t.Errorf("%d charges won, %d collections", won, n)
	}
}

func TestA_deleted_token_ends_everywhere_at_once(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	waiting := h.API("POST", "/purchases/", body(h, client, due(h, 72*time.Hour))).Want(201).Text("id")
	later := h.API("POST", "/purchases/", body(h, client, due(h, 72*time.Hour))).Want(201).Text("id")
	h.API("POST", "/purchases/"+waiting+"/charge/", `{"recurring_token":"`+token+`"}`).Want(200)
	h.APIAs(h.B, "DELETE", "/clients/"+client+"/recurring_tokens/"+token+"/", nil).Want(404)
	h.API("DELETE", "/clients/"+client+"/recurring_tokens/"+token+"/", nil).Want(204)
	h.API("DELETE", "/clients/"+client+"/recurring_tokens/"+token+"/", nil).Want(404)
	h.API("POST", "/purchases/"+later+"/charge/", `{"recurring_token":"`+token+`"}`).Want(400).WantCode(
		"__all__=invalid_recurring_token")
	lost := h.API("GET", "/purchases/"+waiting+"/", nil).Want(200).JSON()
	attempt := lost["transaction_data"].(map[string]any)["attempts"].([]any)[0].(map[string]any)
	if lost["status"] != "error" || attempt["error"].(map[string]any)["code"] != "recurring_token_expired" {
		t.Errorf("got %v %v", lost["status"], attempt)
	}
	source := h.API("GET", "/purchases/"+token+"/", nil).Want(200).JSON()
	if source["is_recurring_token"] != false || source["status"] != "preauthorized" {
		t.Errorf("got %v %v", source["is_recurring_token"], source["status"])
	}
	h.Call("POST", "/purchases/"+token+"/delete_recurring_token/", nil,
		"Authorization: Bearer "+h.A.Token).Want(400).WantCode("__all__=invalid_recurring_token")
	if h.Count("SELECT count(*) FROM mandates") != 1 {
		t.Error("the evidence is gone")
	}
}

func TestA_repeated_key_repeats_the_answer_and_nothing_else(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	var wg sync.WaitGroup
	answers := make([]handlertest.Answer, 8)
	for i := range answers {
		wg.Go(func() { answers[i] = h.API("POST", "/purchases/", body(h, client, ""), "Idempotency-Key: k1") })
	}
	wg.Wait()
	for _, a := range answers {
		if a.Want(201).Body != answers[0].Body {
			t.Errorf("another answer: %s", a.Body)
		}
	}
	if n := h.Count("SELECT count(*) FROM purchases"); n != 1 {
		t.Errorf("%d purchases", n)
	}
	h.API("POST", "/purchases/", body(h, client, `,"reference":"other"`),
		"Idempotency-Key: k1").Want(400).WantCode("__all__=idempotency_key_reuse")
}

func TestA_payment_by_hand_is_refunded_by_hand(t *testing.T) {
	h := handlertest.New(t)
	id := h.API("POST", "/purchases/", body(h, payer(t, h), "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+id+"/refund/", nil).Want(400).WantCode("__all__=purchase_refund_wrong_status")
	paid := h.API("POST", "/purchases/"+id+"/mark_as_paid/", nil).Want(200).JSON()
	if paid["status"] != "paid" || paid["marked_as_paid"] != true || paid["refundable_amount"] != 10000.0 {
		t.Fatalf("got %v", paid)
	}
	h.API("POST", "/purchases/"+id+"/refund/", `{"amount":10001}`).Want(400).WantCode("amount=max_value")
	part := h.API("POST", "/purchases/"+id+"/refund/", `{"amount":4000}`, "Idempotency-Key: r1").Want(200).JSON()
	if part["type"] != "payment" || part["status"] != "success" || part["payment"].(map[string]any)["amount"] != 4000.0 {
		t.Errorf("got %v", part)
	}
	h.API("POST", "/purchases/"+id+"/refund/", `{"amount":4000}`, "Idempotency-Key: r1").Want(200)
	h.API("POST", "/purchases/"+id+"/refund/", nil).Want(200)
	h.API("POST", "/purchases/"+id+"/refund/", nil).Want(400).WantCode("__all__=purchase_refund_not_possible")
	if n := h.Count("SELECT coalesce(sum(amount_cents), 0) FROM ledger_entries"); n != 0 {
		t.Errorf("the movements sum to %d", n)
	}
}

func TestPurchases_are_listed_by_status_and_page(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	for i := range 5 {
		id := h.API("POST", "/purchases/", body(h, client, "")).Want(201).Text("id")
		if i%2 == 0 {
			h.API("POST", "/purchases/"+id+"/cancel/", nil).Want(200)
		}
	}
	h.APIAs(h.B, "GET", "/purchases/", nil).Want(200).Contains(`"results":[]`)
	first := h.API("GET", "/purchases/?limit=2&status=cancelled&status=created&q=thandi", nil).Want(200).JSON()
	if len(first["results"].([]any)) != 2 || first["next"] == nil || first["previous"] != nil {
		t.Fatalf("got %v", first)
	}
	seen := 2
	for next := first["next"]; next != nil; {
		page := h.Call("GET", next.(string)[len(handlertest.BaseURL):], nil, "Authorization: Bearer "+
			h.A.Token).Want(200).JSON()
		seen += len(page["results"].([]any))
		next = page["next"]
	}
	if seen != 5 {
		t.Errorf("%d purchases on all pages", seen)
	}
	h.API("GET", "/purchases/?status=nope&due_from=x&limit=0", nil).Want(400).WantCode("status=invalid_choice",
		"due_from=invalid", "limit=invalid")
	h.API("DELETE", "/purchases/"+client+"/", nil).Want(405).WantCode("__all__=method_not_allowed")
}

func TestADueNamesOneMaximum(t *testing.T) {
	h := handlertest.New(t)
	for _, due := range []string{"4102444800", "253402300799", "253402300800", "1e30"} {
		h.API("POST", "/purchases/", fmt.Sprintf(`{"client":{"email":"n@example.com"},"brand_id":%q,"due":%s,
			"purchase":{"products":[{"name":"Fibre","price":100}]}}`, h.A.BrandID, due)).Want(400).
			WantCode("due=max_value").Contains("less than or equal to 4102444799.")
	}
}
