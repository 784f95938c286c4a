package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
)

// texted is a client with a mobile number on a Monday morning, when SMS go out.
func texted(t *testing.T) (h *handlertest.Server, at string) {
	t.Helper()
	h = handlertest.New(t)
	h.At(calendar.On(2031, time.March, 3).At(10, 0))
	id := h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"phone": "082 123 4567"}).Want(201).Text("id")
	return h, "/clients/" + id
}

func smsForm(text string) url.Values {
	return url.Values{"form_key": {uuid.NewString()}, "text": {text}}
}

// sendSMS sends what waits.
func sendSMS(h *handlertest.Server, t *testing.T) {
	t.Helper()
	if _, err := h.Texts.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// phone is what a program of a merchant reads of the phone.
func phone(h *handlertest.Server, of handlertest.Merchant) handlertest.Answer {
	return h.Call("GET", "/sandbox/sms", nil, "Authorization: Bearer "+of.Token)
}

func answered(h *handlertest.Server, by handlertest.Merchant, reply string, body any) handlertest.Answer {
	return h.Call("POST", reply, body, "Authorization: Bearer "+by.Token)
}

func TestStaffSendTheLinkToTheClientsPageBySMS(t *testing.T) {
	t.Parallel()
	h, at := texted(t)
	h.Page(h.A.Staff, "GET", at+"/page", nil).Want(http.StatusOK).Contains("Send link by SMS", "To 082 123 4567")
	form := url.Values{"form_key": {"sms:" + uuid.NewString()}}
	h.Page(h.A.Staff, "POST", at+"/page/sms", form).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "POST", at+"/page/sms", form).Want(http.StatusSeeOther)
	sendSMS(h, t)
	got := phone(h, h.A).Want(http.StatusOK)
	if n := strings.Count(got.Body, `"text"`); n != 1 {
		t.Fatalf("%d messages: %s", n, got.Body)
	}
	_, rest, found := strings.Cut(got.Body, "/my/link/")
	token, _, _ := strings.Cut(rest, " ")
	if !found || !strings.Contains(got.Body, `"to":"+27821234567"`) || !strings.Contains(got.Body, `"parts":2`) &&
		!strings.Contains(got.Body, `"parts":1`) || !strings.Contains(got.Body, `"encoding":"GSM-7"`) {
		t.Fatalf("the phone shows %s", got.Body)
	}
	h.Call("POST", "/my/link/"+token, url.Values{}).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "GET", at+"/sms", nil).Want(http.StatusOK).Contains("Delivered").Lacks(token)
	h.Page(h.A.Staff, "GET", at, nil).Contains("was sent by SMS")
	h.Page(h.B.Owner, "POST", at+"/page/sms", form).Want(http.StatusNotFound)
	if body := phone(h, h.B).Want(http.StatusOK).Body; strings.Contains(body, token) {
		t.Error("another merchant reads the link")
	}
}

func TestAnSMSIsCountedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	h, at := texted(t)
	h.Page(h.A.Staff, "POST", at+"/sms/preview", smsForm("Please call us."), "HX-Request: true").Want(http.StatusOK).
		Contains("GSM-7", "of 160 characters, 1 part", ": Please call us.")
	h.Page(h.A.Staff, "POST", at+"/sms/preview", smsForm("Môre, bel ons asseblief.")).Contains("UCS-2", "1 part",
		"make each part shorter: ô")
	h.Page(h.A.Staff, "POST", at+"/sms/preview", smsForm(strings.Repeat("a", 200))).Contains("2 parts",
		"Each part is paid for.")
	without := smsForm("Please call us.")
	without.Set("preview", "yes")
	h.Page(h.A.Staff, "POST", at+"/sms", without).Want(http.StatusOK).Contains("1 part", "Please call us.")
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm(" ")).Want(http.StatusUnprocessableEntity).
		Contains("Enter what the client is to read.")
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm("Your ID 8001015009087")).Want(http.StatusUnprocessableEntity).
		Contains("looks like an identity or card number")
	h.Page(h.A.Reader, "POST", at+"/sms", smsForm("Hello")).Want(http.StatusForbidden)
	h.Page(h.B.Staff, "POST", at+"/sms", smsForm("")).Want(http.StatusNotFound)
	h.Page(h.A.Reader, "GET", at+"/sms", nil).Want(http.StatusOK).Lacks("Write an SMS")
	if n := h.Count(`SELECT count(*) FROM sms_messages`); n != 0 {
		t.Errorf("%d messages were queued", n)
	}
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm("Please call us.")).Want(http.StatusSeeOther)
	sendSMS(h, t)
	h.Page(h.A.Reader, "GET", at+"/sms", nil).Contains("Please call us.", "Delivered")
}

func TestAtNightAnSMSSaysWhenItGoesOut(t *testing.T) {
	t.Parallel()
	h, at := texted(t)
	h.At(calendar.On(2031, time.March, 3).At(21, 0))
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm("Please call us.")).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "GET", at+"/sms", nil).Want(http.StatusOK).Contains("Waiting")
	sendSMS(h, t)
	h.Page(h.A.Staff, "GET", at+"/sms", nil).Contains("Waiting")
	h.At(calendar.On(2031, time.March, 4).At(8, 0))
	sendSMS(h, t)
	h.Page(h.A.Staff, "GET", at+"/sms", nil).Contains("Delivered")
}

func TestAClientThatAnsweredStopIsSeenAndLeftAlone(t *testing.T) {
	t.Parallel()
	h, at := texted(t)
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm("Please call us.")).Want(http.StatusSeeOther)
	sendSMS(h, t)
	h.Page(h.A.Owner, "GET", "/sandbox/phone", nil).Want(http.StatusOK).Contains("Please call us.", "Answer as the client")
	var message string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM sms_messages`).Scan(&message); err != nil {
		t.Fatal(err)
	}
	reply := "/sandbox/sms/" + message + "/reply"
	answered(h, h.B, reply, map[string]any{"text": "STOP"}).Want(http.StatusNotFound)
	answered(h, h.A, reply, map[string]any{"text": ""}).Want(http.StatusBadRequest)
	answered(h, h.A, reply, map[string]any{"text": "STOP"}).Want(http.StatusNoContent)
	sendSMS(h, t)
	phone(h, h.A).Contains("you get no more SMS from us")
	h.Page(h.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("The client answered STOP")
	h.Page(h.A.Staff, "GET", at+"/sms", nil).Want(http.StatusOK).Contains("No SMS can be sent", "STOP").Lacks("Send SMS")
	h.Page(h.A.Staff, "GET", at+"/page", nil).Contains("This number answered STOP").Lacks("Send link by SMS")
	h.Page(h.A.Staff, "POST", at+"/page/sms", smsForm("")).Want(http.StatusConflict).Contains("answered STOP")
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm("Hello")).Want(http.StatusConflict)
}

func TestAStopIsConfirmedInTheLanguageOfTheClient(t *testing.T) {
	t.Parallel()
	h, at := texted(t)
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE brands SET offered_languages = 'zu'`); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE clients SET chosen_language = 'zu'`); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm("Please call us.")).Want(http.StatusSeeOther)
	sendSMS(h, t)
	var message string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM sms_messages`).Scan(&message); err != nil {
		t.Fatal(err)
	}
	answered(h, h.A, "/sandbox/sms/"+message+"/reply", map[string]any{"text": "STOP"}).Want(http.StatusNoContent)
	sendSMS(h, t)
	phone(h, h.A).Contains("awusawatholi ama-SMS ethu").Lacks("no more SMS")
}

func TestAnAdminLimitsWhatADayOfSMSCosts(t *testing.T) {
	t.Parallel()
	h, at := texted(t)
	h.Page(h.A.Staff, "GET", "/settings/sms", nil).Want(http.StatusForbidden)
	h.Page(h.A.Owner, "GET", "/settings/sms", nil).Want(http.StatusOK).Contains("1000", "Parts a day at most")
	h.Page(h.A.Owner, "POST", "/settings/sms", url.Values{"version": {"0"}, "daily_parts": {"many"}}).
		Want(http.StatusUnprocessableEntity).Contains("Enter a whole number.", "many")
	h.Page(h.A.Owner, "POST", "/settings/sms", url.Values{"version": {"0"}, "daily_parts": {"0"}, "wide_hours": {"yes"}}).
		Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "POST", "/settings/sms", url.Values{"version": {"0"}, "daily_parts": {"5"}}).
		Want(http.StatusConflict).Contains("Another person changed")
	h.Page(h.A.Staff, "POST", at+"/sms", smsForm("Please call us.")).Want(http.StatusSeeOther)
	sendSMS(h, t)
	h.Page(h.A.Staff, "GET", at+"/sms", nil).Contains("Waiting", "limit of SMS for one day")
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'sms.settings_changed'`); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func TestAPlanOffersSMSWhereTheyAreSetUp(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.Page(h.A.Owner, "GET", "/plans/new", nil).Contains("Send a reminder by SMS")
	at := h.Page(h.A.Owner, "POST", "/plans", planForm("name", "By SMS", "money.0", "message.sms", "money.1",
		"message.either")).Want(http.StatusSeeOther).Header.Get("Location")
	h.Page(h.A.Owner, "GET", at, nil).Contains("send the client an SMS with the link to pay",
		"or send it by SMS where there is no address")
	h.Page(h.A.Owner, "GET", at+"/edit", nil).Contains(`value="message.sms" selected`)
	h.Texts.Gateway = nil
	h.Page(h.A.Owner, "GET", "/plans/new", nil).Lacks("Send a reminder by SMS")
	h.Page(h.A.Owner, "POST", "/plans", planForm("name", "By SMS again", "money.0", "message.sms")).
		Want(http.StatusUnprocessableEntity).Contains("SMS are not set up here.")
}
