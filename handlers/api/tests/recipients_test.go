package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"debitdesk/handlers/handlertest"
)

// A recipient's own whitelist must leave a way to pay beside the direct_debit block that all share.
func TestAnInvoiceCanBePaidByWhatItsRecipientMayUse(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	const plain = `"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678"`
	const terms = plain + `,"value_type":"USAGEBASED","authentication_type":"DELAYED","debit_sequence":"RCUR",
		"adjustment_category":"NEVER","max_amount_cents":50000`
	invoice := func(block, whitelist string) handlertest.Answer {
		return h.API("POST", "/billing/", fmt.Sprintf(`{"brand_id":%q,"due":1796104800,"purchase":{"products":
			[{"name":"Fee","price":10000}],"payment_method_details":{"direct_debit":{%s}}},
			"clients":[{"client_id":%q},{"client_id":%q,"payment_method_whitelist":[%s]}]}`,
			h.A.BrandID, block, client, client, whitelist))
	}
	const wrong = "clients.1.payment_method_whitelist=invalid_payment_method_whitelist"
	invoice(plain, `"debicheck"`).Want(400).WantCode(wrong)
	invoice(plain, `"eft"`).Want(200)
	invoice(terms, `"debicheck"`).Want(200)
	var sent []string
	if err := json.Unmarshal([]byte(invoice(terms, `"eft"`).Want(200).Body), &sent); err != nil {
		t.Fatal(err)
	}
	template := h.API("POST", "/billing_templates/", fmt.Sprintf(`{"brand_id":%q,"title":"Fee","is_subscription":false,
		"due":1796104800,"purchase":{"products":[{"name":"Fee","price":10000}],
		"payment_method_details":{"direct_debit":{%s}}}}`, h.A.BrandID, terms)).Want(201).Text("id")
	alone := h.API("POST", "/billing_templates/"+template+"/send_invoice/", fmt.Sprintf(
		`{"client_id":%q,"payment_method_whitelist":["eft"]}`, client)).Want(200).Text("id")
	for _, id := range []string{sent[1], alone} {
		got := h.API("GET", "/purchases/"+id+"/", nil).Want(200).JSON()
		holds(t, got, map[string]any{"payment_method_whitelist.0": "eft",
			"purchase.payment_method_details.direct_debit.profile_code": "TEST1"})
		h.Call("GET", "/p/"+id+"/", nil).Want(200).Lacks("This cannot be paid here")
	}
}
