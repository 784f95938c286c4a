package web_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/batch"
	"debitdesk/models/client"
)

// What this product writes it also reads: every list that can start a batch, and the template, come back with each
// column recognised, dates as dates and amounts as amounts. Columns that are not named here are left out.
func TestOurOwnExportsAreRecognisedWhenTheyComeBack(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	if _, err := h.Clients.Create(t.Context(), h.A.Actor,
		client.Input{Details: client.Details{Email: "a@example.com", FullName: "Anna Botha", BankCode: "250655",
			BankAccount: "62000000001"}}); err != nil {
		t.Fatal(err)
	}
	at := mapped(t, h, "email;full name;amount;due;description\na@example.com;Anna Botha;\"1 234,50\";2099-03-02;Levy\n")
	form := seenBatch(t, h, at)
	form.Set("hold", "0")
	h.Page(h.A.Finance, "POST", at+"/start", form).Want(http.StatusSeeOther)
	if err := h.Batches.Work(t.Context(), uuid.MustParse(strings.TrimPrefix(at, "/batches/"))); err != nil {
		t.Fatal(err)
	}
	payer := map[string]batch.Field{"Client": batch.FullName, "E-mail": batch.Email}
	with := func(more map[string]batch.Field) map[string]batch.Field {
		all := maps.Clone(payer)
		maps.Copy(all, more)
		return all
	}
	for _, list := range []struct {
		path   string
		means  map[string]batch.Field
		sample map[string]string
	}{
		{"/clients/export?format=", with(map[string]batch.Field{"Phone": batch.Phone}), nil},
		{"/invoices/export?format=", with(map[string]batch.Field{"Total": batch.Amount, "Currency": batch.Currency,
			"Due (SAST)": batch.Due}), map[string]string{"Due (SAST)": "2099-03-02", "Total": "1234.5"}},
		{"/purchases/export?format=", with(map[string]batch.Field{"Reference": batch.Reference, "For": batch.Product,
			"Amount": batch.Amount, "Currency": batch.Currency, "Due (SAST)": batch.Due}),
			map[string]string{"Due (SAST)": "2099-03-02", "Amount": "1234.5", "For": "Levy"}},
		{at + "/result.csv", map[string]batch.Field{"email": batch.Email, "full name": batch.FullName, "amount": batch.Amount,
			"due": batch.Due, "description": batch.Product, "Invoice number": batch.Reference},
			map[string]string{"due": "2099-03-02", "amount": "1 234,50"}},
		{"/batches/template.csv", map[string]batch.Field{"email": batch.Email, "full name": batch.FullName,
			"id number": batch.PersonalCode, "amount": batch.Amount, "due date": batch.Due, "description": batch.Product,
			"reference": batch.Reference}, map[string]string{"amount": "450.00"}},
	} {
		formats := []string{""}
		if strings.HasSuffix(list.path, "=") {
			formats = []string{"csv", "xlsx"}
		}
		for _, format := range formats {
			file := h.Page(h.A.Finance, "GET", list.path+format, nil).Want(http.StatusOK).Body
			name := "list." + map[bool]string{true: "xlsx", false: "csv"}[format == "xlsx"]
			to := uploaded(t, h, h.A.Finance, name, file).Want(http.StatusSeeOther).Header.Get("Location")
			b, err := h.Batches.Get(t.Context(), h.A.Actor,
				uuid.MustParse(strings.TrimSuffix(strings.TrimPrefix(to, "/batches/"), "/map")))
			if err != nil {
				t.Fatal(err)
			}
			survey, err := h.Batches.Survey(t.Context(), h.A.Actor, b)
			if err != nil {
				t.Fatal(err)
			}
			for i, head := range b.Format.Header {
				if got := b.Mapping.Columns[i].Field; got != list.means[head] {
					t.Errorf("%s%s: column %q means %q, want %q", list.path, format, head, got, list.means[head])
				}
				want, shown := list.sample[head], ""
				if all := survey.Samples(i); len(all) > 0 {
					shown = batch.Masked("", all[0])
				}
				if shown != want && shown != want+"0" && want != "" {
					t.Errorf("%s%s: column %q shows %q, want %q", list.path, format, head, shown, want)
				}
			}
		}
	}
}
