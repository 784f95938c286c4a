package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

func TestAmountsHaveALimit(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	const most = 10_000_000_000
	with := func(products, inside string) string {
		return fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"products":[%s]%s}}`, client, h.A.BrandID, products,
			inside)
	}
	line := func(price int) string { return fmt.Sprintf(`{"name":"m","price":%d}`, price) }
	for body, problem := range map[string]string{
		with(line(most+1), ""): "purchase.products.0.price=max_value",
		with(`{"name":"m","price":10000000000,"quantity":2}`, ""): "purchase.products.0.__all__=max_value",
		with(line(most)+","+line(1), ""):                          "purchase.products.1.__all__=max_value",
		with(line(1), `,"total_override":10000000001`):            "purchase.total_override=max_value",
		with(line(most), `,"debt":1`):                             "purchase.__all__=max_value",
		with(line(1), `,"debt":10000000001`):                      "purchase.debt=max_value",
		with(line(1), `,"total_override":9223372036854775807`):    "purchase.total_override=max_value",
	} {
		h.API("POST", "/purchases/", body).Want(400).WantCode(problem)
	}
	id := h.API("POST", "/purchases/", with(line(most), "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+id+"/mark_as_paid/", nil).Want(200)
	h.API("POST", "/purchases/"+id+"/refund/", `{"amount":10000000001}`).Want(400).WantCode("amount=max_value")
	h.API("POST", "/purchases/"+id+"/refund/", nil).Want(200)
}

func TestRandIsTheOnlyCurrency(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	h.Count(`WITH x AS (UPDATE brands SET currency = 'USD' RETURNING 1) SELECT count(*) FROM x`)
	for _, currency := range []string{"USD", "EUR", "usd", "ZZZ"} {
		h.API("POST", "/purchases/", strings.Replace(body(h, client, ""), `"currency":"ZAR"`, `"currency":"`+currency+`"`,
			1)).Want(400).WantCode("purchase.currency=invalid_choice")
	}
	for _, inside := range []string{"", `,"currency":"ZAR"`, `,"currency":"zar"`} {
		holds(t, h.API("POST", "/purchases/", order(h, client, "", inside)).Want(201).JSON(),
			map[string]any{"purchase.currency": "ZAR"})
	}
}

func TestAChargedPurchaseHasTheMethodOfItsTokenAtOnce(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	id := h.API("POST", "/purchases/", body(h, client, due(h, 10*24*time.Hour))).Want(201).Text("id")
	holds(t, h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":"`+token+`"}`).Want(200).JSON(),
		map[string]any{"transaction_data.payment_method": "eft"})
	holds(t, h.API("GET", "/purchases/"+id+"/", nil).Want(200).JSON(),
		map[string]any{"transaction_data.payment_method": "eft"})
}

func TestARefundOfAProvisionalDebitAnswersAPaymentThatIsPending(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	id := h.API("POST", "/purchases/", tokenising(h, client, 10000)).Want(201).Text("id")
	h.Count(
		`WITH c AS (UPDATE collections SET state = 'provisional', provisional_at = now(),
			final_at = now() + interval '20 years' RETURNING 1),
		p AS (UPDATE purchases SET status = 'paid', payment_count = 1, net_cents = 10000,
		payment = '{"payment_type":"purchase","amount":10000,"paid_on":"2026-01-01T00:00:00Z"}' RETURNING 1)
		SELECT (SELECT count(*) FROM c) + (SELECT count(*) FROM p)`,
	)
	refund := h.API("POST", "/purchases/"+id+"/refund/", `{"amount":4000}`).Want(200).JSON()
	holds(t, refund, map[string]any{"type": "payment", "status": "pending", "payment.payment_type": "refund",
		"payment.is_outgoing": true, "payment.amount": 4000.0,
		"payment.pending_amount": 4000.0, "payment.paid_on": nil, "related_to.id": id})
	holds(t, h.API("GET", "/purchases/"+id+"/", nil).JSON(),
		map[string]any{"status": "pending_refund", "refundable_amount": 6000.0, "refund_availability": "all"})
	h.API("POST", "/purchases/"+id+"/refund/", `{"amount":6001}`).Want(400).WantCode("amount=max_value")
	h.API("POST", "/purchases/"+id+"/refund/", nil).Want(200)
	holds(t, h.API("GET", "/purchases/"+id+"/", nil).JSON(),
		map[string]any{"refundable_amount": 0.0, "refund_availability": "none"})
	h.API("POST", "/purchases/"+id+"/refund/", nil).Want(400).WantCode("__all__=purchase_refund_not_possible")
}

func TestATotalOfNothingIsAcceptedWithSkipCapture(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	zero := func(beside string) string {
		return fmt.Sprintf(`{"client_id":%q,"brand_id":%q%s,"purchase":{"products":[{"name":"m","price":0}]}}`, client,
			h.A.BrandID, beside)
	}
	h.API("POST", "/purchases/", zero("")).Want(400).WantCode("purchase.__all__=min_value")
	holds(t, h.API("POST", "/purchases/", zero(`,"skip_capture":true`)).Want(201).JSON(),
		map[string]any{"status": "created", "purchase.total": 0.0})
}
