package tests

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// foreign is a program that was written for the family of this API and knows nothing of
// us. It sends its own headers and bodies, as text, and reads the answers in its own way.
type foreign struct {
	*handlertest.Server
	t       *testing.T
	headers []string
}

func (f foreign) ask(method, path, body string, more ...string) handlertest.Answer {
	f.t.Helper()
	headers := append([]string{"Authorization: Bearer " + f.A.Token}, f.headers...)
	if body == nothing {
		return f.Call(method, "/api/v1"+path, nil, append(headers, more...)...)
	}
	return f.Call(method, "/api/v1"+path, body, append(headers, more...)...)
}

// nothing is no body at all; "" is an empty one that is called JSON.
const nothing = "-"

// A program of PHP turns an empty list of arguments into this.
const emptyPHP = "[]"

// theirTime is what they add to addresses so that nothing is cached.
const theirTime = "?time=1795330000"

// phpShop are the headers of a shop plug-in in PHP: it accepts whatever comes.
var phpShop = []string{"Content-Type: application/json", "User-Agent: PHP"}

// goodAccount is paid, poorAccount comes back unpaid.
const goodAccount, poorAccount = "1234567890", "110000002"

// pays is the payer at the address that the program led to, who stores nothing by himself
// and is led back to the shop.
func (f foreign) pays(made handlertest.Answer, account string) {
	f.t.Helper()
	path := strings.TrimPrefix(made.Text("checkout_url"), handlertest.BaseURL)
	f.Call("GET", path+"?preferred=eft&bank_code=x", nil, "Accept: text/html").Want(200)
	done := f.Call("POST", path, url.Values{"full_name": {"Thandi Nkosi"}, "id_number": {"8501015000085"},
		"phone":     {"082 123 4567"},
		"bank_code": {"470010"}, "account_number": {account}, "account_type": {"SAVINGS"}, "consent": {"yes"}},
		"Accept: text/html", "Sec-Fetch-Site: same-origin").Want(303)
	if back, shop := done.Header.Get("Location"), made.Text("success_redirect"); shop != "" && back != shop {
		f.t.Errorf("the payer is led to %s, want %s", back, shop)
	}
}

// settles lets the bank do its work, and delivers what there is to tell.
func (f foreign) settles(id string) map[string]any {
	f.t.Helper()
	for range 30 {
		got := f.API("GET", "/purchases/"+id+"/", nil).Want(200).JSON()
		if status := got["status"]; status != "pending_charge" && status != "pending_execute" {
			run(f.t, f.Server)
			return got
		}
		f.Call("POST", "/sandbox/clock", `{"advance":"12h"}`, "Authorization: Bearer "+f.A.Token,
			"Accept: application/json").Want(200)
	}
	f.t.Fatal("the bank does not answer")
	return nil
}

// hears takes what was told of a purchase, and checks the signature over the bytes that
// came with the key as this program keeps it.
func (f foreign) hears(hook *receiver, pem, id, event string) map[string]any {
	f.t.Helper()
	for _, got := range hook.heard() {
		var body map[string]any
		if err := json.Unmarshal(got.body, &body); err != nil {
			f.t.Fatal(err)
		}
		if body["event_type"] != event || body["id"] != id && at(body, "related_to.id") != id {
			continue
		}
		verify(f.t, pem, got)
		if strings.ContainsAny(got.signature, " \r\n%<") || base64.StdEncoding.EncodedLen(256) != len(got.signature) {
			f.t.Errorf("the shop cleans the header and loses the signature: %q", got.signature)
		}
		return body
	}
	f.t.Fatalf("nothing was told of %s of %s", event, id)
	return nil
}

// companyKey is the key as programs keep it: the JSON text, and once more without the
// escapes that some of them had to undo.
func (f foreign) companyKey(path string) string {
	f.t.Helper()
	var text string
	if err := json.Unmarshal([]byte(f.ask("GET", path, nothing).Want(200).Body), &text); err != nil {
		f.t.Fatal(err)
	}
	return strings.ReplaceAll(text, `\n`, "\n")
}

// first is the first message at a place of an error, as {"__all__":[{"message":…}]}.
func first(t *testing.T, a handlertest.Answer, place string) (code string) {
	t.Helper()
	message, _ := at(a.JSON(), place+".0.message").(string)
	code, _ = at(a.JSON(), place+".0.code").(string)
	if message == "" || a.JSON()["id"] != nil || a.JSON()["errors"] != nil {
		t.Errorf("%s: no message in %s", place, a.Body)
	}
	return code
}

func TestForeignClientsRunUnchanged(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	for _, c := range []struct {
		name    string
		journey func(*testing.T, *handlertest.Server)
	}{
		{"a shop plug-in that stores accounts and renews by them", aShopThatRenews},
		{"a shop plug-in that asks again after each callback", aShopThatAsksAgain},
		{"a shop plug-in that charges from a timetable", aShopWithATimetable},
		{"a package for a PHP framework with typed records", aFrameworkPackage},
		{"a TypeScript client that believes no callback", aTypeScriptClient},
	} {
		t.Run(c.name, func(t *testing.T) { c.journey(t, h.For(t)) })
	}
}

// aShopThatRenews keeps tokens of its customers, charges them each month, and refunds
// from the page of an order.
func aShopThatRenews(t *testing.T, h *handlertest.Server) {
	f, hook := foreign{h, t, phpShop}, listen(t)
	brand := h.A.BrandID.String()
	bad := h.Call("GET", "/api/v1/public_key/", nil, "Content-Type: application/json",
		"Authorization: Bearer typo").Want(401)
	if first(t, bad, "__all__") != "authentication_failed" {
		t.Error(bad.Body)
	}
	// This is how it asks whether we are there.
	first(t, h.Call("GET", "/api/v1/purchases/", nil, "User-Agent: PHP").Want(401), "__all__")
	pem := f.companyKey("/public_key/")
	methods := f.ask("GET", "/payment_methods/?brand_id="+brand+"&currency=ZAR&language=en&amount=200&recurring=true",
		nothing).Want(200)
	recurring, err := json.Marshal(methods.JSON()["available_payment_methods"])
	if err != nil || string(recurring) != `["eft","debicheck"]` {
		t.Fatalf("%v %s", err, methods.Body)
	}

	back := hook.URL + "/?api=gateway&id=1042"
	order := func(reference int, beside string) string {
		return fmt.Sprintf(`{"success_callback":%q,"success_redirect":%q,"failure_redirect":%q,"cancel_redirect":%q,
			"force_recurring":false,"send_receipt":false,"creator_agent":"Shop: 2.0.1","reference":%d,
			"platform":"shop","purchase":{"total_override":24990,"due_strict":true,
			"timezone":"Africa\/Johannesburg","currency":"ZAR","language":"en","products":[{"name":"Gym bag",
			"price":9995,"quantity":2},{"name":"Towel","price":5000,"quantity":1}]},"brand_id":%q,
			"client":{"email":"thandi@shop.example","phone":"+27 82 123 4567","full_name":"Thandi Nkosi",
			"street_address":"1 Long Street ","country":"ZA","city":"Cape Town","zip_code":"8001","state":"WC",
			"shipping_country":"ZA"}%s}`, back, back, back, back, reference, brand, beside)
	}
	late := f.ask("POST", "/purchases/"+theirTime, order(1, `,"due":1000000000`)).Want(400)
	if first(t, late, "due") != "due_not_greater_than_now" {
		t.Error(late.Body)
	}
	made := f.ask("POST", "/purchases/"+theirTime, order(1042, ""))
	holds(t, made.Want(201).JSON(), map[string]any{"reference": "1042", "platform": "shop",
		"purchase.total": 24990.0, "is_test": true,
		"payment_method_whitelist": nil, "direct_post_url": nil, "is_recurring_token": false, "recurring_token": nil,
		"client.country": "ZA"})
	id := made.Text("id")
	f.pays(made, goodAccount)
	f.settles(id)
	holds(t, f.hears(hook, pem, id, "purchase.paid"), map[string]any{"status": "paid", "is_test": true,
		"is_recurring_token": false, "recurring_token": nil})
	holds(t, f.ask("GET", "/purchases/"+id+"/"+theirTime, nothing).Want(200).JSON(), map[string]any{"status": "paid",
		"payment.amount": 24990.0})
	refund := f.ask("POST", "/purchases/"+id+"/refund/", `{"amount":5000}`).Want(200).JSON()
	holds(t, refund, map[string]any{"payment.amount": 5000.0, "payment.currency": "ZAR", "type": "payment",
		"__all__": nil})
	for action, body := range map[string]string{"capture": `{"amount":24990}`, "release": ""} {
		code := first(t, f.ask("POST", "/purchases/"+id+"/"+action+"/", body).Want(400), "__all__")
		if code != "purchase_"+action+"_wrong_status" {
			t.Errorf("%s: %s", action, code)
		}
	}

	saved := f.ask("POST", "/purchases/"+theirTime, fmt.Sprintf(`{"payment_method_whitelist":%s,
		"creator_agent":"Shop: 2.0.1","platform":"shop_subscriptions","success_redirect":%q,"failure_redirect":%q,
		"force_recurring":true,"reference":7,"brand_id":%q,"skip_capture":true,
		"client":{"email":"thandi@shop.example","full_name":"Thandi Nkosi"},"purchase":{"currency":"ZAR",
		"products":[{"name":"Add payment method","price":0}]}}`,
		recurring, back, back, brand)).Want(201)
	token := saved.Text("id")
	f.pays(saved, goodAccount)
	holds(t, f.settles(token), map[string]any{"status": "preauthorized", "is_recurring_token": true, "reference": "7",
		"transaction_data.extra": map[string]any{}})
	renew := func(beside string) string {
		return f.ask("POST", "/purchases/"+theirTime, fmt.Sprintf(`{"success_callback":%q,"send_receipt":false,
			"creator_agent":"Shop: 2.0.1","reference":1043,"platform":"shop_subscriptions","brand_id":%q,
			"client":{"email":"thandi@shop.example","full_name":"Thandi Nkosi"}%s,"purchase":{"timezone":"UTC",
			"currency":"ZAR","language":"en","due_strict":true,"total_override":9900,"products":[{"name":"Gym",
			"price":9900,"quantity":1}]}}`,
			back, brand, beside)).Want(201).Text("id")
	}
	charge := `{"recurring_token":"` + token + `"}`
	soon := f.ask("POST", "/purchases/"+renew("")+"/charge/", charge).Want(400)
	if first(t, soon, "due") != "due_too_soon" || soon.JSON()["status"] != nil {
		t.Error(soon.Body)
	}
	month := renew(due(h, 10*24*time.Hour))
	holds(t, f.ask("POST", "/purchases/"+month+"/charge/", charge).Want(200).JSON(),
		map[string]any{"status": "pending_charge", "id": month, "__all__": nil})
	f.settles(month)
	holds(t, f.hears(hook, pem, month, "purchase.paid"), map[string]any{"status": "paid", "recurring_token": token,
		"is_recurring_token": false, "reference": "1043"})
	holds(t, f.ask("POST", "/purchases/"+token+"/delete_recurring_token/", "").Want(200).JSON(),
		map[string]any{"is_recurring_token": false, "id": token})
	if code := first(t, f.ask("POST", "/purchases/"+renew("")+"/charge/", charge).Want(400),
		"__all__"); code != "invalid_recurring_token" {
		t.Error(code)
	}
}

// aShopThatAsksAgain writes currencies in small letters, adds the time to each reading,
// and compares the reference with its cart as a text.
func aShopThatAsksAgain(t *testing.T, h *handlertest.Server) {
	f, hook := foreign{h, t, append([]string{"Accept: application/json"}, phpShop...)}, listen(t)
	brand := h.A.BrandID.String()
	// Its test of the connection wants an object, whatever that says.
	f.ask("GET", "/payment_methods/?brand_id="+brand+"&amount=1000&time=1795330000", nothing).JSON()
	list := f.ask("GET", "/payment_methods/?brand_id="+brand+"&amount=24990&currency=zar&time=1795330000",
		nothing).Want(200)
	list.Contains(`"available_payment_methods":["eft","debicheck"]`)
	back := hook.URL + "/index.php?fc=module&controller=callback&id_cart=318"
	made := f.ask("POST", "/purchases/", fmt.Sprintf(`{"success_callback":%q,"success_redirect":%q,
		"failure_redirect":%q,"cancel_redirect":%q,"creator_agent":"Shop: 1.4.0","reference":"318",
		"platform":"cart","purchase":{"total_override":24990,"due_strict":false,"timezone":"Africa/Johannesburg",
		"currency":"zar","language":"en","products":[{"name":"Bag","price":12495,"quantity":2}]},"brand_id":%q,
		"client":{"email":"sipho@shop.example","full_name":"Sipho Dube","street_address":"2 Long Street",
		"city":"Durban","zip_code":"4001","phone":"0821234567","country":"ZA","state":"KwaZulu-Natal",
		"shipping_street_address":" ","shipping_country":""},"payment_method_whitelist":["eft"]}`,
		back, back, back, back, brand)).Want(201)
	id := made.Text("id")
	holds(t, made.JSON(), map[string]any{"purchase.currency": "ZAR", "payment_method_whitelist": []any{"eft"},
		"success_redirect": back})
	f.pays(made, goodAccount)
	f.settles(id)
	f.hears(hook, f.companyKey("/public_key/"+theirTime), id, "purchase.paid")
	holds(t, f.ask("GET", "/purchases/"+id+"/"+theirTime, nothing).Want(200).JSON(),
		map[string]any{"id": id, "status": "paid", "reference": "318", "payment.amount": 24990.0, "purchase.reference": nil})
	if got := f.ask("POST", "/purchases/"+id+"/refund/",
		`{"amount":24990}`).Want(200).JSON(); got["status"] == "error" || got["id"] == nil {
		t.Error(got)
	}
	if got := f.ask("POST", "/purchases/"+id+"/refund/", `{"amount":24990}`).Want(400); got.JSON()["id"] != nil {
		t.Error(got.Body)
	}
}

// aShopWithATimetable sends the texts of its database where numbers and flags are meant,
// and an empty list where it has nothing to say.
func aShopWithATimetable(t *testing.T, h *handlertest.Server) {
	f, hook := foreign{h, t, phpShop}, listen(t)
	brand := h.A.BrandID.String()
	f.ask("GET", "/payment_methods/?brand_id="+brand+"&currency=ZAR&language=&amount=15000",
		nothing).Want(200).Contains(`"eft"`)
	back := hook.URL + "/index.php?route=extension/pay.success_callback&order_id=77"
	made := f.ask("POST", "/purchases/", fmt.Sprintf(`{"success_callback":%q,"success_redirect":%q,
		"failure_redirect":"https:\/\/shop.example\/checkout","cancel_redirect":"https:\/\/shop.example\/cart",
		"creator_agent":"Store: 1.0.0","reference":77,"platform":"store","due":%d,"brand_id":%q,
		"client":{"email":"lerato@shop.example","phone":"0831234567","full_name":"Lerato Mokoena",
		"street_address":"3 Long Street","zip_code":"0001","city":"Pretoria","country":"ZA",
		"shipping_country":"ZA"},"purchase":{"total_override":15000,"timezone":"Africa\/Johannesburg",
		"currency":"ZAR","due_strict":"0","products":[{"name":"Mat","quantity":"3","price":5000,"category":"42"}],
		"notes":"Leave it at the gate\r\nThank you"}}`, back, back, h.Store.Now().Add(time.Hour).Unix(), brand)).Want(201)
	id := made.Text("id")
	holds(t, made.JSON(), map[string]any{"status": "created", "is_test": true, "reference": "77",
		"purchase.due_strict":          false,
		"purchase.products.0.quantity": "3.0000", "purchase.products.0.category": "42"})
	f.pays(made, goodAccount)
	f.settles(id)
	holds(t, f.hears(hook, f.companyKey("/public_key/"), id, "purchase.paid"), map[string]any{"status": "paid",
		"reference":                       "77",
		"transaction_data.payment_method": "eft", "is_test": true, "is_recurring_token": false})
	stored := f.ask("POST", "/purchases/", fmt.Sprintf(`{"reference":78,"platform":"store","brand_id":%q,
		"client":{"email":"lerato@shop.example"},"purchase":{"currency":"ZAR","products":[{"name":"Plan",
		"quantity":1,"price":0}]},"force_recurring":true,"payment_method_whitelist":["eft"]}`, brand)).Want(201)
	token := stored.Text("id")
	f.pays(stored, goodAccount)
	f.settles(token)
	again := f.ask("POST", "/purchases/", fmt.Sprintf(`{"reference":79,"platform":"store",
		"creator_agent":"Store: 1.0.0","brand_id":%q,"client":{"email":"lerato@shop.example"},"due":%d,
		"purchase":{"timezone":"UTC","currency":"ZAR","products":[{"name":"Plan","quantity":1,"price":9900}]},
		"recurring_token":%q}`,
		brand, h.Store.Now().Add(10*24*time.Hour).Unix(), token)).Want(201)
	holds(t, again.JSON(), map[string]any{"status": "created", "recurring_token": nil})
	holds(t, f.ask("POST", "/purchases/"+again.Text("id")+"/charge/",
		`{"recurring_token":"`+token+`"}`).Want(200).JSON(), map[string]any{"status": "pending_charge"})
	holds(t, f.settles(again.Text("id")), map[string]any{"status": "paid"})
	holds(t, f.ask("POST", "/purchases/"+token+"/delete_recurring_token/", emptyPHP).Want(200).JSON(),
		map[string]any{"id": token, "is_recurring_token": false})
	if code := first(t, f.ask("POST", "/purchases/"+token+"/delete_recurring_token/", emptyPHP).Want(400),
		"__all__"); code != "invalid_recurring_token" {
		t.Error(code)
	}
}
