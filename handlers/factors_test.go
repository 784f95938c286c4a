package handlers_test

import (
	"encoding/base32"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"debitdesk/handlers/access"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/factor"
	"debitdesk/models/user"
)

const gatePassword = "a password of length"

// signInServer is a server whose owner signs in with a password.
type signInServer struct {
	*handlertest.Server
	t *testing.T
}

func newSignInServer(t *testing.T) *signInServer {
	t.Helper()
	h := &signInServer{t: t}
	h.Server = handlertest.New(t, func(h *handlertest.Server) {
		made, err := h.People.Create(t.Context(), h.A.Actor,
			user.Input{Email: "nomsa@a.example", Name: "Nomsa", Password: gatePassword, Role: "admin"})
		if err != nil {
			t.Fatal(err)
		}
		h.A.Owner.User = made
	})
	return h
}

// signIn shows the password; where it leads is next.
func (h *signInServer) signIn() (who handlertest.Person, next string) {
	h.t.Helper()
	got := h.Call("POST", "/login", url.Values{"email": {"nomsa@a.example"}, "password": {gatePassword}},
		"Accept: text/html").Want(http.StatusSeeOther)
	return handlertest.Person{User: h.A.Owner.User, Cookie: sessionOf(h.t, got)}, got.Header.Get("Location")
}

func sessionOf(t *testing.T, got handlertest.Answer) string {
	t.Helper()
	cookie := ""
	for _, c := range (&http.Response{Header: got.Header}).Cookies() {
		if strings.HasSuffix(c.Name, "debitdesk") { // not the one that knows the browser
			cookie = c.Name + "=" + c.Value
		}
	}
	if cookie == "" {
		t.Fatalf("no cookie: %d %v", got.Status, got.Header)
	}
	return cookie
}

// code is what an authenticator app shows, some steps from now.
func (h *signInServer) code(key string, steps int) string {
	h.t.Helper()
	code, err := totp.GenerateCode(key, h.Real().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		h.t.Fatal(err)
	}
	return code
}

var (
	codePattern = regexp.MustCompile(`<code>([a-z0-9-]{14})</code>`)
	keyPattern  = regexp.MustCompile(`[A-Z2-7]{4}( [A-Z2-7]{4}){7}`)
	keptPattern = regexp.MustCompile(`kept=([A-Za-z0-9_-]+)`)
)

// setUp gives the person an authenticator app, and returns its key and the recovery codes.
func (h *signInServer) setUp(who *handlertest.Person) (key string, codes []string) {
	h.t.Helper()
	h.Page(*who, "POST", "/account/security/app", url.Values{}).Want(http.StatusSeeOther)
	key = strings.ReplaceAll(keyPattern.FindString(h.Page(*who, "GET", "/account/security/app",
		nil).Want(200).Contains("data:image/png;base64,").Body), " ", "")
	if raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(key); err != nil || len(raw) != 20 {
		h.t.Fatalf("key %q", key)
	}
	for _, password := range []string{"", "wrong"} { // an open browser is not enough for the first one
		h.Page(*who, "POST", "/account/security/app/confirmation",
			url.Values{"code": {h.code(key, 0)}, "password": {password}}).Want(http.StatusUnprocessableEntity).Contains(
			"Your password")
	}
	got := h.Page(*who, "POST", "/account/security/app/confirmation",
		url.Values{"code": {h.code(key, 0)}, "password": {handlertest.Password}}).Want(http.StatusCreated)
	for _, m := range codePattern.FindAllStringSubmatch(got.Body, -1) {
		codes = append(codes, m[1])
	}
	if len(codes) != factor.RecoveryCodes {
		h.t.Fatalf("%d recovery codes", len(codes))
	}
	before := who.Cookie
	who.Cookie = sessionOf(h.t, got)
	if who.Cookie == before {
		h.t.Fatal("the session kept its id")
	}
	if got := h.Page(handlertest.Person{Cookie: before}, "GET", "/account", nil); got.Status != http.StatusSeeOther {
		h.t.Fatalf("the id before still opens: %d", got.Status)
	}
	h.Wait(time.Minute) // so that the next code is another
	return key, codes
}

func TestSignInWithACodeOpensANewSessionAndACodeWorksOnce(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, next := h.signIn()
	if next != "/" {
		t.Fatalf("without a factor sign-in leads to %s", next)
	}
	key, _ := h.setUp(&who)
	half, next := h.signIn()
	if next != "/login/factor?next=%2F" {
		t.Fatalf("sign-in leads to %s", next)
	}
	h.Page(half, "GET", "/login/factor?next=/clients", nil).Want(200).Contains("authenticator app",
		`value="/clients"`).Lacks("Merchant a")
	h.Page(half, "GET", "/login?next=/clients", nil).Want(303)
	code := h.code(key, 0)
	got := h.Page(half, "POST", "/login/factor", url.Values{"code": {code}, "next": {"//evil.example"}}).Want(
		http.StatusSeeOther)
	in := handlertest.Person{Cookie: sessionOf(t, got)}
	if got.Header.Get("Location") != "/" || in.Cookie == half.Cookie {
		t.Fatalf("to %s", got.Header.Get("Location"))
	}
	h.Page(in, "GET", "/clients", nil).Want(200)
	h.Page(in, "GET", "/account", nil).Want(200).Contains("Authenticator app")
	if got := h.Page(half, "GET", "/login/factor", nil); got.Status != 303 {
		t.Fatal("the half session lives on")
	}
	again, _ := h.signIn()
	h.Page(again, "POST", "/login/factor", url.Values{"code": {code}}).Want(422).Contains("already used")
	h.Wait(30 * time.Second)
	h.Page(again, "POST", "/login/factor", url.Values{"code": {code}}).Want(422)
	h.Page(again, "POST", "/login/factor", url.Values{"code": {h.code(key, 0)}}).Want(303)
	if n := h.Count(`SELECT count(*) FROM mails WHERE kind = 'second_factor' AND recipient = 'nomsa@a.example'`); n != 1 {
		t.Fatalf("%d mails; want one, of the set-up", n)
	}
}

func TestASessionThatWaitsForItsFactorOpensNothing(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	h.setUp(&who)
	half, _ := h.signIn()
	walked := 0
	for _, r := range h.App.Routes() {
		if r.Method == http.MethodHead || strings.HasPrefix(r.Method, "echo_") || opens(r.Path) {
			continue
		}
		walked++
		path := regexp.MustCompile(`:[a-z_]+`).ReplaceAllString(r.Path, h.A.ID.String())
		got := h.Page(half, r.Method, path, url.Values{})
		toSignIn := got.Status == http.StatusSeeOther && strings.HasPrefix(got.Header.Get("Location"), "/login")
		if got.Status != http.StatusUnauthorized && !toSignIn {
			t.Errorf("%s %s: %d %s", r.Method, path, got.Status, got.Header.Get("Location"))
		}
	}
	if walked < 80 {
		t.Fatalf("only %d addresses", walked)
	}
	h.Page(half, "GET", "/nowhere", nil).Lacks("Merchant a")
	h.Wait(access.HalfLasts)
	if got := h.Page(half, "GET", "/login/factor", nil); got.Status != 303 {
		t.Fatalf("after ten minutes: %d", got.Status)
	}
	other, _ := h.signIn()
	h.Page(other, "POST", "/logout", url.Values{}).Want(303)
	if got := h.Page(other, "GET", "/login/factor", nil); got.Status != 303 {
		t.Fatalf("after signing out: %d", got.Status)
	}
}

func opens(route string) bool {
	for _, open := range append(handlertest.Open, "/sandbox/none") {
		if strings.HasPrefix(route, open) {
			return true
		}
	}
	return false
}

func TestOtherSessionsWaitForTheFactorOnceThereIsOne(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	first, _ := h.signIn()
	second, _ := h.signIn()
	h.setUp(&first)
	got := h.Page(second, "GET", "/clients", nil).Want(303)
	if !strings.HasPrefix(got.Header.Get("Location"), "/login") {
		t.Fatal(got.Header)
	}
	h.Page(first, "GET", "/clients", nil).Want(200)
	h.Page(first, "GET", "/account", nil).Want(200).Contains("Waiting for the second step", "End all other sessions")
	h.Page(first, "POST", "/account/sessions/others/end", url.Values{}).Want(303)
	if n := h.Count(`SELECT count(*) FROM sessions WHERE user_id = $1`, h.A.Owner.ID); n != 1 {
		t.Fatalf("%d sessions", n)
	}
	h.Page(first, "GET", "/account", nil).Want(200).Contains("Ended 1 other session").Lacks("End all other sessions")
}

func TestOfTwoUsesOfOneRecoveryCodeOneWins(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	_, codes := h.setUp(&who)
	a, _ := h.signIn()
	b, _ := h.signIn()
	var all sync.WaitGroup
	statuses := make([]int, 2)
	for i, half := range []handlertest.Person{a, b} {
		all.Go(func() {
			statuses[i] = h.Page(half, "POST", "/login/factor",
				url.Values{"recovery": {" " + strings.ToUpper(codes[0]) + " "}}).Status
		})
	}
	all.Wait()
	if statuses[0]+statuses[1] != 303+422 {
		t.Fatalf("got %v", statuses)
	}
	h.Page(who, "GET", "/account/security", nil).Want(200).Contains("9 of 10 left")
	if n := h.Count(`SELECT count(*) FROM mails WHERE kind = 'second_factor'
		AND text_body LIKE '%recovery code was used%9 recovery codes are left.%'`); n != 1 {
		t.Fatalf("%d mails", n)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'user.recovery_code_used'`); n != 1 {
		t.Fatalf("%d entries", n)
	}
}

func TestOneAnswerOpensOneSession(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	key, _ := h.setUp(&who)
	half, _ := h.signIn()
	code := h.code(key, 0)
	var all sync.WaitGroup
	won := make([]bool, 4)
	for i := range won {
		all.Go(func() {
			got := h.Page(half, "POST", "/login/factor", url.Values{"code": {code}})
			won[i] = got.Status == 303 && !strings.HasPrefix(got.Header.Get("Location"), "/login")
		})
	}
	all.Wait()
	n := 0
	for _, w := range won {
		if w {
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%d of four answers with one code opened a session", n)
	}
}

func TestWrongCodesLockThatSortOfCodeOfThatPersonAlone(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	key, codes := h.setUp(&who)
	half, _ := h.signIn()
	for range 5 {
		h.Page(half, "POST", "/login/factor", url.Values{"code": {"000000"}}).Want(422)
	}
	got := h.Page(half, "POST", "/login/factor", url.Values{"code": {h.code(key, 0)}}).Want(429).Contains(
		"Try again in a minute")
	if got.Header.Get("Retry-After") == "" {
		t.Fatal("no Retry-After")
	}
	h.Page(half, "POST", "/login/factor", url.Values{"recovery": {codes[3]}}).Want(303)
	other, _ := h.signIn()
	h.Wait(time.Minute)
	h.Page(other, "POST", "/login/factor", url.Values{"code": {"000000"}}).Want(422)
	h.Page(other, "POST", "/login/factor", url.Values{"code": {h.code(key, 0)}}).Want(429).Contains("2 minutes")
	h.Page(h.A.Staff, "GET", "/clients", nil).Want(200)
}

func TestWhatMattersAsksAgainAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	client := h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi",
		"bank_account": "6200000001", "bank_code": "470010"}).Want(201).Text("id")
	who, _ := h.signIn()
	h.Page(who, "POST", "/clients/"+client+"/numbers", url.Values{}).Want(200).Contains("6200000001")
	key, _ := h.setUp(&who) // which waits a minute
	h.Wait(access.ProofLasts - time.Minute - time.Second)
	h.Page(who, "POST", "/clients/"+client+"/numbers", url.Values{}).Want(200).Contains("6200000001")
	h.Wait(2 * time.Second)
	asked := h.Page(who, "POST", "/clients/"+client+"/numbers", url.Values{"x": {"1"}},
		"Referer: https://example.com/clients/"+client).Want(303)
	to := asked.Header.Get("Location")
	if !strings.HasPrefix(to, "/account/proof?next=%2Fclients%2F"+client+"&kept=") {
		t.Fatalf("leads to %s", to)
	}
	h.Page(who, "GET", to, nil).Want(200).Contains("Confirm that it is you")
	kept := keptPattern.FindStringSubmatch(to)[1]
	h.Page(who, "POST", "/account/proof", url.Values{"code": {"000000"}, "kept": {kept}, "next": {"/"}}).Want(
		422).Contains(kept)
	got := h.Page(who, "POST", "/account/proof", url.Values{"code": {h.code(key, 0)}, "kept": {kept}, "next": {"/"}}).Want(
		200)
	got.Contains(`action="/clients/`+client+`/numbers"`, `name="x" value="1"`, "Continue").Lacks("6200000001")
	old := who.Cookie
	who.Cookie = sessionOf(t, got)
	if who.Cookie == old {
		t.Fatal("the session kept its id")
	}
	h.Page(handlertest.Person{Cookie: old}, "GET", "/", nil).Want(303)
	h.Page(who, "POST", "/clients/"+client+"/numbers", url.Values{"x": {"1"}}).Want(200).Contains("6200000001")
	again := h.Page(who, "GET", "/account/proof?next=/clients&kept="+kept, nil).Want(303) // the form is sent on once
	if again.Header.Get("Location") != "/clients" {
		t.Fatal(again.Header)
	}
}

func TestWhatAsksAgain(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	h.setUp(&who)
	h.Wait(access.ProofLasts)
	nobody := h.A.ID.String()
	for _, path := range []string{"/tokens/deletion", "/clients/" + nobody + "/numbers",
		"/clients/" + nobody + "/deletion", "/developers/credentials", "/developers/credentials/" + nobody + "/revocation",
		"/developers/credentials/" + nobody + "/rotation",
		"/developers/webhooks", "/developers/webhooks/" + nobody, "/developers/webhooks/" + nobody + "/deletion",
		"/settings/brands/" + nobody + "/profiles", "/settings/brands/" + nobody + "/profiles/" + nobody + "/default",
		"/settings/brands/" + nobody + "/profiles/" + nobody + "/removal",
		"/settings/security", "/settings/security/people/" + nobody + "/reset", "/account/security/app",
		"/account/security/app/confirmation", "/account/security/app/removal",
		"/account/security/recovery-codes", "/account/security/passkeys", "/account/security/passkeys/x/removal"} {
		got := h.Page(who, "POST", path, url.Values{})
		if got.Status != 303 || !strings.HasPrefix(got.Header.Get("Location"), "/account/proof?") {
			t.Errorf("%s: %d %s", path, got.Status, got.Header.Get("Location"))
		}
		if got := h.Page(who, "POST", path, url.Values{},
			"HX-Request: true"); !strings.HasPrefix(got.Header.Get("HX-Redirect"), "/account/proof?") {
			t.Errorf("%s by a fragment: %d %v", path, got.Status, got.Header)
		}
	}
	for _, c := range [][2]string{{"DELETE", "/api/v1/clients/" + nobody},
		{"DELETE", "/api/v1/clients/" + nobody + "/recurring_tokens/" + nobody},
		{"PUT", "/api/v1/webhooks/" + nobody}, {"PATCH", "/api/v1/webhooks/" + nobody},
		{"DELETE", "/api/v1/webhooks/" + nobody},
		{"POST", "/purchases/" + nobody + "/delete_recurring_token"},
		{"POST", "/api/v1/purchases/" + nobody + "/delete_recurring_token"}} {
		h.Page(who, c[0], c[1], nil).Want(403).Contains("proof_required")
		h.Call(c[0], c[1], nil, "Authorization: Bearer "+h.A.Token).Want(404)
	}
}

func TestALargeFormIsNotKept(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	h.setUp(&who)
	h.Wait(access.ProofLasts)
	for _, c := range []struct {
		bytes int
		kept  bool
	}{{32<<10 - len("name="), true}, {32<<10 - len("name=") + 1, false}} {
		got := h.Page(who, "POST", "/developers/credentials", url.Values{"name": {strings.Repeat("a", c.bytes)}}).Want(303)
		if strings.Contains(got.Header.Get("Location"), "kept=") != c.kept {
			t.Errorf("%d bytes: %s", c.bytes, got.Header.Get("Location"))
		}
	}
	if n := h.Count(`SELECT count(*) FROM sessions WHERE data LIKE '%aaaaaa%'`); n != 0 {
		t.Error("a form is kept in clear")
	}
}

func TestABusinessThatDemandsAFactorLeadsToTheSetUpAndNowhereElse(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	h.Page(who, "POST", "/settings/security", url.Values{"require": {"yes"}}).
		Want(409).
		Contains("Set up two-step sign-in for yourself first")
	h.setUp(&who)
	h.Page(who, "POST", "/settings/security", url.Values{"require": {"yes"}}).Want(303)
	if n := h.Count(
		`SELECT count(*) FROM audit_entries WHERE action = 'merchant.second_factor_required' AND after::text LIKE '%true%'`,
	); n != 1 {
		t.Fatalf("%d entries", n)
	}
	h.Page(who, "GET", "/settings/security", nil).Want(200).Contains("Required for everyone")
	h.Page(who, "GET", "/clients", nil).Want(200)
	staff := h.A.Staff
	for _, path := range []string{"/", "/clients", "/account", "/purchases/new", "/account/proof"} {
		if got := h.Page(staff, "GET", path, nil).Want(303); got.Header.Get("Location") != "/account/security" {
			t.Errorf("%s leads to %s", path, got.Header.Get("Location"))
		}
	}
	h.Page(staff, "GET", "/api/v1/clients", nil).Want(403)
	h.Page(staff, "GET", "/clients", nil, "HX-Request: true").Want(403)
	h.Page(h.B.Staff, "GET", "/clients", nil).Want(200)
	h.Page(staff, "GET", "/account/security", nil).Want(200).Contains("Merchant a requires two-step sign-in")
	h.setUp(&staff)
	h.Page(staff, "GET", "/clients", nil).Want(200)
	h.Page(staff, "POST", "/account/security/app/removal", url.Values{}).Want(409).Contains("Set up another method before")
}

func TestAnAdminResetsTheFactorsOfAMember(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	staff := h.A.Staff
	h.setUp(&staff)
	reset := "/settings/security/people/" + staff.ID.String() + "/reset"
	h.Page(h.A.Finance, "POST", reset, url.Values{}).Want(403)
	h.Page(h.B.Owner, "POST", reset, url.Values{}).Want(404)
	h.Page(staff, "GET", "/clients", nil).Want(200)
	h.Page(who, "GET", "/settings/security", nil).Want(200).Contains(reset)
	h.Page(who, "GET", reset, nil).Want(200).Contains("They are told by mail")
	h.Page(who, "POST", reset, url.Values{}).Want(303)
	h.Page(staff, "GET", "/clients", nil).Want(303)
	if n := h.Count(`SELECT count(*) FROM users WHERE id = $1 AND totp_sealed IS NULL AND totp_confirmed_at IS NULL`,
		staff.ID) -
		h.Count(`SELECT count(*) FROM recovery_codes WHERE user_id = $1`, staff.ID); n != 1 {
		t.Fatal("something is left of the factors")
	}
	if n := h.Count(
		`SELECT count(*) FROM mails WHERE recipient = $1 AND text_body LIKE '%has reset your two-step sign-in%'`,
		staff.Email,
	); n != 1 {
		t.Fatalf("%d mails", n)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'user.factor_reset' AND object_id = $1`,
		staff.ID); n != 1 {
		t.Fatalf("%d entries", n)
	}
}

func TestRecoveryCodesAreReplacedAndGivenAsTextOnlyWhileTheyWork(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	key, codes := h.setUp(&who)
	file := h.Page(who, "POST", "/account/security/recovery-codes/file", url.Values{"codes": codes}).Want(200).Contains(
		codes...)
	if !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") {
		t.Fatal(file.Header)
	}
	h.Page(who, "POST", "/account/security/recovery-codes/file",
		url.Values{"codes": append([]string{"aaaa-bbbb-cccc"}, codes[1:]...)}).Want(409)
	got := h.Page(who, "POST", "/account/security/recovery-codes", url.Values{}).Want(201)
	fresh := codePattern.FindAllStringSubmatch(got.Body, -1)
	h.Page(who, "POST", "/account/security/recovery-codes/file", url.Values{"codes": codes}).Want(409)
	half, _ := h.signIn()
	h.Page(half, "POST", "/login/factor", url.Values{"recovery": {codes[0]}}).Want(422)
	h.Page(half, "POST", "/login/factor", url.Values{"recovery": {fresh[0][1]}}).Want(303)
	if n := h.Count(`SELECT count(*) FROM users WHERE encode(totp_sealed, 'escape') LIKE '%' || $1 || '%'`, key); n != 0 {
		t.Fatal("the key is kept in clear")
	}
}

func TestRemovingTheLastFactorEndsWhoWaitsForIt(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	h.setUp(&who)
	half, _ := h.signIn()
	h.Page(who, "GET", "/account/security/app/removal", nil).Want(200).Contains("your password alone")
	h.Page(who, "POST", "/account/security/app/removal", url.Values{}).Want(303)
	h.Page(who, "GET", "/clients", nil).Want(200)
	h.Page(half, "GET", "/clients", nil).Want(303)
	if n := h.Count(`SELECT count(*) FROM recovery_codes`); n != 0 {
		t.Fatalf("%d recovery codes are left", n)
	}
	if _, next := h.signIn(); next != "/" {
		t.Fatalf("sign-in leads to %s", next)
	}
}

func TestOfTwoWhoReplaceOneSessionOneDoes(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	var old []byte
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id_hash FROM sessions WHERE user_id = $1`,
		who.ID).Scan(&old); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	done := make([]bool, 4)
	for i := range done {
		all.Go(func() {
			fresh := user.Session{Hash: []byte{byte(i), 1}, UserID: who.ID, Data: "{}", Factor: user.Passkey,
				CreatedAt: h.Real(), SeenAt: h.Real(), ExpiresAt: h.Real().Add(time.Hour), ProvenAt: h.Real()}
			replaced, err := user.Store{DB: h.Store}.ReplaceSession(t.Context(), [][]byte{old}, fresh)
			if err != nil {
				t.Error(err)
			}
			done[i] = replaced
		})
	}
	all.Wait()
	n := 0
	for _, d := range done {
		if d {
			n++
		}
	}
	if left := h.Count(`SELECT count(*) FROM sessions WHERE user_id = $1`, who.ID); n != 1 || left != 1 {
		t.Fatalf("%d replaced it, %d sessions are left", n, left)
	}
	h.Page(who, "GET", "/clients", nil).Want(303)
}

func TestAnAppWhoseKeyIsDamagedIsSaidAndReplaced(t *testing.T) {
	t.Parallel()
	h := newSignInServer(t)
	who, _ := h.signIn()
	key, codes := h.setUp(&who)
	flip(t, h.Server, "users", "totp_sealed")
	half, _ := h.signIn()
	h.Page(half, "POST", "/login/factor", url.Values{"code": {h.code(key, 0)}}).Want(http.StatusUnprocessableEntity).
		Contains("was damaged", "recovery code")
	got := h.Page(half, "POST", "/login/factor", url.Values{"recovery": {codes[0]}}).Want(http.StatusSeeOther)
	in := handlertest.Person{Cookie: sessionOf(t, got)}
	h.Page(in, "GET", "/account/security", nil).Want(http.StatusOK).Contains("Its codes cannot be checked",
		"Remove authenticator app")
}
