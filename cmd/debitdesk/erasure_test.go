package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/approval"
	"debitdesk/models/calendar"
	"debitdesk/models/followup"
	"debitdesk/models/requestlog"
)

// What gives one payer away, in words that nothing else has.
var personal = []string{"Nomvula", "Zwelithini", "planted.example", "839998877", "Kudu Close", "Hogsback",
	"copies@elsewhere.example", "9988776655", "198.51.100.77"}

// keptByLaw are the tables that hold a person after the erasure: mandates with their
// wording and evidence, numbered documents, and the audit, which cannot change.
var keptByLaw = []string{"mandates", "invoices", "audit_entries"}

// nomvula lives through everything that keeps a copy of her.
func (v *vault) nomvula(cookie string) (client, purchase string) {
	v.t.Helper()
	client = v.api(201, "POST", "/api/v1/clients/",
		fmt.Sprintf(
			`{"email":"nomvula@planted.example","full_name":"Nomvula Zwelithini","phone":"27839998877","street_address":"17 Kudu Close","city":"Hogsback",
		"zip_code":"5721","country":"ZA","legal_name":"Zwelithini Traders","registration_number":"9988776655","cc":["copies@elsewhere.example"],"bank_account":%q,"bank_code":"470010","personal_code":%q}`,
			paying,
			idNumber,
		), "Idempotency-Key: first-client")
	token := v.api(201, "POST", "/api/v1/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"Membership","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
			v.brand))
	purchase = v.api(201, "POST", "/api/v1/purchases/",
		fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"send_receipt":true,"due":%d,"purchase":{"email_message":"Dear Nomvula","products":[{"name":"December","price":10000}]}}`,
			client,
			v.brand,
			v.app.Store.Now().Add(73*time.Hour).Unix(),
		))
	v.api(200, "POST", "/api/v1/purchases/"+purchase+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token))
	v.api(201, "POST", "/api/v1/purchases/", fmt.Sprintf(
		`{"client":{"email":"nomvula@planted.example","full_name":"Nomvula Zwelithini"},"brand_id":%q,"purchase":{"products":[{"name":"Towel","price":900}]}}`,
		v.brand,
	))
	v.api(201, "POST", "/api/v1/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,
		"purchase":{"products":[{"name":"Cover","price":20000}],"payment_method_details":{"direct_debit":{"value_type":"VARIABLE","authentication_type":"DELAYED","debit_sequence":"RCUR",
		"adjustment_category":"NEVER","verify_account":true,"max_amount_cents":30000}}}}`, client, v.brand))
	template := v.api(201, "POST", "/api/v1/billing_templates/",
		fmt.Sprintf(
			`{"brand_id":%q,"title":"Gym","is_subscription":true,"purchase":{"products":[{"name":"Month","price":10000}]}}`,
			v.brand))
	v.api(200, "POST", "/api/v1/billing_templates/"+template+"/add_subscriber/",
		fmt.Sprintf(`{"client_id":%q,"subscription_debtor_account_number":%q,"subscription_debtor_id_number":%q}`, client,
			paying, idNumber))
	open := v.api(201, "POST", "/api/v1/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"Bottle","price":500}]}}`, client,
			v.brand))
	v.api(200, "POST", "/api/v1/purchases/"+open+"/resend_invoice/", "")
	v.ask("GET", "/p/"+open+"/", nil, "X-Forwarded-For: 198.51.100.77")
	due := v.app.Store.Now().Add(240 * time.Hour).Format("2006-01-02")
	made := v.ask("POST", "/batches/paste", url.Values{
		"cells":    {"E-mail\tName\tAmount\tDue date\nnomvula@planted.example\tNomvula Zwelithini\t100,00\t" + due + "\n"},
		"brand_id": {v.brand}}, "Cookie: "+cookie)
	if made.Code != http.StatusSeeOther {
		v.t.Fatalf("paste: %d %s", made.Code, made.Body)
	}
	batches := v.ids("batches")
	newest := batches[len(batches)-1]
	v.ask("POST", "/batches/"+newest+"/map", url.Values{"brand_id": {v.brand}, "column_0": {"email"},
		"column_1": {"full_name"}, "column_2": {"amount"}, "column_3": {"due"}}, "Cookie: "+cookie)
	must(v.t, v.app.Services.Batches.TakeUp(v.t.Context()))
	must(v.t, v.app.Services.Batches.Work(v.t.Context(), uuid.MustParse(newest)))
	v.ask("POST", "/batches/"+newest+"/fixes", url.Values{"cause": {"unknown_client"}, "column": {"1"},
		"choice": {"create"}}, "Cookie: "+cookie)
	v.ask("POST", "/batches/"+newest+"/start", v.reviewed(newest), "Cookie: "+cookie)
	must(v.t, v.app.Services.Batches.Work(v.t.Context(), uuid.MustParse(newest)))
	v.followed(client, purchase)
	who := v.owner()
	must(v.t, v.app.Store.Pool.QueryRow(v.t.Context(), `SELECT user_id FROM memberships WHERE role = 'admin' LIMIT 1`).
		Scan(&who.ID))
	_, err := v.app.Services.Approvals.Ask(v.t.Context(), who, approval.DeleteTokens,
		approval.Subject{Tokens: []uuid.UUID{uuid.MustParse(token)}}, "Nomvula Zwelithini has left")
	must(v.t, err)
	return client, purchase
}

// followed writes down about her what only staff would.
func (v *vault) followed(client, purchase string) {
	v.t.Helper()
	staff := v.owner()
	about := []followup.Object{{Type: followup.Client, ID: uuid.MustParse(client)},
		{Type: followup.Purchase, ID: uuid.MustParse(purchase)}}
	_, err := v.app.Services.Followups.AddNote(v.t.Context(), staff, about, "Nomvula calls back")
	must(v.t, err)
	_, err = v.app.Services.Followups.LogCall(v.t.Context(), staff, about,
		followup.Call{Outcome: followup.Reached, Phone: "0839998877"})
	must(v.t, err)
	_, err = v.app.Services.Followups.AddPromise(
		v.t.Context(),
		staff,
		about[0],
		followup.Promising{AmountCents: 100, DueOn: calendar.DateOf(v.app.Store.Now()),
			Text: "Nomvula Zwelithini pays in cash"},
	)
	must(v.t, err)
}

// holding lists the tables in which any of the words stands.
func (v *vault) holding(words []string) (tables []string) {
	v.t.Helper()
	rows, err := v.app.Store.Pool.Query(v.t.Context(),
		`SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	must(v.t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(v.t, err)
	for _, table := range all {
		rows, err := v.app.Store.Pool.Query(v.t.Context(), `SELECT x::text FROM `+pgx.Identifier{table}.Sanitize()+` AS x`)
		must(v.t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(v.t, err)
		if table == "api_requests" {
			lines = append(lines, v.bodies()...)
		}
		for _, line := range lines {
			if word := firstIn(line, words); word != "" && !slices.Contains(tables, table) {
				tables = append(tables, table)
				v.t.Logf("%s: …%s…", table, around(strings.ToLower(line), strings.ToLower(word)))
			}
		}
	}
	slices.Sort(tables)
	return tables
}

// bodies are what programs asked and were answered, which is packed in the database.
func (v *vault) bodies() (all []string) {
	v.t.Helper()
	rows, err := v.app.Store.Pool.Query(v.t.Context(), `SELECT merchant_id, id FROM api_requests`)
	must(v.t, err)
	type key struct{ Merchant, ID uuid.UUID }
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[key])
	must(v.t, err)
	log := requestlog.Store{DB: v.app.Store}
	for _, k := range keys {
		e, err := log.Request(v.t.Context(), k.Merchant, k.ID)
		must(v.t, err)
		all = append(all, e.Request, e.Answer)
	}
	return all
}

func firstIn(text string, words []string) string {
	text = strings.ToLower(text)
	for _, word := range words {
		if strings.Contains(text, strings.ToLower(word)) {
			return word
		}
	}
	return ""
}

func TestAClientIsErasedAndTheLawKeepsWhatItWants(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	cookie := v.cookie()
	v.api(201, "POST", "/api/v1/webhooks/", `{"title":"Till","callback":"http://127.0.0.1:9/","all_events":true}`)
	client, purchase := v.nomvula(cookie)
	page := "/clients/" + client + "/erasure"
	v.api(200, "POST", "/sandbox/clock", `{"advance":"4d"}`)
	if under := v.ask("GET", page, nil, "Cookie: "+cookie); !strings.Contains(under.Body.String(), "under way") ||
		strings.Contains(under.Body.String(), "Type ERASE") {
		t.Errorf("a debit is under way: %s", under.Body)
	}
	if under := v.ask("POST", page, url.Values{"confirm": {"ERASE"}},
		"Cookie: "+cookie); under.Code != http.StatusConflict {
		t.Errorf("erased while a debit is under way: %d", under.Code)
	}
	v.api(200, "POST", "/sandbox/clock", `{"advance":"90d"}`)
	for range 31 { // the subscription debits each month, on a day that depends on when it began
		if !strings.Contains(v.ask("GET", page, nil, "Cookie: "+cookie).Body.String(), "under way") {
			break
		}
		v.api(200, "POST", "/sandbox/clock", `{"advance":"1d"}`)
	}
	v.api(201, "POST", "/api/v1/company_statements/?currency=ZAR", `{"format":"csv"}`)
	must(t, v.app.Services.Statements.TakeUp(t.Context()))
	v.app.Requests.Flush(t.Context())
	held := v.holding(personal)
	for _, table := range []string{"clients", "purchases", "mails", "tokens", "events", "mandates", "audit_entries",
		"api_requests", "notes", "promises", "approvals"} {
		if !slices.Contains(held, table) {
			t.Errorf("%s holds nothing of her before: the test looks at nothing (%v)", table, held)
		}
	}
	asked := v.ask("GET", page, nil, "Cookie: "+cookie).Body.String()
	if !strings.Contains(asked, "What stays") || !strings.Contains(asked, "until") || !strings.Contains(asked, "203") {
		t.Errorf("the page does not say what stays and until when: %s", asked)
	}
	if slip := v.ask("POST", page, url.Values{"confirm": {"erase it"}},
		"Cookie: "+cookie); slip.Code != http.StatusUnprocessableEntity {
		t.Errorf("a slip: %d", slip.Code)
	}
	if done := v.ask("POST", page, url.Values{"confirm": {"ERASE"}}, "Cookie: "+cookie); done.Code != http.StatusSeeOther {
		t.Fatalf("erasing: %d %s", done.Code, done.Body)
	}
	must(t, v.app.Services.Statements.TakeUp(t.Context()))
	for _, table := range v.holding(personal) {
		if !slices.Contains(keptByLaw, table) {
			t.Errorf("%s still holds something of her", table)
		}
	}
	v.stillWorks(cookie, client, purchase)

	var until calendar.Date
	must(t, v.app.Store.Pool.QueryRow(t.Context(), `SELECT evidence_until FROM clients WHERE id = $1`,
		client).Scan(&until))
	evidence := v.app.Services.Clients.Store
	if n, err := evidence.DropEvidence(t.Context(), until); n != 0 || err != nil {
		t.Errorf("evidence went on its last day: %d %v", n, err)
	}
	if n, err := evidence.DropEvidence(t.Context(), until.AddDays(1)); n != 1 || err != nil {
		t.Errorf("evidence stays after its last day: %d %v", n, err)
	}
	if held := v.holding(personal); !slices.Equal(held, []string{"audit_entries"}) {
		t.Errorf("after seven years %v hold something of her", held)
	}
	v.ask("GET", "/mandates", nil, "Cookie: "+cookie)
	v.ask("GET", "/invoices", nil, "Cookie: "+cookie)
}

// stillWorks walks what shows the erased client.
func (v *vault) stillWorks(cookie, client, purchase string) {
	v.t.Helper()
	for _, path := range []string{"/clients/" + client, "/clients", "/purchases/" + purchase, "/p/" + purchase + "/"} {
		if rec := v.ask("GET", path, nil, "Cookie: "+cookie, "Accept: text/html"); rec.Code != http.StatusOK {
			v.t.Errorf("%s: %d", path, rec.Code)
		}
	}
	if page := v.ask("GET", "/clients/"+client, nil, "Cookie: "+cookie).Body.String(); !strings.Contains(page,
		"Erased client") || !strings.Contains(page, "are kept until") || strings.Contains(page, "/accounts/new") ||
		strings.Contains(page, "/purchases/new?client") {
		v.t.Error("the page of the client does not say that it was erased, or what is left")
	}
	if row := v.ask("GET", "/clients/export?format=csv", nil, "Cookie: "+cookie).Body.String(); !strings.Contains(row,
		"Erased client") || firstIn(row, personal) != "" {
		v.t.Errorf("the list as a file: %s", row)
	}
	for _, path := range []string{"/api/v1/clients/" + client + "/", "/api/v1/clients/", "/api/v1/purchases/" + purchase +
		"/", "/api/v1/clients/" + client + "/recurring_tokens/"} {
		if rec := v.ask("GET", path, nil, "Authorization: Bearer "+v.token); rec.Code != http.StatusOK ||
			firstIn(rec.Body.String(), personal) != "" {
			v.t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
	for _, r := range []struct{ method, path, body string }{
		{"PATCH", "/api/v1/clients/" + client + "/", `{"city":"Hogsback"}`},
		{"POST", "/api/v1/purchases/", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"x","price":100}]}}`, client, v.brand)},
	} {
		if rec := v.ask(r.method, r.path, r.body, "Authorization: Bearer "+v.token); rec.Code != http.StatusConflict &&
			rec.Code != http.StatusBadRequest {
			v.t.Errorf("%s %s for an erased client: %d %s", r.method, r.path, rec.Code, rec.Body)
		}
	}
	if again := v.ask("POST", "/clients/"+client+"/erasure", url.Values{"confirm": {"ERASE"}},
		"Cookie: "+cookie); again.Code != http.StatusConflict {
		v.t.Errorf("erased twice: %d", again.Code)
	}
	v.api(201, "POST", "/api/v1/clients/", `{"email":"nomvula@planted.example","full_name":"Nomvula Zwelithini"}`,
		"Idempotency-Key: another")
	v.exec(`DELETE FROM idempotency_keys WHERE key = 'another'`)
	v.exec(`DELETE FROM clients WHERE email = 'nomvula@planted.example'`)
	var said string
	must(v.t, v.app.Store.Pool.QueryRow(
		v.t.Context(),
		`SELECT text || coalesce(before::text, '') || coalesce(after::text, '') FROM audit_entries
			WHERE action = 'client.erased'`,
	).Scan(&said))
	if firstIn(said, personal) != "" || !strings.Contains(said, "purchases") {
		v.t.Errorf("the entry of the erasure: %s", said)
	}
}

// reviewed is the form with which the ready rows of a batch are sent.
func (v *vault) reviewed(id string) url.Values {
	v.t.Helper()
	var rows, cents, fingerprint string
	must(v.t, v.app.Store.Pool.QueryRow(v.t.Context(),
		`SELECT counts->>'ready', counts->>'ready_cents', encode(fingerprint, 'hex') FROM batches WHERE id = $1`,
		id).Scan(&rows, &cents, &fingerprint))
	return url.Values{"good_only": {"yes"}, "warnings": {"yes"}, "rows": {rows}, "cents": {cents},
		"fingerprint": {fingerprint}}
}
