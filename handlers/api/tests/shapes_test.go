package tests

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

// API contract 12.17: what may all be left out may be left out in any of four ways.
func TestActionsWithoutValuesTakeAnyEmptyBody(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	for _, act := range []struct {
		name   string
		status int
	}{{"cancel", 200}, {"mark_as_paid", 200}, {"refund", 200}, {"resend_invoice", 200}, {"release", 400}, {"capture", 400},
		{"delete_recurring_token", 200}} {
		var first string
		for i, sent := range []any{nil, "", "{}", "[]", "null", " [ ] "} {
			order := body(h, client, "")
			if act.name == "delete_recurring_token" {
				order = tokenising(h, client, 0)
			}
			id := h.API("POST", "/purchases/", order).Want(201).Text("id")
			if act.name == "refund" {
				h.API("POST", "/purchases/"+id+"/mark_as_paid/", nil).Want(200)
			}
			got := h.API("POST", "/purchases/"+id+"/"+act.name+"/", sent)
			code := ""
			if got.Status == http.StatusBadRequest {
				code = got.Body
			}
			if i == 0 {
				first = code
			}
			if got.Status != act.status || code != first {
				t.Errorf("%s with %v: %d %.200s", act.name, sent, got.Status, got.Body)
			}
		}
		id := h.API("POST", "/purchases/", body(h, client, "")).Want(201).Text("id")
		if act.name == "refund" || act.name == "mark_as_paid" {
			h.API("POST", "/purchases/"+id+"/"+act.name+"/", `[1]`).Want(400).Contains("parse_error")
		}
	}
	h.API("POST", "/clients/", `[]`).Want(400).Contains("parse_error")
}

// API contract 12.18: the nil UUID does not exist, and is not the same as nothing.
func TestTheNilIDIsAValueThatDoesNotExist(t *testing.T) {
	t.Parallel()
	const none = "00000000-0000-0000-0000-000000000000"
	h := handlertest.New(t)
	client := payer(t, h)
	h.API("POST", "/purchases/", body(h, client, "")).Want(201)
	missing := `does_not_exist`
	order := body(h, client, "")
	h.API("POST", "/purchases/", strings.Replace(order, client, none, 1)).Want(400).Contains(`"client_id"`, missing, none)
	h.API("POST", "/purchases/", strings.Replace(order, h.A.BrandID.String(), none, 1)).Want(400).Contains(`"brand_id"`,
		missing, none)
	for _, list := range []string{"/purchases/?client_id=" + none, "/billing_templates/?brand_id=" + none,
		"/webhooks/deliveries/?webhook_id=" + none,
		"/webhooks/deliveries/?event_id=" + none, "/webhooks/deliveries/?id=" + none} {
		h.API("GET", list, nil).Want(200).Contains(`"results":[]`)
	}
	h.API("GET", "/payment_methods/?currency=ZAR&brand_id="+none, nil).Want(400).Contains(missing, none)
	h.API("GET", "/purchases/"+none+"/", nil).Want(404)
	h.API("GET", "/clients/"+none+"/", nil).Want(404)
}

// API contract 12.22: in JSON a list is a list; in a form a name that is repeated is
// one, and so is a name that stands once.
func TestAListIsAListInJSONAndARepeatedNameInAForm(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	for sent, at := range map[string]string{
		`,"tags":"a"`: `"tags"`, `,"payment_method_whitelist":"eft"`: `"payment_method_whitelist"`, `,"tags":""`: `"tags"`,
		`,"tags":7`: `"tags"`,
	} {
		h.API("POST", "/purchases/", body(h, client, sent)).Want(400).Contains(at, "not_a_list")
	}
	h.API("POST", "/purchases/", strings.Replace(body(h, client, ""), `[{"name":"December","price":10000}]`, `"December"`,
		1)).Want(400).Contains("not_a_list")
	h.API("POST", "/clients/", `{"email":"a@example.com","cc":"b@example.com"}`).Want(400).Contains(`"cc"`, "not_a_list")
	one := h.API("POST", "/clients/", url.Values{"email": {"a@example.com"}, "cc": {"b@example.com"}}).Want(201)
	one.Contains(`"cc":["b@example.com"]`)
	h.API("POST", "/clients/", url.Values{"email": {"c@example.com"}, "cc": {"d@example.com", "e@example.com"}}).Want(
		201).Contains(`"cc":["d@example.com","e@example.com"]`)
}

// A line break in a name would break a mail's subject, a line of a file and a table.
func TestAFieldOfOneLineTakesNoLineBreak(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	for _, bad := range []string{`a\nb`, `a\r\nb`, `a\tb`, `a\u0007b`, `a\u2028b`} {
		h.API("PATCH", "/clients/"+client+"/", `{"full_name":"`+bad+`"}`).Want(400).Contains(`"full_name"`, `"invalid"`,
			"one line")
		h.API("POST", "/purchases/", body(h, client, `,"reference":"`+bad+`"`)).Want(400).Contains(`"reference"`, "one line")
		h.API("POST", "/purchases/", strings.Replace(body(h, client, ""), "December", bad, 1)).Want(400).Contains(`"name"`,
			"one line")
		h.API("POST", "/billing_templates/", `{"title":"`+bad+`","is_subscription":false,"brand_id":"`+h.A.BrandID.String()+
			`","purchase":{"currency":"ZAR","products":[{"name":"Gym","price":45000}]}}`).
			Want(400).Contains(`"title"`, "one line")
		h.API("POST", "/webhooks/", `{"title":"`+bad+`","all_events":true,"callback":"https://hooks.example/a"}`).Want(
			400).Contains(`"title"`, "one line")
	}
	h.API("PATCH", "/clients/"+client+"/", `{"full_name":" Thandi Zulu\n"}`).Want(200).Contains(
		`"full_name":"Thandi Zulu"`)
	h.API("POST", "/purchases/", strings.Replace(body(h, client, ""), `"currency":"ZAR"`,
		`"currency":"ZAR","notes":"two\nlines"`, 1)).Want(201).Contains(`"notes":"two\nlines"`)
	form := url.Values{"email": {"n@example.com"}, "full_name": {"Thandi\r\nBcc: all@example.com"}}
	h.Page(h.A.Owner, "POST", "/clients", form).Want(422).Contains("one line")
}
