package tests

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

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
		for _, sent := range []string{`[1]`, `{`, `"x"`, "reason=paid twice"} {
			h.API("POST", "/purchases/"+id+"/"+act.name+"/", sent).Want(400).WantCode("__all__=parse_error")
		}
		if got := h.API("GET", "/purchases/"+id+"/", nil).Want(200).Text("status"); got != "created" {
			t.Errorf("%s with a body that cannot be read left the purchase %s", act.name, got)
		}
	}
	statement := h.API("POST", "/company_statements/?currency=ZAR", `{"format":"csv"}`).Want(201).Text("id")
	h.API("POST", "/company_statements/"+statement+"/cancel/", `{`).Want(400).WantCode("__all__=parse_error")
	h.API("POST", "/company_statements/"+statement+"/cancel/", `[]`).Want(200)
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

// API contract 12.21: ZAR is the only currency; any other text is no choice, however long.
func TestAnyOtherCurrencyIsNoChoice(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	for _, text := range []string{"USD", "usd", "R", "RAND", "South African rand", strings.Repeat("z", 100_000)} {
		got := h.API("POST", "/purchases/", order(h, client, "", fmt.Sprintf(`,"currency":%q`, text))).Want(400).WantCode(
			"purchase.currency=invalid_choice")
		if len(got.Body) > 500 {
			t.Errorf("%.20s is repeated in full: %d bytes", text, len(got.Body))
		}
	}
	for _, text := range []string{"zar", " ZAR ", ""} {
		h.API("POST", "/purchases/", order(h, client, "", fmt.Sprintf(`,"currency":%q`, text))).Want(201)
	}
}

// A brand that is not the merchant's is refused at the name that the program wrote (API contract 1.5, 7).
func TestAnUnknownBrandOfAFilterIsRefusedAtItsName(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	for _, name := range []string{"brand", "brand_id"} {
		query := "?currency=ZAR&" + name + "=" + h.B.BrandID.String()
		h.API("GET", "/account/json/balance/"+query, nil).Want(400).WantCode(name + "=does_not_exist")
		h.API("GET", "/account/json/turnover/"+query, nil).Want(400).WantCode(name + "=does_not_exist")
		h.API("POST", "/company_statements/"+query, `{"format":"csv"}`).Want(400).WantCode(name + "=does_not_exist")
	}
}

// A brand that a program meant to give and did not have must not become all brands. None at all is all of them.
func TestABrandThatIsNoneIsNotEveryBrand(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/account/json/balance/?currency=ZAR"
	h.API("GET", at, nil).Want(200)
	h.API("GET", at+"&brand=", nil).Want(200)
	for _, text := range []string{"null", "None", "undefined"} {
		h.API("GET", at+"&brand="+text, nil).Want(400).WantCode("brand=invalid")
	}
	h.API("GET", at+"&brand="+uuid.Nil.String(), nil).Want(400).WantCode("brand=does_not_exist")
}

// A moment or a day that nobody means is refused at its field, and books nothing in 1970.
func TestADayThatNobodyMeansIsRefused(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	id := h.API("POST", "/purchases/", order(h, client, "", "")).Want(201).Text("id")
	paid := "/purchases/" + id + "/mark_as_paid/"
	h.API("POST", paid, `{"paid_on":0}`).Want(400).WantCode("paid_on=min_value").
		Contains("`paid_on` is 1970-01-01. It can be at most 20 years back.")
	now := h.Store.Now()
	h.API("POST", paid, fmt.Sprintf(`{"paid_on":%d}`, now.AddDate(-20, 0, -1).Unix())).Want(400).
		WantCode("paid_on=min_value")
	for _, day := range []string{"0001-01-01", "1970-01-01"} {
		h.API("POST", "/purchases/", order(h, client, fmt.Sprintf(`,"issued":%q`, day), "")).Want(400).
			WantCode("issued=min_value")
	}
	h.API("POST", "/purchases/", order(h, client, `,"issued":"9999-12-31"`, "")).Want(400).WantCode("issued=max_value")
	h.API("POST", paid, fmt.Sprintf(`{"paid_on":%d}`, now.AddDate(-19, 0, 0).Unix())).Want(200) // an old one
	h.API("POST", "/purchases/", order(h, client, `,"due":0`, "")).Want(400).WantCode("due=due_not_greater_than_now")
}

// Programs take the first result of a search: one that cannot be read must never be a search for everybody.
func TestASearchIsNeverLostToASignInTheAddress(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	odd := h.API("POST", "/clients/", `{"email":"50%off@example.com"}`).Want(201).Text("id")
	payer(t, h)
	for _, lost := range []string{"q=nobody;here@example.com", "q=%zz", "q=nobody%", "personal_code=8001;015009087",
		"personal_code=%8", "limit=5&q=n%o", "q=nobody%&cursor="} {
		h.API("GET", "/clients/?"+lost, nil).Want(200).Contains(`"results":[]`)
	}
	h.API("GET", "/clients/?limit=%3", nil).Want(400).WantCode("limit=invalid")
	h.API("GET", "/purchases/?status=paid;created", nil).Want(400).WantCode("status=invalid_choice")
	for _, found := range []string{"q=50%off@example.com", "q=50%25off%40example.com"} {
		got := h.API("GET", "/clients/?"+found+"&time=1", nil).Want(200)
		if n := strings.Count(got.Body, `"type":"client"`); n != 1 || !strings.Contains(got.Body, odd) {
			t.Errorf("%s finds %.200s", found, got.Body)
		}
	}
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
