package tests

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/cmd/app"
	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/handlertest/testissuer"
	"debitdesk/models/issuer"
)

// gate is a server whose installation accepts an issuer. The owner of A is known there as anna, once linked.
type gate struct {
	*handlertest.Server
	t  *testing.T
	op *testissuer.Issuer
	id uuid.UUID // of the issuer
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{t: t, op: testissuer.New(t)}
	g.Server = handlertest.NewWith(t, func(o *app.Options) {
		o.Issuer = app.InstallationIssuer{Address: g.op.URL, ClientID: g.op.ClientID, Name: "Kloof Login",
			Secret: issuer.Secret(g.op.Secret)}
	})
	g.op.Now = g.Real
	g.op.Claims = map[string]any{"email": g.A.Owner.Email, "email_verified": true}
	g.id = g.Deps.Issuers.Service.Installation.ID
	return g
}

// browser is the cookies that a browser was given.
type browser map[string]string

func (b browser) take(a handlertest.Answer) {
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if b[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b, c.Name)
		}
	}
}

func (b browser) header() string {
	var all []string
	for name, value := range b {
		all = append(all, name+"="+value)
	}
	return "Cookie: " + strings.Join(all, "; ")
}

func (b browser) person() handlertest.Person {
	return handlertest.Person{Cookie: "__Host-debitdesk=" + b["__Host-debitdesk"]}
}

func (g *gate) get(b browser, at string) handlertest.Answer {
	g.t.Helper()
	got := g.Call("GET", at, nil, b.header(), "Accept: text/html")
	b.take(got)
	return got
}

// begin starts a sign-in and gives what the issuer sends the browser back with.
func (g *gate) begin(b browser, id uuid.UUID) string {
	g.t.Helper()
	got := g.get(b, "/oidc/start/"+id.String()+"?next=/clients").Want(http.StatusFound)
	return g.op.Visit(got.Header.Get("Location")).RequestURI()
}

// signIn goes all the way.
func (g *gate) signIn(b browser, id uuid.UUID) handlertest.Answer {
	g.t.Helper()
	return g.get(b, g.begin(b, id))
}

func (g *gate) audited(action string) int {
	return g.Count(`SELECT count(*) FROM audit_entries WHERE action = $1`, action)
}

func TestAPersonSignsInThroughTheIssuerAndIsKnownBySubjectFromThenOn(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	g.Call("GET", "/login", nil, "Accept: text/html").Want(200).Contains("Sign in with Kloof Login")
	b := browser{}
	if to := g.signIn(b, g.id).Want(303).Header.Get("Location"); to != "/clients" {
		t.Errorf("it leads to %q", to)
	}
	g.Page(b.person(), "GET", "/account", nil).Want(200).Contains(g.A.Owner.Email, "Single sign-on")
	if g.audited("user.issuer_linked") != 1 || g.audited("user.signed_in") != 1 {
		t.Error("the link and the sign-in are not in the audit once each")
	}
	if g.op.Asked.Get("code_challenge") == "" || g.op.Asked.Get("nonce") == "" {
		t.Error("the sign-in was asked without PKCE or a nonce")
	}
	// Whatever address the issuer names later, the subject counts.
	g.op.Claims = map[string]any{"email": g.B.Owner.Email, "email_verified": true}
	again := browser{}
	g.signIn(again, g.id).Want(303)
	g.Page(again.person(), "GET", "/account", nil).Want(200).Contains(g.A.Owner.Email)
	// And another subject with the address of a person who is linked is turned away.
	g.op.Claims = map[string]any{"sub": "mallory", "email": g.A.Owner.Email, "email_verified": true}
	g.signIn(browser{}, g.id).Want(403).Contains("under another account already", "Back to sign-in")
}

func TestWhatAnIssuerSaysCountsOnlyWhenEveryWordIsRight(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	other := testissuer.New(t)
	now := g.Real
	for _, wrong := range []struct {
		what   string
		claims map[string]any
		sign   func(map[string]any) string
	}{
		{"the token of another client", map[string]any{"aud": "other"}, nil},
		{"a token for us that another client asked for", map[string]any{"azp": "other"}, nil},
		{"two audiences without a party", map[string]any{"aud": []string{"desk", "other"}}, nil},
		{"another nonce", map[string]any{"nonce": "guessed"}, nil},
		{"no nonce", map[string]any{"nonce": nil}, nil},
		{"another issuer", map[string]any{"iss": other.URL}, nil},
		{"no subject", map[string]any{"sub": nil}, nil},
		{"expired for more than a minute", map[string]any{"exp": now().Add(-70 * time.Second).Unix()}, nil},
		{"issued more than a minute ahead", map[string]any{"iat": now().Add(70 * time.Second).Unix()}, nil},
		{"valid only later", map[string]any{"nbf": now().Add(70 * time.Second).Unix()}, nil},
		{"an access token of somebody else", map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, nil},
		{"not signed", nil, g.op.None},
		{"signed with the public key as a secret", nil, g.op.HS256},
		{"signed with a key that is not published", nil, g.op.Stranger},
		{"signed by another issuer", nil, other.RS256},
	} {
		g.op.Claims = map[string]any{"email": g.A.Owner.Email, "email_verified": true}
		for name, value := range wrong.claims {
			g.op.Claims[name] = value
		}
		g.op.Sign = wrong.sign
		b := browser{}
		if got := g.signIn(b, g.id); got.Status != 400 || !strings.Contains(got.Body, "was not accepted") ||
			b["__Host-debitdesk"] != "" {
			t.Errorf("%s: %d %s", wrong.what, got.Status, got.Body)
		}
	}
	g.op.Sign = nil
	for what, claims := range map[string]map[string]any{
		"half a minute behind": {"exp": now().Add(-30 * time.Second).Unix()},
		"half a minute ahead":  {"iat": now().Add(30 * time.Second).Unix(), "nbf": now().Add(30 * time.Second).Unix()},
	} {
		g.op.Claims = map[string]any{"email": g.A.Owner.Email, "email_verified": true}
		for name, value := range claims {
			g.op.Claims[name] = value
		}
		if got := g.signIn(browser{}, g.id); got.Status != 303 {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
}

func TestASignInIsFinishedOnceAndInTheBrowserThatBeganIt(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	victim, attacker := browser{}, browser{}
	stolen := g.begin(attacker, g.id)
	g.get(victim, stolen).Want(400).Contains("not begun in this browser", "Back to sign-in") // login CSRF
	// The victim's browser has a sign-in of its own under way: the foreign state fits it no better.
	own := g.begin(victim, g.id)
	g.get(victim, stolen).Want(400)
	foreign, _ := url.Parse(own)
	q := foreign.Query()
	code, _ := url.Parse(stolen)
	q.Set("code", code.Query().Get("code"))
	g.get(browser(map[string]string{}), foreign.Path+"?"+q.Encode()).Want(400)
	kept := browser{}
	for name, value := range victim {
		kept[name] = value
	}
	// A code of another sign-in does not fit the verifier of this one.
	g.get(victim, foreign.Path+"?"+q.Encode()).Want(400)
	g.get(kept, own).Want(400).Contains("was used before")

	b := browser{}
	mine := g.begin(b, g.id)
	before := browser{}
	for name, value := range b {
		before[name] = value
	}
	g.get(b, mine).Want(303)
	g.get(b, mine).Want(400)
	g.get(before, mine).Want(400).Contains("was used before") // with the cookie of before

	late := browser{}
	slow := g.begin(late, g.id)
	g.Wait(issuer.FlowLasts + time.Second)
	g.get(late, slow).Want(400).Contains("longer than ten minutes")
}

func TestTheAnswerOfOneIssuerDoesNotCountForAnother(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	b := browser{}
	back := g.begin(b, g.id)
	g.get(b, strings.Replace(back, g.id.String(), uuid.NewString(), 1)).Want(404)
	g.op.Says = "https://evil.example"
	g.signIn(browser{}, g.id).Want(400).Contains("came from another provider")
	g.op.Says = g.op.URL
	g.get(browser{}, "/oidc/start/"+uuid.NewString()).Want(404)
	g.get(browser{}, "/oidc/start/nonsense").Want(404)
	at := b
	said := "/oidc/callback/" + g.id.String() + "?error=access_denied&error_description=<b>&state="
	u, _ := url.Parse(g.begin(at, g.id))
	g.get(at, said+url.QueryEscape(u.Query().Get("state"))).Want(400).Contains("did not sign you in (access_denied)").
		Lacks("<b>")
}

func TestNobodyComesInByAnAddressThatIsNotVerifiedNorWhenSwitchedOff(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	for what, claims := range map[string]map[string]any{
		"not verified":     {"email": g.A.Owner.Email, "email_verified": false},
		"verified as text": {"email": g.A.Owner.Email, "email_verified": "false"},
		"unsaid":           {"email": g.A.Owner.Email},
		"no address":       {},
		"somebody unknown": {"email": "new@a.example", "email_verified": true},
		"an odd address":   {"email": "a\x00b@a.example", "email_verified": true},
		"a number":         {"email": g.A.Owner.Email, "email_verified": 1},
	} {
		g.op.Claims = claims
		if got := g.signIn(browser{}, g.id); got.Status != 403 || !strings.Contains(got.Body, "no account here is linked") {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	g.op.Claims = map[string]any{"email": g.A.Staff.Email, "email_verified": true}
	b := browser{}
	g.signIn(b, g.id).Want(303)
	if err := g.Members.Disable(t.Context(), g.A.Actor, g.A.Staff.ID); err != nil {
		t.Fatal(err)
	}
	g.Page(b.person(), "GET", "/clients", nil).Want(303) // the session ended
	g.signIn(browser{}, g.id).Want(403).Contains("switched off")
}
