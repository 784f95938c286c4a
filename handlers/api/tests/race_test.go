package tests

import (
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// atOnce runs the calls at the same moment and gives their answers in order.
func atOnce(calls ...func() handlertest.Answer) []handlertest.Answer {
	answers := make([]handlertest.Answer, len(calls))
	gate := make(chan struct{})
	var wait sync.WaitGroup
	for i, call := range calls {
		wait.Go(func() {
			<-gate
			answers[i] = call()
		})
	}
	close(gate)
	wait.Wait()
	return answers
}

func times(n int, call func() handlertest.Answer) []func() handlertest.Answer {
	calls := make([]func() handlertest.Answer, n)
	for i := range calls {
		calls[i] = call
	}
	return calls
}

func won(answers []handlertest.Answer, status int) (n int) {
	for _, a := range answers {
		if a.Status == status {
			n++
		}
	}
	return n
}

// A key with the same body at the same moment: one fact, one answer, given many times.
func TestTheSameKeyAtOnceActsOnce(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	charged := h.API("POST", "/purchases/", body(h, client, due(h, 72*time.Hour))).Want(201).Text("id")
	paid := h.API("POST", "/purchases/", body(h, client, "")).Want(201).Text("id")
	for _, c := range []struct{ path, body, count string }{
		{"/purchases/" + charged + "/charge/", `{"recurring_token":"` + token + `"}`, `SELECT count(*) FROM collections`},
		{"/purchases/" + paid + "/mark_as_paid/", `{}`, `SELECT count(*) FROM ledger_entries WHERE kind = 'paid_by_hand'`},
		{"/purchases/" + paid + "/refund/", `{"amount":100}`, `SELECT count(*) FROM refunds WHERE amount_cents = 100`},
		{"/purchases/" + paid + "/refund", `{"amount":101}`, `SELECT count(*) FROM refunds WHERE amount_cents = 101`},
		{"//purchases/" + paid + "/refund/", `{"amount":102}`, `SELECT count(*) FROM refunds WHERE amount_cents = 102`},
		{"/purchases/", body(h, client, `,"reference":"twice"`), `SELECT count(*) FROM purchases WHERE reference = 'twice'`},
		{"/clients/", `{"email":"twice@example.com"}`, `SELECT count(*) FROM clients WHERE email = 'twice@example.com'`},
	} {
		answers := atOnce(times(12, func() handlertest.Answer {
			return h.API("POST", c.path, c.body, "Idempotency-Key: key of "+c.path+c.body[:min(len(c.body), 99)])
		})...)
		for _, a := range answers {
			if a.Status/100 != 2 || a.Body != answers[0].Body {
				t.Errorf("%s: %d %s", c.path, a.Status, a.Body)
			}
		}
		if n := h.Count(c.count); n != 1 {
			t.Errorf("%s acted %d times", c.path, n)
		}
	}
}

func TestOfManyActsOnOnePurchaseOneWins(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	for _, c := range []struct{ act, count string }{
		{"mark_as_paid", `SELECT count(*) FROM ledger_entries WHERE purchase_id = $1`},
		{"cancel", `SELECT count(*) FROM audit_entries WHERE action = 'purchase.cancelled' AND purchase_id = $1`},
	} {
		id := h.API("POST", "/purchases/", body(h, client, "")).Want(201).Text("id")
		answers := atOnce(times(12, func() handlertest.Answer {
			return h.API("POST", "/purchases/"+id+"/"+c.act+"/",
				nil)
		})...)
		if n, m := won(answers, 200), h.Count(c.count, id); n != 1 || m != 1 || won(answers, 400) != 11 {
			t.Errorf("%s: %d answered, %d happened", c.act, n, m)
		}
	}
	id := h.API("POST", "/purchases/", body(h, client, "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+id+"/mark_as_paid/", nil).Want(200)
	answers := atOnce(times(12, func() handlertest.Answer {
		return h.API("POST", "/purchases/"+id+"/refund/",
			`{"amount":3000}`)
	})...)
	if n, sum := won(answers, 200), h.Count(`SELECT sum(amount_cents)::int FROM refunds WHERE purchase_id = $1`,
		id); n != sum/3000 || sum > 10000 || n == 0 {
		t.Errorf("%d refunds of R30 answered, %d cents given back of 10000", n, sum)
	}
}

// Cancelling and charging at once ends in one of two ways, and the collection agrees with it.
func TestCancelAndChargeAtOnceAgree(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	for range 8 {
		id := h.API("POST", "/purchases/", body(h, client, due(h, 72*time.Hour))).Want(201).Text("id")
		charge := func() handlertest.Answer {
			return h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":"`+token+`"}`)
		}
		cancel := func() handlertest.Answer { return h.API("POST", "/purchases/"+id+"/cancel/", nil) }
		answers := atOnce(charge, cancel, charge, cancel)
		status := h.API("GET", "/purchases/"+id+"/", nil).Text("status")
		live := h.Count(`SELECT count(*) FROM collections WHERE purchase_id = $1 AND state = 'scheduled'`, id)
		// A cancel may come before or after the charge; in the end it always wins.
		if status != "cancelled" || live != 0 || won(answers, 500) != 0 {
			t.Errorf("status %s with %d live collections: %d %d %d %d", status, live, answers[0].Status, answers[1].Status,
				answers[2].Status, answers[3].Status)
		}
	}
}

// Paid by hand and debited as well would take the payer's money twice.
func TestPaidByHandAndChargedAtOnceNeverBoth(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	for range 8 {
		id := h.API("POST", "/purchases/", body(h, client, due(h, 72*time.Hour))).Want(201).Text("id")
		answers := atOnce(func() handlertest.Answer {
			return h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":"`+token+`"}`)
		}, func() handlertest.Answer { return h.API("POST", "/purchases/"+id+"/mark_as_paid/", nil) })
		live := h.Count(`SELECT count(*) FROM collections WHERE purchase_id = $1`, id)
		paid := h.Count(`SELECT count(*) FROM ledger_entries WHERE purchase_id = $1`, id)
		if live+paid != 1 || won(answers, 200) != 1 || won(answers, 400) != 1 {
			t.Errorf("%d debits and %d payments by hand: %d %d", live, paid, answers[0].Status, answers[1].Status)
		}
	}
}

// A client that is deleted while its account is charged leaves no live collection.
func TestADeletedClientHasNoLiveCollection(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	for range 5 {
		client := payer(t, h)
		token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
		var calls []func() handlertest.Answer
		for range 3 {
			id := h.API("POST", "/purchases/", body(h, client, due(h, 72*time.Hour))).Want(201).Text("id")
			calls = append(calls, func() handlertest.Answer {
				return h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":"`+token+`"}`)
			})
		}
		calls = append(calls, func() handlertest.Answer { return h.API("DELETE", "/clients/"+client+"/", nil) },
			func() handlertest.Answer { return h.API("POST", "/purchases/", tokenising(h, client, 10000)) },
			func() handlertest.Answer { return h.API("POST", "/purchases/", tokenising(h, client, 0)) })
		for i, a := range atOnce(calls...) {
			if a.Status >= 500 || a.Status == 429 {
				t.Errorf("call %d: %d %s", i, a.Status, a.Body)
			}
		}
		if h.API("GET", "/clients/"+client+"/", nil).Status == 200 {
			h.API("DELETE", "/clients/"+client+"/", nil).Want(204)
		}
		if n := h.Count(`SELECT count(*) FROM tokens WHERE client_id = $1 AND state IN ('active', 'blocked')`,
			client); n != 0 {
			t.Errorf("%d live tokens of a deleted client", n)
		}
		if n := h.Count(
			`SELECT count(*) FROM collections c JOIN tokens k ON k.id = c.token_id
				WHERE k.state = 'deleted' AND c.state = 'scheduled'`,
		); n != 0 {
			t.Errorf("%d live collections on a deleted token", n)
		}
	}
}

// No live collection is left on a deleted token, whichever comes first.
func TestADeletedTokenHasNoLiveCollection(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	for range 6 {
		token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
		calls := []func() handlertest.Answer{}
		for range 4 {
			id := h.API("POST", "/purchases/", body(h, client, due(h, 72*time.Hour))).Want(201).Text("id")
			calls = append(calls, func() handlertest.Answer {
				return h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":"`+token+`"}`)
			})
		}
		calls = append(calls, func() handlertest.Answer {
			return h.API("DELETE", "/clients/"+client+"/recurring_tokens/"+token+"/", nil)
		}, func() handlertest.Answer { return h.API("POST", "/purchases/"+token+"/delete_recurring_token/", nil) })
		answers := atOnce(calls...)
		if gone := won(answers[4:5], 204) + won(answers[5:], 200); gone != 1 {
			t.Errorf("%d deletions won: %d %d", gone, answers[4].Status, answers[5].Status)
		}
		for _, a := range answers[:4] {
			if a.Status != 200 && a.Status != 400 {
				t.Errorf("a charge: %d %s", a.Status, a.Body)
			}
		}
		if n := h.Count(
			`SELECT count(*) FROM collections c JOIN tokens k ON k.id = c.token_id
				WHERE k.state = 'deleted' AND c.state = 'scheduled'`,
		); n != 0 {
			t.Errorf("%d live collections on a deleted token", n)
		}
		if n := h.Count(`SELECT count(*) FROM purchases WHERE status = 'pending_charge'`); n != 0 {
			t.Errorf("%d purchases wait for a deleted token", n)
		}
	}
}

// The payer taps twice, or the link is open on two phones: one account is stored.
func TestOfManyPayersOnOneLinkOneWins(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := h.API("POST", "/clients/", `{"email":"p@example.com","full_name":"P Dube"}`).Want(201).Text("id")
	id := h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"m","price":10000}]}}`,
		client,
		h.A.BrandID,
	)).Want(201).Text("id")
	var calls []func() handlertest.Answer
	for i := range 8 {
		form := url.Values{"full_name": {"P Dube"}, "id_number": {"8501015000085"}, "phone": {"0821234567"},
			"bank_code":      {"470010"},
			"account_number": {fmt.Sprintf("620000010%d", i)}, "account_type": {"SAVINGS"}, "consent": {"yes"}}
		calls = append(calls, func() handlertest.Answer {
			return h.Call("POST", "/p/"+id+"/", form, "Accept: text/html", "Sec-Fetch-Site: same-origin")
		})
	}
	for _, a := range atOnce(calls...) {
		if a.Status >= 500 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	for table, n := range map[string]int{"mandates": h.Count(`SELECT count(*) FROM mandates`),
		"tokens": h.Count(`SELECT count(*) FROM tokens`), "collections": h.Count(`SELECT count(*) FROM collections`)} {
		if n != 1 {
			t.Errorf("%d %s", n, table)
		}
	}
}
