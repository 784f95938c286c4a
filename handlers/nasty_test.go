package handlers_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/storetest/thorough"
)

// nasty are bodies that a program or a person never means.
var nasty = []string{"", "null", "[]", `"x"`, "0", "1e999", "true", "{", "}", "{}", `{"a"`, `{"":""}`, `{"a":1,"a":2}`,
	"{}{}", "\x00", "\xff\xfe", "{\"name\":\"\x00\"}",
	`{"name":"\u0000"}`, "{\"name\":\"\xff\"}", `{"name":"\ud800"}`, strings.Repeat("[", 50000),
	strings.Repeat(`{"a":`, 20000), `{"amount":1e999}`, `{"amount":-1}`,
	`{"amount":99999999999999999999999999}`, `{"email":"` + strings.Repeat("é", 60000) + `"}`, "a=1&a=2", "%zz", "=&=&&;",
	"name=%00&email=%ff", "<xml/>", "id=\x00&id=%00",
	`{"recurring_token":null}`, `{"recurring_token":{}}`, `{"paid_on":-99999999999999}`, `{"paid_on":99999999999999}`,
	`{"now":"9999-12-31T23:59:59Z"}`, `{"advance":"99999999h"}`}

func TestNastyBodiesBreakNothing(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	routes := 0
	s.each(func(method, route string) {
		if method == http.MethodGet || method == http.MethodHead || method == http.MethodDelete {
			return
		}
		path := s.address(route, s.id)
		routes++
		s.fold()
		for i, body := range nasty {
			if !thorough.OneIn(2, fmt.Sprint(method, route, i)) {
				continue
			}
			for n, kind := range []string{"application/json", "application/x-www-form-urlencoded",
				"multipart/form-data; boundary=x", "text/plain", "a/b/c;;=\x01"} {
				if n > 0 && (i+n)%4 != 0 { // the odd kinds with some of the bodies
					continue
				}
				if n == 0 && !isAPI(route) && (routes+i)%8 != 0 { // to a form, all of JSON is no field at all
					continue
				}
				what := fmt.Sprintf("%s %s as %.20s with %.40q", method, path, kind, body)
				if isAPI(route) || (routes+i)%8 == 0 {
					got := s.Call(method, path, []byte(body), "Authorization: Bearer "+s.A.Token, "Content-Type: "+kind)
					s.unbroken(what, got)
					if isAPI(route) && got.Status >= 400 && got.JSON()["errors"] != nil {
						t.Errorf("%s: a key that clients read as no answer: %s", what, got.Body)
					}
				}
				if !isAPI(route) {
					got := s.Call(method, path, []byte(body), "Cookie: "+s.A.Owner.Cookie, "Sec-Fetch-Site: same-origin",
						"Accept: text/html", "Content-Type: "+kind)
					s.unbroken(what+" by a person", got)
				}
			}
		}
	})
}

// TestNastyTextsInFormsBreakNothing fills every input that any page has.
func TestNastyTextsInFormsBreakNothing(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	names := map[string]bool{}
	s.each(func(method, route string) {
		if method != http.MethodGet || isAPI(route) {
			return
		}
		for _, found := range inputs.FindAllStringSubmatch(s.Page(s.A.Owner, "GET", s.address(route, s.id), nil).Body, -1) {
			names[found[1]] = true
		}
	})
	for _, must := range []string{"full_name", "account_number", "price", "due", "confirm", "advance", "consent",
		"reference", "email"} {
		if !names[must] {
			t.Errorf("no page has an input %s", must)
		}
	}
	routes := 0
	s.each(func(method, route string) {
		if method != http.MethodPost || isAPI(route) {
			return
		}
		routes++
		s.fold()
		for i, value := range []string{"x", "\x00", "\xff", "-1", "0", "1e999", "99999999999999999999",
			strings.Repeat("é", 900), "9999-12-31", "2026-02-30", "yes", s.ids["/clients/"], s.ids["/tokens/"]} {
			form := url.Values{}
			for name := range names {
				form.Set(name, value)
			}
			path := s.address(route, s.id)
			what := fmt.Sprintf("POST %s with %.20q", path, value)
			switch (routes + i) % 3 { // each address gets each value, and each way of sending it some of them
			case 0:
				s.unbroken(what, s.Page(s.A.Owner, "POST", path, form))
			case 1:
				form.Set("form_key", uuid.NewString())
				s.unbroken(what+" by htmx", s.Page(s.A.Staff, "POST", path, form, "HX-Request: true"))
			case 2:
				form.Set("form_key", uuid.NewString())
				s.unbroken(what+" in parts", s.Call("POST", path, parts(form), "Cookie: "+s.A.Owner.Cookie,
					"Sec-Fetch-Site: same-origin", "Accept: text/html", "Content-Type: multipart/form-data; boundary=edge"))
			}
		}
	})
}

var inputs = regexp.MustCompile(`<(?:input|select|textarea|button)[^>]* name="([^"]+)"`)

// parts is the form as multipart/form-data with a file.
func parts(form url.Values) []byte {
	var b bytes.Buffer
	for name, values := range form {
		fmt.Fprintf(&b, "--edge\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, values[0])
	}
	fmt.Fprintf(&b,
		"--edge\r\nContent-Disposition: form-data; name=\"scan\"; filename=\"a\x00b.pdf\"\r\n\r\n%%PDF-1.4\r\n--edge--\r\n")
	return b.Bytes()
}

// TestNastyQueriesBreakNothing asks every list and page with parameters of nonsense.
func TestNastyQueriesBreakNothing(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	names := []string{
		"q",
		"status",
		"limit",
		"cursor",
		"after",
		"before",
		"due_from",
		"due_to",
		"client_id",
		"client",
		"personal_code",
		"state",
		"method",
		"sort",
		"page",
		"token",
		"id",
		"lang",
		"amount",
		"due",
		"brand_id",
		"next",
		"time",
		"product",
		"answer",
		"made_by",
		"bank",
		"health",
		"template",
		"batch",
		"failed_again",
		"failed_since",
		"debit",
		"debit_from",
		"debit_to",
		"added",
		"created",
		"uploaded",
		"when",
		"from",
		"to",
		"as_of",
		"part",
		"day",
		"kind",
		"attention",
		"whose",
		"view",
		"columns",
		"unused_since",
		"outcome",
		"since",
		"block",
	}
	values := []string{"", "x", "-1", "0", "99999999999999999999", "%00", "%ff", "1e999", "%27%22%3C%3E",
		strings.Repeat("x", 3000), "0001-01-01", "9999-12-31", "2026-02-30", "%F0%9F%92%A9", "%5C%25_"}
	routes := 0
	s.each(func(method, route string) {
		if method != http.MethodGet {
			return
		}
		path := s.address(route, s.id)
		routes++
		for i, value := range values {
			if !thorough.OneIn(2, fmt.Sprint(route, i)) {
				continue
			}
			query := "?"
			for _, name := range names {
				query += name + "=" + value + "&"
			}
			if isAPI(route) || (routes+i)%5 == 0 {
				s.unbroken("GET "+path+query[:40], s.Call("GET", path+query, nil, "Authorization: Bearer "+s.A.Token,
					"Accept: application/json"))
			}
			if !isAPI(route) && (routes+i)%2 == 0 { // the lists read their fields by the same code, and each field comes below
				s.unbroken("GET "+path+query[:40], s.Page(s.A.Owner, "GET", path+query, nil))
			}
			if !isAPI(route) && (routes+i)%5 == 0 { // a part of a page comes from the same handler
				s.unbroken("GET "+path+query[:40], s.Page(s.A.Owner, "GET", path+query, nil, "HX-Request: true"))
			}
		}
		// Each field that the page has, alone, so that none hides behind another one that is refused.
		for i, name := range fieldsOf(s.Page(s.A.Owner, "GET", path, nil).Body) {
			for _, value := range []string{"0001-01-01", values[(routes+i)%len(values)]} {
				query := "?" + name + "=" + value
				s.unbroken("GET "+path+query, s.Page(s.A.Owner, "GET", path+query, nil))
			}
		}
	})
}

var fieldName = regexp.MustCompile(` name="([a-z_]+)"`)

// fieldsOf are the names of the fields of a page, each once.
func fieldsOf(page string) (names []string) {
	for _, found := range fieldName.FindAllStringSubmatch(page, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}
