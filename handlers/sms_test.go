package handlers_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/sms/generic"
)

// A message goes to a provider on this machine, which tells what became of it and what the client answered.
func TestAProviderTellsOfMessagesAtASecretAddress(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.At(calendar.On(2031, time.March, 3).At(10, 0))
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, string(body))
		_, _ = w.Write([]byte(`{"id":"theirs"}`))
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if h.Texts.Gateway, err = generic.New(u, true); err != nil {
		t.Fatal(err)
	}
	secret, err := h.Texts.Store.NewAddress(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	client := h.API("POST", "/clients/", map[string]any{"email": "t@example.com", "phone": "0821234567"}).Want(201).
		Text("id")
	at := "/clients/" + client + "/sms"
	write := func(text string) {
		t.Helper()
		h.Page(h.A.Staff, "POST", at, url.Values{"form_key": {uuid.NewString()}, "text": {text}}).Want(http.StatusSeeOther)
		if _, err := h.Texts.SendDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	write("Please call us.")
	if len(got) != 1 || !strings.Contains(got[0], "Please call us.") {
		t.Fatalf("the provider got %q", got)
	}
	h.Page(h.A.Staff, "GET", at, nil).Contains("Sent")
	h.Call("POST", "/sms/"+secret+"x/reports", `[]`).Want(http.StatusNotFound)
	h.Call("POST", "/sms/guess/replies", `[]`).Want(http.StatusNotFound)
	h.Call("POST", "/sms/"+secret+"/reports", `[]`).Want(http.StatusNoContent)
	h.Call("POST", "/sms/"+secret+"/reports", `nonsense`).Want(http.StatusBadRequest)
	report := `[{"provider_id":"theirs","state":"failed","why":"The number does not exist."}]`
	for range 2 {
		h.Call("POST", "/sms/"+secret+"/reports", report).Want(http.StatusNoContent)
	}
	h.Page(h.A.Staff, "GET", at, nil).Contains("Failed", "The number does not exist.")
	h.Page(h.A.Staff, "GET", "/clients/"+client, nil).
		Contains("An SMS did not reach the client. The number does not exist.")

	write("Another one.")
	reply := `{"id":"r1","from":"27821234567","text":"Stop asb"}`
	for range 2 {
		h.Call("POST", "/sms/"+secret+"/replies", reply).Want(http.StatusNoContent)
	}
	h.Page(h.A.Staff, "GET", at, nil).Contains("No SMS can be sent", "Stop asb")
	if n := h.Count(`SELECT count(*) FROM sms_messages WHERE kind = 'stop_noted'`); n != 1 {
		t.Errorf("%d confirmations", n)
	}
	second, err := h.Texts.Store.NewAddress(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	h.Call("POST", "/sms/"+secret+"/reports", `[]`).Want(http.StatusNotFound)
	h.Call("POST", "/sms/"+second+"/reports", `[]`).Want(http.StatusNoContent)
}
