package my_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/locale"
	"debitdesk/models/queue"
	"debitdesk/models/sms"
)

// texted is a client with a mobile number on a Monday morning, when SMS go out.
func texted(t *testing.T, email string) *visitor {
	t.Helper()
	h := handlertest.New(t)
	h.At(calendar.On(2031, time.March, 3).At(10, 0))
	id := h.API("POST", "/clients/", map[string]any{"email": "later@example.com", "full_name": "Thandi Nkosi",
		"phone": "082 123 4567", "bank_account": "6200000001", "bank_code": "470010"}).Want(201).Text("id")
	if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE clients SET email = $2 WHERE id = $1`, id, email); err != nil {
		t.Fatal(err)
	}
	return &visitor{Server: h, t: t, client: id, email: email}
}

// phone is what the client's phone shows, the newest first, after everything that waits was sent.
func (v *visitor) phone() (texts []string) {
	v.t.Helper()
	if _, err := v.Texts.SendDue(v.t.Context()); err != nil {
		v.t.Fatal(err)
	}
	var got []struct{ To, Text, State string }
	body := v.Call("GET", "/sandbox/sms", nil, "Authorization: Bearer "+v.A.Token).Want(200).Body
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		v.t.Fatalf("%v: %s", err, body)
	}
	for _, m := range got {
		if m.To == "+27821234567" && m.State == "delivered" {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// asks sends what the client asked for at the page of the business.
func (v *visitor) asks(contact string, bySMS bool, times int) {
	v.t.Helper()
	job := queue.SendClientPage{AskID: v.Store.NewID(), MerchantID: v.A.ID, Contact: contact, BySMS: bySMS}
	for range times {
		if err := v.ClientPages.SendAsked(v.t.Context(), job); err != nil {
			v.t.Fatal(err)
		}
	}
}

var textLink = regexp.MustCompile(`/my/link/(\S+)`)

// entersBySMS opens the page by the newest link on the phone.
func (v *visitor) entersBySMS() {
	v.t.Helper()
	for _, text := range v.phone() {
		if found := textLink.FindStringSubmatch(text); found != nil {
			v.cookie = v.open(found[1]).Want(303).Header.Get("Set-Cookie")
			return
		}
	}
	v.t.Fatalf("no link on the phone: %q", v.phone())
}

func (v *visitor) promises(id string, more ...string) url.Values {
	form := url.Values{"object": {id}, "day": {calendar.DateOf(v.Store.Now()).AddDays(5).String()}}
	for _, name := range more {
		form.Set(name, "yes")
	}
	return form
}

func (v *visitor) mails() int {
	v.t.Helper()
	return v.Count(`SELECT count(*) FROM mails WHERE kind LIKE 'client_page%'`)
}

func TestAClientWithoutAnAddressGetsLinkAndCodeBySMS(t *testing.T) {
	t.Parallel()
	v := texted(t, "")
	id := v.purchase(12300)
	v.asks("+27 82 123 4567", false, 2)
	if got := v.phone(); len(got) != 1 {
		t.Fatalf("the phone shows %q", got)
	}
	v.entersBySMS()
	v.get("/my/acts/promise/?object=" + id).Want(200).Lacks("by_sms")
	at := v.ask("promise", v.promises(id))
	texts := v.phone()
	number := code.FindString(texts[0])
	if len(texts) != 2 || number == "" || strings.Contains(texts[0], "123,00") {
		t.Fatalf("the phone shows %q", texts)
	}
	v.get(at).Want(200).Contains("by SMS to ••••\u00a04567").Lacks(number)
	v.post(at, url.Values{"code": {number}}).Want(303)
	v.get(at).Want(200).Contains("<title>Done")
	if v.mails() != 0 || v.Count(`SELECT count(*) FROM promises`) != 1 {
		t.Errorf("%d mails", v.mails())
	}
	v.Page(v.A.Staff, "GET", "/clients/"+v.client+"/sms", nil).Want(200).Lacks(number, "/my/link/")
	v.Page(v.A.Staff, "GET", "/clients/"+v.client, nil).Want(200).
		Contains("The client asked for a link to its own page, and it was sent by SMS.")
}

// A code goes out at night, for its client waits for it; a link that anybody may ask for does not. A number that
// answered STOP gets neither.
func TestCodesBySMSKeepNoHoursAndLinksDo(t *testing.T) {
	t.Parallel()
	v := texted(t, "")
	id := v.purchase(12300)
	v.asks("0821234567", false, 1)
	v.entersBySMS()
	v.At(calendar.On(2031, time.March, 3).At(21, 0))
	v.ask("promise", v.promises(id))
	if texts := v.phone(); len(texts) != 2 || code.FindString(texts[0]) == "" {
		t.Errorf("no code came at night: %q", texts)
	}
	before := len(v.phone())
	v.asks("0821234567", false, 1)
	if got := len(v.phone()); got != before {
		t.Error("a link went out at night")
	}
	v.At(calendar.On(2031, time.March, 4).At(8, 0))
	if got := len(v.phone()); got != before+1 {
		t.Error("the link did not go out in the morning")
	}
	v.entersBySMS()
	var message string
	if err := v.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM sms_messages LIMIT 1`).Scan(&message); err != nil {
		t.Fatal(err)
	}
	v.Call("POST", "/sandbox/sms/"+message+"/reply", map[string]any{"text": "STOP"}, "Authorization: Bearer "+v.A.Token).
		Want(204)
	confirmed := len(v.phone())
	v.asks("0821234567", true, 1)
	v.post("/my/acts/promise/", v.promises(id)).Want(409).Contains("no mobile number that takes SMS")
	if got := v.phone(); len(got) != confirmed {
		t.Errorf("after STOP the phone shows %q", got[0])
	}
}

func TestAClientSaysThatLinkAndCodeShallComeBySMS(t *testing.T) {
	t.Parallel()
	v := texted(t, "thandi@example.com")
	id := v.purchase(12300)
	v.get("/my/ask/a/").Want(200).Contains("Send it by SMS", "or else by SMS")
	known := v.post("/my/ask/a/", url.Values{"contact": {"0821234567"}, "by_sms": {"yes"}}).Want(200)
	if other := v.post("/my/ask/a/", url.Values{"contact": {"0829999999"}}).Want(200); other.Body != known.Body {
		t.Error("the answer tells who is known")
	}
	v.asks(v.email, true, 1)
	v.asks(v.email, false, 1)
	if len(v.phone()) != 1 || v.mails() != 1 {
		t.Fatalf("%d SMS and %d mails", len(v.phone()), v.mails())
	}
	v.entersBySMS()
	v.get("/my/acts/promise/?object=" + id).Want(200).Contains("Send the code by SMS to ••••\u00a04567")
	v.get(v.ask("promise", v.promises(id))).Contains("t•••@example.com")
	if len(v.phone()) != 1 || v.mails() != 2 {
		t.Errorf("%d SMS and %d mails", len(v.phone()), v.mails())
	}
	at := v.ask("promise", v.promises(id, "by_sms"))
	if texts := v.phone(); len(texts) != 2 || v.mails() != 2 || code.FindString(texts[0]) == "" {
		t.Errorf("%q and %d mails", texts, v.mails())
	}
	v.post(at, url.Values{"code": {code.FindString(v.phone()[0])}}).Want(303)
}

func TestWithoutSMSNothingIsOfferedBySMS(t *testing.T) {
	t.Parallel()
	v := texted(t, "")
	v.Texts.Gateway = nil
	id := v.purchase(12300)
	v.get("/my/ask/a/").Want(200).Contains("The link is sent to the e-mail address").Lacks("SMS")
	v.post("/my/ask/a/", url.Values{"contact": {"0821234567"}, "by_sms": {"yes"}}).Want(200).Lacks("SMS")
	v.asks("0821234567", true, 1)
	if n := v.Count(`SELECT count(*) FROM client_page_links`); n != 0 {
		t.Errorf("%d links", n)
	}
	if _, err := v.Store.Pool.Exec(t.Context(), `UPDATE clients SET email = 'thandi@example.com'`); err != nil {
		t.Fatal(err)
	}
	v.email = "thandi@example.com"
	v.enter()
	v.get("/my/acts/promise/?object=" + id).Want(200).Lacks("by_sms")
	v.get(v.ask("promise", v.promises(id, "by_sms"))).Contains("t•••@example.com")
}

// A client does everything from an SMS in its own language, and staff see what it did.
func TestAClientDoesEverythingFromAnSMSInItsLanguage(t *testing.T) {
	t.Parallel()
	for _, l := range locale.Languages {
		t.Run(string(l), func(t *testing.T) {
			t.Parallel()
			v := texted(t, "")
			offers(t, v.Server, "af,zu,xh")
			if _, err := v.Store.Pool.Exec(t.Context(), `UPDATE clients SET language = $1`, string(l)); err != nil {
				t.Fatal(err)
			}
			v.allow("day", "on")
			owed, held, token, say := v.purchase(12300), v.planned(), v.token(), locale.In(l)
			v.asks("0821234567", false, 1)
			v.says(say.Say("sms.page", "business", "Brand a", "link", "https://"), "https://")
			v.entersBySMS()
			v.get("/my/").Want(200).Contains(`<html lang="`+l.Tag()+`"`, say.Say("my.title"), say.Say("my.owe"))
			day := regexp.MustCompile(`option value="(\d{4}-\d\d-\d\d)"`).FindStringSubmatch(
				v.get("/my/acts/day/?object=" + held).Want(200).Body)[1]
			for _, act := range []struct {
				kind string
				form url.Values
			}{{"promise", v.promises(owed)}, {"day", url.Values{"object": {held}, "day": {day}}},
				{"account", url.Values{"object": {token}}}, {"privacy", url.Values{"request": {"access"}}}} {
				at := v.ask(act.kind, act.form)
				v.get(at).Want(200).Contains(`<html lang="`+l.Tag()+`"`, say.Say("my.code.title"))
				text := v.says(say.Say("sms.code", "business", "Brand a", "code", "000000"), "000000")
				v.post(at, url.Values{"code": {code.FindString(text)}}).Want(303)
				v.get(at).Want(200).Contains(`<html lang="`+l.Tag()+`"`, say.Say("my.done.title"))
			}
			for what, n := range map[string]int{
				`SELECT count(*) FROM promises WHERE state = 'open' AND purchase_id = '` + owed + `'`:           1,
				`SELECT count(*) FROM collections WHERE action_date = '` + day + `' AND state = 'scheduled'`:    1,
				`SELECT count(*) FROM amendments WHERE state = 'open' AND old_token_id = '` + token + `'`:       1,
				`SELECT count(*) FROM client_requests WHERE kind = 'access' AND client_id = '` + v.client + `'`: 1} {
				if got := v.Count(what); got != n {
					t.Errorf("%s: %d", what, got)
				}
			}
			staff := v.Page(v.A.Staff, "GET", "/clients/"+v.client, nil).Want(200)
			staff.Contains("The client asked for a link to its own page", "promise", "R\u00a0123,00")
			v.Page(v.A.Staff, "GET", "/clients/"+v.client+"/sms", nil).Want(200).Contains("Delivered")
		})
	}
}

// says gives the newest text on the phone, which is to be a text of the catalogue with another value in one place.
func (v *visitor) says(want, place string) string {
	v.t.Helper()
	got := v.phone()
	before, after, _ := strings.Cut(sms.Plain(want), place)
	if len(got) == 0 || !strings.HasPrefix(got[0], before) || !strings.HasSuffix(got[0], after) {
		v.t.Fatalf("the phone shows %q, not %q", got, want)
	}
	return got[0]
}
