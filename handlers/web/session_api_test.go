package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// asPerson calls the JSON API with a session in place of a credential.
func (k *cast) asPerson(who handlertest.Person, method, path string, body any) handlertest.Answer {
	return k.Call(method, path, body, "Cookie: "+who.Cookie, "Sec-Fetch-Site: same-origin", "Accept: application/json")
}

func TestWhatAPersonDeletesByTheAPICanBeUndone(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]func(k *cast) (method, path string){
		"the token": func(k *cast) (string, string) {
			return "DELETE", "/api/v1/clients/" + k.client + "/recurring_tokens/" + k.token + "/"
		},
		"of its purchase": func(k *cast) (string, string) {
			return "POST",
				"/purchases/" + k.token + "/delete_recurring_token/"
		},
	} {
		t.Run(name, func(t *testing.T) {
			one := withAccount(t)
			k := &one
			method, path := path(k)
			k.exec(t, `UPDATE merchants SET approve_deletions = true`)
			k.asPerson(k.A.Owner, method, path, nil).Want(http.StatusBadRequest).WantCode("__all__=approval_needed").Contains(
				"second approver")
			k.exec(t, `UPDATE merchants SET approve_deletions = false`)
			got := k.asPerson(k.A.Owner, method, path, nil)
			if got.Status != http.StatusNoContent && (got.Status != http.StatusOK || got.JSON()["is_recurring_token"] != false) {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
			k.API("GET", "/clients/"+k.client+"/recurring_tokens/"+k.token+"/", nil).Want(http.StatusNotFound)
			if k.Count(`SELECT count(*) FROM tokens WHERE state = 'deleting'`) != 1 {
				t.Fatal("it was deleted for good at once")
			}
			k.Page(k.A.Owner, "POST", k.waiting(t)+"/undo", url.Values{}).Want(http.StatusSeeOther)
			k.API("GET", "/clients/"+k.client+"/recurring_tokens/"+k.token+"/", nil).Want(http.StatusOK)
			k.Call(method, path, nil, "Authorization: Bearer "+k.A.Token)
			if k.Count(`SELECT count(*) FROM tokens WHERE state = 'deleted'`) != 1 {
				t.Error("a program's deletion waits")
			}
		})
	}
}

func TestInvoicesToManyNeedTheSecondApproverByTheAPIToo(t *testing.T) {
	t.Parallel()
	one := withAccount(t)
	k := &one
	k.exec(t, `UPDATE merchants SET approve_batches_cents = 24999`)
	bill := func(price int) string {
		return fmt.Sprintf(
			`{"brand_id":%q,"due":%d,"clients":[{"client_id":%q},{"client_id":%q}],"purchase":{"products":[{"name":"m","price":%d}]}}`,
			k.A.BrandID,
			k.Store.Now().Add(240*time.Hour).Unix(),
			k.client,
			k.client,
			price,
		)
	}
	for _, path := range []string{"/billing/", "/api/v1/billing/"} {
		k.asPerson(k.A.Finance, "POST", path, bill(12500)).Want(http.StatusBadRequest).WantCode(
			"__all__=approval_needed").Contains("second approver", "249,99")
		k.asPerson(k.A.Finance, "POST", path+"?dry_run=true", bill(12500)).Want(http.StatusBadRequest).WantCode(
			"__all__=approval_needed")
	}
	if n := k.Count(`SELECT count(*) FROM invoices`); n != 0 {
		t.Errorf("%d invoices were sent", n)
	}
	k.asPerson(k.A.Finance, "POST", "/billing/", bill(12499)).Want(http.StatusOK)
	k.API("POST", "/billing/", bill(12500)).Want(http.StatusOK) // a program is bound by its scopes
}
