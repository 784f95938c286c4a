package checkout_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// desk is the server with what the tests of the payer's pages ask of it.
type desk struct {
	*handlertest.Server
	t *testing.T
}

func newDesk(t *testing.T) desk {
	t.Helper()
	return desk{handlertest.New(t), t}
}

func (d desk) client() string {
	d.t.Helper()
	return d.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"phone": "27821234567"}).Want(201).Text("id")
}

// purchase makes one for a client and gives the address of its page.
func (d desk) purchase(client, more string, cents int) string {
	d.t.Helper()
	got := d.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q%s,"purchase":{"currency":"ZAR","products":[{"name":"Gym membership","price":%d}]}}`,
		client, d.A.BrandID, more, cents)).Want(201)
	return "/p/" + got.Text("id") + "/"
}

const storing = `,"payment_method_whitelist":["eft"],"force_recurring":true`

func (d desk) get(path string, headers ...string) handlertest.Answer {
	d.t.Helper()
	return d.Call("GET", path, nil, append([]string{"Accept: text/html"}, headers...)...)
}

func (d desk) give(path string, form url.Values, headers ...string) handlertest.Answer {
	d.t.Helper()
	return d.Call("POST", path, form, append([]string{"Accept: text/html", "Sec-Fetch-Site: same-origin",
		"User-Agent: Phone/1.0"}, headers...)...)
}

func (d desk) record(path string) purchase.Record {
	d.t.Helper()
	rec, err := d.Purchases.Open(d.t.Context(), idOf(path))
	if err != nil {
		d.t.Fatal(err)
	}
	return rec
}

func idOf(path string) uuid.UUID { return uuid.MustParse(strings.Split(path, "/")[2]) }

const number = "1234567890"

// filled is the form as a payer fills it in.
func filled(change ...string) url.Values {
	f := url.Values{"full_name": {"Thandi Nkosi"}, "id_number": {"8501015000085"}, "phone": {"082 123 4567"},
		"bank_code":      {"470010"},
		"account_number": {number}, "account_type": {"SAVINGS"}, "consent": {"yes"}}
	for i := 0; i < len(change); i += 2 {
		f.Set(change[i], change[i+1])
	}
	return f
}

func TestThePageSaysWhoAsksForWhatAndMarksThePurchaseViewed(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 49900)
	first := d.Purchases.Timetable.EarliestActionDate(d.Purchases.Calendar,
		d.Purchases.Now()).Format("Monday 2 January 2006")
	d.get(path).Want(200).Contains("Brand a", "Gym membership", "R\u00a0499,00", first, "Thandi Nkosi", "082 123 4567",
		"TESTMERCH1", "Capitec", "noindex")
	if rec := d.record(path); rec.Status != purchase.Viewed || rec.ViewedAt.IsZero() {
		t.Errorf("status %s, viewed %s", rec.Status, rec.ViewedAt)
	}
	if n := d.Count(
		`SELECT count(*) FROM audit_entries WHERE purchase_id = $1 AND action = 'purchase.viewed' AND actor_kind = 'payer'`,
		idOf(path)); n != 1 {
		t.Errorf("%d audit entries", n)
	}
}

func TestLookingWithoutAPersonMarksNothing(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 0)
	d.Call("HEAD", path, nil).Want(200)
	d.get(path, "Sec-Purpose: prefetch;prerender").Want(200)
	d.get(path, "Accept: application/json").Want(200)
	if rec := d.record(path); rec.Status != purchase.Created {
		t.Errorf("status %s", rec.Status)
	}
	d.get(path + "invoice/").Want(200)
	if rec := d.record(path); rec.Status != purchase.Viewed {
		t.Errorf("the invoice was opened and the purchase is %s", rec.Status)
	}
}

func TestUnknownLinksGetAKindPage(t *testing.T) {
	d := newDesk(t)
	for _, path := range []string{"/p/0192d1a0-0000-7000-8000-000000000000/", "/p/nonsense/",
		"/p/0192d1a0-0000-7000-8000-000000000000/invoice/",
		"/p/{0192d1a0-0000-7000-8000-000000000000}/"} {
		d.get(path).Want(404).Contains("We cannot find this page", "open it again from the message").Lacks(`href="/"`)
		d.get(path, "Accept: application/json").Want(404).WantCode("__all__=not_found")
	}
	d.give("/p/0192d1a0-0000-7000-8000-000000000000/", filled()).Want(404)
}

func TestAnAccountIsStoredWithoutTakingMoney(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 0)
	d.get(path).Want(200).Contains("Nothing is debited now", "Agree and store my account")
	d.give(path, filled()).Want(303)
	rec := d.record(path)
	if rec.Status != purchase.Preauthorized || !rec.IsRecurringToken || rec.Collection != nil {
		t.Fatalf("status %s, token %v", rec.Status, rec.IsRecurringToken)
	}
	m, err := mandate.Store{DB: d.Store}.Mandate(t.Context(), d.A.ID, rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	if m.Consent.Channel != "pay_page" || m.Consent.IP != "192.0.2.1" || m.Consent.Agent != "Phone/1.0" ||
		m.Consent.At.IsZero() || m.AccountMask != "•••• 7890" {
		t.Errorf("consent %+v of %s", m.Consent, m.AccountMask)
	}
	for _, must := range []string{"I, Thandi Nkosi, authorise Brand a",
		"savings account ••••\u00a07890 at Capitec, branch 470010", "Nothing is debited now.", "TESTMERCH1"} {
		if !strings.Contains(m.Consent.Text, must) {
			t.Errorf("the text lacks %q:\n%s", must, m.Consent.Text)
		}
	}
	d.get(path).Want(200).Contains("Your account is stored", "Capitec ••••\u00a07890", "TESTMERCH1").Lacks("<form", number)
}

func TestTheFirstDebitIsPlannedWithTheAccount(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 49900)
	answer := d.give(path, filled()).Want(303)
	if answer.Header.Get("Location") != path {
		t.Errorf("sent to %s", answer.Header.Get("Location"))
	}
	rec := d.record(path)
	if rec.Status != purchase.PendingExecute || rec.Collection == nil || rec.Collection.AmountCents != 49900 ||
		rec.Method != purchase.EFT || rec.IsRecurringToken {
		t.Fatalf("got %+v", rec)
	}
	m, err := mandate.Store{DB: d.Store}.Mandate(t.Context(), d.A.ID, rec.ID)
	if day := rec.Collection.ActionDate.Format("Monday 2 January 2006"); err != nil ||
		!strings.Contains(m.Consent.Text, "R\u00a0499,00 on "+day) {
		t.Errorf("%v: the text does not name %s:\n%s", err, day, m.Consent.Text)
	}
	d.get(path).Want(200).Contains("Your debit order is set", "R\u00a0499,00",
		rec.Collection.ActionDate.Format("Monday 2 January 2006"), "Please make sure that the money").Lacks("<form")
}

func TestADueFarAheadWaitsForItsDay(t *testing.T) {
	d := newDesk(t)
	due := d.Store.Now().AddDate(0, 0, 20)
	path := d.purchase(d.client(), storing+fmt.Sprintf(`,"due":%d`, due.Unix()), 100)
	d.get(path).Want(200).Contains("normally on the")
	d.give(path, filled()).Want(303)
	if rec := d.record(path); rec.Status != purchase.PendingCharge {
		t.Errorf("status %s", rec.Status)
	}
	d.get(d.purchase(d.client(), storing, 100)).Want(200).Lacks("normally on the") // nobody chose a day
}

func TestEveryProblemIsToldAtOnceBesideItsField(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 0)
	empty := url.Values{"full_name": {" "}, "id_number": {"9001015000087"}, "phone": {"12"}, "bank_code": {""},
		"branch_code":    {""},
		"account_number": {"12a"}, "account_type": {""}}
	got := d.give(path, empty).Want(422).Contains("There are 7 problems", `id="full_name-error"`, `id="id_number-error"`,
		`id="phone-error"`, `id="bank_code-error"`,
		`id="account_number-error"`, `id="account_type-error"`, `id="consent-error"`, `value="12a"`, `value="9001015000087"`,
		`<title>Error: `)
	for _, field := range []string{"full_name", "id_number", "phone", "bank_code", "account_number", "account_type",
		"consent"} {
		got.Contains(`href="#`+field+`"`, `id="`+field+`"`)
	}
	if rec := d.record(path); rec.HasMandate() || rec.Payer.BankAccount != "" {
		t.Error("something was stored")
	}
	d.give(path, filled("consent", "")).Want(422).Contains("There is a problem", `id="consent-error"`,
		`value="Thandi Nkosi"`, `value="`+number+`"`).Lacks(`id="full_name-error"`)
	d.give(path, filled("bank_code", "other", "branch_code", "12")).Want(422).Contains(`id="branch_code-error"`,
		`value="12"`).Lacks(`id="bank_code-error"`)
	d.give(path, filled("full_name", "Thandi\x00Nkosi")).Want(422).Contains(`id="full_name-error"`)
	d.give(path, filled("full_name", "\xff\xfe")).Want(422)
}

func TestAProgramGetsTheSameProblemsAsTheAPIGivesThem(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 0)
	d.give(path, url.Values{}, "Accept: application/json").Want(400).WantCode("full_name=required",
		"account_number=required", "bank_code=required", "consent=required")
	got := d.give(path, filled(), "Accept: application/json").Want(200)
	if got.Text("status") != "preauthorized" {
		t.Error(got.Body)
	}
}

func TestABranchThatIsNotInTheListCanBeTyped(t *testing.T) {
	d := newDesk(t)
	client := d.client()
	for name, form := range map[string]url.Values{
		"typed":           filled("bank_code", "other", "branch_code", "123456"),
		"typed alone":     filled("bank_code", "", "branch_code", "123456"),
		"as the old form": filled("bank_code", "123456"),
	} {
		path := d.purchase(client, storing, 0)
		d.give(path, form).Want(303)
		if rec := d.record(path); rec.Payer.BankCode != "123456" {
			t.Errorf("%s: branch %q", name, rec.Payer.BankCode)
		}
	}
}

func TestANumberThatWasGivenIsNowhereInClear(t *testing.T) {
	var log bytes.Buffer
	d := desk{handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}), t}
	path := d.purchase(d.client(), storing, 100)
	d.give(path, filled("consent", "")).Want(422)
	d.give(path, filled()).Want(303)
	if said := log.String(); !strings.Contains(said, path[:10]) || strings.Contains(said, number) ||
		strings.Contains(said, "8501015000085") {
		t.Errorf("the log says:\n%s", said)
	}
	d.get(path).Want(200).Lacks(number, "8501015000085")
	d.get(path+"invoice/").Want(200).Lacks(number, "8501015000085")
	for _, table := range []string{"audit_entries", "purchases", "mandates", "tokens", "collections", "mails"} {
		for _, secret := range []string{number, "8501015000085"} {
			if n := d.Count(`SELECT count(*) FROM `+table+` AS row WHERE row::text LIKE '%' || $1 || '%'`, secret); n != 0 {
				t.Errorf("%s holds %s in clear", table, secret)
			}
		}
	}
}

func TestALinkWorksOnce(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 0)
	d.give(path, filled()).Want(303)
	d.give(path, filled("account_number", "9999999999")).Want(409).Contains("Nothing was changed",
		"Your account is stored").Lacks("9999999999", "<form")
	if n := d.Count(`SELECT count(*) FROM tokens`); n != 1 {
		t.Errorf("%d tokens", n)
	}
	d.give(path, filled(), "Accept: application/json").Want(400).WantCode("__all__=purchase_charge_wrong_status")
}

func TestALinkOfADeletedClientStoresNothing(t *testing.T) {
	d := newDesk(t)
	client := d.client()
	path := d.purchase(client, storing, 0)
	d.get(path).Want(200).Contains("<form")
	d.API("DELETE", "/clients/"+client+"/", nil).Want(204)
	d.get(path).Want(200).Lacks("<form")
	d.give(path, filled()).Want(409)
	if n := d.Count("SELECT count(*) FROM tokens"); n != 0 {
		t.Errorf("%d tokens of a client who is gone", n)
	}
}

func TestTwoAtOnceStoreOneAccount(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 500)
	answers := make(chan int, 8)
	for range 8 {
		go func() { answers <- d.give(path, filled()).Status }()
	}
	won := 0
	for range 8 {
		switch status := <-answers; status {
		case 303:
			won++
		case 409:
		default:
			t.Errorf("status %d", status)
		}
	}
	if n := d.Count(`SELECT count(*) FROM collections`); won != 1 || n != 1 {
		t.Errorf("%d won, %d collections", won, n)
	}
}

func TestTermsThatChangedAreShownAgain(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 100)
	d.give(path, filled("terms", "000000000000")).Want(409).Contains("The agreement has changed",
		`value="`+number+`"`).Lacks(`value="yes" checked`)
	page := d.get(path).Body
	_, after, _ := strings.Cut(page, `name="terms" value="`)
	version, _, _ := strings.Cut(after, `"`)
	if version == "" {
		t.Fatal("the form carries no version of the terms")
	}
	d.give(path, filled("terms", version)).Want(303)
}

func TestNamesCannotSmuggleMarkup(t *testing.T) {
	d := newDesk(t)
	const evil = `"><script>alert(1)</script>`
	client := d.API("POST", "/clients/", map[string]any{"email": "x@example.com", "full_name": evil}).Want(201).Text("id")
	path := d.purchase(client, storing, 0)
	d.get(path).Want(200).Lacks("<script")
	d.give(path, filled("full_name", evil, "bank_code", evil)).Want(422).Lacks("<script")
	d.give(path, filled("full_name", evil)).Want(303)
	d.get(path).Want(200).Lacks("<script")
	d.get(path + "invoice/").Want(200).Lacks("<script")
}

func TestAnotherSiteCannotPost(t *testing.T) {
	d := newDesk(t)
	path := d.purchase(d.client(), storing, 0)
	d.Call("POST", path, filled(), "Accept: text/html", "Sec-Fetch-Site: cross-site").Want(403).Contains(
		"That did not work")
	if rec := d.record(path); rec.HasMandate() {
		t.Error("it was stored")
	}
}
