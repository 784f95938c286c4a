package handlers_test

import (
	"net/http"
	"net/url"
	"testing"

	"debitdesk/handlers/handlertest"
)

// twins are two records of one person; the second has an account of its own, with a token.
func (s *street) twins(t *testing.T) (kept, gone string) {
	t.Helper()
	kept = s.API("POST", "/clients/", map[string]any{"email": "sipho@example.com", "full_name": "Sipho Dlamini",
		"personal_code": "8001015009087"}).Want(http.StatusCreated).Text("id")
	gone = s.API("POST", "/clients/", map[string]any{"email": "s.dlamini@example.com", "full_name": "Sipho P Dlamini",
		"personal_code": "8001015009087", "bank_account": "6200000001", "bank_code": "470010"}).
		Want(http.StatusCreated).Text("id")
	s.API("POST", "/purchases/", map[string]any{"client_id": gone, "brand_id": s.A.BrandID,
		"payment_method_whitelist": []string{"eft"}, "force_recurring": true, "purchase": map[string]any{
			"products":               []any{map[string]any{"name": "m", "price": 0}},
			"payment_method_details": map[string]any{"direct_debit": map[string]any{}}}}).Want(http.StatusCreated)
	return kept, gone
}

func (s *street) merged(t *testing.T, kept, gone string) {
	t.Helper()
	at := "/clients/" + kept + "/merge"
	seen := seenInput.FindStringSubmatch(s.Page(s.A.Staff, "GET", at+"?with="+gone, nil).Want(http.StatusOK).Body)[1]
	s.Page(s.A.Staff, "POST", at, url.Values{"with": {gone}, "seen": {seen}, "take_email": {"gone"}}).
		Want(http.StatusSeeOther)
}

func TestTwoClientsBecomeOneOnThePagesAndAreTwoAgain(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	kept, gone := s.twins(t)
	at := "/clients/" + kept
	s.Page(s.A.Reader, "GET", at, nil).Want(http.StatusOK).Lacks("Merge with a duplicate")
	s.Page(s.A.Reader, "GET", at+"/merge", nil).Want(http.StatusForbidden)
	s.Page(s.A.Staff, "GET", "/clients/duplicates", nil).Want(http.StatusOK).
		Contains("Sipho P Dlamini", "Same identity number", "Compare")
	s.Page(s.A.Reader, "GET", "/clients/duplicates", nil).Want(http.StatusOK).Contains("Sipho P Dlamini").Lacks("Compare")
	s.Page(s.B.Owner, "GET", "/clients/duplicates", nil).Want(http.StatusOK).Lacks("Dlamini")
	apart := func(who handlertest.Person, is string, want int) {
		t.Helper()
		s.Page(who, "POST", at+"/apart", url.Values{"with": {gone}, "apart": {is}}).Want(want)
	}
	apart(s.A.Reader, "yes", http.StatusForbidden)
	apart(s.B.Owner, "yes", http.StatusNotFound)
	apart(s.A.Staff, "yes", http.StatusSeeOther)
	s.Page(s.A.Staff, "GET", "/clients/duplicates", nil).Want(http.StatusOK).Contains("Not the same client", "List again").
		Lacks("Compare")
	apart(s.A.Staff, "no", http.StatusSeeOther)
	s.Page(s.A.Staff, "GET", at+"/merge", nil).Want(http.StatusOK).
		Contains("Sipho P Dlamini", "Same identity number", "with="+gone)
	s.Page(s.A.Staff, "GET", at+"/merge?q=s.dlamini", nil).Want(http.StatusOK).Contains("with=" + gone)
	s.Page(s.A.Staff, "GET", at+"/merge?with="+kept, nil).Want(http.StatusUnprocessableEntity)
	s.Page(s.B.Owner, "GET", at+"/merge?with="+gone, nil).Want(http.StatusNotFound)
	s.Page(s.A.Staff, "GET", at+"/merge?with="+gone, nil).Want(http.StatusOK).
		Contains("Merge Sipho P Dlamini into Sipho Dlamini?", "take_email", "1 purchase", "1 token").
		Lacks("8001015009087", "6200000001")
	s.Page(s.A.Staff, "POST", at+"/merge", url.Values{"with": {gone}, "seen": {"old"}}).Want(http.StatusConflict).
		Contains("Look at it again")
	s.merged(t, kept, gone)
	s.Page(s.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("Merged with Sipho P Dlamini", "Undo the merge…",
		"s.dlamini@example.com", "was merged into")
	s.Page(s.A.Reader, "GET", at, nil).Want(http.StatusOK).Contains("Merged with").Lacks("Undo the merge…")
	if to := s.Page(s.A.Staff, "GET", "/clients/"+gone, nil).Want(http.StatusSeeOther).Header.Get("Location"); to != at {
		t.Errorf("the gone one leads to %s", to)
	}
	s.Page(s.B.Owner, "GET", "/clients/"+gone, nil).Want(http.StatusNotFound)
	s.API("GET", "/clients/"+gone+"/", nil).Want(http.StatusNotFound)
	page := s.Page(s.A.Staff, "GET", at+"/separation", nil).Want(http.StatusOK).Contains("Undo the merge with").Body
	s.Page(s.A.Staff, "POST", at+"/separation", url.Values{}).Want(http.StatusConflict)
	s.Page(s.A.Staff, "POST", at+"/separation", url.Values{"merge": {between(page, `name="merge" value="`, `"`)}}).
		Want(http.StatusSeeOther)
	s.Page(s.A.Staff, "GET", at, nil).Want(http.StatusOK).Lacks("Merged with").Contains("sipho@example.com")
	s.Page(s.A.Staff, "GET", "/clients/"+gone, nil).Want(http.StatusOK).Contains("Sipho P Dlamini")
}
