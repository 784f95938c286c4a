package tests

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/handlertest/testissuer"
	"debitdesk/models/actor"
	"debitdesk/models/issuer"
	"debitdesk/models/issuer/openid"
	"debitdesk/models/member"
	"debitdesk/models/user"
)

const otters = "seven quiet otters"

// newOwnIssuer is a server whose merchant A accepts an issuer of its own.
func newOwnIssuer(t *testing.T, terms map[string]string) *gate {
	t.Helper()
	g := &gate{t: t, op: testissuer.New(t)}
	g.Server = handlertest.New(t)
	g.op.Now = g.Real
	g.op.Claims = map[string]any{"email": g.A.Owner.Email, "email_verified": true}
	g.Page(g.A.Owner, "POST", "/settings/issuers", g.form(terms)).Want(303)
	g.scan(&g.id, `SELECT id FROM issuers`)
	return g
}

// form is what an admin sends, with other values in the place of the usual ones.
func (g *gate) form(terms map[string]string) url.Values {
	form := url.Values{"name": {"House Login"}, "issuer": {g.op.URL}, "client_id": {g.op.ClientID},
		"client_secret": {g.op.Secret}, "enabled": {"yes"}, "domains": {"a.example"}, "session_hours": {"2"}}
	for name, value := range terms {
		form[name] = strings.Split(value, "|")
	}
	return form
}

func (g *gate) scan(into any, sql string, args ...any) {
	g.t.Helper()
	if err := g.Store.Pool.QueryRow(g.t.Context(), sql, args...).Scan(into); err != nil {
		g.t.Fatal(err)
	}
}

// change sends the form of the issuer again.
func (g *gate) change(terms map[string]string) handlertest.Answer {
	g.t.Helper()
	form := g.form(terms)
	var version string
	g.scan(&version, `SELECT version::text FROM issuers WHERE id = $1`, g.id)
	form.Set("version", version)
	form.Set("client_secret", "")
	return g.Page(g.A.Owner, "POST", "/settings/issuers/"+g.id.String(), form)
}

// withPassword adds somebody of A who has one.
func (g *gate) withPassword(email string, role actor.Role) user.User {
	g.t.Helper()
	u, err := g.People.Create(g.t.Context(), g.A.Actor,
		user.Input{Email: email, Name: "Pat", Password: otters, Role: role})
	if err != nil {
		g.t.Fatal(err)
	}
	return u
}

func (g *gate) password(email string) handlertest.Answer {
	g.t.Helper()
	return g.Call("POST", "/login", url.Values{"email": {email}, "password": {otters}}, "Accept: text/html")
}

func TestTheFormOfAProviderSaysEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	g := newOwnIssuer(t, nil)
	g.Page(g.A.Owner, "POST", "/settings/issuers", url.Values{"issuer": {"ftp://x"}, "forced": {"yes"},
		"provisions": {"yes"}, "groups": {"clerks"}, "group_roles": {"king"}, "session_hours": {"many"}}).Want(422).Contains(
		"Enter the name that its button shows.", "begins with https://", "Enter the client id",
		"Name the domains whose people",
		"Choose a role for the group", "Enter the name of the claim", "‘many’ is not a number of hours",
		"Choose the role of the people whom the provider adds.")
	g.Page(g.A.Owner, "POST", "/settings/issuers", g.form(map[string]string{"issuer": g.op.URL + "/nowhere"})).Want(422).
		Contains("No provider answers at this address")
	g.Page(g.A.Owner, "POST", "/settings/issuers", g.form(map[string]string{"domains": "a.example|b"})).Want(303)
	g.Page(g.A.Owner, "POST", "/settings/issuers", g.form(map[string]string{"domains": "no domain"})).Want(422).Contains(
		"‘no’ is not a domain.")
	var sealed []byte
	g.scan(&sealed, `SELECT client_secret FROM issuers WHERE id = $1`, g.id)
	if strings.Contains(string(sealed), g.op.Secret) || len(sealed) == 0 {
		t.Error("the secret lies open")
	}
	at := "/settings/issuers/" + g.id.String()
	g.Page(g.A.Owner, "GET", at, nil).Want(200).Contains("/oidc/callback/"+g.id.String(), "a.example").Lacks(g.op.Secret)
	g.Page(g.B.Owner, "GET", at, nil).Want(404)
	g.Page(g.B.Owner, "POST", at, url.Values{}).Want(404)
	g.Page(g.B.Owner, "POST", at+"/removal", url.Values{}).Want(404)
	g.Page(g.A.Finance, "GET", at, nil).Want(403)
	form := g.form(map[string]string{"version": "7"})
	g.Page(g.A.Owner, "POST", at, form).Want(409).Contains("Another admin changed this")
	g.change(map[string]string{"name": "New name"}).Want(303)
	b := browser{}
	g.signIn(b, g.id).Want(303) // with the secret that was kept
	g.Page(g.A.Owner, "POST", at+"/removal", url.Values{}).Want(303)
	g.Page(b.person(), "GET", "/clients", nil).Want(303) // its sessions ended
	g.get(browser{}, "/oidc/start/"+g.id.String()).Want(404)
	if n := g.audited("issuer.created") + g.audited("issuer.changed") + g.audited("issuer.removed"); n != 4 {
		t.Errorf("%d changes are in the audit", n)
	}
}

func TestAProviderAddsPeopleAndTheirGroupsDecideTheRole(t *testing.T) {
	t.Parallel()
	g := newOwnIssuer(t, nil)
	groups := map[string]string{"provisions": "yes", "groups_claim": "realm.roles", "groups": "desk-admins|desk-clerks",
		"group_roles": "admin|staff"}
	come := func(sub, email string, verified any, in ...string) handlertest.Answer {
		g.op.Claims = map[string]any{"sub": sub, "email": email, "email_verified": verified, "name": "New  Person",
			"realm": map[string]any{"roles": in}}
		return g.signIn(browser{}, g.id)
	}
	come("n1", "new@a.example", true, "desk-clerks").Want(403) // it adds nobody
	g.change(groups).Want(303)
	come("n1", "new@a.example", false, "desk-clerks").Want(403)
	come("n1", "new@a.example", nil, "desk-clerks").Want(403)
	come("n1", "new@elsewhere.example", true, "desk-clerks").Want(403)
	come("n1", "new@a.example", true, "cooks").Want(403).Contains("None of your groups")
	come("n1", g.B.Owner.Email, true, "desk-clerks").Want(403) // works elsewhere
	if n := g.Count(`SELECT count(*) FROM users WHERE email LIKE 'new@%'`); n != 0 {
		t.Fatalf("%d people were added", n)
	}
	come("n1", "new@a.example", true, "cooks", "desk-clerks").Want(303)
	role := func() (role string) {
		g.scan(&role, `SELECT mb.role FROM memberships mb JOIN users u ON u.id = mb.user_id WHERE u.email = 'new@a.example'`)
		return role
	}
	if role() != "staff" || g.audited("user.provisioned") != 1 {
		t.Errorf("added as %s", role())
	}
	come("n1", "new@a.example", true, "desk-clerks", "desk-admins").Want(303)
	if role() != "admin" || g.Count(`SELECT count(*) FROM audit_entries WHERE action = 'membership.role_by_group'
		AND before->>'role' = 'staff' AND after->>'role' = 'admin' AND actor_name = 'House Login'`) != 1 {
		t.Errorf("the role is %s, or the audit does not say from which to which", role())
	}
	come("n1", "new@a.example", true, "cooks").Want(403) // no group any more
	// The last admin stays one, whatever the groups say.
	if err := g.Members.Disable(t.Context(), g.A.Actor, func() (id uuid.UUID) {
		g.scan(&id, `SELECT id FROM users WHERE email = 'new@a.example'`)
		return id
	}()); err != nil {
		t.Fatal(err)
	}
	come("n1", "new@a.example", true, "desk-admins").Want(403).Contains("switched off")
	come("owner", g.A.Owner.Email, true, "desk-clerks").Want(303)
	if g.Count(`SELECT count(*) FROM memberships WHERE user_id = $1 AND role = 'admin'`, g.A.Owner.ID) != 1 {
		t.Error("the business has no admin any more")
	}
}

func TestWhereAProviderIsRequiredAPasswordOpensNothing(t *testing.T) {
	t.Parallel()
	g := newOwnIssuer(t, nil)
	keeper, clerk := g.withPassword("keeper@a.example", actor.Admin), g.withPassword("clerk@a.example", actor.Staff)
	outside := g.withPassword("clerk@other.example", actor.Staff)
	signedIn := handlertest.Person{Cookie: cookie(g.password(clerk.Email).Want(303))}
	g.change(map[string]string{"forced": "yes"}).Want(422).Contains("First choose an admin")
	g.Page(g.A.Owner, "POST", "/settings/issuers/exceptions", url.Values{"keep": {clerk.ID.String()}}).Want(422)
	g.Page(g.A.Owner, "POST", "/settings/issuers/exceptions",
		url.Values{"keep": {keeper.ID.String(), g.A.Owner.ID.String()}}).Want(303)
	g.change(map[string]string{"forced": "yes"}).Want(303)
	g.Page(signedIn, "GET", "/clients", nil).Want(303) // the session with the password ended
	g.password(clerk.Email).Want(422).Contains("asks you to sign in with House Login")
	g.password(keeper.Email).Want(303)
	g.password(outside.Email).Want(303)
	g.Page(g.A.Owner, "POST", "/settings/issuers/exceptions", url.Values{}).Want(422).Contains("one admin must be able")
	// Where the person works elsewhere, the password opens that, and not this.
	if _, err := g.Members.Enrol(t.Context(), actor.OperatorOf(g.B.ID), clerk.Email,
		member.Terms{Role: actor.Staff}); err != nil {
		t.Fatal(err)
	}
	there := handlertest.Person{Cookie: cookie(g.password(clerk.Email).Want(303))}
	g.Page(there, "GET", "/account", nil).Want(200).Contains("Merchant b")
	g.Page(there, "POST", "/account/business", url.Values{"merchant_id": {g.A.ID.String()}}).Want(403)
	g.change(map[string]string{"forced": "yes", "enabled": "no"}).Want(303)
	g.Page(there, "POST", "/account/business", url.Values{"merchant_id": {g.A.ID.String()}}).Want(303)
}

func cookie(a handlertest.Answer) string {
	b := browser{}
	b.take(a)
	return b.person().Cookie
}

// Who runs the issuer of one business says who people are there, and nowhere else.
func TestTheProviderOfOneBusinessOpensNoOther(t *testing.T) {
	t.Parallel()
	g := newOwnIssuer(t, map[string]string{"domains": "a.example|b.example"})
	both := g.withPassword("both@a.example", actor.Staff)
	if _, err := g.Members.Enrol(t.Context(), actor.OperatorOf(g.B.ID), both.Email,
		member.Terms{Role: actor.Admin}); err != nil {
		t.Fatal(err)
	}
	g.op.Claims = map[string]any{"sub": "b", "email": g.B.Owner.Email, "email_verified": true}
	g.signIn(browser{}, g.id).Want(403) // a stranger to A
	g.op.Claims = map[string]any{"email": both.Email, "email_verified": true}
	b := browser{}
	g.signIn(b, g.id).Want(303)
	g.Page(b.person(), "GET", "/account", nil).Want(200).Contains("Merchant a").Lacks("Merchant b")
	for _, at := range []string{"/account/password", "/account/business", "/account/sessions/others/end",
		"/account/security/app", "/account/security/recovery-codes"} {
		g.Page(b.person(), "POST", at, url.Values{"merchant_id": {g.B.ID.String()}}).Want(403).Contains(
			"vouches for you in this business alone")
	}
	if _, err := g.Members.Invite(t.Context(), g.B.Actor, member.Input{Email: "x@b.example",
		Terms: member.Terms{Role: actor.Staff}}); err != nil {
		t.Fatal(err)
	}
}

func TestASessionEndsWhenTheIssuerOrItsSettingsSay(t *testing.T) {
	t.Parallel()
	g := newOwnIssuer(t, nil)
	lives := func(b browser) bool { return g.Page(b.person(), "GET", "/clients", nil).Status == 200 }
	in := func(sid string) browser {
		b := browser{}
		g.op.Claims = map[string]any{"email": g.A.Owner.Email, "email_verified": true, "sid": sid}
		g.signIn(b, g.id).Want(303)
		return b
	}
	at := "/oidc/logout/" + g.id.String()
	told := func(token string) handlertest.Answer { return g.Call("POST", at, url.Values{"logout_token": {token}}) }
	first, second := in("s1"), in("s2")
	for what, claims := range map[string]map[string]any{
		"another client":  {"aud": "other"},
		"another issuer":  {"iss": "https://evil.example"},
		"with a nonce":    {"nonce": "n"},
		"no event":        {"events": map[string]any{}},
		"no number":       {"jti": nil},
		"about nobody":    {"sub": nil, "sid": nil},
		"no moment":       {"iat": nil},
		"from the future": {"iat": g.Real().Add(5 * time.Minute).Unix()},
		"over":            {"exp": g.Real().Add(-2 * time.Minute).Unix()},
	} {
		if got := told(g.op.LogoutToken(claims)); got.Status != 400 {
			t.Errorf("%s: %d", what, got.Status)
		}
	}
	told("").Want(400)
	told("x.y.z").Want(400)
	if !lives(first) || !lives(second) {
		t.Fatal("a message that does not hold ended a session")
	}
	token := g.op.LogoutToken(nil)
	told(token).Want(200)
	if lives(first) || !lives(second) {
		t.Error("it ended other sessions than its own")
	}
	told(token).Want(400) // once
	told(g.op.LogoutToken(map[string]any{"sid": nil})).Want(200)
	if lives(second) || g.audited("user.signed_out_by_issuer") != 2 {
		t.Error("all sessions of the subject end, and the audit says so")
	}
	third := in("s3")
	left := g.Page(third.person(), "POST", "/logout", url.Values{}).Want(200).Contains("Sign out at House Login")
	if to := left.Header.Get("Refresh"); !strings.Contains(to, g.op.URL+"/end?client_id=desk") {
		t.Errorf("it leads to %q", to)
	}
	fourth := in("s4")
	g.Wait(90 * time.Minute)
	if !lives(fourth) {
		t.Error("the session ended early")
	}
	g.Wait(31 * time.Minute)
	if lives(fourth) {
		t.Error("the session goes on beyond what the settings say")
	}
}

func TestWhatDirectsMoneyAsksTheIssuerAgain(t *testing.T) {
	t.Parallel()
	g := newOwnIssuer(t, nil)
	g.op.Claims["amr"] = []string{"pwd", "mfa"}
	b := browser{}
	g.signIn(b, g.id).Want(303)
	hook := url.Values{"title": {"Till"}, "callback": {"http://127.0.0.1:9/x"}, "which": {"all"}}
	g.Page(b.person(), "POST", "/developers/webhooks", hook).Want(303)
	if g.Count(`SELECT count(*) FROM webhooks`) != 1 {
		t.Fatal("who signed in just now with two steps is asked again")
	}
	g.Wait(6 * time.Minute)
	to := g.Page(b.person(), "POST", "/developers/webhooks", hook).Want(303).Header.Get("Location")
	if !strings.HasPrefix(to, "/account/proof") {
		t.Fatalf("it leads to %q", to)
	}
	at, _ := url.Parse(to)
	g.get(b, to).Want(200).Contains("Sign in again with House Login")
	prove := func(claims map[string]any) handlertest.Answer {
		g.op.Claims = claims
		begun := g.get(b, "/account/proof/issuer?next=/developers/webhooks&kept="+at.Query().Get("kept")).Want(302)
		asked := begun.Header.Get("Location")
		if !strings.Contains(asked, "prompt=login") || !strings.Contains(asked, "max_age=0") {
			t.Errorf("it is asked at %s", asked)
		}
		return g.get(b, g.op.Visit(asked).RequestURI())
	}
	prove(map[string]any{"sub": "bob"}).Want(403).Contains("as another person")
	prove(map[string]any{"auth_time": g.Real().Add(-time.Hour).Unix()}).Want(400).
		Contains("did not ask you to sign in again")
	prove(map[string]any{"auth_time": nil}).Want(400)
	if g.Count(`SELECT count(*) FROM webhooks`) != 1 {
		t.Error("it went on without a proof")
	}
	prove(map[string]any{"amr": []string{"pwd", "mfa"}}).Want(200).Contains("Continue", `value="Till"`)
	g.Page(b.person(), "POST", "/developers/webhooks", hook).Want(303)
	if g.Count(`SELECT count(*) FROM webhooks`) != 2 {
		t.Error("the proof does not count")
	}
}

func TestTwoStepsCountWhenTheIssuerSaysSoOrTheBusinessDoes(t *testing.T) {
	t.Parallel()
	g := newOwnIssuer(t, nil)
	if _, err := g.Store.Pool.Exec(t.Context(), `UPDATE merchants SET require_second_factor = true WHERE id = $1`,
		g.A.ID); err != nil {
		t.Fatal(err)
	}
	opens := func(claims map[string]any) bool {
		g.op.Claims = map[string]any{"email": g.A.Staff.Email, "email_verified": true}
		for name, value := range claims {
			g.op.Claims[name] = value
		}
		b := browser{}
		g.signIn(b, g.id).Want(303)
		return g.Page(b.person(), "GET", "/clients", nil).Status == 200
	}
	for what, c := range map[string]struct {
		claims map[string]any
		want   bool
	}{
		"nothing":          {nil, false},
		"a password":       {map[string]any{"amr": []string{"pwd"}}, false},
		"mfa":              {map[string]any{"amr": []string{"pwd", "mfa"}}, true},
		"a class":          {map[string]any{"acr": "phr"}, true},
		"a class of one":   {map[string]any{"acr": "1"}, false},
		"a method as text": {map[string]any{"amr": "mfa"}, true},
	} {
		if got := opens(c.claims); got != c.want {
			t.Errorf("%s: it opens: %v", what, got)
		}
	}
	if _, err := g.Store.Pool.Exec(t.Context(), `UPDATE issuers SET trusts_mfa = true`); err != nil {
		t.Fatal(err)
	}
	if !opens(nil) {
		t.Error("the word of the business does not count")
	}
}

func TestAnIssuerThatABusinessChoseIsNotCalledOnAPrivateNetwork(t *testing.T) {
	t.Parallel()
	op := testissuer.New(t)
	of := issuer.Issuer{MerchantID: uuid.New(), Address: op.URL, ClientID: op.ClientID}
	if err := openid.New(false, time.Now).Check(t.Context(), issuer.Party{Issuer: of}); err == nil {
		t.Error("live mode calls this machine for a business")
	}
	if err := openid.New(true, time.Now).Check(t.Context(), issuer.Party{Issuer: of}); err != nil {
		t.Error(err)
	}
	of.MerchantID = uuid.Nil
	if err := openid.New(false, time.Now).Check(t.Context(), issuer.Party{Issuer: of}); err != nil {
		t.Errorf("the operator's own: %v", err)
	}
}
