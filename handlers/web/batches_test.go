package web_test

import (
	"bytes"
	"context"
	"errors"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/xuri/excelize/v2"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/batch"
	"debitdesk/models/client"
)

const sheetOfTwo = "email;full name;amount;due;description\na@example.com;Anna;\"1 " +
	"234,50\";2099-03-01;Levy\nnobody;Ben;100,00;2099-03-01;Levy\n"

// uploaded posts a file as a browser does and gives the answer.
func uploaded(t *testing.T, h *handlertest.Server, who handlertest.Person, name, content string,
	sheet ...string) handlertest.Answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for field, value := range map[string]string{"form_key": uuid.NewString(), "brand_id": h.A.BrandID.String(),
		"sheet": strings.Join(sheet, "")} {
		if err := w.WriteField(field, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return h.Call("POST", "/batches", body.Bytes(), "Cookie: "+who.Cookie, "Accept: text/html",
		"Sec-Fetch-Site: same-origin", "Content-Type: "+w.FormDataContentType())
}

// mapped is the address of a batch whose columns are as they were guessed.
func mapped(t *testing.T, h *handlertest.Server, content string) string {
	t.Helper()
	at := strings.TrimSuffix(uploaded(t, h, h.A.Finance, "march.csv", content).Want(http.StatusSeeOther).Header.Get(
		"Location"), "/map")
	h.Page(h.A.Finance, "GET", at+"/map", nil).Want(http.StatusOK).Contains("semicolons", "guessed")
	form := url.Values{}
	for i, field := range []string{"email", "full_name", "amount", "due", "product"} {
		form.Set("column_"+string(rune('0'+i)), field)
	}
	h.Page(h.A.Finance, "POST", at+"/map", form).Want(http.StatusSeeOther)
	return at
}

// seenBatch is the form of the review as it is shown now.
func seenBatch(t *testing.T, h *handlertest.Server, at string) url.Values {
	t.Helper()
	b, err := h.Batches.Get(t.Context(), h.A.Actor, uuid.MustParse(strings.TrimPrefix(at, "/batches/")))
	if err != nil {
		t.Fatal(err)
	}
	return url.Values{"rows": {strconv.Itoa(b.Counts.Ready)}, "cents": {strconv.FormatInt(b.Counts.ReadyCents, 10)},
		"fingerprint": {b.Seal()}, "revision": {strconv.Itoa(b.Revision)}, "warnings": {"yes"}} // due in 2099
}

// TestTheFirstThreeAreOfferedWhereThereAreMore looks at batches of three rows and of four.
func TestTheFirstThreeAreOfferedWhereThereAreMore(t *testing.T) {
	t.Parallel()
	for rows := 3; rows <= 4; rows++ {
		h := handlertest.New(t)
		file := "email;full name;amount;due;description\n"
		for i := range rows {
			file += "a" + strconv.Itoa(i) + "@example.com;Anna;100,00;2099-03-01;Levy\n"
		}
		at := mapped(t, h, file)
		h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"cause": {"unknown_client"}, "column": {"0"},
			"choice": {"create"}}).Want(http.StatusSeeOther)
		review := h.Page(h.A.Finance, "GET", at+"/review", nil).Want(http.StatusOK).Contains("Send " + strconv.Itoa(rows) +
			" invoices")
		if offered := strings.Contains(review.Body, "Send the first three, then wait for me"); offered != (rows > 3) {
			t.Errorf("of %d rows the first three are offered: %v", rows, offered)
		}
	}
}

func TestAFileBecomesInvoicesStepByStep(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo)
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check", nil).
		Want(http.StatusOK).
		Contains("With problems", "Not a valid e-mail address",
			`value="nobody"`, "Row 3, email")

	cell := h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"3"}, "column": {"0"}, "text": {"ben@example.com"}},
		"HX-Request: true").Want(http.StatusOK)
	cell.Contains("no client has the address ben@example.com", "Create client", `hx-swap-oob="true"`).Lacks("<html",
		"Review")
	h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"3"}, "column": {"0"}, "text": {"carl@example.com"},
		"was": {"nobody"}}).Want(http.StatusConflict).Contains("now says “ben@example.com”")
	h.Page(h.A.Finance, "POST", at+"/decisions", url.Values{"n": {"2"}, "revision": {"99"}, "decision": {"create"}}).Want(
		http.StatusConflict).Contains("changed since you looked")
	h.Page(h.A.Staff, "POST", at+"/decisions", url.Values{"n": {"2"}, "revision": {"0"}, "decision": {"create"}}).Want(
		http.StatusForbidden)
	h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"cause": {"unknown_client"}, "column": {"1"},
		"choice": {"create"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check?show=ready", nil).Want(http.StatusOK).Contains("Review 2 invoices",
		"A new client is created.", `value="ben@example.com"`, "Leave out")

	review := h.Page(h.A.Finance, "GET", at+"/review", nil).Want(http.StatusOK).Contains("Anna", "Levy",
		"Send 2 invoices · create 2 clients", "2 mails with an invoice are sent.", "Row 3: Ben, ben@example.com").
		Lacks("Send the first three")
	form := seenBatch(t, h, at)
	form.Set("hold", "0")
	if !strings.Contains(review.Body, `value="133450"`) {
		t.Error("the button does not repeat the sum")
	}
	h.Page(h.A.Finance, "POST", at+"/start", url.Values{"rows": {"2"}, "cents": {"133450"}}).Want(
		http.StatusConflict).Contains("changed since")
	h.Page(h.A.Staff, "POST", at+"/start", form).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "POST", at+"/start", form).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/run", nil, "HX-Target: progress").Want(http.StatusOK).Contains(`hx-trigger="every 1s"`)
	id := uuid.MustParse(strings.TrimPrefix(at, "/batches/"))
	if err := h.Batches.Work(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "GET", at+"/run", nil, "HX-Target: progress").Want(286).Lacks("every 1s").Contains(
		"See the result")
	h.Page(h.A.Finance, "GET", at+"/result", nil).Want(http.StatusOK).Contains(
		"2 rows read = 2 sent + 0 left out + 0 failed", "Billed", "Credited", "Paid", "Refunded", "Owed")
	file := h.Page(h.A.Finance, "GET", at+"/result.csv", nil).Want(http.StatusOK)
	file.Contains("email,full name,amount,due,description,Row in the file,Purchase id,Invoice number,Outcome,Why,"+
		"Billed,Credited,Paid,Refunded,Owed", "a@example.com,Anna,", ",Sent,,")
	if n := h.Count(`SELECT count(*) FROM invoices WHERE merchant_id = $1`, h.A.ID); n != 2 {
		t.Errorf("%d invoices", n)
	}
	listsOfABatch(t, h, at)
	h.Page(h.A.Finance, "GET", at+"/voiding", nil).Want(http.StatusOK).Contains("2 invoices of R",
		"2 credit notes are mailed.", "Void 2 invoices", "Type 2, the number of invoices, to confirm")
	h.Page(h.A.Finance, "POST", at+"/voiding", url.Values{}).Want(http.StatusUnprocessableEntity).Contains("Type 2.")
	h.Page(h.A.Finance, "POST", at+"/voiding", url.Values{"confirm": {"2"}}).Want(http.StatusSeeOther)
	if err := h.Batches.Work(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "GET", at+"/result", nil).Want(http.StatusOK).Contains("of those sent, 2 were voided",
		"See the 2 invoices")
	h.Page(h.A.Finance, "GET", "/invoices?state=credited&batch="+id.String(),
		nil).Want(http.StatusOK).Contains("2 invoices")
	if n := strings.Count(h.Page(h.A.Finance, "GET", at+"/result.csv", nil).Want(http.StatusOK).Body, ",Voided,"); n != 2 {
		t.Errorf("the result file has %d voided rows", n)
	}
	for row := range strings.Lines(h.Page(h.A.Finance, "GET", at+"/result.csv", nil).Body) {
		if cells := strings.Split(strings.TrimSpace(row), ","); strings.Contains(row, ",Voided,") &&
			(cells[len(cells)-5] != cells[len(cells)-4] || cells[len(cells)-1] != "0.00") {
			t.Errorf("what is voided is credited, and nothing of it owed: %s", row)
		}
	}
	for _, page := range []string{"/batches", "/"} { // they agree with the batch's own page after voiding
		h.Page(h.A.Finance, "GET", page, nil).Want(http.StatusOK).Contains("march.csv", "2 of 2 rows sent, 2 voided",
			">Voided<").Lacks("0 of 2 rows")
	}
	h.Page(h.A.Finance, "GET", at+"/result", nil).Contains(">Voided<", "2 rows read = 2 sent").Lacks(">Done<")
}

// listsOfABatch looks at the lists that are narrowed to a batch of two: shown, counted and exported alike.
func listsOfABatch(t *testing.T, h *handlertest.Server, at string) {
	t.Helper()
	id := strings.TrimPrefix(at, "/batches/")
	h.Page(h.A.Finance, "GET", at+"/result", nil).Want(http.StatusOK).Contains(`href="/invoices?batch=`+id,
		"See the 2 invoices", `href="/purchases?batch=`+id)
	for _, list := range []string{"invoices", "purchases"} {
		h.Page(h.A.Finance, "GET", "/"+list+"?batch="+id, nil).Want(http.StatusOK).Contains("Batch march.csv", "2 "+list,
			"Anna", "Export 2")
		file := h.Page(h.A.Finance, "GET", "/"+list+"/export?format=csv&batch="+id, nil).Want(http.StatusOK)
		if n := strings.Count(file.Body, "\n"); n != 3 {
			t.Errorf("%s: %d lines in the file", list, n)
		}
		h.Page(h.A.Finance, "GET", "/"+list+"?batch="+uuid.NewString(),
			nil).Want(http.StatusOK).Contains("is not a batch. The filter was ignored.")
	}
}

func TestFilesThatAreNoneAreRefusedOnTheSamePage(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	for name, content := range map[string]string{"empty.csv": "", "old.xls": "\xD0\xCF\x11\xE0 old",
		"heading.csv": "email,amount,due\n", "paper.pdf": "%PDF-1.7"} {
		uploaded(t, h, h.A.Finance, name, content).Want(http.StatusUnprocessableEntity).Contains("New batch")
	}
	uploaded(t, h, h.A.Staff, "a.csv", sheetOfTwo).Want(http.StatusForbidden)
	h.Page(h.A.Staff, "GET", "/batches/new", nil).Want(http.StatusForbidden)
	h.Page(h.A.Staff, "GET", "/batches", nil).Want(http.StatusOK).Contains("Finance or an admin").Lacks(
		`class="btn primary" href="/batches/new"`)
	if n := h.Count(`SELECT count(*) FROM batches`); n != 0 {
		t.Errorf("%d batches were left behind", n)
	}
}

func TestAStrangerFindsNoBatch(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo)
	for _, step := range []string{"", "/discard", "/client?row=3", "/map", "/check", "/review", "/run", "/result", "/result.csv",
		"/voiding"} {
		h.Page(h.B.Owner, "GET", at+step, nil).Want(http.StatusNotFound)
	}
	for _, act := range []string{"/undo", "/discard", "/decisions", "/amounts", "/restores", "/map", "/cells", "/fixes", "/skips", "/start",
		"/turns", "/voiding"} {
		h.Page(h.B.Owner, "POST", at+act, url.Values{"n": {"3"}, "column": {"0"}, "text": {"x"}, "turn": {"stop"}}).Want(
			http.StatusNotFound)
	}
}

func TestTheSameUploadSentTwiceIsOneBatch(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	form := url.Values{"form_key": {uuid.NewString()}, "brand_id": {h.A.BrandID.String()},
		"cells": {"email\tamount\tdue\na@example.com\t100\t2099-03-01\n"}}
	first := h.Page(h.A.Finance, "POST", "/batches/paste", form).Want(http.StatusSeeOther)
	again := h.Page(h.A.Finance, "POST", "/batches/paste", form).Want(http.StatusSeeOther)
	if first.Header.Get("Location") != again.Header.Get("Location") || h.Count(`SELECT count(*) FROM batches`) != 1 {
		t.Error("a second click made a second batch")
	}
}

func TestTheFirstPageShowsTheNewestBatches(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.Page(h.A.Staff, "GET", "/", nil).Want(http.StatusOK).Lacks("Latest batches")
	_, err := h.Batches.Upload(t.Context(), h.A.Actor, batch.Upload{Name: "december.csv", Source: batch.FromFile,
		BrandID: h.A.BrandID,
		Content: strings.NewReader("email,amount,due\na@example.com,100,2099-03-01\nb@example.com,100,2099-03-01\n")})
	if err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Staff, "GET", "/", nil).Want(http.StatusOK).Contains("Latest batches", "december.csv", "0 of 2 rows sent",
		"Choose columns")
	h.Page(h.A.Staff, "GET", "/?block=batches", nil).Want(http.StatusOK).Contains("december.csv").Lacks("<html")
	h.Page(h.B.Owner, "GET", "/", nil).Want(http.StatusOK).Lacks("december.csv")
}

func TestAClientIsChosenForARow(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(
		t,
		h,
		"email;full name;amount;due;description\na@example.com;Anna;100,00;2099-03-01;Levy\nb@example.com;Ben;9999,00;2099-03-01;Levy\nb@example.com;Ben;90,00;2099-03-01;Levy\n",
	)
	made, err := h.Clients.Create(t.Context(), h.A.Actor,
		client.Input{Details: client.Details{Email: "anna@elsewhere.example", FullName: "Anna Botha"}})
	if err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Staff, "GET", at+"/client?row=2", nil).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "GET", at+"/client?row=9", nil).Want(http.StatusNotFound)
	h.Page(h.A.Finance, "GET", at+"/client?row=2&q=Botha",
		nil).Want(http.StatusOK).Contains("Which client does row 2 bill?", "a@example.com", "Bill Anna Botha")
	h.Page(h.A.Finance, "POST", at+"/decisions", url.Values{"n": {"2"}, "revision": {"0"}, "decision": {"client"},
		"client_id": {made.ID.String()}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"cause": {"unknown_client"}, "column": {"1"},
		"choice": {"create"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check?show=ready", nil).Contains("Billed to Anna Botha, who was chosen by hand.")

	h.Page(h.A.Finance, "GET", at+"/check", nil).Contains("Amounts to tick", `value="3:999900"`,
		"is right; usual is R\u00a0100,00")
	h.Page(h.A.Finance, "GET", at+"/review", nil).Contains("1 amount far from what is usual must be ticked").Lacks(
		"Send 3 invoices")
	h.Page(h.A.Finance, "POST", at+"/amounts", url.Values{}).Want(http.StatusConflict).Contains(
		"Tick the amounts that are right first")
	h.Page(h.A.Finance, "POST", at+"/amounts", url.Values{"amount": {"3:1"}}).Want(http.StatusConflict)
	h.Page(h.A.Finance, "POST", at+"/amounts", url.Values{"amount": {"3:999900"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/review", nil).Contains("Send 3 invoices · create 1 client ·")
	h.Page(h.A.Finance, "POST", at+"/skips", url.Values{"n": {"4"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check?show=skipped", nil).Contains("Include the row again")
	h.Page(h.A.Finance, "POST", at+"/restores", url.Values{"n": {"4"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/review", nil).Contains("Send 3 invoices")
}

func TestAHeldBatchThatIsPausedSaysWhenItSends(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo)
	h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"cause": {"unknown_client"}, "column": {"1"},
		"choice": {"create"}}).Want(http.StatusSeeOther)
	form := seenBatch(t, h, at)
	form.Set("hold", "60")
	form.Set("good_only", "yes")
	h.Page(h.A.Finance, "POST", at+"/start", form).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/run", nil).Contains("Held until", "Pause batch", "Stop batch", "Held</span>").
		Lacks("Sending</span>")
	h.Page(h.A.Finance, "GET", "/batches", nil).Contains("Held</span>").Lacks("Sending</span>")
	h.Page(h.A.Finance, "POST", at+"/turns", url.Values{"turn": {"pause"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/run", nil).Contains("Resume batch: send at ",
		"nothing is sent before then").Lacks("Go on")
	h.Page(h.A.Finance, "POST", at+"/turns", url.Values{"turn": {"resume"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/run", nil).Contains("Held until")
	h.Page(h.A.Finance, "POST", at+"/turns", url.Values{"turn": {"stop"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/result", nil).Contains("Continue with 1 row").Lacks("Fix 1 row")
}

// A workbook says which of its sheets was read, and another one can be asked for.
func TestTheSheetOfAWorkbookIsSaidAndChosen(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	x := excelize.NewFile()
	for name, amount := range map[string]int{"Sheet1": 100, "December": 200} {
		if _, err := x.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for i, row := range [][]any{{"email", "amount", "due"}, {"a@example.com", amount, "2099-03-01"}} {
			if err := x.SetSheetRow(name, "A"+strconv.Itoa(i+1), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	var file bytes.Buffer
	if err := errors.Join(x.Write(&file), x.Close()); err != nil {
		t.Fatal(err)
	}
	at := uploaded(t, h, h.A.Finance, "year.xlsx", file.String()).Want(http.StatusSeeOther).Header.Get("Location")
	h.Page(h.A.Finance, "GET", at, nil).Contains("sheet “Sheet1”, not read: “December”", ">100<")
	at = uploaded(t, h, h.A.Finance, "year.xlsx", file.String(), "december").Want(http.StatusSeeOther).Header.Get(
		"Location")
	h.Page(h.A.Finance, "GET", at, nil).Contains("sheet “December”, not read: “Sheet1”", ">200<")
	uploaded(t, h, h.A.Finance, "year.xlsx", file.String(), "May").Want(http.StatusUnprocessableEntity).Contains(
		"The workbook has no sheet “May”. Choose one of these: Sheet1, December.")
}

// Rows whose day has passed, and rows without one, each get another day by a form of their own.
func TestAnotherDueDateIsGivenToAllRowsOfACause(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, "email;full name;amount;due;description\na@example.com;Anna;\"1 234,50\";2001-03-01;Levy\n"+
		"b@example.com;Ben;100,00;;Levy\n")
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("Use this due date for this row",
		`id="due-due_past"`, `id="due-required_due"`)
	h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"cause": {"due_past"}, "column": {"4"},
		"choice": {"2099-03-02"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("2099-03-02").Lacks("has passed</a>", "has passed</span>")
}
