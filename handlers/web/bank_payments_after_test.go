package web_test

import (
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

// bookedFor is the form that takes back the newest payment of a purchase.
func (h eft) bookedFor(purchase string) url.Values {
	h.t.Helper()
	var id string
	if err := h.Store.Pool.QueryRow(h.t.Context(), `SELECT id::text FROM bank_payments WHERE purchase_id = $1::text::uuid
		ORDER BY id DESC LIMIT 1`, purchase).Scan(&id); err != nil {
		h.t.Fatal(err)
	}
	return url.Values{"payment": {id}}
}

func (h eft) look(path string) handlertest.Answer {
	h.t.Helper()
	return h.Page(h.A.Finance, "GET", path, nil).Want(200)
}

// A payment that was taken back is no debit that failed: nobody reads that one did.
func TestAPurchaseWhosePaymentWasTakenBackDoesNotSayThatADebitFailed(t *testing.T) {
	h := eftServer(t)
	owed := h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	at := h.came(45000, "KSF-1032")
	bankPost(h.Server, at+"/payments", pays(0, owed, "450,00"))
	bankPost(h.Server, at+"/payments/return", h.bookedFor(owed))
	if got := h.status(owed); got != "error" {
		t.Error(got) // as the API's contract has it
	}
	h.look("/purchases/"+owed).Contains("Owed again", "was taken back, and no debit failed").
		Lacks("The last attempt failed", ">Failed<")
	var entry string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT '/audit/' || id FROM audit_entries
		WHERE action = 'purchase.payment_taken_back'`).Scan(&entry); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Owner, "GET", entry, nil).Want(200).Contains("owed again").Lacks(">failed<")
	h.look("/purchases?q=KSF-1032").Contains("Owed again").Lacks("The last attempt failed")
	h.Call("GET", "/p/"+owed+"/", nil).Want(200).Lacks("The last debit was not paid", "Your bank did not pay")
	h.At(bankThursday.AddDays(40).At(9, 0))
	h.look("/purchases/" + owed).Lacks("The last attempt failed")
	h.Call("GET", "/p/"+owed+"/", nil).Want(200).Lacks("The last debit was not paid", "Your bank did not pay")
	bankPost(h.Server, at+"/payments", pays(0, owed, "450,00")).Contains("The payment is booked.")
	bankPost(h.Server, at+"/payments/return", h.bookedFor(owed)) // after its due date
	h.look("/purchases/" + owed).Contains("no debit failed").Lacks("The last attempt failed")
	h.Call("GET", "/p/"+owed+"/", nil).Want(200).Contains("This was due on").Lacks("The last debit was not paid")
	h.holds(0)
}

// What was settled as none of ours can pay after all.
func TestAMovementThatWasSettledCanBeReopened(t *testing.T) {
	h := eftServer(t)
	owed := h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	at := h.came(45000, "KSF-1032")
	h.exec(`INSERT INTO bank_findings (id, merchant_id, kind, subject, arrival_id, text, opened_at)
		SELECT gen_random_uuid(), merchant_id, 'unmatched', arrival_id || ':' || merchant_id, arrival_id, 'Money came in.',
		now() FROM bank_entries`)
	var finding string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM bank_findings`).Scan(&finding); err != nil {
		t.Fatal(err)
	}
	bankPost(h.Server, "/bank/findings/"+finding+"/settlement", url.Values{"note": {"A loan of the owner."}})
	bankPost(h.Server, at+"/payments", pays(0, owed, "450,00")).Contains("Only a movement without a match")
	h.look(at).Contains("Reopen", "A loan of the owner.")
	h.Page(h.A.Reader, "GET", at, nil).Want(200).Lacks("Reopen")
	h.Page(h.A.Staff, "POST", at+"/reopening", nil).Want(403)
	h.Page(h.B.Finance, "POST", at+"/reopening", nil).Want(404)
	bankPost(h.Server, at+"/reopening", nil).Contains("waits to be matched", "Unmatched").Lacks("A loan of the owner.")
	bankPost(h.Server, at+"/reopening", nil).Contains("is not settled")
	if n := h.Count(`SELECT count(*) FROM bank_findings WHERE kind = 'unmatched' AND closed_at IS NULL`); n != 1 {
		t.Errorf("%d findings are open", n)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'bank.entry_reopened'
		AND before->>'note' = 'A loan of the owner.'`); n != 1 {
		t.Errorf("%d entries of the audit", n)
	}
	bankPost(h.Server, at+"/payments", pays(0, owed, "450,00")).Contains("The payment is booked.")
	bankPost(h.Server, at+"/reopening", nil).Contains("is not settled")
	h.holds(45000)
}

// A movement that the books hold is freed there, so that no money stands in them twice.
func TestAMovementThatTheBooksHoldIsNotReopened(t *testing.T) {
	h := eftServer(t)
	at := h.came(45000, "SETTLEMENT")
	id := strings.TrimPrefix(at, "/bank/movements/")
	bankPost(h.Server, "/books/fees", url.Values{"kind": {"payout"}, "movement": {id}, "day": {bankMonday.String()},
		"gross": {"450,00"}, "reference": {"P-1"}, "what": {"Provider"}})
	if n := h.Count(`SELECT count(*) FROM book_records WHERE movement_id IS NOT NULL`); n != 1 {
		t.Fatalf("%d records", n)
	}
	bankPost(h.Server, at+"/reopening", nil).Contains("The books hold this movement")
	h.look(at).Contains("The books hold this movement").Lacks(`action="` + at + `/reopening"`)
}

// The list says what a movement paid.
func TestTheListOfMovementsSaysWhatEachPaid(t *testing.T) {
	h := eftServer(t)
	first, second := h.owes("Nomsa Dlamini", "KSF-1032", 45000), h.owes("Piet Botha", "KSF-1033", 45000)
	at := h.came(90000, "")
	bankPost(h.Server, at+"/payments", pays(0, first, "450,00"))
	h.look("/bank/movements").Contains(`href="/purchases/`+first+`"`, "KSF-1032", "Nomsa Dlamini", "Match…")
	bankPost(h.Server, at+"/payments", pays(45000, second, "450,00"))
	h.look("/bank/movements").Contains(`href="/purchases/`+first+`"`, "KSF-1032", "and 1 more purchase")
	bankPost(h.Server, at+"/payments/return", h.bookedFor(first))
	h.look("/bank/movements").Contains("KSF-1033", "Piet Botha").Lacks("KSF-1032")
}

// The list says of each movement what it probably pays, by the rule of the movement's own page, and one press books it.
func TestTheListOfMovementsOffersWhatEachProbablyPays(t *testing.T) {
	h := eftServer(t)
	owed := h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	h.owes("Piet Botha", "ksf-1040", 30000)
	h.owes("Sipho Zulu", "SAME-1", 20000)
	h.owes("Lerato Mokoena", "SAME-1", 20000)
	sure, lower := h.came(45000, "MEMBERSHIP KSF 1032"), h.came(30000, "KSF-1040")
	h.came(20000, "SAME-1")       // two purchases
	h.came(45001, "KSF-1032")     // another amount
	h.came(45000, "KSF-1032-2")   // not the whole reference
	h.came(45000, "DLAMINI FEES") // no reference
	list := h.look("/bank/movements?state=unmatched").Contains("Probably pays", "KSF-1032 in the text, amount agrees",
		"Nomsa Dlamini", `action="`+sure+`/payments"`, `action="`+lower+`/payments"`)
	if n := strings.Count(list.Body, "Probably pays"); n != 2 {
		t.Errorf("%d movements probably pay a purchase, want 2", n)
	}
	h.Page(h.A.Reader, "GET", "/bank/movements?state=unmatched", nil).Want(200).Contains("Probably pays").
		Lacks(`/payments"`)
	h.exec(`INSERT INTO bank_findings (id, merchant_id, kind, subject, arrival_id, text, opened_at)
		SELECT gen_random_uuid(), merchant_id, 'unmatched', arrival_id || ':' || merchant_id, arrival_id, 'Money came in.',
		now() FROM bank_entries`)
	h.look("/").Contains("2 bank movements probably pay an open purchase")
	form := pays(0, owed, "450,00")
	form.Set("from", "list")
	h.Page(h.A.Staff, "POST", sure+"/payments", form).Want(403)
	bankPost(h.Server, sure+"/payments", form).Contains("is booked as paid on KSF-1032, of Nomsa Dlamini",
		"/payments/return?payment=", "Probably pays").Lacks(`action="` + sure + `/payments"`)
	h.look("/").Contains("A bank movement of R\u00a0300,00 probably pays ksf-1040")
	bankPost(h.Server, sure+"/payments", form).Contains("booked on purchases already")
	bankPost(h.Server, sure+"/payments/return?payment="+h.bookedFor(owed).Get("payment"), url.Values{}).
		Contains("taken back")
	h.holds(0)
}
