package web_test

import (
	"archive/zip"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/web/books"
	"debitdesk/models/journal"
	"debitdesk/models/task"
)

// posted is a business with an invoice of last month that was paid, and the clock in the next one.
func posted(t *testing.T) *handlertest.Server {
	t.Helper()
	h := handlertest.New(t)
	id := h.API("POST", "/purchases/", `{"client":{"email":"n@example.com","full_name":"=Nomsa"},"brand_id":"`+
		h.A.BrandID.String()+`","purchase":{"products":[{"name":"Membership","price":64900}]}}`).
		Want(http.StatusCreated).Text("id")
	h.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(http.StatusOK)
	h.API("POST", "/purchases/"+id+"/mark_as_paid/", "").Want(http.StatusOK)
	h.At(h.Store.Now().AddDate(0, 0, 40))
	return h
}

func TestFinanceClosesAMonthAndAnAdminReopensIt(t *testing.T) {
	t.Parallel()
	h := posted(t)
	page := h.Page(h.A.Finance, "GET", "/books", nil).Want(http.StatusOK).Contains("Unallocated receipts").
		Contains("649,00").Body
	ask := "/books/closing?month=" + between(page, "/books/closing?month=", `"`)
	month := url.Values{"month": {strings.TrimPrefix(ask, "/books/closing?month=")}}
	h.Page(h.A.Staff, "GET", "/books", nil).Want(http.StatusOK).Lacks("/books/closing").Lacks("/books/export")
	h.Page(h.A.Staff, "POST", "/books/closing", month).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "GET", ask, nil).Want(http.StatusOK).
		Contains("Nothing is open", "2 entries until the end of ")
	h.Page(h.A.Finance, "POST", "/books/closing", month).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "POST", "/books/closing", month).Want(http.StatusConflict).Contains("is closed already")
	h.Page(h.A.Finance, "GET", "/books", nil).Contains("Closed until the end of").Lacks("/reopening")
	page = h.Page(h.A.Owner, "GET", "/books", nil).Body
	reopen := "/books/closings/" + between(page, "/books/closings/", `"`)
	h.Page(h.B.Owner, "GET", reopen, nil).Want(http.StatusNotFound)
	h.Page(h.A.Finance, "POST", reopen, url.Values{"reason": {"x"}}).Want(http.StatusForbidden)
	h.Page(h.A.Owner, "POST", reopen, url.Values{"reason": {""}}).Want(http.StatusUnprocessableEntity)
	h.Page(h.A.Owner, "POST", reopen, url.Values{"reason": {"The accountant asked."}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", "/books", nil).Contains("The accountant asked.")
}

func TestTheBooksAreDownloadedWithAllProblemsAtOnceAndAreAudited(t *testing.T) {
	t.Parallel()
	h := posted(t)
	ask := url.Values{"from": {"2000-01-01"}, "to": {"2900-12-31"}, "format": {"csv"}, "by": {"entry"},
		"currency": {"ZAR"}}
	file := h.Page(h.A.Finance, "POST", "/books/export", ask).Want(http.StatusOK).Body
	again := h.Page(h.A.Finance, "POST", "/books/export", ask).Body
	if again != file || !strings.Contains(file, "649.00") {
		t.Errorf("first %s\nthen %s", file, again)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'books.exported'`); n != 2 {
		t.Errorf("%d exports in the audit", n)
	}
	h.Page(h.A.Staff, "POST", "/books/export", ask).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "POST", "/books/export", url.Values{"from": {"soon"}, "to": {"2026-02-30"}, "format": {"doc"},
		"by": {"week"}}).Want(http.StatusUnprocessableEntity).Contains("Enter a day such as").
		Contains("is not a format").Contains("Choose one entry")
}

// What is more than one file holds is written in the background, as a ZIP with a file for each part of the days.
func TestALongJournalIsExportedInTheBackground(t *testing.T) {
	t.Parallel()
	h := posted(t)
	ask := url.Values{"from": {"2000-01-01"}, "to": {"2900-12-31"}, "format": {"csv"}, "by": {"entry"},
		"currency": {"ZAR"}}
	whole := h.Page(h.A.Finance, "POST", "/books/export", ask).Want(http.StatusOK).Body
	desk := h.Tasks.Workers[task.Journal].(*books.Books)
	desk.Journal.Most = 1
	h.Page(h.A.Finance, "POST", "/books/export", ask).Want(http.StatusSeeOther)
	if pieces := exportedInBackground(t, h); len(pieces) != 2 || !strings.HasSuffix(pieces[0].Name, "-part-1.csv") ||
		!strings.HasSuffix(pieces[1].Name, "-part-2.csv") { // one day, of which a file holds one entry
		t.Errorf("%d files of a day with two entries", len(pieces))
	}
	desk.Journal.Most = 2
	again := h.API("POST", "/purchases/", `{"client":{"email":"n@example.com","full_name":"=Nomsa"},"brand_id":"`+
		h.A.BrandID.String()+`","purchase":{"products":[{"name":"Membership","price":45000}]}}`).
		Want(http.StatusCreated).Text("id")
	h.API("POST", "/purchases/"+again+"/resend_invoice/", nil).Want(http.StatusOK)
	to := h.Page(h.A.Finance, "POST", "/books/export", ask).Want(http.StatusSeeOther).Header.Get("Location")
	if to != "/tasks" {
		t.Fatalf("leads to %s", to)
	}
	if err := h.Tasks.TakeUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id, name string
	var done, total int64
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text, file_name, done, total FROM tasks WHERE state = 'done'
		AND kind = 'journal' ORDER BY id DESC LIMIT 1`).Scan(&id, &name, &done, &total); err != nil || done != 3 ||
		total != 3 ||
		name != "books-csv-2000-01-01-to-2900-12-31.zip" {
		t.Fatalf("%s with %d of %d: %v", name, done, total, err)
	}
	body := h.Page(h.A.Finance, "GET", "/tasks/"+id+"/file", nil).Want(http.StatusOK).Body
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil || len(z.File) != 2 {
		t.Fatalf("the ZIP has %d files: %v", len(z.File), err)
	}
	text := func(i int) string {
		f, err := z.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	head, lines, _ := strings.Cut(whole, "\n")
	if text(0) != head+"\n"+lines || !strings.HasPrefix(text(1), head+"\n") || !strings.Contains(text(1), "450.00") ||
		strings.Contains(text(1), "649.00") {
		t.Errorf("the whole is\n%s\nthe parts are\n%s\nand\n%s", whole, text(0), text(1))
	}
	h.Page(h.A.Staff, "GET", "/tasks/"+id+"/file", nil).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "GET", "/tasks/"+id+"/file", nil).Want(http.StatusNotFound)
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'books.exported'
		AND text LIKE '%3 entries in 2 parts%'`); n != 1 {
		t.Errorf("%d entries of it in the audit", n)
	}
}

// exportedInBackground are the files of the newest journal, once a worker has written it.
func exportedInBackground(t *testing.T, h *handlertest.Server) []*zip.File {
	t.Helper()
	if err := h.Tasks.TakeUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM tasks WHERE state = 'done' AND kind = 'journal'
		ORDER BY id DESC LIMIT 1`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	body := h.Page(h.A.Finance, "GET", "/tasks/"+id+"/file", nil).Want(http.StatusOK).Body
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	return z.File
}

// A business that bills everybody on one day has more invoices of that day than a person waits for.
func TestManyInvoicesOfOneDayAreExportedInTheBackground(t *testing.T) {
	t.Parallel()
	h := posted(t)
	for i := range 2 {
		id := h.API("POST", "/purchases/", `{"client":{"email":"n@example.com","full_name":"=Nomsa"},"brand_id":"`+
			h.A.BrandID.String()+`","purchase":{"products":[{"name":"Membership","price":`+strconv.Itoa(45000+i)+`}]}}`).
			Want(http.StatusCreated).Text("id")
		h.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(http.StatusOK)
	}
	ask := url.Values{"from": {"2000-01-01"}, "to": {"2900-12-31"}, "format": {"xero-invoices"}, "by": {"entry"},
		"currency": {"ZAR"}}
	whole := h.Page(h.A.Finance, "POST", "/books/export", ask).Want(http.StatusOK).Contains("649.00").Body
	h.Tasks.Workers[task.Journal].(*books.Books).Journal.Most = 1
	ask.Set("by", "day")
	h.Page(h.A.Finance, "POST", "/books/export", ask).Want(http.StatusUnprocessableEntity).Contains("never put together")
	ask.Set("by", "entry")
	h.Page(h.A.Finance, "POST", "/books/export", ask).Want(http.StatusSeeOther)
	if err := h.Tasks.TakeUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id, state, note string
	var done, total int64
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text, state, note, done, total FROM tasks
		WHERE kind = 'journal'`).Scan(&id, &state, &note, &done, &total); err != nil || state != "done" || done != 3 ||
		total != 3 {
		t.Fatalf("%s with %d of %d: %s, %v", state, done, total, note, err)
	}
	body := h.Page(h.A.Finance, "GET", "/tasks/"+id+"/file", nil).Want(http.StatusOK).Body
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil || len(z.File) != 1 {
		t.Fatalf("the ZIP has %v: %v", z, err)
	}
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != whole {
		t.Errorf("in the background %s, %v\nat once %s", text, err, whole)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'books.exported'
		AND text LIKE '%in the background: 3 invoices and credit notes.'`); n != 1 {
		t.Errorf("%d entries of it in the audit", n)
	}
}

// What Xero refuses in any number of files is said at once, and no task is begun for it.
func TestAFileThatXeroRefusesIsNotBegunInTheBackground(t *testing.T) {
	t.Parallel()
	h := posted(t)
	for i := range 101 { // three lines each
		id := h.API("POST", "/purchases/", `{"client":{"email":"n@example.com"},"brand_id":"`+h.A.BrandID.String()+
			`","purchase":{"products":[{"name":"Membership","price":`+strconv.Itoa(10000+i)+`}]}}`).
			Want(http.StatusCreated).Text("id")
		h.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(http.StatusOK)
		h.API("POST", "/purchases/"+id+"/mark_as_paid/", "").Want(http.StatusOK)
	}
	h.Page(h.A.Finance, "POST", "/books/export", url.Values{"from": {"2000-01-01"}, "to": {"2900-12-31"},
		"format": {"xero-journal"}, "by": {"entry"}, "currency": {"ZAR"}}).Want(http.StatusUnprocessableEntity).
		Contains("Xero takes 300 lines in a file")
}

func TestAccountsAreChosenWithAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	h := posted(t)
	form := url.Values{"year_starts": {"13"}, "tax_rate": {""}, "sales_tax": {"Standard Rate Sales"}}
	for _, role := range journal.Used {
		form.Set("code-"+string(role), "A-"+string(role))
		form.Set("name-"+string(role), "Account "+string(role))
	}
	form.Del("code-refp")
	form.Set("code-clr", "=1")
	form.Set("name-bank", "Account ar")
	h.Page(h.A.Finance, "POST", "/books/accounts", form).Want(http.StatusUnprocessableEntity).
		Contains("is not an account code").Contains("has this name already").Contains("Choose the month").
		Contains("Enter the name of a tax rate").Contains("Enter the code of the account")
	form.Set("code-refp", "A-refp")
	form.Set("code-clr", "A-clr")
	form.Set("name-bank", "Account bank")
	form.Set("year_starts", "7")
	form.Set("tax_rate", "Tax Exempt")
	h.Page(h.A.Finance, "POST", "/books/accounts", form).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", "/books", nil).Want(http.StatusOK).Contains("A-clr Account clr")
	h.Page(h.B.Finance, "GET", "/books", nil).Want(http.StatusOK).Lacks("A-clr")
	h.Page(h.A.Staff, "GET", "/books/accounts", nil).Want(http.StatusForbidden)
}
