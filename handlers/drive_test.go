package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers"
	"debitdesk/handlers/api"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/subscription"
)

// driver calls operations by their names, with bodies that the document allows;
// Call holds every answer against the document.
type driver struct {
	*street
	driven map[string]bool
}

// good calls an operation; the document must allow the body and the status.
func (d *driver) good(id, body string, want int, ids ...string) handlertest.Answer {
	d.t.Helper()
	op, path := d.operation(id, ids)
	if body != "" {
		if err := handlertest.TheContract().CheckRequest(op, []byte(body)); err != nil {
			d.t.Errorf("%s: the document forbids a good body: %v", id, err)
		}
	}
	d.driven[id] = true
	return d.call(op.Method, path, body).Want(want)
}

// asked is good with a query.
func (d *driver) asked(id, query, body string, want int, ids ...string) handlertest.Answer {
	d.t.Helper()
	op, path := d.operation(id, ids)
	d.driven[id] = true
	return d.call(op.Method, path+"?"+query, body).Want(want)
}

func (d *driver) call(method, path, body string) handlertest.Answer {
	d.t.Helper()
	var sent any
	if body != "" {
		sent = body
	}
	return d.Call(method, path, sent, "Authorization: Bearer "+d.A.Token, "Accept: application/json")
}

func (d *driver) operation(id string, ids []string) (*handlertest.Operation, string) {
	d.t.Helper()
	for _, op := range handlertest.TheContract().Operations {
		if op.Doc["operationId"] != id {
			continue
		}
		parts := strings.Split(op.Path, "/")
		for i, p := range parts {
			if strings.HasPrefix(p, "{") && len(ids) > 0 {
				parts[i], ids = ids[0], ids[1:]
			}
		}
		return op, strings.Join(parts, "/")
	}
	d.t.Fatalf("no operation %s", id)
	return nil, ""
}

func TestEveryOperationIsDrivenAgainstTheDocument(t *testing.T) {
	t.Parallel()
	d := &driver{newStreet(t), map[string]bool{"createAccessToken": true}} // its own test
	if d.Deps.API.Templates == nil {
		subs := &subscription.Service{InTx: d.Store.InTx, Store: subscription.Store{DB: d.Store},
			Purchases: d.Purchases, Now: d.Store.Now}
		d.Deps.API.Templates = &api.Templates{Base: handlertest.BaseURL, Service: subs}
		app, err := handlers.New(d.Deps)
		if err != nil {
			t.Fatal(err)
		}
		d.App = app
	}
	d.clientsAndPurchases()
	d.billing()
	d.webhooks()
	d.figures()
	d.playground()
	for _, op := range d.served() {
		if id := op.Doc["operationId"].(string); !d.driven[id] {
			t.Errorf("%s (%s %s) is not driven", id, op.Method, op.Path)
		}
		d.bad(op)
	}
}

func (d *driver) clientsAndPurchases() {
	const details = `{"email":"drive@example.com","full_name":"Thandi Nkosi","phone":"27821234567","bank_account":"6200000001","bank_code":"470010","country":"South Africa","cc":null,"bcc":["b@example.com"]}`
	client := d.good("createClient", details, 201).Text("id")
	d.good("listClients", "", 200)
	d.good("getClient", "", 200, client)
	d.good("replaceClient", details, 200, client)
	d.good("changeClient", `{"city":"Durban"}`, 200, client)
	stored := func() string {
		return d.good("createPurchase", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,"tags":["a"],"purchase":{"currency":"ZAR","products":[{"name":"m","price":0,"quantity":"1.5","tax_percent":15}],
			"metadata":{"a":[1]},"payment_method_details":{"direct_debit":{"deduction_day":1,"period_units":"months"}}}}`,
			client,
			d.A.BrandID,
		), 201).Text("id")
	}
	plain := func() string {
		return d.good("createPurchase", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":100}]}}`, client, d.A.BrandID,
			d.due()), 201).Text("id")
	}
	token := stored()
	d.good("listRecurringTokens", "", 200, client)
	d.good("getRecurringToken", "", 200, client, token)
	charged := plain()
	d.good("chargePurchase", fmt.Sprintf(`{"recurring_token":%q}`, token), 200, charged)
	d.good("getPurchase", "", 200, charged)
	d.good("cancelPurchase", "", 200, charged)
	d.good("listPurchases", "", 200)
	d.good("countPurchases", "", 200)
	d.good("capturePurchase", `{"amount":1}`, 400, charged)
	d.good("releasePurchase", "", 400, charged)
	paid := plain()
	d.good("markPurchaseAsPaid", `{"paid_on":1700000000}`, 200, paid)
	d.good("refundPurchase", `{"amount":40}`, 200, paid)
	d.good("resendInvoice", "", 200, plain())
	d.good("deleteRecurringTokenOfPurchase", "", 200, token)
	d.good("deleteRecurringToken", "", 204, client, stored())
	d.good("deleteClient", "", 204, client)
}

func (d *driver) due() int64 { return d.Store.Now().Add(9 * 24 * time.Hour).Unix() }

func (d *driver) billing() {
	client := d.good("createClient", `{"email":"bill@example.com"}`, 201).Text("id")
	d.good("sendInvoices",
		fmt.Sprintf(
			`{"brand_id":%q,"title":"","is_subscription":false,"due":%d,"purchase":{"products":[{"name":"m","price":100}]},"clients":[{"client_id":%q}]}`,
			d.A.BrandID,
			d.due(),
			client,
		), 200)
	once := fmt.Sprintf(
		`{"brand_id":%q,"title":"Course","is_subscription":false,"due":%d,"purchase":{"products":[{"name":"m","price":100}]}}`,
		d.A.BrandID,
		d.due(),
	)
	invoice := d.good("createBillingTemplate", once, 201).Text("id")
	plan := d.good("createBillingTemplate", fmt.Sprintf(
		`{"brand_id":%q,"title":"Gym","is_subscription":true,"subscription_trial_periods":1,"number_of_billing_cycles":null,"purchase":{"products":[{"name":"m","price":100}]}}`,
		d.A.BrandID,
	), 201).Text("id")
	d.good("listBillingTemplates", "", 200)
	d.good("getBillingTemplate", "", 200, plan)
	d.good("replaceBillingTemplate", once, 200, invoice)
	d.good("sendInvoiceOfTemplate", fmt.Sprintf(`{"client_id":%q}`, client), 200, invoice)
	added := d.good("addSubscriber", fmt.Sprintf(
		`{"client_id":%q,"invoice_override":{"total_override":50},"subscription_debtor_account_number":"6200000001","subscription_value_type":"VARIABLE","subscription_max_amount_cents":75,"subscription_adjustment_category":"ANNUALLY","subscription_authentication_type":"REALTIME","subscription_adjustment_rate":"5.5"}`,
		client,
	), 200, plan)
	one := added.JSON()["billing_template_client"].(map[string]any)["id"].(string)
	d.good("listSubscribers", "", 200, plan)
	d.good("getSubscriberOfTemplate", "", 200, plan, one)
	d.good("getSubscriber", "", 200, one)
	d.good("changeSubscriberOfTemplate", `{"send_receipt":false}`, 200, plan, one)
	d.good("changeSubscriber", `{"invoice_reference":"R1"}`, 200, one)
	d.good("deleteBillingTemplate", "", 204, plan)
}

func (d *driver) webhooks() {
	const asked = `{"title":"Books","callback":"https://example.com/x","all_events":true}`
	hook := d.good("createWebhook", asked, 201).Text("id")
	d.good("listWebhooks", "", 200)
	d.good("getWebhook", "", 200, hook)
	d.good("replaceWebhook", asked, 200, hook)
	d.good("changeWebhook", `{"title":"Books and stock"}`, 200, hook)
	sent := d.good("testWebhook", "", 200, hook).Text("id")
	d.good("listDeliveries", "", 200)
	d.good("getDelivery", "", 200, sent)
	d.good("resendDelivery", "", 200, sent)
	d.good("resendSince", `{"since":1700000000}`, 200, hook)
	d.good("getPublicKey", "", 200)
	d.good("deleteWebhook", "", 204, hook)
}

func (d *driver) figures() {
	d.asked("listPaymentMethods", "currency=ZAR&brand_id="+d.A.BrandID.String(), "", 200)
	d.asked("getBalance", "currency=ZAR", "", 200)
	d.asked("getTurnover", "currency=ZAR&from=1700000000", "", 200)
	made := d.asked("createCompanyStatement", "currency=ZAR", `{"format":"csv","timezone":"Africa/Johannesburg"}`,
		201).Text("id")
	d.good("listCompanyStatements", "", 200)
	d.good("getCompanyStatement", "", 200, made)
	if err := d.Statements.Make(d.t.Context(), uuid.MustParse(made)); err != nil {
		d.t.Fatal(err)
	}
	d.good("getCompanyStatement", "", 200, made)
	d.good("downloadCompanyStatement", "", 200, made)
	d.good("cancelCompanyStatement", "", 400, made)
	d.good("cancelCompanyStatement", "", 200, d.asked("createCompanyStatement", "currency=ZAR", `{"format":"xlsx"}`,
		201).Text("id"))
}

func (d *driver) playground() {
	d.good("getClock", "", 200)
	d.good("moveClock", `{"advance":"1m"}`, 200)
	d.good("listAtBank", "", 200)
	d.good("listPhones", "", 200)
	d.good("listMail", "", 200)
	client := d.call("POST", "/api/v1/clients/", `{"email":"texted@example.com","phone":"27821234567"}`).Want(201).Text("id")
	sent := d.text(uuid.MustParse(client))
	d.good("listSMS", "", 200)
	d.good("replySMS", `{"text":"I will pay on Friday."}`, 204, sent)
	d.good("answerForBank", `{"code":"00"}`, 404, d.A.BrandID.String())
	d.good("answerForPayer", `{"answer":"accept"}`, 404, d.A.BrandID.String())
	for _, id := range []string{"getMail", "getMailHTML", "getMailFile"} {
		d.good(id, "", 404, d.A.BrandID.String(), "0")
	}
}

// bad sends what no operation takes: the answer has the contract's form. Nobody's
// ids come before bad bodies, so that both are fine here.
func (d *driver) bad(op *handlertest.Operation) {
	d.t.Helper()
	_, path := d.operation(op.Doc["operationId"].(string), []string{d.A.BrandID.String(), d.A.BrandID.String()})
	if op.Doc["requestBody"] == nil {
		return
	}
	properties, _ := handlertest.TheContract().RequestSchema(op)["properties"].(map[string]any)
	bodies := []string{"[]", "{", `"x"`, "null"}
	for name := range properties {
		bodies = append(bodies, fmt.Sprintf(`{%q:[[{}]]}`, name), fmt.Sprintf(`{%q:{"a":[null]}}`, name))
	}
	for _, body := range bodies {
		if got := d.call(op.Method, path, body); got.Status != 400 && got.Status != 404 {
			d.t.Errorf("%s %s with %s: %d %.300s", op.Method, path, body, got.Status, got.Body)
		}
	}
	if op.Method != http.MethodDelete {
		d.Call(op.Method, path, url.Values{"purchase.products": {"x"}, "client_id": {"y"}},
			"Authorization: Bearer "+d.A.Token)
	}
}
