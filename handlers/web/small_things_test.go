package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

// The first steps on Home are ticked from what is there, each person sees those that they may take, and hides them for
// themselves.
func TestFirstStepsAreTickedFromFactsUntilTheyAreHidden(t *testing.T) {
	h := handlertest.New(t)
	steps := func(who handlertest.Person) string {
		t.Helper()
		body := h.Page(who, "GET", "/", nil).Want(http.StatusOK).Body
		_, after, there := strings.Cut(body, "First steps")
		list, _, _ := strings.Cut(after, "</ol>")
		if !there {
			return ""
		}
		return list
	}
	has := func(list string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(list, want) {
				t.Errorf("%q is not among the steps: %s", want, list)
			}
		}
	}
	has(steps(h.A.Owner), `href="/clients/new"`, `href="/mandates/new"`, `href="/batches/new"`,
		`href="/settings/people/invite"`, `href="/account/security"`, "Turn on two-step sign-in", "Send a test mandate",
		"of 5 done")
	if list := steps(h.A.Staff); strings.Contains(list, "second admin") || !strings.Contains(list, "Add a client") {
		t.Errorf("staff are asked for %s", list)
	}
	if list := steps(h.A.Reader); list != "" {
		t.Errorf("a person who only reads is asked for %s", list)
	}
	add(h, url.Values{"full_name": {"Thandi Nkosi"}, "email": {"t@example.com"}})
	has(steps(h.A.Owner), "Done: </span>Add a client")

	hidden := h.Page(h.A.Owner, "POST", "/account/first-steps/hiding", url.Values{}).Want(http.StatusSeeOther)
	if hidden.Header.Get("Location") != "/" || steps(h.A.Owner) != "" {
		t.Error("the first steps are still there")
	}
	has(steps(h.A.Staff), "Add a client")
	h.Page(h.A.Owner, "POST", "/account/first-steps/showing", url.Values{}).Want(http.StatusSeeOther)
	has(steps(h.A.Owner), "Add a client")
}

// A reference that was used before is no mistake for certain, so the form warns and takes it.
func TestAReferenceThatWasUsedIsSaidBeforeItIsUsedAgain(t *testing.T) {
	k := withAccount(t)
	k.made(t) // INV-7
	const warning = "The reference INV-7 was used before, for Thandi Nkosi on "
	form := k.newPurchase("form_key", uuid.NewString(), "price", "12,00")
	k.Page(k.A.Staff, "POST", "/purchases/preview", form, "HX-Request: true").Want(http.StatusOK).Contains(warning)
	for _, other := range []string{"INV-70", "INV", "inv-8", ""} {
		form.Set("reference", other)
		k.Page(k.A.Staff, "POST", "/purchases/preview", form, "HX-Request: true").Want(http.StatusOK).Lacks("was used before")
	}
	var generated string
	if err := k.Store.Pool.QueryRow(t.Context(), `SELECT max(reference_generated) FROM purchases WHERE merchant_id = $1`,
		k.A.ID).Scan(&generated); err != nil {
		t.Fatal(err)
	}
	form.Set("reference", generated)
	k.Page(k.A.Staff, "POST", "/purchases/preview", form, "HX-Request: true").Contains("was used before")
	form.Set("reference", "INV-7")
	k.Page(k.A.Staff, "POST", "/purchases", form).Want(http.StatusSeeOther)
}

// The picker begins with the week of the first possible day, and says in words why a day cannot be taken.
func TestTheDayPickerBeginsWithPossibleDaysAndSaysWhyOthersAreNot(t *testing.T) {
	k := withAccount(t)
	body := k.Page(k.A.Staff, "GET", "/purchases/new", nil).Want(http.StatusOK).Body
	first, _, _ := strings.Cut(body[strings.Index(body, `class="month"`):], "</tr></tbody>")
	rows := strings.Split(first[strings.Index(first, "<tbody>"):], "<tr>")
	if !strings.Contains(rows[1], `type="radio" name="due"`) {
		t.Errorf("the first week has no possible day: %s", rows[1])
	}
	if !strings.Contains(body, "closed-days") || !strings.Contains(body, "Too soon: a debit order needs") {
		t.Error("nothing says why the first days cannot be taken")
	}
}
