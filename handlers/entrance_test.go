package handlers_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"

	"debitdesk/cmd/app"
	"debitdesk/handlers"
	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/keyfile"
	"debitdesk/models/mandate"
	"debitdesk/models/member"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/user"
)

const password = "correct horse battery"

// gate is the product with its entrance and nothing behind it but a probe.
type gate struct {
	t           *testing.T
	app         *echo.Echo
	server      *httptest.Server
	store       *database.DB
	users       *user.Service
	members     *member.Service
	credentials *credential.Service
	keys        *keyfile.Set
	merchant    uuid.UUID
	ahead       atomic.Int64 // of the real clock
}

func openGate(t *testing.T, baseURL string) *gate {
	t.Helper()
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, MaxConns: 8,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }}) // mails wait in their rows
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	g := &gate{t: t, store: db, merchant: uuid.New()}
	if g.keys, err = keyfile.Open("", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(
		t.Context(),
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
			VALUES ($1, 'ours', 'Ours', true, now(), now())`,
		g.merchant,
	); err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	realTime := func() time.Time { return start.Add(time.Duration(g.ahead.Load())) }
	log := slog.New(slog.DiscardHandler)
	use, err := app.New(app.Options{Store: db, Log: log, BaseURL: baseURL, Sandbox: true, Version: "test", Now: realTime,
		Signing: g.keys.Signing})
	if err != nil {
		t.Fatal(err)
	}
	use.Credentials.Now = time.Now
	g.users, g.members, g.credentials = use.Users, use.Members, use.Credentials
	sessions := access.NewSessions(user.Store{DB: db}, g.keys.Sessions, strings.HasPrefix(baseURL, "https://"),
		realTime)
	watch, err := mandate.Store{DB: db}.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watch.Close)
	box, err := g.keys.Box()
	if err != nil {
		t.Fatal(err)
	}
	deps, err := use.Parts(app.HTTP{Store: db, Box: box, Sessions: sessions, Watch: watch, BaseURL: baseURL, Sandbox: true,
		Now: realTime})
	if err != nil {
		t.Fatal(err)
	}
	deps.Log = log
	if g.app, err = handlers.New(deps); err != nil {
		t.Fatal(err)
	}
	probe := func(c echo.Context) error {
		if err := access.Actor(c).May(actor.Write); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	}
	g.app.Any("/api/v1/probe", probe, access.RequireAPI(deps.Bearer, deps.Session))
	g.server = httptest.NewServer(g.app)
	t.Cleanup(g.server.Close)
	g.person("thandi@example.com", actor.Admin)
	return g
}

func (g *gate) wait(d time.Duration) { g.ahead.Add(int64(d)) }

func (g *gate) person(email string, role actor.Role) user.User {
	g.t.Helper()
	u, err := g.users.Create(g.t.Context(), actor.OperatorOf(g.merchant),
		user.Input{Email: email, Password: password, Role: role})
	if err != nil {
		g.t.Fatal(err)
	}
	return u
}

// browser keeps cookies and follows nothing.
type browser struct {
	*gate
	http.Client
}

func (g *gate) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{g, http.Client{Jar: jar, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

type answer struct {
	*http.Response
	body string
}

func (b *browser) do(method, path string, form url.Values, headers ...string) answer {
	b.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.server.URL+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{res, string(content)}
}

func (b *browser) signIn(email string) answer {
	b.t.Helper()
	a := b.do("POST", "/login", url.Values{"email": {email}, "password": {password}})
	a.want(b.t, http.StatusSeeOther)
	return a
}

func (a answer) want(t *testing.T, status int) {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("%s %s: %d; want %d\n%s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.body)
	}
}

func (a answer) session(t *testing.T) *http.Cookie {
	t.Helper()
	for _, c := range a.Cookies() {
		if strings.HasSuffix(c.Name, "debitdesk") {
			return c
		}
	}
	t.Fatal("no session cookie")
	return nil
}

func (a answer) refusal(t *testing.T, status int, message, code string) {
	t.Helper()
	a.want(t, status)
	var got map[string][]struct{ Message, Code string }
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || len(got) != 1 || len(got["__all__"]) != 1 {
		t.Fatalf("body %s (%v)", a.body, err)
	}
	if one := got["__all__"][0]; one.Code != code || message != "" && one.Message != message {
		t.Fatalf("body %s; want %s %q", a.body, code, message)
	}
}

func TestNothingIsShownWithoutASession(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	open := map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true, "/static/*": true, "/login": true,
		"/.well-known/security.txt": true,
		"/login/factor":             true, "/logout": true,
		"/oauth/token": true, "/openapi.json": true, "/developers/api": true, "/manual": true, "/manual/:page": true,
		"/manual/pictures/:name": true, "/reset": true, "/reset/:token": true, "/invite/:token": true,
		"/first/:token": true, "/oidc/start/:id": true, "/oidc/callback/:id": true, "/oidc/logout/:id": true,
		"/sms/:secret/reports": true, "/sms/:secret/replies": true}
	ids := regexp.MustCompile(`:[a-z]+`)
	walked := 0
	for _, r := range g.app.Routes() {
		if open[r.Path] || strings.HasPrefix(r.Path, "/p/") || strings.HasPrefix(r.Path, "/my") ||
			r.Method == http.MethodHead ||
			r.Method == echo.RouteNotFound || r.Method == "PROPFIND" || r.Method == "REPORT" || r.Method == http.MethodConnect ||
			r.Method == http.MethodTrace {
			continue
		}
		path := ids.ReplaceAllString(strings.ReplaceAll(r.Path, "*", "x"), uuid.NewString())
		a := g.browser().do(r.Method, path, url.Values{})
		toSignIn := a.StatusCode == http.StatusSeeOther && strings.HasPrefix(a.Header.Get("Location"), "/login")
		if a.StatusCode != http.StatusUnauthorized && !toSignIn {
			t.Errorf("%s %s: %d without a session", r.Method, path, a.StatusCode)
		}
		walked++
	}
	if walked < 250 {
		t.Fatalf("only %d addresses walked", walked)
	}
}

func TestAPersonIsSentToSignInAndBack(t *testing.T) {
	t.Parallel()
	b := openGate(t, "http://desk.example").browser()
	a := b.do("GET", "/developers?x=1", nil)
	a.want(t, http.StatusSeeOther)
	if a.Header.Get("Location") != "/login?next=%2Fdevelopers%3Fx%3D1" {
		t.Fatalf("sent to %q", a.Header.Get("Location"))
	}
	if page := b.do("GET", a.Header.Get("Location"), nil); !strings.Contains(page.body,
		`name="next" value="/developers?x=1"`) {
		t.Fatalf("the form forgot the way back:\n%s", page.body)
	}
	part := b.do("GET", "/developers", nil, "HX-Request", "true", "HX-Current-URL", "http://desk.example/developers?q=a")
	part.want(t, http.StatusUnauthorized)
	if part.Header.Get("HX-Redirect") != "/login?next=%2Fdevelopers%3Fq%3Da" {
		t.Fatalf("htmx sent to %q", part.Header.Get("HX-Redirect"))
	}
	in := b.do("POST", "/login", url.Values{"email": {"thandi@example.com"}, "password": {password},
		"next": {"/developers?x=1"}})
	in.want(t, http.StatusSeeOther)
	if in.Header.Get("Location") != "/developers?x=1" {
		t.Fatalf("back at %q", in.Header.Get("Location"))
	}
	b.do("GET", "/developers?x=1", nil).want(t, http.StatusOK)
	if again := b.do("GET", "/login?next=/account", nil); again.Header.Get("Location") != "/account" {
		t.Fatalf("signed in, and asked to sign in: %d %q", again.StatusCode, again.Header.Get("Location"))
	}
}

func TestTheWayBackNeverLeavesTheSite(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"https://evil.example/", "//evil.example", "///evil.example", `/\evil.example`,
		`\/evil.example`, "/%2fevil.example", "/%5cevil.example",
		"evil.example", "javascript:alert(1)", "/\tevil.example", "\n//evil.example", "https:evil.example", "",
		"/login?next=/login", "/logout"} {
		if got := access.LocalPath(next); got != "/" {
			t.Errorf("%q leads to %q", next, got)
		}
	}
	for _, next := range []string{"/", "/clients?q=a%20b&status=live", "/p/1/"} {
		if got := access.LocalPath(next); got != next {
			t.Errorf("%q became %q", next, got)
		}
	}
}

func TestSigningInGivesANewSessionId(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	b := g.browser()
	planted := strings.Repeat("A", 43)
	a := b.do("POST", "/login", url.Values{"email": {"thandi@example.com"}, "password": {password}}, "Cookie",
		"debitdesk="+planted)
	first := a.session(t)
	if first.Value == planted || len(first.Value) != 43 {
		t.Fatalf("the planted id lives: %q", first.Value)
	}
	second := b.signIn("thandi@example.com").session(t)
	if second.Value == first.Value {
		t.Fatal("the id of the former session lives")
	}
	stranger := g.browser()
	stranger.do("GET", "/account", nil, "Cookie", "debitdesk="+first.Value).want(t, http.StatusSeeOther)
	stranger.do("GET", "/account", nil, "Cookie", "debitdesk="+planted).want(t, http.StatusSeeOther)
	stranger.do("GET", "/account", nil, "Cookie", "debitdesk="+second.Value).want(t, http.StatusOK)
	var kept int
	if err := g.store.Pool.QueryRow(t.Context(),
		`SELECT count(*) FROM sessions WHERE position(convert_to($1, 'UTF8') IN id_hash) > 0 OR data LIKE '%' || $1 || '%'`,
		second.Value).Scan(&kept); err != nil || kept != 0 {
		t.Fatalf("the id itself is in the database: %d, %v", kept, err)
	}
}

func TestTheCookieIsBoundAsTheAddressAllows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, name string
		secure     bool
	}{{"http://desk.example", "debitdesk", false}, {"https://desk.example", "__Host-debitdesk", true}} {
		cookie := openGate(t, c.base).browser().signIn("thandi@example.com").session(t)
		if cookie.Name != c.name || cookie.Secure != c.secure || !cookie.HttpOnly ||
			cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("%s: %s", c.base, cookie)
		}
	}
}

func TestASessionEndsWhenIdleAndAfterAWeek(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	b := g.browser()
	b.signIn("thandi@example.com")
	for range 13 { // every eleven hours, for six days
		g.wait(11 * time.Hour)
		b.do("GET", "/account", nil).want(t, http.StatusOK)
	}
	g.wait(11 * time.Hour)
	b.do("GET", "/account", nil).want(t, http.StatusOK)
	g.wait(11 * time.Hour)
	b.do("GET", "/account", nil).want(t, http.StatusOK) // 165 hours
	g.wait(3*time.Hour - time.Second)
	b.do("GET", "/account", nil).want(t, http.StatusOK)
	g.wait(time.Second)
	b.do("GET", "/account", nil).want(t, http.StatusSeeOther)

	b.signIn("thandi@example.com")
	g.wait(12*time.Hour - time.Second)
	b.do("GET", "/account", nil).want(t, http.StatusOK)
	g.wait(12 * time.Hour)
	b.do("GET", "/account", nil).want(t, http.StatusSeeOther)
}

func TestMovingTheSandboxClockSignsNobodyOut(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	b := g.browser()
	b.signIn("thandi@example.com")
	if err := g.store.Clock.MoveTo(t.Context(), g.store.Now().AddDate(0, 3, 0)); err != nil {
		t.Fatal(err)
	}
	b.do("GET", "/account", nil).want(t, http.StatusOK)
}

func TestASessionIsEndedFromAnotherBrowserAndByDisabling(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	here, there := g.browser(), g.browser()
	here.signIn("thandi@example.com")
	there.signIn("thandi@example.com")
	page := here.do("GET", "/account", nil)
	ends := regexp.MustCompile(`/account/sessions/[0-9a-f]+/end`).FindAllString(page.body, -1)
	if len(ends) != 1 || !strings.Contains(page.body, "this browser") {
		t.Fatalf("ends offered: %v", ends)
	}
	sipho := g.person("sipho@example.com", actor.Staff)
	stranger := g.browser()
	stranger.signIn("sipho@example.com")
	stranger.do("POST", ends[0], url.Values{}).want(t, http.StatusNotFound)
	there.do("GET", "/account", nil).want(t, http.StatusOK)
	here.do("POST", ends[0], url.Values{}).want(t, http.StatusSeeOther)
	there.do("GET", "/account", nil).want(t, http.StatusSeeOther)
	if shown := here.do("GET", "/account", nil); !strings.Contains(shown.body, "That browser is signed out.") {
		t.Fatal("no message after the deed")
	}
	if shown := here.do("GET", "/account", nil); strings.Contains(shown.body, "That browser is signed out.") {
		t.Fatal("the message came twice")
	}
	if err := g.members.Disable(t.Context(), actor.OperatorOf(g.merchant), sipho.ID); err != nil {
		t.Fatal(err)
	}
	stranger.do("GET", "/account", nil).want(t, http.StatusSeeOther)
}

func TestASessionThatOutlivedTheDisablingOpensNothing(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	b := g.browser()
	b.signIn("thandi@example.com")
	if _, err := g.store.Pool.Exec(t.Context(), `UPDATE users SET disabled_at = now()`); err != nil {
		t.Fatal(err)
	}
	b.do("GET", "/account", nil).want(t, http.StatusSeeOther)
}

func TestSigningOutEndsTheSession(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	b := g.browser()
	cookie := b.signIn("thandi@example.com").session(t)
	out := b.do("POST", "/logout", url.Values{})
	out.want(t, http.StatusSeeOther)
	if gone := out.session(t); gone.MaxAge >= 0 {
		t.Fatalf("the cookie stays: %s", gone)
	}
	g.browser().do("GET", "/account", nil, "Cookie", "debitdesk="+cookie.Value).want(t, http.StatusSeeOther)
	b.do("POST", "/logout", url.Values{}).want(t, http.StatusSeeOther)
}

func TestAnotherSiteCannotUseTheCookie(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	b := g.browser()
	b.signIn("thandi@example.com")
	for _, path := range []string{"/login", "/logout", "/account/theme", "/developers/credentials",
		"/developers/credentials/" + uuid.NewString() + "/revocation", "/api/v1/probe"} {
		b.do("POST", path, url.Values{"theme": {"dark"}}, "Sec-Fetch-Site", "cross-site").want(t, http.StatusForbidden)
		b.do("POST", path, url.Values{"theme": {"dark"}}, "Sec-Fetch-Site", "same-site").want(t, http.StatusForbidden)
		b.do("POST", path, url.Values{"theme": {"dark"}}, "Origin", "https://evil.example").want(t, http.StatusForbidden)
	}
	b.do("POST", "/account/theme", url.Values{"theme": {"dark"}}, "Sec-Fetch-Site", "same-origin").want(t,
		http.StatusSeeOther)
	b.do("POST", "/api/v1/probe", url.Values{}, "Sec-Fetch-Site", "same-origin").want(t, http.StatusNoContent)
}

func TestGuessingIsSlowedDown(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	b := g.browser()
	wrong := url.Values{"email": {"thandi@example.com"}, "password": {"<wrong> password"}}
	for range 5 {
		a := b.do("POST", "/login", wrong)
		a.want(t, http.StatusUnprocessableEntity)
		if strings.Contains(a.body, "wrong&gt; password") || !strings.Contains(a.body, "thandi@example.com") ||
			len(a.Cookies()) != 0 {
			t.Fatalf("the page after a failure:\n%s", a.body)
		}
	}
	right := url.Values{"email": {"thandi@example.com"}, "password": {password}}
	locked := b.do("POST", "/login", right)
	locked.want(t, http.StatusTooManyRequests)
	if locked.Header.Get("Retry-After") != "60" {
		t.Fatalf("Retry-After %q", locked.Header.Get("Retry-After"))
	}
	g.wait(time.Minute)
	b.do("POST", "/login", right).want(t, http.StatusSeeOther)
}

func TestTheAPIRefusesInTheContractsWords(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	program := g.browser()
	call := func(auth string) answer { return program.do("POST", "/api/v1/probe", nil, "Authorization", auth) }
	program.do("POST", "/api/v1/probe", nil).refusal(t, 401, "Authorization header missing", "authentication_failed")
	call("Bearer x").refusal(t, 401, "Incorrect bearer credential", "authentication_failed")
	call("Basic dTpw").refusal(t, 401, "", "authentication_failed")
	call("Bearer").refusal(t, 401, "Incorrect bearer credential", "authentication_failed")

	admin := actor.OperatorOf(g.merchant)
	out, err := g.credentials.Issue(t.Context(), admin, credential.Input{Name: "all", Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	call("bearer "+out.Token).want(t, http.StatusNoContent)
	public, _ := g.keys.Signing[0].Private.Public().(ed25519.PublicKey)
	for _, forgery := range []struct {
		method jwt.SigningMethod
		key    any
	}{{jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType}, {jwt.SigningMethodHS256, []byte(public)}} {
		forged := jwt.NewWithClaims(forgery.method, jwt.MapClaims{"iss": "debitdesk", "sub": g.merchant.String(),
			"jti": out.ID.String(), "exp": g.store.Now().Add(time.Hour).Unix()})
		forged.Header["kid"] = g.keys.Signing[0].ID
		token, err := forged.SignedString(forgery.key)
		if err != nil {
			t.Fatal(err)
		}
		call("Bearer "+token).refusal(t, 401, "Incorrect bearer credential", "authentication_failed")
	}
	narrow, err := g.credentials.Issue(t.Context(), admin,
		credential.Input{Name: "reader", Scopes: []actor.Scope{actor.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	call("Bearer "+narrow.Token).refusal(t, 403, "", "permission_denied")
	if _, err := g.credentials.Revoke(t.Context(), admin, out.ID); err != nil {
		t.Fatal(err)
	}
	call("Bearer "+out.Token).refusal(t, 401, "This bearer credential was revoked", "authentication_failed")
	if err := g.store.Clock.MoveTo(t.Context(), narrow.ExpiresAt); err != nil { // the sandbox clock ends no credential
		t.Fatal(err)
	}
	call("Bearer "+narrow.Token).refusal(t, 403, "", "permission_denied")
	g.credentials.Now = func() time.Time { return narrow.ExpiresAt }
	call("Bearer "+narrow.Token).refusal(t, 401, "This bearer credential has expired", "authentication_failed")
}
