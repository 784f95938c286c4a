package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/merging"
	"debitdesk/views/documents/pdftest"
)

const statementMails = `SELECT count(*) FROM mails WHERE kind = 'client_account_statement'`

// Statements go to those who owe something and have an address, once each whatever is pressed twice, and the file says
// what the account was when it was asked for.
func TestStatementsAreMailedToMany(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	client := func(email string) string {
		return b.API("POST", "/clients/", map[string]any{"email": email, "full_name": "Sipho " + email}).Want(201).Text("id")
	}
	owes, also, even, without := client("owes@example.com"), client("also@example.com"), client("even@example.com"),
		client("without@example.com")
	for _, id := range []string{owes, also, without} {
		b.bought(id, 12_345, 30)
	}
	b.must(`UPDATE clients SET email = '' WHERE id = $1`, without)
	page := b.acted(b.A.Staff, "clients", "", "statement", owes, also, even, without)
	for _, want := range []string{"Mail statements to 2 clients", "Owes nothing on that day.", "no e-mail address"} {
		if !strings.Contains(page, want) {
			t.Errorf("the rehearsal lacks %q", want)
		}
	}
	if n := b.Count(statementMails); n != 2 {
		t.Errorf("%d statements were mailed, want 2", n)
	}
	if n := b.Count(`SELECT count(*) FROM audit_entries WHERE action = 'client.statement_mailed'`); n != 2 {
		t.Errorf("%d entries say so, want 2", n)
	}
	b.bought(owes, 100, 30) // after it was asked for
	id := uuid.MustParse(b.text(`SELECT id::text FROM mails WHERE recipient = 'owes@example.com'`))
	m, err := outbox.Store{DB: b.Store}.Mail(t.Context(), b.A.ID, id)
	must(t, err)
	if !strings.Contains(m.Text, "You owe R\u00a0123,45.") || len(m.Attachments) != 1 {
		t.Errorf("the mail says %q with %d files", m.Text, len(m.Attachments))
	}
	pdf, err := b.Billing.File(t.Context(), b.A.ID, m.Attachments[0].Ref)
	must(t, err)
	if text := pdftest.Text(t, pdf); !strings.Contains(text, "123,45") || strings.Contains(text, "124,45") {
		t.Errorf("the file says %s", text)
	}
	if _, err := b.Billing.File(t.Context(), b.B.ID, m.Attachments[0].Ref); err == nil {
		t.Error("another business draws it")
	}
	b.Page(b.A.Staff, "GET", "/clients/"+owes, nil).Want(http.StatusOK).Contains("statement of account")
	// Where nobody owes anything, all of them can be asked for still.
	to := b.chosen(b.A.Staff, url.Values{"list": {"clients"}, "id": {even}, "act": {"statement"}})
	b.Page(b.A.Staff, "GET", to, nil).Want(http.StatusOK).Contains("Nothing would happen", "See what would happen")
	b.Page(b.A.Staff, "GET", to+"?who=everyone", nil).Want(http.StatusOK).Contains("Mail statements to 1 client")
	b.acted(b.A.Staff, "clients", "", "statement", owes)
	if n := b.Count(statementMails); n != 3 {
		t.Errorf("%d statements after another selection, want 3", n)
	}
}

func TestAStatementIsMailedToOneClientOnce(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	id := b.API("POST", "/clients/", map[string]any{"email": "one@example.com", "full_name": "One"}).Want(201).Text("id")
	day := calendar.DateOf(b.Store.Now()).String()
	path := "/clients/" + id + "/account"
	b.Page(b.A.Staff, "GET", path, nil).Want(http.StatusOK).Contains(path+"/mailing?as_of="+day, "Statement (PDF)")
	page := b.Page(b.A.Staff, "GET", path+"/mailing?as_of="+day, nil).Want(http.StatusOK)
	page.Contains("Mail the statement to one@example.com?")
	form := url.Values{"as_of": {day}, "form_key": {uuid.NewString()}}
	for range 2 {
		b.Page(b.A.Staff, "POST", path+"/mailing", form).Want(http.StatusSeeOther)
	}
	if n := b.Count(statementMails); n != 1 {
		t.Errorf("%d statements were mailed, want 1", n)
	}
	b.must(`UPDATE clients SET email = '' WHERE id = $1`, id)
	form.Set("form_key", uuid.NewString())
	b.Page(b.A.Staff, "POST", path+"/mailing", form).Want(http.StatusSeeOther)
	if n := b.Count(statementMails); n != 1 {
		t.Errorf("a client without an address got one: %d", n)
	}
}

// What was mailed is in the rows: when the answers to keys are gone, the same order mails nobody twice.
func TestTheSameOrderMailsAStatementOnceWithoutTheKeysToo(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	id := b.API("POST", "/clients/", map[string]any{"email": "one@example.com", "full_name": "One"}).Want(201).Text("id")
	b.bought(id, 12_345, 30)
	to := b.chosen(b.A.Staff, url.Values{"list": {"clients"}, "id": {id}, "act": {"statement"}})
	_, form := b.rehearsed(b.A.Staff, to)
	for range 3 {
		b.Page(b.A.Staff, "POST", to, form).Want(http.StatusSeeOther)
		b.must(`DELETE FROM idempotency_keys`)
	}
	if n := b.Count(`SELECT count(*) FROM tasks`); n != 3 {
		t.Errorf("%d tasks, want that of each time", n)
	}
	if n := b.Count(statementMails); n != 1 {
		t.Errorf("%d statements were mailed, want 1", n)
	}
	if n := b.Count(`SELECT count(*) FROM audit_entries WHERE action = 'client.statement_mailed'`); n != 1 {
		t.Errorf("%d entries say so, want 1", n)
	}
}

// A statement that was asked for before a merge is drawn after it, for the client in whom the other lives on.
func TestAStatementThatWasAskedForBeforeAMergeIsDrawnAfterIt(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	named := func(name, email string) client.Client {
		id := b.API("POST", "/clients/", map[string]any{"email": email, "full_name": name}).Want(201).Text("id")
		c, err := b.Clients.Store.Client(t.Context(), b.A.ID, uuid.MustParse(id))
		must(t, err)
		return c
	}
	keep, gone, last := named("Kept Khumalo", "kept@example.com"), named("Gone Khumalo", "gone@example.com"),
		named("Last Khumalo", "last@example.com")
	b.bought(gone.ID.String(), 12_345, 30)
	b.acted(b.A.Staff, "clients", "", "statement", gone.ID.String())
	merges := &merging.Service{Store: merging.Store{DB: b.Store}, Clients: b.Clients, Now: b.Store.Now}
	for _, two := range [][2]client.Client{{keep, gone}, {last, keep}} {
		look, err := merges.Look(t.Context(), b.A.Owner.Actor(), two[0].ID, two[1].ID)
		must(t, err)
		_, err = merges.Merge(t.Context(), b.A.Owner.Actor(), merging.Input{Keep: two[0].ID, Gone: two[1].ID,
			Seen: look.Digest()})
		must(t, err)
		id := uuid.MustParse(b.text(`SELECT id::text FROM mails WHERE kind = 'client_account_statement'`))
		m, err := outbox.Store{DB: b.Store}.Mail(t.Context(), b.A.ID, id)
		must(t, err)
		pdf, err := b.Billing.File(t.Context(), b.A.ID, m.Attachments[0].Ref)
		must(t, err)
		text := pdftest.Text(t, pdf)
		if !strings.Contains(text, two[0].FullName) || !strings.Contains(text, "123,45") {
			t.Errorf("the file says %s", text)
		}
	}
}
