package handlertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Answer is what came back.
type Answer struct {
	tb     testing.TB
	Status int
	Header http.Header
	Body   string
}

// Call sends one request. body is nil, a text or bytes as they are, url.Values
// for a form, or anything else as JSON. Options are "Name: value" headers.
func (h *Server) Call(method, path string, body any, headers ...string) Answer {
	h.tb.Helper()
	var reader io.Reader
	contentType := ""
	switch b := body.(type) {
	case nil:
	case string:
		reader, contentType = strings.NewReader(b), "application/json"
	case []byte:
		reader, contentType = bytes.NewReader(b), "application/json"
	case url.Values:
		reader, contentType = strings.NewReader(b.Encode()), "application/x-www-form-urlencoded"
	default:
		raw, err := json.Marshal(b)
		must(h.tb, err)
		reader, contentType = bytes.NewReader(raw), "application/json"
	}
	r := httptest.NewRequest(method, path, reader)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	rec := httptest.NewRecorder()
	h.App.ServeHTTP(rec, r)
	if err := TheContract().CheckAnswer(method, r.URL.Path, rec.Code, rec.Header(), rec.Body.Bytes()); err != nil {
		h.tb.Errorf("%s %s answers %d against the document: %v\n%.2000s", method, path, rec.Code, err, rec.Body)
	}
	return Answer{h.tb, rec.Code, rec.Header(), rec.Body.String()}
}

// API calls the JSON API as merchant A's program; path is below /api/v1.
func (h *Server) API(method, path string, body any, headers ...string) Answer {
	h.tb.Helper()
	return h.Call(method, "/api/v1"+path, body, append([]string{"Authorization: Bearer " + h.A.Token,
		"Accept: application/json"}, headers...)...)
}

// APIAs calls the JSON API as another merchant's program.
func (h *Server) APIAs(m Merchant, method, path string, body any) Answer {
	h.tb.Helper()
	return h.Call(method, "/api/v1"+path, body, "Authorization: Bearer "+m.Token)
}

// Page calls a page as a signed-in person of a browser on the same site.
func (h *Server) Page(who Person, method, path string, form url.Values, headers ...string) Answer {
	h.tb.Helper()
	headers = append([]string{"Cookie: " + who.Cookie, "Accept: text/html", "Sec-Fetch-Site: same-origin"}, headers...)
	if form == nil {
		return h.Call(method, path, nil, headers...)
	}
	return h.Call(method, path, form, headers...)
}

// Want ends the test when the status is another.
func (a Answer) Want(status int) Answer {
	a.tb.Helper()
	if a.Status != status {
		a.tb.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	return a
}

// Contains ends the test when the body lacks one of the texts.
func (a Answer) Contains(texts ...string) Answer {
	a.tb.Helper()
	for _, text := range texts {
		if !strings.Contains(a.Body, text) {
			a.tb.Fatalf("the body lacks %q:\n%s", text, a.Body)
		}
	}
	return a
}

// Lacks ends the test when the body has one of the texts.
func (a Answer) Lacks(texts ...string) Answer {
	a.tb.Helper()
	for _, text := range texts {
		if strings.Contains(a.Body, text) {
			a.tb.Fatalf("the body has %q:\n%s", text, a.Body)
		}
	}
	return a
}

// JSON is the body as an object.
func (a Answer) JSON() map[string]any {
	a.tb.Helper()
	out := map[string]any{}
	if err := json.Unmarshal([]byte(a.Body), &out); err != nil {
		a.tb.Fatalf("no JSON object: %v\n%s", err, a.Body)
	}
	return out
}

// Text is a text of the body's object.
func (a Answer) Text(key string) string {
	a.tb.Helper()
	text, ok := a.JSON()[key].(string)
	if !ok {
		a.tb.Fatalf("%s is no text: %s", key, a.Body)
	}
	return text
}

// Codes are all codes in an error body with their places, such as
// "purchase.products.0.price=min_value".
func (a Answer) Codes() map[string]bool {
	a.tb.Helper()
	found := map[string]bool{}
	collect(found, "", a.JSON())
	return found
}

func collect(found map[string]bool, place string, value any) {
	switch v := value.(type) {
	case map[string]any:
		if code, ok := v["code"].(string); ok {
			found[place[:strings.LastIndexByte(place, '.')]+"="+code] = true
			return
		}
		for name, inner := range v {
			collect(found, join(place, name), inner)
		}
	case []any:
		for i, inner := range v {
			collect(found, join(place, string(rune('0'+i%10))), inner)
		}
	}
}

func join(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}

// WantCode ends the test when the error body lacks "place=code".
func (a Answer) WantCode(codes ...string) Answer {
	a.tb.Helper()
	found := a.Codes()
	for _, code := range codes {
		if !found[code] {
			a.tb.Fatalf("no %s in %s", code, a.Body)
		}
	}
	return a
}
