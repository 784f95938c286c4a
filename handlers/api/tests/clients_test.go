package tests

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
)

func thandi() map[string]any {
	return map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi", "phone": "082 123 4567",
		"personal_code": "8001015009087",
		"bank_account":  "4055123456", "bank_code": "632005", "country": "South Africa", "cc": nil, "bcc": nil,
		"brand_id": "whatever", "description": "unknown"}
}

func TestAClientIsCreatedWithTheCompleteRecord(t *testing.T) {
	h := handlertest.New(t)
	got := h.API("POST", "/clients/", thandi()).Want(http.StatusCreated)
	body := got.JSON()
	for key, want := range map[string]any{"type": "client", "email": "thandi@example.com", "phone": "27821234567",
		"country":      "ZA",
		"bank_account": "4055123456", "personal_code": "8001015009087", "bank_code": "632005", "state": "",
		"client_type": nil} {
		if body[key] != want {
			t.Errorf("%s is %v, want %v", key, body[key], want)
		}
	}
	for _, key := range []string{"cc", "bcc"} {
		if list, ok := body[key].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", key, body[key])
		}
	}
	if n := len(body); n != 28 {
		t.Errorf("%d keys, want 28: %s", n, got.Body)
	}
	if created, ok := body["created_on"].(float64); !ok || created != float64(int64(created)) {
		t.Errorf("created_on is %v, want whole seconds", body["created_on"])
	}
	if got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("content type %q", got.Header.Get("Content-Type"))
	}
}

func TestEveryFormOfThePathIsServedWithoutRedirect(t *testing.T) {
	h := handlertest.New(t)
	id := h.API("POST", "/clients", thandi()).Want(http.StatusCreated).Text("id")
	for _, path := range []string{"/clients/" + id + "/", "/clients/" + id, "//clients/" + id + "/",
		"//clients///" + id + "//"} {
		h.API("GET", path, nil).Want(http.StatusOK)
		h.API("GET", path+"?time=1795417200", nil).Want(http.StatusOK)
	}
	h.API("POST", "//clients/?time=1", thandi()).Want(http.StatusCreated)
}

func TestAllProblemsOfAClientComeAtOnce(t *testing.T) {
	h := handlertest.New(t)
	h.API("POST", "/clients/", map[string]any{"email": "nobody", "phone": strings.Repeat("1", 33),
		"full_name": strings.Repeat("é", 129),
		"country":   "Wakanda", "zip_code": nil, "city": []int{1}, "state": "a\x00b", "bank_code": strings.Repeat("1", 12),
		"bank_account": strings.Repeat("1", 35),
		"cc":           []string{"a@b.co", "wrong"}, "personal_code": "800101•••••87"}).Want(http.StatusBadRequest).
		WantCode("email=invalid", "phone=max_length", "full_name=max_length", "country=invalid_choice", "zip_code=required",
			"city=invalid",
			"state=invalid", "bank_code=max_length", "bank_account=max_length", "cc.1.__all__=invalid", "personal_code=invalid")
}

func TestTheLastAllowedCharacterPasses(t *testing.T) {
	h := handlertest.New(t)
	h.API("POST", "/clients/", map[string]any{"bank_account": "x€€€", "bank_code": "1", "personal_code": "€"}).Want(
		http.StatusCreated)
	h.API("POST", "/clients/", map[string]any{"bank_account": strings.Repeat("x", 34),
		"bank_code": strings.Repeat("1", 11),
		"full_name": strings.Repeat("é", 128), "phone": strings.Repeat("1", 32), "country": ""}).Want(http.StatusCreated)
}

func TestAClientNeedsAnAddressOrAnAccount(t *testing.T) {
	h := handlertest.New(t)
	h.API("POST", "/clients/", nil).Want(http.StatusBadRequest).WantCode("email=required")
	h.API("POST", "/clients/", map[string]any{"bank_account": "1"}).Want(http.StatusBadRequest).WantCode("email=required")
	h.API("POST", "/clients/", map[string]any{"bank_account": "1", "bank_code": "1"}).Want(http.StatusCreated)
}

func TestBodiesThatAreNoObjectAreAParseError(t *testing.T) {
	h := handlertest.New(t)
	for _, body := range []string{"{", "[]", "null", "12", `"text"`, "{}{}", strings.Repeat("[", 20000),
		`{"a":` + strings.Repeat(`{"a":`, 11000)} {
		h.API("POST", "/clients/", body).Want(http.StatusBadRequest).WantCode("__all__=parse_error")
	}
	h.API("POST", "/clients/", "{\"email\":\"\xff\xfe@x.co\"}").Want(http.StatusBadRequest)
	h.API("POST", "/clients/", `{"email": 1e400, "full_name": NaN}`).Want(http.StatusBadRequest)
	h.API("POST", "/clients/", `{"email":"`+strings.Repeat("a", 1<<20)+
		`"}`).Want(http.StatusRequestEntityTooLarge).WantCode("__all__=request_too_large")
}

func TestAFormPatchesAClient(t *testing.T) {
	h := handlertest.New(t)
	id := h.API("POST", "/clients/", thandi()).Text("id")
	got := h.API("PATCH", "/clients/"+id+"/", url.Values{"full_name": {"Thandi Dlamini"},
		"cc": {"a@example.com", "b@example.com"}}).Want(http.StatusOK)
	got.Contains(`"full_name":"Thandi Dlamini"`, `"cc":["a@example.com","b@example.com"]`, `"phone":"27821234567"`)
}

func TestPutReplacesAndPatchAmends(t *testing.T) {
	h := handlertest.New(t)
	id := h.API("POST", "/clients/", thandi()).Text("id")
	h.API("PATCH", "/clients/"+id+"/", map[string]any{"city": "Durban"}).Want(http.StatusOK).Contains(`"city":"Durban"`,
		`"full_name":"Thandi Nkosi"`)
	h.API("PUT", "/clients/"+id+"/", map[string]any{"email": "new@example.com"}).Want(http.StatusOK).
		Contains(`"email":"new@example.com"`, `"city":""`, `"full_name":""`, `"bank_account":""`)
	h.API("PATCH", "/clients/"+id+"/", map[string]any{"email": ""}).Want(http.StatusBadRequest).WantCode("email=required")
}

func TestAMaskSentBackLeavesTheNumber(t *testing.T) {
	h := handlertest.New(t)
	id := h.API("POST", "/clients/", thandi()).Text("id")
	if _, err := h.Store.Pool.Exec(t.Context(), "UPDATE clients SET account_type = 'savings'"); err != nil {
		t.Fatal(err)
	}
	h.API("PUT", "/clients/"+id+"/", map[string]any{"email": "x@example.com", "bank_account": "•••• 3456",
		"bank_code": "632005", "personal_code": "800101•••••87"}).
		Want(http.StatusOK).Contains(`"bank_account":"4055123456"`, `"personal_code":"8001015009087"`)
	h.API("PATCH", "/clients/"+id+"/", map[string]any{"bank_account": "•••• 9999", "city": "Paarl"}).
		Want(http.StatusOK).Contains(`"bank_account":"4055123456"`, `"city":"Paarl"`)
	if n := h.Count("SELECT count(*) FROM clients WHERE account_type = 'savings'"); n != 1 {
		t.Error("the kind of the account was forgotten although the account stayed")
	}
}

func TestNumbersAreInFullForTheScopeNumbersAlone(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	id := h.API("POST", "/clients/", thandi()).Want(201).Contains(`"bank_account":"4055123456"`).Text("id")
	narrow := h.Program(h.A, actor.ScopeRead, actor.ScopeWrite)
	as := func(method, path string, body any) handlertest.Answer {
		return h.Call(method, "/api/v1"+path, body, "Authorization: Bearer "+narrow)
	}
	masked := func(a handlertest.Answer) {
		a.Contains(`"bank_account":"•••• 3456"`, `"personal_code":"800101•••••87"`).Lacks("4055123456", "8001015009087")
	}
	masked(as("GET", "/clients/"+id+"/", nil).Want(200))
	masked(as("GET", "/clients/", nil).Want(200))
	masked(as("PATCH", "/clients/"+id+"/", map[string]any{"bank_account": "•••• 3456", "personal_code": "800101•••••87",
		"city": "Paarl"}).Want(200))
	masked(as("POST", "/clients/", thandi()).Want(201))
	as("POST", "/clients/", map[string]any{"email": "a@example.com", "bank_account": "•••• 3456"}).Want(400).WantCode(
		"bank_account=invalid")
	h.API("GET", "/clients/"+id+"/", nil).Want(200).Contains(`"bank_account":"4055123456"`, `"city":"Paarl"`)
}

func TestADeletedClientIsGone(t *testing.T) {
	h := handlertest.New(t)
	id := h.API("POST", "/clients/", thandi()).Text("id")
	got := h.API("DELETE", "/clients/"+id+"/", nil).Want(http.StatusNoContent)
	if got.Body != "" {
		t.Errorf("body %q", got.Body)
	}
	h.API("GET", "/clients/"+id+"/", nil).Want(http.StatusNotFound).WantCode("__all__=not_found")
	h.API("DELETE", "/clients/"+id+"/", nil).Want(http.StatusNotFound)
	h.API("PATCH", "/clients/"+id+"/", map[string]any{"city": "x"}).Want(http.StatusNotFound)
	h.API("GET", "/clients/", nil).Want(http.StatusOK).Contains(`"results":[]`)
}

func TestClientsAreFoundByEmailByIdentityNumberAndByWords(t *testing.T) {
	h := handlertest.New(t)
	want := h.API("POST", "/clients/", thandi()).Text("id")
	h.API("POST", "/clients/", map[string]any{"email": "other@example.com",
		"full_name": "Thandi thandi@example.com"}).Want(http.StatusCreated)
	for _, query := range []string{"q=thandi@example.com", "q=THANDI%40example.com", "personal_code=8001015009087",
		"personal_code=800101+5009+087", "q=nko", "q=0821234567", "q=8001015009087"} {
		list := h.API("GET", "/clients/?"+query, nil).Want(http.StatusOK).JSON()["results"].([]any)
		if len(list) != 1 || list[0].(map[string]any)["id"] != want {
			t.Errorf("%s finds %d clients: %v", query, len(list), list)
		}
	}
	for _, query := range []string{"q=nobody", "personal_code=8001015009086", "q=%00%ff'&x"} {
		h.API("GET", "/clients/?"+query, nil).Want(http.StatusOK).Contains(`"results":[]`)
	}
}

func TestPagesStayPutWhileClientsAreAdded(t *testing.T) {
	h := handlertest.New(t)
	add := func(from, to int) {
		for i := from; i < to; i++ {
			h.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("c%02d@example.com", i), "full_name": "Walk"}).Want(
				http.StatusCreated)
		}
	}
	add(0, 7)
	var seen []string
	next := handlertest.BaseURL + "/api/v1/clients/?limit=3&q=walk&other=kept"
	for page := 0; next != ""; page++ {
		got := h.API("GET", strings.TrimPrefix(next, handlertest.BaseURL+"/api/v1"), nil).Want(http.StatusOK).JSON()
		if (got["previous"] == nil) != (page == 0) {
			t.Errorf("page %d: previous is %v", page, got["previous"])
		}
		for _, r := range got["results"].([]any) {
			seen = append(seen, r.(map[string]any)["email"].(string))
		}
		next, _ = got["next"].(string)
		if next != "" && (!strings.HasPrefix(next, handlertest.BaseURL+"/api/v1/clients/?") ||
			!strings.Contains(next, "q=walk") || !strings.Contains(next, "other=kept") || !strings.Contains(next, "limit=3")) {
			t.Errorf("next is %s", next)
		}
		add(10+page, 11+page)
	}
	want := "c06 c05 c04 c03 c02 c01 c00"
	if got := strings.ReplaceAll(strings.Join(seen, " "), "@example.com", ""); got != want {
		t.Errorf("walked %s, want %s", got, want)
	}
}

func TestPreviousLeadsBackToTheNewerClients(t *testing.T) {
	h := handlertest.New(t)
	for i := range 5 {
		h.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("c%d@example.com", i)}).Want(http.StatusCreated)
	}
	first := h.API("GET", "/clients/?limit=2", nil)
	second := h.API("GET", strings.TrimPrefix(first.Text("next"), handlertest.BaseURL+"/api/v1"), nil)
	second.Contains("c2@", "c1@").Lacks("c3@", "c0@")
	back := h.API("GET", strings.TrimPrefix(second.Text("previous"), handlertest.BaseURL+"/api/v1"), nil)
	back.Contains("c4@", "c3@").Lacks("c2@")
	if back.JSON()["previous"] != nil {
		t.Errorf("the newest page has previous: %s", back.Body)
	}
}

func TestALimitIsPositiveAndCapped(t *testing.T) {
	h := handlertest.New(t)
	for _, good := range []string{"1", "25", "100", "101", "99999999999999999999999", ""} {
		h.API("GET", "/clients/?limit="+good, nil).Want(http.StatusOK)
	}
	for _, bad := range []string{"0", "-1", "x", "1.5", "+"} {
		h.API("GET", "/clients/?limit="+bad, nil).Want(http.StatusBadRequest).WantCode("limit=invalid")
	}
	for _, bad := range []string{"x", "AAAA", "bzAwMDAwMDAwMDAwMDAwMDAwMDAwMA", "0193b5a2-0000-7000-8000-000000000000"} {
		h.API("GET", "/clients/?limit=0&cursor="+bad, nil).Want(http.StatusBadRequest).WantCode("cursor=invalid",
			"limit=invalid")
	}
}

func TestNumbersAreSealedAtRestAndMaskedInTheAudit(t *testing.T) {
	h := handlertest.New(t)
	h.API("POST", "/clients/", thandi()).Want(http.StatusCreated)
	for _, table := range []string{"clients", "audit_entries", "idempotency_keys"} {
		n := h.Count("SELECT count(*) FROM " + table +
			" AS x WHERE x::text LIKE '%4055123456%' OR x::text LIKE '%8001015009087%'")
		if n != 0 {
			t.Errorf("%s holds a number in clear", table)
		}
	}
	if n := h.Count(
		"SELECT count(*) FROM audit_entries WHERE action = 'client.created' AND after->>'bank_account' = '•••• 3456'",
	); n != 1 {
		t.Errorf("%d audit entries of the creation, want 1", n)
	}
}

func TestPeopleGetMasksFromTheAPI(t *testing.T) {
	h := handlertest.New(t)
	id := h.API("POST", "/clients/", thandi()).Text("id")
	h.Call("GET", "/api/v1/clients/"+id, nil, "Cookie: "+h.A.Owner.Cookie,
		"Sec-Fetch-Site: same-origin").Want(http.StatusOK).
		Contains("•••• 3456", "800101•••••87").Lacks("4055123456", "8001015009087")
	h.Call("POST", "/api/v1/clients/", thandi(), "Cookie: "+h.A.Owner.Cookie,
		"Sec-Fetch-Site: cross-site").Want(http.StatusForbidden).WantCode("__all__=permission_denied")
}

func TestAStrangerFindsNothing(t *testing.T) {
	h := handlertest.New(t)
	id := h.API("POST", "/clients/", thandi()).Text("id")
	h.ExerciseStranger(func(string, string) string { return id })
	h.API("GET", "/clients/"+id, nil).Want(http.StatusOK).Contains("Thandi Nkosi")
	h.APIAs(h.B, "GET", "/clients/?q=thandi@example.com", nil).Want(http.StatusOK).Contains(`"results":[]`)
	for _, wrong := range []string{"x", strings.ToUpper(id) + "0", "00000000-0000-0000-0000-000000000000",
		strings.ReplaceAll(id, "-", "")} {
		h.API("GET", "/clients/"+wrong+"/", nil).Want(http.StatusNotFound).WantCode("__all__=not_found")
	}
}

// A mask stands for a number that is stored already, whatever the number is.
func TestAMaskIsNoPhoneNumber(t *testing.T) {
	h := handlertest.New(t)
	h.API("POST", "/clients/", map[string]any{"email": "a@example.com", "phone": "•••• 2222",
		"tax_number": "•••• 1"}).Want(http.StatusBadRequest).WantCode("phone=invalid", "tax_number=invalid")
	id := h.API("POST", "/clients/", map[string]any{"email": "a@example.com", "phone": "0821232222"}).Want(
		http.StatusCreated).Text("id")
	h.API("PATCH", "/clients/"+id+"/", map[string]any{"phone": "•••• 2222", "city": "Paarl"}).Want(http.StatusOK).Contains(
		`"phone":"27821232222"`, "Paarl")
	h.API("PUT", "/clients/"+id+"/", map[string]any{"email": "a@example.com", "phone": "•••• 9999"}).Want(
		http.StatusOK).Contains(`"phone":"27821232222"`)
	h.API("POST", "/purchases/",
		fmt.Sprintf(
			`{"client":{"email":"a@example.com","phone":"•••• 2222"},"brand_id":%q,"purchase":{"products":[{"name":"x","price":1}]}}`,
			h.A.BrandID,
		)).
		Want(http.StatusBadRequest).WantCode("client.phone=invalid")
}
