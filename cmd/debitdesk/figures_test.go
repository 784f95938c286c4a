package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/xuri/excelize/v2"

	"debitdesk/models/purchase"
	"debitdesk/models/statement"
)

// charged stores an account and debits it once, due four days ahead.
func (v *vault) charged(account string, cents int) string {
	v.t.Helper()
	client := v.api(201, "POST", "/api/v1/clients/",
		fmt.Sprintf(`{"email":"p%s@example.com","full_name":"=Thandi Nkosi","bank_account":%q,"bank_code":"632005"}`,
			account[6:], account))
	token := v.api(201, "POST", "/api/v1/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client, v.brand))
	bought := v.bought(client, cents)
	v.api(200, "POST", "/api/v1/purchases/"+bought+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token))
	return bought
}

func (v *vault) bought(client string, cents int) string {
	v.t.Helper()
	return v.api(201, "POST", "/api/v1/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":%d}]}}`,
			client, v.brand, v.app.Store.Now().Add(97*time.Hour).Unix(), cents))
}

// read gets JSON from the API.
func (v *vault) read(path string) (out map[string]any) {
	v.t.Helper()
	rec := v.ask("GET", "/api/v1"+path, nil, "Authorization: Bearer "+v.token)
	if rec.Code != 200 {
		v.t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
	}
	must(v.t, json.Unmarshal(rec.Body.Bytes(), &out))
	return out
}

func (v *vault) exec(sql string, args ...any) {
	v.t.Helper()
	_, err := v.app.Store.Pool.Exec(v.t.Context(), sql, args...)
	must(v.t, err)
}

// lived is a business after months: paid, unpaid, returned late, disputed, disputed too
// late, refunded in part, paid by hand; then one debit that may still be returned and
// one refund that is owed.
func lived(t *testing.T) *vault {
	t.Helper()
	v := openVault(t)
	first, second := v.charged("4000000101", 10001), v.charged("4000000102", 20003)
	for account, cents := range map[string]int{"4000009002": 30007, "4000009500": 40009, "4000009030": 50021,
		"4000009630": 60013} {
		v.charged(account, cents)
	}
	client := v.api(201, "POST", "/api/v1/clients/", `{"email":"hand@example.com","full_name":"Sipho Dube"}`)
	v.api(200, "POST", "/api/v1/purchases/"+v.bought(client, 70001)+"/mark_as_paid/", "")
	v.api(200, "POST", "/sandbox/clock", `{"advance":"30d"}`)
	v.api(200, "POST", "/api/v1/purchases/"+second+"/refund/", `{"amount":5000}`)
	v.api(200, "POST", "/sandbox/clock", `{"advance":"60d"}`)
	last := v.charged("4000000103", 80000)
	// The day of the debit, which is later than the day it is due where a cut-off has passed.
	var day string
	must(t, v.app.Store.Pool.QueryRow(t.Context(), `SELECT action_date::text FROM collections WHERE purchase_id = $1`,
		last).Scan(&day))
	v.api(200, "POST", "/sandbox/clock", fmt.Sprintf(`{"now":"%sT20:00:00+02:00"}`, day))
	v.api(200, "POST", "/api/v1/purchases/"+first+"/refund/", "")
	return v
}

func TestBalance_and_turnover_are_what_an_independent_sum_gives(t *testing.T) {
	t.Parallel()
	v := lived(t)
	gross := 10001 + 20003 - 5000 + 0 /* unpaid */ + 0 /* returned */ + 0 /* disputed */ +
		60013 /* won: the money never left */ + 70001 /* by hand */ + 80000
	figures := func(gross, reserved, owed int) map[string]any {
		out := map[string]any{}
		for name, n := range map[string]int{"balance": gross, "fee_sell": 0, "reserved": reserved, "gross_balance": gross,
			"pending_outgoing": owed, "available_balance": gross - reserved - owed} {
			out[name] = float64(n)
		}
		return out
	}
	other := uuid.NewString()
	for query, want := range map[string]map[string]any{
		"":                           {"ZAR": figures(gross, 80000, 10001)},
		"?currency=ZAR&currency=USD": {"ZAR": figures(gross, 80000, 10001), "USD": figures(0, 0, 0)},
		"?brand_id=" + v.brand:       {"ZAR": figures(gross, 80000, 10001)},
		"?payment_method=eft":        {"ZAR": figures(gross-70001, 80000, 10001)},
		"?payment_method=debicheck":  {"ZAR": figures(0, 0, 0)},
		"?tokenized=false":           {"ZAR": figures(70001, 0, 0)},
		"?tokenized=true":            {"ZAR": figures(gross-70001, 80000, 10001)},
		"?terminal_uid=t1":           {"ZAR": figures(0, 0, 0)},
		"?country=za&flow=&time=1":   {"ZAR": figures(gross, 80000, 10001)},
		fmt.Sprintf("?from=%d", v.app.Store.Now().Add(-48*time.Hour).Unix()): {"ZAR": figures(80000, 80000, 10001)},
	} {
		got := v.read("/account/json/balance/" + query)
		for currency, figures := range want {
			if !reflect.DeepEqual(got[currency], any(figures)) {
				t.Errorf("%s %s: %v, want %v", query, currency, got[currency], figures)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v", query, got)
		}
	}
	side := func(cents, n int) map[string]any {
		return map[string]any{"turnover": float64(cents), "fee_sell": 0.0, "count": map[string]any{"all": float64(n)}}
	}
	got := v.read("/account/json/turnover/?currency=ZAR&from=0")
	want := map[string]any{"incoming": side(10001+20003+40009+50021+60013+70001+80000, 7),
		"outgoing": side(5000+40009+50021, 3)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("turnover %v, want %v", got, want)
	}
	if got := v.read("/account/json/turnover/?currency=USD"); !reflect.DeepEqual(got,
		map[string]any{"incoming": side(0, 0), "outgoing": side(0, 0)}) {
		t.Errorf("turnover in dollars %v", got)
	}
	for query, code := range map[string]string{"?currency=rand": "invalid_choice", "?brand=x": "invalid",
		"?brand=" + other: "does_not_exist", "?from=yesterday": "invalid", "?tokenized=perhaps": "invalid",
		"?from=9&to=3": "min_value"} {
		for _, path := range []string{"/api/v1/account/json/balance/", "/api/v1/account/json/turnover/"} {
			if rec := v.ask("GET", path+query, nil, "Authorization: Bearer "+v.token); rec.Code != 400 ||
				!strings.Contains(rec.Body.String(), `"code":"`+code+`"`) {
				t.Errorf("%s%s: %d %s", path, query, rec.Code, rec.Body)
			}
		}
	}
}

// file makes the statements that wait and gets one.
func (v *vault) file(id string) ([]byte, map[string]any) {
	v.t.Helper()
	must(v.t, v.app.Services.Statements.TakeUp(v.t.Context()))
	got := v.read("/company_statements/" + id + "/")
	if got["status"] != "finished" || got["began_on"] == nil || got["finished_on"] == nil {
		v.t.Fatalf("the statement is %v", got)
	}
	address, _ := strings.CutPrefix(got["download_url"].(string), vaultURL)
	if rec := v.ask("GET", address, nil); rec.Code != 401 {
		v.t.Errorf("anybody gets the file: %d", rec.Code)
	}
	rec := v.ask("GET", address, nil, "Authorization: Bearer "+v.token)
	if rec.Code != 200 || !strings.Contains(rec.Header().Get("Content-Disposition"), "attachment") {
		v.t.Fatalf("the file: %d %v", rec.Code, rec.Header())
	}
	return rec.Body.Bytes(), got
}

func TestAStatement_holds_every_movement_and_closes(t *testing.T) {
	t.Parallel()
	v := lived(t)
	id := v.api(201, "POST", "/api/v1/company_statements/?currency=ZAR",
		`{"format":"csv","timezone":"Africa/Johannesburg"}`)
	if got := v.read("/company_statements/" + id + "/"); got["status"] != "pending" ||
		got["type"] != "company_statement" || got["download_url"] != nil || got["query_string"] != "currency=ZAR" ||
		got["began_on"] != nil {
		t.Errorf("asked for, it is %v", got)
	}
	file, _ := v.file(id)
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff")))).ReadAll()
	must(t, err)
	if len(rows) != 1+1+10+3 {
		t.Fatalf("%d rows: %q", len(rows), rows)
	}
	last := rows[len(rows)-1]
	if last[1] != "Closing balance" || last[2] != "10 movements" || last[8] != "2350.18" ||
		rows[len(rows)-2][7] != "-950.30" || rows[len(rows)-3][7] != "3300.48" {
		t.Errorf("it closes with %q", rows[len(rows)-3:])
	}
	if text := string(file); strings.Contains(text, "400000") || !strings.Contains(text, "'=Thandi Nkosi") ||
		!strings.Contains(text, "•••• 9500") {
		t.Errorf("names and numbers: %s", text)
	}
	// The second half opens with what the first half closed with.
	middle := v.app.Store.Now().Add(-48 * time.Hour).Unix()
	id = v.api(201, "POST", fmt.Sprintf("/api/v1/company_statements/?currency=ZAR&from=%d", middle), `{"format":"xlsx"}`)
	file, _ = v.file(id)
	book, err := excelize.OpenReader(bytes.NewReader(file))
	must(t, err)
	sheet, err := book.GetRows("Statement ZAR", excelize.Options{RawCellValue: true})
	must(t, err)
	if sheet[1][8] != "1550.18" || len(sheet) != 1+1+1+3 || sheet[len(sheet)-1][8] != "2350.18" {
		t.Errorf("the sheet holds %q", sheet)
	}
}

func TestAStatement_is_narrowed_by_what_its_purchases_are(t *testing.T) {
	t.Parallel()
	v := lived(t)
	lines := func(query string) int {
		file, got := v.file(v.api(201, "POST", "/api/v1/company_statements/?shop_id=7&"+query, `{"format":"csv"}`))
		rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff")))).ReadAll()
		must(t, err)
		if strings.Contains(got["query_string"].(string), "shop_id") {
			t.Errorf("%q", got["query_string"])
		}
		return len(rows) - 5 // head, opening, three of the end
	}
	all := lines("")
	parts := 0
	for _, status := range purchase.Statuses {
		parts += lines("status=" + string(status))
	}
	if all == 0 || parts != all {
		t.Errorf("%d movements, and %d by status", all, parts)
	}
	now := v.app.Store.Now().Unix()
	for query, want := range map[string]int{"q=nobody-has-this": 0, "products=nothing-like-it": 0, "total=1": 0,
		fmt.Sprint("updated_to=", now+1): all, fmt.Sprint("updated_from=", now+1): 0,
		fmt.Sprint("paid_from=", now+1): 0, "currency=ZAR": all} {
		if got := lines(query); got != want {
			t.Errorf("%s: %d movements, want %d", query, got, want)
		}
	}
	if some := lines("paid_to=" + fmt.Sprint(now+1)); some == 0 || some == all {
		t.Errorf("%d of %d movements are of purchases that are paid", some, all)
	}
}

func TestAStatement_is_refused_with_every_problem_at_its_place(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	for body, codes := range map[string][]string{
		`{}`: {`"format":[{"message":"This field is required.","code":"required"}]`},
		`{"format":"pdf","timezone":"Mars/Gale"}`: {`"format":[{`, `invalid_choice`, `"timezone":[{`},
	} {
		rec := v.ask("POST", "/api/v1/company_statements/", body, "Authorization: Bearer "+v.token)
		for _, code := range codes {
			if rec.Code != 400 || !strings.Contains(rec.Body.String(), code) {
				t.Errorf("%s: %d %s lacks %s", body, rec.Code, rec.Body, code)
			}
		}
	}
	rec := v.ask("POST", "/api/v1/company_statements/?status=lost&total=x&paid_from=y&updated_to=z", `{"format":"csv"}`,
		"Authorization: Bearer "+v.token)
	for _, name := range []string{"status", "total", "paid_from", "updated_to"} {
		if rec.Code != 400 || !strings.Contains(rec.Body.String(), `"`+name+`":[{`) {
			t.Errorf("%d %s lacks %s", rec.Code, rec.Body, name)
		}
	}
	if rec := v.ask("POST", "/api/v1/company_statements/?currency=ZAR&brand="+uuid.NewString(), `{"format":"csv"}`,
		"Authorization: Bearer "+v.token); rec.Code != 400 || !strings.Contains(rec.Body.String(), "does_not_exist") {
		t.Errorf("a brand that is nobody's: %d %s", rec.Code, rec.Body)
	}
}

func TestAStatement_made_many_times_at_once_is_made_once(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	id := v.api(201, "POST", "/api/v1/company_statements/?currency=ZAR", `{"format":"csv"}`)
	made := 0
	service := *v.app.Services.Statements
	var mu sync.Mutex
	paper := service.Paper
	service.Paper = func(w io.Writer) statement.Paper {
		mu.Lock()
		defer mu.Unlock()
		made++
		return paper(w)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := service.Make(t.Context(), uuid.MustParse(id)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := v.read("/company_statements/" + id + "/"); made != 1 || got["status"] != "finished" {
		t.Errorf("made %d times, it is %v", made, got["status"])
	}
	must(t, service.Make(t.Context(), uuid.MustParse(id)))
	if made != 1 {
		t.Error("a finished one was made again")
	}
	if rec := v.ask("POST", "/api/v1/company_statements/"+id+"/cancel/", nil, "Authorization: Bearer "+
		v.token); rec.Code != 400 || !strings.Contains(rec.Body.String(), "_wrong_status") {
		t.Errorf("a finished one was cancelled: %d %s", rec.Code, rec.Body)
	}
}

func TestAStatement_that_is_cancelled_while_it_is_made_stays_cancelled(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	id := v.api(201, "POST", "/api/v1/company_statements/?currency=ZAR", `{"format":"csv"}`)
	service := *v.app.Services.Statements
	paper := service.Paper
	service.Paper = func(w io.Writer) statement.Paper {
		v.api(200, "POST", "/api/v1/company_statements/"+id+"/cancel/", "")
		return paper(w)
	}
	must(t, service.Make(t.Context(), uuid.MustParse(id)))
	must(t, v.app.Services.Statements.TakeUp(t.Context()))
	if got := v.read("/company_statements/" + id + "/"); got["status"] != "cancelled" || got["download_url"] != nil {
		t.Errorf("it is %v", got)
	}
	if rec := v.ask("GET", "/api/v1/company_statements/"+id+"/file/", nil, "Authorization: Bearer "+
		v.token); rec.Code != 404 {
		t.Errorf("it has a file: %d", rec.Code)
	}
}

func TestPaymentMethods_depend_on_what_a_purchase_would_be(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	both, eft, none := []any{"eft", "debicheck"}, []any{"eft"}, []any{}
	for query, want := range map[string][]any{
		"": both, "&recurring=true": both, "&recurring=false": eft, "&skip_capture=true&amount=0": both, "&amount=0": none,
		"&amount=1": both, "&country=ZA": both, "&country=KE": none,
		"&preauthorization=true&amount=0": both, "&language=en&time=5": both,
	} {
		got := v.read("/payment_methods/?currency=ZAR&brand_id=" + v.brand + query)
		if !reflect.DeepEqual(got["available_payment_methods"], any(want)) ||
			!reflect.DeepEqual(got["by_country"].(map[string]any)["ZA"], any(want)) {
			t.Errorf("%s: %v", query, got)
		}
	}
	if got := v.read("/payment_methods/?currency=USD&brand_id=" +
		v.brand); len(got["available_payment_methods"].([]any)) != 0 {
		t.Errorf("in dollars: %v", got)
	}
	got := v.read("//payment_methods/?currency=ZAR&brand_id=" + v.brand)
	logo, isText := got["logos"].(map[string]any)["eft"].(string)
	address, ours := strings.CutPrefix(logo, vaultURL)
	if rec := v.ask("GET", address, nil); !isText || !ours || rec.Code != 200 ||
		rec.Header().Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the logo %q: %d", logo, rec.Code)
	}
	if len(got) != 6 || !reflect.DeepEqual(got["country_names"],
		any(map[string]any{"ZA": "South Africa", "any": "Other"})) || len(got["card_methods"].([]any)) != 0 {
		t.Errorf("keys %v", got)
	}
	for query, want := range map[string][]string{
		"": {`"brand_id":[{"message":"This field is required.","code":"required"}]`},
		"?currency=ZAR&brand_id=6c56a88c-3cbd-4e2f-a35c-7dd2e87dcc09": {`Invalid pk`, `does_not_exist`},
		"?currency=R&brand_id=nobody&amount=-1&recurring=x": {`"currency":[{`, `invalid_choice`, `"brand_id":[{`,
			`"amount":[{`, `min_value`, `"recurring":[{`},
	} {
		rec := v.ask("GET", "/api/v1/payment_methods/"+query, nil, "Authorization: Bearer "+v.token)
		for _, text := range want {
			if rec.Code != 400 || !strings.Contains(rec.Body.String(), text) {
				t.Errorf("%s: %d %s lacks %s", query, rec.Code, rec.Body, text)
			}
		}
	}
}

func TestReports_show_the_figures_and_make_statements_by_plain_forms(t *testing.T) {
	t.Parallel()
	v := lived(t)
	cookie := "Cookie: " + v.cookie()
	page := v.ask("GET", "/reports", nil, cookie, "Accept: text/html").Body.String()
	for _, text := range []string{"2\u00a0350,18", "800,00", "100,01", "1\u00a0450,17", "No statement yet"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	form := url.Values{"period_from": {"2020-02-01"}, "period_to": {"2020-01-31"}, "currency": {"ZAR"}, "format": {"csv"}}
	if rec := v.ask("POST", "/reports/statements", form, cookie); rec.Code != 422 ||
		!strings.Contains(rec.Body.String(), "The period ends before it begins.") {
		t.Errorf("a period that ends before it begins: %d", rec.Code)
	}
	form.Set("period_to", "2999-12-31")
	form.Set("form_key", uuid.NewString())
	for range 2 { // a second click is no second statement
		if rec := v.ask("POST", "/reports/statements", form, cookie); rec.Code != 303 {
			t.Fatalf("asked for a statement: %d %s", rec.Code, rec.Body)
		}
	}
	ids := v.ids("company_statements")
	if len(ids) != 1 {
		t.Fatalf("%d statements", len(ids))
	}
	must(t, v.app.Services.Statements.TakeUp(t.Context()))
	rec := v.ask("GET", "/reports/statements/"+ids[0]+"/file", nil, cookie)
	if rec.Code != 200 || !strings.Contains(rec.Body.String(), "Closing balance,10 movements") {
		t.Errorf("the file: %d %s", rec.Code, rec.Body)
	}
	if page := v.ask("GET", "/reports", nil, cookie, "Accept: text/html").Body.String(); !strings.Contains(page,
		"/reports/statements/"+ids[0]+"/file") {
		t.Error("the page does not lead to the file")
	}
}
