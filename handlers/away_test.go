package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/database"
)

// awayHouse has a database that went away after everybody signed in.
func awayHouse(t *testing.T) *handlertest.Server {
	t.Helper()
	h := handlertest.New(t, func(h *handlertest.Server) { h.Deps.Unavailable = database.Unavailable })
	h.Store.Pool.Close()
	return h
}

func TestWhileTheDatabaseIsAwayEachCallerIsToldInItsOwnForm(t *testing.T) {
	h := awayHouse(t)
	for name, got := range map[string]handlertest.Answer{
		"api":      h.API("GET", "/clients/", nil),
		"api post": h.API("POST", "/clients/", map[string]any{"email": "a@b.example"}, "Idempotency-Key: one"),
		"oauth": h.Call("POST", "/oauth/token", url.Values{"grant_type": {"client_credentials"},
			"client_id": {"0193b5a2-0000-7000-8000-000000000000"}, "client_secret": {"AAAA"}}),
		"page":     h.Page(h.A.Owner, "GET", "/clients", nil),
		"fragment": h.Page(h.A.Owner, "GET", "/clients", nil, "HX-Request: true"),
		"payer":    h.Call("GET", "/p/0193b5a2-0000-7000-8000-000000000000", nil, "Accept: text/html"),
	} {
		if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "5" {
			t.Errorf("%s: %d, Retry-After %q: %s", name, got.Status, got.Header.Get("Retry-After"), got.Body)
		}
		if strings.Contains(got.Body, "pool") || strings.Contains(got.Body, "postgres") {
			t.Errorf("%s tells strangers what is inside: %s", name, got.Body)
		}
		whole := strings.Contains(got.Body, "<html")
		switch name {
		case "api", "api post":
			got.WantCode("__all__=unavailable")
		case "oauth":
			got.Contains(`{"error":"temporarily_unavailable"`)
		case "fragment":
			got.Contains("try again")
			if whole {
				t.Errorf("a fragment is a whole page: %s", got.Body)
			}
		case "page", "payer":
			got.Contains("try again")
			if !whole {
				t.Errorf("%s is no page: %s", name, got.Body)
			}
		}
	}
}

var placeholder = regexp.MustCompile(`:[a-zA-Z]+|\*`)

// TestNoAddressAnswersWithADefectWhileTheDatabaseIsAway calls everything that there is.
func TestNoAddressAnswersWithADefectWhileTheDatabaseIsAway(t *testing.T) {
	h := awayHouse(t)
	told := 0
	for _, route := range h.App.Routes() {
		path := placeholder.ReplaceAllString(route.Path, "0193b5a2-0000-7000-8000-000000000000")
		body := any(nil)
		if route.Method != http.MethodGet && route.Method != http.MethodHead {
			body = map[string]any{}
		}
		headers := []string{"Accept: application/json", "Authorization: Bearer " + h.A.Token}
		if !strings.HasPrefix(route.Path, "/api/") {
			headers = []string{"Accept: text/html", "Cookie: " + h.A.Owner.Cookie, "Sec-Fetch-Site: same-origin"}
		}
		got := h.Call(route.Method, path, body, headers...)
		if got.Status == http.StatusInternalServerError || got.Status == http.StatusNotFound &&
			strings.HasPrefix(route.Path, "/api/") {
			t.Errorf("%s %s: %d %s", route.Method, route.Path, got.Status, got.Body)
		}
		if got.Status == http.StatusServiceUnavailable {
			told++
		}
	}
	if told < 100 {
		t.Errorf("%d addresses said that they are not available: too few to be true", told)
	}
}

func TestADiskThatIsFullIsAnOutageAndABrokenRuleIsNot(t *testing.T) {
	server := handlertest.New(t, func(h *handlertest.Server) { h.Deps.Unavailable = database.Unavailable })
	for code, want := range map[string]int{"53100": 503, "53300": 503, "57P01": 503, "57P03": 503, "25006": 503,
		"08006": 503, "23505": 500, "42601": 500} {
		h, err := handlers.New(server.Deps)
		if err != nil {
			t.Fatal(err)
		}
		h.GET("/api/v1/x", func(echo.Context) error {
			return fmt.Errorf("write: %w", &pgconn.PgError{Code: code, Message: "could not extend file"})
		})
		got := httptest.NewRecorder()
		h.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/api/v1/x", nil))
		if got.Code != want || strings.Contains(got.Body.String(), "extend") {
			t.Errorf("%s: %d %s", code, got.Code, got.Body)
		}
	}
}

func TestReadinessTellsWhatIsMissingAndNothingElse(t *testing.T) {
	draining := false
	h := handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.Draining = func() bool { return draining }
		h.Deps.Ready = []handlers.Check{
			{Name: "database", Words: "unreachable", Run: h.Store.Pool.Ping},
			{Name: "migrations", Run: func(context.Context) error { return handlers.Lacking("missing 0007_trust") }},
		}
	})
	h.Call("GET", "/readyz", nil).Want(http.StatusServiceUnavailable).Contains(`"database":"ok"`,
		`"migrations":"missing 0007_trust"`).Lacks("draining")
	draining = true
	h.Call("GET", "/readyz", nil).Want(http.StatusServiceUnavailable).Contains(`"process":"draining"`)
	h.Store.Pool.Close()
	h.Call("GET", "/readyz", nil).Want(http.StatusServiceUnavailable).Contains(`"database":"unreachable"`).Lacks("pool")
}
