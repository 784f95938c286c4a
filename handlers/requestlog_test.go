package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/credential"
	"debitdesk/models/paging"
	"debitdesk/models/requestlog"
)

// asked are the entries of merchant A, oldest first, with their bodies.
func asked(t *testing.T, h *handlertest.Server) []requestlog.Entry {
	t.Helper()
	h.Requests.Flush(t.Context())
	list, err := requestlog.Store{DB: h.Store}.Requests(t.Context(), h.A.ID,
		requestlog.Filter{}, paging.Ask{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]requestlog.Entry, len(list.Items))
	for i, e := range list.Items {
		if out[len(out)-1-i], err = (requestlog.Store{DB: h.Store}).Request(t.Context(), h.A.ID, e.ID); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestWhatAProgramAskedIsKeptWithoutNumbers(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	const payer = `{"email":"thandi@example.com","bank_account":"6200000001","bank_code":"470010","personal_code":"8501015000085"}`
	first := h.API("POST", "/clients/?time=1", payer, "Idempotency-Key: key-1", "X-Request-Id: request-one").Want(201)
	h.API("POST", "/clients/?time=1", payer, "Idempotency-Key: key-1").Want(201)
	h.API("POST", "/clients/?dry_run=true", payer).Want(201)
	h.API("GET", "/clients/?personal_code=8501015000085&limit=5", nil).Want(200)
	h.API("POST", "/clients/", `{"email":`).Want(400)
	h.API("PATCH", "/clients/"+first.Text("id")+"/", url.Values{"bank_account": {"6200000002"}}).Want(200)
	h.API("GET", "/clients/6200000001/", nil).Want(404)
	h.API("DELETE", "/clients/"+first.Text("id")+"/", nil).Want(204)
	h.APIAs(h.B, "GET", "/clients/", nil).Want(200)
	h.Call("GET", "/api/v1/clients/", nil, "Authorization: Bearer x").Want(401)
	h.Call("GET", "/api/v1/clients/", nil).Want(401)
	h.Page(h.A.Owner, "GET", "/api/v1/purchases/counts", nil).Want(200)
	all := asked(t, h)
	lines := make([]string, len(all))
	for i, e := range all {
		lines[i] = strings.TrimSpace(fmt.Sprintf("%s %s %s %d %s %v %v", e.Method, e.Route, e.Query, e.Status,
			e.IdempotencyKey, e.Replayed, e.DryRun))
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, "620000000") || strings.Contains(text, "8501015000085") ||
			strings.Contains(text, h.A.Token) {
			t.Errorf("a number or a secret is kept: %s", text)
		}
		if e.CredentialName != "tests" || e.TookMicros <= 0 || e.IP == "" || e.RequestID == "" || e.At.IsZero() {
			t.Errorf("something is missing: %+v", e)
		}
	}
	want := []string{
		"POST /api/v1/clients time=1 201 key-1 false false", "POST /api/v1/clients time=1 201 key-1 true false",
		"POST /api/v1/clients dry_run=true 201  false true",
		"GET /api/v1/clients personal_code=••••&limit=5 200  false false", "POST /api/v1/clients  400  false false",
		"PATCH /api/v1/clients/:id  200  false false",
		"GET /api/v1/clients/:id  404  false false", "DELETE /api/v1/clients/:id  204  false false",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Fatalf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	e := all[0]
	if e.RequestID != "request-one" || !strings.Contains(e.Request, `"bank_account":"•••• 0001"`) ||
		!strings.Contains(e.Answer, first.Text("id")) || !strings.Contains(e.Answer, `"bank_account":"•••• 0001"`) {
		t.Errorf("got %+v", e)
	}
	if all[1].Answer != e.Answer {
		t.Errorf("the replayed answer is kept as %s", all[1].Answer)
	}
	if all[4].Request != "(9 bytes that could not be read, not kept)" || all[5].Request != "bank_account=••••" ||
		all[6].Path != "/api/v1/clients/••••" {
		t.Errorf("got %q, %q, %q", all[4].Request, all[5].Request, all[6].Path)
	}
}

func TestAnExchangeOfASecretIsLoggedWithoutIt(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	client, err := s.credentials.IssueClient(t.Context(), s.A.Actor, credential.Input{Name: "ERP"})
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client.ClientID},
		"client_secret": {client.Secret}}
	token := s.Call("POST", "/oauth/token", form).Want(200).Text("access_token")
	form.Set("client_secret", "wrong")
	s.Call("POST", "/oauth/token", form).Want(401)
	s.Call("GET", "/api/v1/clients/", nil, "Authorization: Bearer "+token).Want(200)
	n := 0
	for _, e := range asked(t, s.Server) {
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, client.Secret) || strings.Contains(text, token) {
			t.Errorf("a secret is kept: %s", text)
		}
		if e.Route == "/oauth/token" {
			n++
			if e.CredentialID != client.ID || e.Status != 200 || !strings.Contains(e.Request, "client_secret=••••") ||
				!strings.Contains(e.Answer, `"access_token":"••••"`) {
				t.Errorf("got %+v", e)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d exchanges are kept, want the one of a known merchant", n)
	}
	// Calls with an exchanged token are found by the client that it came from.
	list, err := requestlog.Store{DB: s.Store}.Requests(t.Context(), s.A.ID,
		requestlog.Filter{Credential: client.ID}, paging.Ask{Limit: 10})
	if err != nil || len(list.Items) != 2 {
		t.Errorf("%d requests of the client, %v; want the exchange and the call", len(list.Items), err)
	}
}

func TestAPanicIsLoggedAsAFailure(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.App.GET("/api/v1/breaks", func(echo.Context) error { panic("broken") }, handlers.StackOf(h.Deps, h.App)...)
	h.API("GET", "/breaks", nil).Want(500)
	if all := asked(t, h); len(all) != 1 || all[0].Status != http.StatusInternalServerError {
		t.Errorf("got %+v", all)
	}
}

func TestTheLogIsFilteredAndSearched(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	id := h.API("POST", "/clients/", `{"email":"a@example.com"}`, "Idempotency-Key: the-key").Want(201).Text("id")
	h.API("POST", "/clients/", `{"email":"a@example.com"}`, "Idempotency-Key: the-key").Want(201)
	h.API("POST", "/clients/", `{}`, "X-Request-Id: wrong-one-1").Want(400)
	h.API("GET", "/clients/"+id+"/?dry_run=x", nil).Want(200)
	h.API("GET", "/purchases/", nil).Want(200)
	h.Requests.Flush(t.Context())
	for query, want := range map[string]int{
		"": 5, "?method=POST": 3, "?method=get": 2, "?status=4": 1, "?status=2xx": 4, "?status=5": 0, "?path=purch": 1,
		"?path=%25": 0, "?replayed=yes": 1, "?dry_run=yes": 0,
		"?q=the-key": 2, "?q=wrong-one-1": 1, "?q=" + id: 1, "?q=clients": 4, "?from=2000-01-01": 5, "?to=2000-01-01": 0,
		"?credential=" + h.A.BrandID.String(): 0,
		"?method=BREW":                        5, "?status=9": 5, "?credential=x": 5, "?from=x": 5,
	} {
		page := h.Page(h.A.Owner, "GET", "/developers/requests"+query, nil).Want(200)
		if n := strings.Count(page.Body, `class="main-link request-line"`); n != want {
			t.Errorf("%s shows %d requests, want %d", query, n, want)
		}
	}
	h.Page(h.A.Owner, "GET", "/developers/requests?method=BREW", nil).Want(200).Contains("The filter was ignored")
	h.Page(h.A.Owner, "GET", "/developers/requests?q=zzz", nil, "HX-Request: true",
		"HX-Target: results").Want(200).Lacks("<html")
	h.Page(h.B.Owner, "GET", "/developers/requests", nil).Want(200).Lacks("the-key").Contains("No request yet")
}

func TestARequestIsShownAsItWouldBeRepeated(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	id := h.API("POST", "/clients/?time=7",
		`{"email":"o'brien@example.com","bank_account":"6200000001","bank_code":"470010"}`,
		"Idempotency-Key: it's").Want(201).Text("id")
	e := asked(t, h)[0]
	page := h.Page(h.A.Owner, "GET", "/developers/requests/"+e.ID.String(), nil).Want(200)
	page.Contains("201 Created", `href="/clients/`+id+`"`, "$DEBITDESK_TOKEN", "Idempotency-Key: it&#39;\\&#39;&#39;s",
		"o&#39;\\&#39;&#39;brien@example.com", "/api/v1/clients/?time=7",
		"•••• 0001", "does not run until you set them").Lacks("6200000001", h.A.Token)
}

func TestLongListsOfRequestsAreWalkedPageByPage(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	for i := range 60 {
		h.API("GET", fmt.Sprintf("/clients/?time=%d", 1000+i), nil).Want(200)
	}
	h.Requests.Flush(t.Context())
	page := h.Page(h.A.Owner, "GET", "/developers/requests", nil).Want(200).Contains("time=1059",
		"time=1010").Lacks("time=1009")
	_, older, _ := strings.Cut(page.Body, `/developers/requests?after=`)
	older, _, _ = strings.Cut(older, `"`)
	h.Page(h.A.Owner, "GET", "/developers/requests?after="+older, nil).Want(200).Contains("time=1009",
		"time=1000").Lacks("time=1010")
}
