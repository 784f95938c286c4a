package books_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

// billed makes an invoice of a client, and gives its purchase.
func billed(h *handlertest.Server, cents int) string {
	client := h.API("POST", "/clients/", map[string]any{"email": uuid.NewString() + "@example.com",
		"full_name": "Thandi Nkosi"}).Want(http.StatusCreated).Text("id")
	id := h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"Membership","price":%d}]}}`, client, h.A.BrandID,
		cents)).Want(http.StatusCreated).Text("id")
	h.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(http.StatusOK)
	return id
}

func form(pairs ...string) url.Values {
	f := url.Values{"form_key": {uuid.NewString()}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return f
}

func TestAFigureOfTheBooksLeadsToItsEntriesAndToThePurchase(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	id := billed(h, 64900)
	page := h.Page(h.A.Reader, "GET", "/books", nil).Want(http.StatusOK).Body
	if !strings.Contains(page, `href="/books/entries?from=`) || !strings.Contains(page, `role=ar`) {
		t.Errorf("the figures lead nowhere: %s", page)
	}
	h.Page(h.A.Reader, "GET", "/books/entries?role=ar", nil).Want(http.StatusOK).
		Contains("1 entry", "Debtors: R\u00a0649,00", "/purchases/"+id)
	h.Page(h.A.Reader, "GET", "/books/entries?amount=1+298%2C00", nil).Want(http.StatusOK).Contains("/purchases/" + id)
	h.Page(h.B.Owner, "GET", "/books/entries", nil).Want(http.StatusOK).Contains("No entry")
	h.Page(h.A.Reader, "GET", "/books/entries?from=x&role=cash&amount=much&box=99", nil).
		Want(http.StatusUnprocessableEntity).Contains("Enter a day such as 2026-10-31.")
	h.Page(h.A.Owner, "POST", "/books/export", form("format", "xero-invoices", "currency", "ZAR", "from", "2020-01-01",
		"to", "2090-12-31", "by", "entry")).Want(http.StatusOK).Contains("*ContactName", "Thandi Nkosi (", ",649.00,")
}

func TestADifferenceFromThePackageIsExplained(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	one, two := billed(h, 64900), billed(h, 45000)
	find := func(more string) handlertest.Answer {
		return h.Page(h.A.Reader, "GET", "/books/entries?role=ar&"+more, nil).Want(http.StatusOK)
	}
	find("").Lacks("What may explain it")
	find("amount=649").Contains("It is in one list only", "/purchases/"+one)
	find("amount=1298").Contains("Money in and money out mixed up")
	find("amount=180").Contains("Two digits changed places", "R\u00a0649,00", "/purchases/"+one)
	find("amount=1099").Contains("Two that make the difference together", "/purchases/"+one, "/purchases/"+two)
	find("amount=649&to="+h.Store.Now().AddDate(0, 0, -1).Format("2006-01-02")).
		Contains("It is on another day", "No entry")
	find("amount=77").Lacks("What may explain it")
	h.Page(h.B.Owner, "GET", "/books/entries?role=ar&amount=649", nil).Want(http.StatusOK).Lacks("What may explain it")
}

func TestTheSheetOfVATAndItsBasis(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	billed(h, 64900)
	h.Page(h.A.Reader, "GET", "/books/vat?months=2", nil).Want(http.StatusOK).
		Contains("Invoice basis", "/books/entries?box=1&amp;from=", "VAT201").Lacks("/books/vat/basis")
	h.Page(h.A.Reader, "GET", "/books/vat?month=2026-11&months=2", nil).Want(http.StatusOK).
		Contains("Invoice basis, 1 Oct 2026 to 30 Nov 2026.")
	set := form("basis", "payments", "from", "2090-01-01")
	h.Page(h.A.Staff, "POST", "/books/vat/basis", set).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "POST", "/books/vat/basis", form("basis", "payments", "from", "2020-01-01")).
		Want(http.StatusUnprocessableEntity).Contains("Choose a later day.")
	h.Page(h.A.Finance, "POST", "/books/vat/basis", set).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", "/books/vat?month=2090-01", nil).Want(http.StatusOK).
		Contains("Payments basis from 2090-01-01", "Money received")
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'books.vat_basis'`); n != 1 {
		t.Errorf("the audit has it %d times", n)
	}
}

func TestABadDebtIsWrittenOffOnThePageOfThePurchase(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	id := billed(h, 64900)
	at := "/purchases/" + id + "/write-off"
	h.Page(h.A.Staff, "GET", at, nil).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "GET", at, nil).Want(http.StatusNotFound)
	h.Page(h.B.Owner, "POST", at, form("reason", "No.")).Want(http.StatusNotFound)
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusOK).
		Contains("Write off R\u00a0649,00", "no credit note is written")
	h.Page(h.A.Finance, "POST", at, form("reason", " ")).Want(http.StatusUnprocessableEntity).Contains("Say why")
	once := form("reason", "Cannot be found.")
	for range 2 { // the second is a second click
		if to := h.Page(h.A.Finance, "POST", at, once).Want(http.StatusSeeOther).Header.Get("Location"); to !=
			"/purchases/"+id {
			t.Errorf("it leads to %s", to)
		}
	}
	h.Page(h.A.Owner, "POST", at, form("reason", "Another tab.")).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", "/books/entries?role=bad", nil).Want(http.StatusOK).Contains("1 entry", "Written off")
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusOK).Contains("Take back the write-off")
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE purchases SET status = 'overdue' WHERE id = $1`, id); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "GET", "/purchases/"+id, nil).Want(http.StatusOK).
		Contains("Written off", "R\u00a0649,00", "Take back the write-off…").Lacks("Write off…")
	h.Page(h.A.Finance, "POST", at, form("reason", "A mistake.", "do", "take_back")).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", "/books/entries?role=bad", nil).Want(http.StatusOK).Contains("2 entries")
	h.Page(h.A.Finance, "GET", "/purchases/"+id, nil).Want(http.StatusOK).Contains("Write off…").
		Lacks("Take back the write-off…", ">Written off<")
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action LIKE 'books.writ%' AND purchase_id = $1`,
		id); n != 2 {
		t.Errorf("the audit has %d entries", n)
	}
}
