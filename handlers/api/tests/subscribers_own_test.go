package tests

import (
	"fmt"
	"testing"

	"debitdesk/handlers/handlertest"
)

func TestASubscribersOwnTermsAreAppliedOrRefused(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	runs := id(template(t, h, "true", ""))
	btc, first := subscriber(t, h, runs, client, `,"subscription_value_type":"USAGEBASED",
		"subscription_authentication_type":"DELAYED","subscription_adjustment_category":"NEVER",
		"subscription_max_amount_cents":50000,"subscription_first_amount_cents":2500`)
	holds(t, btc, map[string]any{"subscription_max_amount_cents": 50000.0, "subscription_first_amount_cents": 2500.0,
		"status": "pending", "invoice_override": nil})
	const block = "purchase.payment_method_details.direct_debit."
	holds(t, first, map[string]any{"purchase.total": 2500.0, block + "value_type": "USAGEBASED",
		block + "max_amount_cents": 50000.0, block + "debit_sequence": "RCUR", block + "profile_code": "TEST1",
		"purchase.products.0.name": "Gym: first period, pro rata"})
	add := "/billing_templates/" + runs + "/add_subscriber/"
	h.API("POST", add, fmt.Sprintf(`{"client_id":%q,"subscription_max_amount_cents":50000}`, client)).Want(400).
		WantCode("subscription_adjustment_category=required", "subscription_authentication_type=required",
			"subscription_value_type=required")
	h.API("POST", add, fmt.Sprintf(`{"client_id":%q,"payment_method_whitelist":["eft"],"subscription_value_type":"FIXED",
		"subscription_first_amount_cents":-1}`, client)).Want(400).
		WantCode("subscription_first_amount_cents=min_value", "subscription_value_type=invalid")
	h.API("POST", add, fmt.Sprintf(`{"client_id":%q,"subscription_value_type":"FIXED","subscription_first_amount_cents":1,
		"subscription_authentication_type":"DELAYED","subscription_adjustment_category":"NEVER",
		"subscription_max_amount_cents":10000}`, client)).Want(400).WantCode("subscription_first_amount_cents=invalid")
	at := "/billing_templates/clients/" + id(btc)
	h.API("PATCH", at, `{"subscription_max_amount_cents":60000,"subscription_first_amount_cents":3000}`).Want(200)
	if n := h.Count(`SELECT count(*) FROM template_clients s JOIN purchases p ON p.id = s.first_purchase_id
		JOIN purchases old ON old.id = $2 AND old.status = 'cancelled'
		WHERE s.id = $1 AND p.total_cents = 3000 AND p.details -> 'direct_debit' -> 'terms' ->> 'max_amount_cents' = '60000'`,
		id(btc), id(first)); n != 1 {
		t.Error("the client is still asked for the old terms")
	}
	once := id(template(t, h, "false", ""))
	h.API("POST", "/billing_templates/"+once+"/send_invoice/",
		fmt.Sprintf(`{"client_id":%q,"subscription_first_amount_cents":100}`, client)).Want(400).
		WantCode("subscription_first_amount_cents=invalid")
}
