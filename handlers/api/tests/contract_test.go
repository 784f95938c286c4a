package tests

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
)

// at is a value deep in an answer: "purchase.products.0.price".
func at(body map[string]any, path string) any {
	var value any = body
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			i := int(part[0] - '0')
			if i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

func holds(t *testing.T, body map[string]any, want map[string]any) {
	t.Helper()
	for path, value := range want {
		if got := at(body, path); !reflect.DeepEqual(got, value) {
			t.Errorf("%s is %v, want %v", path, got, value)
		}
	}
}

// order is a body of POST /purchases/ with more beside and inside "purchase".
func order(h *handlertest.Server, client, beside, inside string) string {
	return fmt.Sprintf(`{"client_id":%q,"brand_id":%q%s,"purchase":{"products":[{"name":"m","price":10000}]%s}}`, client,
		h.A.BrandID, beside, inside)
}

func TestMethodsThatDoNotExistAre405(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	id := h.API("POST", "/purchases/", body(h, payer(t, h), "")).Want(201).Text("id")
	for _, call := range []string{"PUT /purchases/" + id + "/", "PATCH /purchases/" + id, "DELETE /purchases/" + id + "/",
		"DELETE /purchases/", "PUT /purchases/", "GET /purchases/" + id + "/charge/",
		"GET /purchases/" + id + "/cancel/", "DELETE /clients/", "POST /clients/" + id + "/recurring_tokens/",
		"PUT /clients/" + id + "/recurring_tokens/" + id + "/"} {
		method, path, _ := strings.Cut(call, " ")
		got := h.API(method, path, nil).Want(405).WantCode("__all__=method_not_allowed")
		if got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s answers %s", call, got.Header.Get("Content-Type"))
		}
	}
}

func TestABodyAboveOneMebibyteIs413(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	of := func(size int) string {
		text := order(h, client, `,"unknown":"%"`, "")
		return strings.Replace(text, "%", strings.Repeat("x", size-len(text)+1), 1)
	}
	if n := len(of(1 << 20)); n != 1<<20 {
		t.Fatalf("%d bytes", n)
	}
	h.API("POST", "/purchases/", of(1<<20)).Want(201)
	h.API("POST", "/purchases/", of(1<<20+1)).Want(413).WantCode("__all__=request_too_large")
	h.API("POST", "/clients/", of(1<<20+1), "Content-Length: -1").Want(413).WantCode("__all__=request_too_large")
}

func TestTheBodiesOfErrorsAreAsPublished(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	paid := h.API("POST", "/purchases/", order(h, client, "", "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+paid+"/mark_as_paid/", nil).Want(200)
	h.API("POST", "/purchases/"+paid+"/refund/", nil).Want(200)
	if asks := h.Call("GET", "/api/v1/clients/", nil).Header.Get("WWW-Authenticate"); asks != "Bearer" {
		t.Errorf("a call without a credential is asked for %q", asks)
	}
	for _, c := range []struct {
		name   string
		got    handlertest.Answer
		status int
		body   string
	}{
		{"no credential", h.Call("GET", "/api/v1/clients/", nil), 401,
			`{"__all__":[{"message":"Authorization header missing","code":"authentication_failed"}]}`},
		{"due in the past", h.API("POST", "/purchases/", order(h, client, `,"due":1000000000`, "")), 400,
			"{\"due\":[{\"message\":\"`due` cannot be in the past!\",\"code\":\"due_not_greater_than_now\"}]}"},
		{"capture", h.API("POST", "/purchases/"+paid+"/capture/", nil), 400,
			"{\"__all__\":[{\"message\":\"Only Purchases with `status == hold` can be " +
				"captured.\",\"code\":\"purchase_capture_wrong_status\"}]}"},
		{"refunded fully", h.API("POST", "/purchases/"+paid+"/refund/", nil), 400,
			`{"__all__":[{"message":"This Purchase was already fully refunded.","code":"purchase_refund_not_possible"}]}`},
		{"unknown token", h.API("POST", "/purchases/"+paid+"/charge/", `{"recurring_token":"`+client+`"}`), 400,
			`{"__all__":[{"message":"Invalid or inactive recurring token!","code":"invalid_recurring_token"}]}`},
		{"a discount too large", h.API("POST", "/purchases/",
			fmt.Sprintf(
				`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"ok","price":5},{"name":"m","price":1,"discount":2}]}}`, client, h.A.BrandID)), 400,
			`{"purchase":{"products":[{},{"__all__":[{"message":"Discount can't be larger than price * quantity!","code":"product_subtotal_negative"}]}]}}`},
		{"a quantity below 0", h.API("POST", "/purchases/",
			fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":1,"quantity":-1}]}}`,
				client, h.A.BrandID)), 400, `{"purchase":{"products":[{"quantity":[{"message":` +
			`"Ensure this value is greater than or equal to 0.","code":"min_value"}]}]}}`},
		{"metadata too large", h.API("POST", "/purchases/", order(h, client, "",
			`,"metadata":{"a":"`+strings.Repeat("x", 16<<10)+`"}`)), 400, `{"purchase":{"metadata":[{"message":` +
			`"Ensure this object has no more than 16384 bytes as JSON; it has 16392.","code":"max_length"}]}}`},
		{"due too soon", h.API("POST", "/purchases/", order(h, client, `,"due":"x"`, "")), 400,
			`{"due":[{"message":"A valid integer is required.","code":"invalid"}]}`},
	} {
		if c.got.Status != c.status || strings.TrimSpace(c.got.Body) != c.body {
			t.Errorf("%s: %d %s, want %d %s", c.name, c.got.Status, c.got.Body, c.status, c.body)
		}
	}
	h.API("POST", "/purchases/"+paid+"/release/", nil).Want(400).WantCode("__all__=purchase_release_wrong_status")
	h.API("POST", "/purchases/"+paid+"/mark_as_paid/",
		nil).Want(400).WantCode("__all__=purchase_mark_as_paid_wrong_status")
	h.API("POST", "/purchases/"+paid+"/cancel/", nil).Want(400).WantCode("__all__=purchase_cancel_wrong_status")
	gone := h.API("POST", "/purchases/", order(h, client, "", "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+gone+"/cancel/", nil).Want(200)
	h.API("POST", "/purchases/"+gone+"/resend_invoice/",
		nil).Want(400).WantCode("__all__=purchase_resend_invoice_wrong_status")
}

func TestAValueThatCouldNotBeReadIsTheOnlyProblem(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	line := func(price string) string {
		return fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":%s}]}}`, client,
			h.A.BrandID, price)
	}
	const most = `{"message":"Ensure this value is less than or equal to 10000000000.","code":"max_value"}`
	for body, want := range map[string]string{
		line(
			`"x"`): `{"purchase":{"products":[{"price":[{"message":"A valid integer is required.","code":"invalid"}]}]}}`,
		line(
			`-1`): `{"purchase":{"products":[{"price":[{"message":"Ensure this value is greater than or equal to 0.","code":"min_value"}]}]}}`,
		line(`10000000001`):          `{"purchase":{"products":[{"price":[` + most + `]}]}}`,
		line(`99999999999999999999`): `{"purchase":{"products":[{"price":[` + most + `]}]}}`,
		fmt.Sprintf(`{"client_id":"x","brand_id":%q,"purchase":{"products":[{"name":"m","price":1}]}}`,
			h.A.BrandID): `{"client_id":[{"message":"Must be a valid UUID.","code":"invalid"}]}`,
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":[]}`, client,
			h.A.BrandID): `{"purchase":[{"message":"Invalid data. Expected a dictionary, but got list.","code":"invalid"}]}`,
		line(
			`0`): `{"purchase":{"__all__":[{"message":"A total of 0 needs force_recurring or skip_capture, to store an account without collecting.","code":"min_value"}]}}`,
	} {
		if got := h.API("POST", "/purchases/", body).Want(400); strings.TrimSpace(got.Body) != want {
			t.Errorf("%s\n got %s\nwant %s", body, got.Body, want)
		}
	}
}

func TestWhatBelongsToAnotherMerchantDoesNotExist(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	mine := payer(t, h)
	theirs := h.APIAs(h.B, "POST", "/clients/", `{"email":"x@y.co"}`).Want(201).Text("id")
	h.API("POST", "/purchases/", strings.Replace(order(h, mine, "", ""), h.A.BrandID.String(), h.B.BrandID.String(),
		1)).Want(400).WantCode("brand_id=does_not_exist")
	h.API("POST", "/purchases/", order(h, theirs, "", "")).Want(400).WantCode("client_id=does_not_exist")
	h.API("POST", "/purchases/", order(h, "0192d1a0-0000-7000-8000-000000000000", "", "")).Want(400).WantCode(
		"client_id=does_not_exist").
		Contains("object does not exist")
	h.API("GET", "/clients/"+theirs+"/recurring_tokens/", nil).Want(404).WantCode("__all__=not_found")
	h.API("GET", "/purchases/?client_id="+theirs, nil).Want(200).Contains(`"results":[]`)
}

func TestTotalsAreAsPublished(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	for _, c := range []struct {
		products, more string
		total          float64
	}{
		{`{"name":"m","price":10000,"tax_percent":6}`, "", 10600},
		{`{"name":"m","price":10000,"tax_percent":"6.00"}`, "", 10600},
		{`{"name":"a","price":100,"quantity":"1.555"},{"name":"b","price":100,"quantity":1.555}`, "", 312},
		{`{"name":"m","price":100,"quantity":3,"discount":1}`, "", 299},
		{`{"name":"m","price":150,"discount":1,"tax_percent":6}`, "", 158},
		{`{"name":"m","price":150,"total_price_override":99}`, "", 99},
		{`{"name":"m","price":150}`, `,"debt":-50`, 100},
		{`{"name":"m","price":150}`,
			`,"debt":50,"total":7,"subtotal_override":1,"total_tax_override":2,"total_discount_override":3`, 200},
		{`{"name":"m","price":150}`, `,"debt":50,"total_override":77`, 77},
		{`{"name":"m","price":150,"discount":0,"category":"","total_price_override":null}`, `,"total_override":null`, 150},
	} {
		text := fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"products":[%s]%s}}`, client, h.A.BrandID, c.products,
			c.more)
		if got := h.API("POST", "/purchases/", text); got.Status != 201 || at(got.JSON(), "purchase.total") != c.total {
			t.Errorf("%s%s: %d %v, want %v: %.200s", c.products, c.more, got.Status, at(got.JSON(), "purchase.total"), c.total,
				got.Body)
		}
	}
	for _, zero := range []string{`,"total_override":0`, `,"debt":-10000`} {
		h.API("POST", "/purchases/", order(h, client, "", zero)).Want(400).WantCode("purchase.__all__=min_value")
	}
	h.API("POST", "/purchases/", order(h, client, "", `,"debt":-10001`)).Want(400)
	h.API("POST", "/purchases/", strings.Replace(order(h, client, "", ""), `"price"`, `"category":null,"price"`, 1)).Want(
		400).WantCode("purchase.products.0.category=required")
}

func TestDefaultsAndDisplayFieldsOfAPurchase(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	got := h.API("POST", "/purchases/", order(
		h,
		client,
		`,"id":"x","status":"paid","total":1,"tags":null,"order_id":"o-1","upsell_campaigns":["x"],"referral_campaign_id":5`,
		`,"request_client_details":["email","phone","personal_code","bank_account","billing_address","tax_number"],"metadata":{"a":[1,{"b":null}]},"notes":"n"`,
	)).Want(201).JSON()
	holds(t, got, map[string]any{"status": "created", "type": "purchase", "platform": "api", "send_receipt": false,
		"skip_capture": false, "force_recurring": false, "is_recurring_token": false,
		"refund_availability": "none", "refundable_amount": 0.0, "payment": nil, "order_id": "o-1",
		"upsell_campaigns": []any{}, "referral_campaign_id": nil, "recurring_token": nil,
		"payment_method_whitelist": nil, "invoice_url": nil, "direct_post_url": nil, "viewed_on": nil, "product": "purchases",
		"success_redirect": "", "reference": "",
		"purchase.currency": "ZAR", "purchase.language": "en", "purchase.timezone": "UTC", "purchase.due_strict": false,
		"purchase.request_client_details": []any{"billing_address", "tax_number"},
		"purchase.metadata":               map[string]any{"a": []any{1.0, map[string]any{"b": nil}}},
		"purchase.shipping_options":       []any{},
		"purchase.has_upsell_products":    false, "purchase.total_override": nil,
		"purchase.payment_method_details": map[string]any{}, "client.client_type": nil,
		"client.personal_code": "850101•••••85", "transaction_data.attempts": []any{}, "debit_order": nil,
		"status_history.0.status": "created", "client_id": client, "company_id": h.A.ID.String(),
		"brand_id": h.A.BrandID.String(), "user_id": nil, "is_test": true})
	if !strings.HasPrefix(got["reference_generated"].(string), "DD") ||
		!strings.HasSuffix(got["checkout_url"].(string), "/p/"+got["id"].(string)+"/") {
		t.Errorf("reference %v, checkout %v", got["reference_generated"], got["checkout_url"])
	}
	for zone, where := range map[string]*time.Location{"Pacific/Kiritimati": load(t, "Pacific/Kiritimati"),
		"Pacific/Pago_Pago": load(t, "Pacific/Pago_Pago")} {
		before := h.Store.Now().In(where).Format(time.DateOnly)
		issued := h.API("POST", "/purchases/", order(h, client, "", `,"timezone":"`+zone+`"`)).Want(201).Text("issued")
		if after := h.Store.Now().In(where).Format(time.DateOnly); issued != before && issued != after {
			t.Errorf("issued %s in %s, want %s", issued, zone, before)
		}
	}
	if issued := h.API("POST", "/purchases/", order(h, client, `,"issued":"2020-02-29"`, "")).Want(201).Text(
		"issued"); issued != "2020-02-29" {
		t.Errorf("issued %s", issued)
	}
}

func load(t *testing.T, name string) *time.Location {
	t.Helper()
	where, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return where
}

func TestAPaidPurchaseShowsItsPayment(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	id := h.API("POST", "/purchases/", order(h, payer(t, h), "", "")).Want(201).Text("id")
	on := h.Store.Now().Add(-24 * time.Hour).Unix()
	got := h.API("POST", "/purchases/"+id+"/mark_as_paid/", fmt.Sprintf(`{"paid_on":%d}`, on)).Want(200).JSON()
	holds(t, got, map[string]any{"status": "paid", "marked_as_paid": true, "refund_availability": "all",
		"refundable_amount": 10000.0, "payment.paid_on": float64(on),
		"payment.amount": 10000.0, "payment.net_amount": 10000.0, "payment.fee_amount": 0.0, "payment.pending_amount": 0.0,
		"payment.currency": "ZAR", "payment.is_outgoing": false,
		"payment.pending_unfreeze_on": nil, "payment.owned_bank_account": nil, "payment.owned_bank_code": nil,
		"payment.owned_bank_account_id": nil, "status_history.1.status": "paid"})
	for _, key := range []string{"payment_type", "description", "remote_paid_on"} {
		if _, there := got["payment"].(map[string]any)[key]; !there {
			t.Errorf("the payment lacks %s", key)
		}
	}
	if !strings.HasSuffix(got["checkout_url"].(string), "/p/"+id+"/invoice/") {
		t.Errorf("checkout %v", got["checkout_url"])
	}
	refund := h.API("POST", "/purchases/"+id+"/refund/", url.Values{"amount": {"2500"}}).Want(200).JSON()
	holds(t, refund, map[string]any{"type": "payment", "payment.payment_type": "refund", "payment.is_outgoing": true,
		"payment.amount": 2500.0, "related_to.type": "purchase", "related_to.id": id,
		"status": "success", "is_test": true, "company_id": h.A.ID.String(), "brand_id": h.A.BrandID.String()})
	after := h.API("GET", "/purchases/"+id+"/", nil).Want(200).JSON()
	holds(t, after, map[string]any{"status": "refunded", "refundable_amount": 7500.0, "refund_availability": "all"})
	h.API("POST", "/purchases/"+id+"/refund/", `{"amount":0}`).Want(400).WantCode("amount=min_value")
	h.API("POST", "/purchases/"+id+"/refund/", `{"amount":7501}`).Want(400).WantCode("amount=max_value")
	h.API("POST", "/purchases/"+id+"/refund/", `{"amount":7500}`).Want(200)
	holds(t, h.API("GET", "/purchases/"+id+"/", nil).JSON(),
		map[string]any{"refundable_amount": 0.0, "refund_availability": "none"})
}

func TestStoringAnAccountTakesItsThreeCourses(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	storing := func(beside string, price int) map[string]any {
		return h.API("POST", "/purchases/", strings.Replace(tokenising(h, client, price), `"force_recurring":true`,
			`"force_recurring":true`+beside, 1)).Want(201).JSON()
	}
	holds(t, storing(`,"skip_capture":true`, 5000), map[string]any{"status": "preauthorized", "is_recurring_token": true,
		"payment": nil, "debit_order.collection_state": nil, "debit_order.disputable": false})
	override := h.API("POST", "/purchases/", strings.Replace(tokenising(h, client, 5000), `"purchase":{`,
		`"purchase":{"total_override":0,`, 1)).Want(201).JSON()
	holds(t, override, map[string]any{"status": "preauthorized", "is_recurring_token": true})
	holds(t, storing(due(h, 47*time.Hour), 5000), map[string]any{"status": "pending_execute", "is_recurring_token": false})
	waiting := storing(due(h, 10*24*time.Hour), 5000)
	holds(t, waiting, map[string]any{"status": "pending_charge", "is_recurring_token": false,
		"debit_order.collection_state": "scheduled", "debit_order.disputable_because": []any{"eft"},
		"debit_order.settlement": nil, "debit_order.result": nil})
	id := waiting["id"].(string)
	h.API("POST", "/purchases/", order(h, client, due(h, 10*24*time.Hour), "")).Want(201)
	cancelled := h.API("POST", "/purchases/"+id+"/cancel/", nil).Want(200).JSON()
	holds(t, cancelled, map[string]any{"status": "cancelled", "is_recurring_token": false,
		"debit_order.collection_state": "cancelled"})
	later := h.API("POST", "/purchases/", order(h, client, due(h, 10*24*time.Hour), "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+later+"/charge/", `{"recurring_token":"`+id+`"}`).Want(400).WantCode(
		"__all__=invalid_recurring_token")
	list := h.API("GET", "/clients/"+client+"/recurring_tokens/", nil).Want(200).JSON()
	if n := len(list["results"].([]any)); n != 2 {
		t.Errorf("%d tokens are listed, want the two that are stored", n)
	}
	for key, problem := range map[string]string{
		`"payment_method_whitelist":["eft","debicheck"]`: "payment_method_whitelist=invalid_payment_method_whitelist",
		`"payment_method_whitelist":[]`:                  "payment_method_whitelist=min_length",
		`"payment_method_whitelist":["paypal"]`:          "payment_method_whitelist=invalid_choice",
		`"payment_method_whitelist":null`:                "payment_method_whitelist=invalid_payment_method_whitelist",
	} {
		h.API("POST", "/purchases/", strings.Replace(tokenising(h, client, 5000), `"payment_method_whitelist":["eft"]`, key,
			1)).Want(400).WantCode(problem)
	}
	h.API("POST", "/purchases/", strings.Replace(tokenising(h, client, 5000), `"currency":"ZAR"`, `"currency":"USD"`,
		1)).Want(400).WantCode("purchase.currency=invalid_choice")
}

func TestTheDebitOrderBlockFillsItselfIn(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	const whole = `"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":1,"period_units":"months"`
	block := "purchase.payment_method_details.direct_debit"
	with := func(inside string, status int) handlertest.Answer {
		return h.API("POST", "/purchases/", strings.Replace(tokenising(h, client, 0), whole, inside, 1)).Want(status)
	}
	day := float64(calendar.DateOf(h.Store.Now().Add(time.Hour)).Day)
	if day == 31 {
		day = 99
	}
	holds(t, with("", 201).JSON(), map[string]any{block + ".profile_code": "TEST1",
		block + ".abbreviated_name": "TESTMERCH1", block + ".account_number": "12345678",
		block + ".period_units": "months", block + ".deduction_day": day})
	for inside, code := range map[string]string{
		`"deduction_day":30`: "", `"deduction_day":99`: "", `"deduction_day":1`: "",
		`"deduction_day":31`: "deduction_day=invalid", `"deduction_day":0`: "deduction_day=invalid",
		`"period_units":"weeks","deduction_day":7`: "", `"period_units":"weeks","deduction_day":8`: "deduction_day=invalid",
		`"period_units":"days"`: "", `"period_units":"years"`: "period_units=invalid_choice",
		`"profile_code":"TEST2"`:                                          "profile_code=does_not_exist",
		`"account_number":"87654321"`:                                     "account_number=does_not_exist",
		`"abbreviated_name":"STRANGER"`:                                   "abbreviated_name=does_not_exist",
		`"value_type":null,"max_amount_cents":null,"verify_account":null`: "",
		`"verify_account":true`:                                           "verify_account=invalid",
		`"adjustment_rate":6`:                                             "adjustment_rate=invalid",
	} {
		if code == "" {
			with(inside, 201)
		} else {
			with(inside, 400).WantCode(block + "." + code)
		}
	}
}
