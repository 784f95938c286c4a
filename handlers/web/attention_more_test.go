package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/mandate"
)

func TestWhatIsOwedAndCannotRunStandsInTheQueue(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	client, token := b.stored("4000000001")
	overdue := b.bought(client, 12300, 3)
	planned := b.charged(client, token, 45600, 12)
	b.later(5)
	b.must(`INSERT INTO proclaimed_days (day, name, open, created_at)
		SELECT action_date, 'Day of mourning', false, created_at FROM collections WHERE purchase_id = $1`, planned)
	lines := b.followed()
	for href, want := range map[string]string{"/purchases?attention=overdue": "1 overdue purchase was never debited",
		"/purchases?attention=closed_day": "1 planned debit is on a closed day"} {
		if lines[href] != want {
			t.Errorf("%s says %q, want %q", href, lines[href], want)
		}
	}
	b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Contains("Overdue without a debit", overdue,
		"Debits on a closed day", planned, "Change date…")
	b.Page(b.A.Staff, "POST", "/attention/"+overdue, url.Values{"kind": {"overdue"}, "do": {"close"},
		"reason": {"written_off"}, "form_key": {uuid.NewString()}})
	b.must(`DELETE FROM proclaimed_days`)
	b.API("POST", "/purchases/"+overdue+"/mark_as_paid/", nil).Want(http.StatusOK)
	if lines := b.followed(); len(lines) != 0 {
		t.Errorf("nothing waits any more: %v", lines)
	}
}

func TestAConfirmedMandateOfWhichNothingComesStandsInTheQueue(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	b.Purchases.Window, b.Purchases.Limits = mandate.DefaultWindow(), mandate.DefaultLimits()
	b.engine.Limits = b.Purchases.Limits
	client, old := b.stored("4000000001")
	b.API("PATCH", "/clients/"+client+"/", map[string]any{"personal_code": "8501015000085", "phone": "0821234567"}).
		Want(http.StatusOK)
	agreed := b.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,
		"purchase":{"total_override":0,"products":[{"name":"m","price":10000}],"payment_method_details":{"direct_debit":{
		"value_type":"VARIABLE","authentication_type":"DELAYED","debit_sequence":"RCUR","adjustment_category":"NEVER",
		"max_amount_cents":15000,"allow_date_adjustment":true}}}}`, client, b.A.BrandID)).Want(http.StatusCreated).Text("id")
	b.later(2) // the request leaves on the first day and is answered by the second
	if n := b.Count(`SELECT count(*) FROM tokens WHERE id = $1 AND state = 'active'`, agreed); n != 1 {
		t.Fatal("the client did not confirm it")
	}
	b.followed()
	b.later(2)
	const idle, replaced = "/mandates?attention=idle", "/tokens?attention=replaced"
	if got := b.followed()[idle]; got != "1 recurring mandate has no debit planned" {
		t.Errorf("home says %q", got)
	}
	b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Contains("Recurring mandates with nothing planned",
		"/tokens/"+agreed, "Plan a debit…", idle)
	b.Page(b.A.Staff, "GET", idle, nil).Want(http.StatusOK).Contains("Recurring, with nothing planned",
		"/mandates/"+agreed, `href="/tokens/`+agreed+`"`, "Plan a debit…")
	amendment := b.Store.NewID()
	b.must(`INSERT INTO amendments (id, merchant_id, old_token_id, purchase_id, state, created_at)
		SELECT $1, merchant_id, id, $2, 'open', created_at FROM tokens WHERE id = $3`, amendment, agreed, old)
	lines := b.followed()
	if got := lines[replaced]; got != "1 replacement account is confirmed and not in use" ||
		lines[idle] != "" {
		t.Errorf("home says %v", lines)
	}
	for _, list := range []string{replaced, "/tokens/" + agreed} {
		b.Page(b.A.Staff, "GET", list, nil).Want(http.StatusOK).Contains("Take over…", "/amendments/"+amendment.String())
	}
	page := b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body
	if !strings.Contains(page, "Take over…") || !strings.Contains(page, "/amendments/"+amendment.String()) {
		t.Error("the queue does not lead to the replacement")
	}
	b.charged(client, agreed, 10000, 12)
	b.must(`UPDATE amendments SET state = 'done'`)
	if lines := b.followed(); lines[replaced] != "" || lines[idle] != "" {
		t.Errorf("afterwards %v", lines)
	}
}

func TestPeriodsThatAMandateDoesNotAllowHaveAList(t *testing.T) {
	t.Parallel()
	b := newBusiness(t)
	client, _ := b.stored("4000000001")
	at := templateOf(t, b.Server, plan("Monthly"))
	form := url.Values{"form_key": {uuid.NewString()}, "client_id": {client}}
	sub := b.Page(b.A.Finance, "POST", at+"/subscribers", form).Want(http.StatusSeeOther).Header.Get("Location")
	b.must(`UPDATE template_clients SET status = 'active', unfit = 'R 699,00 is more than R 450,00.'`)
	const list = "/templates/not-allowed"
	if got := b.followed()[list]; got != "1 subscriber’s next period is not allowed by the mandate" {
		t.Errorf("home says %q", got)
	}
	b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Contains(`href="` + list + `"`)
	b.Page(b.A.Finance, "GET", list, nil).Want(http.StatusOK).Contains("R 699,00 is more than R 450,00.",
		"Change price or mandate…", sub, "Pause…", "Remove…")
	b.Page(b.B.Finance, "GET", list, nil).Want(http.StatusOK).Lacks("more than R 450,00")
	file := b.Page(b.A.Finance, "GET", list+"/export?format=csv", nil).Want(http.StatusOK)
	file.Contains("Why", "R 699,00 is more than R 450,00.")
	b.must(`UPDATE template_clients SET unfit = ''`)
	if lines := b.followed(); lines[list] != "" {
		t.Errorf("afterwards %v", lines)
	}
}

func TestASubscriberIsAddedWithOwnTermsAndAFirstAmount(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	client := clientOf(h, "own@example.com")
	h.Page(h.A.Finance, "GET", at+"/subscribers/new", nil).Want(http.StatusOK).Contains("First amount",
		"Own DebiCheck terms", `name="subscription_max_amount_cents"`)
	form := url.Values{"form_key": {uuid.NewString()}, "client_id": {client},
		"subscription_first_amount_cents": {"120,50"},
		"subscription_value_type":         {"USAGEBASED"}, "subscription_authentication_type": {""},
		"subscription_allow_date_adjustment": {"yes"}, "subscription_max_amount_cents": {"9 000,00"}}
	h.Page(h.A.Finance, "POST", at+"/subscribers", form).Want(http.StatusUnprocessableEntity).
		Contains(`value="9 000,00"`, `value="120,50"`, "This field is required.", "<details class=\"form-section\" open")
	form.Set("subscription_authentication_type", "DELAYED")
	sub := h.Page(h.A.Finance, "POST", at+"/subscribers", form).Want(http.StatusSeeOther).Header.Get("Location")
	if n := h.Count(`SELECT count(*) FROM template_clients s JOIN purchases p ON p.id = s.first_purchase_id
		WHERE s.first_amount_cents = 12050 AND p.total_cents = 12050
			AND p.details -> 'direct_debit' -> 'terms' ->> 'max_amount_cents' = '900000'`); n != 1 {
		t.Error("the client is asked for other terms than were typed")
	}
	h.Page(h.A.Finance, "GET", sub, nil).Want(http.StatusOK).Contains("First amount", "Never more than")
	h.Page(h.A.Finance, "GET", sub+"/edit", nil).Want(http.StatusOK).Contains(
		`name="subscription_max_amount_cents" value="9`)
	form.Set("subscription_max_amount_cents", "8 000,00")
	h.Page(h.A.Finance, "POST", sub+"/edit", form).Want(http.StatusSeeOther)
	if n := h.Count(`SELECT count(*) FROM purchases
		WHERE details -> 'direct_debit' -> 'terms' ->> 'max_amount_cents' = '800000'`); n != 1 {
		t.Error("the client is still asked for the old maximum")
	}
}
