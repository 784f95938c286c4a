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
	"debitdesk/models/calendar"
)

const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"

// capture stores the account from a signed mandate and gives where it led to.
func (k cast) capture(t *testing.T, change func(fields map[string]string)) string {
	t.Helper()
	return k.sendCapture(t, onePixel, change).Want(http.StatusSeeOther).Header.Get("Location")
}

func (k cast) sendCapture(t *testing.T, scan string, change func(fields map[string]string)) handlertest.Answer {
	t.Helper()
	fields := map[string]string{"form_key": uuid.NewString(), "full_name": "Thandi Nkosi", "bank_code": "632005",
		"account_number": "4055 123 456", "account_type": "CURRENT",
		"signed_on": calendar.DateOf(k.Store.Now()).AddDays(-3).String(), "consent": "yes"}
	if change != nil {
		change(fields)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if scan != "" {
		part, err := w.CreateFormFile("scan", `..\signed "mandate".exe`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(scan)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return k.Call("POST", "/clients/"+k.client+"/accounts", body.Bytes(), "Cookie: "+k.A.Staff.Cookie, "Accept: text/html",
		"Sec-Fetch-Site: same-origin",
		"Content-Type: "+w.FormDataContentType())
}

func TestASignedMandateIsKeptWithItsScan(t *testing.T) {
	k := withAccount(t)
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).
		Contains("Absa •••• 3456", "Active", "Signed on paper", "I, Thandi Nkosi, authorise",
			"Not charged yet").Lacks("4055123456")
	file := k.Page(k.A.Staff, "GET", "/mandates/"+k.token+"/evidence/"+k.evidence(t), nil).Want(http.StatusOK)
	if file.Body != onePixel || file.Header.Get("Content-Type") != "image/png" {
		t.Error("the scan came back changed")
	}
	if got := file.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment") ||
		strings.Contains(got, "exe") || strings.Contains(got, "..") {
		t.Errorf("sent as %s", got)
	}
	if n := k.Count(`SELECT count(*) FROM mandate_evidence WHERE content = $1`, []byte(onePixel)); n != 0 {
		t.Error("the scan is not sealed")
	}
	if n := k.Count(
		`SELECT count(*) FROM mandates WHERE consent_channel = 'signed_paper'
			AND consent_at < created_at - interval '2 days'`,
	); n != 1 {
		t.Error("the mandate does not count from the day it was signed")
	}
}

func TestACapturedMandateIsRefusedWithEverythingThatIsWrong(t *testing.T) {
	k := withAccount(t)
	before := k.Count(`SELECT count(*) FROM purchases`)
	k.sendCapture(t, "", func(f map[string]string) {
		f["account_number"], f["consent"], f["signed_on"], f["full_name"] = "12", "", "2099-01-01", ""
	}).Want(http.StatusUnprocessableEntity).Contains("There are 5 problems", "Absa", "Add the scan",
		"signed in the future", "Confirm that the client signed", `value="12"`)
	k.sendCapture(t, "GIF89a this is no scan", nil).Want(http.StatusUnprocessableEntity).Contains(
		"must be a PDF, PNG or JPEG")
	k.sendCapture(t, onePixel+strings.Repeat("x", 5<<20), nil).Want(http.StatusUnprocessableEntity).Contains(
		"at most 5 MB")
	k.sendCapture(t, onePixel+strings.Repeat("x", 7<<20), nil).Want(http.StatusUnprocessableEntity).Contains(
		"at most 5 MB", `value="4055 123 456"`)
	if after := k.Count(`SELECT count(*) FROM purchases`); after != before {
		t.Errorf("%d purchases were left behind", after-before)
	}
}

func TestALinkAsksThePayerForTheAccount(t *testing.T) {
	k := withAccount(t)
	form := url.Values{"form_key": {uuid.NewString()}, "mail": {"yes"}}
	where := k.Page(k.A.Staff, "POST", "/clients/"+k.client+"/accounts/link",
		form).Want(http.StatusSeeOther).Header.Get("Location")
	again := k.Page(k.A.Staff, "POST", "/clients/"+k.client+"/accounts/link",
		form).Want(http.StatusSeeOther).Header.Get("Location")
	page, anchor, _ := strings.Cut(where, "#")
	if anchor != "link" || again != where {
		t.Errorf("went to %s, then %s", where, again)
	}
	k.Page(k.A.Staff, "GET", page, nil).Want(http.StatusOK).Contains("/p/"+strings.TrimPrefix(page, "/purchases/")+"/",
		"on its way to thandi@example.com")
	if n := k.Count(`SELECT count(*) FROM mails WHERE kind = 'account_link'`); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
	// The payer is asked although an account is on file: staff cannot agree for the payer.
	if n := k.Count(
		`SELECT count(*) FROM purchases WHERE status = 'created' AND total_cents = 0 AND method = 'eft'`); n != 1 {
		t.Errorf("%d open requests, want 1", n)
	}
	k.Page(k.A.Staff, "POST", "/clients/"+k.client+"/accounts/link",
		url.Values{"amount": {"x"}}).Want(http.StatusUnprocessableEntity).Contains("Write the amount like", `value="x"`)
	first := k.Page(k.A.Staff, "POST", "/clients/"+k.client+"/accounts/link",
		url.Values{"amount": {"50"}}).Want(http.StatusSeeOther).Header.Get("Location")
	k.Page(k.A.Staff, "GET", strings.TrimSuffix(first, "#link"), nil).Contains("R\u00a050,00", "First payment")
}

func TestTheWayToANewAccountBeginsWithTheClient(t *testing.T) {
	k := withAccount(t)
	k.Page(k.A.Staff, "GET", "/tokens/new", nil).Want(http.StatusOK).Contains("Thandi Nkosi")
	k.Page(k.A.Staff, "GET", "/tokens/new?client_id_q=", nil).Want(http.StatusOK).Contains("Choose the client.")
	to := k.Page(k.A.Staff, "GET", "/tokens/new?client_id="+k.client, nil).Want(http.StatusSeeOther).Header.Get("Location")
	k.Page(k.A.Staff, "GET", to, nil).Want(http.StatusOK).Contains("Make the link", "Capture a signed mandate")
}

func TestTheRegisterIsFiltered(t *testing.T) {
	k := withAccount(t)
	tomorrow := calendar.DateOf(k.Store.Now()).AddDays(1).String()
	for query, seen := range map[string]bool{
		"": true, "?q=thandi": true, "?q=somebody": false, "?bank=632005": true, "?bank=470010": false, "?state=active": true,
		"?state=blocked":            false,
		"?unused_since=" + tomorrow: true, "?unused_since=2020-01-01": false, "?bank=x&state=y&unused_since=z&before=w": true,
	} {
		got := k.Page(k.A.Staff, "GET", "/tokens"+query, nil).Want(http.StatusOK)
		if strings.Contains(got.Body, "•••• 3456") != seen {
			t.Errorf("%q: seen %v, want %v", query, !seen, seen)
		}
	}
	k.Page(k.A.Staff, "GET", "/tokens", nil, "HX-Request: true", "HX-Target: results").Lacks("<html").Contains(
		"Only an admin can delete")
	k.Page(k.B.Owner, "GET", "/tokens", nil).Contains("No token yet").Lacks("3456")
}

func TestDeletionSaysWhatItBreaksAndAsksForTheDigits(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	ask := "/tokens/deletion?id=" + k.token
	k.Page(k.A.Staff, "GET", ask, nil).Want(http.StatusForbidden).Contains("Not allowed").Lacks(`name="confirm"`)
	k.Page(k.A.Finance, "POST", "/tokens/deletion", url.Values{"id": {k.token}, "confirm": {"3456"}}).Want(
		http.StatusForbidden)
	k.Page(k.A.Owner, "GET", ask, nil).Want(http.StatusOK).Contains(
		"1 scheduled purchase uses it, R\u00a02\u00a0469,00, next", "Type 3456, the last digits",
		"The mandate DD0000000001 ends",
		"Leave the purchase unpaid", ">Default<", "Ask the client for a new account", "Cancel the purchase")
	k.Page(k.A.Owner, "POST", "/tokens/deletion", url.Values{"id": {k.token}, "confirm": {"1"}}).Want(
		http.StatusUnprocessableEntity).Contains("Type 3456.", `<a href="#delete-confirm">Type 3456.</a>`)
	k.Page(k.A.Owner, "POST", "/tokens/deletion", url.Values{"id": {k.token}, "confirm": {" 3456 "}}).Want(
		http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", "/tokens", nil).Contains("1 token deleted.", "No token yet", "is being deleted.", "/undo")
	k.Page(k.A.Owner, "GET", page, nil).Lacks("Failed", "The account is debited",
		"Debit on").Contains("Account being deleted", "so nothing is debited. The debit was planned for")
	k.Page(k.A.Owner, "GET", "/purchases", nil).Contains("Account being deleted").Lacks("The account is debited")
	now := k.waiting(t) + "/now"
	k.Page(k.A.Owner, "GET", now+"?token="+k.token, nil).Want(http.StatusOK).Contains("This cannot be undone.",
		"Not debited. The purchase stays unpaid", "Type 3456")
	k.Page(k.A.Finance, "GET", now+"?token="+k.token, nil).Want(http.StatusForbidden)
	k.Page(k.A.Owner, "GET", now, nil).Want(http.StatusNotFound)
	k.Page(k.A.Owner, "POST", now, url.Values{"token": {k.token}}).Want(http.StatusUnprocessableEntity).Contains(
		"Type 3456.")
	k.Page(k.A.Owner, "POST", now, url.Values{"token": {k.token}, "confirm": {"3456"}}).Want(http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", "/tokens", nil).Contains("is deleted permanently.")
	k.Page(k.A.Owner, "GET", page, nil).Contains("Failed",
		"The token was deleted before the debit went to the bank.")
	k.Page(k.A.Owner, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).Contains("Deleted", "authorise")
	k.Page(k.A.Owner, "GET", ask, nil).Want(http.StatusNotFound)
}

func TestManyAreDeletedByTheirNumber(t *testing.T) {
	k := withAccount(t)
	second := strings.TrimPrefix(k.capture(t, func(f map[string]string) { f["account_number"] = "4055123457" }),
		"/tokens/")
	both := url.Values{"id": {k.token, second, k.token}}
	k.Page(k.A.Owner, "GET", "/tokens/deletion?"+both.Encode(), nil).Want(http.StatusOK).Contains("Delete 2 tokens?",
		"Type 2, the number of accounts", "•••• 3456", "•••• 3457")
	k.Page(k.A.Owner, "POST", "/tokens/deletion", with(both, "confirm", "3456")).Want(http.StatusUnprocessableEntity)
	both["id"] = []string{k.token, second}
	both.Set("confirm", "2")
	k.Page(k.A.Owner, "POST", "/tokens/deletion", both).Want(http.StatusSeeOther)
	if n := k.Count(`SELECT count(*) FROM tokens WHERE state = 'deleting'`); n != 2 {
		t.Errorf("%d deleted, want 2", n)
	}
	k.Page(k.A.Owner, "GET", "/tokens/deletion", nil).Want(http.StatusOK).Contains("No token is selected")
}

func TestAClientsPageShowsItsAccountsAndPurchases(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	k.Page(k.A.Staff, "GET", "/clients/"+k.client, nil).Want(http.StatusOK).Contains("Tokens", "/tokens/"+k.token, page,
		"/clients/"+k.client+"/accounts/new")
	k.Page(k.A.Owner, "GET", "/clients/"+k.client+"/deletion",
		nil).Want(http.StatusOK).Contains("Debit of R\u00a02\u00a0469,00 on", "Type 3456")
}

// Who may not delete stored accounts may not delete a client who has one, and is told
// so before the form.
func TestWhoMayNotDeleteAClientLearnsItBeforeTheForm(t *testing.T) {
	k := withAccount(t)
	path := "/clients/" + k.client + "/deletion"
	k.Page(k.A.Staff, "GET", path, nil).Want(http.StatusOK).Contains("This is not possible",
		"your role does not let you delete those").Lacks(`name="confirm"`, "Delete client</span>")
	k.Page(k.A.Staff, "GET", "/clients/"+k.client, nil).Contains("your role does not let you delete those")
	k.Page(k.A.Staff, "POST", path, url.Values{"confirm": {"3456"}}).Want(http.StatusForbidden)
	k.exec(t, `UPDATE merchants SET approve_deletions = true`)
	for _, of := range []string{path, "/clients/" + k.client + "/erasure"} {
		k.Page(k.A.Owner, "GET", of, nil).Want(http.StatusOK).Contains("second approver").Lacks(`name="confirm"`)
	}
	k.exec(t, `UPDATE merchants SET approve_deletions = false`)
	k.Page(k.A.Owner, "POST", path, url.Values{"confirm": {"1"}}).Want(http.StatusUnprocessableEntity).Contains(
		"Type 3456.")
	k.Page(k.A.Owner, "POST", path, url.Values{"confirm": {"3456"}}).Want(http.StatusSeeOther)
}

// "Delete now" is for its own token: the others of the deletion can still be undone.
func TestDeleteNowLeavesTheOthersTheirUndo(t *testing.T) {
	k := withAccount(t)
	second := strings.TrimPrefix(k.capture(t, func(f map[string]string) { f["account_number"] = "4055123457" }),
		"/tokens/")
	k.Page(k.A.Owner, "POST", "/tokens/deletion", url.Values{"id": {k.token, second}, "confirm": {"2"}}).Want(
		http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", "/tokens", nil).Contains("2 tokens are being deleted.", "Undo all 2",
		"Delete Absa •••• 3456 now…")
	d := k.waiting(t)
	k.Page(k.A.Owner, "POST", d+"/now", url.Values{"token": {k.token}, "confirm": {"3456"}}).Want(http.StatusSeeOther)
	if n := k.Count(`SELECT count(*) FROM tokens WHERE state = 'deleting'`); n != 1 {
		t.Fatalf("%d can still be undone, want 1", n)
	}
	k.Page(k.A.Owner, "POST", d+"/undo", url.Values{}).Want(http.StatusSeeOther)
	if k.Count(`SELECT count(*) FROM tokens WHERE id = $1 AND state = 'active'`, second) != 1 ||
		k.Count(`SELECT count(*) FROM tokens WHERE id = $1 AND state = 'deleted'`, k.token) != 1 {
		t.Error("the undo was not for the other token alone")
	}
	k.Page(k.A.Owner, "GET", "/tokens", nil).Contains("The deletion is undone. The account is in use as before")
}

// The page does what it showed: a form that was filled for other effects is asked again.
func TestADeletionThatReadsOtherwiseThanItWasShownIsAskedAgain(t *testing.T) {
	k := withAccount(t)
	page := k.made(t)
	form := url.Values{"id": {k.token}, "confirm": {"3456"}, "seen": {"something else"}}
	k.Page(k.A.Owner, "POST", "/tokens/deletion",
		form).Want(http.StatusConflict).Contains("What depends on it changed since you looked.")
	form.Del("seen")
	form.Set("choice-"+strings.TrimPrefix(page, "/purchases/"), "eat")
	k.Page(k.A.Owner, "POST", "/tokens/deletion", form).Want(http.StatusUnprocessableEntity).Contains(
		"this is no longer possible. Choose again.")
	form.Set("choice-"+strings.TrimPrefix(page, "/purchases/"), "cancel")
	k.Page(k.A.Owner, "POST", "/tokens/deletion", form).Want(http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", page, nil).Lacks("Cancelled")
	k.Page(k.A.Owner, "POST", k.waiting(t)+"/now", url.Values{"token": {k.token}, "confirm": {"3456"}}).Want(
		http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", page, nil).Contains("Cancelled")
}
