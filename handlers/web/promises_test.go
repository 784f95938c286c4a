package web_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/followup"
)

// Every promise stays on a list, whatever became of it.
func TestPromisesAreListedByWhatBecameOfThem(t *testing.T) {
	b := newBusiness(t)
	staff, today := b.A.Staff.Actor(), calendar.DateOf(b.Store.Now())
	purchases := map[string]uuid.UUID{}
	for n, name := range []string{"kept", "broken", "withdrawn", "open"} {
		client := b.API("POST", "/clients/", map[string]any{"email": name + "@example.com", "full_name": "Client " + name}).
			Want(201).Text("id")
		id := b.API("POST", "/purchases/", map[string]any{"client_id": client, "brand_id": b.A.BrandID.String(),
			"reference": "R-" + name, "purchase": map[string]any{"products": []map[string]any{{"name": "Fee",
				"price": 10001 * (n + 1)}}}}).Want(201).Text("id")
		purchases[name] = uuid.MustParse(id)
		_, err := b.Followups.AddPromise(t.Context(), staff, followup.Object{Type: followup.Purchase, ID: purchases[name]},
			followup.Promising{DueOn: today.AddDays(2), Text: "Said so on the phone."})
		if err != nil {
			t.Fatal(err)
		}
	}
	promises, err := b.Followups.Store.OpenPromises(t.Context(), b.A.ID, []uuid.UUID{purchases["broken"],
		purchases["withdrawn"]})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Followups.SettlePromise(t.Context(), staff, promises[purchases["withdrawn"]].ID,
		followup.Withdrawn); err != nil {
		t.Fatal(err)
	}
	b.API("POST", "/purchases/"+purchases["kept"].String()+"/mark_as_paid/", nil).Want(200)
	b.later(1)
	standing := func(state followup.PromiseState, has, lacks string) {
		t.Helper()
		b.Page(b.A.Reader, "GET", "/promises?state="+string(state), nil).Want(http.StatusOK).Contains("Client " + has).
			Lacks("Client " + lacks)
	}
	standing(followup.Kept, "kept", "open")
	standing(followup.Withdrawn, "withdrawn", "broken")
	standing(followup.Open, "open", "kept")
	b.Page(b.A.Reader, "GET", "/promises", nil).Contains("4 promises", "000,10", "R-open", "Said so on the phone.")
	b.Page(b.A.Reader, "GET", "/promises?q=broken", nil).Contains("1 promise", "Client broken").Lacks("Client open")
	b.Page(b.A.Reader, "GET", "/promises?due_to="+today.String(), nil).Contains("match").Lacks("Client open")
	b.Page(b.A.Reader, "GET", "/promises/export?format=csv", nil).Want(http.StatusOK)
	b.Page(b.B.Owner, "GET", "/promises", nil).Want(http.StatusOK).Contains("No promise yet")
	b.later(3) // the day has passed
	standing(followup.Broken, "broken", "kept")
	standing(followup.Broken, "open", "withdrawn")
}
