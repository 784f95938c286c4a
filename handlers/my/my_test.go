package my_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/queue"
	"debitdesk/views/documents/pdftest"
)

// visitor is a client with a browser, and what is asked of the server for it.
type visitor struct {
	*handlertest.Server
	t       *testing.T
	client  string
	email   string
	cookie  string
	lastOne string // the token of the last link
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	h := handlertest.New(t)
	return guest(t, h, "thandi@example.com", "Thandi Nkosi")
}

// guest is a client of merchant A.
func guest(t *testing.T, h *handlertest.Server, email, name string) *visitor {
	t.Helper()
	id := h.API("POST", "/clients/", map[string]any{"email": email, "full_name": name, "bank_account": "6200000001",
		"bank_code": "470010"}).Want(201).Text("id")
	return &visitor{Server: h, t: t, client: id, email: email}
}

// letter is the newest mail of a kind to the client.
func (v *visitor) letter(kind string) mail.Mail {
	v.t.Helper()
	var merchantID, id uuid.UUID
	err := v.Store.Pool.QueryRow(v.t.Context(), `SELECT merchant_id, id FROM mails WHERE kind = $1 AND recipient = $2
		ORDER BY id DESC LIMIT 1`, kind, v.email).Scan(&merchantID, &id)
	if err != nil {
		v.t.Fatalf("no mail %s: %v", kind, err)
	}
	m, err := outbox.Store{DB: v.Store}.Mail(v.t.Context(), merchantID, id)
	if err != nil {
		v.t.Fatal(err)
	}
	return m
}

// sent is the token of a link that staff sent.
func (v *visitor) sent() string {
	v.t.Helper()
	v.Page(v.A.Staff, "POST", "/clients/"+v.client+"/page", url.Values{}).Want(303)
	_, rest, found := strings.Cut(v.letter(mail.ClientPage).Text, "/my/link/")
	if !found {
		v.t.Fatal("no link in the mail")
	}
	v.lastOne, _, _ = strings.Cut(rest, "\n")
	return v.lastOne
}

// enter opens the page by a new link.
func (v *visitor) enter() *visitor {
	v.t.Helper()
	v.cookie = v.open(v.sent()).Want(303).Header.Get("Set-Cookie")
	return v
}

func (v *visitor) open(token string) handlertest.Answer {
	v.t.Helper()
	return v.post("/my/link/"+token, url.Values{})
}

func (v *visitor) get(path string) handlertest.Answer {
	v.t.Helper()
	return v.Call("GET", path, nil, "Accept: text/html", "Cookie: "+strings.Split(v.cookie, ";")[0])
}

func (v *visitor) post(path string, form url.Values) handlertest.Answer {
	v.t.Helper()
	return v.Call("POST", path, form, "Accept: text/html", "Sec-Fetch-Site: same-origin",
		"Cookie: "+strings.Split(v.cookie, ";")[0])
}

var code = regexp.MustCompile(`\b\d{6}\b`)

// ask sends a wish and gives where its code is entered.
func (v *visitor) ask(kind string, form url.Values) string {
	v.t.Helper()
	return v.post("/my/acts/"+kind+"/", form).Want(303).Header.Get("Location")
}

// code is that of the newest mail.
func (v *visitor) code() string {
	v.t.Helper()
	found := code.FindString(v.letter(mail.ClientCode).Text)
	if found == "" {
		v.t.Fatal("no code in the mail")
	}
	return found
}

// confirm does what was asked for.
func (v *visitor) confirm(at string) handlertest.Answer {
	v.t.Helper()
	return v.post(at, url.Values{"code": {v.code()}})
}

// purchase is something that the client owes.
func (v *visitor) purchase(cents int) string {
	v.t.Helper()
	return v.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"reference":"R-%d",
		"purchase":{"products":[{"name":"Membership","price":%d}]}}`, v.client, v.A.BrandID, cents, cents)).Want(201).Text("id")
}

// token is an account of the client that may be debited.
func (v *visitor) token() string {
	v.t.Helper()
	return v.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, v.client,
		v.A.BrandID)).Want(201).Text("id")
}

// planned is a purchase whose debit is planned.
func (v *visitor) planned() string {
	v.t.Helper()
	due := v.Store.Now().Add(10 * 24 * time.Hour)
	id := v.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"due":%d,"reference":"DEC",
		"purchase":{"products":[{"name":"December","price":50000}]}}`, v.client, v.A.BrandID, due.Unix())).Want(201).Text("id")
	v.API("POST", "/purchases/"+id+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, v.token())).Want(200)
	return id
}

// subscribed is a subscription of the client.
func (v *visitor) subscribed() string {
	v.t.Helper()
	v.token()
	template := v.API("POST", "/billing_templates/", fmt.Sprintf(
		`{"brand_id":%q,"title":"Gym","is_subscription":true,"purchase":{"products":[{"name":"Month","price":10000}]}}`,
		v.A.BrandID)).Want(201).Text("id")
	v.API("POST", "/billing_templates/"+template+"/add_subscriber/", fmt.Sprintf(`{"client_id":%q}`, v.client)).Want(200)
	var id string
	if err := v.Store.Pool.QueryRow(v.t.Context(), `SELECT id::text FROM template_clients WHERE client_id = $1`,
		v.client).Scan(&id); err != nil {
		v.t.Fatal(err)
	}
	return id
}

func (v *visitor) allow(act, policy string) {
	v.t.Helper()
	at := "/settings/brands/" + v.A.BrandID.String() + "/page"
	version := regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(v.Page(v.A.Owner, "GET", at, nil).
		Want(200).Body)[1]
	v.Page(v.A.Owner, "POST", at, url.Values{"version": {version}, act: {policy}}).Want(303)
}

func TestALinkOpensTheClientsOwnPage(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.purchase(12300)
	v.planned()
	v.subscribed()
	token := v.sent()
	door := v.get("/my/link/"+token).Want(200).Contains("Open my page", "Brand a").Lacks("Thandi", "R-12300", "123,00")
	if len(door.Header.Values("Set-Cookie")) > 0 || v.Count(`SELECT count(*) FROM client_page_sessions`) != 0 {
		t.Error("looking at a link opened it: programs that read mail do that")
	}
	cookie := v.open(token).Want(303).Header.Get("Set-Cookie")
	for _, want := range []string{"Path=/my", "HttpOnly", "Secure", "SameSite=Lax", "Max-Age=1800"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	v.cookie = cookie
	page := v.get("/my/").Want(200).Contains("What you owe", "R-12300", "R\u00a0123,00", "What is planned", "Debit on",
		"December", "Gym", "Stop this subscription", "•••• 0001", "Your permissions to debit", "12345678",
		"Correct my details").Lacks("6200000001", "<script")
	if page.Header.Get("Referrer-Policy") != "same-origin" || page.Header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(page.Header.Get("X-Robots-Tag"), "noindex") {
		t.Errorf("headers %v", page.Header)
	}
	if len(page.Body) > 18_000 { // the frame has 12 kB of the 30
		t.Errorf("the page weighs %d bytes", len(page.Body))
	}
	mandate := regexp.MustCompile(`/my/mandates/[^/]+/`).FindString(page.Body)
	v.get(mandate).Want(200).Contains("What you agreed to", "Account holder")
	offers(t, v.Server, "zu")
	for language, want := range map[string]string{"": "Copy for the client", "?language=zu": "Ikhophi yekhasimende"} {
		got := v.get(mandate + "agreement.pdf" + language).Want(200)
		if said := pdftest.Text(t, []byte(got.Body)); !strings.Contains(said, want) {
			t.Errorf("the agreement does not say %q:\n%s", want, said)
		}
	}
	if n := v.Count(`SELECT count(*) FROM audit_entries WHERE action IN ('client_page.sent', 'client_page.opened')
		AND client_id = $1`, v.client); n != 2 {
		t.Errorf("%d entries on the time line", n)
	}
	// A reference stays in one piece: the client types it off.
	page.Contains(`Membership, <span class="whole">R-12300</span></b>`)
	v.post("/my/leaving/", url.Values{}).Want(303)
	v.get("/my/").Want(403).Contains("This page is closed")
}

// A mandate may stand while nothing is debited from its account: the page does not call it active.
func TestAMandateOfABlockedAccountIsNotCalledActive(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	token := v.token()
	v.enter()
	at := "/my/mandates/" + token + "/"
	v.get("/my/").Want(200).Contains("Status: Active")
	v.get(at).Want(200).Contains("Active")
	if _, err := v.Store.Pool.Exec(t.Context(), `UPDATE tokens SET state = 'blocked', blocked_code = '12' WHERE id = $1`,
		token); err != nil {
		t.Fatal(err)
	}
	v.get("/my/").Want(200).Contains("Status: Blocked.").Lacks("Active")
	v.get(at).Want(200).Contains("Blocked").Lacks("Active")
}

// source: the page stays below 30 kB, style included, however much a client owes. The style weighs less than 6 kB.
func TestThePageOfABusyClientIsLight(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	for i := range 12 {
		v.purchase(10_000 + i)
	}
	for range 3 {
		v.planned()
	}
	v.enter()
	page := v.get("/my/").Want(200).Contains("Only the oldest are shown", "R\u00a02\u00a0700,66").Body
	if len(page) > 24_000 {
		t.Errorf("the page weighs %d bytes", len(page))
	}
}

func TestOfALinkOnlyAHashIsKept(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	token := v.sent()
	v.enter()
	secrets := []string{token, v.lastOne, strings.TrimPrefix(strings.Split(v.cookie, ";")[0], "debitdesk_my=")}
	for _, table := range []string{"client_page_links", "client_page_sessions", "mails", "audit_entries"} {
		for _, secret := range secrets {
			if n := v.Count(`SELECT count(*) FROM `+table+` x WHERE position($1 IN x::text) > 0`, secret); n != 0 {
				t.Errorf("%s holds a secret as it is", table)
			}
		}
	}
}

func TestALinkEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*visitor){
		"after a day": func(v *visitor) { v.Wait(25 * time.Hour) },
		"when staff end it": func(v *visitor) {
			v.Page(v.A.Staff, "POST", "/clients/"+v.client+"/page/end", url.Values{}).Want(303)
		},
		"when the address on file changes": func(v *visitor) {
			v.API("PATCH", "/clients/"+v.client+"/", `{"email":"other@example.com"}`).Want(200)
		},
		"when the client is deleted": func(v *visitor) { v.API("DELETE", "/clients/"+v.client+"/", nil).Want(204) },
		"when the client is merged away": func(v *visitor) {
			kept := guest(v.t, v.Server, "thandi.two@example.com", "Thandi Nkosi")
			_, err := v.Store.Pool.Exec(v.t.Context(), `UPDATE clients SET deleted_at = now() WHERE id = $1`, v.client)
			if err != nil || kept.client == v.client {
				v.t.Fatal(err)
			}
		},
		"when the client is erased": func(v *visitor) {
			if _, err := v.Store.Pool.Exec(v.t.Context(), `UPDATE clients SET erased_at = now() WHERE id = $1`,
				v.client); err != nil {
				v.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVisitor(t)
			v.enter()
			v.get("/my/").Want(200)
			end(v)
			v.get("/my/").Want(403).Contains("This page is closed")
			v.get("/my/link/"+v.lastOne).Want(410).Contains("does not work", "/my/ask/a/")
			v.open(v.lastOne).Want(410)
			v.post("/my/acts/invoice/", url.Values{}).Want(403)
		})
	}
}

func TestAVisitEndsAfterHalfAnHourAndTheLinkOpensAnother(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.enter()
	v.Wait(31 * time.Minute)
	v.get("/my/").Want(403)
	v.cookie = v.open(v.lastOne).Want(303).Header.Get("Set-Cookie")
	v.get("/my/").Want(200)
}

func TestGuessesOpenNothing(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.enter()
	for _, guess := range []string{"x", v.lastOne[:21], v.lastOne + "A", v.client, strings.Repeat("A", 22)} {
		v.get("/my/link/" + guess).Want(404)
		v.open(guess).Want(404)
	}
	v.cookie = "debitdesk_my=" + v.lastOne // the token of the link is not that of the visit
	v.get("/my/").Want(403)
	v.cookie = ""
	for _, path := range []string{"/my/", "/my/acts/promise/", "/my/codes/" + v.client + "/", "/my/mandates/" + v.client + "/"} {
		v.get(path).Want(403)
	}
	v.get("/my/accessibility/").Want(200).Contains("Known faults")
}

// Nothing of another client, or of another merchant, is found by what one client can name.
func TestOneClientsPageShowsNothingOfOthers(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	other := guest(t, v.Server, "sipho@example.com", "Sipho Dube")
	owed, token, sub := other.purchase(77700), other.token(), other.subscribed()
	other.enter()
	at := other.ask("details", url.Values{"text": {"My name is Sipho D"}})
	v.purchase(100)
	v.enter()
	v.get("/my/").Want(200).Contains("R-100").Lacks("Sipho", "R-77700", owed, token, sub)
	for kind, object := range map[string]string{"promise": owed, "invoice": owed, "day": owed, "stop": sub, "pause": sub,
		"account": token} {
		v.get("/my/acts/" + kind + "/?object=" + object).Want(404)
		v.post("/my/acts/"+kind+"/", url.Values{"object": {object}, "day": {calendar.DateOf(v.Store.Now()).String()}}).
			Want(404)
	}
	v.get("/my/mandates/" + token + "/").Want(404)
	v.get("/my/mandates/" + token + "/agreement.pdf").Want(404)
	v.get(at).Want(404)
	v.post(at, url.Values{"code": {other.code()}}).Want(404)
	if n := v.Count(`SELECT count(*) FROM client_page_acts WHERE client_id = $1`, v.client); n != 0 {
		t.Errorf("%d acts", n)
	}
	stranger := "/clients/" + v.client + "/page"
	v.Page(v.B.Owner, "GET", stranger, nil).Want(404)
	v.Page(v.B.Owner, "POST", stranger, url.Values{}).Want(404)
	v.Page(v.B.Owner, "POST", stranger+"/end", url.Values{}).Want(404)
	v.Page(v.B.Owner, "GET", "/settings/brands/"+v.A.BrandID.String()+"/page", nil).Want(404)
}

func TestTheAnswerToAnAskedLinkIsTheSameForEverybody(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	ask := func(contact string) handlertest.Answer {
		return v.post("/my/ask/a/", url.Values{"contact": {contact}}).Want(200)
	}
	v.get("/my/ask/a/").Want(200).Contains("Send me my link")
	v.get("/my/ask/nobody/").Want(404)
	v.post("/my/ask/a/", url.Values{}).Want(422)
	known, unknown, nonsense := ask("THANDI@example.com"), ask("nobody@example.com"), ask("0821")
	if known.Body != unknown.Body || known.Body != nonsense.Body {
		t.Error("the answer tells who is known")
	}
	if n := v.Count(`SELECT count(*) FROM mails`); n != 0 {
		t.Error("the request looked whether the client is known")
	}
	job := queue.SendClientPage{AskID: v.Store.NewID(), MerchantID: v.A.ID, Contact: "THANDI@example.com"}
	for range 2 { // the job may run twice
		if err := v.ClientPages.SendAsked(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	job.AskID, job.Contact = v.Store.NewID(), "nobody@example.com"
	if err := v.ClientPages.SendAsked(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	job.AskID, job.MerchantID, job.Contact = v.Store.NewID(), v.B.ID, v.email // no client of that merchant
	if err := v.ClientPages.SendAsked(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if n := v.Count(`SELECT count(*) FROM mails WHERE kind = 'client_page_link' AND recipient = $1`, v.email); n != 1 {
		t.Errorf("%d mails", n)
	}
	for range 19 {
		v.post("/my/ask/a/", url.Values{"contact": {"again@example.com"}})
	}
	v.post("/my/ask/a/", url.Values{"contact": {"again@example.com"}}).Want(429)
	v.Wait(61 * time.Minute)
	ask("again@example.com")
}

func TestAClientSaysWhenItWillPay(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	id := v.purchase(12300)
	v.enter()
	day := calendar.DateOf(v.Store.Now()).AddDays(5)
	v.get("/my/acts/promise/?object="+id).Want(200).Contains("Say when I will pay", "R-12300", day.String())
	v.post("/my/acts/promise/", url.Values{"object": {id}, "day": {day.AddDays(30).String()}}).Want(422)
	at := v.ask("promise", url.Values{"object": {id}, "day": {day.String()}})
	if v.Count(`SELECT count(*) FROM promises`) != 0 {
		t.Fatal("something changed before the code was entered")
	}
	v.get(at).Want(200).Contains("one-time-code", "t•••@example.com", "R\u00a0123,00").Lacks(v.code())
	v.confirm(at).Want(303)
	v.confirm(at).Want(303) // twice is once
	v.get(at).Want(200).Contains("Done", "You said that you will pay")
	if n := v.Count(`SELECT count(*) FROM promises WHERE purchase_id = $1 AND due_on = $2 AND state = 'open'
		AND amount_cents = 12300`, id, day.String()); n != 1 {
		t.Errorf("%d promises", n)
	}
	if !strings.Contains(v.letter("client_page_done").Text, "You said that you will pay") {
		t.Error("the mail does not say what was done")
	}
	if v.Count(`SELECT count(*) FROM mails WHERE kind = 'client_page_done'`) != 1 {
		t.Error("confirmed twice")
	}
	v.Page(v.A.Staff, "GET", "/purchases/"+id, nil).Want(200).Contains("on its own page when it will pay")
	v.get("/my/").Want(200).Contains("You said that you will pay on")
}

func TestWrongCodesAreCounted(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.purchase(100)
	v.enter()
	at := v.ask("details", url.Values{"text": {"My surname is Nkosi-Dube"}})
	right := v.code()
	number, _ := strconv.Atoi(right)
	wrong := fmt.Sprintf("%06d", (number+1)%1_000_000)
	for i := range 4 {
		v.post(at, url.Values{"code": {wrong}}).Want(422).Contains("not the code", fmt.Sprintf("%d", 4-i))
	}
	v.post(at, url.Values{"code": {"12345"}}).Want(422).Contains("Enter the six digits of the code.")
	v.post(at, url.Values{"code": {wrong}}).Want(409).Contains("too often", ">Start again</a>").
		Lacks("on its way", `name="code"`)
	v.post(at, url.Values{"code": {right}}).Want(409)
	if v.Count(`SELECT count(*) FROM client_requests`) != 0 {
		t.Error("done without the code")
	}
	at = v.ask("details", url.Values{"text": {"My surname is Nkosi-Dube"}})
	v.Wait(11 * time.Minute)
	v.post(at, url.Values{"code": {v.code()}}).Want(409).Contains("expired").Lacks("on its way")
}

func TestOneCodeLivesAtATimeAndTheyAreLimited(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	v.enter()
	first := v.ask("details", url.Values{"text": {"one"}})
	old := v.code()
	second := v.ask("details", url.Values{"text": {"two"}})
	v.post(first, url.Values{"code": {old}}).Want(409)
	v.confirm(second).Want(303)
	for range 9 {
		v.ask("details", url.Values{"text": {"more"}})
	}
	v.post("/my/acts/details/", url.Values{"text": {"more"}}).Want(429)
}

func TestTwoAtOnceHaveOneWinner(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	id := v.purchase(500)
	v.enter()
	at := v.ask("promise", url.Values{"object": {id}, "day": {calendar.DateOf(v.Store.Now()).AddDays(3).String()}})
	right := v.code()
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { v.post(at, url.Values{"code": {right}}).Want(303) })
	}
	all.Wait()
	if n := v.Count(`SELECT count(*) FROM promises`); n != 1 {
		t.Errorf("%d promises", n)
	}
	if n := v.Count(`SELECT count(*) FROM audit_entries WHERE action = 'client_page.promise'`); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func TestAnInvoiceIsMailedAgain(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	id := v.purchase(500)
	v.enter()
	at := v.ask("invoice", url.Values{"object": {id}})
	v.confirm(at).Want(303)
	v.confirm(at).Want(303)
	if n := v.Count(`SELECT count(*) FROM mails WHERE kind = 'invoice' AND purchase_id = $1`, id); n != 1 {
		t.Errorf("%d invoices", n)
	}
}

func TestADebitIsMovedOnceByItsClient(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	id := v.planned()
	v.enter()
	v.get("/my/").Want(200).Contains("Ask for another debit day")
	v.allow("day", "on")
	form := v.get("/my/acts/day/?object=" + id).Want(200).Contains("Move this debit").Body
	days := regexp.MustCompile(`option value="(\d{4}-\d\d-\d\d)"`).FindAllStringSubmatch(form, -1)
	if len(days) < 5 {
		t.Fatalf("only %d days", len(days))
	}
	to := days[len(days)-1][1]
	v.post("/my/acts/day/", url.Values{"object": {id}, "day": {"2026-11-29"}}).Want(422) // a Sunday
	at := v.ask("day", url.Values{"object": {id}, "day": {to}})
	v.confirm(at).Want(303)
	v.confirm(at).Want(303)
	if n := v.Count(`SELECT count(*) FROM collections WHERE purchase_id = $1 AND action_date = $2 AND state = 'scheduled'`,
		id, to); n != 1 {
		t.Error("the debit did not move")
	}
	v.get("/my/acts/day/?object=" + id).Want(409).Contains("moved once already")
	v.Page(v.A.Staff, "GET", "/purchases/"+id, nil).Want(200).Contains("The client moved the debit from")
}

func TestASubscriptionIsPausedAndStopped(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	sub := v.subscribed()
	v.enter()
	v.get("/my/acts/pause/?object=" + sub).Want(409).Contains("not offered")
	v.allow("pause", "on")
	at := v.ask("pause", url.Values{"object": {sub}})
	v.confirm(at).Want(303)
	status := func(status, why string) {
		t.Helper()
		if n := v.Count(`SELECT count(*) FROM template_clients WHERE id = $1 AND status = $2 AND why = $3`, sub, status,
			why); n != 1 {
			t.Errorf("not %s by %s", status, why)
		}
	}
	status("subscription_paused", "client")
	v.get("/my/").Want(200).Contains("You paused it")
	at = v.ask("stop", url.Values{"object": {sub}})
	v.confirm(at).Want(303)
	v.confirm(at).Want(303)
	status("subscription_paused", "payer")
	v.get("/my/").Want(200).Contains("You stopped it")
	v.get("/my/acts/stop/?object=" + sub).Want(409)
}

func TestAnotherAccountIsGivenOnThePageOfAReplacement(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	token := v.token()
	v.enter()
	at := v.ask("account", url.Values{"object": {token}})
	v.confirm(at).Want(303)
	page := v.get(at).Want(200).Contains("Give the new account").Body
	to := regexp.MustCompile(`/p/[0-9a-f-]{36}/`).FindString(page)
	v.get(to).Want(200).Contains("account_number")
	v.get(at).Want(200).Contains(to)
	if n := v.Count(`SELECT count(*) FROM amendments WHERE old_token_id = $1 AND state = 'open'`, token); n != 1 {
		t.Errorf("%d amendments", n)
	}
	if n := v.Count(`SELECT count(*) FROM tokens WHERE id = $1 AND state = 'active'`, token); n != 1 {
		t.Error("the old account is not in use any longer")
	}
}

func TestWhatStaffDecideIsARequest(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	id := v.planned()
	v.enter()
	day := regexp.MustCompile(`option value="(\d{4}-\d\d-\d\d)"`).FindStringSubmatch(v.get("/my/acts/day/?object=" + id).
		Want(200).Contains("Nothing changes before that").Body)[1]
	before := v.Count(`SELECT count(*) FROM collections WHERE action_date = $1`, day)
	v.confirm(v.ask("day", url.Values{"object": {id}, "day": {day}})).Want(303)
	if v.Count(`SELECT count(*) FROM collections WHERE action_date = $1`, day) != before {
		t.Error("the debit moved")
	}
	v.confirm(v.ask("privacy", url.Values{"request": {"deletion"}, "text": {"Please forget me"}})).Want(303)
	v.post("/my/acts/privacy/", url.Values{"request": {"correction"}}).Want(422)
	v.post("/my/acts/details/", url.Values{"text": {"my number is 8501015000085"}}).Want(422)
	list := v.Page(v.A.Staff, "GET", "/requests", nil).Want(200).Contains("Another debit day", "Deletion of personal data",
		"Thandi Nkosi").Body
	at := regexp.MustCompile(`/requests/[0-9a-f-]{36}`).FindAllString(list, -1)
	one := v.Page(v.A.Staff, "GET", at[len(at)-1], nil).Want(200).Contains("Please forget me").Body
	version := regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(one)[1]
	answer := url.Values{"version": {version}, "state": {"answered"}, "answer": {"Locked, and erased on 1 December 2033."}}
	v.Page(v.A.Staff, "GET", "/attention", nil).Want(200).Contains("Requests of clients", "Deletion of personal data")
	v.Page(v.B.Owner, "POST", at[len(at)-1]+"/answer", answer).Want(404)
	v.Page(v.A.Staff, "POST", at[len(at)-1]+"/answer", url.Values{"version": {version}, "state": {"answered"}}).Want(422)
	v.Page(v.A.Staff, "POST", at[len(at)-1]+"/answer", answer).Want(303)
	v.Page(v.A.Staff, "POST", at[len(at)-1]+"/answer", answer).Want(409)
	if !strings.Contains(v.letter("client_request_answer").Text, "erased on 1 December 2033") {
		t.Error("the answer was not mailed")
	}
	v.Page(v.A.Staff, "POST", at[len(at)-1]+"/reopening", url.Values{"version": {"2"}}).Want(303)
	v.Page(v.A.Staff, "GET", "/requests", nil).Want(200).Contains("Open requests")
}

func TestStaffWriteDownARequestThatCameByPhone(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	at := "/clients/" + v.client + "/requests"
	v.Page(v.A.Staff, "GET", at+"/new", nil).Want(200)
	v.Page(v.A.Staff, "POST", at, url.Values{"kind": {"access"}}).Want(422)
	v.Page(v.A.Staff, "POST", at, url.Values{"kind": {"access"}, "channel": {"phone"}, "text": {"Wants all we know"},
		"received_on": {"2026-11-16"}}).Want(303)
	if n := v.Count(`SELECT count(*) FROM client_requests WHERE due_on = '2026-12-17'`); n != 1 { // the 16th is a holiday
		t.Error("due on another day")
	}
	if http.StatusOK != v.Page(v.A.Reader, "GET", "/requests", nil).Status {
		t.Error("who may read may not see it")
	}
	v.Page(v.A.Reader, "POST", at, url.Values{}).Want(403)
}

// The page closes by real time, and says so by the clock that its other hours go by.
func TestThePageClosesByTheClockThatItShows(t *testing.T) {
	t.Parallel()
	v := newVisitor(t).enter()
	if err := v.Store.Clock.MoveTo(t.Context(), v.Store.Now().Add(90*time.Minute)); err != nil {
		t.Fatal(err)
	}
	page := v.get("/my/").Want(http.StatusOK)
	_, said, _ := strings.Cut(page.Body, "closes at ")
	now := v.Store.Now()
	for left := clientpage.SessionLasts; !strings.HasPrefix(said, now.Add(left).In(calendar.SAST).Format("15:04")); {
		if left -= time.Minute; left < 0 { // on a slow machine some of them have passed
			t.Fatalf("it closes at %.5s, and it is %s", said, now.In(calendar.SAST).Format("15:04"))
		}
	}
}
