package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// contents is a sum of every row of every table. Of credentials only the number counts:
// their last use is true of a trial, too.
func (s *street) contents() map[string]string {
	s.t.Helper()
	rows, err := s.Store.Pool.Query(s.t.Context(), `SELECT table_name, (xpath('/row/s/text()', query_to_xml(
			CASE table_name WHEN 'credentials' THEN 'SELECT count(*) AS s FROM credentials'
			ELSE format('SELECT count(*) || md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '''')) AS s FROM %I t',
			table_name) END, true, true, '')))[1]::text
		FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	sums := map[string]string{}
	for rows.Next() {
		var table, sum string
		if err := rows.Scan(&table, &sum); err != nil {
			s.t.Fatal(err)
		}
		sums[table] = sum
	}
	if err := rows.Err(); err != nil || len(sums) < 30 {
		s.t.Fatalf("%d tables, %v", len(sums), err)
	}
	return sums
}

func (s *street) unchanged(what string, before map[string]string) {
	s.t.Helper()
	for table, sum := range s.contents() {
		if before[table] != sum {
			s.t.Errorf("%s changed %s", what, table)
		}
	}
}

// trial is a body that would be done, and what it is answered.
type trial struct {
	body   string
	status int
}

// trials are good bodies by route below /api/v1. A route that is not named here is
// tried without a body and with an empty one.
func (s *street) trials() map[string]trial {
	client, token, brand := s.ids["/clients/"], s.ids["/tokens/"], s.A.BrandID
	due := s.Store.Now().Add(96 * time.Hour).Unix()
	s.ids["chargeable"] = s.API("POST", "/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":100}]}}`, client,
			brand, due)).Want(201).Text("id")
	return map[string]trial{
		"/clients": {`{"email":"new@example.com","full_name":"New Payer","bank_account":"6200000002","bank_code":"470010"}`,
			201},
		"/purchases": {fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
			"purchase":{"products":[{"name":"m","price":100}],"payment_method_details":{"direct_debit":{}}}}`, client, brand),
			201},
		"/purchases/:id/charge":                 {fmt.Sprintf(`{"recurring_token":%q}`, token), 200},
		"/purchases/:id/cancel":                 {``, 200},
		"/purchases/:id/resend_invoice":         {``, 200},
		"/purchases/:id/mark_as_paid":           {`{}`, 200},
		"/purchases/:id/delete_recurring_token": {``, 200},
		"/purchases/:id/capture":                {``, 400},
		"/purchases/:id/release":                {``, 400},
		"/purchases/:id/refund":                 {``, 400},
		"/billing": {fmt.Sprintf(
			`{"brand_id":%q,"due":%d,"clients":[{"client_id":%q}],"purchase":{"products":[{"name":"m","price":100}]}}`, brand,
			due, client), 200},
		"/billing_templates": {fmt.Sprintf(
			`{"brand_id":%q,"title":"t","is_subscription":true,"purchase":{"products":[{"name":"m","price":100}]}}`, brand),
			201},
		"/billing_templates/:id/add_subscriber": {fmt.Sprintf(`{"client_id":%q}`, client), 200},
		"/sandbox/clock":                        {`{"advance":"48h"}`, 200},
		"/sandbox/collections/:purchase/result": {`{"code":"00"}`, 400},
		"/sandbox/mandates/:purchase/answer":    {`{"answer":"accept"}`, 400},
	}
}

// tried is the id that a trial is about: a purchase that can be charged, but the one that stores an account where that
// goes.
func (s *street) tried(route, parameter string) string {
	switch {
	case strings.HasSuffix(route, "/delete_recurring_token"):
		return s.ids["/tokens/"]
	case strings.Contains(route, "/purchases/") && parameter == "id":
		return s.ids["chargeable"]
	}
	return s.id(route, parameter)
}

func (s *street) posts(do func(route string)) {
	s.t.Helper()
	n := 0
	for _, r := range s.App.Routes() {
		if r.Method == http.MethodPost && (strings.HasPrefix(r.Path, "/sandbox/") || handlertest.IsProgram(r.Path)) {
			n++
			do(r.Path)
		}
	}
	if n < 14 {
		s.t.Errorf("only %d addresses", n)
	}
}

func TestATrialIsAnsweredAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	bodies := s.trials()
	known := 0
	s.posts(func(route string) {
		one, given := bodies[strings.TrimPrefix(route, "/api/v1")]
		if given {
			known++
		}
		path := s.address(route, s.tried) + "/?time=1&dry_run=true"
		for _, key := range []string{"", "trial " + route} {
			before := s.contents()
			var body any
			if one.body != "" {
				body = one.body
			}
			got := s.Call("POST", path, body, "Authorization: Bearer "+s.A.Token, "Accept: application/json",
				"Idempotency-Key: "+key)
			s.unbroken("POST "+path, got)
			s.unchanged("POST "+path, before)
			if given && got.Status != one.status {
				t.Errorf("POST %s: %d, want %d: %.300s", path, got.Status, one.status, got.Body)
			}
			if got.Header.Get("Dry-Run") != "true" {
				t.Errorf("POST %s does not say that it was a trial", path)
			}
		}
	})
	if known < len(bodies) {
		t.Errorf("%d good bodies were sent, want %d", known, len(bodies))
	}
}

func TestATrialOfAChangeOrADeletionLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	bodies := map[string]string{
		"PUT /clients/:id":                             `{"email":"other@example.com"}`,
		"PATCH /clients/:id":                           `{"city":"Durban"}`,
		"PUT /webhooks/:id":                            `{"title":"w","callback":"https://example.com/other","all_events":true}`,
		"PATCH /webhooks/:id":                          `{"title":"other"}`,
		"PUT /billing_templates/:id":                   `{"is_subscription":true,"title":"other","purchase":{"products":[{"name":"m","price":200}]}}`,
		"PATCH /billing_templates/:id/clients/:btc_id": `{"send_receipt":false}`,
		"PATCH /billing_templates/clients/:btc_id":     `{"send_receipt":false}`,
	}
	auth, tried, done := "Authorization: Bearer "+s.A.Token, 0, 0
	for _, r := range s.App.Routes() {
		if !handlertest.IsProgram(r.Path) || r.Method != http.MethodPut && r.Method != http.MethodPatch &&
			r.Method != http.MethodDelete {
			continue
		}
		tried++
		var body any
		if text := bodies[r.Method+" "+strings.TrimPrefix(r.Path, "/api/v1")]; text != "" {
			body = text
		}
		path := s.address(r.Path, s.id)
		before := s.contents()
		got := s.Call(r.Method, path+"/?dry_run=true", body, auth, "Accept: application/json")
		s.unbroken(r.Method+" "+path, got)
		s.unchanged(r.Method+" "+path, before)
		if got.Header.Get("Dry-Run") != "true" {
			t.Errorf("%s %s does not say that it was a trial", r.Method, path)
		}
		if got.Status < 300 {
			done++
		} else {
			t.Logf("%s %s: %d %.200s", r.Method, path, got.Status, got.Body)
		}
	}
	if tried < 10 || done < 8 {
		t.Errorf("%d addresses, %d of them would have been done", tried, done)
	}
}

func TestATrialReportsWhatIsWrongAsAlways(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.trials()
	s.posts(func(route string) {
		if strings.HasPrefix(route, "/sandbox/") && route != "/sandbox/clock" {
			return
		}
		for _, body := range []string{`{"email":7,"purchase":{"products":[{"price":-1}]},"clients":[{}],"recurring_token":"x","paid_on":"x","now":"x"}`, `{`} {
			auth := "Authorization: Bearer " + s.A.Token
			path := s.address(route, s.tried)
			tried := s.Call("POST", path+"?dry_run=1", body, auth, "Accept: application/json")
			if tried.Status < 300 {
				continue // it reads no body
			}
			done := s.Call("POST", path, body, auth, "Accept: application/json")
			s.unbroken(route, tried)
			if tried.Status != done.Status || tried.Body != done.Body {
				t.Errorf("%s %s: a trial says %d %s, the real one %d %s", route, body, tried.Status, tried.Body, done.Status,
					done.Body)
			}
		}
	})
}

func TestATrialShowsDatesAndNumbersAndTheRealOneFollowsThem(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	body := fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":12345,"quantity":2}]}}`,
		s.ids["/clients/"], s.A.BrandID, s.Store.Now().Add(96*time.Hour).Unix())
	tried := s.API("POST", "/purchases/?dry_run=true", body, "Idempotency-Key: k").Want(201)
	if again := s.API("POST", "/purchases/?dry_run=true", body).Want(201); again.Text("reference_generated") != tried.Text(
		"reference_generated") {
		t.Errorf("a trial used up %s", tried.Text("reference_generated"))
	}
	done := s.API("POST", "/purchases/", body, "Idempotency-Key: k").Want(201)
	if done.Header.Get("Idempotency-Replayed") != "" || done.Header.Get("Dry-Run") != "" {
		t.Errorf("the real one was answered from the trial: %v", done.Header)
	}
	if done.Text("reference_generated") != tried.Text("reference_generated") {
		t.Errorf("tried %s, done %s", tried.Text("reference_generated"), done.Text("reference_generated"))
	}
	s.API("GET", "/purchases/"+tried.Text("id")+"/", nil).Want(404)
	charge := fmt.Sprintf(`{"recurring_token":%q}`, s.ids["/tokens/"])
	day := func(a handlertest.Answer) string {
		order, _ := a.JSON()["debit_order"].(map[string]any)
		day, _ := order["action_date"].(string)
		return day
	}
	would := day(s.API("POST", "/purchases/"+done.Text("id")+"/charge/?dry_run=true", charge).Want(200))
	if is := day(s.API("POST", "/purchases/"+done.Text("id")+"/charge/", charge).Want(200)); would == "" || is != would {
		t.Errorf("action date tried %q, done %q", would, is)
	}
	if replayed := s.API("POST", "/purchases/?dry_run=true", body, "Idempotency-Key: k").Want(201); replayed.Header.Get(
		"Idempotency-Replayed") != "" || replayed.Text("id") == done.Text("id") {
		t.Error("a trial was answered with what was done before")
	}
}

func TestWhatDryRunMaySay(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	body := `{"email":"a@example.com"}`
	for query, want := range map[string]struct {
		status int
		dry    bool
	}{
		"dry_run=true": {201, true}, "dry_run=1": {201, true}, "dry_run=True": {201, true},
		"dry_run=false&dry_run=true": {201, true},
		"dry_run=false":              {201, false}, "dry_run=0": {201, false}, "dry_run=": {201, false},
		"dry_run":     {201, false},
		"dryrun=true": {201, false},
		"dry_run=yes": {400, false}, "dry_run=2": {400, false}, "dry_run=tru": {400, false},
	} {
		before := s.Count(`SELECT count(*) FROM clients`)
		got := s.API("POST", "/clients/?"+query, body).Want(want.status)
		if (got.Header.Get("Dry-Run") == "true") != want.dry {
			t.Errorf("%s: Dry-Run %q", query, got.Header.Get("Dry-Run"))
		}
		if want.status == 400 {
			got.WantCode("dry_run=invalid")
		}
		kept := s.Count(`SELECT count(*) FROM clients`) - before
		if (kept == 1) != (want.status == 201 && !want.dry) {
			t.Errorf("%s kept %d", query, kept)
		}
	}
	s.API("GET", "/clients/?dry_run=nonsense", nil).Want(200)
}
