package checkout_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/letters"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// subscribedPurchase is a purchase of an active subscriber.
func subscribedPurchase(t *testing.T, h *handlertest.Server) string {
	t.Helper()
	client := h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"bank_account": "6200000001", "bank_code": "470010"}).Want(http.StatusCreated).Text("id")
	h.API("POST", "/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
			h.A.BrandID)).Want(http.StatusCreated)
	made, err := h.Subscriptions.Create(t.Context(), h.A.Actor,
		subscription.Input{Title: "Gym", IsSubscription: true, Plan: subscription.Default(),
			Pattern: purchase.Input{BrandID: h.A.BrandID,
				Details: purchase.Details{Products: []purchase.Product{{Name: "Gym", PriceCents: 64900,
					Quantity: decimal.NewFromInt(1)}}}}})
	if err != nil {
		t.Fatal(err)
	}
	added, err := h.Subscriptions.Add(t.Context(), h.A.Actor, made.ID,
		subscription.SubscriberInput{ClientID: uuid.MustParse(client)})
	if err != nil || added.Purchase == nil {
		t.Fatalf("%+v %v", added, err)
	}
	return added.Purchase.ID.String()
}

func TestAPayerSeesAndStopsASubscription(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/p/" + subscribedPurchase(t, h) + "/subscription/"
	h.Call("GET", at, nil).Want(http.StatusOK).Contains("Gym", "every month", "Next bill",
		"Stop this subscription").Lacks("Yes, stop it")
	h.Call("GET", at+"?stop", nil).
		Want(http.StatusOK).
		Contains("What stopping means", "You will not be billed for any further payments",
			"Yes, stop it")
	h.Call("POST", at, url.Values{}, "Sec-Fetch-Site: same-origin").Want(http.StatusSeeOther)
	if n := h.Count(`SELECT count(*) FROM template_clients WHERE status = 'active'`); n != 1 {
		t.Fatal("stopped without a yes")
	}
	for range 2 {
		h.Call("POST", at, url.Values{"confirm": {"yes"}}, "Sec-Fetch-Site: same-origin").Want(http.StatusSeeOther)
	}
	h.Call("GET", at, nil).Want(http.StatusOK).Contains("This subscription is stopped").Lacks("Stop this subscription")
	if n := h.Count(
		`SELECT count(*) FROM template_clients WHERE status = 'subscription_paused' AND why = 'payer'`); n != 1 {
		t.Error("not stopped")
	}
	h.Call("GET", strings.TrimSuffix(at, "subscription/"), nil).Want(http.StatusOK).Contains(at)
}

func TestAPurchaseWithoutASubscriptionHasNoSuchPage(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := h.API("POST", "/clients/", `{"email":"a@example.com"}`).Want(http.StatusCreated).Text("id")
	id := h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":100}]}}`, client, h.A.BrandID)).Want(
		http.StatusCreated).Text("id")
	h.Call("GET", "/p/"+id+"/subscription/", nil).Want(http.StatusNotFound)
	h.Call("POST", "/p/"+id+"/subscription/", url.Values{"confirm": {"yes"}},
		"Sec-Fetch-Site: same-origin").Want(http.StatusNotFound)
}

func TestAReceiptOfASubscriptionLeadsToItsPage(t *testing.T) {
	t.Parallel()
	w := letters.Writer{Base: "https://desk.example"}
	p := purchase.Purchase{ID: uuid.MustParse("01a1ed62-3a06-78f9-8eff-c1d438fa26c3"), Currency: "ZAR", TotalCents: 100}
	if strings.Contains(
		w.Receipt(p, merchant.Brand{BrandInput: merchant.BrandInput{Name: "Gym"}}).Text,
		"/subscription/",
	) {
		t.Error("a purchase of no subscription leads there")
	}
	p.SubscriberID = uuid.MustParse("01a1ed62-3a06-78f9-8eff-c1d438fa26c4")
	if got := w.Receipt(p,
		merchant.Brand{BrandInput: merchant.BrandInput{Name: "Gym"}}); !strings.Contains(got.Text, "https://desk.example/p/"+
		p.ID.String()+"/subscription/") ||
		!strings.Contains(got.HTML, "/subscription/") {
		t.Errorf("no link: %s", got.Text)
	}
}
