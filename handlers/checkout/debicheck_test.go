package checkout_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/static"
)

// bankDesk is a desk whose banks can be asked at any hour.
func bankDesk(t *testing.T) desk {
	t.Helper()
	d := newDesk(t)
	d.Purchases.Window = mandate.Window{Closes: calendar.TimeOfDay{Hour: 24}}
	return d
}

// mandated makes a purchase that asks for DebiCheck and gives the address of its page.
func (d desk) mandated(terms ...string) string {
	d.t.Helper()
	all := map[string]string{"value_type": `"VARIABLE"`, "authentication_type": `"REALTIME"`,
		"do_delayed_on_auth_failure": "false", "debit_sequence": `"RCUR"`,
		"adjustment_category": `"ANNUALLY"`, "adjustment_rate": "6.5", "allow_date_adjustment": "true",
		"max_amount_cents": "15000", "deduction_day": "1", "total": ""}
	for i := 0; i < len(terms); i += 2 {
		all[terms[i]] = terms[i+1]
	}
	total := all["total"]
	delete(all, "total")
	block := ""
	for name, value := range all {
		block += fmt.Sprintf(`,%q:%s`, name, value)
	}
	client := d.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi"}).Want(
		201).Text("id")
	got := d.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,"success_redirect":"https://shop.example/done",
		"purchase":{"currency":"ZAR","products":[{"name":"Membership","price":10000}]%s,"payment_method_details":{"direct_debit":{"period_units":"months"%s}}}}`,
		client,
		d.A.BrandID,
		total,
		block,
	)).Want(201)
	return "/p/" + got.Text("id") + "/"
}

func (d desk) sql(statement string, args ...any) {
	d.t.Helper()
	if _, err := d.Store.Pool.Exec(d.t.Context(), statement, args...); err != nil {
		d.t.Fatal(err)
	}
}

// sent: the bank has the request since that many seconds ago.
func (d desk) sent(path string, left time.Duration) {
	d.t.Helper()
	d.sql(
		`UPDATE mandate_authentications SET state = 'sent', sent_at = $2, expires_at = $3
			WHERE mandate_id = $1 AND state = 'requested'`,
		idOf(path),
		d.Store.Now(),
		d.Store.Now().Add(left),
	)
	d.sql(`UPDATE mandates SET state = 'pending_authentication' WHERE id = $1`, idOf(path))
}

// answered: the question is closed, and the mandate and the purchase stand as told.
func (d desk) answered(path string, auth mandate.AuthState, code string, m mandate.State, p purchase.Status) {
	d.t.Helper()
	d.sql(
		`UPDATE mandate_authentications SET state = $2, code = $3, channel = CASE WHEN $2 = 'accepted' THEN 'banking_app'
			ELSE '' END, answered_at = $4 WHERE mandate_id = $1`,
		idOf(path),
		string(auth),
		code,
		d.Store.Now(),
	)
	d.sql(
		`UPDATE mandates SET state = $2, reason_code = $3,
			accepted_at = CASE WHEN $2 IN ('active', 'registered_unauthenticated', 'suspended',
			'cancelled') THEN $4::timestamptz END
			WHERE id = $1`,
		idOf(path),
		string(m),
		code,
		d.Store.Now(),
	)
	d.sql(`UPDATE purchases SET status = $2, is_recurring_token = $3 WHERE id = $1`, idOf(path), string(p), m.Usable())
}

func (d desk) poll(path string) map[string]any {
	d.t.Helper()
	return d.get(path, "Accept: application/json").Want(200).JSON()
}

func TestADebiCheckPageSaysWhatTheBankWillAsk(t *testing.T) {
	d := bankDesk(t)
	d.get(d.mandated()).Want(200).Contains("Set up your DebiCheck debit order", "R\u00a0100,00",
		"Normally R\u00a0100,00; it may differ", "R\u00a0150,00 a debit",
		"Once a year, up by 6,5\u00a0%", "Each month on the 1st", "Allowed; you can dispute such a debit", "TESTMERCH1",
		"keep your phone at hand. You have 120 seconds.",
		"banking app, by cellphone banking, at an ATM or in a branch", "Agree and let my bank ask me", `name="id_number"`,
		`name="phone"`, "If you decline or do not answer, nothing is debited")
	d.get(d.mandated("value_type", `"FIXED"`, "adjustment_category", `"NEVER"`, "adjustment_rate", "null",
		"max_amount_cents", "10000", "allow_date_adjustment", "false",
		"deduction_day", "99", "authentication_type", `"DELAYED"`)).Want(200).Contains("R\u00a0100,00 each time",
		"None agreed", "On the last day of each month", "Not allowed", "by SMS. You have 48 hours.").Lacks("120 seconds")
	d.get(d.mandated("value_type", `"USAGEBASED"`, "adjustment_category", `"REPO"`, "adjustment_rate", "null",
		"adjustment_amount_cents", "500", "debit_sequence", `"OOFF"`, "do_delayed_on_auth_failure", "true", "total",
		`,"total_override":0`)).Want(200).Contains("Depends on what you use or owe",
		"When the repo rate changes, up by R\u00a05,00", "Once",
		"once more. You have 48 hours.", "Nothing is debited before your bank has asked you.", "registered anyway",
		"Nothing is debited now")
}

func TestDebiCheckNeedsAnIdentityAndAPhone(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated()
	for _, field := range []string{"full_name", "bank_code", "account_number", "account_type", "id_number", "phone",
		"consent"} {
		d.give(path, filled(field, "")).Want(422).Contains("There is a problem", `href="#`+field+`"`, `id="`+field+`-error"`)
	}
	d.give(path, url.Values{}, "Accept: application/json").Want(400).WantCode("full_name=required",
		"account_number=required", "bank_code=required", "id_number=required", "phone=required", "consent=required")
	d.give(path, filled("id_number", "A1234567"), "Accept: application/json").Want(200) // a passport
	if got := d.record(path); got.Status != purchase.PendingExecute || got.Method != purchase.DebiCheck {
		t.Errorf("status %s by %s", got.Status, got.Method)
	}
}

func TestWhatIsOnRecordNeedNotBeTypedAgain(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated()
	d.give(path, filled()).Want(303)
	d.answered(path, mandate.AuthNoResponse, "NOAS", mandate.NoResponse, purchase.Failed)
	d.get(path).Want(200).Contains("We have it on record", "On record: ••••\u00a07890", "082 123 4567").Lacks(number,
		"8501015000085")
	d.give(path, filled("id_number", "")).Want(303)
	d.get(d.mandated()).Want(200).Lacks("We have it on record")
}

func TestOutsideTheWindowThePageSaysSoFirst(t *testing.T) {
	d := bankDesk(t)
	path, later := d.mandated(), d.mandated("authentication_type", `"DELAYED"`)
	d.Purchases.Window = mandate.Window{} // never open; opens at midnight
	day := calendar.DateOf(d.Purchases.Now()).AddDays(1).Format("Monday 2 January")
	d.get(path).Want(200).Contains("Your bank cannot be asked right now", "opens again at 00:00 on "+day, "<form")
	d.give(path, filled()).Want(422).Contains("Nothing was sent.", "opens again at 00:00 on "+day, `value="`+number+`"`,
		`value="Thandi Nkosi"`).Lacks("authentication_type")
	d.give(path, filled(), "Accept: application/json").Want(400).WantCode(
		"purchase.payment_method_details.direct_debit.authentication_type=debicheck_unavailable")
	d.give(path, filled("phone", "")).Want(422).Contains("There are 2 problems", "Nothing was sent.", `id="phone-error"`)
	if n := d.Count(`SELECT count(*) FROM mandates`); n != 0 {
		t.Errorf("%d mandates", n)
	}
	d.get(later).Want(200).Lacks("cannot be asked right now")
	d.give(later, filled()).Want(303)
}

func TestAnAccountThatTheBankDoesNotKnowIsRefusedInWords(t *testing.T) {
	d := bankDesk(t)
	d.Purchases.Verifier = handlertest.Verifier(func(context.Context, bank.Verification) (bank.Verified, error) {
		v := bank.AllYes()
		v.Open = bank.No
		return v, nil
	})
	path := d.mandated("verify_account", "true")
	d.give(path, filled()).Want(422).Contains("account is closed", "There is a problem", `href="#account_number"`,
		`id="account_number-error"`, `value="`+number+`"`)
	d.give(path, filled(), "Accept: application/json").Want(400).WantCode(
		"purchase.payment_method_details.direct_debit.verify_account=account_verification_failed")
	if rec := d.record(path); rec.Status == purchase.PendingExecute {
		t.Error("the payer was asked all the same")
	}
}

func TestThePageWaitsForTheAnswer(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated()
	if to := d.give(path, filled()).Want(303).Header.Get("Location"); to != path {
		t.Errorf("sent to %s before the answer", to)
	}
	d.get(path).Want(200).Contains("Waiting for your answer", "We are passing the request to your bank", "2:00")
	if got := d.poll(path); got["awaiting"] != "debicheck_answer" || got["seconds_left"] != 120.0 {
		t.Errorf("before the bank has it: %v", got)
	}
	d.sent(path, 100*time.Second)
	page := d.get(path).Want(200).Contains("Your bank is asking you on your phone now", "Nothing there?",
		"cellphone-banking number", "•••\u00a04567", "Capitec ••••\u00a07890",
		"R\u00a0150,00 a debit", `<noscript><meta http-equiv="refresh"`, "payer.", `data-every="1"`,
		`pathLength="120"`).Lacks("<form", number, "27821234567", "style=", "https://shop.example")
	if size := len(page.Body); size > 12_000 {
		t.Errorf("the waiting page weighs %d bytes", size)
	}
	got := d.poll(path)
	left, _ := got["seconds_left"].(float64)
	if got["status"] != "pending_execute" || got["awaiting"] != "debicheck_answer" || left < 90 || left > 100 ||
		!strings.HasSuffix(got["next"].(string), path) {
		t.Errorf("while waiting: %v", got)
	}
}

func TestAFormThatIsSentTwiceAsksOnce(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated()
	d.give(path, filled()).Want(303)
	d.give(path, filled("account_number", "9999999999")).Want(409).Contains("Nothing was changed",
		"Waiting for your answer").Lacks("9999999999")
	d.give(path, filled(), "Accept: application/json").Want(400).WantCode("__all__=purchase_charge_wrong_status")
	if n := d.Count(`SELECT count(*) FROM mandate_authentications`); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestTheFallbackSaysUntilWhen(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated("do_delayed_on_auth_failure", "true")
	d.give(path, filled()).Want(303)
	d.sent(path, 48*time.Hour)
	d.sql(`UPDATE mandate_authentications SET method = 'FALLBACK' WHERE mandate_id = $1`, idOf(path))
	until := d.Store.Now().Add(48 * time.Hour).In(calendar.SAST)
	d.get(path).Want(200).Contains("was asked again. You can answer until: "+until.Format("Monday 2 January 2006, 15:"),
		"registered anyway", `data-every="5"`).Lacks("<circle cx=\"60\"")
}

func TestEachAnswerHasItsPage(t *testing.T) {
	for name, c := range map[string]struct {
		auth   mandate.AuthState
		code   string
		state  mandate.State
		status purchase.Status
		has    []string
		lacks  []string
	}{
		"accepted": {mandate.AuthAccepted, "", mandate.ActiveState, purchase.Preauthorized,
			[]string{"You have confirmed", "Contract reference", "R\u00a0150,00 a debit", "TESTMERCH1",
				"in your banking app", "Debits that match what you agreed cannot be disputed at your bank.",
				"You can dispute a debit of any amount other than R\u00a0100,00", "20 working days", "https://shop.example/done"},
			[]string{"<form"}},
		"registered": {mandate.AuthNoResponse, "NOAS", mandate.Registered, purchase.Preauthorized,
			[]string{"Registered without your answer", "You can dispute debits under this debit order", "Contract reference"},
			[]string{"cannot be disputed", "<form"}},
		"declined by the payer": {mandate.AuthRejected, "MS02", mandate.Rejected, purchase.Failed,
			[]string{"You declined", "Nothing will be debited.", "Try again", "<form"}, []string{"cannot be disputed"}},
		"declined by the bank": {mandate.AuthRejected, "AC04", mandate.Rejected, purchase.Failed,
			[]string{"Your bank declined", "Account closed", "Try again"}, []string{"You declined"}},
		"a death is not mentioned": {mandate.AuthRejected, "MD07", mandate.Rejected, purchase.Failed,
			[]string{"Your bank declined the debit order."}, []string{"eceased"}},
		"no answer": {mandate.AuthNoResponse, "NOAS", mandate.NoResponse, purchase.Failed,
			[]string{"There was no answer", "Nothing will be debited.", "Try again", "<form"}, nil},
		"the bank failed": {mandate.AuthFailed, "EERR", mandate.FailedAtBank, purchase.Failed,
			[]string{"We could not reach your bank", "try again in a few minutes", "<form"}, nil},
		"suspended": {mandate.AuthAccepted, "CTCA", mandate.Suspended, purchase.Preauthorized,
			[]string{"This debit order is suspended"}, []string{"<form", "cannot be disputed"}},
		"cancelled": {mandate.AuthAccepted, "", mandate.Cancelled, purchase.Preauthorized,
			[]string{"This debit order has ended"}, []string{"<form"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := bankDesk(t)
			path := d.mandated("total", `,"total_override":0`)
			d.give(path, filled()).Want(303)
			d.answered(path, c.auth, c.code, c.state, c.status)
			d.get(path).Want(200).Contains(c.has...).Lacks(append(c.lacks, number)...)
			if got := d.poll(path); got["awaiting"] == "debicheck_answer" {
				t.Errorf("still awaited: %v", got)
			}
		})
	}
}

func TestWhoDidNotAgreeMayGiveAnotherAccount(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated()
	for try := 1; try <= d.Purchases.Limits.MostTries; try++ {
		d.give(path, filled("account_number", "111111111"+fmt.Sprint(try))).Want(303)
		if n := d.Count(`SELECT count(*) FROM mandate_authentications`); n != try {
			t.Errorf("asked %d times at try %d", n, try)
		}
		d.answered(path, mandate.AuthRejected, "MS02", mandate.Rejected, purchase.Failed)
	}
	if m, err := (mandate.Store{DB: d.Store}).Mandate(t.Context(), d.A.ID, idOf(path)); err != nil ||
		m.AccountMask != "•••• 1113" {
		t.Errorf("%v: the mandate is of %s", err, m.AccountMask)
	}
	d.get(path).Want(200).Contains("You declined", "This link cannot ask you again").Lacks("<form", "Try again")
	d.give(path, filled()).Want(409).Contains("Nothing was changed")
}

func TestATryAgainOutsideTheWindowSaysWhen(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated()
	d.give(path, filled()).Want(303)
	d.answered(path, mandate.AuthNoResponse, "NOAS", mandate.NoResponse, purchase.Failed)
	d.Purchases.Window = mandate.Window{}
	d.get(path).Want(200).Contains("There was no answer", "cannot be asked right now", "opens again")
}

func TestAfterATokenExistsNothingCanBeGiven(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated("total", `,"total_override":0`)
	d.give(path, filled()).Want(303)
	d.answered(path, mandate.AuthAccepted, "", mandate.ActiveState, purchase.Preauthorized)
	d.give(path, filled()).Want(409).Contains("You have confirmed")
	d.answered(path, mandate.AuthAccepted, "", mandate.ActiveState, purchase.Failed) // as after an unpaid first debit
	d.give(path, filled(), "Accept: application/json").Want(400).WantCode("__all__=purchase_charge_wrong_status")
}

func TestOnlyAccountsOfAnAllowedMethodAreOffered(t *testing.T) {
	d := bankDesk(t)
	client := d.client()
	token := d.stored(client)
	path := d.purchase(client, `,"payment_method_whitelist":["debicheck"]`, 100)
	d.get(path).Want(200).Contains("This cannot be paid here").Lacks(token, "<form")
	d.give(path, url.Values{"recurring_token": {token}}).Want(422).Contains("Nothing was changed")
	d.sql(`UPDATE tokens SET method = 'debicheck' WHERE id = $1`, token)
	d.get(path).Want(200).Contains(token).Lacks(`name="account_number"`)
}

// An account is offered for what its mandate allows. Where that changed meanwhile, the page says it to the client.
func TestAnAccountIsOfferedForWhatItsMandateAllows(t *testing.T) {
	d := bankDesk(t)
	stored := d.mandated("total", `,"total_override":0`, "max_amount_cents", "15000")
	d.give(stored, filled()).Want(303)
	d.answered(stored, mandate.AuthAccepted, "", mandate.ActiveState, purchase.Preauthorized)
	token := idOf(stored).String()
	d.sql(`UPDATE tokens SET state = 'active' WHERE id = $1`, token)
	client := d.record(stored).ClientID.String()
	d.get(d.purchase(client, "", 15000)).Want(200).Contains(token, "Pay R\u00a0150,00", "Debited on")
	path := d.purchase(client, "", 15001)
	d.get(path).Want(200).Contains(`name="account_number"`).Lacks(token, "Pay from a bank account you have stored")
	d.give(path, url.Values{"recurring_token": {token}}).Want(409).
		Contains("This account cannot be used. Choose another one").Lacks("VARIABLE", "set up a new mandate")
}

func TestAStrangersIdIsNobodysPage(t *testing.T) {
	d := bankDesk(t)
	for _, path := range []string{"/p/0192d1a0-0000-7000-8000-000000000000/", "/p/nonsense/"} {
		d.give(path, filled()).Want(404)
		d.get(path, "Accept: application/json").Want(404).WantCode("__all__=not_found")
	}
}

func TestABankThatWaitsForMoneySaysSo(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 49900)
	d.give(path, filled()).Want(303)
	d.sql(`UPDATE collections SET state = 'in_tracking', tracking_days = 10, action_date = $2 WHERE purchase_id = $1`,
		idOf(path), d.Store.Now().AddDate(0, 0, -1).Format("2006-01-02"))
	d.get(path).Want(200).Contains("There is not enough money yet", "up to 10 days")
}

func TestTheDebiCheckPagesAreLight(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated("do_delayed_on_auth_failure", "true")
	form := d.give(path, url.Values{"full_name": {""}}).Want(422).Lacks("<script", "style=", "onclick").Body
	d.give(path, filled()).Want(303)
	wait := d.get(path).Want(200).Body
	fetched := 0
	for _, name := range []string{"css/payer.css", "js/payer.js", "img/icons.svg", "img/favicon.svg"} {
		body, ok := static.Bytes(name)
		if !ok {
			t.Fatal(name)
		}
		fetched += squeezed(body)
	}
	for name, page := range map[string]string{"form": form, "wait": wait} {
		if size := len(page) + fetched; size >= 30_000 {
			t.Errorf("%s weighs %d bytes with what it fetches, the page itself not even compressed", name, size)
		}
	}
}

func TestManyAtOnceAskOnce(t *testing.T) {
	d := bankDesk(t)
	path := d.mandated()
	answers := make(chan int, 6)
	for range 6 {
		go func() { answers <- d.give(path, filled()).Status }()
	}
	won := 0
	for range 6 {
		if <-answers == 303 {
			won++
		}
	}
	if n := d.Count(`SELECT count(*) FROM mandate_authentications`); won != 1 || n != 1 {
		t.Errorf("%d won, asked %d times", won, n)
	}
}

// One set of rules: what the page refuses the API refuses, and what either takes the
// other takes.
func TestPageAndAPIHoldTheNumbersOfADebitToTheSameRules(t *testing.T) {
	d := bankDesk(t)
	const block = `"payment_method_whitelist":["debicheck"],"force_recurring":true,"purchase":{"products":[{"name":"Membership","price":10000}],"payment_method_details":{"direct_debit":{
		"value_type":"FIXED","authentication_type":"DELAYED","debit_sequence":"RCUR","adjustment_category":"NEVER","max_amount_cents":10000,"deduction_day":1}}}`
	for _, c := range []struct {
		page, api, value string
		good             bool
	}{
		{"bank_code", "bank_code", "999999", false}, {"bank_code", "bank_code", "900145", false},
		{"bank_code", "bank_code", "12", false}, {"bank_code", "bank_code", "470 010", true},
		{"account_number", "bank_account", "12", false}, {"account_number", "bank_account", "•••• 7890", false},
		{"account_number", "bank_account", "12345 67890", true},
		{"id_number", "personal_code", "123", false}, {"id_number", "personal_code", "850101•••••85", false},
		{"id_number", "personal_code", "850101 5000 085", true},
		{"phone", "phone", "•••• 2222", false}, {"phone", "phone", "12", false}, {"phone", "phone", "082 123 4567", true},
		{"phone", "phone", "+44 20 7946 0000", true},
	} {
		page := d.give(d.mandated(), filled(c.page, c.value))
		who := map[string]string{"email": "t@example.com", "full_name": "Thandi Nkosi", "phone": "27821234567",
			"personal_code": "8501015000085", "bank_code": "470010", "bank_account": number}
		who[c.api] = c.value
		text, _ := json.Marshal(who)
		api := d.API("POST", "/purchases/", fmt.Sprintf(`{"client":%s,"brand_id":%q,%s}`, text, d.A.BrandID, block))
		if taken := page.Status == 303; taken != c.good || (api.Status == 201) != c.good {
			t.Errorf("%s %q: the page answers %d, the API %d %s", c.api, c.value, page.Status, api.Status, api.Body)
		}
	}
}
