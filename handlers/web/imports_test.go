package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/book"
)

const dirtyBook = "Kloof Street Gym members;;;;;;;;;;;;\n" +
	"Member No;Name;Surname;ID Number;Cell;Email;Bank;Branch;Acc No;Acc Type;Monthly;Day;Mandate signed\n" +
	"KSF1022;Thandi;Nkosi;8001015009087;082 123 4567;t.nkosi@example.com;FNB;Gateway;62000001018;Cheque;R 649,00;25;" +
	"28/01/2025\n" +
	"KSF1023;Anna;Botha;;+27 73 111 2222;a.botha@example.com;Std Bank;51001;20304050;S;450;1st;31/03/2024\n" +
	"KSF1024;Pule;Sithole;TEMP1024;0000000000;;Capitec;470010;1.4E+09;Savings;299.95;1st;03/04/2024\n" +
	"Total;;;;;;;;;;R 1 398,95;;\n"

// bookUploaded posts a file of clients as a browser does and gives the address of the import.
func bookUploaded(t *testing.T, h *handlertest.Server, who handlertest.Person, content string) string {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for field, value := range map[string]string{"form_key": uuid.NewString(), "brand_id": h.A.BrandID.String()} {
		if err := w.WriteField(field, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "gym.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := h.Call("POST", "/imports", body.Bytes(), "Cookie: "+who.Cookie, "Accept: text/html",
		"Sec-Fetch-Site: same-origin", "Content-Type: "+w.FormDataContentType()).Want(http.StatusSeeOther)
	return strings.TrimSuffix(got.Header.Get("Location"), "/map")
}

// bookMapped sends the columns as they were guessed.
func bookMapped(t *testing.T, h *handlertest.Server, at string) book.Import {
	t.Helper()
	i := bookAt(t, h, at)
	form := url.Values{"cut_over": {i.CutOver.String()}}
	for n, c := range i.Mapping.Columns {
		form.Set("column_"+strconv.Itoa(n), string(c.Field))
	}
	h.Page(h.A.Finance, "POST", at+"/map", form).Want(http.StatusSeeOther)
	return bookAt(t, h, at)
}

func bookAt(t *testing.T, h *handlertest.Server, at string) book.Import {
	t.Helper()
	i, err := h.Imports.Get(t.Context(), h.A.Actor, uuid.MustParse(strings.TrimPrefix(at, "/imports/")))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestABookIsMendedRehearsedDoneSwitchedOnAndSeen(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := bookUploaded(t, h, h.A.Finance, dirtyBook)
	h.Page(h.A.Finance, "GET", at+"/map", nil).Want(http.StatusOK).Contains("Member No", "KSF1022", "guessed", "Acc No",
		"•••• 1018").Lacks("62000001018")
	bookMapped(t, h, at)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("Digits lost in scientific notation",
		"Placeholders that several clients share", "agrees with the rows", "A branch by its name")
	for _, fix := range [][2]string{{"scientific", "drop"}, {"placeholder", "drop"}} {
		h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"fix": {fix[0]}, "choice": {fix[1]}}).Want(http.StatusSeeOther)
	}
	h.Page(h.A.Finance, "GET", at+"/check", nil).Contains("No e-mail address and no bank account", "Chosen for all rows")
	h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"5"}, "column": {"6"}, "text": {"pule@example.com"}}).
		Want(http.StatusSeeOther)
	i := bookAt(t, h, at)
	if i.Counts.Created != 3 || i.Counts.Skipped != 1 || i.Counts.Sum() != 4 {
		t.Fatalf("it is rehearsed as %+v", i.Counts)
	}
	h.Page(h.A.Finance, "GET", at+"/rehearsal", nil).Want(http.StatusOK).Contains("Import 3 rows", "Thandi Nkosi",
		"Token: FNB •••• 1018, mandate signed on 28 January 2025")
	h.Page(h.A.Finance, "POST", at+"/start", url.Values{"seal": {i.Seal()}}).Want(http.StatusSeeOther)
	if i = bookAt(t, h, at); i.State != book.Done {
		t.Fatalf("the import is %s", i.State)
	}
	h.Page(h.A.Finance, "GET", at+"/groups", nil).Want(http.StatusOK).Contains("Parked", "Switch on…", "Undo the import…")
	h.Page(h.A.Finance, "GET", "/clients", nil).Contains("Thandi Nkosi", "Parked")
	h.Page(h.A.Finance, "GET", at+"/switch?group=All", nil).Want(http.StatusOK).Contains("2 accounts and 2 subscriptions",
		"First due on")
	h.Page(h.A.Finance, "POST", at+"/switch", url.Values{"group": {"All"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/groups", nil).Contains("On").Lacks("Switch on…")
	file := h.Page(h.A.Finance, "GET", at+"/verdicts.csv", nil).Want(http.StatusOK)
	file.Contains("_line;_verdict;_record;_reason", "KSF1022;", ";created;").Lacks("62000001018", "20304050")
	h.Page(h.A.Owner, "GET", at+"/verdicts.csv", nil).Want(http.StatusOK).Lacks("62000001018")
	h.Page(h.A.Owner, "GET", at+"/verdicts.csv?numbers=full", nil).Want(http.StatusOK).Contains("62000001018")
	h.Page(h.A.Finance, "GET", at+"/verdicts.csv?numbers=full", nil).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "GET", at+"/undo", nil).Want(http.StatusOK)
	h.Page(h.A.Finance, "POST", at+"/undo", nil).Want(http.StatusSeeOther)
	if i = bookAt(t, h, at); i.State != book.Undone || len(i.Kept) != 0 {
		t.Fatalf("the import is %s and left %v", i.State, i.Kept)
	}
	h.Page(h.A.Finance, "GET", "/clients", nil).Lacks("Thandi Nkosi")
}

func TestASecondPersonAgreesToAnImportAboveTheLimit(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := bookUploaded(t, h, h.A.Finance, dirtyBook)
	bookMapped(t, h, at)
	h.Page(h.A.Finance, "POST", at+"/rows", url.Values{"n": {"5"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "POST", "/settings/approvals", url.Values{"batches": {"yes"}, "batches_above": {"500,00"}})
	i := bookAt(t, h, at)
	if two, _, err := h.Imports.NeedsTwo(t.Context(), i); !two || err != nil {
		t.Skipf("the limit was not set: %v", err)
	}
	h.Page(h.A.Finance, "GET", at+"/rehearsal", nil).Contains("Ask for approval")
	got := h.Page(h.A.Finance, "POST", at+"/start", url.Values{"seal": {i.Seal()}, "reason": {"We move in"}}).
		Want(http.StatusSeeOther)
	if i = bookAt(t, h, at); i.State != book.Checked {
		t.Fatalf("the import began without the second person: %s", i.State)
	}
	h.Page(h.A.Finance, "GET", at+"/rehearsal", nil).Contains("asked for approval")
	h.Page(h.A.Owner, "GET", got.Header.Get("Location"), nil).Want(http.StatusOK).Contains("Approve: import 2 rows")
	h.Page(h.A.Owner, "POST", got.Header.Get("Location")+"/decision", url.Values{"answer": {"yes"}, "digest": {i.Seal()},
		"rows": {"2"}}).Want(http.StatusSeeOther)
	if i = bookAt(t, h, at); i.State != book.Running {
		t.Fatalf("after the approval the import is %s", i.State)
	}
	if err := h.Tasks.TakeUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Tasks.Work(t.Context(), i.TaskID); err != nil {
		t.Fatal(err)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'import.started' AND after::text LIKE
		'%approved_by%'`); n != 1 {
		t.Errorf("%d entries say who approved the import", n)
	}
}
