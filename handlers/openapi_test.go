package handlers_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"debitdesk/handlers"
	"debitdesk/handlers/api"
	"debitdesk/handlers/handlertest"
)

var parameterForm = regexp.MustCompile(`:([a-z_]+)`)

// forPeopleAlone are addresses beside the API that programs do not call.
var forPeopleAlone = []string{"GET /sandbox/"}

func TestEveryAddressOfTheAPIStandsInTheDocument(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.Deps.OAuth = s.credentials
	// Addresses alone are asked for, so that what the street does not run may be empty.
	if s.Deps.API.Templates == nil {
		s.Deps.API.Templates = &api.Templates{}
	}
	if s.Deps.API.Webhooks == nil {
		s.Deps.API.Webhooks = &api.Webhooks{}
	}
	s.Deps.Metrics = nil
	app, err := handlers.New(s.Deps)
	if err != nil {
		t.Fatal(err)
	}
	routes := map[string]bool{}
	for _, r := range app.Routes() {
		if r.Method == http.MethodHead || strings.HasPrefix(r.Method, "echo_") {
			continue
		}
		at := r.Method + " " + parameterForm.ReplaceAllString(r.Path, "{$1}") + "/"
		path := r.Path + "/"
		if strings.HasPrefix(path, "/api/v1/") || strings.HasPrefix(path, "/sandbox/") ||
			strings.HasPrefix(path, "/oauth/") || path == "/billing/" ||
			strings.HasPrefix(path, "/billing_templates/") || path == "/purchases/:id/delete_recurring_token/" {
			routes[at] = true
		}
	}
	told := map[string]bool{}
	for _, op := range handlertest.TheContract().Operations {
		told[op.Method+" "+strings.TrimSuffix(op.Path, "/")+"/"] = true
		if op.AlsoAt != "" {
			told[op.Method+" "+op.AlsoAt] = true
		}
	}
	for _, at := range differ(routes, told) {
		if !slices.Contains(forPeopleAlone, at) {
			t.Errorf("%s is served and not in static/openapi.yaml", at)
		}
	}
	for _, at := range differ(told, routes) {
		t.Errorf("%s is in static/openapi.yaml and not served", at)
	}
}

func differ(a, b map[string]bool) (only []string) {
	for at := range a {
		if !b[at] {
			only = append(only, at)
		}
	}
	slices.Sort(only)
	return only
}

func TestTheDocumentIsServedToEverybody(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	a := h.Call("GET", "/openapi.json", nil).Want(http.StatusOK)
	var doc struct {
		OpenAPI string
		Servers []struct{ URL string }
	}
	if err := json.Unmarshal([]byte(a.Body), &doc); err != nil || doc.OpenAPI != "3.1.0" ||
		doc.Servers[0].URL != handlertest.BaseURL || a.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%v %+v %s", err, doc, a.Header.Get("Content-Type"))
	}
	if again := h.Call("GET", "/openapi.json", nil,
		"If-None-Match: "+a.Header.Get("ETag")); again.Status != http.StatusNotModified || again.Body != "" {
		t.Errorf("unchanged: %d with %d bytes", again.Status, len(again.Body))
	}
}

func TestTheReferenceIsReadWithAndWithoutASession(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	open := h.Call("GET", "/developers/api", nil, "Accept: text/html").Want(http.StatusOK).Contains("Sign in",
		"Recurring tokens", "How it works").Lacks(`action="/logout"`, "style=", "<no value>")
	if !strings.HasPrefix(open.Header.Get("Content-Type"), "text/html") {
		t.Error(open.Header.Get("Content-Type"))
	}
	h.Page(h.A.Owner, "GET", "/developers/api", nil).Want(http.StatusOK).Contains(`action="/logout"`, "Credentials")
	h.Page(h.A.Staff, "GET", "/developers/api", nil).Want(http.StatusOK).Lacks("/developers/webhooks")
	h.Call("GET", "/developers/api?part=nonsense", nil, "Accept: text/html").Want(http.StatusOK)
	for _, op := range handlertest.TheContract().Operations {
		tag := op.Doc["tags"].([]any)[0].(string)
		page := h.Call("GET", "/developers/api?part="+strings.ReplaceAll(tag, " ", "+"), nil,
			"Accept: text/html").Want(http.StatusOK)
		page.Contains(`id="`+op.Doc["operationId"].(string)+`"`, op.Path)
	}
}

func TestTheReferenceFindsAddressesFieldsAndCodes(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	find := func(q string) handlertest.Answer {
		return h.Call("GET", "/developers/api?q="+q, nil, "Accept: text/html").Want(http.StatusOK)
	}
	find("recurring_token").Contains("#chargePurchase", "#deleteRecurringToken")
	find("MAX_AMOUNT_cents").Contains("#createPurchase").Lacks("#getClient")
	find("purchase_cancel_wrong_status").Contains("1 found", "#cancelPurchase")
	find("%3Cscript%3Enothing").Contains("0 found", "&lt;script&gt;nothing").Lacks("<script>nothing")
}
