package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/models/mandate"
)

// The numbers that must never lie open. The accounts pay, come back unpaid, come
// back late and are disputed.
const (
	idNumber  = "8501015000085"
	paying    = "6211113456"
	unpaid    = "6222229002"
	late      = "6233339500"
	disputing = "6244449030"
	typedIn   = "6255556789" // by the payer, on the hosted page
)

var (
	rowIDs  = []string{"9006300123088", "0002295000083"} // in a table of invoices
	numbers = append([]string{idNumber, paying, unpaid, late, disputing, typedIn}, rowIDs...)
)

// vault is the whole product in this process, with everything that it says.
type vault struct {
	t        *testing.T
	app      *App
	echo     *echo.Echo
	log      bytes.Buffer
	token    string
	brand    string
	mu       sync.Mutex // of what endpoints hear
	calls    int
	callback string            // of purchases
	said     map[string]string // what was answered, by request
	finished map[string]bool   // pages that were looked at and say the same for ever
}

// written are the beginnings of pages about what is never written to again.
var written = []string{"/audit/", "/developers/requests/"}

const vaultURL = "http://desk.example"

func openVault(t *testing.T) *vault {
	t.Helper()
	env := sandboxOn(t)
	v := &vault{t: t, said: map[string]string{}, finished: map[string]bool{}}
	makeMerchant(t, env, "gym")
	made := typed(t, env, "", "apikey", "create", "--merchant", "gym", "--name", "till", "--ttl", "8760h")
	person := typed(t, env, "long enough to pass\n", "user", "create", "--email", "o@gym.example", "--role", "admin",
		"--merchant", "gym", "--password-stdin")
	if made.code != exitOK || person.code != exitOK {
		t.Fatalf("%+v %+v", made, person)
	}
	v.token = strings.TrimSpace(made.out)
	c, err := ReadConfig(env)
	must(t, err)
	log := slog.New(slog.NewJSONHandler(&v.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	v.app, err = Open(t.Context(), c, opening{log: log, baseURL: vaultURL, maxConns: fewConns})
	must(t, err)
	t.Cleanup(func() { _ = v.app.Close() })
	watch, err := mandate.Store{DB: v.app.Store}.Watch(t.Context())
	must(t, err)
	watch.Close() // a stream of events ends once it has shown what is there
	handler, err := v.app.handler(prometheus.NewRegistry(), vaultURL, false, watch)
	must(t, err)
	v.echo = handler.(*echo.Echo) //nolint:forcetypeassert // the whole HTTP side is one
	must(t, v.app.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM brands`).Scan(&v.brand))
	return v
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask sends a request and keeps what comes back.
func (v *vault) ask(method, path string, body any, headers ...string) *httptest.ResponseRecorder {
	v.t.Helper()
	text, kind := "", "application/json"
	switch b := body.(type) {
	case string:
		text = b
	case url.Values:
		text, kind = b.Encode(), "application/x-www-form-urlencoded"
	}
	r := httptest.NewRequest(method, path, strings.NewReader(text))
	if text != "" {
		r.Header.Set("Content-Type", kind)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	rec := httptest.NewRecorder()
	v.echo.ServeHTTP(rec, r)
	if rec.Code >= http.StatusInternalServerError {
		v.t.Errorf("%s %s: %d %s", method, path, rec.Code, rec.Body)
	}
	v.said[fmt.Sprintf("%s %s #%d", method, path, len(v.said))] = rec.Body.String() + fmt.Sprint(rec.Header())
	return rec
}

func (v *vault) api(status int, method, path, body string, headers ...string) string {
	v.t.Helper()
	rec := v.ask(method, path, body, append(headers, "Authorization: Bearer "+v.token)...)
	if rec.Code != status {
		v.t.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
	}
	_, rest, _ := strings.Cut(rec.Body.String(), `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// live walks a payer through everything: stored, charged, collected, returned,
// disputed, refunded, deleted.
func (v *vault) live(account string) {
	v.t.Helper()
	client := v.api(201, "POST", "/api/v1/clients/",
		fmt.Sprintf(
			`{"email":"t%s@example.com","full_name":"Thandi Nkosi","phone":"27821234567","bank_account":%q,"bank_code":"470010","personal_code":%q}`,
			account[6:],
			account,
			idNumber,
		), "Idempotency-Key: client-"+account[6:])
	token := v.api(201, "POST", "/api/v1/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"Membership","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
			v.brand), "Idempotency-Key: token-"+account[6:])
	purchase := v.api(201, "POST", "/api/v1/purchases/",
		fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"send_receipt":true,"success_callback":%q,"due":%d,"purchase":{"products":[{"name":"December","price":10000}]}}`,
			client,
			v.brand,
			v.callback,
			v.app.Store.Now().Add(73*time.Hour).Unix(),
		))
	v.api(200, "POST", "/api/v1/purchases/"+purchase+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token),
		"Idempotency-Key: charge-"+account[6:])
	v.api(201, "POST", "/api/v1/purchases/", fmt.Sprintf(
		`{"client":{"email":"once@example.com","full_name":"T","bank_account":%q,"bank_code":"470010","personal_code":%q},"brand_id":%q,
		"payment_method_whitelist":["eft"],"force_recurring":true,"send_receipt":true,"purchase":{"products":[{"name":"First","price":5000}],"payment_method_details":{"direct_debit":{}}}}`,
		account,
		idNumber,
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
	subscriber := v.api(200, "POST", "/api/v1/billing_templates/"+template+"/add_subscriber/",
		fmt.Sprintf(`{"client_id":%q,"subscription_debtor_account_number":%q,"subscription_debtor_id_number":%q}`,
			client, account, idNumber), "Idempotency-Key: subscriber-"+account[6:])
	v.api(400, "PATCH", "/billing_templates/clients/"+subscriber, // its mandate is for another account
		fmt.Sprintf(`{"subscription_debtor_account_number":%q,"send_receipt":false}`, typedIn))
	v.api(200, "POST", "/api/v1/billing_templates/"+template+"/add_subscriber/",
		fmt.Sprintf(`{"client_id":%q,"subscription_debtor_account_number":%q,"subscription_debtor_id_number":%q}`,
			client, typedIn, idNumber), "Idempotency-Key: another-"+account[6:])
	v.api(400, "PATCH", "/billing_templates/clients/"+subscriber,
		fmt.Sprintf(`{"subscription_debtor_account_number":"%s%s","subscription_debtor_id_number":{"x":%q}}`, account,
			strings.Repeat("1", 30), idNumber))
}

// wrongs are requests that are refused: what they say must not repeat a number.
func (v *vault) wrongs() {
	v.t.Helper()
	for _, body := range []string{
		fmt.Sprintf(`{"bank_account":"%s1","personal_code":%q,"email":"no"}`, paying, idNumber),
		fmt.Sprintf(`{"bank_account":"%s","personal_code":"%s9","country":"Wakanda","email":"a@b.co"}`, paying, idNumber),
		fmt.Sprintf(`{"bank_account":%s,"personal_code":[%s],"email":{"x":%s}}`, paying, idNumber, paying),
		fmt.Sprintf(`{"bank_account":"%s`, paying),
	} {
		v.api(400, "POST", "/api/v1/clients/", body, "Idempotency-Key: wrong-"+fmt.Sprint(len(body)))
	}
	v.api(400, "POST", "/api/v1/purchases/", fmt.Sprintf(
		`{"client":{"email":"a@b.co","full_name":"T","bank_account":"%s1234","bank_code":"470010","personal_code":"%s"},"brand_id":%q,
		"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"First","price":5000}],"payment_method_details":{"direct_debit":{}}}}`,
		paying,
		idNumber,
		v.brand,
	))
	v.api(200, "GET", "/api/v1/clients/?personal_code="+idNumber, "")
	v.api(200, "GET", "/api/v1/clients/?q="+paying, "")
}

func (v *vault) payerGives() {
	v.t.Helper()
	client := v.api(201, "POST", "/api/v1/clients/", `{"email":"payer@example.com","full_name":"Sipho Dube"}`)
	id := v.api(201, "POST", "/api/v1/purchases/",
		fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"Membership","price":9900}]}}`,
			client,
			v.brand,
		))
	rec := v.ask("POST", "/p/"+id+"/", url.Values{"full_name": {"Sipho Dube"}, "id_number": {idNumber},
		"phone": {"0821234567"}, "bank_code": {"470010"},
		"account_number": {typedIn}, "account_type": {"SAVINGS"}, "consent": {"yes"}})
	if rec.Code != http.StatusSeeOther {
		v.t.Fatalf("the payer's page: %d %s", rec.Code, rec.Body)
	}
}

// ids of everything that an address can name.
func (v *vault) ids(table string) []string {
	v.t.Helper()
	rows, err := v.app.Store.Pool.Query(v.t.Context(), `SELECT id::text FROM `+table+` ORDER BY id`)
	must(v.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(v.t, err)
	return ids
}

// billsByTable sends invoices from a table that names accounts and identity
// numbers, with a row that is wrong.
func (v *vault) billsByTable(cookie string) {
	v.t.Helper()
	due := v.app.Store.Now().Add(240 * time.Hour).Format("2006-01-02")
	cells := "E-mail\tName\tID number\tBank account\tBranch code\tAmount\tDue date\n"
	for i, account := range []string{typedIn, late} {
		cells += fmt.Sprintf("row%d@example.com\tRow %d\t%s\t%s\t470010\t%d00,00\t%s\n", i, i, rowIDs[i], account, i+2, due)
	}
	cells += fmt.Sprintf("wrong\tWrong\t%s\t%s\t470010\tmuch\t%s\n", idNumber, paying, due)
	if made := v.ask("POST", "/batches/paste", url.Values{"cells": {cells}, "brand_id": {v.brand}},
		"Cookie: "+cookie); made.Code != http.StatusSeeOther {
		v.t.Fatalf("paste: %d %s", made.Code, made.Body)
	}
	ids := v.ids("batches")
	if len(ids) == 0 {
		v.t.Fatal("no batch was made")
	}
	newest := ids[len(ids)-1]
	form := url.Values{"brand_id": {v.brand}}
	for i, field := range []string{"email", "full_name", "personal_code", "bank_account", "bank_code", "amount", "due"} {
		form.Set(fmt.Sprintf("column_%d", i), field)
	}
	v.ask("POST", "/batches/"+newest+"/map", form, "Cookie: "+cookie)
	must(v.t, v.app.Services.Batches.TakeUp(v.t.Context()))
	must(v.t, v.app.Services.Batches.Work(v.t.Context(), uuid.MustParse(newest)))
	v.ask("POST", "/batches/"+newest+"/fixes", url.Values{"cause": {"unknown_client"}, "column": {"1"},
		"choice": {"create"}}, "Cookie: "+cookie)
	amounts := url.Values{"amount": {"2:20000", "3:30000"}} // one of them is unusual when the same people are billed again
	v.ask("POST", "/batches/"+newest+"/amounts", amounts, "Cookie: "+cookie)
	v.ask("POST", "/batches/"+newest+"/start", v.reviewed(newest), "Cookie: "+cookie)
	must(v.t, v.app.Services.Batches.Work(v.t.Context(), uuid.MustParse(newest)))
	var sent int
	must(v.t, v.app.Store.Pool.QueryRow(v.t.Context(),
		`SELECT count(*) FROM batch_rows WHERE batch_id = $1 AND state = 'sent'`, newest).Scan(&sent))
	if sent != 2 {
		v.t.Errorf("%d rows of the batch became invoices", sent)
	}
}

// look opens every page that there is, about everything that there is.
func (v *vault) look() {
	v.t.Helper()
	signed := v.ask("POST", "/login", url.Values{"email": {"o@gym.example"}, "password": {"long enough to pass"}})
	if signed.Code != http.StatusSeeOther {
		v.t.Fatalf("sign in: %d %s", signed.Code, signed.Body)
	}
	cookie := strings.SplitN(signed.Header().Get("Set-Cookie"), ";", 2)[0]
	v.billsByTable(cookie)
	v.movesIn(cookie)
	v.subscribes(cookie)
	v.asksASecondPerson(cookie)
	v.app.Requests.Flush(v.t.Context())
	v.api(201, "POST", "/api/v1/company_statements/?currency=ZAR", `{"format":"csv"}`)
	must(v.t, v.app.Services.Statements.TakeUp(v.t.Context()))
	tables := map[string]string{"/api/v1/clients": "clients", "/clients": "clients", "/purchases": "purchases",
		"/api/v1/purchases": "purchases",
		"/p":                "purchases", "/tokens": "tokens", "/tokens/deletions": "token_deletions",
		"/mandates":   "mandates",
		"/amendments": "amendments", "/batches": "batches", "/templates": "billing_templates", "/sandbox/mail": "mails",
		"/sandbox/sms":              "sms_messages",
		"/developers/credentials":   "credentials",
		"/api/v1/billing_templates": "billing_templates", "/billing_templates": "billing_templates",
		"/api/v1/billing_templates/clients": "template_clients", "/billing_templates/clients": "template_clients",
		"/api/v1/company_statements": "company_statements", "/reports/statements": "company_statements",
		"/reports/saved":       "saved_reports",
		"/messages":            "mails",
		"/developers/webhooks": "webhooks", "/api/v1/webhooks": "webhooks", "/developers/webhooks/deliveries": "deliveries",
		"/api/v1/webhooks/deliveries": "deliveries", "/developers/events": "events", "/developers/requests": "api_requests",
		"/audit": "audit_entries", "/tasks": "tasks", "/selections": "selections", "/approvals": "approvals",
		"/attention": "purchases", "/lists/views": "list_views", "/settings/people": "users",
		"/invite": "users", "/first": "users", "/oidc/start": "users", "/oidc/callback": "users",
		"/settings/issuers": "users",
		"/reset":            "users", "/settings/brands": "brands", "/account/security/passkeys": "users",
		"/settings/security/people": "users", "/settings/rules": "own_rules", "/imports": "book_imports",
		"/books/closings": "book_closings", "/books/fees": "book_records",
		"/requests": "client_requests", "/my/link": "clients", "/my/ask": "clients",
		"/my/mandates": "mandates", "/my/acts": "clients", "/my/codes": "clients",
		"/plans": "plans", "/p/look": "brands"} // whose sheet is named by a colour: any other name finds nothing
	seen := 0
	for _, r := range v.echo.Routes() {
		if r.Method != http.MethodGet || strings.HasPrefix(r.Path, "/static/") || strings.HasPrefix(r.Path, "/manual/") {
			continue
		}
		before, after, hasID := strings.Cut(r.Path, "/:")
		paths := []string{r.Path}
		if hasID {
			table, known := tables[before]
			if !known {
				v.t.Errorf("the test does not know what %s is about", r.Path)
				continue
			}
			_, after, more := strings.Cut(after, "/")
			paths = nil
			for _, id := range v.ids(table) {
				rest := strings.NewReplacer(":token_id", id, ":btc_id", id, ":n", "0", ":file", id, ":profile",
					v.ids("debit_profiles")[0], ":sid", v.subscriber(id), ":act", "remind",
					":message", "invoice").Replace(after)
				paths = append(paths, before+"/"+id+map[bool]string{true: "/"}[more]+rest)
			}
		}
		for _, path := range paths {
			seen++
			if v.finished[path] {
				continue
			}
			v.finished[path] = hasID && slices.Contains(written, before+"/")
			v.ask("GET", path, nil, "Cookie: "+cookie, "Accept: text/html")
			if strings.HasPrefix(path, "/api/v1/purchases") || strings.HasPrefix(path, "/sandbox") ||
				strings.HasPrefix(path, "/api/v1/company_statements") || strings.HasPrefix(path, "/api/v1/webhooks") ||
				strings.HasPrefix(path, "/api/v1/account") || strings.Contains(path, "recurring_tokens") {
				v.ask("GET", path, nil, "Authorization: Bearer "+v.token, "Accept: application/json")
			}
		}
	}
	if seen < 60 {
		v.t.Errorf("only %d pages were looked at", seen)
	}
}

// asksASecondPerson keeps a request to delete one account, and deletes another.
func (v *vault) asksASecondPerson(cookie string) {
	v.t.Helper()
	rows, err := v.app.Store.Pool.Query(v.t.Context(),
		`SELECT id::text || right(account_mask, 4) FROM tokens WHERE state IN ('active', 'blocked') LIMIT 2`)
	must(v.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(v.t, err)
	for i, one := range found {
		id, tail := one[:36], one[36:]
		if i == 1 { // the first is deleted without being asked for, unless it was looked before
			set := v.ask("POST", "/settings/approvals", url.Values{"deletions": {"yes"}}, "Cookie: "+cookie)
			if set.Code != http.StatusSeeOther {
				v.t.Errorf("settings: %d %s", set.Code, set.Body)
			}
		}
		if got := v.ask("POST", "/tokens/deletion", url.Values{"id": {id}, "confirm": {tail}, "reason": {"Left."}},
			"Cookie: "+cookie); got.Code != http.StatusSeeOther {
			v.t.Errorf("deletion: %d %s", got.Code, got.Body)
		}
	}
	if n, gone := len(v.ids("approvals")), len(v.ids("token_deletions")); n == 0 || gone == 0 {
		v.t.Errorf("%d requests and %d deletions of %d accounts", n, gone, len(found))
	}
}

// subscriber is one of a template, or nobody's id.
func (v *vault) subscriber(templateID string) string {
	var id string
	if err := v.app.Store.Pool.QueryRow(v.t.Context(),
		`SELECT id::text FROM template_clients WHERE template_id = $1 LIMIT 1`, templateID).Scan(&id); err != nil {
		return templateID
	}
	return id
}

// subscribes makes a template whose subscribers are all clients.
func (v *vault) subscribes(cookie string) {
	v.t.Helper()
	form := url.Values{"kind": {"subscription"}, "title": {"Gym"}, "name": {"Gym"}, "price": {"100"}, "quantity": {"1"},
		"subscription_period": {"1"}, "subscription_period_units": {"months"},
		"subscription_due_period": {"7"}, "subscription_due_period_units": {"days"}, "subscription_trial_periods": {"0"},
		"method": {"any"}}
	made := v.ask("POST", "/templates", form, "Cookie: "+cookie, "Sec-Fetch-Site: same-origin")
	if made.Code != http.StatusSeeOther {
		v.t.Fatalf("template: %d %s", made.Code, made.Body)
	}
	for _, client := range v.ids("clients") {
		v.ask("POST", made.Header().Get("Location")+"/subscribers", url.Values{"client_id": {client}}, "Cookie: "+cookie,
			"Sec-Fetch-Site: same-origin")
	}
}

func TestNoNumberOfAPayerEverLiesOpen(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	endpoint := v.receives()
	v.callback = endpoint + "/callback"
	v.api(201, "POST", "/api/v1/webhooks/", fmt.Sprintf(`{"title":"Till","callback":%q,"all_events":true}`,
		endpoint+"/hook"))
	for _, account := range []string{paying, unpaid, late, disputing} {
		v.live(account)
	}
	v.payerGives()
	v.wrongs()
	v.look()
	for range 4 { // through due dates, returns, disputes and the end of the windows
		v.api(200, "POST", "/sandbox/clock", `{"advance":"15d"}`)
	}
	for _, id := range v.ids("purchases") {
		v.ask("POST", "/api/v1/purchases/"+id+"/refund/", nil, "Authorization: Bearer "+v.token)
		v.ask("POST", "/api/v1/purchases/"+id+"/resend_invoice/", nil, "Authorization: Bearer "+v.token)
		v.ask("POST", "/api/v1/purchases/"+id+"/charge/", `{"recurring_token":"`+paying+`"}`, "Authorization: Bearer "+
			v.token)
	}
	v.api(200, "POST", "/sandbox/clock", `{"advance":"15d"}`)
	v.look()
	v.told()
	cookie := v.cookie()
	v.files(cookie)
	v.payerErrs(v.ids("purchases")[0], cookie)
	v.breaks()
	v.app.Requests.Flush(t.Context())
	v.dumped()
	for _, id := range v.ids("clients") {
		v.ask("DELETE", "/api/v1/clients/"+id+"/", nil, "Authorization: Bearer "+v.token)
	}
	v.heard()
	v.searched()
}

// heard looks through what was answered and logged. Programs get the numbers of
// a client back under /clients/, because they compare them (API contract 1.3).
func (v *vault) heard() {
	v.t.Helper()
	v.said["the log"] = v.log.String()
	if !strings.Contains(v.said["the log"], "/charge") {
		v.t.Error("the log tells nothing")
	}
	for request, text := range v.said {
		program := strings.Contains(request, "/api/v1/clients/ ") || strings.Contains(request, "/api/v1/clients/?")
		if program && strings.Contains(text, `"type":"client"`) {
			continue
		}
		if shape, n := planted(text); shape != "" {
			v.t.Errorf("%s tells %s: …%s…", request, n, around(text, shape))
		}
	}
}

func around(text, n string) string {
	i := strings.Index(text, n)
	return text[max(0, i-80):min(len(text), i+len(n)+80)]
}

// searched looks through every row of every table, bytes in their usual forms.
func (v *vault) searched() {
	v.t.Helper()
	v.app.Requests.Flush(v.t.Context())
	rows, err := v.app.Store.Pool.Query(v.t.Context(),
		`SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	must(v.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(v.t, err)
	for _, must := range []string{"clients", "purchases", "tokens", "mandates", "mandate_authentications",
		"account_verifications", "amendments", "batches", "batch_rows", "book_import_rows", "invoices", "mails",
		"audit_entries",
		"idempotency_keys", "bank_messages", "sandbox_instructions", "sessions", "river_job", "company_statements",
		"api_requests"} {
		if !slices.Contains(tables, must) {
			v.t.Errorf("no table %s", must)
		}
	}
	total := 0
	for _, table := range tables {
		rows, err := v.app.Store.Pool.Query(v.t.Context(), `SELECT x::text FROM `+pgx.Identifier{table}.Sanitize()+` AS x`)
		must(v.t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(v.t, err)
		if table == "api_requests" {
			lines = append(lines, v.bodies()...)
		}
		total += len(lines)
		for _, line := range lines {
			if shape, n := planted(line); shape != "" {
				v.t.Errorf("table %s holds %s: …%s…", table, n, around(line, shape))
			}
		}
	}
	if total < 200 {
		v.t.Errorf("only %d rows were searched", total)
	}
}
