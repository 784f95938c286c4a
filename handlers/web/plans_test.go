package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

// planForm is a plan as the form posts it.
func planForm(pairs ...string) url.Values {
	form := url.Values{"form_key": {uuid.NewString()}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

func TestAnAdminMakesChangesCopiesAndEndsAPlan(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.Page(h.A.Staff, "GET", "/plans", nil).Want(http.StatusOK).Contains("No plans").Lacks("New plan")
	h.Page(h.A.Staff, "GET", "/plans/new", nil).Want(http.StatusForbidden)
	h.Page(h.A.Owner, "GET", "/plans/new", nil).Want(http.StatusOK).Contains("lack of money", "Add empty steps")

	// What could never run is refused while it is written, with what was typed.
	h.Page(h.A.Owner, "POST", "/plans", planForm("name", "Monthly", "stopped.0", "debit_again", "money.0", "wait_days",
		"money.0.n", "soon")).Want(http.StatusUnprocessableEntity).
		Contains("“Debit again” can never follow a stop or a dispute",
			"Enter a whole number", "Monthly")
	h.Page(h.A.Owner, "POST", "/plans", planForm("name", "Monthly", "more", "yes")).Want(http.StatusOK).Contains("Step 4")

	made := planForm("name", "Monthly", "money.0", "message", "money.1", "debit_again", "money.2", "debit_again",
		"money.4", "task", "money.4.text", "Call the client")
	at := h.Page(h.A.Owner, "POST", "/plans", made).Want(http.StatusSeeOther).Header.Get("Location")
	if again := h.Page(h.A.Owner, "POST", "/plans", made).Header.Get("Location"); again != at {
		t.Errorf("the same form makes another plan: %s", again)
	}
	h.Page(h.A.Owner, "GET", at, nil).Want(http.StatusOK).Contains(
		"When a debit fails because of a lack of money: mail the client a reminder", "Call the client",
		"eft.unpaid_in_row_ends", "Nothing is under way", "Pause plan")
	h.Page(h.A.Reader, "GET", at, nil).Want(http.StatusOK).Lacks("Pause plan").Lacks("Change plan")
	h.Page(h.A.Owner, "GET", at+"/edit", nil).Want(http.StatusOK).Contains("Call the client")
	h.Page(h.A.Owner, "POST", at, planForm("name", "Monthly", "money.0", "task")).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", at, nil).Contains("Version 2", "Version 1")
	h.Page(h.A.Owner, "GET", at+"/moving", nil).Want(http.StatusOK).Contains("Nothing to move")
	h.Page(h.A.Staff, "POST", at+"/moving", url.Values{"version": {"2"}}).Want(http.StatusForbidden)
	h.Page(h.A.Owner, "POST", at+"/moving", url.Values{"version": {"1"}}).Want(http.StatusSeeOther)
	h.Page(h.B.Owner, "GET", at+"/moving", nil).Want(http.StatusNotFound)
	h.Page(h.A.Owner, "POST", at+"/state", url.Values{"state": {"paused"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", at, nil).Contains("Let the plan go on")
	h.Page(h.A.Owner, "GET", "/plans/new?copy="+at[len("/plans/"):], nil).Want(http.StatusOK).Contains("Copy of Monthly")
	h.Page(h.A.Owner, "GET", at+"/rehearsal?since=2026-11-01", nil).Want(http.StatusOK).Contains("No steps",
		"How your own debits went after a failure", "Not enough cases")
	h.Page(h.A.Owner, "GET", at+"/rehearsal?since=soon", nil).Want(http.StatusOK).Contains("Write the day as")
	h.Page(h.A.Owner, "GET", at+"/ending", nil).Want(http.StatusOK).Contains("End the plan “Monthly”?")
	h.Page(h.A.Owner, "POST", at+"/ending", nil).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", at+"/edit", nil).Want(http.StatusSeeOther)
	h.Page(h.B.Owner, "GET", at, nil).Want(http.StatusNotFound)
	h.Page(h.A.Owner, "GET", "/plans", nil).Contains("Ended")
}
