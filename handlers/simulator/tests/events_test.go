package tests

import (
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/collection"
	"debitdesk/models/rulebook/rulebooktest"
)

// told lists the deliveries about a purchase and its payments, oldest first.
func told(t *testing.T, h *handlertest.Server) (types []string, payloads []map[string]any) {
	t.Helper()
	list, _ := h.API("GET", "/webhooks/deliveries/?limit=100", nil).Want(200).JSON()["results"].([]any)
	for i := len(list) - 1; i >= 0; i-- {
		d, _ := list[i].(map[string]any)
		event, _ := d["event"].(string)
		payload, _ := d["payload"].(map[string]any)
		types, payloads = append(types, event), append(payloads, payload)
	}
	return types, payloads
}

func TestADisputeAndItsEndAreToldWithTheirPayment(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.API("POST", "/webhooks/", map[string]any{"title": "All", "callback": "https://shop.example/hook",
		"all_events": true}).Want(201)
	id := collects(t, h, "4000000000")
	call(h, "POST", "/sandbox/clock", `{"now":"2027-02-11T09:00:00+02:00"}`).Want(200)
	call(h, "POST", "/sandbox/collections/"+id+"/result", `{"dispute":"34"}`).Want(200)
	types, payloads := told(t, h)
	want := "purchase.created purchase.pending_execute purchase.paid purchase.settled " +
		"purchase.chargeback payment.charged_back"
	if got := strings.Join(types, " "); got != want {
		t.Fatalf("told %s\nwant %s", got, want)
	}
	back := payloads[len(payloads)-1]
	payment, _ := back["payment"].(map[string]any)
	related, _ := back["related_to"].(map[string]any)
	if back["type"] != "payment" || back["event_type"] != "payment.charged_back" || related["type"] != "purchase" ||
		related["id"] != id ||
		payment["is_outgoing"] != true || payment["amount"] != 10000.0 || payment["payment_type"] != "purchase" ||
		back["id"] == id {
		t.Errorf("%v", back)
	}
	byObject, _ := h.API("GET", "/webhooks/deliveries/?source_type=payment&id="+back["id"].(string),
		nil).Want(200).JSON()["results"].([]any)
	if len(byObject) != 1 {
		t.Errorf("%d deliveries of the payment", len(byObject))
	}
}

// The client opens the page and agrees there; at a bank that hears late disputes one is lost by the client, since the
// mandate is on record.
func TestAViewAndADisputeThatIsWonAreTold(t *testing.T) {
	t.Parallel()
	h := openBy(t, collection.TimetableBy(rulebooktest.WithProof()))
	h.API("POST", "/webhooks/", map[string]any{"title": "All", "callback": "https://shop.example/hook",
		"all_events": true}).Want(201)
	id := h.API("POST", "/purchases/", `{"client":{"email":"n@example.com","full_name":"N Dlamini"},"brand_id":"`+
		h.A.BrandID.String()+`",
		"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"Membership","price":10000}]}}`).Want(201).Text("id")
	for range 2 { // the second look is no news
		h.Call("GET", "/p/"+id+"/", nil, "Accept: text/html").Want(200)
	}
	late := url.Values{"full_name": {"N Dlamini"}, "id_number": {"8501015000085"}, "phone": {"082 123 4567"},
		"bank_code":      {"632005"},
		"account_number": {"4000009430"}, "account_type": {"CURRENT"}, "consent": {"yes"}}
	h.Call("POST", "/p/"+id+"/", late, "Accept: text/html", "Sec-Fetch-Site: same-origin",
		"User-Agent: Phone/1.0").Want(303)
	call(h, "POST", "/sandbox/clock", `{"now":"2027-04-01T12:00:00+02:00"}`).Want(200)
	types, payloads := told(t, h)
	want := "purchase.created purchase.viewed purchase.pending_execute purchase.paid purchase.settled " +
		"purchase.chargeback payment.charged_back payment.chargeback_reversed"
	if got := strings.Join(types, " "); got != want {
		t.Fatalf("told %s\nwant %s", got, want)
	}
	if seen := payloads[1]; seen["type"] != "purchase" || seen["id"] != id || seen["status"] != "viewed" ||
		seen["event_type"] != "purchase.viewed" {
		t.Errorf("the view: %v", seen)
	}
	won := payloads[len(payloads)-1]
	payment, _ := won["payment"].(map[string]any)
	related, _ := won["related_to"].(map[string]any)
	if won["type"] != "payment" || won["event_type"] != "payment.chargeback_reversed" || related["id"] != id ||
		payment["is_outgoing"] != false || payment["amount"] != 10000.0 {
		t.Errorf("the dispute that was won: %v", won)
	}
	h.API("GET", "/purchases/"+id+"/", nil).Want(200).Contains(`"status":"paid"`)
}

func TestAPurchaseWithASingleAttemptIsCancelledByItsFailure(t *testing.T) {
	t.Parallel()
	h := open(t)
	body := `{"client":{"email":"n@example.com","full_name":"N Dlamini","bank_account":"4000000000","bank_code":"632005"},"brand_id":"` + h.A.BrandID.String() + `",
		"payment_method_whitelist":["eft"],"force_recurring":true,"platform":"woocommerce","tags":["spring"],"purchase":{"single_attempt":true,
		"products":[{"name":"Membership","price":10000}],"payment_method_details":{"direct_debit":{"deduction_day":1}}}}`
	made := h.API("POST", "/purchases/", body).Want(201).Contains(`"single_attempt":true`, `"platform":"woocommerce"`,
		`"tags":["spring"]`)
	call(h, "POST", "/sandbox/clock", `{"now":"2027-02-02T13:00:00+02:00"}`).Want(200)
	call(h, "POST", "/sandbox/collections/"+made.Text("id")+"/result", `{"code":"02"}`).Want(200)
	got := h.API("GET", "/purchases/"+made.Text("id")+"/", nil).Want(200).Contains(`"status":"cancelled"`,
		`"code":"insufficient_funds"`, `{"status":"error",`)
	h.API("POST", "/purchases/"+got.Text("id")+"/mark_as_paid/",
		nil).Want(400).WantCode("__all__=purchase_mark_as_paid_wrong_status")
}
