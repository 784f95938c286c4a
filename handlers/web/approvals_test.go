package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// waiting is the address of the newest deletion that can be undone.
func (k *cast) waiting(t *testing.T) string {
	t.Helper()
	var id string
	if err := k.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM token_deletions ORDER BY id DESC LIMIT 1`).Scan(
		&id); err != nil {
		t.Fatal(err)
	}
	return "/tokens/deletions/" + id
}

// requested is the address of the newest request for a second person.
func (k *cast) requested(t *testing.T) string {
	t.Helper()
	var id string
	if err := k.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM approvals ORDER BY id DESC LIMIT 1`).Scan(
		&id); err != nil {
		t.Fatal(err)
	}
	return "/approvals/" + id
}

func TestADeletionIsUndoneByAPlainForm(t *testing.T) {
	k := withAccount(t)
	api := "/clients/" + k.client + "/recurring_tokens/" + k.token + "/"
	k.Page(k.A.Owner, "POST", "/tokens/deletion", url.Values{"id": {k.token}, "confirm": {"3456"}}).Want(
		http.StatusSeeOther)
	toast := k.Page(k.A.Owner, "GET", "/tokens", nil).Contains("1 token deleted.")
	if n := strings.Count(toast.Body, k.waiting(t)+"/undo"); n != 2 {
		t.Errorf("%d buttons to undo, want one in the toast and one on the list", n)
	}
	k.Page(k.A.Owner, "GET", "/tokens/"+k.token, nil).Contains("is being deleted.", "It is final on",
		"Being deleted").Lacks("Delete token…")
	k.Page(k.A.Owner, "GET", "/clients/"+k.client, nil).Contains("is being deleted.")
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Contains("is being deleted.").Lacks("/undo")
	k.Page(k.A.Owner, "GET", "/tokens?state=deleting", nil).Contains("•••• 3456")

	k.API("GET", api, nil).Want(http.StatusNotFound)
	k.API("DELETE", api, nil).Want(http.StatusNotFound)
	k.API("GET", "/clients/"+k.client+"/recurring_tokens/", nil).Lacks(k.token)
	if k.API("GET", "/purchases/"+k.token+"/", nil).JSON()["is_recurring_token"] != false {
		t.Error("the purchase says that it is a token")
	}

	k.Page(k.A.Owner, "POST", k.waiting(t)+"/undo", url.Values{}).Want(http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", "/tokens/"+k.token, nil).Contains("The deletion is undone.",
		"Active").Lacks("is being deleted.")
	k.API("GET", api, nil).Want(http.StatusOK)
	if k.API("GET", "/purchases/"+k.token+"/", nil).JSON()["is_recurring_token"] != true {
		t.Error("the purchase says that it is no token")
	}
	k.Page(k.A.Owner, "POST", k.waiting(t)+"/undo", url.Values{}).Want(http.StatusConflict)
	k.Page(k.A.Owner, "POST", k.waiting(t)+"/now", url.Values{}).Want(http.StatusConflict)
	if n := k.Count(`SELECT count(*) FROM events WHERE type = 'purchase.recurring_token_deleted'`); n != 0 {
		t.Errorf("%d events tell of a deletion that never was", n)
	}

	k.Page(k.A.Owner, "POST", "/tokens/deletion", url.Values{"id": {k.token}, "confirm": {"3456"}}).Want(
		http.StatusSeeOther)
	k.Page(k.A.Owner, "POST", k.waiting(t)+"/now", url.Values{"token": {k.token}, "confirm": {"3456"}}).Want(
		http.StatusSeeOther)
	if n := k.Count(`SELECT count(*) FROM events WHERE type = 'purchase.recurring_token_deleted'`); n != 1 {
		t.Errorf("%d events tell of the deletion", n)
	}
}

func TestWhereItIsWantedTheFirstPersonAsksAndTheSecondDecides(t *testing.T) {
	k := withAccount(t)
	k.Page(k.A.Owner, "POST", "/settings/approvals", url.Values{"deletions": {"yes"}}).Want(http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", "/settings/approvals",
		nil).Want(http.StatusOK).Contains("tokens:delete deletes tokens over the API at once", "admin of a – Admin",
		"finance of a – Finance").Lacks("Fewer than two")
	page := k.made(t)
	form := url.Values{"id": {k.token}, "confirm": {"3456"}}
	k.Page(k.A.Owner, "GET", "/tokens/deletion?id="+k.token, nil).Contains("asks for a second approver",
		"Afterwards the token is out of use", "Ask for approval")
	k.Page(k.A.Owner, "POST", "/tokens/deletion", form).Want(http.StatusUnprocessableEntity).Contains("Give a reason")
	form.Set("reason", "She left the gym.")
	k.Page(k.A.Owner, "POST", "/tokens/deletion", form).Want(http.StatusSeeOther)
	k.Page(k.A.Owner, "POST", "/tokens/deletion", form).
		Want(http.StatusConflict).
		Contains("Approval was already asked for")

	request := k.requested(t)
	k.Page(k.A.Staff, "GET", "/tokens/"+k.token, nil).Want(http.StatusOK).
		Contains("A second approver is asked to delete this token", "The token stays in use", `href="`+request+`"`)
	k.Page(k.A.Owner, "GET", request, nil).Want(http.StatusOK).Contains("You asked for this.", "Withdraw the request",
		"She left the gym.").Lacks("Approve: delete")
	k.Page(k.A.Finance, "GET", "/approvals", nil).Want(http.StatusOK).Contains("She left the gym.", request)
	k.Page(k.A.Finance, "GET", "/attention", nil).Contains("Waiting for a second approver", request)
	k.Page(k.A.Finance, "GET", "/", nil).Contains("1 request is waiting for a second approver")
	k.Page(k.A.Finance, "GET", request, nil).Want(http.StatusOK).Contains("Approve: delete 1 token",
		"1 scheduled purchase uses it, R\u00a02\u00a0469,00, next")
	k.Page(k.A.Staff, "GET", request, nil).Want(http.StatusOK).Lacks("Approve: delete")

	answer := url.Values{"answer": {"yes"}, "tokens": {"1"}, "waiting": {"0"}, "cents": {"0"}}
	k.Page(k.A.Owner, "POST", request+"/decision", answer).Want(http.StatusConflict).Contains("You asked for this")
	k.Page(k.A.Finance, "POST", request+"/decision",
		answer).Want(http.StatusConflict).Contains("More depends on it now than you were shown")
	answer.Set("waiting", "1")
	answer.Set("cents", "246900")
	k.Page(k.A.Finance, "POST", request+"/decision",
		url.Values{"answer": {"no"}}).Want(http.StatusUnprocessableEntity).Contains("Give a reason for the person who asked")
	k.Page(k.A.Finance, "POST", request+"/decision", answer).Want(http.StatusSeeOther)
	k.Page(k.A.Finance, "GET", request, nil).Contains("Approved. It is done on behalf of admin of a.",
		"What was approved", "1 scheduled purchase uses it, R\u00a02\u00a0469,00, next").Lacks("What happens if")
	k.Page(k.A.Owner, "GET", "/tokens/"+k.token, nil).Contains("is being deleted.", "Undo")
	k.Page(k.A.Owner, "POST", k.waiting(t)+"/undo", url.Values{}).Want(http.StatusSeeOther)
	k.Page(k.A.Owner, "GET", page, nil).Lacks("Failed")

	k.Page(k.A.Owner, "POST", "/clients/"+k.client+"/deletion",
		url.Values{"confirm": {"3456"}}).Want(http.StatusConflict).Contains("second approver")
	k.API("DELETE", "/clients/"+k.client+"/recurring_tokens/"+k.token+"/", nil).Want(http.StatusNoContent)
}

func TestTheSettingsOfApprovalsSayWhatIsWrong(t *testing.T) {
	k := withAccount(t)
	for amount, status := range map[string]int{"x": 422, "": 422, "-1": 422, "50 000,00": 303} {
		k.Page(k.A.Owner, "POST", "/settings/approvals", url.Values{"batches": {"yes"}, "batches_above": {amount}}).Want(
			status)
	}
	k.Page(k.A.Owner, "GET", "/settings/approvals", nil).Contains("50\u00a0000,00")
	k.Page(k.A.Owner, "POST", "/settings/approvals", url.Values{}).Want(http.StatusUnprocessableEntity).Contains(
		"Give a reason for the person who decides.")
	k.Page(k.A.Owner, "POST", "/settings/approvals", url.Values{"reason": {"December"}}).Want(http.StatusSeeOther)
	k.Page(k.A.Finance, "GET", k.requested(t), nil).Want(http.StatusOK).Contains("Approve: ask for fewer approvals",
		"And then: not for deletions, not for batches.")
	k.Page(k.A.Finance, "POST", k.requested(t)+"/decision", url.Values{"answer": {"yes"}}).Want(http.StatusSeeOther)
	if n := k.Count(`SELECT count(*) FROM merchants WHERE approve_batches_cents IS NOT NULL`); n != 0 {
		t.Error("it is still demanded")
	}
}
