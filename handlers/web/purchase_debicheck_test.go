package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	banksandbox "debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/debit"
)

// asks requests a mandate by the API and hands it to the bank; later runs what is
// due after a time.
func asks(t *testing.T, h *handlertest.Server, account, price string) (id string, later func(time.Duration)) {
	t.Helper()
	client := h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"phone":        "27821234567",
		"bank_account": account, "bank_code": "632005", "personal_code": "8501015000085"}).Want(201).Text("id")
	id = h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,
		"purchase":{"products":[{"name":"Membership","price":%s}],"payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1",
		"account_number":"12345678","value_type":"FIXED","authentication_type":"DELAYED","debit_sequence":"RCUR","adjustment_category":"NEVER","allow_date_adjustment":true,"max_amount_cents":%s}}}}`,
		client, h.A.BrandID, price, price)).Want(201).Text("id")
	g := banksandbox.New(banksandbox.Store{DB: h.Store}, h.Store.Now, h.Purchases.Timetable, h.Purchases.Calendar)
	engine := &debit.Service{InTx: h.Store.InTx, Store: debit.Store{DB: h.Store}, Bank: g, Purchases: h.Purchases,
		Now:       h.Store.Now,
		Timetable: h.Purchases.Timetable, Limits: h.Purchases.Limits}
	later = func(wait time.Duration) {
		if err := h.Store.Clock.MoveTo(t.Context(), h.Store.Now().Add(wait)); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	later(0)
	return id, later
}

func TestAPurchaseThatWaitsForThePayerSaysSo(t *testing.T) {
	h := handlertest.New(t)
	id, later := asks(t, h, "4000000000", "10000")
	h.Page(h.A.Staff, "GET", "/purchases/"+id, nil).Want(http.StatusOK).
		Contains("Waiting for the client", "asked to confirm the DebiCheck mandate", "/mandates/"+id, "Show the mandate",
			"the answer must come first").
		Lacks("Being collected", "Ask the client again")
	h.Page(h.A.Staff, "GET", "/purchases", nil).Want(http.StatusOK).Contains("Waiting for the client")
	h.Page(h.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Lacks("not confirmed")
	h.Page(h.A.Staff, "GET", "/mandates/"+id, nil).Want(http.StatusOK).
		Contains("Asked for at the client’s bank", "the client has not confirmed this mandate at the bank").
		Lacks("the address above", "The client’s bank keeps")
	later(2 * time.Hour)
	h.Page(h.A.Staff, "GET", "/mandates/"+id, nil).Want(http.StatusOK).
		Contains("Confirmed at the client’s bank", "The client’s bank keeps the confirmation under its reference SBX").
		Lacks("the address above", "Asked for at the client’s bank")
	h.Page(h.A.Staff, "GET", "/tokens/"+id, nil).Want(http.StatusOK).
		Contains("The first debit is on ", "/purchases/"+id, "Being collected").Lacks("No purchase yet", "Not charged yet")
	h.Page(h.A.Staff, "GET", "/purchases/"+id, nil).Want(http.StatusOK).
		Contains("Being collected", "The client confirmed the mandate",
			"Answer of the bank: collected, failed or in tracking").
		Lacks("Waiting for the client", "provisional")
}

func TestAPurchaseThatWasNotConfirmedSaysWhatHelps(t *testing.T) {
	for account, c := range map[string]struct {
		wait time.Duration
		word string
		why  string
	}{
		"4000008002": {2 * time.Hour, "Declined", "Declined by the client (MS02)"},
		"4000008480": {49 * time.Hour, "No answer", "No answer from the client (NOAS)"},
		"4000008500": {time.Minute, "Bank error", "system failed (EERR)"},
	} {
		h := handlertest.New(t)
		id, later := asks(t, h, account, "10000")
		later(c.wait)
		h.Page(h.A.Staff, "GET", "/purchases/"+id, nil).Want(http.StatusOK).
			Contains(">"+c.word+"<", c.why, "Ask the client again", "/mandates/"+id,
				"nothing was taken").Lacks("Waiting for the client")
		h.Page(h.A.Staff, "GET", "/purchases", nil).Want(http.StatusOK).Contains(c.word)
		h.Page(h.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Contains("Mandates that were not confirmed",
			"Thandi Nkosi", c.why)
		later(8 * 24 * time.Hour)
		h.Page(h.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Contains("Mandates that were not confirmed")
		h.API("POST", "/purchases/"+id+"/cancel/", nil).Want(http.StatusOK)
		h.Page(h.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Lacks("Mandates that were not confirmed")
	}
}

func TestADebitInTrackingSaysUntilWhenTheBankWaits(t *testing.T) {
	h := handlertest.New(t)
	id, later := asks(t, h, "4000009302", "10000")
	later(2 * time.Hour)
	for range 8 { // until the bank has debited
		later(24 * time.Hour)
		if h.Count(`SELECT count(*) FROM collections WHERE state = 'in_tracking'`) == 1 {
			break
		}
	}
	h.Page(h.A.Staff, "GET", "/purchases/"+id, nil).Want(http.StatusOK).Contains("is waiting for money until",
		"The bank stops waiting for money").Lacks("provisional")
	later(11 * 24 * time.Hour)
	h.Page(h.A.Staff, "GET", "/purchases/"+id, nil).Want(http.StatusOK).Contains("Not enough money (02)",
		"Seven failures in a row suspend the mandate").
		Lacks("Two such failures")
}

func TestAChargeOnASuspendedMandateNeedsAttention(t *testing.T) {
	h := handlertest.New(t)
	id, later := asks(t, h, "4000008600", "10000")
	later(2 * time.Hour)
	waits := h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client":{"email":"x@example.com"},"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"Later","price":10000}]}}`,
		h.A.BrandID,
		h.Store.Now().Add(10*24*time.Hour).Unix(),
	)).Want(201).Text("id")
	h.API("POST", "/purchases/"+waits+"/charge/", map[string]any{"recurring_token": id}).Want(http.StatusOK)
	later(30 * time.Hour)
	h.Page(h.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Contains("Blocked accounts that are still needed",
		"Suspended mandates", "Cancelled by the client (CTCA)")
}

// The form of a DebiCheck debit goes by the rules of DebiCheck: Saturday is open, the bank hears of it one business day
// before, and a closed day moves as the brand's own setting for DebiCheck says.
func TestADebiCheckDebitIsShownAsItIsBooked(t *testing.T) {
	h := handlertest.New(t)
	id, later := asks(t, h, "4000000000", "10000")
	later(time.Minute)
	if err := h.Store.Clock.MoveTo(t.Context(), calendar.On(2026, time.November, 30).At(9, 0)); err != nil {
		t.Fatal(err)
	}
	later(0)
	client := h.API("GET", "/purchases/"+id+"/", nil).Want(200).Text("client_id")
	form := url.Values{"form_key": {"k1"}, "client_id": {client}, "name": {"Membership"}, "price": {"100,00"},
		"quantity": {"1"}, "way": {"charge"}, "recurring_token": {id}, "client_shown": {client}}
	for _, c := range []struct{ due, action, submit string }{
		{"2026-12-05", "Sat 5 Dec", "Fri 4 Dec, 12:00"}, // a Saturday
		{"2026-12-06", "Mon 7 Dec", "Fri 4 Dec, 12:00"}, // a Sunday: the day after, as the brand says for DebiCheck
	} {
		glued := func(text string) string { return strings.ReplaceAll(text, " ", "\u00a0") }
		form.Set("form_key", c.due)
		form.Del("due")
		form.Set("due_other", c.due)
		says := []string{glued(c.action), glued(c.submit) + "; can be cancelled until then"}
		h.Page(h.A.Staff, "POST", "/purchases/preview", form).Want(http.StatusOK).Contains(says...)
		made := h.Page(h.A.Staff, "POST", "/purchases", form).Want(http.StatusSeeOther).Header.Get("Location")
		h.Page(h.A.Staff, "GET", made, nil).Want(http.StatusOK).Contains("handed to the bank on "+glued(c.submit),
			"debited on "+glued(c.action))
		link := h.API("POST", "/purchases/", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"Later","price":10000}]}}`, client,
			h.A.BrandID)).Want(201).Text("id")
		h.Page(h.A.Staff, "GET", "/purchases/"+link+"/charge/plan?"+url.Values{"recurring_token": {id},
			"due_other": {c.due}}.Encode(), nil).Want(http.StatusOK).Contains(says...)
	}
	h.Page(h.A.Staff, "GET", "/purchases/new?client="+client, nil).Want(http.StatusOK).
		Contains("DebiCheck debits run from Monday to Saturday", "Saturday 5 December, can be cancelled until "+
			strings.ReplaceAll("Fri 4 Dec, 12:00", " ", "\u00a0")).Lacks("Weekends and public holidays")
}

// What the mandate does not allow is refused in the form, before a purchase exists.
func TestWhatTheMandateDoesNotAllowMakesNoPurchase(t *testing.T) {
	h := handlertest.New(t)
	id, later := asks(t, h, "4000000000", "10000")
	later(2 * time.Hour)
	client := h.API("GET", "/purchases/"+id+"/", nil).Want(200).Text("client_id")
	before := h.Count(`SELECT count(*) FROM purchases`)
	day := calendar.DateOf(h.Store.Now()).AddDays(21)
	form := url.Values{"form_key": {"k1"}, "client_id": {client}, "name": {"Membership"}, "price": {"100,01"},
		"quantity": {"1"}, "way": {"charge"}, "recurring_token": {id}, "due_other": {day.String()}}
	h.Page(h.A.Staff, "POST", "/purchases", form).Want(http.StatusUnprocessableEntity).Contains(
		"above the maximum of one debit under this mandate", `href="#price-1"`)
	h.Page(h.A.Staff, "POST", "/purchases/preview",
		form).Want(http.StatusOK).Contains("above the maximum of one debit under this mandate")
	if made := h.Count(`SELECT count(*) FROM purchases`) - before; made != 0 {
		t.Errorf("%d purchases were made", made)
	}
	form.Set("price", "100,00")
	h.Page(h.A.Staff, "POST", "/purchases", form).Want(http.StatusSeeOther)
	form.Set("form_key", "k2")
	h.Page(h.A.Staff, "POST", "/purchases/preview",
		form).Want(http.StatusOK).Contains("The client could dispute this debit until",
		"second debit in one period of the mandate")
	second := h.Page(h.A.Staff, "POST", "/purchases", form).Want(http.StatusSeeOther).Header.Get("Location")
	h.Page(h.A.Staff, "GET", second, nil).Want(http.StatusOK).Contains("second debit in one period of the mandate")
}
