package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
)

// eft is money that clients paid by EFT, and what they owe.
type eft struct {
	*handlertest.Server
	t *testing.T
}

func eftServer(t *testing.T) eft { return eft{bankServer(t), t} }

// owes makes a purchase that waits to be paid.
func (h eft) owes(name, reference string, cents int64) string {
	h.t.Helper()
	email := strings.ToLower(strings.ReplaceAll(name, " ", ".")) + "." + strings.ToLower(reference) + "@example.com"
	client := h.API("POST", "/clients/", map[string]any{"email": email, "full_name": name}).Want(201).Text("id")
	return h.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"due":%d,"reference":%q,
		"purchase":{"products":[{"name":"m","price":%d}]}}`, client, h.A.BrandID, bankThursday.AddDays(20).At(12, 0).Unix(),
		reference, cents)).Want(201).Text("id")
}

func (h eft) exec(sql string, args ...any) {
	h.t.Helper()
	if _, err := h.Store.Pool.Exec(h.t.Context(), sql, args...); err != nil {
		h.t.Fatal(err)
	}
}

// came books money in, with what the client wrote.
func (h eft) came(cents int64, text string) (at string) {
	h.t.Helper()
	id := h.Unmatched(cents, true, bankMonday)
	h.exec(`UPDATE bank_entries SET remittance = $2 WHERE id = $1`, [16]byte(id), text)
	return "/bank/movements/" + id.String()
}

// pays is the form that pays purchases.
func pays(seen int64, of ...string) url.Values {
	form := url.Values{"seen": {fmt.Sprint(seen)}}
	for i := 0; i < len(of); i += 2 {
		form.Set("amount-"+of[i], of[i+1])
	}
	return form
}

// holds checks that journal, purchases, movements and payments tell of the same money.
func (h eft) holds(paid int64) {
	h.t.Helper()
	for what, sql := range map[string]string{
		"the journal differs": `SELECT count(*) FROM check_journal(NULL)`,
		"a purchase differs from its movements of money": `SELECT count(*) FROM purchases p WHERE p.net_cents <>
			coalesce((SELECT sum(l.amount_cents) FROM ledger_entries l WHERE l.purchase_id = p.id), 0)`,
		"a bank movement differs from its payments": `SELECT count(*) FROM bank_entries e WHERE e.paid_cents <>
			coalesce((SELECT sum(b.amount_cents) FROM bank_payments b WHERE b.entry_id = e.id AND b.undone_at IS NULL), 0)
			OR (e.state = 'paid') <> (e.paid_cents = e.amount_cents)`,
		"a change is not in the audit": `SELECT (SELECT count(*) FROM bank_payments) - (SELECT count(*) FROM audit_entries
			WHERE action = 'purchase.marked_as_paid')`,
	} {
		if n := h.Count(sql); n != 0 {
			h.t.Errorf("%s: %d", what, n)
		}
	}
	if n := h.Count(`SELECT coalesce(sum(bank), 0)::int FROM journal_entries`); int64(n) != paid {
		h.t.Errorf("the bank account has %d cents in the journal, want %d", n, paid)
	}
}

func (h eft) status(id string) string {
	return h.API("GET", "/purchases/"+id+"/", nil).Want(200).Text("status")
}

func TestMoneyByEFTIsBookedOnThePurchaseThatItsTextNames(t *testing.T) {
	h := eftServer(t)
	named := h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	other := h.owes("Piet Botha", "KSF-1040", 45000)
	at := h.came(45000, "MEMBERSHIP KSF 1032")
	page := h.Page(h.A.Finance, "GET", at+"/match", nil).Want(200).Contains(
		"KSF-1032 in the text, amount agrees; 2 purchases owe it",
		`name="amount-`+named+`" value="450,00"`, `name="amount-`+other+`" value=""`)
	if strings.Index(page.Body, named) > strings.Index(page.Body, other) {
		t.Error("the purchase that the text names is not the first")
	}
	h.Page(h.A.Staff, "POST", at+"/payments", pays(0, named, "450,00")).Want(403)
	h.Page(h.B.Finance, "POST", at+"/payments", pays(0, named, "450,00")).Want(404)
	bankPost(h.Server, at+"/payments", pays(0, named, "450,00")).Contains(
		"The payment is booked.", "Paid by EFT", "KSF-1032",
		"R\u00a0450,00").Lacks("/match")
	got := h.status(named) + " " + h.status(other)
	if got != "paid viewed" && got != "paid created" && got != "paid sent" {
		t.Error(got)
	}
	if n := h.Count(`SELECT count(*) FROM purchases WHERE id = $1::text::uuid AND marked_as_paid
		AND payment->>'description' = 'Marked as paid by transfer, reference FB77'`, named); n != 1 {
		t.Error("the purchase does not say how it was paid")
	}
	h.holds(45000)
	bankPost(h.Server, at+"/payments", pays(0, other, "450,00")).Contains("booked on purchases already")
	bankPost(h.Server, at+"/match", url.Values{"item": {uuid.NewString()}}).Contains("Undo that first")
	h.Page(h.A.Finance, "GET", at+"/match", nil).Want(409)
	h.Page(h.A.Reader, "GET", "/purchases/"+named, nil).Want(200).Contains("marked as paid by transfer, reference FB77")
	h.Page(h.A.Finance, "GET", "/bank/movements?state=paid", nil).Want(200).Contains("1 movement, ")
	h.holds(45000)
}

func TestMoneyByEFTPaysSeveralPurchasesInPartAndTheRestStaysInSight(t *testing.T) {
	h := eftServer(t)
	first, second := h.owes("Nomsa Dlamini", "KSF-1032", 45000), h.owes("Nomsa Dlamini", "KSF-1033", 45000)
	at := h.came(80000, "DLAMINI")
	h.Page(h.A.Finance, "GET", at+"/match", nil).Want(200).Contains("No open purchase owes R\u00a0800,00")
	h.Page(h.A.Finance, "GET", at+"/match?q=nomsa", nil).Want(200).Contains("KSF-1032", "KSF-1033")
	h.Page(h.A.Finance, "POST", at+"/payments", pays(0, first, "450,01")).Want(422).Contains("450,01",
		"KSF-1032: Enter an amount between")
	h.Page(h.A.Finance, "POST", at+"/payments", pays(0, first, "450,00", second, "350,01")).Want(422).
		Contains("come to R\u00a0800,01, and only R\u00a0800,00 of the movement is left")
	h.Page(h.A.Finance, "POST", at+"/payments", pays(0)).Want(422).Contains("Enter an amount beside each purchase")
	h.Page(h.A.Finance, "POST", at+"/payments", pays(0, first, "much")).Want(422)
	h.holds(0)
	bankPost(h.Server, at+"/payments", pays(0, first, "450,00", second, "100,00")).Contains(
		"R\u00a0250,00 of the movement is left",
		"Unmatched", "Still to be matched", "Book the rest")
	h.Page(h.A.Finance, "GET", "/bank/movements?state=unmatched", nil).Want(200).Contains("R\u00a0250,00 left")
	h.holds(55000)
	bankPost(h.Server, at+"/payments", pays(0, second, "50,00")).Contains("in the meantime") // the form of before, twice
	h.holds(55000)
	bankPost(h.Server, at+"/payments", pays(55000, second, "250,00")).Contains("Paid by EFT")
	if h.status(first) != "paid" || h.status(second) == "paid" {
		t.Error(h.status(first), h.status(second))
	}
	h.Page(h.A.Finance, "GET", "/purchases/"+second, nil).Want(200).Contains("100,00")
	h.holds(80000)
	at = h.came(30000, "")
	bankPost(h.Server, at+"/payments", pays(0, second, "60,00")).Contains("R\u00a0240,00 of the movement is left")
	h.At(bankThursday.AddDays(30).At(9, 0))
	h.Page(h.A.Finance, "GET", "/books/closing?month=2027-01", nil).Want(200).Contains("1 bank movement")
}

func TestAPaymentByEFTIsTakenBackWithItsMatch(t *testing.T) {
	h := eftServer(t)
	whole, part := h.owes("Nomsa Dlamini", "KSF-1032", 45000), h.owes("Piet Botha", "KSF-1033", 45000)
	at := h.came(60000, "")
	bankPost(h.Server, at+"/payments", pays(0, whole, "450,00", part, "150,00"))
	undo := func(purchase string) url.Values {
		var id string
		if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM bank_payments WHERE purchase_id = $1::text::uuid
			ORDER BY id DESC LIMIT 1`, purchase).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return url.Values{"payment": {id}}
	}
	bankPost(h.Server, "/purchases/"+part+"/payment/return", nil).Contains("Undo that on the page")
	h.Page(h.A.Staff, "POST", at+"/payments/return", undo(part)).Want(403)
	h.Page(h.B.Finance, "POST", at+"/payments/return", undo(part)).Want(404)
	h.Page(h.A.Finance, "POST", h.came(1, "")+"/payments/return", undo(part)).Want(404)
	bankPost(h.Server, at+"/payments/return", undo(part)).Contains("The payment is taken back.", "Unmatched")
	bankPost(h.Server, at+"/payments/return", undo(part)).Contains("taken back already")
	if n := h.Count(`SELECT count(*) FROM bank_findings WHERE kind = 'unmatched' AND closed_at IS NULL`); n != 1 {
		t.Errorf("%d findings are open", n)
	}
	h.holds(45000)
	bankPost(h.Server, at+"/payments/return", undo(whole)).Contains("The payment is taken back.")
	if got := h.status(whole); got != "error" {
		t.Error(got)
	}
	h.Page(h.A.Finance, "GET", "/purchases/"+whole, nil).Want(200).Contains("from a bank movement was taken back")
	h.holds(0)
	bankPost(h.Server, at+"/payments", pays(0, whole, "450,00", part, "150,00")).Contains("Paid by EFT")
	h.API("POST", "/purchases/"+whole+"/refund/", `{"amount":1000}`).Want(200)
	h.Page(h.A.Finance, "GET", at, nil).Want(200).Contains("was refunded. What paid it stays.")
	bankPost(h.Server, at+"/payments/return", undo(whole)).Contains("was refunded. What paid it stays.")
	h.holds(59000)
}

func TestOnlyMoneyThatCameInPaysAPurchaseOfTheSameCurrencyAndBusiness(t *testing.T) {
	h := eftServer(t)
	owed := h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	out := "/bank/movements/" + h.Unmatched(45000, false, bankMonday).String()
	h.Page(h.A.Finance, "GET", out+"/match", nil).Want(200).Lacks("open purchases does it pay")
	bankPost(h.Server, out+"/payments", pays(0, owed, "450,00")).Contains("went out of your account")
	at := h.came(45000, "KSF-1032")
	h.exec(`UPDATE bank_entries SET currency = 'USD' WHERE id = $1::text::uuid`,
		strings.TrimPrefix(at, "/bank/movements/"))
	h.Page(h.A.Finance, "GET", at+"/match", nil).Want(200).Lacks(owed)
	h.Page(h.A.Finance, "POST", at+"/payments", pays(0, owed, "450,00")).Want(422).Contains("The movement is in USD")
	at = h.came(45000, "KSF-1032")
	h.Page(h.A.Finance, "POST", at+"/payments", pays(0, uuid.NewString(), "450,00")).Want(404)
	stranger := h.APIAs(h.B, "POST", "/clients/", map[string]any{"email": "b@example.com", "full_name": "B"}).Want(201).Text("id")
	theirs := h.APIAs(h.B, "POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,
		"purchase":{"products":[{"name":"m","price":45000}]}}`, stranger, h.B.BrandID)).Want(201).Text("id")
	h.Page(h.A.Finance, "POST", at+"/payments", pays(0, theirs, "450,00")).Want(404)
	h.holds(0)
}

func TestAPurchaseWithAPlannedDebitIsNotPaidByEFTBeforeItIsCancelled(t *testing.T) {
	h := eftServer(t)
	_, purchases := h.HandOver(1, 15000, bankThursday)
	at := h.came(15000, "")
	h.Page(h.A.Finance, "GET", at+"/match", nil).Want(200).
		Contains("A debit is planned or with the bank. Cancel it first.").
		Lacks("amount-" + purchases[0].String())
	h.Page(h.A.Finance, "POST", at+"/payments", pays(0, purchases[0].String(), "150,00")).Want(422).
		Contains("cannot be marked as paid")
	h.holds(0)
}

// Of two who decide about the same money at once, one is told.
func TestTwoWhoBookTheSameMoneyAtOnceBookItOnce(t *testing.T) {
	h := eftServer(t)
	for n := range 4 {
		owed := [2]string{h.owes("Nomsa Dlamini", fmt.Sprintf("A-%d", 1000+n), 45000),
			h.owes("Piet Botha", fmt.Sprintf("B-%d", 1000+n), 45000)}
		both := [2]string{h.came(45000, ""), h.came(45000, "")}
		one := n%2 == 0 // one movement for two purchases, or two movements for one purchase
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() {
				at, of := both[0], owed[i]
				if !one {
					at, of = both[i], owed[0]
				}
				h.Page(h.A.Finance, "POST", at+"/payments", pays(0, of, "450,00"))
			})
		}
		all.Wait()
		h.holds(int64(45000 * (n + 1)))
	}
	for n := range 2 { // undone twice at once
		at := h.came(45000, "")
		bankPost(h.Server, at+"/payments", pays(0, h.owes("Zanele Nkosi", fmt.Sprintf("C-%d", 1000+n), 45000), "450,00"))
		var id string
		if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM bank_payments ORDER BY id DESC LIMIT 1`).
			Scan(&id); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { h.Page(h.A.Finance, "POST", at+"/payments/return", url.Values{"payment": {id}}).Want(303) })
		}
		all.Wait()
		h.holds(45000 * 4)
	}
}

// A later statement that tells the same money with our reference does not take what was booked out of sight.
func TestMoneyThatWasBookedIsNotExplainedAwayByALaterStatement(t *testing.T) {
	h := eftServer(t)
	owed := h.owes("Nomsa Dlamini", "KSF-1032", 45000)
	debits, _ := h.HandOver(1, 45000, bankThursday)
	message := h.CutAndTake()
	told := exchange.Event{Kind: exchange.OnEntry, Status: "BOOK", Credit: true, HasAmount: true, AmountCents: 45000,
		Currency: "ZAR", BookedOn: bankMonday, Reference: "FB9", BankCode: "PMNT/IDDT/ESDD",
		Told: exchange.ByReportOfDay}
	h.Exchange.Decoder = exchangetest.Codec{Account: "12345678"}
	h.Arrive("monday", told)
	var id string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM bank_entries`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	bankPost(h.Server, "/bank/movements/"+id+"/payments", pays(0, owed, "100,00")).Contains("is left")
	ours := exchangetest.Booked(debits[0], 45000, true, bankMonday)
	ours.Reference, ours.BankCode, ours.Told = told.Reference, told.BankCode, exchange.ByStatement
	h.Arrive("tuesday", exchangetest.Acknowledged(message), ours)
	if n := h.Count(`SELECT count(*) FROM bank_entries WHERE state = 'unmatched' AND paid_cents = 10000`); n != 1 ||
		h.Count(`SELECT count(*) FROM bank_entries WHERE state = 'explained'`) != 0 {
		t.Error("money that was booked is told elsewhere")
	}
	h.holds(10000)
}
