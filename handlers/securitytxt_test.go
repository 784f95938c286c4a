package handlers_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

func TestSecurityTextNamesTheContactAndIsAbsentWithoutOne(t *testing.T) {
	t.Parallel()
	const path = "/.well-known/security.txt"
	handlertest.New(t).Call("GET", path, nil).Want(http.StatusNotFound)
	h := handlertest.New(t, func(h *handlertest.Server) { h.Deps.SecurityContact = "mailto:security@desk.example" })
	got := h.Call("GET", path, nil)
	got.Want(http.StatusOK)
	text := got.Body
	if kind := got.Header.Get("Content-Type"); kind != "text/plain; charset=UTF-8" {
		t.Errorf("it is %q", kind)
	}
	for _, line := range []string{"Contact: mailto:security@desk.example\n",
		"Canonical: " + h.Deps.BaseURL + path + "\n",
		"Policy: " + h.Deps.BaseURL + "/manual/security#reporting-a-fault\n"} {
		if strings.Count(text, line) != 1 {
			t.Errorf("%q is not there once:\n%s", line, text)
		}
	}
	m := regexp.MustCompile(`(?m)^Expires: (\S+)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal(text)
	}
	expires, err := time.Parse(time.RFC3339, m[1])
	if left := time.Until(expires); err != nil || left < 170*24*time.Hour || left > 365*24*time.Hour {
		t.Errorf("it holds until %s (%v)", m[1], err)
	}
	if page := h.Call("GET", "/manual/security", nil); !strings.Contains(page.Body, `id="reporting-a-fault"`) {
		t.Error("the manual has no such section")
	}
}
