package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/money"
)

// asks sets up a mandate for R149 a month with at most R200, and gives its purchase.
func asks(t *testing.T, h *handlertest.Server, account, how string) string {
	t.Helper()
	body := fmt.Sprintf(
		`{"client":{"email":"n@example.com","full_name":"N Dlamini","phone":"+27821234567","personal_code":"8501015009086","bank_account":%q,"bank_code":"632005"},
		"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,
		"purchase":{"currency":"ZAR","language":"en","products":[{"name":"Fibre","price":14900}],
		"payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":25,"period_units":"months",
		"value_type":"VARIABLE","authentication_type":%q,"adjustment_category":"NEVER","debit_sequence":"RCUR","max_amount_cents":20000}}}}`,
		account,
		h.A.BrandID,
		how,
	)
	return h.API("POST", "/purchases/", body).Want(201).Text("id")
}

func phones(t *testing.T, a handlertest.Answer) (out []map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.Want(200).Body), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestThePhoneShowsWhatThePayerIsAskedFor(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.Page(h.A.Owner, "GET", "/sandbox/phone", nil).Want(200).Contains("No request on a phone", `href="/mandates/new"`)
	id := asks(t, h, "4000008480", "REALTIME")
	if open := phones(t, call(h, "GET", "/sandbox/phone", nil)); len(open) != 1 || open[0]["state"] != "requested" ||
		open[0]["expires_at"] != nil {
		t.Errorf("not handed over: %v", open)
	}
	h.Page(h.A.Owner, "GET", "/sandbox/phone", nil).Want(200).Contains("on its way to Absa")
	call(h, "POST", "/sandbox/clock", `{"advance":"2s"}`).Want(200)
	open := phones(t, call(h, "GET", "/sandbox/phone", nil))
	if len(open) != 1 {
		t.Fatalf("%v", open)
	}
	one := open[0]
	for field, want := range map[string]any{
		"purchase": id, "payer": "N Dlamini", "account": "•••• 8480", "bank": "Absa", "amount": 14900.0,
		"max_amount": 20000.0, "currency": "ZAR",
		"rhythm": "each month on the 25th", "authentication_type": "REALTIME", "state": "delivered", "attempt": 1.0,
	} {
		if one[field] != want {
			t.Errorf("%s: %v, want %v", field, one[field], want)
		}
	}
	if left := one["seconds_left"].(float64); left < 110 || left > 119 {
		t.Errorf("%v seconds left", left)
	}
	page := h.Page(h.A.Owner, "GET", "/sandbox/phone", nil).Want(200)
	page.Contains("<html", "N Dlamini", "Approve a DebiCheck debit order", money.Format(14900, "ZAR"),
		money.Format(20000, "ZAR"), "each month on the 25th", "TESTMERCH1", "••••", "left",
		"1. Accept", `action="/sandbox/mandates/`+id+`/answer"`, `value="accept"`, `value="reject"`, `value="ignore"`).
		Lacks("4000008480", "8501015009086", "text message")
	part := h.Call("GET", "/sandbox/phone", nil, "Cookie: "+h.A.Owner.Cookie, "HX-Request: true").Want(200)
	part.Contains(`id="handsets"`, money.Format(14900, "ZAR")).Lacks("<html", "4000008480")
	h.Page(h.A.Staff, "GET", "/sandbox/phone", nil).Want(200).Contains("Only an admin").Lacks(`value="accept"`)
	h.Page(h.B.Owner, "GET", "/sandbox/phone", nil).Want(200).Contains("No request on a phone").Lacks("Dlamini")
}

func TestADelayedRequestComesAsATextMessage(t *testing.T) {
	t.Parallel()
	h := open(t)
	asks(t, h, "4000008480", "DELAYED")
	call(h, "POST", "/sandbox/clock", `{"advance":"2s"}`).Want(200)
	h.Page(h.A.Owner, "GET", "/sandbox/phone", nil).Want(200).Contains("text message", "DebiCheck: ", "47 h 59 min left",
		"dial *120*0000#").Lacks("Approve a DebiCheck debit order")
	if open := phones(t, call(h, "GET", "/sandbox/phone", nil)); len(open) != 1 ||
		!strings.Contains(open[0]["sms"].(string), "Answer by Wed 3 Feb 09:00 in your banking app") {
		t.Errorf("%v", open)
	}
}

func TestAPersonAnswersForThePayer(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, c := range []struct{ account, how, answer, status, mandate, reason string }{
		{"4000008480", "REALTIME", "accept", "pending_execute", "active", ""},
		{"4000000000", "REALTIME", "reject", "error", "rejected", "MS02"},
		{"4000008480", "DELAYED", "accept", "pending_execute", "active", ""},
		{"4000000000", "REALTIME", "ignore", "pending_execute", "pending_authentication", ""},
	} {
		id := asks(t, h, c.account, c.how)
		path := "/sandbox/mandates/" + id + "/answer"
		got := call(h, "POST", path, `{"answer":"`+c.answer+`"}`).Want(200)
		if got.Text("mandate_state") != c.mandate || got.Text("purchase") != id {
			t.Errorf("%+v: %s", c, got.Body)
		}
		if reason, _ := got.JSON()["reason"].(map[string]any); c.reason != "" &&
			(reason["code"] != c.reason || reason["text"] == "") {
			t.Errorf("%+v: %s", c, got.Body)
		}
		if p := h.API("GET", "/purchases/"+id+"/", nil).Want(200); c.answer != "accept" && p.Text("status") != c.status {
			t.Errorf("%+v: %s", c, p.Text("status"))
		}
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'sandbox.payer_answered'`); n != 4 {
		t.Errorf("%d entries of the audit", n)
	}
	call(h, "POST", "/sandbox/clock", `{"advance":"121s"}`).Want(200)
	if open := phones(t, call(h, "GET", "/sandbox/phone", nil)); len(open) != 0 {
		t.Errorf("still open: %v", open)
	}
	h.Page(h.A.Owner, "GET", "/sandbox/phone", nil).Want(200).Contains("Recently finished", "Accepted",
		"Declined by the client (MS02)", "No answer from the client (NOAS)", "R\u00a0149,00").Lacks("ZAR")
}

func TestTheFirstAnswerOnThePhoneCounts(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := asks(t, h, "4000008480", "REALTIME")
	path := "/sandbox/mandates/" + id + "/answer"
	key := "Idempotency-Key: " + uuid.NewString()
	first := call(h, "POST", path, `{"answer":"accept"}`, key).Want(200)
	if again := call(h, "POST", path, `{"answer":"accept"}`, key).Want(200); again.Body != first.Body ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%s then %s", first.Body, again.Body)
	}
	call(h, "POST", path, `{"answer":"reject"}`).Want(http.StatusBadRequest).WantCode("__all__=mandate_wrong_status")
	h.Page(h.A.Owner, "POST", path, url.Values{"answer": {"reject"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", "/sandbox/phone", nil).Want(200).Contains("Nothing is waiting on the client",
		"the mandate is Active")
	if n := h.Count(`SELECT count(*) FROM mandates WHERE id = $1 AND state = 'active'`, id); n != 1 {
		t.Error("the second answer counted")
	}
	late := asks(t, h, "4000008480", "REALTIME")
	call(h, "POST", "/sandbox/clock", `{"advance":"121s"}`).Want(200)
	call(h, "POST", "/sandbox/mandates/"+late+"/answer", `{"answer":"accept"}`).Want(http.StatusBadRequest).WantCode(
		"__all__=mandate_wrong_status")
}

func TestThePagesFormLeadsBackToThePhone(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := asks(t, h, "4000008480", "REALTIME")
	got := h.Page(h.A.Owner, "POST", "/sandbox/mandates/"+id+"/answer",
		url.Values{"answer": {"accept"}}).Want(http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != "/sandbox/phone" {
		t.Errorf("sent to %s", to)
	}
	h.Page(h.A.Owner, "GET", "/sandbox/phone", nil).Want(200).Contains("The client answered. The mandate is now: Active.",
		"No request on a phone")
}

func TestThePhoneRefusesWhoMayNotAndWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := asks(t, h, "4000008480", "REALTIME")
	path := "/sandbox/mandates/" + id + "/answer"
	for body, code := range map[string]string{
		`{}`: "answer=required", `{"answer":""}`: "answer=required", `{"answer":"yes"}`: "answer=invalid_choice",
		`{"answer":7}`:  "answer=invalid_choice",
		`{"answer":{}}`: "answer=invalid", `[]`: "__all__=parse_error", `{"answer":"accept or reject"}`: "answer=max_length",
	} {
		call(h, "POST", path, body).Want(http.StatusBadRequest).WantCode(code)
	}
	h.Call("POST", path, `{"answer":"accept"}`, "Authorization: Bearer "+h.B.Token).Want(http.StatusNotFound)
	call(h, "POST", "/sandbox/mandates/"+uuid.NewString()+"/answer", `{"answer":"accept"}`).Want(http.StatusNotFound)
	h.Page(h.A.Staff, "POST", path, url.Values{"answer": {"accept"}}).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "POST", path, url.Values{"answer": {"accept"}}).Want(http.StatusNotFound)
	if n := h.Count(`SELECT count(*) FROM mandate_authentications WHERE state = 'accepted'`); n != 0 {
		t.Error("somebody answered all the same")
	}
	eft := collects(t, h, "4000000000")
	call(h, "POST", "/sandbox/mandates/"+eft+"/answer", `{"answer":"accept"}`).Want(http.StatusBadRequest).WantCode(
		"__all__=mandate_wrong_status")
}

func TestADebitAsAuthenticatedIsNotDisputed(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := asks(t, h, "4000000000", "REALTIME")
	call(h, "POST", "/sandbox/mandates/"+id+"/answer", `{"answer":"accept"}`).Want(200)
	path := "/sandbox/collections/" + id + "/result"
	call(h, "POST", "/sandbox/clock", `{"advance":"336h"}`).Want(200)
	if p := h.API("GET", "/purchases/"+id+"/", nil).Want(200); p.Text("status") != "paid" {
		t.Fatalf("%s", p.Body)
	}
	call(h, "POST", path, `{"dispute":"34"}`).Want(http.StatusBadRequest).WantCode("dispute=dispute_rejected")
	h.Page(h.A.Owner, "POST", path, url.Values{"dispute": {"34"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", "/sandbox/desk", nil).Want(200).Contains(
		"refuses this dispute: the debit is as the client authenticated it")
	if p := h.API("GET", "/purchases/"+id+"/", nil).Want(200); p.Text("status") != "paid" {
		t.Errorf("%s", p.Text("status"))
	}
	fallback := asks(t, h, "4000008120", "DELAYED")
	call(h, "POST", "/sandbox/clock", `{"advance":"48h"}`).Want(200)
	if n := h.Count(
		`SELECT count(*) FROM mandate_authentications WHERE mandate_id = $1 AND state = 'accepted' AND channel = 'sms_link'`,
		fallback); n != 1 {
		t.Error("the delayed request was not answered by itself")
	}
}
