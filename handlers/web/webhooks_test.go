package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// endpoint is a program of the merchant; it answers with whatever status it has.
func endpoint(t *testing.T) (address string, status, calls *atomic.Int64) {
	t.Helper()
	status, calls = new(atomic.Int64), new(atomic.Int64)
	status.Store(http.StatusOK)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte("answer of the endpoint"))
	}))
	t.Cleanup(s.Close)
	return s.URL, status, calls
}

func delivers(t *testing.T, h *handlertest.Server) {
	t.Helper()
	if _, err := h.Webhooks.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func addsWebhook(h *handlertest.Server, callback string) string {
	return h.Page(h.A.Owner, "POST", "/developers/webhooks", url.Values{"title": {"Accounting"}, "callback": {callback},
		"which": {"all"}}).Want(http.StatusSeeOther).Header.Get("Location")
}

// buys makes a purchase, which is an event.
func buys(h *handlertest.Server) string {
	return h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client":{"email":"thandi@example.com","full_name":"Thandi Nkosi"},"brand_id":%q,"purchase":{"products":[{"name":"Membership","price":100}]}}`,
		h.A.BrandID,
	)).Want(201).Text("id")
}

func TestAnAdminAddsAndChangesAWebhook(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Owner, "GET", "/developers/webhooks", nil).Want(200).Contains("No webhook yet", "BEGIN PUBLIC KEY",
		`href="/developers/events"`)
	h.Page(h.A.Owner, "GET", "/developers/webhooks/new", nil).Want(200).Contains(`value="purchase.chargeback"`,
		"The client disputed the debit", "Tokens")
	bad := h.Page(h.A.Owner, "POST", "/developers/webhooks",
		url.Values{"title": {""}, "callback": {"nowhere"}, "which": {"some"}}).Want(422)
	bad.Contains(`href="#title"`, `href="#callback"`, `href="#which"`, `value="nowhere"`, "Choose at least one event")
	page := h.Page(h.A.Owner, "POST", "/developers/webhooks",
		url.Values{"title": {"Accounting"}, "callback": {"https://a.example/hooks"}, "which": {"some"},
			"events": {"purchase.paid"}}).
		Want(http.StatusSeeOther).Header.Get("Location")
	h.Page(h.A.Owner, "GET", page, nil).Want(200).Contains("Accounting", "Never called", "BEGIN PUBLIC KEY",
		"purchase.paid", "VerifyPKCS1v15", "openssl_verify", "PKCS1v15()", "RSA-SHA256", "Nothing delivered yet")
	h.Page(h.A.Owner, "GET", page+"/edit", nil).Want(200).Contains(`value="purchase.paid" checked`,
		`value="https://a.example/hooks"`)
	h.Page(h.A.Owner, "POST", page, url.Values{"title": {"Books"}, "callback": {"https://a.example/books"},
		"which": {"all"}, "events": {"purchase.paid"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", "/developers/webhooks", nil).Want(200).Contains("Books", "https://a.example/books",
		"All events", "Never called")
	h.Page(h.A.Owner, "POST", page, url.Values{"title": {"Books"}, "callback": {""}, "which": {"all"}}).Want(422).Contains(
		"Enter the address.")
}

func TestADeliveryIsShownWithWhatWasSentAndAnswered(t *testing.T) {
	h := handlertest.New(t)
	address, status, _ := endpoint(t)
	page := addsWebhook(h, address)
	status.Store(http.StatusServiceUnavailable)
	purchase := buys(h)
	delivers(t, h)
	detail := h.Page(h.A.Owner, "GET", page, nil).Want(200).Contains("purchase.created", "Retrying", "HTTP 503",
		"Failing since", "next: ")
	link := regexp.MustCompile(`/developers/webhooks/deliveries/[0-9a-f-]{36}`).FindString(detail.Body)
	h.Page(h.A.Owner, "GET", link, nil).Want(200).Contains("X-Signature: ", "event_type", purchase, "Not accepted",
		"HTTP 503", "answer of the endpoint", "Next attempt: ", "SAST").
		Lacks("Resend this event")
	for tab, want := range map[string]string{"pending": "purchase.created", "delivered": "No delivery is delivered",
		"failed": "No delivery is failed", "lost": "is not a delivery status"} {
		h.Page(h.A.Owner, "GET", page+"?state="+tab, nil).Want(200).Contains(want)
	}
	h.Page(h.A.Owner, "GET", page, nil, "HX-Request: true", "HX-Target: results").Want(200).Contains(`id="results"`).Lacks(
		"<html")
}

func TestADeliveryThatWaitsForAnEarlierOneSaysWhenThatIsTried(t *testing.T) {
	h := handlertest.New(t)
	address, status, _ := endpoint(t)
	page := addsWebhook(h, address)
	status.Store(http.StatusServiceUnavailable)
	purchase := buys(h)
	delivers(t, h)
	h.API("POST", "/purchases/"+purchase+"/mark_as_paid/", nil).Want(200)
	row := func(event string) string {
		body := h.Page(h.A.Owner, "GET", page, nil).Want(200).Body
		_, row, _ := strings.Cut(body[strings.Index(body, `id="results"`):], event+"<")
		row, _, _ = strings.Cut(row, "</tr>")
		return row
	}
	retry := regexp.MustCompile(`next: ([^<]+)<`).FindStringSubmatch(row("purchase.created"))
	if len(retry) == 0 {
		t.Fatalf("no moment of the retry: %s", row("purchase.created"))
	}
	if want := "after an earlier event of the same object, which is tried " + retry[1]; !strings.Contains(
		row("purchase.paid"), want) {
		t.Errorf("%s\nlacks %q", row("purchase.paid"), want)
	}
}

func TestAFailingEndpointNeedsAttention(t *testing.T) {
	h := handlertest.New(t)
	address, status, _ := endpoint(t)
	page := addsWebhook(h, address)
	h.Page(h.A.Owner, "GET", "/attention", nil).Want(200).Lacks("Webhooks that fail")
	status.Store(http.StatusInternalServerError)
	buys(h)
	delivers(t, h)
	h.Page(h.A.Owner, "GET", "/", nil).Want(200).Contains("1 webhook is failing")
	h.Page(h.A.Owner, "GET", "/attention", nil).Want(200).Contains("Webhooks that fail", page, "1 failure in a row")
	h.Page(h.A.Owner, "GET", "/developers/webhooks", nil).Want(200).Contains("Deliveries are not accepted",
		"1 failure in a row")
	h.Page(h.A.Staff, "GET", "/", nil).Want(200).Lacks("webhook is failing")
	h.Page(h.B.Owner, "GET", "/", nil).Want(200).Lacks("webhook is failing")
	status.Store(http.StatusOK)
	if err := h.Store.Clock.MoveTo(t.Context(), h.Store.Now().Add(36*time.Hour)); err != nil {
		t.Fatal(err)
	}
	delivers(t, h)
	h.Page(h.A.Owner, "GET", "/developers/webhooks", nil).Want(200).Contains("Fine").Lacks("Deliveries are not accepted")
	h.Page(h.A.Owner, "GET", "/", nil).Want(200).Lacks("webhook is failing")
}

func TestEventsAreResentAfterTheirNumberWasNamed(t *testing.T) {
	h := handlertest.New(t)
	address, _, calls := endpoint(t)
	page := addsWebhook(h, address)
	buys(h)
	buys(h)
	delivers(t, h)
	h.Page(h.A.Owner, "GET", page+"/resend", nil).Want(200).Contains(`type="datetime-local"`, "Count the events")
	h.Page(h.A.Owner, "GET", page+"/resend?since=yesterday", nil).Want(422).Contains("That is not a date with a time.")
	sast := time.FixedZone("SAST", 2*60*60)
	since := h.Store.Now().Add(-time.Hour).In(sast).Format("2006-01-02T15:04")
	h.Page(h.A.Owner, "GET", page+"/resend?since="+since, nil).Want(200).Contains("Resend 2 events?",
		"Resend 2 events</span>")
	h.Page(h.A.Owner, "GET", page+"/resend?since=2099-01-01T00:00", nil).Want(200).Contains("This is not possible")
	h.Page(h.A.Owner, "POST", page+"/resend", url.Values{"since": {since}}).Want(http.StatusSeeOther)
	delivers(t, h)
	if n := calls.Load(); n != 4 {
		t.Errorf("%d calls, want 4", n)
	}
	link := regexp.MustCompile(`/developers/webhooks/deliveries/[0-9a-f-]{36}`).FindString(h.Page(h.A.Owner, "GET", page,
		nil).Contains("resent").Body)
	again := h.Page(h.A.Owner, "POST", link+"/resend", url.Values{}).Want(http.StatusSeeOther).Header.Get("Location")
	delivers(t, h)
	h.Page(h.A.Owner, "GET", again, nil).Want(200).Contains("Resent by a person", "Accepted", "X-Debitdesk-Resend: true")
	h.Page(h.A.Owner, "POST", page+"/resend", url.Values{"since": {""}}).Want(422)
}

func TestATestDeliveryShowsHowTheEndpointAnswers(t *testing.T) {
	h := handlertest.New(t)
	address, _, _ := endpoint(t)
	sent := h.Page(h.A.Owner, "POST", addsWebhook(h, address)+"/test", url.Values{}).Want(http.StatusSeeOther).Header.Get(
		"Location")
	h.Page(h.A.Owner, "GET", sent, nil).Want(200).Contains("webhook.test", "Not tried yet", "Waiting")
	delivers(t, h)
	h.Page(h.A.Owner, "GET", sent, nil).Want(200).Contains("Delivered", "HTTP 200", "answer of the endpoint")
}

func TestAWebhookIsDeletedByTheEndOfItsID(t *testing.T) {
	h := handlertest.New(t)
	page := addsWebhook(h, "https://a.example")
	end := page[len(page)-4:]
	h.Page(h.A.Owner, "GET", page+"/deletion", nil).Want(200).Contains("Type "+end,
		"https://a.example no longer receives anything.")
	h.Page(h.A.Owner, "POST", page+"/deletion", url.Values{"confirm": {"yes"}}).Want(422).Contains("Type " + end + ".")
	h.Page(h.A.Owner, "POST", page+"/deletion", url.Values{"confirm": {end}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", page, nil).Want(404)
}

func TestEventsAreListedFilteredAndExported(t *testing.T) {
	h := handlertest.New(t)
	h.Page(h.A.Owner, "GET", "/developers/events", nil).Want(200).Contains("No event yet")
	unheard := buys(h)
	addsWebhook(h, "http://127.0.0.1:9")
	heard := buys(h)
	list := h.Page(h.A.Owner, "GET", "/developers/events", nil).Want(200).Contains("purchase.created", unheard, heard,
		"A purchase was created")
	h.Page(h.A.Owner, "GET", "/developers/events?object_id="+heard, nil).Want(200).Contains(heard).Lacks("/purchases/" +
		unheard)
	h.Page(h.A.Owner, "GET", "/developers/events?type=purchase.paid", nil).Want(200).Contains("Nothing matches").Lacks(
		heard)
	h.Page(h.A.Owner, "GET", "/developers/events?from=2099-01-01", nil).Want(200).Contains("Nothing matches", "From ")
	h.Page(h.A.Owner, "GET", "/developers/events?to=2001-01-01", nil).Want(200).Contains("Nothing matches")
	h.Page(h.A.Owner, "GET", "/developers/events?type=purchase.eaten&object_id=x&event_id=y&from=z", nil).Want(200).
		Contains("purchase.eaten’ is not an event", "‘x’ is not an id", "‘y’ is not an id", "‘z’ is not a date", heard)
	events := regexp.MustCompile(`/developers/events/[0-9a-f-]{36}`).FindAllString(list.Body, -1)
	if len(events) != 2 {
		t.Fatal(events)
	}
	h.Page(h.A.Owner, "GET", events[0], nil).Want(200).Contains("event_type", "/purchases/"+heard, "http://127.0.0.1:9")
	h.Page(h.A.Owner, "GET", events[1], nil).Want(200).Contains("There is no body: no webhook subscribed",
		"No webhook was told", "/purchases/"+unheard)
	id := strings.TrimPrefix(events[1], "/developers/events/")
	h.Page(h.A.Owner, "GET", "/developers/events?event_id="+id, nil).Want(200).Contains(unheard).Lacks("/purchases/" +
		heard)
	csv := h.Page(h.A.Owner, "GET", "/developers/events/export?format=csv&object_id="+heard,
		nil).Want(200).Contains("purchase.created", heard).Lacks(unheard)
	if got := csv.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/csv") {
		t.Error(got)
	}
	h.Page(h.A.Owner, "GET", "/developers/events/export?format=csv&type=nonsense", nil).Want(400)
	h.Page(h.B.Owner, "GET", events[0], nil).Want(404)
	h.Page(h.B.Owner, "GET", "/developers/events", nil).Want(200).Lacks(heard)
}
