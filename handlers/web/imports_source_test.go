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
)

const netcashKey = "3f2b1c0d-9a8e-4d7c-8b6a-5f4e3d2c1b0a"

// netcashMaster is a master file whose sum is one cent too high.
var netcashMaster = strings.ReplaceAll("H→"+netcashKey+"→1→Update→KSF-MASTER→20261124→"+netcashKey+"\n"+
	"K→101→102→133→134→136→161→201\nT→KSF1022→NKOSI T→1→250655→62000001018→64900→t@example.com\n"+
	"T→KSF1023→BOTHA A→2→051001→020304050→45000→a@example.com\nF→2→109901→9999\n", "→", "\t")

// filesUploaded posts several files of one import.
func filesUploaded(t *testing.T, h *handlertest.Server, files map[string]string) handlertest.Answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for field, value := range map[string]string{"form_key": uuid.NewString(), "brand_id": h.A.BrandID.String()} {
		if err := w.WriteField(field, value); err != nil {
			t.Fatal(err)
		}
	}
	for field, content := range files {
		field, _, _ = strings.Cut(field, "#") // several files of one field
		part, err := w.CreateFormFile(field, field+".csv")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return h.Call("POST", "/imports", body.Bytes(), "Cookie: "+h.A.Finance.Cookie, "Accept: text/html",
		"Sec-Fetch-Site: same-origin", "Content-Type: "+w.FormDataContentType())
}

func TestThePageSaysWhatAFileOfAnotherSystemIs(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := bookUploaded(t, h, h.A.Finance, netcashMaster)
	h.Page(h.A.Finance, "GET", at+"/map", nil).Want(http.StatusOK).Contains(
		"Netcash master file: 2 rows read, service key dropped", "check sums of the file do not agree",
		"What the digits of the account types mean", "Row 3, NKOSI T: FNB", "Netcash keeps no signing dates").
		Lacks(netcashKey, "62000001018", "guessed")
	bookMapped(t, h, at)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("1 is savings, 2 is current",
		"check sums of the file do not agree").Lacks(netcashKey, "What the digits of the account types mean")
	h.Page(h.A.Finance, "GET", at+"/rehearsal", nil).Want(http.StatusOK).Contains("check sums of the file do not agree")
}

func TestThePageNamesTheKeyByWhichFilesAreJoined(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	got := filesUploaded(t, h, map[string]string{"file": netcashMaster,
		"with":    "Member No;Mandate signed\nKSF1022;2025-01-28\nKSF1029;2025-01-28\n",
		"planned": "Acc No;Bank;Next debit\n62000001018;FNB;2027-01-25\n"}).Want(http.StatusSeeOther)
	at := strings.TrimSuffix(got.Header.Get("Location"), "/map")
	h.Page(h.A.Finance, "GET", at+"/map", nil).Want(http.StatusOK).Contains(
		"with.csv: joined by your reference, 1 row found a row of the first file, 1 row did not",
		"planned.csv: 1 planned debit of the old system kept against double debits")
	if i := bookMapped(t, h, at); i.Rows != 4 || i.Counts.Skipped != 2 || i.Counts.Sum() != 4 {
		t.Errorf("it is rehearsed as %+v", i.Counts)
	}
	for name, files := range map[string]map[string]string{
		"had not finished":  {"file": "FILE NOT READY"},
		"no column by wh":   {"file": netcashMaster, "with": "Name;Amount\nT;1,00\n"},
		"a column with the": {"file": netcashMaster, "planned": "Name;Amount\nT;1,00\n"},
	} {
		filesUploaded(t, h, files).Want(http.StatusUnprocessableEntity).Contains(name)
	}
}

func TestThePageTakesSeveralOtherFiles(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	got := filesUploaded(t, h, map[string]string{"file": netcashMaster,
		"with#1":    "Member No;Mandate signed\nKSF1022;2025-01-28\n",
		"with#2":    "Member No;Outstanding;Due date\nKSF1022;100,00;2026-01-28\nKSF1022;50,00;2026-02-28\n",
		"planned#1": "Acc No;Bank;Next debit\n62000001018;FNB;2027-01-25\n",
		"planned#2": "Acc No;Bank;Next debit\n62000001018;FNB;2027-02-25\n"}).Want(http.StatusSeeOther)
	at := strings.TrimSuffix(got.Header.Get("Location"), "/map")
	if i := bookAt(t, h, at); len(i.Source.With) != 4 {
		t.Errorf("%d other files were taken: %+v", len(i.Source.With), i.Source.With)
	}
	many := map[string]string{"file": netcashMaster}
	for n := range 11 {
		many["with#"+strconv.Itoa(n)] = "Member No;Mandate signed\nKSF1022;2025-01-28\n"
	}
	filesUploaded(t, h, many).Want(http.StatusUnprocessableEntity).Contains("at most 10 files")
}

func TestThePageAsksForDebiCheckMandatesAgain(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := bookUploaded(t, h, h.A.Finance, "Member No;Name;Email;ID Number;Cell;Country;Bank;Acc No;Monthly;Day\n"+
		"KSF1;Thandi Nkosi;thandi@example.com;8001015009087;0821234567;ZA;FNB;62000001018;649,00;25\n"+
		"KSF2;Anna Botha;anna@example.com;;0821234568;ZA;FNB;62000001019;649,00;25\n")
	bookMapped(t, h, at)
	h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"fix": {"mandate_undated"},
		"choice": {"no_mandate"}}).Want(http.StatusSeeOther)
	i := bookAt(t, h, at)
	if _, err := h.Imports.Start(t.Context(), h.A.Actor, i.ID, i.Seal()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Imports.Work(t.Context(), h.A.Actor, i.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE book_import_rows SET warned = array_append(warned, 'confirm_again')
		WHERE import_id = $1`, i.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Imports.SwitchOn(t.Context(), h.A.Actor, i.ID, "All"); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "GET", at+"/groups", nil).Want(http.StatusOK).Contains("DebiCheck mandates to confirm again")
	h.Page(h.A.Finance, "GET", at+"/confirm", nil).Want(http.StatusOK).Contains("Ask 1 client now", "To ask",
		"lacks an ID or passport number", "monthly").Lacks("62000001018", "8001015009087")
	h.Page(h.A.Reader, "GET", at+"/confirm", nil).Want(http.StatusOK).Lacks("Ask 1 client now")
	h.Page(h.A.Finance, "GET", at+"/confirm?method=DELAYED&group=0&per_day=1", nil).
		Want(http.StatusUnprocessableEntity).Contains("Choose a number from 1 to 100.")
	h.Page(h.A.Finance, "POST", at+"/confirm", url.Values{"method": {"DELAYED"}, "group": {"5"}, "per_day": {"5"}}).
		Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/confirm", nil).Want(http.StatusOK).Contains("Being sent").Lacks("client now")
	if n := h.Count(`SELECT count(*) FROM mandates WHERE merchant_id = $1 AND kind = 'debicheck'`, h.A.ID); n != 1 {
		t.Errorf("%d mandates are asked for", n)
	}
	h.Page(h.A.Finance, "GET", at+"/confirm", nil).Want(http.StatusOK).Lacks("Add to their subscriptions")
	add := url.Values{"do": {"add"}, "last": {"soon"}}
	h.Page(h.A.Finance, "POST", at+"/confirm", url.Values{"do": {"add"}}).Want(http.StatusConflict).
		Contains("No client can be added now")
	for _, sql := range []string{`UPDATE mandates SET state = 'active', accepted_at = $2 WHERE merchant_id = $1`,
		`UPDATE tokens SET state = 'active', updated_at = $2 WHERE merchant_id = $1`} {
		if _, err := h.Store.Pool.Exec(t.Context(), sql, h.A.ID, h.Store.Now()); err != nil {
			t.Fatal(err)
		}
	}
	h.Page(h.A.Finance, "GET", at+"/confirm", nil).Want(http.StatusOK).Contains("Add 1 confirmed client",
		"first debit on", "once you add the client")
	h.Page(h.A.Reader, "GET", at+"/confirm", nil).Want(http.StatusOK).Lacks("Add 1 confirmed client")
	limit := func(cents any) {
		t.Helper()
		if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE merchants SET approve_batches_cents = $1`, cents); err != nil {
			t.Fatal(err)
		}
	}
	limit(1)
	h.Page(h.A.Finance, "GET", at+"/confirm", nil).Want(http.StatusOK).Contains("asks for a second approver above").
		Lacks("Add 1 confirmed client")
	h.Page(h.A.Finance, "POST", at+"/confirm", url.Values{"do": {"add"}}).Want(http.StatusConflict).
		Contains("asks for a second approver above")
	limit(nil)
	h.Page(h.A.Finance, "POST", at+"/confirm", add).Want(http.StatusUnprocessableEntity).Contains("Enter a day")
	add.Set("last", "")
	h.Page(h.A.Finance, "POST", at+"/confirm", add).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/confirm", nil).Want(http.StatusOK).Contains("This client has a subscription already.").
		Lacks("Add to their subscriptions")
}
