package books_test

import (
	"net/http"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
)

func TestFinanceRecordsAPayoutOnceAndTakesItBack(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	today := calendar.DateOf(h.Store.Now()).String()
	h.Page(h.A.Reader, "GET", "/books/fees", nil).Want(http.StatusOK).Contains("Nothing was recorded").
		Lacks("/books/fees/new")
	h.Page(h.A.Staff, "GET", "/books/fees/new", nil).Want(http.StatusForbidden)
	h.Page(h.A.Finance, "GET", "/books/fees/new?kind=payout", nil).Want(http.StatusOK).
		Contains("Record a payout", `name="held"`, `name="vat"`)
	payout := form("kind", "payout", "day", today, "gross", "649,00", "fee", "6,00", "vat", "0,90", "held", "42,10",
		"what", "Collect-All", "reference", "PO-77")
	h.Page(h.A.Staff, "POST", "/books/fees", payout).Want(http.StatusForbidden)
	wrong := form("kind", "payout", "day", today, "gross", "1,234", "what", "Collect-All")
	h.Page(h.A.Finance, "POST", "/books/fees", wrong).Want(http.StatusUnprocessableEntity).Contains(`value="1,234"`)
	wrong.Set("gross", "6")
	wrong.Set("fee", "649")
	h.Page(h.A.Finance, "POST", "/books/fees", wrong).Want(http.StatusUnprocessableEntity).
		Contains("are more than was collected")
	at := ""
	for range 2 { // the second is a second click
		at = h.Page(h.A.Finance, "POST", "/books/fees", payout).Want(http.StatusSeeOther).Header.Get("Location")
	}
	if n := h.Count(`SELECT count(*) FROM book_records`); n != 1 {
		t.Errorf("%d payouts were recorded", n)
	}
	h.Page(h.A.Reader, "GET", "/books/fees", nil).Want(http.StatusOK).
		Contains("Payout PO-77", "Held back now: R\u00a042,10", "R\u00a0600,00", at)
	h.Page(h.A.Reader, "GET", at, nil).Want(http.StatusOK).Contains("Collect-All").Lacks("undoing")
	h.Page(h.B.Owner, "GET", at, nil).Want(http.StatusNotFound)
	h.Page(h.A.Reader, "GET", "/books/entries?role=ret", nil).Want(http.StatusOK).Contains("Payout PO-77", at)
	h.Page(h.A.Reader, "GET", "/books/entries?about=po-77", nil).Want(http.StatusOK).
		Contains("1 entry", "Payout PO-77", at)
	h.Page(h.A.Reader, "GET", "/books/entries?about=po-7", nil).Want(http.StatusOK).Lacks(at)
	h.Page(h.A.Reader, "GET", "/books/vat", nil).Want(http.StatusOK).Contains("box=15", "R\u00a00,90")
	h.Page(h.A.Finance, "GET", at+"/undoing", nil).Want(http.StatusOK).Contains("Take back R\u00a0649,00?")
	h.Page(h.A.Finance, "POST", at+"/undoing", form("reason", " ")).Want(http.StatusUnprocessableEntity)
	h.Page(h.B.Finance, "POST", at+"/undoing", form("reason", "No.")).Want(http.StatusNotFound)
	back := form("reason", "Typed twice.")
	for range 2 {
		h.Page(h.A.Finance, "POST", at+"/undoing", back).Want(http.StatusSeeOther)
	}
	h.Page(h.A.Owner, "POST", at+"/undoing", form("reason", "Another tab.")).Want(http.StatusSeeOther)
	h.Page(h.A.Reader, "GET", at, nil).Want(http.StatusOK).Contains("Typed twice.")
	h.Page(h.A.Reader, "GET", "/books/entries?role=ret", nil).Want(http.StatusOK).Contains("2 entries", "Taken back PO-77")
}

func TestABankMovementIsRecordedAsAFee(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	day := calendar.DateOf(h.Store.Now()).AddDays(-1)
	id := h.Unmatched(5000, false, day)
	ask := "/books/fees/new?movement=" + id.String()
	h.Page(h.A.Finance, "GET", ask, nil).Want(http.StatusOK).
		Contains("Record a fee", `value="50,00"`, `value="`+day.String()+`"`,
			"The bank booked R\u00a050,00 on "+words.DayTime(day).Text+": ").
		Lacks("Record a payout")
	h.Page(h.B.Finance, "GET", ask, nil).Want(http.StatusNotFound)
	fee := form("kind", "fee", "movement", id.String(), "day", day.String(), "gross", "49", "what", "Debit order fee")
	h.Page(h.A.Finance, "POST", "/books/fees", fee).Want(http.StatusUnprocessableEntity).Contains(
		"This is R\u00a049,00 out of your bank account, and the bank booked R\u00a050,00 out of it.")
	fee.Set("gross", "50")
	at := h.Page(h.A.Finance, "POST", "/books/fees", fee).Want(http.StatusSeeOther).Header.Get("Location")
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusOK).Contains("/bank/movements/" + id.String())
	if n := h.Count(`SELECT count(*) FROM bank_entries WHERE id = $1 AND state = 'fee'`, id.String()); n != 1 {
		t.Error("the movement waits still")
	}
	h.Page(h.A.Finance, "GET", ask, nil).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "POST", at+"/undoing", form("reason", "It was none.")).Want(http.StatusSeeOther)
	if n := h.Count(`SELECT count(*) FROM bank_entries WHERE id = $1 AND state = 'unmatched'`, id.String()); n != 1 {
		t.Error("the movement does not wait")
	}
}

func TestTheFileOfEntriesHasWhatItsPageShows(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	billed(h, 64900)
	today := calendar.DateOf(h.Store.Now()).String()
	for _, what := range []string{"First", "Second"} {
		h.Page(h.A.Finance, "POST", "/books/fees", form("kind", "fee", "day", today, "gross", "6,90", "vat", "0,90",
			"what", what)).Want(http.StatusSeeOther)
	}
	page := h.Page(h.A.Reader, "GET", "/books/entries?role=fee", nil).Want(http.StatusOK).
		Contains("/books/entries/export?format=csv&amp;role=fee").Body
	if !strings.Contains(page, "2 entries") {
		t.Error("the page has others")
	}
	file := h.Page(h.A.Reader, "GET", "/books/entries/export?format=csv&role=fee", nil).Want(http.StatusOK).Body
	if strings.Count(file, "\r\n") != 3 || !strings.Contains(file, "Collections in transit") ||
		!strings.Contains(file, "-6.90") || strings.Contains(file, "Thandi") {
		t.Errorf("the file has %s", file)
	}
	all := h.Page(h.A.Reader, "GET", "/books/entries/export?format=csv", nil).Want(http.StatusOK).Body
	if strings.Count(all, "\r\n") != 4 || !strings.Contains(all, "649.00") {
		t.Errorf("the file has %s", all)
	}
	h.Page(h.A.Reader, "GET", "/books/entries/export?format=csv&role=cash", nil).Want(http.StatusBadRequest)
	h.Page(h.B.Reader, "GET", "/books/entries/export?format=csv", nil).Want(http.StatusOK).Lacks("649.00")
}
