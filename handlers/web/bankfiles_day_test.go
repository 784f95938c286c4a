package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
)

func TestADifferenceOpensToItsDebitsAndIsAcceptedWithANote(t *testing.T) {
	h := bankServer(t)
	debits, _ := h.HandOver(4, 15000, bankThursday)
	id := h.CutAndTake()
	h.Arrive("day", exchangetest.Acknowledged(id), exchangetest.Booked(debits[0], 15000, true, bankThursday),
		exchangetest.Booked(debits[1], 15000, true, bankThursday), exchangetest.Booked(debits[2], 15000, true, bankThursday))
	h.At(bankThursday.AddDays(1).At(6, 1))
	h.Run() // silence: all four are paid
	at := "/bank/days/2027-01-14"
	h.Page(h.A.Staff, "GET", "/bank/days", nil).Want(200).Contains("href=\"" + at)
	h.Page(h.A.Staff, "GET", at, nil).Want(200).Contains("Does not add up", "the bank booked nothing for it",
		"Nomsa Dlamini", "What may explain it", "It is in one list only").Lacks("nothing is expected for it", "acceptance")
	form := url.Values{"cents": {"-15000"}, "note": {""}}
	h.Page(h.A.Finance, "POST", at+"/acceptance", form).Want(422).Contains("Say why the difference is right.")
	form.Set("note", "The bank books it on Monday.")
	h.Page(h.A.Staff, "POST", at+"/acceptance", form).Want(403)
	h.Page(h.B.Owner, "POST", at+"/acceptance", form).Want(404)
	bankPost(h, at+"/acceptance", form).Contains("The difference is accepted.", "The bank books it on Monday.", "Accepted")
	h.Page(h.A.Staff, "GET", "/", nil).Want(200).Lacks("does not add up")
	h.Page(h.A.Staff, "GET", "/bank/days?state=accepted", nil).Want(200).Contains("1 bank day")
	bankPost(h, at+"/reopening", nil).Contains("no longer accepted", "Does not add up")
	h.Page(h.A.Staff, "GET", "/bank/days/nonsense", nil).Want(404)
	h.Page(h.B.Owner, "GET", at, nil).Want(404)
}

// From a day that does not add up a person comes to the one debit, and to what clears it.
func TestADayThatDoesNotAddUpSaysWhatMayExplainIt(t *testing.T) {
	h := bankServer(t)
	debits, purchases := h.HandOver(2, 15000, bankThursday)
	id := h.CutAndTake()
	h.Arrive("day", exchangetest.Acknowledged(id), exchangetest.Booked(debits[0], 15000, true, bankThursday))
	h.At(bankThursday.AddDays(1).At(6, 1))
	h.Run()
	at := "/bank/days/2027-01-14"
	movement := h.Unmatched(15000, true, bankThursday)
	h.Page(h.A.Finance, "GET", at, nil).Want(200).Contains("A movement without a match", "Nomsa Dlamini, ",
		" expects just that, and the bank booked nothing for it.",
		"/bank/movements/"+movement.String()+"/match")
	h.Page(h.A.Reader, "GET", at, nil).Want(200).Contains("/bank/movements/"+movement.String()+"\"").
		Lacks("/match", "#accept")
	h.Arrive("next", exchangetest.Booked(debits[1], 15000, true, bankThursday.AddDays(1)))
	h.Page(h.A.Finance, "GET", at, nil).Want(200).Contains("It is on another day",
		"is expected on Thu 14 Jan 2027, and the bank booked it on Fri 15 Jan 2027.", "/bank/days/2027-01-15",
		"#accept", "/purchases/"+purchases[1].String())
	h.Page(h.A.Finance, "GET", "/bank/days/2027-01-15", nil).Want(200).Contains("It is on another day",
		"on Fri 15 Jan 2027, and it is expected on Thu 14 Jan 2027.")
	h.At(bankThursday.AddDays(60).At(9, 0)) // long after: the closing leads to the days of its own month
	of := "/bank/days?state=differs&from=2027-01-01&to=2027-01-31"
	h.Page(h.A.Finance, "GET", "/books/closing?month=2027-01", nil).Want(200).
		Contains("2 days that do not add up", strings.ReplaceAll(of, "&", "&amp;"))
	h.Page(h.A.Finance, "GET", of, nil).Want(200).Contains(at, "2 bank days")
}

func TestHalfAnHourBeforeACutThePageShowsWhatLeaves(t *testing.T) {
	h := bankServer(t)
	h.HandOver(2, 15000, bankThursday)
	h.At(bankMonday.At(10, 59))
	h.Page(h.A.Reader, "GET", "/bank", nil).Want(200).Lacks("Leaves at")
	h.At(bankMonday.At(11, 0))
	h.Page(h.A.Reader, "GET", "/bank", nil).Want(200).Contains("Leaves at", `datetime="2027-01-14"`, "300,00",
		"/bank/items?item_state=waiting")
}

func TestTheTextOfAPaymentIsShownAndLeadsToItsInvoice(t *testing.T) {
	h := bankServer(t)
	_, purchases := h.HandOver(3, 15000, bankThursday)
	h.CutAndTake()
	movement := h.Unmatched(15000, true, bankThursday)
	if n := h.Count(`WITH made AS (UPDATE invoices SET number = 'INV-2027-000777' WHERE purchase_id = $1 RETURNING 1),
		added AS (INSERT INTO invoices (id, merchant_id, brand_id, purchase_id, kind, year, serial, number, issued, currency,
			total_cents, particulars, created_at) SELECT gen_random_uuid(), p.merchant_id, p.brand_id, p.id, 'invoice', 2027,
			777, 'INV-2027-000777', '2027-01-11', 'ZAR', 15000, '{}', now() FROM purchases p WHERE p.id = $1
			AND NOT EXISTS (SELECT FROM invoices v WHERE v.purchase_id = p.id) RETURNING 1),
		told AS (UPDATE bank_entries SET remittance = 'thanks for INV-2027-000777' WHERE id = $2 RETURNING 1)
		SELECT (SELECT count(*) FROM made) + (SELECT count(*) FROM added) + (SELECT count(*) FROM told)`, purchases[1],
		movement); n != 2 {
		t.Fatalf("%d rows", n)
	}
	h.Page(h.A.Staff, "GET", "/bank/movements", nil).Want(200).Contains("thanks for INV-2027-000777")
	h.Page(h.A.Finance, "GET", "/bank/movements/"+movement.String()+"/match", nil).Want(200).
		Contains("The text names INV-2027-000777, of Nomsa Dlamini")
}

func TestAStatementOfAnotherAccountIsNamedAsSuch(t *testing.T) {
	h := bankServer(t)
	h.Exchange.Decoder = exchangetest.Codec{Account: "4047527520"}
	file := exchangetest.Arrival(exchange.Event{Kind: exchange.OnEntry, Status: "BOOK", Credit: true, HasAmount: true,
		AmountCents: 15000, Currency: "ZAR", BookedOn: bankThursday, Reference: "FB1", BankCode: "PMNT/RCDT/ESCT"})
	sent := upload(h, h.A.Finance, "other.json", file).Want(303)
	h.Page(h.A.Finance, "GET", sent.Header.Get("Location"), nil).Want(200).
		Contains("This is about another account", "7520").Lacks("4047527520")
	h.Exchange.Decoder = exchangetest.Codec{Account: "12345678"}
	for n := range 2 {
		// The same movement in a file of other bytes.
		sent := upload(h, h.A.Finance, fmt.Sprintf("day-%d.json", n), append(file, []byte(fmt.Sprintf("%*s", n+1, ""))...)).
			Want(303)
		got := h.Page(h.A.Finance, "GET", sent.Header.Get("Location"), nil).Want(200)
		if n == 0 {
			got.Lacks("repeats what was known", "another account")
			continue
		}
		got.Contains("This file repeats what was known")
	}
}
