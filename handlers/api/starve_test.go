package api_test

import (
	"fmt"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// More callers than the pool has connections, of each address that writes: a unit of
// work that needed a second connection would have all of them wait for each other
// until they are sent away.
func TestManyCallersOfEachWritingAddressDoNotStarveThePool(t *testing.T) {
	t.Parallel()
	const many = 64 // the pool of the house has 12 connections
	h := handlertest.New(t)
	all := func(what string, want int, call func(i int) handlertest.Answer) (ids []string) {
		t.Helper()
		calls := make([]func() handlertest.Answer, many)
		for i := range calls {
			calls[i] = func() handlertest.Answer { return call(i) }
		}
		for _, a := range atOnce(calls...) {
			if a.Status != want {
				t.Fatalf("%s: %d %.300s", what, a.Status, a.Body)
			}
			if want == 201 {
				ids = append(ids, a.Text("id"))
			}
		}
		return ids
	}
	clients := all("make clients", 201, func(i int) handlertest.Answer {
		return h.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("c%d@example.com", i), "full_name": "Thandi Nkosi", "phone": "27821234567",
			"bank_account": fmt.Sprint(6200000001 + i), "bank_code": "470010", "personal_code": "8501015000085"})
	})
	all("change clients", 200, func(i int) handlertest.Answer {
		return h.API("PATCH", "/clients/"+clients[i]+"/", `{"full_name":"Thandi Zulu"}`)
	})
	tokens := all("store accounts", 201, func(i int) handlertest.Answer { return h.API("POST", "/purchases/", tokenising(h, clients[i], 0)) })
	waiting := all("make purchases", 201, func(i int) handlertest.Answer {
		return h.API("POST", "/purchases/", body(h, clients[i], due(h, 72*time.Hour)))
	})
	all("charge", 200, func(i int) handlertest.Answer {
		return h.API("POST", "/purchases/"+waiting[i]+"/charge/", `{"recurring_token":"`+tokens[i]+`"}`)
	})
	others := all("make more purchases", 201, func(i int) handlertest.Answer { return h.API("POST", "/purchases/", body(h, clients[i], "")) })
	all("mark as paid", 200, func(i int) handlertest.Answer {
		return h.API("POST", "/purchases/"+others[i]+"/mark_as_paid/", nil)
	})
	all("refund", 200, func(i int) handlertest.Answer {
		return h.API("POST", "/purchases/"+others[i]+"/refund/", `{"amount":100}`)
	})
	all("bill", 201, func(i int) handlertest.Answer {
		return h.API("POST", "/billing_templates/", fmt.Sprintf(`{"title":"T%d","brand_id":%q,"is_subscription":true,"subscription_period":1,"subscription_period_units":"months",
			"subscription_due_period":7,"subscription_due_period_units":"days","purchase":{"currency":"ZAR","products":[{"name":"Gym","price":45000}]}}`, i, h.A.BrandID))
	})
	all("send away", 200, func(i int) handlertest.Answer {
		if i%2 == 0 {
			return h.API("POST", "/purchases/"+tokens[i]+"/delete_recurring_token/", nil)
		}
		return h.API("POST", "/purchases/"+waiting[i]+"/cancel/", nil)
	})
	all("delete clients", 204, func(i int) handlertest.Answer { return h.API("DELETE", "/clients/"+clients[i]+"/", nil) })
	if n := h.Count(`SELECT count(*) FROM tokens WHERE state <> 'deleted'`); n != 0 {
		t.Errorf("%d stored accounts are left", n)
	}
}
