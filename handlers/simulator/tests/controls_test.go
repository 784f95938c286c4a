package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/cmd/app"
	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/simulator"
	bank "debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// letters has a receipt of its own; what else is mailed is worded as always.
type letters struct{ purchase.Letters }

func (letters) Receipt(purchase.Purchase, merchant.Brand) mail.Letter {
	return mail.Letter{Subject: "Your receipt", Text: "Paid.", HTML: "<p>Paid <script>alert(1)</script></p>",
		Attachments: []mail.Attachment{{Name: "receipt.pdf", Type: "application/pdf", Content: []byte("%PDF")}}}
}

// start is a Monday at 09:00 SAST in a month without public holidays.
var start = calendar.On(2027, time.February, 1).At(9, 0)

func open(t *testing.T) *handlertest.Server { return openBy(t, collection.DefaultTimetable()) }

func openBy(t *testing.T, by collection.Timetable) *handlertest.Server {
	h := handlertest.NewWith(t, func(o *app.Options) { o.Timetable = &by }, func(h *handlertest.Server) {
		s := h.Store
		h.Purchases.Letters = letters{h.Purchases.Letters}
		b := bank.New(bank.Store{DB: s}, s.Now, h.Purchases.Timetable, calendar.New())
		h.Purchases.Verifier = b
		if err := s.Clock.MoveTo(t.Context(), start); err != nil {
			t.Fatal(err)
		}
	})
	return h
}

func call(h *handlertest.Server, method, path string, body any, headers ...string) handlertest.Answer {
	return h.Call(method, path, body, append([]string{"Authorization: Bearer " + h.A.Token}, headers...)...)
}

// collects makes a purchase of R100 whose first collection runs on Wednesday 3 February.
func collects(t *testing.T, h *handlertest.Server, account string) string {
	t.Helper()
	body := fmt.Sprintf(
		`{"client":{"email":"n@example.com","full_name":"N Dlamini","bank_account":%q,"bank_code":"632005"},"brand_id":%q,
		"payment_method_whitelist":["eft"],"force_recurring":true,"send_receipt":true,
		"purchase":{"currency":"ZAR","language":"en","products":[{"name":"Membership","price":10000}],
		"payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":1,"period_units":"months"}}}}`,
		account, h.A.BrandID)
	return h.API("POST", "/purchases/", body).Want(201).Text("id")
}

func TestTheClockIsReadAndMovedWithEverythingThatBecomesDue(t *testing.T) {
	t.Parallel()
	h := open(t)
	got := call(h, "GET", "/sandbox/clock", nil).Want(200)
	if !strings.HasPrefix(got.Text("sast"), "2027-02-01T09:00:") || !strings.HasSuffix(got.Text("sast"), "+02:00") ||
		int64(got.JSON()["now"].(float64)) < start.Unix() {
		t.Errorf("%s", got.Body)
	}
	id := collects(t, h, "4000000000")
	moved := call(h, "POST", "/sandbox/clock", `{"now":"2027-02-03T17:00:00+02:00"}`).Want(200)
	done := moved.JSON()["done"].(map[string]any)
	if done["collections"] != 1.0 || done["mails"] != 1.0 || done["mandates"] != 0.0 || done["webhooks"] != 0.0 {
		t.Errorf("done %v", done)
	}
	if got := h.API("GET", "/purchases/"+id+"/", nil).Want(200); got.Text("status") != "paid" {
		t.Errorf("%s", got.Text("status"))
	}
	call(h, "POST", "/sandbox/clock", `{"advance":"168h"}`).Want(200)
	order := h.API("GET", "/purchases/"+id+"/", nil).JSON()["debit_order"].(map[string]any)
	if order["settlement"] != "final" {
		t.Errorf("%v", order)
	}
}

func TestTheClockRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	h := open(t)
	for body, code := range map[string]string{
		`{"now":"2027-02-01T08:59:59+02:00"}`: "now=min_value",
		`{"advance":"-1h"}`:                   "advance=min_value",
		`{"advance":"18001h"}`:                "advance=max_value",
		`{"now":"2199-01-01T00:00:00Z"}`:      "now=max_value",
		`{"now":"tomorrow"}`:                  "now=invalid",
		`{"advance":"2 weeks"}`:               "advance=invalid",
		`{}`:                                  "__all__=invalid",
		`{"now":"2027-02-02T08:59:59+02:00","advance":"24h"}`: "__all__=invalid",
		`[]`: "__all__=parse_error",
	} {
		call(h, "POST", "/sandbox/clock", body).Want(http.StatusBadRequest).WantCode(code)
	}
	if now := h.Store.Now(); now.Sub(start) > time.Hour {
		t.Errorf("the clock was moved to %s", now)
	}
	h.Call("POST", "/sandbox/clock", `{"advance":"1h"}`).Want(http.StatusUnauthorized)
}

func TestOnlyAnAdminMovesTheClock(t *testing.T) {
	t.Parallel()
	h := open(t)
	form := url.Values{"advance": {"1h"}}
	h.Page(h.A.Staff, "GET", "/sandbox/clock", nil).Want(200).Lacks(`action="/sandbox/clock"`)
	h.Page(h.A.Staff, "POST", "/sandbox/clock", form).Want(http.StatusForbidden)
	h.Page(h.A.Owner, "POST", "/sandbox/clock", form, "Sec-Fetch-Site: cross-site").Want(http.StatusForbidden)
	h.Page(h.A.Owner, "POST", "/sandbox/clock", form).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", "/sandbox/clock", nil).Want(200).Contains(`action="/sandbox/clock"`,
		" SAST. On the way: 0 collections, 0 mails.", "T10:0")
	h.Page(h.A.Owner, "POST", "/sandbox/clock", url.Values{"date": {"2027-01-01"}, "time": {"06:00"}}).Want(
		http.StatusUnprocessableEntity).Contains("only goes forward")
	h.Page(h.A.Owner, "POST", "/sandbox/clock", url.Values{"date": {"2027-02-02"}, "time": {"06:00"}}).Want(
		http.StatusSeeOther)
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'clock.moved' AND actor_id = $1`,
		h.A.Owner.ID); n != 2 {
		t.Errorf("%d entries", n)
	}
}

func TestTheBankAnswersAsAPersonWants(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := collects(t, h, "4000000000")
	path := "/sandbox/collections/" + id + "/result"
	call(h, "POST", path, `{"code":"02"}`).Want(http.StatusBadRequest).WantCode("__all__=collection_wrong_status")
	call(h, "POST", "/sandbox/clock", `{"now":"2027-02-02T09:00:00+02:00"}`).Want(200)
	for body, code := range map[string]string{
		`{"code":"77"}`: "code=invalid_choice", `{"dispute":"02"}`: "dispute=invalid_choice", `{}`: "code=required",
		`{"code":"02","dispute":"30"}`: "__all__=invalid",
	} {
		call(h, "POST", path, body).Want(http.StatusBadRequest).WantCode(code)
	}
	h.Call("POST", path, `{"code":"02"}`, "Authorization: Bearer "+h.B.Token).Want(http.StatusNotFound)
	call(h, "POST", "/sandbox/collections/"+uuid.NewString()+"/result", `{"code":"02"}`).Want(http.StatusNotFound)
	call(h, "POST", "/sandbox/collections/nonsense/result", `{"code":"02"}`).Want(http.StatusNotFound)

	got := call(h, "POST", path, `{"code":"00"}`).Want(200)
	if got.Text("status") != "paid" || got.Text("collection_state") != "provisional" {
		t.Errorf("%s", got.Body)
	}
	h.Page(h.A.Owner, "GET", "/sandbox/desk", nil).Want(200).Contains(path, "Dispute", "N Dlamini").Lacks("4000000000")
	h.Page(h.B.Owner, "GET", "/sandbox/desk", nil).Want(200).Lacks(path)
	key := "Idempotency-Key: " + uuid.NewString()
	first := call(h, "POST", path, `{"dispute":"34"}`, key).Want(200)
	again := call(h, "POST", path, `{"dispute":"34"}`, key).Want(200)
	if first.Text("status") != "chargeback" || again.Body != first.Body ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%s then %s", first.Body, again.Body)
	}
	if sum := h.Count(`SELECT coalesce(sum(amount_cents), 0) FROM ledger_entries WHERE purchase_id = $1`, id); sum != 0 {
		t.Errorf("the ledger says %d", sum)
	}
	h.Page(h.A.Owner, "POST", path, url.Values{"code": {"00"}}).Want(
		http.StatusSeeOther) // already disputed: changes nothing
	if got := h.API("GET", "/purchases/"+id+"/", nil); got.Text("status") != "chargeback" {
		t.Errorf("%s", got.Text("status"))
	}
}

func TestSentMailIsShownToItsMerchantAlone(t *testing.T) {
	t.Parallel()
	h := open(t)
	for range 3 {
		collects(t, h, "4000000000")
	}
	call(h, "POST", "/sandbox/clock", `{"now":"2027-02-03T18:00:00+02:00"}`).Want(200)
	list := func(a handlertest.Answer) (out []map[string]any) {
		t.Helper()
		if err := json.Unmarshal([]byte(a.Want(200).Body), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := list(call(h, "GET", "/sandbox/mail", nil))
	if len(all) != 3 || all[0]["subject"] != "Your receipt" || all[0]["to"] != "n@example.com" ||
		all[0]["sent_on"] == nil || all[0]["id"].(string) < all[1]["id"].(string) {
		t.Fatalf("%v", all)
	}
	file := all[0]["attachments"].([]any)[0].(map[string]any)
	if file["name"] != "receipt.pdf" || file["size"] != 4.0 {
		t.Errorf("%v", file)
	}
	page := call(h, "GET", "/sandbox/mail?limit=2", nil)
	next := page.Header.Get("Link")
	if len(list(page)) != 2 || !strings.HasSuffix(next, `; rel="next"`) {
		t.Fatalf("Link %q", next)
	}
	rest := list(call(h, "GET", next[1:strings.IndexByte(next, '>')], nil))
	if len(rest) != 1 || rest[0]["id"] != all[2]["id"] {
		t.Errorf("%v", rest)
	}
	call(h, "GET", "/sandbox/mail?limit=1001", nil).Want(http.StatusBadRequest).WantCode("limit=invalid")
	if others := list(h.Call("GET", "/sandbox/mail", nil, "Authorization: Bearer "+h.B.Token)); len(others) != 0 {
		t.Errorf("a stranger reads %v", others)
	}
	one := "/sandbox/mail/" + all[0]["id"].(string)
	h.Page(h.B.Owner, "GET", one, nil).Want(http.StatusNotFound)
	h.Page(h.A.Owner, "GET", "/sandbox/mail", nil).Want(200).Contains(one, "Your receipt")
	h.Page(h.A.Owner, "GET", one, nil).Want(200).Contains("Paid.", one+"/html", "receipt.pdf").Lacks("alert(1)")
	html := h.Page(h.A.Owner, "GET", one+"/html", nil).Want(200)
	if policy := html.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox ") ||
		!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script") {
		t.Errorf("policy %q", policy)
	}
	h.Page(h.A.Owner, "GET", one+"/files/0", nil).Want(200).Contains("%PDF")
	h.Page(h.A.Owner, "GET", one+"/files/9", nil).Want(http.StatusNotFound) // beyond its attachments
}

func TestLiveModeHasNoSandbox(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.Sandbox, h.Deps.Controls = false, &simulator.Controls{}
	})
	for _, path := range []string{"/sandbox", "/sandbox/clock", "/sandbox/mail", "/sandbox/desk"} {
		call(h, "GET", path, nil).Want(http.StatusNotFound)
	}
}

func TestSomebodyUnknownIsSentToSignIn(t *testing.T) {
	t.Parallel()
	h := open(t)
	got := h.Call("GET", "/sandbox/mail", nil, "Accept: text/html").Want(http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != "/login?next="+url.QueryEscape("/sandbox/mail") {
		t.Errorf("sent to %s", to)
	}
	h.Page(h.A.Owner, "GET", "/sandbox", nil).Want(http.StatusSeeOther)
}

// The simulator takes numbers alone; whatever text the sandbox takes is of one line.
func TestATextOfTheSandboxIsOfOneLine(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := collects(t, h, "4000000000")
	for _, c := range [][2]string{
		{"/sandbox/clock", `{"now":"2027-\n02-02"}`}, {"/sandbox/clock", `{"advance":"1\u0085h"}`},
		{"/sandbox/clock", `{"date":"2027-02-02","time":"0\t6"}`},
		{"/sandbox/collections/" + id + "/result", `{"code":"\n0"}`},
		{"/sandbox/collections/" + id + "/result", `{"code":"0\t"}`},
		{"/sandbox/collections/" + id + "/result", `{"dispute":"3\u2028"}`},
		{"/sandbox/mandates/" + id + "/answer", `{"answer":"ac\ncept"}`},
	} {
		if got := call(h, "POST", c[0], c[1]); got.Status != 400 {
			t.Errorf("%s %s: %d %s", c[0], c[1], got.Status, got.Body)
		}
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE object_type = 'sandbox'`); n != 0 {
		t.Errorf("%d acts were recorded", n)
	}
}

func TestTheListOfMailIsWalkedBothWays(t *testing.T) {
	t.Parallel()
	h := open(t)
	ids := h.Store.NewID().String()[:24]
	_, err := h.Store.Pool.Exec(t.Context(), `INSERT INTO mails (id, merchant_id, object_id, kind, attempt, recipient,
		subject, text_body, html_body, state, created_at)
		SELECT ($2 || lpad(n::text, 12, '0'))::uuid, $1, gen_random_uuid(), 'receipt', 1,
		'n@example.com', 'Mail number ' || n || '.', '', '', 'sent', $3 FROM generate_series(1, 60) n`, h.A.ID,
		ids, h.Store.Now())
	if err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Owner, "GET", "/sandbox/mail?when=today", nil).Want(200).Contains("number 60.", "Made today")
	h.Page(h.A.Owner, "GET", "/sandbox/mail?when=yesterday", nil).Want(200).Lacks("number 60.")
	first := h.Page(h.A.Owner, "GET", "/sandbox/mail", nil).Want(200).Contains("number 60.", "number 11.", "50 mails").
		Lacks("number 10.")
	older := "/sandbox/mail?after=" + ids + "000000000011"
	newer := "/sandbox/mail?before=" + ids + "000000000010"
	first.Contains(older)
	h.Page(h.A.Owner, "GET", older, nil).Want(200).Contains("number 10.", "number 1.", newer).Lacks("number 11.")
	h.Page(h.A.Owner, "GET", newer, nil).Want(200).Contains("number 60.", "number 11.").Lacks("number 10.", "before=")
	h.Page(h.B.Owner, "GET", older, nil).Want(200).Lacks("Mail number")
}
