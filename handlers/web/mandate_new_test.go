package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// setUp is a server at a time of day of some later Tuesday, with a client.
func setUp(t *testing.T, hour, minute int) cast {
	t.Helper()
	h := handlertest.New(t)
	day := calendar.DateOf(h.Store.Now()).AddDays(7)
	for day.Weekday() != 2 || !h.Purchases.Calendar.IsBusinessDay(day) {
		day = day.AddDays(1)
	}
	if err := h.Store.Clock.MoveTo(t.Context(), day.At(hour, minute)); err != nil {
		t.Fatal(err)
	}
	return cast{Server: h, client: strings.TrimPrefix(add(h, thandi()), "/clients/"), day: day}
}

// wanted is a form that asks for a mandate.
func (k cast) wanted(pairs ...string) url.Values {
	form := url.Values{"form_key": {uuid.NewString()}, "method": {"debicheck"}, "client_id": {k.client},
		"name": {"Gym membership"}, "price": {"R 100"},
		"value_type": {"VARIABLE"}, "max_amount_cents": {"150,00"}, "debit_sequence": {"RCUR"},
		"adjustment_category": {"NEVER"}, "period_units": {"months"},
		"deduction_day": {"25"}, "deduction_weekday": {"5"}, "first": {"day"}, "authentication_type": {"REALTIME"},
		"verify_account": {"yes"}}
	return with(form, pairs...)
}

func TestAMandateIsSetUpAndThePayerIsAsked(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	k.Page(k.A.Staff, "GET", "/clients/"+k.client+"/mandates/new", nil).Want(http.StatusOK).
		Contains("Thandi Nkosi", `value="`+k.client+`" checked`, "until 20:30", "All that DebiCheck needs is on record",
			`value="REALTIME" checked`, "TESTMERCH1")
	form := k.wanted()
	to := k.Page(k.A.Staff, "POST", "/mandates", form).Want(http.StatusSeeOther).Header.Get("Location")
	if again := k.Page(k.A.Staff, "POST", "/mandates",
		form).Want(http.StatusSeeOther).Header.Get("Location"); again != to || !strings.HasPrefix(to, "/mandates/") {
		t.Errorf("the same form went to %s and to %s", to, again)
	}
	if n := k.Count(`SELECT count(*) FROM mandates m JOIN mandate_authentications a ON a.mandate_id = m.id
		WHERE m.id = $1 AND m.kind = 'debicheck' AND m.state = 'submitted' AND a.method = 'REALTIME' AND a.state = 'requested'
		AND m.terms->>'max_amount_cents' = '15000' AND m.terms->>'price_cents' = '10000' AND m.deduction_day = 25`,
		strings.TrimPrefix(to, "/mandates/")); n != 1 {
		t.Errorf("%d mandates that ask the payer, want 1", n)
	}
	if n := k.Count(`SELECT count(*) FROM mandates`); n != 1 {
		t.Errorf("%d mandates, want 1", n)
	}
}

func TestTheFormBeginsAsTheLastMandateOfTheBrand(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	k.Page(k.A.Staff, "GET", "/mandates/new?amount=499&name=Gym",
		nil).Want(http.StatusOK).Contains(`value="VARIABLE" checked`, `value="25" selected`, `value="499"`,
		`value="Gym"`).Lacks("of the last mandate")
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted("value_type", "USAGEBASED", "deduction_day", "99",
		"allow_date_adjustment", "yes")).Want(http.StatusSeeOther)
	k.Page(k.A.Staff, "GET", "/mandates/new", nil).Want(http.StatusOK).Contains(`value="USAGEBASED" checked`,
		`value="99" selected`, "of the last mandate of Brand a").Lacks(`value="Gym membership"`, `value="150,00"`)
	k.Page(k.B.Staff, "GET", "/mandates/new", nil).Want(http.StatusOK).Contains(`value="VARIABLE" checked`)
}

func TestTheCalculatorFollowsTheTyping(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	for name, c := range map[string]struct {
		form  []string
		want  []string
		lacks string
	}{
		"within the limit": {nil, []string{"R\u00a0150,00", "one debit of up to R\u00a0150,00 each month, on the 25th",
			"A debit of an amount other than R\u00a0100,00.", "To the bank by", "TESTMERCH1"}, `data-at="max`},
		"one cent above": {[]string{"max_amount_cents", "150,01"},
			[]string{`data-at="max_amount_cents"`, "At most R\u00a0150,00", "Depends on use"}, "each month, on"},
		"an odd price": {[]string{"price", "100,01", "max_amount_cents", "150,01"}, []string{"up to R\u00a0150,01"},
			`data-at="max`},
		"always the same": {[]string{"value_type", "FIXED", "max_amount_cents", "999", "adjustment_category", "ANNUALLY",
			"adjustment_rate", "6"}, []string{"exactly R\u00a0100,00 each month", "cannot be disputed"}, "data-at="},
		"by use": {[]string{"value_type", "USAGEBASED", "max_amount_cents", "600 000"},
			[]string{"up to R\u00a0600\u00a0000,00", "No upper limit", "R\u00a0500\u00a0000,00 may alarm"}, "data-at="},
		"rate and amount": {[]string{"adjustment_category", "ANNUALLY", "adjustment_rate", "6", "adjustment_amount_cents",
			"10"}, []string{`data-at="adjustment_rate"`, "not both"}, ""},
		"neither of the two": {[]string{"adjustment_category", "ANNUALLY", "strict", "yes"},
			[]string{"fill in a rate or an amount"}, ""},
		"a rate": {[]string{"adjustment_category", "ANNUALLY", "adjustment_rate", "4,75 %"},
			[]string{"rise by 4.75"}, "data-at="},
		"nothing now": {[]string{"first", "none", "value_type", "FIXED"},
			[]string{"Nothing is collected now", "exactly R\u00a0100,00"}, "data-at="},
		"another day": {[]string{"first", "soon"},
			[]string{"is not on the deduction day. The client confirms that day too"}, ""},
		"another day allowed": {[]string{"first", "soon", "allow_date_adjustment", "yes"},
			[]string{"is not on the deduction day. The client confirms that day too"}, "would refuse"},
		"by the week": {[]string{"period_units", "weeks", "deduction_weekday", "5"},
			[]string{"each week, on Fridays", "Fri\u00a0"}, "data-at="},
		"the fallback": {[]string{"do_delayed_on_auth_failure", "yes"}, []string{"registered mandate"}, ""},
		"not typed yet": {[]string{"price", "", "max_amount_cents", "", "name", ""}, []string{"Enter the price"},
			"data-at="},
		"not readable": {[]string{"price", "1,234"}, []string{`data-at="price"`, "could be thousands or decimals"},
			""},
		"by EFT": {[]string{"method", "eft"}, []string{"disputed within 60 days", "Continue to the account"},
			"data-at="},
	} {
		t.Run(name, func(t *testing.T) {
			got := k.Page(k.A.Staff, "POST", "/mandates/preview", k.wanted(c.form...)).Want(http.StatusOK).Contains(
				c.want...).Lacks("<html")
			if c.lacks != "" {
				got.Lacks(c.lacks)
			}
		})
	}
	if n := k.Count(`SELECT count(*) FROM purchases`); n != 0 {
		t.Errorf("looking made %d purchases", n)
	}
}

func TestEveryProblemOfAMandateIsSaidBesideItsInput(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	form := k.wanted("client_id", "", "name", "", "price", "x", "max_amount_cents", "", "value_type", "ODD",
		"adjustment_category", "QUARTERLY", "adjustment_rate", "1",
		"adjustment_amount_cents", "2", "debit_sequence", "", "authentication_type", "", "deduction_day", "31", "first",
		"other")
	k.Page(k.A.Staff, "POST", "/mandates", form).Want(http.StatusUnprocessableEntity).
		Contains(`href="#client_id"`, `href="#name"`, `href="#price"`, `href="#value_type"`, `href="#max_amount_cents"`,
			`href="#debit_sequence"`, `href="#adjustment_rate"`,
			`href="#deduction_day"`, `href="#due"`, `href="#authentication_type"`, `id="max_amount_cents-error"`, `value="x"`,
			"There are 10 problems")
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted("first", "other", "due_other", k.day.AddDays(1).String())).Want(
		http.StatusUnprocessableEntity).Contains(`href="#due_other"`, "Too soon")
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted("check", "yes", "price", "")).Want(http.StatusOK).Contains(
		"Enter the amount of a usual debit.", "What will happen")
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted("find", "client_id", "client_id", "", "client_id_q", "thandi")).Want(
		http.StatusOK).Contains("Thandi Nkosi").Lacks("There is a problem")
	if n := k.Count(`SELECT count(*) FROM mandates`); n != 0 {
		t.Errorf("%d mandates, want none", n)
	}
}

func TestOutsideTheWindowTheFormSwitchesToDelayed(t *testing.T) {
	t.Parallel()
	k := setUp(t, 21, 14)
	k.Page(k.A.Staff, "GET", "/mandates/new", nil).Want(http.StatusOK).Contains(`value="DELAYED" checked`,
		`value="REALTIME" disabled`, "it is 21:14 now", "tomorrow at 03:00")
	k.Page(k.A.Staff, "POST", "/mandates/preview", k.wanted("window_shown", "open")).Want(http.StatusOK).Contains(
		`id="asking"`, `hx-swap-oob="true"`, `value="DELAYED" checked`, "Send SMS").Lacks("data-at=")
	form := k.wanted()
	k.Page(k.A.Staff, "POST", "/mandates", form).Want(http.StatusUnprocessableEntity).Contains(
		"Real-time requests are not possible now", `name="use" value="delayed"`, "Use delayed instead",
		`value="Gym membership"`)
	form.Set("use", "delayed")
	to := k.Page(k.A.Staff, "POST", "/mandates", form).Want(http.StatusSeeOther).Header.Get("Location")
	if n := k.Count(`SELECT count(*) FROM mandate_authentications WHERE mandate_id = $1 AND method = 'DELAYED'`,
		strings.TrimPrefix(to, "/mandates/")); n != 1 {
		t.Errorf("%d delayed requests, want 1", n)
	}
}

func TestTheFirstDebitLeavesTimeForTheAnswer(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0) // a Tuesday before the cut-off: the bank takes a debit of Wednesday
	first := func(pairs ...string) string {
		return k.Page(k.A.Staff, "POST", "/mandates/preview",
			k.wanted(append([]string{"period_units", "weeks", "deduction_weekday", "3"}, pairs...)...)).Want(http.StatusOK).Body
	}
	day := func(n int) string { return k.day.AddDays(n).Format("060102") }
	if !strings.Contains(first(), day(1)) {
		t.Error("an answer within seconds does not keep the earliest day")
	}
	if !strings.Contains(first("authentication_type", "DELAYED"), day(8)) {
		t.Error("an answer within 48 hours does not get a later day")
	}
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted("first", "other", "due_other", k.day.AddDays(1).String())).Want(
		http.StatusUnprocessableEntity).Contains("Too soon: a debit order needs two days.")
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted("first", "other", "due_other", k.day.AddDays(2).String(),
		"allow_date_adjustment", "yes")).Want(http.StatusSeeOther)
}

func TestTheWindowCountsItsMinutes(t *testing.T) {
	t.Parallel()
	k := setUp(t, 19, 47)
	k.Page(k.A.Staff, "GET", "/mandates/new", nil).Want(http.StatusOK).Contains("42\u00a0minutes, until 20:30")
}

func TestANewClientIsAddedWithTheMandate(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	form := k.wanted("client_id", "new")
	for name, values := range thandi() {
		form[name] = values
	}
	form.Set("email", "sipho@example.com")
	form.Set("full_name", "Sipho Dube")
	form.Set("phone", "083 765 4321")
	form.Set("personal_code", "9202205204087")
	form.Set("bank_account", "12")
	k.Page(k.A.Staff, "POST", "/mandates", form).Want(http.StatusUnprocessableEntity).Contains(`value="Sipho Dube"`,
		`href="#bank_account"`, `value="new" checked`)
	if n := k.Count(`SELECT count(*) FROM clients`); n != 1 {
		t.Fatalf("%d clients, want only the one of before", n)
	}
	form.Set("bank_account", "4055123456")
	answers := make([]handlertest.Answer, 4)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() { answers[i] = k.Page(k.A.Staff, "POST", "/mandates", form) })
	}
	wait.Wait()
	for _, a := range answers {
		if a.Status != http.StatusSeeOther || a.Header.Get("Location") != answers[0].Header.Get("Location") {
			t.Errorf("%d to %s: %.300s", a.Status, a.Header.Get("Location"), a.Body)
		}
	}
	if n := k.Count(
		`SELECT count(*) FROM mandates m JOIN clients c ON c.id = m.client_id WHERE c.email = 'sipho@example.com'`); n != 1 {
		t.Errorf("%d mandates of the new client, want 1", n)
	}
	if n := k.Count(`SELECT count(*) FROM clients`); n != 2 {
		t.Errorf("%d clients, want 2", n)
	}
}

// A client who is there already is noticed in the form of a mandate too, and may be chosen in it.
func TestANewClientOfAMandateWhoIsThereAlreadyIsNoticed(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	form := k.wanted("client_id", "new")
	for name, values := range thandi() {
		form[name] = values
	}
	form.Set("email", "other@example.com")
	k.Page(k.A.Staff, "POST", "/mandates", form).Want(http.StatusConflict).
		Contains("You may have this client already", "the same phone number and identity number", `value="`+k.client+`"`,
			`name="even_so"`, `value="other@example.com"`, `value="150,00"`)
	if n := k.Count(`SELECT count(*) FROM clients`) + k.Count(`SELECT count(*) FROM mandates`); n != 1 {
		t.Fatalf("%d records, want the client of before", n)
	}
	chosen := with(form, "client_id", k.client)
	k.Page(k.A.Staff, "POST", "/mandates", chosen).Want(http.StatusSeeOther)
	another := with(form, "client_id", "new", "even_so", "yes", "form_key", uuid.NewString())
	k.Page(k.A.Staff, "POST", "/mandates", another).Want(http.StatusSeeOther)
	if n, m := k.Count(`SELECT count(*) FROM clients`), k.Count(`SELECT count(*) FROM mandates`); n != 2 || m != 2 {
		t.Errorf("%d clients and %d mandates", n, m)
	}
}

func TestARefusedAccountKeepsTheNewClientAndTheForm(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	k.Purchases.Verifier = handlertest.Verifier(func(context.Context, bank.Verification) (bank.Verified, error) {
		says := bank.AllYes()
		says.Open = bank.No
		return says, nil
	})
	form := k.wanted("client_id", "new")
	for name, values := range thandi() {
		form[name] = values
	}
	form.Set("email", "sipho@example.com")
	form.Set("phone", "083 765 4321")
	form.Set("personal_code", "9202205204087")
	k.Page(k.A.Staff, "POST", "/mandates", form).Want(http.StatusUnprocessableEntity).
		Contains("The bank does not confirm the account", "account is closed", "is added as a client", "/edit",
			`value="Gym membership"`, `value="150,00"`)
	if n := k.Count(`SELECT count(*) FROM clients WHERE email = 'sipho@example.com'`); n != 1 {
		t.Errorf("%d clients, want 1", n)
	}
	if n := k.Count(`SELECT count(*) FROM mandates`); n != 0 {
		t.Errorf("%d mandates, want none", n)
	}
}

func TestWhatIsMissingThePayerGives(t *testing.T) {
	t.Parallel()
	k := setUp(t, 21, 14) // at night too: the payer is asked when the page is filled in
	k.client = strings.TrimPrefix(add(k.Server, url.Values{"full_name": {"Sipho Dube"}, "email": {"sipho@example.com"},
		"country": {"ZA"}}), "/clients/")
	k.Page(k.A.Staff, "POST", "/mandates/preview", k.wanted("client_shown", "")).Want(http.StatusOK).
		Contains(`id="needs"`, "identity number, phone number, account number and branch code",
			"Send the link to sipho@example.com", "Make the link").Lacks("data-at=")
	to := k.Page(k.A.Staff, "POST", "/mandates", k.wanted("mail", "yes")).Want(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(to, "/purchases/") || !strings.HasSuffix(to, "#link") {
		t.Fatalf("went to %s", to)
	}
	k.Page(k.A.Staff, "GET", strings.TrimSuffix(to, "#link"),
		nil).Want(http.StatusOK).Contains("is on its way to sipho@example.com")
	if n := k.Count(`SELECT count(*) FROM purchases WHERE status IN ('created', 'sent')`); n != 1 {
		t.Errorf("%d purchases that wait for the payer, want 1", n)
	}
}

func TestABrandWithoutRegistrationIsSaidOnce(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	k.exec(t, `DELETE FROM debit_profiles`)
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted()).Want(http.StatusUnprocessableEntity).Contains("There is a problem",
		"Brand a has no registration at the bank yet")
}

func TestAnEFTAccountGoesOnWithWhatWasTyped(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	to := k.Page(k.A.Staff, "POST", "/mandates", k.wanted("method", "eft", "max_amount_cents", "nonsense")).Want(
		http.StatusSeeOther).Header.Get("Location")
	if to != "/clients/"+k.client+"/accounts/new?amount=R+100&name=Gym+membership" {
		t.Fatalf("went to %s", to)
	}
	k.Page(k.A.Staff, "GET", to, nil).Want(http.StatusOK).Contains(`value="Gym membership"`, `value="R 100"`)
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted("method", "eft", "client_id", "")).Want(
		http.StatusUnprocessableEntity).Contains("Choose the client")
}

func TestStrangersSetUpNoMandateForClientsOfOthers(t *testing.T) {
	t.Parallel()
	k := setUp(t, 10, 0)
	k.Page(k.B.Owner, "GET", "/clients/"+k.client+"/mandates/new", nil).Want(http.StatusNotFound)
	k.Page(k.B.Owner, "GET", "/clients/x/mandates/new", nil).Want(http.StatusNotFound)
	k.Page(k.B.Owner, "GET", "/mandates/new?client="+k.client, nil).Want(http.StatusOK).Lacks("Thandi")
	k.Page(k.B.Owner, "POST", "/mandates", k.wanted()).Want(http.StatusUnprocessableEntity).Contains(
		"Choose the client").Lacks("Thandi")
	k.Page(k.B.Owner, "POST", "/mandates/preview", k.wanted()).Want(http.StatusOK).Lacks("Thandi")
	k.Page(k.A.Staff, "POST", "/mandates", k.wanted("brand_id", k.B.BrandID.String())).Want(
		http.StatusSeeOther) // the own brand is taken
	for _, c := range [][2]string{{"GET", "/mandates/new"}, {"POST", "/mandates"}, {"POST", "/mandates/preview"},
		{"GET", "/clients/" + k.client + "/mandates/new"}} {
		if got := k.Call(c[0], c[1], nil, "Accept: text/html",
			"Sec-Fetch-Site: same-origin"); got.Status != http.StatusSeeOther ||
			!strings.HasPrefix(got.Header.Get("Location"), "/login") {
			t.Errorf("%s %s signed out: %d to %s", c[0], c[1], got.Status, got.Header.Get("Location"))
		}
	}
	for _, c := range [][2]string{{"GET", "/mandates/new"}, {"POST", "/mandates"}, {"POST", "/mandates/preview"},
		{"GET", "/clients/" + k.client + "/mandates/new"}} {
		k.Page(k.A.Reader, c[0], c[1], k.wanted()).Want(http.StatusForbidden)
	}
	if n := k.Count(`SELECT count(*) FROM mandates WHERE merchant_id <> $1`, k.A.ID); n != 0 {
		t.Errorf("%d mandates of the stranger, want none", n)
	}
}
