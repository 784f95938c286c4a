package web_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

// An impatient person presses the button again while the first post still runs.
func TestAnImpatientPersonActsOnce(t *testing.T) {
	t.Parallel()
	k := withAccount(t)
	paid := k.API("POST", "/purchases/", map[string]any{"client_id": k.client, "brand_id": k.A.BrandID,
		"purchase": map[string]any{"products": []any{map[string]any{"name": "m", "price": 10000}}}}).Want(
		http.StatusCreated).Text("id")
	k.API("POST", "/purchases/"+paid+"/mark_as_paid/", nil).Want(http.StatusOK)
	k.API("POST", "/purchases/"+paid+"/refund/", `{"amount":1}`).Want(http.StatusOK)
	for _, c := range []struct {
		path  string
		form  url.Values
		count string
		want  int
	}{
		{"/purchases", k.newPurchase(), `SELECT count(*) FROM collections`, 1},
		{"/clients", with(thandi(), "form_key", uuid.NewString(), "email", "twice@example.com", "phone", "", "personal_code",
			"", "bank_account", "", "bank_code", ""), `SELECT count(*) FROM clients WHERE email = 'twice@example.com'`, 1},
		{"/purchases/" + paid + "/refund", url.Values{"form_key": {uuid.NewString()}, "amount": {"12,34"}},
			`SELECT count(*) FROM refunds WHERE amount_cents = 1234`, 1},
		{"/clients/" + k.client + "/accounts/link", url.Values{"form_key": {uuid.NewString()}, "name": {"Twice"},
			"mail": {"yes"}}, `SELECT count(*) FROM purchases WHERE details::text LIKE '%Twice%'`, 1},
	} {
		answers := make([]handlertest.Answer, 8)
		var wait sync.WaitGroup
		for i := range answers {
			wait.Go(func() { answers[i] = k.Page(k.A.Owner, "POST", c.path, c.form) })
		}
		wait.Wait()
		for _, a := range answers {
			if a.Status != http.StatusSeeOther || a.Header.Get("Location") != answers[0].Header.Get("Location") {
				t.Errorf("%s: %d to %s, the first to %s: %.300s", c.path, a.Status, a.Header.Get("Location"),
					answers[0].Header.Get("Location"), a.Body)
			}
		}
		if n := k.Count(c.count); n != c.want {
			t.Errorf("%s acted %d times, want %d", c.path, n, c.want)
		}
	}
}
