package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/batch"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/member"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
)

const herons = "three quiet herons"

// post is a form of a browser on the same site that has these cookies.
func (s *street) post(path string, form url.Values, cookies ...string) handlertest.Answer {
	s.t.Helper()
	return s.Call("POST", path, form, "Cookie: "+strings.Join(cookies, "; "), "Accept: text/html",
		"Sec-Fetch-Site: same-origin")
}

// mailed is what the newest mail to somebody links to.
func (s *street) mailed(to string) string {
	s.t.Helper()
	var merchantID, id uuid.UUID
	if err := s.Store.Pool.QueryRow(s.t.Context(),
		`SELECT merchant_id, id FROM mails WHERE recipient = $1 ORDER BY id DESC LIMIT 1`, to).Scan(&merchantID,
		&id); err != nil {
		s.t.Fatal(err)
	}
	m, err := outbox.Store{DB: s.Store}.Mail(s.t.Context(), merchantID, id)
	if err != nil {
		s.t.Fatal(err)
	}
	text := m.Text
	link := regexp.MustCompile(`https?://\S+`).FindString(text)
	at, err := url.Parse(link)
	if err != nil || at.Path == "" {
		s.t.Fatalf("no link in %s", text)
	}
	return at.Path
}

// cookieOf is the cookie that an answer sets whose name ends so.
func cookieOf(a handlertest.Answer, ending string) string {
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if strings.HasSuffix(c.Name, ending) || strings.Contains(c.Name, ending+"-") {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}

func TestAnAdminInvitesAndTheInvitedJoins(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.Page(s.A.Owner, "POST", "/settings/people/invitations",
		url.Values{"email": {"nope"}, "role": {"king"}, "batch_limit": {"1"}}).Want(422).Contains(
		"Enter a valid e-mail address.", "A role is admin")
	s.Page(s.A.Owner, "POST", "/settings/people/invitations", url.Values{"email": {"sipho@example.com"}, "role": {"staff"},
		"batch_limit": {"lots"}}).Want(422).Contains("Enter an amount such as", `value="lots"`)
	s.Page(s.A.Owner, "POST", "/settings/people/invitations", url.Values{"email": {"sipho@example.com"}, "name": {"Sipho"},
		"role": {"finance"}, "grant_reveal": {"yes"}, "grant_refund": {"no"}, "batch_limit": {"10 000,00"}}).Want(303)
	s.Page(s.A.Owner, "GET", "/settings/people", nil).Want(200).Contains("on its way to sipho@example.com",
		"May: see full bank account", "May not: refund money", "Sends up to R\u00a010\u00a0000,00 at once", "Invited")
	link := s.mailed("sipho@example.com")
	s.Call("GET", link, nil).Want(200).Contains("Join Merchant a", "sipho@example.com", `value="Sipho"`)
	s.post(link, url.Values{"name": {""}, "password": {"short"}}).Want(422).Contains("Enter your name.",
		"at least 12 characters")
	in := s.post(link, url.Values{"name": {"Sipho Dube"}, "password": {herons}}).Want(303)
	sipho := handlertest.Person{Cookie: cookieOf(in, "debitdesk")}
	s.Page(sipho, "GET", "/batches", nil).Want(200).Contains("Sipho Dube")
	s.Page(sipho, "GET", "/settings/people", nil).Want(403)
	s.Call("GET", link, nil).Want(http.StatusGone).Contains("already been used")
	s.post(link, url.Values{"name": {"X"}, "password": {herons}}).Want(http.StatusGone)
	s.Page(s.A.Owner, "GET", "/settings/people", nil).Want(200).Contains("Sipho Dube").Lacks("<strong>sipho@example.com")
}

func TestLinksThatDoNotWorkSayWhy(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	link := s.mailed("new@example.com")
	again := "/settings/people/invitations/" + s.ids["/settings/people/invitations/"]
	s.Page(s.A.Owner, "POST", again+"/mails", url.Values{}).Want(303)
	s.Call("GET", link, nil).Want(404).Contains("a newer mail has replaced it")
	link = s.mailed("new@example.com")
	s.Call("GET", link, nil).Want(200)
	if _, err := s.Store.Pool.Exec(t.Context(),
		`UPDATE invitations SET expires_at = now() - interval '1 second'`); err != nil {
		t.Fatal(err)
	}
	s.Call("GET", link, nil).Want(http.StatusGone).Contains("has expired", "send it again")
	s.post(link, url.Values{"name": {"X"}, "password": {herons}}).Want(http.StatusGone)
	s.Page(s.A.Owner, "POST", again+"/revocation", url.Values{}).Want(303)
	s.Call("GET", link, nil).Want(http.StatusGone).Contains("withdrawn")
	s.Page(s.A.Owner, "POST", again+"/revocation", url.Values{}).Want(409)
	s.Call("GET", "/invite/x", nil).Want(404)
	s.Call("GET", "/reset/x", nil).Want(404).Contains("This link is not valid")
}

func TestAPersonOfTwoBusinessesGoesFromOneToTheOther(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	if _, err := s.Members.Invite(t.Context(), s.A.Actor,
		member.Input{Email: s.B.Staff.Email, Terms: member.Terms{Role: actor.ReadOnly}}); err != nil {
		t.Fatal(err)
	}
	link := s.mailed(s.B.Staff.Email)
	s.Call("GET", link, nil).Want(200).Contains("Sign in to join", url.QueryEscape(link)).Lacks(`name="password"`)
	s.Page(s.A.Owner, "GET", link, nil).Want(200).Contains("you are signed in as " + s.A.Owner.Email)
	s.Page(s.A.Owner, "POST", link, url.Values{}).Want(409).Contains("This invitation is for")
	s.Page(s.B.Staff, "GET", link, nil).Want(200).Contains("Your password stays the same")
	joined := s.Page(s.B.Staff, "POST", link, url.Values{}).Want(303)
	moved := handlertest.Person{Cookie: cookieOf(joined, "debitdesk")}
	if moved.Cookie == "" || moved.Cookie == s.B.Staff.Cookie {
		t.Fatal("the session kept its id")
	}
	s.Page(s.B.Staff, "GET", "/clients", nil).Want(303) // the old id is over
	s.Page(moved, "GET", "/clients/"+s.ids["/clients/"], nil).Want(200).Contains("Merchant a", "Merchant b",
		"/account/business").Lacks("Edit client")
	s.Page(moved, "POST", "/account/business", url.Values{"merchant_id": {uuid.NewString()}}).Want(404)
	back := handlertest.Person{Cookie: cookieOf(s.Page(moved, "POST", "/account/business",
		url.Values{"merchant_id": {s.B.ID.String()}}).Want(303), "debitdesk")}
	s.Page(moved, "GET", "/clients", nil).Want(303)
	s.Page(back, "GET", "/clients/"+s.ids["/clients/"], nil).Want(404)
	s.Page(back, "GET", "/clients/new", nil).Want(200).Contains("Merchant b")
	// A stranger opens no business by its id.
	s.Page(s.A.Staff, "POST", "/account/business", url.Values{"merchant_id": {s.B.ID.String()}}).Want(404)
	// Who is disabled in the one goes on in the other.
	if err := s.Members.Disable(t.Context(), s.A.Actor, s.B.Staff.ID); err != nil {
		t.Fatal(err)
	}
	s.Page(back, "GET", "/clients", nil).Want(200).Lacks("/account/business")
	s.Page(back, "POST", "/account/business", url.Values{"merchant_id": {s.A.ID.String()}}).Want(404)
}

func TestAMoveKeepsWhatWasProvedAndWhenItEnds(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	if _, err := s.Members.Enrol(t.Context(), actor.OperatorOf(s.B.ID), s.A.Staff.Email,
		member.Terms{Role: actor.Staff}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Pool.Exec(
		t.Context(),
		`UPDATE sessions SET factor = 'totp', proven_at = now(), created_at = now() - interval '6 days 20 hours'
			WHERE user_id = $1`,
		s.A.Staff.ID,
	); err != nil {
		t.Fatal(err)
	}
	s.Page(s.A.Staff, "POST", "/account/business", url.Values{"merchant_id": {s.B.ID.String()}}).Want(303)
	if s.Count(
		`SELECT count(*) FROM sessions WHERE user_id = $1 AND merchant_id = $2 AND factor = 'totp' AND proven_at IS NOT NULL
			AND created_at < now() - interval '6 days 19 hours'
		AND expires_at < now() + interval '5 hours'`,
		s.A.Staff.ID,
		s.B.ID,
	) != 1 ||
		s.Count(`SELECT count(*) FROM sessions WHERE user_id = $1`, s.A.Staff.ID) != 1 {
		t.Fatal("not so")
	}
}

func TestPeopleAreChangedOnTheirPage(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	at := "/settings/people/" + s.A.Staff.ID.String()
	s.Page(s.A.Owner, "GET", at, nil).Want(200).Contains("What they may do", "Disable", `value="staff"`)
	s.Page(s.A.Owner, "POST", at, url.Values{"role": {"readonly"}}).Want(303)
	s.Page(s.A.Staff, "GET", "/clients", nil).Want(200).Lacks("New client") // at once
	s.Page(s.A.Owner, "POST", at+"/disabling", url.Values{}).Want(303)
	s.Page(s.A.Staff, "GET", "/clients", nil).Want(303)
	s.Page(s.A.Owner, "GET", at, nil).Want(200).Contains("Let in again", "Disabled")
	s.Page(s.A.Owner, "POST", at+"/enabling", url.Values{}).Want(303)
	s.Page(s.A.Owner, "GET", at+"/removal", nil).Want(200).Contains("Type " + s.A.Staff.Email)
	s.Page(s.A.Owner, "POST", at+"/removal", url.Values{"confirm": {"no"}}).Want(422)
	s.Page(s.A.Owner, "POST", at+"/removal", url.Values{"confirm": {s.A.Staff.Email}}).Want(303)
	s.Page(s.A.Owner, "GET", at, nil).Want(404)
	self := "/settings/people/" + s.A.Owner.ID.String()
	s.Page(s.A.Owner, "GET", self, nil).Want(200).Contains("This is you").Lacks("Remove…", `action="`+self)
	for _, do := range []string{"", "/disabling", "/removal"} {
		s.Page(s.A.Owner, "POST", self+do, url.Values{"role": {"staff"}, "confirm": {s.A.Owner.Email}}).Want(409)
	}
}

func TestAForgottenPasswordTellsNothingAndIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	ask := func(email string) string {
		got := s.post("/reset", url.Values{"email": {email}}).Want(200)
		return strings.ReplaceAll(got.Body, email, "")
	}
	if known, unknown := ask(s.A.Staff.Email), ask("nobody@a.example"); known != unknown {
		t.Fatalf("the answers differ:\n%s\n%s", known, unknown)
	}
	s.Call("GET", "/login", nil).Want(200).Contains(`formaction="/reset"`)
	s.post("/reset", url.Values{"begin": {"yes"}, "email": {" sipho@acme.example "}, "password": {"x"}}).Want(200).
		Contains("Forgot your password?", `value="sipho@acme.example"`).Lacks("Check your mailbox")
	token, hash := user.NewToken()
	if _, err := s.Store.Pool.Exec(t.Context(),
		`INSERT INTO password_resets (token_hash, user_id, expires_at, created_at) VALUES ($1, $2, $3, now())`, hash,
		s.A.Staff.ID, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	s.Call("GET", "/reset/"+token, nil).Want(200).Contains("Choose a new password").Lacks(s.A.Staff.Email)
	s.post("/reset/"+token, url.Values{"password": {"password1234"}}).Want(422).Contains("among the first")
	done := s.post("/reset/"+token, url.Values{"password": {herons}}).Want(303)
	if cookieOf(done, "debitdesk") != "" && !strings.Contains(cookieOf(done, "debitdesk"), "device") {
		t.Fatal("a reset signs in")
	}
	s.Page(s.A.Staff, "GET", "/clients", nil).Want(303)
	s.post("/reset/"+token, url.Values{"password": {herons}}).Want(http.StatusGone).Contains("already used")
	s.post("/login", url.Values{"email": {s.A.Staff.Email}, "password": {herons}}).Want(303)
}

func TestAKnownBrowserSignsInWhileStrangersGuess(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	b, stranger := g.browser(), g.browser()
	device := (*http.Cookie)(nil)
	for _, c := range b.signIn("thandi@example.com").Cookies() {
		if strings.Contains(c.Name, "-device-") {
			device = c
		}
	}
	if device == nil || !device.HttpOnly || device.SameSite != http.SameSiteLaxMode || device.MaxAge <= 0 ||
		strings.Contains(device.Value, "thandi") {
		t.Fatalf("the browser is not known: %+v", device)
	}
	b.do("POST", "/logout", url.Values{})
	wrong := url.Values{"email": {"thandi@example.com"}, "password": {"<wrong> password"}}
	for range 5 {
		stranger.do("POST", "/login", wrong).want(t, http.StatusUnprocessableEntity)
	}
	right := url.Values{"email": {"thandi@example.com"}, "password": {password}}
	stranger.do("POST", "/login", right).want(t, http.StatusTooManyRequests)
	g.browser().do("POST", "/login", right, "Cookie", device.Name+"="+device.Value+"x").want(t, http.StatusTooManyRequests)
	b.do("POST", "/login", right).want(t, http.StatusSeeOther)
	// The same cookie is worth nothing for another account.
	g.person("sipho@example.com", actor.Staff)
	other := url.Values{"email": {"sipho@example.com"}, "password": {"<wrong> password"}}
	for range 5 {
		stranger.do("POST", "/login", other).want(t, http.StatusUnprocessableEntity)
	}
	b.do("POST", "/login", url.Values{"email": {"sipho@example.com"}, "password": {password}}).want(t,
		http.StatusTooManyRequests)
}

func TestABatchAboveThePersonsLimitIsNotSent(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	sent, err := s.Batches.Upload(t.Context(), s.A.Actor,
		batch.Upload{Name: "rows.csv", Source: batch.FromFile, BrandID: s.A.BrandID,
			Content: strings.NewReader("email,amount,due\na@example.com,100,2099-03-01\nb@example.com,150,2099-03-01\n")})
	if err == nil {
		_, err = s.Batches.Map(t.Context(), s.A.Actor, sent.ID, sent.Mapping)
	}
	if err == nil {
		sent, _, err = s.Batches.FixAll(t.Context(), s.A.Actor, sent.ID,
			batch.Fix{Cause: batch.CauseUnknown, Choice: string(batch.CreateClient)}, 0)
	}
	if err != nil || sent.Counts.ReadyCents != 250_00 {
		t.Fatalf("%+v, %v", sent, err)
	}
	at := "/batches/" + sent.ID.String()
	limit := func(cents int64) {
		if err := s.Members.Change(t.Context(), s.A.Actor, s.A.Finance.ID,
			member.Terms{Role: actor.Finance, BatchLimitCents: &cents}); err != nil {
			t.Fatal(err)
		}
	}
	form := url.Values{"rows": {"2"}, "cents": {"25000"}, "fingerprint": {sent.Seal()}, "warnings": {"yes"}}
	limit(249_99)
	s.Page(s.A.Finance, "GET", at+"/review", nil).Want(200).Contains(
		"This is R\u00a0250,00; you may send up to R\u00a0249,99 at once").Lacks("Send 2 invoices")
	s.Page(s.A.Finance, "POST", at+"/start", form).Want(403).Contains("you may send up to")
	above := int64(100_00)
	demand := func(d merchant.Demands) {
		if _, err := s.Store.Pool.Exec(t.Context(), `UPDATE merchants SET approve_batches_cents = $1 WHERE id = $2`,
			d.BatchesAbove, s.A.ID); err != nil {
			t.Fatal(err)
		}
	}
	demand(merchant.Demands{BatchesAbove: &above}) // a second approver does not lift the limit
	asked := url.Values{"rows": {"2"}, "cents": {"25000"}, "fingerprint": {sent.Seal()}, "warnings": {"yes"},
		"reason": {"Rent of March."}}
	s.Page(s.A.Finance, "POST", at+"/start", asked).Want(403).Contains("you may send up to")
	if n := s.Count(`SELECT count(*) FROM approvals WHERE kind = 'send_batch'`); n != 0 {
		t.Errorf("%d requests for a second approver", n)
	}
	limit(250_00)
	s.Page(s.A.Finance, "GET", at+"/review", nil).Want(200).Contains("a batch of more than R\u00a0100,00",
		"Ask for approval: send 2 invoices")
	s.Page(s.A.Finance, "POST", at+"/start", form).Want(422).Contains("Give a reason")
	demand(merchant.Demands{})
	s.Page(s.A.Finance, "GET", at+"/review", nil).Want(200).Contains("Send 2 invoices")
	s.Page(s.A.Finance, "POST", at+"/start", form).Want(303)
	client := s.ids["/clients/"]
	body := fmt.Sprintf(
		`{"brand_id":%q,"due":%d,"clients":[{"client_id":%q},{"client_id":%q}],"purchase":{"products":[{"name":"m","price":12500}]}}`,
		s.A.BrandID,
		s.Store.Now().Add(240*time.Hour).Unix(),
		client,
		client,
	)
	bill := func() handlertest.Answer {
		return s.Call("POST", "/api/v1/billing/", body, "Cookie: "+s.A.Finance.Cookie, "Sec-Fetch-Site: same-origin",
			"Accept: application/json")
	}
	limit(249_99)
	bill().Want(403).WantCode("__all__=batch_limit")
	limit(250_00)
	if got := bill(); got.Status != 200 && got.Status != 201 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
}

func TestMailsToPeopleAreReadByThoseWhoRunTheSandbox(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	var id string
	if err := s.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM mails WHERE kind = 'invitation'`).Scan(
		&id); err != nil {
		t.Fatal(err)
	}
	s.Page(s.A.Owner, "GET", "/sandbox/mail/"+id, nil).Want(200).Contains("/invite/")
	s.Page(s.A.Reader, "GET", "/sandbox/mail/"+id, nil).Want(200).Contains("for one person only").Lacks("/invite/")
	s.Page(s.A.Finance, "GET", "/sandbox/mail/"+id+"/html", nil).Want(404)
	s.Page(s.B.Owner, "GET", "/sandbox/mail/"+id, nil).Want(404)
	for _, path := range []string{"/sandbox/mail/" + id, "/sandbox/mail"} {
		program := s.Call("GET", path, nil, "Authorization: Bearer "+s.A.Token, "Accept: application/json").Want(200)
		program.Contains("for one person only", "invites you to work").Lacks("/invite/", "/reset/")
	}
	if n := s.Count(`SELECT count(*) FROM mails WHERE to_jsonb(mails)::text LIKE '%/invite/%'`); n != 0 {
		t.Errorf("%d links lie open in the database", n)
	}
}
