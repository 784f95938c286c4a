package handlertest

import (
	"net/http"
	"slices"
	"strings"
)

// Open are the addresses that ask for no proof of who calls.
var Open = []string{"/healthz", "/readyz", "/metrics", "/static/", "/login", "/logout", "/oauth/token", "/p/", "/my",
	"/openapi.json", "/developers/api", "/manual", "/invite/", "/first/", "/oidc/", "/reset",
	"/.well-known/", "/sms/"}

// ExerciseStranger walks every address of the server: signed out nobody gets in,
// and the stranger's program and people find nothing under the ids of merchant
// A. fill puts the ids of A's records into an address, by parameter name and
// the address it stands in; "" leaves the address out.
func (h *Server) ExerciseStranger(fill func(route, parameter string) string) {
	h.tb.Helper()
	seen := 0
	for _, r := range h.App.Routes() {
		if !isWalked(r.Method, r.Path) {
			continue
		}
		path, withIDs, ok := filled(r.Path, fill)
		if !ok {
			continue
		}
		seen++
		h.signedOut(r.Method, path)
		if withIDs {
			h.asStranger(r.Method, path)
		}
	}
	if seen == 0 {
		h.tb.Fatal("no address was walked")
	}
}

func isWalked(method, path string) bool {
	return method != http.MethodHead && !strings.HasPrefix(method, "echo_") &&
		!slices.ContainsFunc(Open, func(open string) bool { return strings.HasPrefix(path, open) })
}

func filled(route string, fill func(route, parameter string) string) (path string, withIDs, ok bool) {
	parts := strings.Split(route, "/")
	for i, part := range parts {
		name, isParameter := strings.CutPrefix(part, ":")
		if !isParameter {
			continue
		}
		if parts[i] = fill(route, name); parts[i] == "" {
			return "", false, false
		}
		withIDs = true
	}
	return strings.Join(parts, "/"), withIDs, true
}

func (h *Server) signedOut(method, path string) {
	h.tb.Helper()
	got := h.Call(method, path, nil, "Accept: text/html")
	toSignIn := got.Status == http.StatusSeeOther && strings.HasPrefix(got.Header.Get("Location"), "/login")
	if got.Status != http.StatusUnauthorized && !toSignIn {
		h.tb.Errorf("%s %s signed out: %d, want 401 or the sign-in page", method, path, got.Status)
	}
}

func (h *Server) asStranger(method, path string) {
	h.tb.Helper()
	program := h.Call(method, path, nil, "Authorization: Bearer "+h.B.Token, "Accept: application/json")
	person := h.Page(h.B.Owner, method, path, nil)
	for who, got := range map[string]Answer{"the stranger's program": program, "the stranger": person} {
		switch got.Status {
		case http.StatusNotFound, http.StatusUnauthorized:
		case http.StatusSeeOther: // a program has no session for pages
			if strings.HasPrefix(got.Header.Get("Location"), "/login") {
				continue
			}
			fallthrough
		default:
			h.tb.Errorf("%s %s as %s: %d, want 404: %.200s", method, path, who, got.Status, got.Body)
		}
	}
}

// IsProgram tells whether a route is one of the JSON API, the copies at the root included.
func IsProgram(route string) bool {
	return strings.HasPrefix(route, "/api/v1/") || route == "/billing" || strings.HasPrefix(route, "/billing_templates") ||
		strings.HasPrefix(route, "/purchases/") && strings.HasSuffix(route, "/delete_recurring_token")
}
