package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/handlers/access"
	"debitdesk/models/mandate"
)

var firstLink = regexp.MustCompile(`(https?://\S+)` + access.FirstPage + `(\S+)`)

func TestAnInstallationWithoutUsersIsSetUpByItsLink(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	before, _ := examined(t, env)
	if got := before["admin"]; got.State != warning || !strings.Contains(got.Fix, "debitdesk user first") {
		t.Errorf("the doctor says %+v", got)
	}
	said := typed(t, env, "", "user", "first")
	found := firstLink.FindStringSubmatch(said.out)
	if said.code != exitOK || found == nil {
		t.Fatalf("%+v", said)
	}
	c, err := ReadConfig(env)
	must(t, err)
	a, err := Open(t.Context(), c, opening{log: commandLog(c, streams{err: t.Output()}), baseURL: "http://desk.example",
		maxConns: fewConns})
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	watch, err := mandate.Store{DB: a.Store}.Watch(t.Context())
	must(t, err)
	t.Cleanup(watch.Close)
	handler, err := a.handler(prometheus.NewRegistry(), "http://desk.example", false, watch)
	must(t, err)
	call := func(method, path string, form url.Values) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "text/html")
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, r)
		return rec
	}
	at := access.FirstPage + found[2]
	if got := call("GET", at+"x", nil); got.Code != http.StatusNotFound {
		t.Errorf("another token: %d", got.Code)
	}
	if got := call("GET", at, nil); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "no users yet") {
		t.Errorf("the page: %d %s", got.Code, got.Body)
	}
	form := url.Values{"business": {"Kloof Street Fitness"}, "slug": {"kloof"}, "name": {"Thandi"},
		"email": {"thandi@kloof.example"}, "password": {"short"}}
	if got := call("POST", at, form); got.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(got.Body.String(), "at least 12 characters") ||
		!strings.Contains(got.Body.String(), `value="kloof"`) {
		t.Errorf("a short password: %d %s", got.Code, got.Body)
	}
	form.Set("password", "seven quiet otters")
	got := call("POST", at, form)
	if got.Code != http.StatusSeeOther || !strings.Contains(got.Header().Get("Set-Cookie"), "debitdesk=") {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	for _, method := range []string{"GET", "POST"} {
		if again := call(method, at, form); again.Code != http.StatusNotFound {
			t.Errorf("%s again: %d", method, again.Code)
		}
	}
	if again := typed(t, env, "", "user", "first"); again.code == exitOK || !strings.Contains(again.err, "has users") {
		t.Errorf("%+v", again)
	}
	after, _ := examined(t, env)
	if got := after["admin"]; got.State != fine {
		t.Errorf("the doctor says %+v", got)
	}
}
