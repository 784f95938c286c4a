package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
)

// wantedHeaders are what every answer carries, whoever asks for whatever.
var wantedHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), microphone=(), geolocation=()",
	"Strict-Transport-Security":    "max-age=31536000; includeSubDomains",
	"Server":                       "",
	"X-Powered-By":                 "",
}

func checkHeaders(t *testing.T, what string, got handlertest.Answer) {
	t.Helper()
	for name, want := range wantedHeaders {
		have := got.Header.Values(name)
		switch {
		case want == "" && len(have) > 0:
			t.Errorf("%s says %s: %q", what, name, have)
		case name == "Content-Security-Policy" && len(have) == 1 && stricter(have[0]):
		case want != "" && (len(have) != 1 || have[0] != want):
			t.Errorf("%s: %s is %q, want %q", what, name, have, want)
		}
	}
	if strings.Contains(got.Body, "goroutine ") || strings.Contains(got.Body, ".go:") {
		t.Errorf("%s shows a trace: %.300s", what, got.Body)
	}
}

// stricter policies are those of mails and scans, which are shown in a sandbox of
// their own, and of the payer's page, whose form may lead on to the merchant.
func stricter(policy string) bool {
	return strings.HasPrefix(policy, "default-src 'none'") && !strings.Contains(policy, "unsafe-eval") &&
		(strings.Contains(policy, "sandbox") || strings.Contains(policy, "script-src 'self'") &&
			!strings.Contains(policy, "unsafe"))
}

// runsNothing tells of a frame that its sandbox allows nothing. The policy of the page holds in it, too.
func runsNothing(t html.Token) bool {
	for _, a := range t.Attr {
		if a.Key == "sandbox" {
			return t.Data == "iframe" && a.Val == ""
		}
	}
	return false
}

// inline lists what a page runs or styles by itself: nothing may, so that the policy
// needs neither nonces nor exceptions.
func inline(page string) (found []string) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return found
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := tokens.Token()
		source := ""
		for _, a := range t.Attr {
			if a.Key == "src" {
				source = a.Val
			}
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") ||
				strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") ||
				a.Key == "srcdoc" && !runsNothing(t) {
				found = append(found, t.String())
			}
			if (a.Key == "src" || t.Data == "link" && a.Key == "href" && a.Val != "") && !strings.HasPrefix(a.Val, "/") &&
				!strings.HasPrefix(a.Val, "data:image/") {
				found = append(found, t.String())
			}
		}
		if t.Data == "style" || t.Data == "script" && source == "" || t.Data == "base" || t.Data == "object" ||
			t.Data == "embed" {
			found = append(found, t.String())
		}
	}
}

func TestTheSearchForInlineCodeFindsIt(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`<script>x()</script>`, `<p style="color:red">`, `<a onclick="x()">`,
		`<a href=" JavaScript:x()">`, `<style>p{}</style>`, `<img src="https://evil.example/x.png">`, `<base href="/">`,
		`<div hx-on:click="x()">`, `<iframe srcdoc="x">`, `<iframe sandbox="allow-scripts" srcdoc="x">`} {
		if len(inline(bad)) != 1 {
			t.Errorf("%s is not found", bad)
		}
	}
	if found := inline(
		`<script src="/static/js/htmx.js"></script><p class="style">onclick="x()"</p><img src="data:image/png;base64,AA">`,
	); len(found) != 0 {
		t.Errorf("found %v", found)
	}
}

func TestEveryAnswerIsSafeToShow(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	pages := 0
	s.each(func(method, route string) {
		path := s.address(route, s.id)
		for who, got := range map[string]handlertest.Answer{"signed out": s.Call(method, path, nil, "Accept: text/html"),
			"an admin": s.Page(s.A.Owner, method, path, nil)} {
			what := fmt.Sprintf("%s %s, %s", method, route, who)
			checkHeaders(t, what, got)
			if strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") &&
				!strings.HasPrefix(got.Header.Get("Content-Security-Policy"), "sandbox") &&
				!strings.Contains(got.Header.Get("Content-Security-Policy"), "; sandbox") {
				pages++
				for _, tag := range inline(got.Body) {
					t.Errorf("%s: %s", what, tag)
				}
			}
			if who == "an admin" && got.Status == http.StatusOK && isPrivate(route) &&
				!strings.Contains(got.Header.Get("Cache-Control"), "no-store") {
				t.Errorf("%s may be kept: %q", what, got.Header.Get("Cache-Control"))
			}
		}
	})
	if pages < 100 {
		t.Errorf("only %d pages were looked at", pages)
	}
	checkHeaders(t, "an unknown address", s.Call("GET", "/nothing", nil, "Accept: text/html"))
	checkHeaders(t, "a file of ours", s.Call("GET", "/static/nothing.css", nil))
	checkHeaders(t, "a body that is too large", s.Call("POST", "/login", []byte(strings.Repeat("a", 65<<10))))
}

// isPrivate: the description of the API is everybody's, and may be kept.
func isPrivate(route string) bool {
	return route != "/openapi.json" && !strings.HasPrefix(route, "/developers/reference") && route != "/healthz" &&
		route != "/readyz"
}

// Every change that a cookie can make is refused to another site, also at addresses
// that do not exist yet.
func TestNoOtherSiteCanUseASession(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	tried := 0
	s.each(func(method, route string) {
		if method == http.MethodGet || method == http.MethodHead || route == "/oauth/token" ||
			strings.HasPrefix(route, "/sms/") { // no session counts there
			return
		}
		path := s.address(route, s.id)
		for _, header := range []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
			"Origin: https://evil.example"} {
			tried++
			got := s.Call(method, path, url.Values{"confirm": {"yes"}}, "Cookie: "+s.A.Owner.Cookie, header)
			if got.Status != http.StatusForbidden {
				t.Errorf("%s %s from another site (%s): %d", method, route, header, got.Status)
			}
		}
	})
	if tried < 150 {
		t.Errorf("only %d were tried", tried)
	}
}

func TestGuessersAtTheEntranceWaitAndOthersDoNot(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	clock := &wallClock{at: time.Unix(1_800_000_000, 0)}
	s.Deps.Limits = handlers.Limits{Entrance: handlers.Rate{PerSecond: 0.5, Burst: 3},
		Payers: handlers.Rate{PerSecond: 1, Burst: 2}, Now: clock.now}
	app, err := handlers.New(s.Deps)
	if err != nil {
		t.Fatal(err)
	}
	s.App = app
	for range 3 {
		if got := s.Call("POST", "/reset", url.Values{}, "Accept: text/html"); got.Status == http.StatusTooManyRequests {
			t.Fatal("held back too early")
		}
	}
	for _, path := range []string{"/login", "/login/", "//login", "/reset", "/reset/token", "/invite/token",
		"/login/factor"} {
		held := s.Call("POST", path, url.Values{}, "Accept: text/html").Want(http.StatusTooManyRequests)
		if held.Header.Get("Retry-After") != "2" || !strings.Contains(held.Body, "Too many attempts") {
			t.Errorf("%s: %v %.200s", path, held.Header, held.Body)
		}
	}
	s.Call("GET", "/invite/guess", nil, "Accept: text/html").Want(http.StatusTooManyRequests)
	s.Call("GET", "/clients", nil, "Accept: text/html").Want(http.StatusSeeOther)
	s.API("GET", "/clients/", nil).Want(http.StatusOK)
	s.Call("GET", "/p/"+s.ids["/p/"]+"/", nil, "Accept: text/html").Want(http.StatusOK)
	s.Call("GET", "/p/0193b5a2-0000-7000-8000-000000000000/", nil, "Accept: text/html").Want(http.StatusNotFound)
	s.Call("GET", "/p/"+s.ids["/p/"]+"/", nil, "Accept: text/html").Want(http.StatusTooManyRequests)
	clock.wait(time.Second)
	s.Call("GET", "/p/"+s.ids["/p/"]+"/", nil, "Accept: text/html").Want(http.StatusOK)
	s.Call("POST", "/reset", url.Values{}, "Accept: text/html").Want(http.StatusTooManyRequests)
	clock.wait(time.Second)
	if got := s.Call("POST", "/reset", url.Values{}, "Accept: text/html"); got.Status == http.StatusTooManyRequests {
		t.Error("still held back after its time")
	}
}
