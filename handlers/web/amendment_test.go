package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/mandate"
)

// amending is a server with a stored account, a charge that waits on it, and
// payers who can be asked at any hour.
func amending(t *testing.T) cast {
	t.Helper()
	k := withAccount(t)
	k.Purchases.Window, k.Purchases.Limits = mandate.DefaultWindow(), mandate.DefaultLimits()
	k.made(t)
	return k
}

func toEFT() url.Values {
	return url.Values{"form_key": {uuid.NewString()}, "method": {"eft"}, "period_units": {"months"},
		"deduction_day": {"25"}}
}

func toDebiCheck(pairs ...string) url.Values {
	return with(url.Values{"form_key": {uuid.NewString()}, "method": {"debicheck"}, "account": {"known"},
		"full_name": {"Thandi Nkosi"}, "bank_code": {"632005"},
		"account_number": {"4000 001 234"}, "account_type": {"CURRENT"}, "id_number": {"8501015009086"},
		"phone": {"0821234567"}, "value_type": {"VARIABLE"},
		"authentication_type": {"DELAYED"}, "price": {"2 469,00"}, "max_amount_cents": {"3 000,00"},
		"allow_date_adjustment": {"yes"}, "period_units": {"months"}, "deduction_day": {"25"}}, pairs...)
}

// begin gives the address of an amendment.
func (k cast) begin(t *testing.T, form url.Values) string {
	t.Helper()
	to := k.Page(k.A.Staff, "POST", "/tokens/"+k.token+"/amendment", form).Want(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(to, "/amendments/") {
		t.Fatalf("led to %s", to)
	}
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).
		Contains("New details are to replace this token", `href="`+to+`"`)
	return to
}

// sign gives new details from a signed form.
func (k cast) sign(t *testing.T, at, scan string) handlertest.Answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range map[string]string{"full_name": "Thandi Nkosi", "bank_code": "632005",
		"account_number": "4000 001 234", "account_type": "CURRENT", "signed_on": "2026-01-05", "consent": "yes"} {
		_ = w.WriteField(name, value)
	}
	if scan != "" {
		part, _ := w.CreateFormFile("scan", "signed.png")
		_, _ = part.Write([]byte(scan))
	}
	_ = w.Close()
	return k.Call("POST", at+"/account", body.Bytes(), "Cookie: "+k.A.Staff.Cookie, "Accept: text/html",
		"Sec-Fetch-Site: same-origin", "Content-Type: "+w.FormDataContentType())
}

func TestReplacingAnAccountGoesThroughThreeSteps(t *testing.T) {
	k := amending(t)
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).Contains("Replace this account",
		"/tokens/"+k.token+"/amendment")
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token+"/amendment",
		nil).Want(http.StatusOK).Contains("How is the account debited", `aria-current="step"`, "In use now",
		"•••• 3456").Lacks("4055123456")
	at := k.begin(t, toEFT())
	k.Page(k.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("Waiting for the client’s details", "Not given yet",
		"/p/", `hx-trigger="every 2s"`)
	k.sign(t, at, "").Want(http.StatusUnprocessableEntity).Contains("Add the scan")
	k.sign(t, at, onePixel).Want(http.StatusSeeOther)
	page := k.Page(k.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("The new details work", "•••• 1234", "changed",
		"Collect this 1 purchase, R\u00a02\u00a0469,00 in all")
	page.Lacks(`hx-trigger="every 2s"`, "4000001234")

	k.Page(k.A.Staff, "POST", at+"/takeover", url.Values{"count": {"1"}, "cents": {"246900"}}).Want(
		http.StatusUnprocessableEntity).Contains("Confirm that the waiting purchases")
	k.Page(k.A.Staff, "POST", at+"/takeover", url.Values{"count": {"1"}, "cents": {"1"}, "consent": {"yes"}}).Want(
		http.StatusUnprocessableEntity).Contains("changed while this page was open")
	for range 2 { // a second click changes nothing
		k.Page(k.A.Staff, "POST", at+"/takeover", url.Values{"count": {"1"}, "cents": {"246900"}, "consent": {"yes"}}).Want(
			http.StatusSeeOther)
	}
	k.Page(k.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("The new details are in use",
		"1 waiting purchase moved", "Before").Lacks("/takeover", "/abandonment")
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).Contains("Replaced",
		"Replaced by").Lacks("Replace this account")
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token+"/amendment", nil).Want(http.StatusSeeOther)
	if n := k.Count(`SELECT count(*) FROM collections WHERE state = 'scheduled'`); n != 1 {
		t.Fatalf("%d scheduled debits", n)
	}
	if n := k.Count(
		`SELECT count(*) FROM mandates WHERE consent_channel = 'signed_paper' AND consent_at < '2026-01-06'`); n != 1 {
		t.Fatal("the new mandate does not count from the day it was signed")
	}
}

func TestTheApiNeitherListsNorChargesAReplacedToken(t *testing.T) {
	k := amending(t)
	at := k.begin(t, toEFT())
	k.sign(t, at, onePixel).Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "POST", at+"/takeover", url.Values{"count": {"1"}, "cents": {"246900"}, "consent": {"yes"}}).Want(
		http.StatusSeeOther)
	k.API("GET", "/clients/"+k.client+"/recurring_tokens/", nil).Want(http.StatusOK).Lacks(k.token)
	k.API("GET", "/clients/"+k.client+"/recurring_tokens/"+k.token+"/", nil).Want(http.StatusNotFound)
	k.API("GET", "/purchases/"+k.token+"/", nil).Want(http.StatusOK).Contains(`"is_recurring_token":false`)
	open := k.API("POST", "/purchases/", map[string]any{"client_id": k.client, "brand_id": k.A.BrandID.String(),
		"purchase": map[string]any{"products": []any{map[string]any{"name": "m", "price": 100}}}}).Want(
		http.StatusCreated).Text("id")
	k.API("POST", "/purchases/"+open+"/charge/", map[string]any{"recurring_token": k.token}).Want(
		http.StatusBadRequest).WantCode("__all__=invalid_recurring_token")
}

func TestTheFirstStepSaysEverythingThatIsWrong(t *testing.T) {
	k := amending(t)
	k.Page(k.A.Staff, "POST", "/tokens/"+k.token+"/amendment",
		toDebiCheck("account_number", "12", "price", "", "max_amount_cents", "1,234", "deduction_day", "31", "id_number",
			"1")).
		Want(http.StatusUnprocessableEntity).Contains("Enter the usual amount", "31 is not a deduction day",
		`id="account_number"`)
	if n := k.Count(`SELECT count(*) FROM amendments`); n != 0 {
		t.Fatal("a refused form began an amendment")
	}
}

func TestByDebiCheckTheCustomerIsAskedAndThePageTellsWhenThatChanges(t *testing.T) {
	k := amending(t)
	form := toDebiCheck()
	at := k.begin(t, form)
	if again := k.begin(t, form); again != at {
		t.Fatalf("the same form led to %s and %s", at, again)
	}
	k.Page(k.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("Waiting for the client’s answer", "DebiCheck",
		"R\u00a03\u00a0000,00", "The old account stays in use", "?seen=asked")
	k.Page(k.A.Staff, "GET", at+"?seen=asked", nil, "HX-Request: true").Want(http.StatusOK).Contains(
		`id="amendment-state"`).Lacks("<html")
	if got := k.Page(k.A.Staff, "GET", at+"?seen=details", nil, "HX-Request: true").Want(http.StatusOK); got.Header.Get(
		"HX-Refresh") != "true" {
		t.Fatal("another step has come, and the page is not loaded anew")
	}
	k.Page(k.A.Staff, "GET", at+"?seen=details", nil).Want(http.StatusOK).Contains("<html")
	k.Page(k.A.Staff, "POST", at+"/takeover", url.Values{"count": {"1"}, "cents": {"246900"}, "consent": {"yes"}}).Want(
		http.StatusUnprocessableEntity).Contains("do not work yet")
	if n := k.Count(`SELECT count(*) FROM tokens WHERE state = 'active'`); n != 1 {
		t.Fatalf("%d active tokens while the customer is asked", n)
	}
}

func TestAnAbandonedChangeLeavesTheAccountInUse(t *testing.T) {
	k := amending(t)
	at := k.begin(t, toEFT())
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token+"/amendment", nil).Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "POST", "/tokens/"+k.token+"/amendment", toEFT()).Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "POST", at+"/abandonment", nil).Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("This change was abandoned").Lacks("/abandonment")
	k.Page(k.A.Staff, "POST", at+"/takeover", nil).Want(http.StatusConflict)
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).Contains("Replace this account")
}

func TestAStrangerFindsNoAmendment(t *testing.T) {
	k := amending(t)
	at := k.begin(t, toEFT())
	for _, call := range [][2]string{{"GET", at}, {"POST", at + "/takeover"}, {"POST", at + "/abandonment"},
		{"GET", "/tokens/" + k.token + "/amendment"}, {"POST", "/tokens/" + k.token + "/amendment"},
		{"GET", "/amendments/not-an-id"}, {"POST", "/amendments/" + uuid.NewString() + "/takeover"}} {
		k.Page(k.B.Owner, call[0], call[1], nil).Want(http.StatusNotFound)
	}
	if n := k.Count(`SELECT count(*) FROM amendments WHERE state = 'open'`); n != 1 {
		t.Fatal("a stranger changed the amendment")
	}
}
