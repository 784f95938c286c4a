package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"debitdesk/handlers/handlertest"
)

// What adds many subscribers together is held against the limits of batches: that of the person, and that above which
// a second approver is asked.
func TestManySubscribersDoNotPassTheLimitOfBatches(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	clientOf(h, "anna@example.com")
	clientOf(h, "ben@example.com")
	price := h.Count(`SELECT total_cents::int FROM billing_templates WHERE merchant_id = $1`, h.A.ID)
	limit := func(cents int) {
		t.Helper()
		if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE merchants SET approve_batches_cents = $1 WHERE id = $2`, cents,
			h.A.ID); err != nil {
			t.Fatal(err)
		}
	}
	mayAlone := func(cents *int) { // of the person, which no approver lifts
		t.Helper()
		if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE memberships SET batch_limit_cents = $1 WHERE user_id = $2`, cents,
			h.A.Finance.ID); err != nil {
			t.Fatal(err)
		}
	}
	cells := url.Values{"cells": {"email\nanna@example.com\nben@example.com\n"}}
	limit(2 * price)
	check := h.Page(h.A.Finance, "POST", at+"/subscribers/check", cells).Want(http.StatusOK).Contains("Add 2 subscribers")
	form := url.Values{"form_key": {between(check.Body, `name="form_key" value="`, `"`)},
		"rows": {between(check.Body, `name="rows" value="`, `"`)}}
	limit(2*price - 1)
	h.Page(h.A.Finance, "POST", at+"/subscribers/check", cells).Want(http.StatusOK).Contains(
		"more than your business lets one person do alone", "Ask for approval: add 2 subscribers", `name="reason"`)
	h.Page(h.A.Finance, "POST", at+"/subscribers/bulk", form).Want(http.StatusUnprocessableEntity).Contains(
		"Give a reason", "Ask for approval: add 2 subscribers", form.Get("rows")[:20])
	mayAlone(&price)
	h.Page(h.A.Finance, "POST", at+"/subscribers/check", cells).Want(http.StatusOK).Contains(
		"you may send up to").Lacks("Ask for approval")
	form.Set("reason", "New members.")
	h.Page(h.A.Finance, "POST", at+"/subscribers/bulk", form).Want(http.StatusConflict).Contains("you may send up to")
	mayAlone(nil)
	if n := h.Count(`SELECT count(*) FROM template_clients`); n != 0 {
		t.Errorf("%d were added", n)
	}
	limit(2 * price)
	h.Page(h.A.Finance, "POST", at+"/subscribers/bulk", form).Want(http.StatusOK).Contains("2 added")
}
