package handlers_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/simulator"
	"debitdesk/models/fault"
)

func TestUnknownAddressesAndMethodsAnswerInTheFormOfTheCaller(t *testing.T) {
	h := handlertest.New(t)
	h.API("GET", "/nothing/", nil).Want(http.StatusNotFound).WantCode("__all__=not_found")
	h.API("DELETE", "/clients/", nil).Want(http.StatusMethodNotAllowed).WantCode("__all__=method_not_allowed")
	h.API("POST", "/clients/0193b5a2-0000-7000-8000-000000000000/", nil).Want(http.StatusMethodNotAllowed).WantCode(
		"__all__=method_not_allowed")
	for _, call := range []string{"DELETE /webhooks/deliveries/", "PUT /webhooks/deliveries",
		"PATCH /webhooks/deliveries/", "POST /webhooks/deliveries",
		"POST /webhooks/deliveries/0193b5a2-0000-7000-8000-000000000000",
		"DELETE /webhooks/deliveries/0193b5a2-0000-7000-8000-000000000000/", "PUT /purchases/counts"} {
		method, path, _ := strings.Cut(call, " ")
		got := h.API(method, path, nil).Want(http.StatusMethodNotAllowed).WantCode("__all__=method_not_allowed")
		if allow := got.Header.Get("Allow"); allow != "OPTIONS, GET, HEAD" {
			t.Errorf("%s: Allow %q", call, allow)
		}
		h.API("HEAD", "/webhooks/deliveries/", nil).Want(http.StatusOK)
		if got := h.API("OPTIONS", path, nil).Want(http.StatusNoContent); got.Header.Get("Allow") != "OPTIONS, GET, HEAD" {
			t.Errorf("OPTIONS %s: %q", path, got.Header.Get("Allow"))
		}
	}
	for _, root := range []string{"/billing/", "/billing_templates/5/", "/purchases/5/delete_recurring_token/"} {
		if got := h.Call("GET", root, nil).Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s answers %s", root, got)
		}
	}
	h.Call("GET", "/nothing", nil, "Accept: text/html").Want(http.StatusNotFound).Contains("<h1>Not found</h1>",
		"Request ")
	h.Call("GET", "/nothing", nil, "Accept: text/html", "HX-Request: true").Want(http.StatusNotFound).Contains(
		"Not found").Lacks("<html")
}

func TestADefectIsShownAsOneNeutralSentence(t *testing.T) {
	h := handlertest.New(t)
	h.App.GET("/api/v1/broken", func(echo.Context) error { return errors.New("secret of the database") })
	h.App.GET("/api/v1/panics", func(echo.Context) error { panic("secret of the code") })
	h.App.GET("/api/v1/panics-politely", func(echo.Context) error {
		panic(fault.New(fault.NotFound, "secret", "A secret refusal."))
	})
	for _, path := range []string{"/broken", "/panics/", "/panics-politely"} {
		got := h.API("GET", path, nil, "X-Request-Id: my-request-17").Want(http.StatusInternalServerError)
		got.WantCode("__all__=internal_error").Contains("my-request-17").Lacks("secret")
	}
}

func TestEveryAnswerCarriesItsHeaders(t *testing.T) {
	h := handlertest.New(t)
	got := h.Call("GET", "/nothing", nil, "X-Request-Id: bad id\n")
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"X-Frame-Options": "DENY"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if !strings.HasPrefix(got.Header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self';") {
		t.Errorf("policy %q", got.Header.Get("Content-Security-Policy"))
	}
	if id := got.Header.Get("X-Request-Id"); len(id) != 36 {
		t.Errorf("request id %q, want one of ours", id)
	}
	if got.Header.Get("Strict-Transport-Security") == "" {
		t.Error("an https address lacks HSTS")
	}
	h.Deps.BaseURL = "http://127.0.0.1:8080"
	h2, err := handlers.New(h.Deps)
	if err != nil {
		t.Fatal(err)
	}
	h.App = h2
	if got := h.Call("GET", "/healthz", nil); got.Header.Get("Strict-Transport-Security") != "" {
		t.Error("an http address has HSTS")
	}
}

func TestHealthAndMetrics(t *testing.T) {
	h := handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.Ready = []handlers.Check{{Name: "database", Run: h.Store.Pool.Ping}}
	})
	h.Call("GET", "/healthz", nil).Want(http.StatusOK)
	h.Call("GET", "/readyz/", nil).Want(http.StatusOK).Contains(`"database":"ok"`)
	h.Call("GET", "/metrics", nil).Want(http.StatusNotFound) // the caller of httptest is 192.0.2.1
	h.Store.Pool.Close()
	h.Call("GET", "/readyz", nil).Want(http.StatusServiceUnavailable).Contains(`"database":"failed"`)
}

func TestSignedOutPeopleAreSentToSignIn(t *testing.T) {
	h := handlertest.New(t)
	h.Call("GET", "/api/v1/clients/", nil).Want(http.StatusUnauthorized).WantCode("__all__=authentication_failed")
	h.Call("GET", "/api/v1/clients/", nil, "Authorization: Bearer x.y.z").Want(http.StatusUnauthorized).WantCode(
		"__all__=authentication_failed")
}

func TestLiveModeHasNoSandbox(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t, func(h *handlertest.Server) { h.Deps.Sandbox, h.Deps.Controls = false, &simulator.Controls{} })
	for _, path := range []string{"/sandbox", "/sandbox/clock", "/sandbox/desk", "/sandbox/mail", "/sandbox/mail/x/html",
		"/sandbox/collections/x/result"} {
		h.Call("GET", path, nil).Want(http.StatusNotFound)
		h.Call("POST", path, `{"advance":"1h"}`, "Authorization: Bearer "+h.A.Token).Want(http.StatusNotFound)
	}
}
