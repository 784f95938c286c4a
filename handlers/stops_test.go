package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"debitdesk/handlers/handlertest"
)

var seenInput = regexp.MustCompile(`name="seen" value="([0-9a-f]+)"`)

// stopped is a client with a token.
func (s *street) stopped(t *testing.T) (client, token string) {
	t.Helper()
	client = s.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"bank_account": "6200000001", "bank_code": "470010"}).Want(http.StatusCreated).Text("id")
	token = s.API("POST", "/purchases/", map[string]any{"client_id": client, "brand_id": s.A.BrandID,
		"payment_method_whitelist": []string{"eft"}, "force_recurring": true, "purchase": map[string]any{
			"products":               []any{map[string]any{"name": "m", "price": 0}},
			"payment_method_details": map[string]any{"direct_debit": map[string]any{}}}}).Want(http.StatusCreated).Text("id")
	return client, token
}

func TestStaffAskToStopEverythingAndFinanceConfirmsOnThePages(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	client, token := s.stopped(t)
	at := "/clients/" + client
	s.Page(s.A.Reader, "GET", at+"/stop", nil).Want(http.StatusForbidden)
	page := s.Page(s.A.Staff, "GET", at+"/stop", nil).Want(http.StatusOK).
		Contains("An admin or finance has to confirm it", "Held, not deleted", "Ask to stop everything")
	s.Page(s.A.Staff, "POST", at+"/stop", url.Values{"reason": {" "}}).Want(http.StatusUnprocessableEntity).
		Contains("Give a reason")
	seen := seenInput.FindStringSubmatch(page.Body)[1]
	to := s.Page(s.A.Staff, "POST", at+"/stop", url.Values{"reason": {"She is ill."}, "seen": {seen}}).
		Want(http.StatusSeeOther).Header.Get("Location")
	s.Page(s.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("Asked: stop everything", "She is ill.")
	s.Page(s.A.Finance, "GET", "/approvals", nil).Want(http.StatusOK).
		Contains("Stop everything that is debited from Thandi Nkosi")
	s.Page(s.A.Finance, "GET", to, nil).Want(http.StatusOK).Contains("Approve: stop everything", "Held, not deleted")
	s.Page(s.A.Finance, "POST", at+"/stop", url.Values{"reason": {"She is ill."}}).Want(http.StatusSeeOther)
	s.Page(s.A.Staff, "GET", at, nil).Want(http.StatusOK).
		Contains("All debits of this client are stopped", "An admin or finance can undo it").Lacks("Undo the stop…")
	s.Page(s.A.Staff, "GET", "/clients", nil).Want(http.StatusOK).Contains("Debits stopped")
	due := s.Store.Now().AddDate(0, 0, 20).Unix()
	id := s.API("POST", "/purchases/", map[string]any{"client_id": client, "brand_id": s.A.BrandID, "due": due,
		"purchase": map[string]any{"products": []any{map[string]any{"name": "m", "price": 100}}}}).
		Want(http.StatusCreated).Text("id")
	s.API("POST", "/purchases/"+id+"/charge/", map[string]any{"recurring_token": token}).
		Want(http.StatusBadRequest).Contains("All debits of this client are stopped")
	s.Page(s.A.Staff, "POST", at+"/resumption", url.Values{}).Want(http.StatusForbidden)
	s.Page(s.A.Finance, "GET", at+"/resumption", nil).Want(http.StatusOK).
		Contains("New debits of this client are possible")
	s.Page(s.A.Finance, "POST", at+"/resumption", url.Values{}).Want(http.StatusSeeOther)
	s.Page(s.A.Finance, "POST", at+"/resumption", url.Values{}).Want(http.StatusConflict)
	s.API("POST", "/purchases/"+id+"/charge/", map[string]any{"recurring_token": token}).Want(http.StatusOK)
	s.Page(s.A.Staff, "GET", "/clients", nil).Want(http.StatusOK).Lacks("Debits stopped")
}

func TestASettingThatDirectsMoneyIsAskedForAndStandsWhereItIs(t *testing.T) {
	t.Parallel()
	s := handlertest.New(t)
	if _, err := s.Store.Pool.Exec(t.Context(), `UPDATE merchants SET approve_settings = true WHERE id = $1`,
		s.A.Owner.User.MerchantID.String()); err != nil {
		t.Fatal(err)
	}
	brand := "/settings/brands/" + s.A.BrandID.String()
	form := url.Values{"profile_code": {"TEST9"}, "abbreviated_name": {"OTHER"}, "account_number": {"62000000999"},
		"branch_code": {"250655"}, "save": {"yes"}}
	s.Page(s.A.Owner, "POST", brand+"/profiles", form).Want(http.StatusOK).
		Contains("Ask a second approver to agree?", "TEST9 · OTHER", "Reason, for the second approver")
	form.Set("reason", "We changed our bank.")
	s.Page(s.A.Owner, "POST", brand+"/profiles", form).Want(http.StatusSeeOther)
	if n := s.Count(`SELECT count(*) FROM debit_profiles WHERE profile_code = 'TEST9'`); n != 0 {
		t.Error("it was added alone")
	}
	s.Page(s.A.Owner, "GET", brand, nil).Want(http.StatusOK).Contains("Waiting for a second approver")
	s.Page(s.A.Owner, "POST", "/developers/webhooks", url.Values{"title": {"Books"}, "which": {"all"},
		"callback": {"https://books.example/in"}, "reason": {"For our books."}}).Want(http.StatusSeeOther)
	s.Page(s.A.Owner, "GET", "/developers/webhooks", nil).Want(http.StatusOK).Contains("Waiting for a second approver")
	if n := s.Count(`SELECT count(*) FROM mails WHERE kind = 'money_alert' AND subject LIKE '%asked for%'`); n < 2 {
		t.Errorf("%d mails to admins", n)
	}
	s.Page(s.A.Owner, "GET", "/settings/approvals", nil).Want(http.StatusOK).
		Contains("A setting that directs money is changed")
}
