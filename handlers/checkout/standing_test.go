package checkout_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/static"
)

// stored keeps an account of the client and gives its token.
func (d desk) stored(client string) string {
	d.t.Helper()
	path := d.purchase(client, storing, 0)
	d.give(path, filled()).Want(303)
	return idOf(path).String()
}

func TestAStoredAccountOfThePayerCanBeUsedAgain(t *testing.T) {
	d := newDesk(t)
	client := d.client()
	token := d.stored(client)
	path := d.purchase(client, "", 25000)
	d.get(path).Want(200).Contains("Pay from a bank account you have stored", token, "Capitec ••••\u00a07890",
		"Use another account",
		"Pay R\u00a0250,00").Lacks(number)
	d.give(path, url.Values{"recurring_token": {token}}).Want(303)
	rec := d.record(path)
	if rec.Status != purchase.PendingCharge || rec.TokenID.String() != token || rec.Collection == nil {
		t.Errorf("got %+v", rec)
	}
	d.get(path).Want(200).Contains("Your debit order is set", "Capitec ••••\u00a07890").Lacks("<form")
}

func TestOnlyThePayersOwnAccountsCanBeUsed(t *testing.T) {
	d := newDesk(t)
	mine, other := d.client(), d.API("POST", "/clients/", map[string]any{"email": "sipho@example.com"}).Want(201).Text(
		"id")
	token := d.stored(other)
	path := d.purchase(mine, "", 100)
	d.get(path).Want(200).Lacks(token, "Pay from a bank account you have stored")
	for _, id := range []string{token, "nonsense", "0192d1a0-0000-7000-8000-000000000000"} {
		d.give(path, url.Values{"recurring_token": {id}}).Want(422).Contains("This account cannot be used").Lacks("Sipho")
	}
	d.give(path, url.Values{"recurring_token": {token}}, "Accept: application/json").Want(400).WantCode(
		"__all__=invalid_recurring_token")
	if rec := d.record(path); rec.Collection != nil {
		t.Error("it was charged")
	}
	without := d.API("POST", "/purchases/", fmt.Sprintf(
		`{"client":{"email":"sipho@example.com"},"brand_id":%q,"purchase":{"products":[{"name":"x","price":100}]}}`,
		d.A.BrandID)).Want(201)
	d.give("/p/"+without.Text("id")+"/", url.Values{"recurring_token": {token}}).Want(422)
}

func TestNothingToPayOffersNoStoredAccount(t *testing.T) {
	d := newDesk(t)
	client := d.client()
	token := d.stored(client)
	for _, more := range []string{storing, storing + `,"skip_capture":true`} {
		path := d.purchase(client, more, map[bool]int{true: 100, false: 0}[strings.Contains(more, "skip")])
		d.get(path).Want(200).Lacks("Pay from a bank account you have stored").Contains("Nothing is debited now")
		d.give(path, url.Values{"recurring_token": {token}}).Want(409)
	}
}

func TestWhetherAnAccountIsStoredIsThePayersToChoose(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), "", 12345)
	d.get(path).Want(200).Contains("Pay Brand a", "Also store this account for later debits", `name="store"`,
		"for this one debit", "Agree and pay R\u00a0123,45").
		Lacks(`name="store" value="yes" checked`)
	d.give(path, filled("store", "yes", "account_number", "12")).Want(422).Contains(`name="store" value="yes" checked`)
	d.give(path, filled()).Want(303)
	if rec := d.record(path); rec.Status != purchase.PendingExecute || !rec.HasMandate() ||
		rec.Details.DirectDebit.ProfileCode != "TEST1" {
		t.Errorf("got %+v", rec)
	}
	if m, err := (mandate.Store{DB: d.Store}).Mandate(t.Context(), d.A.ID, idOf(path)); err != nil || !m.OneDebit {
		t.Errorf("%v: the mandate is for more than one debit", err)
	}
	kept := d.purchase(d.client(), "", 12345)
	d.give(kept, filled("store", "yes")).Want(303)
	if m, err := (mandate.Store{DB: d.Store}).Mandate(t.Context(), d.A.ID, idOf(kept)); err != nil || m.OneDebit ||
		!strings.Contains(m.Consent.Text, "Later debits are for what I owe") {
		t.Errorf("%v: the mandate says:\n%s", err, m.Consent.Text)
	}
	for _, forced := range []string{d.purchase(d.client(), storing, 12345), d.purchase(d.client(), storing, 0),
		d.purchase(d.client(), `,"skip_capture":true`, 100)} {
		d.get(forced).Want(200).Lacks(`name="store"`)
		d.give(forced, filled()).Want(303)
		if m, err := (mandate.Store{DB: d.Store}).Mandate(t.Context(), d.A.ID, idOf(forced)); err != nil || m.OneDebit {
			t.Errorf("%v: nothing was to be chosen", err)
		}
	}
}

func TestWhatCannotBePaidHereSaysSo(t *testing.T) {
	d := newDesk(t)
	client := d.client()
	path := d.purchase(client, `,"payment_method_whitelist":["debicheck"]`, 100)
	d.get(path).Want(200).Contains("This cannot be paid here").Lacks("<form")
	d.give(path, filled()).Want(409)
	dollars := d.purchase(client, "", 100)
	d.Count(`WITH x AS (UPDATE purchases SET currency = 'USD' WHERE id = $1 RETURNING 1) SELECT count(*) FROM x`,
		idOf(dollars)) // one of before
	d.get(dollars).Want(200).Contains("this request is in USD").Lacks("<form")
}

func TestWhatEndedSaysHow(t *testing.T) {
	d := newDesk(t)
	client := d.client()
	for _, c := range []struct{ call, body, title, invoice string }{
		{"cancel", "", "This request was cancelled", "Cancelled"},
		{"mark_as_paid", "", "Paid, thank you", "Receipt"},
	} {
		path := d.purchase(client,
			`,"cancel_redirect":"https://shop.example/back","success_redirect":"https://shop.example/done"`, 5000)
		d.API("POST", "/purchases/"+idOf(path).String()+"/"+c.call+"/", nil).Want(200)
		d.get(path).Want(200).Contains(c.title, "https://shop.example/").Lacks("<form")
		d.get(path+"invoice/").Want(200).Contains(c.invoice, "R\u00a050,00")
		d.give(path, filled()).Want(409).Contains(c.title)
	}
	strict := d.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"due_strict":true,"products":[{"name":"x","price":100}]}}`, client,
		d.A.BrandID)).Want(201)
	path := "/p/" + strict.Text("id") + "/"
	d.pass(path)
	d.get(path).Want(200).Contains("This link has expired").Lacks("<form")
	loose := d.purchase(client, "", 100)
	d.pass(loose)
	d.get(loose).Want(200).Contains("You can still pay it", "<form")
}

// pass lets the due date of a purchase go by.
func (d desk) pass(path string) {
	d.t.Helper()
	to := purchase.Overdue
	if d.record(path).DueStrict {
		to = purchase.Expired
	}
	if _, err := d.Store.Pool.Exec(d.t.Context(), `UPDATE purchases SET status = $2, pass_at = NULL WHERE id = $1`,
		idOf(path), string(to)); err != nil {
		d.t.Fatal(err)
	}
}

func TestAFailedDebitSaysWhyAndOffersWhatIsLeft(t *testing.T) {
	d := newDesk(t)
	client := d.client()
	fail := func(path, code string) {
		t.Helper()
		for _, sql := range []string{`UPDATE purchases SET status = 'error' WHERE id = $1`,
			`UPDATE collections SET state = 'unpaid', result_code = '` + code + `' WHERE purchase_id = $1`} {
			if _, err := d.Store.Pool.Exec(t.Context(), sql, idOf(path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := d.purchase(client, storing, 100)
	d.give(path, filled()).Want(303)
	fail(path, "02")
	d.get(path).Want(200).Contains("The last debit was not paid", "Not enough money", "full_name", "Agree and pay")
	fail(path, "18")
	d.get(path).Want(200).Contains("Your bank declined it", "full_name").Lacks("deceased")

	token := d.stored(client)
	d.get(path).Want(200).Contains("The last debit was not paid", token, "full_name")

	invoice := d.purchase(client, "", 100)
	d.give(invoice, url.Values{"recurring_token": {token}}).Want(303)
	fail(invoice, "02")
	d.get(invoice).Want(200).Contains("The last debit was not paid", "full_name")
	d.give(invoice, filled()).Want(303)
	if rec := d.record(invoice); rec.Collection.Attempt != 2 {
		t.Errorf("attempt %d", rec.Collection.Attempt)
	}
}

func TestSuccessLeadsOnToTheMerchantsPage(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing+`,"success_redirect":"https://shop.example/done?order=7"`, 0)
	if policy := d.get(path).Want(200).Header.Get("Content-Security-Policy"); !strings.Contains(policy,
		"form-action 'self' https://shop.example;") {
		t.Errorf("the browser would stop the redirect: %s", policy)
	}
	if to := d.give(path, filled()).Want(303).Header.Get("Location"); to != "https://shop.example/done?order=7" {
		t.Errorf("sent to %s", to)
	}
	d.get(path).Want(200).Contains(`href="https://shop.example/done?order=7"`, "Continue")
}

func TestPollersGetTheStatus(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing+fmt.Sprintf(`,"due":%d,"success_redirect":"https://shop.example/done"`,
		d.Store.Now().AddDate(0, 0, 20).Unix()), 100)
	poll := func() map[string]any { return d.get(path, "Accept: application/json").Want(200).JSON() }
	got := poll()
	if got["status"] != "created" || got["awaiting"] != "payer" || got["seconds_left"] != nil ||
		!strings.HasSuffix(got["next"].(string), path) {
		t.Errorf("before: %v", got)
	}
	d.give(path, filled()).Want(303)
	got = poll()
	left, _ := got["seconds_left"].(float64)
	if got["status"] != "pending_charge" || got["awaiting"] != "due_date" || left < float64(15*24*3600) ||
		got["next"] != "https://shop.example/done" {
		t.Errorf("after: %v", got)
	}
}

func TestFormsAreHeldBackAfterTwentyAMinute(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 0)
	for range 20 {
		d.give(path, url.Values{}).Want(422)
	}
	got := d.give(path, filled()).Want(429).Contains("Please wait a moment")
	if got.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	d.get(path).Want(200)
	d.give(d.purchase(d.client(), storing, 0), filled()).Want(303)
}

func TestThePageIsLightAndNeedsNoScript(t *testing.T) {
	d := newDesk(t)
	client := d.client()
	d.stored(client)
	products := strings.TrimSuffix(strings.Repeat(
		`{"name":"A product with quite a long name that says what it is, and more","price":100},`, 200), ",")
	large := d.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"products":[%s]}}`,
		client, d.A.BrandID, products)).Want(201)
	form := d.give("/p/"+large.Text("id")+"/", url.Values{"full_name": {""}}).Want(422).Lacks("<script", "style=",
		"onclick").Contains("and 194 more")
	size := len(form.Body)
	for _, name := range []string{"css/payer.css", "img/icons.svg", "img/favicon.svg"} {
		body, ok := static.Bytes(name)
		if !ok {
			t.Fatal(name)
		}
		size += squeezed(body)
	}
	t.Logf("%d bytes: page %d (%d compressed)", size, len(form.Body), squeezed([]byte(form.Body)))
	if size >= 30_000 {
		t.Errorf("the page weighs %d bytes with what it fetches, the page itself not even compressed", size)
	}
}

func squeezed(body []byte) int {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Len()
}

func TestTheInvoiceAddsUp(t *testing.T) {
	d := newDesk(t)
	due := time.Date(2099, 3, 5, 10, 0, 0, 0, time.UTC).Unix()
	made := d.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"reference":"INV-77","due":%d,"purchase":{"notes":"Thank you\nfor training","debt":500,
		"products":[{"name":"Coaching","price":10000,"quantity":"1.5","tax_percent":15},{"name":"Towel","price":2000,"discount":100}]}}`, d.client(), d.A.BrandID, due)).Want(201)
	d.get("/p/"+made.Text("id")+"/invoice/").Want(200).Contains("Invoice", "INV-77", "5 March 2099", "Coaching",
		"1,5 × R\u00a0100,00", "R\u00a0172,50", "R\u00a019,00", "Tax included", "R\u00a022,50",
		"Discount included", "R\u00a01,00", "Brought forward", "R\u00a05,00", "R\u00a0196,50", "Thank you\nfor training",
		"Brand a", "Thandi Nkosi", "Pay this")
}

func TestNothingToPayWithSkipCaptureStoresTheAccount(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), `,"skip_capture":true`, 0)
	d.give(path, filled())
	if got := d.API("GET", "/purchases/"+idOf(path).String()+"/",
		nil).Want(200).JSON(); got["status"] != "preauthorized" || got["is_recurring_token"] != true {
		t.Errorf("it is %v, a token: %v", got["status"], got["is_recurring_token"])
	}
}

// failed lets the newest debit of a purchase fail.
func (d desk) failed(path, code string) {
	d.t.Helper()
	for _, sql := range []string{`UPDATE purchases SET status = 'error' WHERE id = $1`,
		`UPDATE collections SET state = 'unpaid', result_code = '` + code + `' WHERE purchase_id = $1
			AND attempt = (SELECT max(attempt) FROM collections WHERE purchase_id = $1)`} {
		if _, err := d.Store.Pool.Exec(d.t.Context(), sql, idOf(path)); err != nil {
			d.t.Fatal(err)
		}
	}
}

func TestTheLinkTakesAnotherAccountAfterTheFirstDebitFailed(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{"an account that is stored": storing, "one debit alone": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			path := d.purchase(d.client(), more, 44900)
			d.give(path, filled()).Want(303)
			before := d.record(path)
			d.failed(path, "12")
			d.get(path).Want(200).Contains("from the same account or from another one", "full_name")
			d.give(path, filled("account_number", "9876543210")).Want(303)

			rec := d.record(path)
			if rec.Collection.ID == before.Collection.ID || rec.Collection.Attempt != 2 || rec.Collection.State != "scheduled" {
				t.Errorf("debited as %+v", rec.Collection)
			}
			m, err := mandate.Store{DB: d.Store}.Mandate(t.Context(), d.A.ID, rec.ID)
			if err != nil || !strings.HasSuffix(m.AccountMask, "3210") ||
				!strings.Contains(rec.Collection.StatementLine, m.ContractReference) {
				t.Errorf("%v: the mandate %s is about %s, the debit says %q", err, m.ContractReference, m.AccountMask,
					rec.Collection.StatementLine)
			}
			if n := d.Count(`SELECT count(*) FROM mandates_replaced WHERE mandate_id = $1 AND account_mask LIKE '%7890'
				AND consent_text <> '' AND contract_reference <> $2`, rec.ID, m.ContractReference); n != 1 {
				t.Errorf("%d permissions of before are kept", n)
			}
			d.get(path).Want(200).Contains("3210").Lacks("<form")
		})
	}
}

func TestAPageThatCanOfferNothingSaysWhomToCallAndWrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Count(`WITH x AS (UPDATE brands SET phone = '27215550199', email = 'accounts@brand-a.example'
		WHERE id = $1 RETURNING 1) SELECT count(*) FROM x`, d.A.BrandID)
	path := d.purchase(d.client(), `,"payment_method_whitelist":["debicheck"]`, 100)
	d.get(path).Want(200).Contains("Please ask Brand a how you can pay", `href="tel:+27215550199"`, "Call 021",
		`href="mailto:accounts@brand-a.example`, "Write to accounts@brand-a.example").Lacks("<form")
}
