package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/storetest/thorough"
)

// oddities are values that a field may get instead of what it asks for, as JSON.
var oddities = []string{`null`, `true`, `0`, `-1`, `1`, `1.5`, `1e2`, `1e999`, `-1e999`, `1e-999`,
	`99999999999999999999`, `9223372036854775807`, `-9223372036854775808`, `""`, `" "`, `"x"`, `"-1"`, `"1e999"`,
	`"NaN"`, `"\u0000"`, `"a\u0000b"`, `"\ud800"`, "\"\xff\"", `"\u202e\u200b"`, `[]`, `[null]`, `[[]]`, `["x","x"]`,
	`[1]`, `{}`, `{"a":1}`, `{"":null}`, `[{}]`, `"2026-02-30"`, `"9999-12-31"`, `4102444799`, `4102444800`,
	`"0192d1a0-0000-7000-8000-000000000000"`, `"eft"`, `"ZAR"`, `"<script>"`, `"'; DROP TABLE purchases; --"`,
	`"` + strings.Repeat("é", 5000) + `"`, strings.Repeat("[", 500) + strings.Repeat("]", 500)}

// fields of a body, with their places.
func places(prefix string, value any) (out []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			out = append(out, prefix+name)
			out = append(out, places(prefix+name+".", inner)...)
		}
	case []any:
		for i, inner := range v {
			out = append(out, places(fmt.Sprintf("%s%d.", prefix, i), inner)...)
		}
	}
	return out
}

// with puts raw JSON at a place of a body.
func with(value any, place, raw string) any {
	name, rest, deeper := strings.Cut(place, ".")
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, inner := range v {
			out[k] = inner
		}
		if deeper {
			out[name] = with(v[name], rest, raw)
		} else {
			out[name] = json.RawMessage(raw)
		}
		return out
	case []any:
		out := append([]any{}, v...)
		i := int(name[0] - '0')
		out[i] = with(v[i], rest, raw)
		return out
	}
	return value
}

// render writes a body without minding whether what was put into it is JSON at all.
func render(b *strings.Builder, value any) {
	switch v := value.(type) {
	case json.RawMessage:
		b.Write(v)
	case map[string]any:
		separator := "{"
		for name, inner := range v {
			fmt.Fprintf(b, "%s%q:", separator, name)
			render(b, inner)
			separator = ","
		}
		if separator == "{" {
			b.WriteString("{")
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[")
		for i, inner := range v {
			if i > 0 {
				b.WriteString(",")
			}
			render(b, inner)
		}
		b.WriteString("]")
	default:
		raw, _ := json.Marshal(v)
		b.Write(raw)
	}
}

const everyField = `{"client_id":"%s","brand_id":"%s","payment_method_whitelist":["eft"],"force_recurring":true,"skip_capture":false,"send_receipt":false,"reference":"r","issued":"2026-11-20",
	"due":4000000000,"success_redirect":"https://a.example","failure_redirect":"https://a.example","cancel_redirect":"https://a.example","success_callback":"https://a.example","creator_agent":"x","platform":"api",
	"order_id":"o","tags":["t"],"upsell_campaigns":[],"referral_campaign_id":null,"purchase":{"products":[{"name":"m","price":100,"quantity":"1","discount":0,"tax_percent":"0","category":"c","total_price_override":50}],
	"currency":"ZAR","language":"en","notes":"n","debt":0,"subtotal_override":1,"total_tax_override":1,"total_discount_override":1,"total_override":70,"request_client_details":["email"],"timezone":"UTC","due_strict":false,
	"email_message":"m","metadata":{"k":"v"},"payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":1,"period_units":"months",
	"value_type":null,"authentication_type":null,"do_delayed_on_auth_failure":null,"debit_sequence":null,"adjustment_category":null,"adjustment_rate":null,"adjustment_amount_cents":null,"allow_date_adjustment":null,
	"verify_account":null,"max_amount_cents":null}}}}`

const everyDetail = `{"email":"a@b.co","phone":"27821234567","full_name":"T","personal_code":"8501015000085","street_address":"s","city":"c","state":"s","zip_code":"1","country":"ZA","cc":["a@b.co"],"bcc":["a@b.co"],
	"shipping_street_address":"s","shipping_city":"c","shipping_state":"s","shipping_zip_code":"1","shipping_country":"ZA","legal_name":"l","brand_name":"b","registration_number":"1","tax_number":"1",
	"bank_account":"6200000001","bank_code":"470010","client_type":null,"delivery_methods":[],"brand_id":"x"}`

// tried puts odd values in one place of a body: each is taken, or refused in the form of the contract.
func tried(t *testing.T, h *handlertest.Server, errors *bytes.Buffer, method, path, place string, whole any) {
	t.Helper()
	for n, odd := range oddities {
		if !thorough.OneIn(3, fmt.Sprint(method, path[:5], place, n)) {
			continue
		}
		got := h.API(method, path, text(with(whole, place, odd)))
		if got.Status/100 == 2 {
			continue
		}
		if body := got.JSON(); got.Status != 400 || len(got.Codes()) == 0 || body["errors"] != nil || errors.Len() > 0 {
			t.Errorf("%s %s with %s as %.60s: %d %.300s %s", method, path, place, odd, got.Status, got.Body, errors)
			errors.Reset()
		}
	}
}

// Every field of a request gets every oddity: the answer is 2xx, or a 4xx with errors in the usual form.
func TestNoOddValueInAnyFieldBreaksARequest(t *testing.T) {
	t.Parallel()
	var errors bytes.Buffer
	h := handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.Log = slog.New(slog.NewTextHandler(&errors, &slog.HandlerOptions{Level: slog.LevelError}))
	})
	client := payer(t, h)
	details := json.RawMessage(everyDetail)
	var inline map[string]any
	must(t, json.Unmarshal(fmt.Appendf(nil, everyField, client, h.A.BrandID), &inline))
	delete(inline, "client_id")
	var inside any
	must(t, json.Unmarshal(details, &inside))
	inline["client"] = inside
	for _, c := range []struct{ method, path, body, under string }{
		{"POST", "/clients/", everyDetail, ""},
		{"PATCH", "/clients/" + client + "/", everyDetail, ""},
		{"POST", "/purchases/", fmt.Sprintf(everyField, client, h.A.BrandID), ""},
		{"POST", "/purchases/", text(inline), "client"}, // the rest of it is the body above
	} {
		var whole any
		must(t, json.Unmarshal([]byte(c.body), &whole))
		h.API("PATCH", "/clients/"+client+"/", everyDetail).Want(200) // odd values that were taken are gone again
		if got := h.API(c.method, c.path, c.body); got.Status/100 != 2 {
			t.Fatalf("%s %s as it should be: %d %s", c.method, c.path, got.Status, got.Body)
		}
		for _, place := range places("", whole) {
			if !strings.HasPrefix(place, c.under) {
				continue
			}
			tried(t, h, &errors, c.method, c.path, place, whole)
		}
	}
}

const everySubscription = `{"brand_id":"%s","title":"Gym","is_subscription":true,"force_recurring":false,"payment_method_whitelist":null,"success_redirect":"","failure_redirect":"","cancel_redirect":"",
	"subscription_period":1,"subscription_period_units":"months","subscription_due_period":7,"subscription_due_period_units":"days","subscription_charge_period_end":false,"subscription_trial_periods":0,
	"subscription_paused":false,"number_of_billing_cycles":null,"purchase":{"products":[{"name":"m","price":100}]}}`

const everyInvoice = `{"brand_id":"%s","title":"Course","is_subscription":false,"issued":"2026-11-30","due":4000000000,"skip_capture":false,"send_receipt":true,"purchase":{"products":[{"name":"m","price":100}]}}`

const everySubscriber = `{"client_id":"%s","brand_id":"x","status":null,"payment_method_whitelist":["debicheck"],"send_invoice_on_charge_failure":true,"send_invoice_on_add_subscriber":true,"send_receipt":true,
	"invoice_reference":"r","subscription_confirm_each_order":false,"invoice_override":{"debt":1,"subtotal_override":1,"total_tax_override":1,"total_discount_override":1,"total_override":70,
	"products":[{"name":"m","price":100,"quantity":"1","discount":0,"tax_percent":"0","category":"c","total_price_override":50}]},"subscription_billing_scheduled_on":null,"subscription_tracking_period":3,
	"subscription_value_type":"VARIABLE","subscription_allow_date_adjustment":true,"subscription_authentication_type":"DELAYED","subscription_realtime_auth_retries":1,"subscription_do_delayed_on_auth_failure":true,
	"subscription_verify_account":true,"subscription_reference_number":"r","subscription_max_amount_cents":75,"subscription_creditor_profile_code":"TEST1","subscription_creditor_abbreviated_name":"TESTMERCH1",
	"subscription_creditor_account_number":"12345678","subscription_first_amount_cents":60,"subscription_debtor_account_number":"6200000001","subscription_debtor_account_type":"CURRENT","subscription_debtor_branch_code":"470010","subscription_debtor_first_name":"T",
	"subscription_debtor_last_name":"N","subscription_debtor_id_number":"8501015000085","subscription_debtor_phone_number":"27821234567","subscription_adjustment_category":"ANNUALLY","subscription_adjustment_rate":5,
	"subscription_adjustment_amount":null,"subscription_release_date":"2027-01-31"}`

// The same of templates and subscribers. Their "purchase" is read as that of a purchase.
func TestNoOddValueBreaksATemplateOrASubscriber(t *testing.T) {
	t.Parallel()
	var errors bytes.Buffer
	h := handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.Log = slog.New(slog.NewTextHandler(&errors, &slog.HandlerOptions{Level: slog.LevelError}))
	})
	client := payer(t, h)
	runs := id(template(t, h, "true", ""))
	btc, _ := subscriber(t, h, runs, client, "")
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/billing_templates/", fmt.Sprintf(everySubscription, h.A.BrandID)},
		{"POST", "/billing_templates/", fmt.Sprintf(everyInvoice, h.A.BrandID)},
		{"PATCH", "/billing_templates/clients/" + id(btc) + "/", fmt.Sprintf(everySubscriber, client)},
		{"POST", "/billing_templates/" + runs + "/add_subscriber/", fmt.Sprintf(everySubscriber, client)},
	} {
		var whole any
		must(t, json.Unmarshal([]byte(c.body), &whole))
		if got := h.API(c.method, c.path, c.body); got.Status/100 != 2 {
			t.Fatalf("%s %s as it should be: %d %s", c.method, c.path, got.Status, got.Body)
		}
		for _, place := range places("", whole) {
			if strings.HasPrefix(place, "purchase.") || c.method == "POST" &&
				strings.HasPrefix(place, "invoice_override.products.") {
				continue
			}
			tried(t, h, &errors, c.method, c.path, place, whole)
		}
	}
	for _, list := range []string{"/billing_templates/?limit=100", "/billing_templates/" + runs + "/clients/?limit=100",
		"/purchases/?limit=100"} {
		h.API("GET", list, nil).Want(200) // what was taken can be read again
	}
	if _, err := h.Subscriptions.Run(t.Context()); err != nil || errors.Len() > 0 {
		t.Errorf("what was taken can be billed: %v %s", err, &errors)
	}
}

func text(value any) string {
	var b strings.Builder
	render(&b, value)
	return b.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
