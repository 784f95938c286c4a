package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

// plan is the form of a monthly subscription as a browser sends it.
func plan(title string, more ...string) url.Values {
	form := url.Values{"form_key": {uuid.NewString()}, "kind": {"subscription"}, "title": {title}, "name": {"Membership"},
		"price": {"649,00"}, "quantity": {"1"}, "tax_percent": {""},
		"subscription_period": {"1"}, "subscription_period_units": {"months"}, "subscription_due_period": {"7"},
		"subscription_due_period_units":  {"days"},
		"subscription_charge_period_end": {"no"}, "subscription_trial_periods": {"0"}, "number_of_billing_cycles": {""},
		"start": {"2099-01-31"}, "method": {"eft"}, "force_recurring": {"yes"}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

// templateOf makes a subscription and gives its address.
func templateOf(t *testing.T, h *handlertest.Server, form url.Values) string {
	t.Helper()
	return h.Page(h.A.Finance, "POST", "/templates", form).Want(http.StatusSeeOther).Header.Get("Location")
}

func clientOf(h *handlertest.Server, email string) string {
	return h.API("POST", "/clients/", map[string]any{"email": email, "full_name": "Client " + email}).Want(
		http.StatusCreated).Text("id")
}

func TestAPreviewSaysThePlanInWordsWithTwelveDates(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	got := h.Page(h.A.Finance, "POST", "/templates/preview", plan("x")).Want(http.StatusOK).Lacks("<html")
	got.Contains("every month on the 31st (last day in shorter months)", `datetime="2099-02-28"`, `datetime="2099-03-31"`,
		`datetime="2099-04-30"`, `datetime="2099-12-31"`)
	got.Lacks(`datetime="2100-01-31"`)
	for what, c := range map[string]struct {
		form url.Values
		says string
	}{
		"weeks": {plan("x", "subscription_period", "2", "subscription_period_units", "weeks"),
			"every 2 weeks on Saturday"},
		"days":          {plan("x", "subscription_period_units", "days"), "every day"},
		"trial":         {plan("x", "subscription_trial_periods", "2"), "The first 2 periods are free"},
		"at the end":    {plan("x", "subscription_charge_period_end", "yes"), "the first bill comes 1 month after the start"},
		"cycles":        {plan("x", "number_of_billing_cycles", "3"), "ends after 3 billed periods"},
		"many cycles":   {plan("x", "number_of_billing_cycles", "100000"), "ends after 100"},
		"no number":     {plan("x", "subscription_period", "often"), "Enter a whole number from 1 to 256."},
		"no start":      {plan("x", "start", ""), "Choose the day on which a client begins"},
		"on the 29th":   {plan("x", "start", "2099-01-29"), "on the 29th (last day in shorter months)"},
		"on the 28th":   {plan("x", "start", "2099-01-28"), "on the 28th."},
		"invoice alone": {plan("x", "kind", "invoice"), "One invoice for one client"},
		"VAT on top":    {plan("x", "tax_percent", "15"), "R 746,35"},
	} {
		body := strings.ReplaceAll(h.Page(h.A.Finance, "POST", "/templates/preview", c.form).Want(http.StatusOK).Body,
			"\u00a0", " ")
		if !strings.Contains(body, c.says) {
			t.Errorf("%s: the preview lacks %q:\n%s", what, c.says, body)
		}
	}
}

func TestATemplateIsMadeOnceAndShown(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.Page(h.A.Finance, "GET", "/templates", nil).Want(http.StatusOK).Contains("No template yet")
	form := plan("Monthly membership")
	at := templateOf(t, h, form)
	if again := templateOf(t, h, form); again != at {
		t.Errorf("sent twice: %s and %s", at, again)
	}
	h.Page(h.A.Finance, "GET", "/templates", nil).Contains("Monthly membership", "Billed every month",
		"No active subscriber")
	h.Page(h.A.Finance, "GET", "/templates?kind=invoice", nil, "HX-Request: true",
		"HX-Target: results").Want(http.StatusOK).Lacks("Monthly membership", "<html")
	h.Page(h.A.Finance, "GET", "/templates?kind=nonsense&q=month",
		nil).Want(http.StatusOK).Contains("not a kind of template", "Monthly membership")
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusOK).Contains("Pause for all subscribers", "No subscriber yet",
		"Next twelve dates")
	if n := h.Count(`SELECT count(*) FROM billing_templates`); n != 1 {
		t.Errorf("%d templates", n)
	}
}

func TestAFormWithProblemsKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	got := h.Page(h.A.Finance, "POST", "/templates",
		plan("", "price", "lots", "subscription_period", "0", "number_of_billing_cycles", "none")).Want(
		http.StatusUnprocessableEntity)
	got.Contains(`value="lots"`, `value="none"`, `href="#title"`, `href="#subscription_period"`,
		"Enter a whole number from 1 to 256.", `href="#price-1"`)
	h.Page(h.A.Finance, "POST", "/templates", plan("x", "kind", "invoice")).Want(http.StatusUnprocessableEntity).Contains(
		`href="#due"`)
	withLine := h.Page(h.A.Finance, "POST", "/templates", plan("x", "add", "yes")).Want(http.StatusOK)
	withLine.Contains(`id="name-2"`)
}

func TestLockedFieldsSayWhyAndStayAsTheyAre(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	h.Page(h.A.Finance, "GET", at+"/edit", nil).Want(http.StatusOK).Lacks("read-only")
	_ = subscribed(t, h, at, "6200000001")
	edit := h.Page(h.A.Finance, "GET", at+"/edit", nil).Want(http.StatusOK).Contains("The plan is read-only",
		"changing it would move their dates")
	if !strings.Contains(edit.Body, `name="subscription_period" value="1" disabled`) &&
		!strings.Contains(edit.Body, "disabled") {
		t.Error("the plan is not disabled")
	}
	version := between(edit.Body, `name="version" value="`, `"`)
	h.Page(h.A.Finance, "POST", at+"/edit", plan("Monthly and more", "subscription_period", "3", "version", version,
		"price", "700")).Want(http.StatusSeeOther)
	if n := h.Count(
		`SELECT count(*) FROM billing_templates WHERE period = 1 AND title = 'Monthly and more' AND total_cents = 70000`,
	); n != 1 {
		t.Error("the plan moved, or the price did not")
	}
	h.Page(h.A.Finance, "POST", at+"/edit", plan("Too late", "version", version)).Want(http.StatusConflict).Contains(
		"This template was changed while you were editing it", `value="Too late"`)
}

func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// subscribed adds a client with a stored account, and gives the subscriber's address.
func subscribed(t *testing.T, h *handlertest.Server, at, account string) string {
	t.Helper()
	client := h.API("POST", "/clients/", map[string]any{"email": "c" + account + "@example.com",
		"full_name": "Thandi Nkosi", "bank_account": account, "bank_code": "470010"}).Want(http.StatusCreated).Text("id")
	h.API("POST", "/purchases/",
		fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
			h.A.BrandID)).Want(http.StatusCreated)
	return h.Page(h.A.Finance, "POST", at+"/subscribers", url.Values{"form_key": {uuid.NewString()}, "client_id": {client},
		"send_receipt": {"yes"}}).Want(http.StatusSeeOther).Header.Get("Location")
}

func TestTheTwoPausesAreShownAsSuch(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	sub := subscribed(t, h, at, "6200000001")
	h.Page(h.A.Finance, "GET", sub, nil).Want(http.StatusOK).Contains("Pause this subscriber", "Billed",
		"Show the purchase", "Thandi Nkosi")
	h.Page(h.A.Finance, "GET", at+"/pause", nil).Want(http.StatusOK).Contains("1 active subscriber will not be billed")
	h.Page(h.A.Finance, "POST", at+"/pause", url.Values{"paused": {"yes"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at, nil).Contains("Paused for all subscribers", "Resume for all subscribers")
	h.Page(h.A.Finance, "GET", sub, nil).Contains("paused for all subscribers, so this one is not billed either",
		"Pause this subscriber")
	h.Page(h.A.Finance, "POST", at+"/pause", url.Values{"paused": {"no"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "POST", sub+"/pause", url.Values{"paused": {"yes"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", sub, nil).Contains("Resume this subscriber",
		"Only this subscriber is paused").Lacks("paused for all subscribers")
	h.Page(h.A.Finance, "GET", at+"?status=subscription_paused", nil, "HX-Request: true",
		"HX-Target: results").Contains("Thandi Nkosi").Lacks("<html")
	h.Page(h.A.Finance, "POST", sub+"/pause", url.Values{"paused": {"no"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/deletion", nil).Contains("1 subscriber will no longer be billed")
	h.Page(h.A.Finance, "POST", at+"/deletion", url.Values{"confirm": {"7"}}).Want(http.StatusUnprocessableEntity)
	h.Page(h.A.Finance, "POST", at+"/deletion", url.Values{"confirm": {"1"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusNotFound)
}

func TestThePageOfATemplateSaysHowManyWereToldOfItsPrice(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	subscribed(t, h, at, "6200000001")
	in := url.Values{"price-0": {"700,00"}, "from": {h.Store.Now().AddDate(0, 2, 0).Format(time.DateOnly)}}
	shown := h.Page(h.A.Finance, "POST", at+"/price", in).Want(http.StatusOK).Contains("1 client gets one mail about it.")
	_, after, _ := strings.Cut(shown.Body, `name="seen" value="`)
	seen, _, _ := strings.Cut(after, `"`)
	in.Set("seen", seen)
	in.Set("save", "yes")
	h.Page(h.A.Finance, "POST", at+"/price", in).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at, nil).Contains("Told of the price", "0 of 1 client")
	if err := h.Subscriptions.TellPrices(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "GET", at, nil).Contains("1 of 1 client")
}

func TestASubscriberIsEditedAndRemoved(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	sub := subscribed(t, h, at, "6200000001")
	h.Page(h.A.Finance, "POST", sub+"/edit", url.Values{"total_override": {"nothing"}, "invoice_reference": {"M-7"}}).Want(
		http.StatusUnprocessableEntity).Contains(`value="nothing"`, `value="M-7"`)
	h.Page(h.A.Finance, "POST", sub+"/edit", url.Values{"total_override": {"500,00"}, "invoice_reference": {"M-7"}}).Want(
		http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", sub, nil).Contains("Own price", "M-7")
	h.Page(h.A.Finance, "GET", at+"/subscribers/export?format=csv", nil).Want(http.StatusOK).Contains("Thandi Nkosi",
		"M-7", "Active")
	var client, purchase string
	if err := h.Store.Pool.QueryRow(t.Context(),
		`SELECT client_id::text, first_purchase_id::text FROM template_clients`).Scan(&client, &purchase); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "GET", "/clients/"+client, nil).Contains(sub, "Subscriptions")
	h.Page(h.A.Finance, "GET", "/purchases/"+purchase, nil).Contains(sub, at)
	h.Page(h.A.Finance, "POST", sub+"/removal", url.Values{}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", sub, nil).Contains("Inactive", "Removed by your team.").Lacks("Pause this subscriber")
}

func TestAFileOfSubscribersIsCheckedAndAddsUp(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	clientOf(h, "anna@example.com")
	byID := clientOf(h, "ben@example.com")
	first := h.Store.Now().AddDate(0, 2, 0).Format("2006-01-02")
	cells := "email;first date;reference\nAnna@example.com;;A-1\n" + byID + ";" + first +
		";B-1\nnobody@example.com;;\nanna@example.com;;\nben@example.com;soon;\n;;x\n"
	check := h.Page(h.A.Finance, "POST", at+"/subscribers/check", url.Values{"cells": {cells}}).Want(http.StatusOK)
	check.Contains("6 rows: 2 ready", "No client of yours", "is in row 2 already", "Write it as 2026-12-01",
		"No client is named", "Add 2 subscribers", `datetime="`+first+`"`)
	if n := h.Count(`SELECT count(*) FROM template_clients`); n != 0 {
		t.Fatalf("%d were added by looking", n)
	}
	form := url.Values{"form_key": {between(check.Body, `name="form_key" value="`, `"`)},
		"rows": {between(check.Body, `name="rows" value="`, `"`)}}
	for range 2 { // a double submit adds once
		h.Page(h.A.Finance, "POST", at+"/subscribers/bulk",
			form).Want(http.StatusOK).Contains("6 rows read = 2 added + 4 skipped + 0 failed")
	}
	if n := h.Count(`SELECT count(*) FROM template_clients WHERE status = 'pending'`); n != 2 {
		t.Errorf("%d subscribers", n)
	}
	h.Page(h.A.Finance, "POST", at+"/subscribers/check", url.Values{"cells": {"email\nanna@example.com\n"}}).Want(
		http.StatusOK).Contains("is already a subscriber of the template", "No row can be added")
	h.Page(h.A.Finance, "POST", at+"/subscribers/check",
		url.Values{"cells": {"colour\nred\n"}}).Want(http.StatusUnprocessableEntity).Contains("No column says which client")
	h.Page(h.A.Finance, "POST", at+"/subscribers/check", url.Values{"cells": {" "}}).Want(http.StatusUnprocessableEntity)
	h.Page(h.A.Finance, "POST", at+"/subscribers/bulk", url.Values{"rows": {"1\tx"}}).Want(http.StatusUnprocessableEntity)
}

func TestPendingSubscribersAreRemindedAndRemovedAsCounted(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	for i := range 3 {
		h.Page(h.A.Finance, "POST", at+"/subscribers",
			url.Values{"form_key": {uuid.NewString()}, "client_id": {clientOf(h, fmt.Sprintf("p%d@example.com", i))}}).Want(
			http.StatusSeeOther)
	}
	old := h.Store.Now().Add(-8 * 24 * time.Hour)
	if _, err := h.Store.Pool.Exec(t.Context(),
		`UPDATE template_clients SET created_at = $1 WHERE id IN (SELECT id FROM template_clients LIMIT 2)`,
		old); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "GET", at+"?status=pending", nil).Want(http.StatusOK).Contains("8\u00a0days",
		"Remind all older than 7 days", "never")
	h.Page(h.A.Finance, "GET", at+"/pending?act=remove", nil).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/pending?act=remind", nil).Want(http.StatusOK).Contains("Remind 2 pending subscribers?")
	h.Page(h.A.Finance, "POST", at+"/pending", url.Values{"act": {"remind"}, "count": {"3"}}).Want(
		http.StatusConflict).Contains("Remind 2 pending subscribers?")
	h.Page(h.A.Finance, "POST", at+"/pending", url.Values{"act": {"remind"}, "count": {"2"}}).Want(http.StatusSeeOther)
	if n := h.Count(`SELECT count(*) FROM template_clients WHERE reminded_at IS NOT NULL`); n != 2 {
		t.Errorf("%d were reminded", n)
	}
	h.Page(h.A.Finance, "POST", at+"/pending", url.Values{"act": {"remind"}, "count": {"2"}}).Want(
		http.StatusSeeOther) // nobody is left: it says so
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE template_clients SET created_at = $1`,
		h.Store.Now().Add(-31*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Finance, "POST", at+"/pending", url.Values{"act": {"remove"}, "count": {"3"}}).Want(http.StatusSeeOther)
	if n := h.Count(`SELECT count(*) FROM template_clients WHERE status = 'inactive'`); n != 3 {
		t.Errorf("%d were removed", n)
	}
}

func TestAnInvoiceTemplateSendsOneInvoice(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Key", "kind", "invoice", "due", "2099-03-01", "method", "any", "force_recurring", ""))
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusOK).Contains("Send an invoice").Lacks("Pause for all subscribers",
		"Subscribers")
	h.Page(h.A.Finance, "GET", at+"/subscribers/new", nil).Want(http.StatusConflict)
	h.Page(h.A.Finance, "POST", at+"/invoice", url.Values{"form_key": {uuid.NewString()}}).Want(
		http.StatusUnprocessableEntity).Contains("Choose the client.")
	form := url.Values{"form_key": {uuid.NewString()}, "client_id": {clientOf(h, "anna@example.com")}}
	to := h.Page(h.A.Finance, "POST", at+"/invoice", form).Want(http.StatusSeeOther).Header.Get("Location")
	if again := h.Page(h.A.Finance, "POST", at+"/invoice",
		form).Want(http.StatusSeeOther).Header.Get("Location"); again != to {
		t.Errorf("sent twice: %s and %s", to, again)
	}
	h.Page(h.A.Finance, "GET", to, nil).Want(http.StatusOK).Contains(at)
}

func TestStaffSeeTemplatesAndChangeNothing(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := templateOf(t, h, plan("Monthly"))
	sub := subscribed(t, h, at, "6200000001")
	h.Page(h.A.Staff, "GET", at, nil).Want(http.StatusOK).Lacks("Pause for all subscribers", "Add a subscriber")
	h.Page(h.A.Staff, "GET", sub, nil).Want(http.StatusOK).Lacks("Pause this subscriber", "/removal")
	for _, path := range []string{"/templates/new", at + "/edit", at + "/pause", at + "/deletion", at + "/subscribers/new",
		at + "/subscribers/bulk", sub + "/edit", sub + "/removal", at + "/pending?act=remind"} {
		h.Page(h.A.Staff, "GET", path, nil).Want(http.StatusForbidden)
	}
	for _, path := range []string{"/templates", at + "/edit", at + "/pause", at + "/subscribers",
		at + "/subscribers/check", at + "/subscribers/bulk", sub + "/edit", sub + "/pause", sub + "/reminder",
		sub + "/removal", at + "/pending"} {
		h.Page(h.A.Staff, "POST", path, plan("x")).Want(http.StatusForbidden)
	}
	h.Page(h.A.Staff, "POST", at+"/deletion", url.Values{"confirm": {"1"}}).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "GET", at, nil).Want(http.StatusNotFound)
	h.Page(h.B.Owner, "GET", sub, nil).Want(http.StatusNotFound)
}
