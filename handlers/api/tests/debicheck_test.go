package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	banksandbox "debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
)

const atDirectDebit = "purchase.payment_method_details.direct_debit."

// debicheck asks for a mandate of R100 a month; more is put into the mandate's fields.
func debicheck(h *handlertest.Server, client, how, more string) string {
	return fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,
 "purchase":{"currency":"ZAR","language":"en","products":[{"name":"Membership","price":10000}],
  "payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":1,"period_units":"months",
   "value_type":"FIXED","authentication_type":%q,"do_delayed_on_auth_failure":false,"debit_sequence":"RCUR","adjustment_category":"NEVER",
   "allow_date_adjustment":true,"max_amount_cents":10000%s}}}}`, client, h.A.BrandID, how, more)
}

// clockShows lets the rules see a time of tomorrow.
func clockShows(h *handlertest.Server, of calendar.TimeOfDay, more time.Duration) {
	moment := of.On(calendar.DateOf(h.Store.Now()).AddDays(1)).Add(more)
	h.Purchases.Now = func() time.Time { return moment }
}

func TestAMandateIsAskedForInsideTheWindow(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	opens, closes := calendar.TimeOfDay{Hour: 3}, calendar.TimeOfDay{Hour: 20, Minute: 30}
	for _, c := range []struct {
		of     calendar.TimeOfDay
		more   time.Duration
		how    string
		status int
	}{
		{opens, -time.Microsecond, "REALTIME", 400}, {opens, 0, "REALTIME", 201},
		{closes, -time.Microsecond, "REALTIME", 201}, {closes, 0, "REALTIME", 400},
		{closes, 0, "DELAYED", 201}, {calendar.TimeOfDay{Hour: 23}, 0, "DELAYED", 201},
		{opens, -time.Microsecond, "DELAYED", 201},
	} {
		clockShows(h, c.of, c.more)
		if a := h.API("POST", "/purchases/", debicheck(h, client, c.how, "")); a.Status != c.status {
			t.Errorf("%s at %v%+d: %d %s", c.how, c.of, c.more, a.Status, a.Body)
		}
	}
	if n := h.Count(`SELECT count(*) FROM mandates`); n != 5 {
		t.Errorf("%d mandates, want 5", n)
	}
}

func TestARequestOutsideTheWindowIsRefusedAsTheContractWordsIt(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	clockShows(h, calendar.TimeOfDay{Hour: 21, Minute: 14}, 0)
	const want = `{"purchase":{"payment_method_details":{"direct_debit":{"authentication_type":[{"message":"Real-time DebiCheck runs from 03:00 to 20:30 SAST; it is now 21:14 SAST. Use authentication_type DELAYED.","code":"debicheck_unavailable"}]}}}}`
	if got := strings.TrimSpace(h.API("POST", "/purchases/",
		debicheck(h, client, "REALTIME", "")).Want(400).Body); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	h.API("POST", "/purchases/", debicheck(h, client, "REALTIME", `,"adjustment_rate":5`)).Want(400).
		WantCode(atDirectDebit+"authentication_type=debicheck_unavailable", atDirectDebit+"adjustment_rate=invalid")
	if n := h.Count(`SELECT count(*) FROM purchases`); n != 0 {
		t.Errorf("%d purchases were stored", n)
	}
}

func TestAPurchaseWithAMandateAndNoDebitHasADebitOrder(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	const empty = `"debit_order":{"collection_state":null,"action_date":null,"submission_deadline":null,"settlement":null,"disputable":false,"disputable_because":[],"disputable_until":null,"result":null}`
	clockShows(h, calendar.TimeOfDay{Hour: 10}, 0)
	asked := h.API("POST", "/purchases/", debicheck(h, client, "REALTIME", "")).Want(201).Contains(empty,
		`"status":"pending_execute"`, `"is_recurring_token":false`)
	h.API("GET", "/purchases/"+asked.Text("id")+"/", nil).Want(200).Contains(empty)
	stored := h.API("POST", "/purchases/", tokenising(h, client, 0)).Want(201).Contains(empty, `"status":"preauthorized"`)
	h.API("POST", "/purchases/"+stored.Text("id")+"/delete_recurring_token/", nil).Want(200).Contains(empty)
	h.API("POST", "/purchases/", body(h, client, "")).Want(201).Contains(`"debit_order":null`)
	nobody := h.API("POST", "/clients/", map[string]any{"email": "later@example.com", "full_name": "Later"}).Want(
		201).Text("id")
	h.API("POST", "/purchases/", tokenising(h, nobody, 10000)).Want(201).Contains(`"debit_order":null`,
		`"status":"created"`)
	if list := h.API("GET", "/purchases/", nil); list.Status == 200 && strings.Count(list.Body, empty) == 0 {
		t.Errorf("the list says otherwise: %s", list.Body)
	}
}

func TestTheSameRequestWithAKeyAsksOnce(t *testing.T) {
	h := handlertest.New(t)
	client := payer(t, h)
	clockShows(h, calendar.TimeOfDay{Hour: 10}, 0)
	first := h.API("POST", "/purchases/", debicheck(h, client, "REALTIME", ""), "Idempotency-Key: one").Want(201)
	again := h.API("POST", "/purchases/", debicheck(h, client, "REALTIME", ""), "Idempotency-Key: one").Want(201)
	if first.Body != again.Body {
		t.Error("the second answer is another")
	}
	if n := h.Count(`SELECT count(*) FROM mandates`) + h.Count(`SELECT count(*) FROM mandate_authentications`); n != 2 {
		t.Errorf("%d mandates and requests, want one each", n)
	}
	h.API("POST", "/purchases/", debicheck(h, client, "REALTIME", "")).Want(201)
	h.API("POST", "/purchases/", debicheck(h, client, "REALTIME", "")).Want(201)
	if n := h.Count(`SELECT count(*) FROM mandates`); n != 3 {
		t.Errorf("%d mandates, want 3: without a key each request is its own", n)
	}
}

func TestAnAccountIsVerifiedBeforeThePayerIsAsked(t *testing.T) {
	h := handlertest.New(t, func(h *handlertest.Server) {
		h.Purchases.Verifier = &banksandbox.Bank{}
	})
	clockShows(h, calendar.TimeOfDay{Hour: 10}, 0)
	for _, c := range []struct {
		tail, refusal string // empty: it passes
		kept          string
	}{
		{"7001", "account not found", `"exists": "no"`}, {"7002", "account is closed", `"open": "no"`},
		{"7003", "identity number does not match", `"id_matches": "no"`},
		{"7004", "does not accept debits", `"accepts_debits": "no"`},
		{"7005", "", `"name_matches": "no"`}, {"7006", "", `"exists": ""`}, {"0000", "", `"exists": "yes"`},
	} {
		client := h.API("POST", "/clients/", map[string]any{"email": c.tail + "@example.com", "full_name": "Thandi Nkosi",
			"phone":        "27821234567",
			"bank_account": "400000" + c.tail, "bank_code": "632005", "personal_code": "8501015000085"}).Want(201).Text("id")
		a := h.API("POST", "/purchases/", debicheck(h, client, "REALTIME", `,"verify_account":true`))
		if c.refusal == "" {
			a.Want(201)
		} else {
			a.Want(400).WantCode(atDirectDebit+"verify_account=account_verification_failed").Contains(
				"The bank details could not be verified: ", c.refusal)
		}
		if n := h.Count(
			`SELECT count(*) FROM account_verifications WHERE client_id = $1 AND passed = $2 AND answers::text LIKE $3
				AND (purchase_id IS NULL) <> passed`,
			client,
			c.refusal == "",
			"%"+c.kept+"%",
		); n != 1 {
			t.Errorf("%s: %d answers of the bank are kept", c.tail, n)
		}
	}
	if n := h.Count(`SELECT count(*) FROM mandates`); n != 3 {
		t.Errorf("%d mandates, want 3", n)
	}
	client := payer(t, h)
	h.API("POST", "/purchases/", debicheck(h, client, "REALTIME", "")).Want(201)
	if n := h.Count(`SELECT count(*) FROM account_verifications WHERE client_id = $1`, client); n != 0 {
		t.Error("the bank was asked although verify_account was false")
	}
}
