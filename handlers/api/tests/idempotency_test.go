package tests

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"debitdesk/handlers/handlertest"
)

func TestTheSameKeyGetsTheSameAnswerAndNothingIsDoneAgain(t *testing.T) {
	h := handlertest.New(t)
	first := h.API("POST", "/clients/", thandi(), "Idempotency-Key: one").Want(http.StatusCreated)
	second := h.API("POST", "//clients", thandi(), "Idempotency-Key: one").Want(http.StatusCreated)
	if first.Body != second.Body || second.Header.Get("Idempotency-Replayed") != "true" ||
		first.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("first %s, second %s", first.Body, second.Body)
	}
	if n := h.Count("SELECT count(*) FROM clients"); n != 1 {
		t.Errorf("%d clients, want 1", n)
	}
	third := h.API("POST", "/clients/", thandi(), "Idempotency-Key: two").Want(http.StatusCreated)
	if third.Text("id") == first.Text("id") {
		t.Error("another key got the first answer")
	}
}

func TestAKeyBelongsToOneRequestAndOneMerchant(t *testing.T) {
	h := handlertest.New(t)
	h.API("POST", "/clients/", thandi(), "Idempotency-Key: one").Want(http.StatusCreated)
	other := thandi()
	other["city"] = "Durban"
	h.API("POST", "/clients/", other, "Idempotency-Key: one").Want(http.StatusBadRequest).WantCode(
		"__all__=idempotency_key_reuse")
	h.Call("POST", "/api/v1/clients/", thandi(), "Authorization: Bearer "+h.B.Token,
		"Idempotency-Key: one").Want(http.StatusCreated)
}

func TestAKeyCoversTheQueryAndWhoCalls(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	const reused = "__all__=idempotency_key_reuse"
	again := func(a handlertest.Answer) {
		t.Helper()
		if a.Want(http.StatusCreated); a.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("it was done again: %s", a.Body)
		}
	}
	h.API("POST", "/clients/?time=1&b=2", thandi(), "Idempotency-Key: one").Want(http.StatusCreated)
	again(h.API("POST", "/clients/?b=2&time=1", thandi(), "Idempotency-Key: one"))
	h.API("POST", "/clients/?time=2&b=2", thandi(), "Idempotency-Key: one").Want(http.StatusBadRequest).WantCode(reused)
	h.API("POST", "/clients/", thandi(), "Idempotency-Key: one").Want(http.StatusBadRequest).WantCode(reused)
	person := func(key string) handlertest.Answer {
		return h.Call("POST", "/api/v1/clients/", thandi(), "Cookie: "+h.A.Owner.Cookie, "Sec-Fetch-Site: same-origin",
			"Idempotency-Key: "+key)
	}
	h.API("POST", "/clients/", thandi(), "Idempotency-Key: two").Want(http.StatusCreated)
	person("two").Want(http.StatusBadRequest).WantCode(reused)
	person("three").Want(http.StatusCreated)
	again(person("three"))
}

func TestARefusalIsRepeatedToo(t *testing.T) {
	h := handlertest.New(t)
	first := h.API("POST", "/clients/", nil, "Idempotency-Key: one").Want(http.StatusBadRequest)
	second := h.API("POST", "/clients/", nil, "Idempotency-Key: one").Want(http.StatusBadRequest)
	if second.Body != first.Body || second.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("second answer %s", second.Body)
	}
}

func TestAnUnknownCallersAnswerIsNotKept(t *testing.T) {
	h := handlertest.New(t)
	h.Call("POST", "/api/v1/clients/", thandi(), "Idempotency-Key: one").Want(http.StatusUnauthorized)
	h.API("POST", "/clients/", thandi(), "Idempotency-Key: one").Want(http.StatusCreated)
}

func TestTwinsThatRunAtOnceShareOneAnswer(t *testing.T) {
	h := handlertest.New(t)
	answers := make([]handlertest.Answer, 16)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = h.API("POST", "/clients/", thandi(), "Idempotency-Key: one") })
	}
	all.Wait()
	for _, a := range answers {
		if a.Status != http.StatusCreated || a.Body != answers[0].Body {
			t.Errorf("a twin got %d %s", a.Status, a.Body)
		}
	}
	if n := h.Count("SELECT count(*) FROM clients"); n != 1 {
		t.Errorf("%d clients, want 1", n)
	}
}

func TestAKeyThatCannotBeStoredIsRefused(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	for _, key := range []string{"\x00", "a\x00b", "\xff", strings.Repeat("k", 256)} {
		h.API("POST", "/clients/", `{"email":"a@example.com"}`, "Idempotency-Key: "+key).Want(400).WantCode("__all__=invalid")
	}
	h.API("POST", "/clients/", `{"email":"a@example.com"}`, "Idempotency-Key: "+strings.Repeat("k", 255)).Want(201)
}
