package tests

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

func TestTheListOfPurchasesFiltersWithBothEndsIncluded(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client, other := payer(t, h), h.API("POST", "/clients/",
		`{"email":"sipho@example.net","full_name":"Sipho Dube"}`).Want(201).Text("id")
	base := h.Store.Now().Add(48 * time.Hour).Unix()
	for i := range 3 {
		h.API("POST", "/purchases/", order(h, client, fmt.Sprintf(`,"due":%d,"reference":"INV-%d"`, base+int64(i), i),
			"")).Want(201)
	}
	h.API("POST", "/purchases/", order(h, other, fmt.Sprintf(`,"due":%d`, base), "")).Want(201)
	for query, want := range map[string]int{
		"": 4, fmt.Sprintf("due_from=%d", base): 4, fmt.Sprintf("due_from=%d", base+1): 2,
		fmt.Sprintf("due_to=%d", base+1): 3, fmt.Sprintf("due_from=%d&due_to=%d", base+1, base+1): 1,
		"client_id=" + other: 1, "q=sipho": 1, "q=sipho@example.net": 1, "q=INV-2": 1, "q=inv-2": 1, "q=nobody": 0,
		"status=created": 4, "status=created&status=paid": 4, "status=paid": 0,
		"status=": 4, "status=&status=paid": 0, "client_id=&due_from=&due_to=&q=&limit=&cursor=": 4,
		"unknown=x&time=17": 4, "limit=1000": 4, "client_id=" + other + "&q=inv": 0,
	} {
		if got := len(h.API("GET", "/purchases/?"+query, nil).Want(200).JSON()["results"].([]any)); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	page := h.API("GET", "/purchases/?limit=1&q=inv&due_from="+fmt.Sprint(base), nil).Want(200).JSON()
	next := page["next"].(string)
	if !strings.HasPrefix(next, handlertest.BaseURL+"/api/v1/purchases/?") || !strings.Contains(next, "q=inv") ||
		!strings.Contains(next, "limit=1") || !strings.Contains(next, "due_from=") {
		t.Errorf("next %s", next)
	}
	second := h.Call("GET", strings.TrimPrefix(next, handlertest.BaseURL), nil,
		"Authorization: Bearer "+h.A.Token).Want(200).JSON()
	holds(t, second, map[string]any{"results.0.reference": "INV-1"})
	back := h.Call("GET", strings.TrimPrefix(second["previous"].(string), handlertest.BaseURL), nil,
		"Authorization: Bearer "+h.A.Token).Want(200).JSON()
	holds(t, back, map[string]any{"results.0.reference": "INV-2", "previous": nil})
	h.API("GET", "/purchases/?client_id=nonsense", nil).Want(400).WantCode("client_id=invalid")
}

func TestAClientIsAmendedAndItsPurchasesKeepTheirCopy(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := payer(t, h)
	id := h.API("POST", "/purchases/", order(h, client, "", "")).Want(201).Text("id")
	h.API("PATCH", "/clients/"+client, url.Values{"full_name": {"T Nkosi"}, "country": {"South Africa"},
		"unknown": {"true"}}).Want(200).Contains(`"full_name":"T Nkosi"`, `"country":"ZA"`, `"bank_account":"6200000001"`)
	h.API("PATCH", "/clients/"+client+"/",
		`{"bank_account":"•••• 0001","personal_code":"850101•••••85","cc":null,"client_type":"x","type":"y","id":"z"}`).Want(
		200).
		Contains(`"bank_account":"6200000001"`, `"personal_code":"8501015000085"`)
	h.API("PUT", "/clients/"+client+"/", `{"email":"new@example.com","bank_account":"•••• 0001"}`).Want(200).Contains(
		`"bank_account":"6200000001"`, `"full_name":""`, `"email":"new@example.com"`)
	holds(t, h.API("GET", "/purchases/"+id, nil).Want(200).JSON(),
		map[string]any{"client.full_name": "Thandi Nkosi", "client.email": "thandi@example.com",
			"client.bank_account": "•••• 0001"})
	h.API("GET", "/clients/?personal_code=8501015000085", nil).Want(200)
	h.API("DELETE", "/clients/"+client+"/", nil).Want(204)
	h.API("DELETE", "/clients/"+client+"/", nil).Want(404)
	holds(t, h.API("GET", "/purchases/"+id, nil).Want(200).JSON(), map[string]any{"client.full_name": "Thandi Nkosi"})
}

func TestATokenOfAnotherBrandOrClientIsRefused(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client, other := payer(t, h), payer(t, h)
	token := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Text("id")
	id := h.API("POST", "/purchases/", order(h, other, due(h, 72*time.Hour), "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":"`+token+`"}`).Want(400).WantCode(
		"__all__=invalid_recurring_token").Contains("another client")
	h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":""}`).Want(400).WantCode(
		"__all__=invalid_recurring_token")
	h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":7}`).Want(400).WantCode(
		"__all__=invalid_recurring_token")
	h.API("POST", "/purchases/"+id+"/charge/", `{"recurring_token":null}`).Want(400).WantCode("recurring_token=required")
	free := h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client":{"email":"a@b.co"},"brand_id":%q%s,"purchase":{"products":[{"name":"m","price":1}]}}`, h.A.BrandID,
		due(h, 72*time.Hour))).Want(201).Text("id")
	h.API("POST", "/purchases/"+free+"/charge/", url.Values{"recurring_token": {token}}).Want(200)
	default1h := h.API("POST", "/purchases/", order(h, client, "", "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+default1h+"/charge/", `{"recurring_token":"`+token+`"}`).Want(400).WantCode(
		"due=due_too_soon").Contains("at least two days ahead")
	exact := h.API("POST", "/purchases/", order(h, client, due(h, 48*time.Hour), "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+exact+"/charge/", `{"recurring_token":"`+token+`"}`).Want(200)
	under := h.API("POST", "/purchases/", order(h, client, due(h, 48*time.Hour-6*time.Minute), "")).Want(201).Text("id")
	h.API("POST", "/purchases/"+under+"/charge/", `{"recurring_token":"`+token+`"}`).Want(400).WantCode("due=due_too_soon")
}
