package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

// ownMatters are what a person may post who changes nothing of the business. A task asks for what it needs itself: who
// may see a list may have its file prepared, and what they select in it is their own. What ends with / names all below.
var ownMatters = []string{"/login", "/login/", "/logout", "/account/", "/oauth/", "/p/", "/my/", "/sms/", "/invite/",
	"/first/", "/oidc/", "/reset", "/reset/", "/tasks/", "/selections", "/lists/", "/reports/saved", "/reports/saved/"}

func ownMatter(path string) bool {
	for _, own := range ownMatters {
		if path == own || strings.HasSuffix(own, "/") && strings.HasPrefix(path, own) {
			return true
		}
	}
	return false
}

func TestAReadOnlyPersonChangesNothing(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	forms := map[string]url.Values{
		"/sandbox/clock": {"advance": {"1h"}}, "/batches/paste": {"cells": {"email\na@b.co"},
			"brand_id": {s.A.BrandID.String()}}, "/batches/:id/turns": {"turn": {"stop"}},
	}
	s.each(func(method, route string) {
		if method == http.MethodGet || method == http.MethodHead || ownMatter(route) {
			return
		}
		path := s.address(route, s.id)
		form := forms[route]
		if form == nil {
			form = url.Values{}
		}
		got := s.Page(s.A.Reader, method, path, form)
		s.unbroken(method+" "+path, got)
		if got.Status != http.StatusForbidden {
			t.Errorf("%s %s: %d, want 403: %.200s", method, path, got.Status, got.Body)
		}
	})
}

func TestAReadOnlyPersonSendsWhatIsTheirOwn(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	sent := 0
	s.each(func(method, route string) {
		if method != http.MethodPost || !ownMatter(route) || s.Page(s.A.Reader, "GET", "/account", nil).Status != 200 {
			return
		}
		sent++
		if got := s.Page(s.A.Reader, method, s.address(route, s.id), url.Values{}); got.Status == http.StatusForbidden &&
			strings.Contains(got.Body, "Your role lets you look") {
			t.Errorf("%s is refused to whoever only looks", route)
		}
	})
	if sent < 25 {
		t.Errorf("only %d addresses were tried", sent)
	}
}

var (
	mainPart = regexp.MustCompile(`(?s)<main.*</main>`)
	posts    = regexp.MustCompile(`(?s)<form[^>]*method="post"[^>]*>`)
	actions  = regexp.MustCompile(`action="([^"]*)"`)
	makers   = regexp.MustCompile(`href="(/[a-z]+/new[^"]*|[^"]*/(edit|amendment"|deletion|accounts|charge|refund)[^"]*)"`)
)

// TestAReadOnlyPersonFindsNoButtonThatIsRefused walks the pages that a person reads.
func TestAReadOnlyPersonFindsNoButtonThatIsRefused(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	walked := 0
	for _, route := range []string{"/", "/attention", "/clients", "/clients/:id", "/clients/duplicates",
		"/purchases", "/purchases/:id",
		"/tokens", "/tokens/:id", "/mandates", "/mandates/:id", "/invoices", "/batches", "/templates", "/templates/:id",
		"/reports", "/books", "/books/entries", "/books/vat", "/books/fees",
		"/books/fees/:id", "/plans", "/plans/:id",
		"/batches/:id/map", "/batches/:id/check", "/batches/:id/review", "/batches/:id/run", "/batches/:id/result",
		"/imports", "/imports/:id/map", "/imports/:id/check", "/imports/:id/rehearsal", "/imports/:id/groups",
		"/imports/:id/confirm",
		"/amendments/:id", "/account", "/sandbox/clock", "/sandbox/bank", "/sandbox/mail", "/sandbox/phone"} {
		path := s.address(route, s.id)
		walked += s.looks(s.A.Reader, route, path)
		if path == route { // the same where there is nothing yet
			s.looks(s.B.Reader, "empty "+route, path)
		}
	}
	if walked < 18 {
		t.Errorf("only %d pages", walked)
	}
}

// looks is 1 for a page that offers nothing but looking.
func (s *street) looks(who handlertest.Person, route, path string) int {
	s.t.Helper()
	got := s.Page(who, "GET", path, nil)
	if got.Status == http.StatusSeeOther || got.Status == http.StatusNotFound {
		return 0
	}
	if got.Status != http.StatusOK {
		s.t.Errorf("%s: %d", path, got.Status)
		return 0
	}
	if strings.Contains(got.Body, "add something") {
		s.t.Errorf("%s: the New menu is there", route)
	}
	body := mainPart.FindString(got.Body)
	for _, form := range posts.FindAllString(body, -1) {
		if action := actions.FindStringSubmatch(form); action == nil || !ownMatter(action[1]) {
			s.t.Errorf("%s: a form that is refused: %s", route, form)
		}
	}
	for _, link := range makers.FindAllString(body, -1) {
		s.t.Errorf("%s: leads to %s", route, link)
	}
	return 1
}
