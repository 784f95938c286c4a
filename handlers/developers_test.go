package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/credential"
)

var (
	jwtForm    = regexp.MustCompile(`eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`)
	revokeForm = regexp.MustCompile(`/developers/credentials/([0-9a-f-]{36})/revocation`)
)

func TestAnAdminCreatesACredentialUsesItAndRevokesIt(t *testing.T) {
	t.Parallel()
	b := openGate(t, "http://desk.example").browser()
	b.signIn("thandi@example.com")
	created := b.do("POST", "/developers/credentials", url.Values{"name": {"Nightly <run>"}, "kind": {"token"},
		"lifetime": {"30d"}, "scopes": {"read", "write"}})
	created.want(t, http.StatusCreated)
	token := jwtForm.FindString(created.body)
	call := func() answer { return b.do("POST", "/api/v1/probe", nil, "Authorization", "Bearer "+token) }
	call().want(t, http.StatusNoContent)
	list := b.do("GET", "/developers", nil)
	if strings.Contains(list.body, token) || !strings.Contains(list.body, "Nightly &lt;run&gt;") ||
		!strings.Contains(list.body, "read, write") {
		t.Fatalf("the list:\n%s", list.body)
	}
	question := revokeForm.FindStringSubmatch(list.body)
	if question == nil {
		t.Fatal("nothing to revoke")
	}
	b.do("GET", question[0], nil).want(t, http.StatusOK)
	b.do("POST", question[0], url.Values{"confirm": {"none"}}).want(t, http.StatusUnprocessableEntity)
	call().want(t, http.StatusNoContent)
	b.do("POST", question[0], url.Values{"confirm": {question[1][32:]}}).want(t, http.StatusSeeOther)
	call().want(t, http.StatusUnauthorized)
	if list := b.do("GET", "/developers", nil); !strings.Contains(list.body, "Revoked") ||
		revokeForm.MatchString(list.body) {
		t.Fatalf("after the revocation:\n%s", list.body)
	}
}

func TestEveryProblemOfTheCredentialFormStandsBesideItsInput(t *testing.T) {
	t.Parallel()
	b := openGate(t, "http://desk.example").browser()
	b.signIn("thandi@example.com")
	a := b.do("POST", "/developers/credentials", url.Values{"name": {" "}, "kind": {"token"}, "lifetime": {"forever"}})
	a.want(t, http.StatusUnprocessableEntity)
	for _, id := range []string{`id="name-error"`, `id="scopes-error"`, `id="lifetime-error"`, `href="#name"`,
		`href="#scopes"`, `href="#lifetime"`} {
		if !strings.Contains(a.body, id) {
			t.Errorf("no %s in the form", id)
		}
	}
	if strings.Contains(a.body, "style=\"") {
		t.Error("an inline style, which the content policy forbids")
	}
}

func TestCredentialsAreForAdminsOfTheMerchant(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	g.person("finance@example.com", actor.Finance)
	out, err := g.credentials.Issue(t.Context(), actor.OperatorOf(g.merchant), credential.Input{Name: "ours"})
	if err != nil {
		t.Fatal(err)
	}
	clerk := g.browser()
	clerk.signIn("finance@example.com")
	one := "/developers/credentials/" + out.ID.String() + "/revocation"
	for _, path := range []string{"/developers", "/developers/credentials/new", one} {
		clerk.do("GET", path, nil).want(t, http.StatusForbidden)
	}
	clerk.do("POST", "/developers/credentials", url.Values{"name": {"mine"}, "kind": {"client"}, "scopes": {"read"}}).want(
		t, http.StatusForbidden)
	clerk.do("POST", one, url.Values{"confirm": {out.ID.String()[32:]}}).want(t, http.StatusForbidden)

	them := uuid.New()
	if _, err := g.store.Pool.Exec(
		t.Context(),
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
			VALUES ($1, 'theirs', 'Theirs', true, now(), now())`,
		them,
	); err != nil {
		t.Fatal(err)
	}
	ours := g.merchant
	g.merchant = them
	g.person("stranger@example.com", actor.Admin)
	g.merchant = ours
	stranger := g.browser()
	stranger.signIn("stranger@example.com")
	for _, path := range []string{one, "/developers/credentials/nonsense/revocation", "/developers/credentials/" +
		uuid.NewString() + "/revocation"} {
		stranger.do("GET", path, nil).want(t, http.StatusNotFound)
		stranger.do("POST", path, url.Values{"confirm": {out.ID.String()[32:]}}).want(t, http.StatusNotFound)
	}
	if list := stranger.do("GET", "/developers", nil); strings.Contains(list.body, out.ID.String()) {
		t.Fatal("a stranger sees our credential")
	}
}

func TestATokenForAClientIdAndSecret(t *testing.T) {
	t.Parallel()
	g := openGate(t, "http://desk.example")
	client, err := g.credentials.IssueClient(t.Context(), actor.OperatorOf(g.merchant),
		credential.Input{Name: "ERP", Scopes: []actor.Scope{actor.ScopeRead, actor.ScopeWrite}})
	if err != nil {
		t.Fatal(err)
	}
	b := g.browser()
	ask := func(form url.Values, headers ...string) answer { return b.do("POST", "/oauth/token", form, headers...) }
	good := url.Values{"grant_type": {"client_credentials"}, "client_id": {client.ClientID},
		"client_secret": {client.Secret}}
	with := func(name, value string) url.Values {
		form := url.Values{}
		for k, v := range good {
			form[k] = v
		}
		if form.Set(name, value); value == "" {
			form.Del(name)
		}
		return form
	}
	basic := func(id, secret string) string {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		r.SetBasicAuth(id, secret)
		return r.Header.Get("Authorization")
	}
	bare := url.Values{"grant_type": {"client_credentials"}}
	for name, a := range map[string]answer{"form": ask(good), "slash": b.do("POST", "/oauth/token/", good),
		"basic": ask(bare, "Authorization", basic(client.ClientID, client.Secret))} {
		a.want(t, http.StatusOK)
		var got struct {
			AccessToken string `json:"access_token"`
			TokenType   string `json:"token_type"`
			ExpiresIn   int    `json:"expires_in"`
			Scope       string
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.TokenType != "Bearer" || got.ExpiresIn != 86400 ||
			got.Scope != "read write" {
			t.Fatalf("%s: %s (%v)", name, a.body, err)
		}
		if a.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: may be kept: %q", name, a.Header.Get("Cache-Control"))
		}
		b.do("POST", "/api/v1/probe", nil, "Authorization", "Bearer "+got.AccessToken).want(t, http.StatusNoContent)
	}
	twice := with("scope", "read")
	twice["client_id"] = []string{client.ClientID, client.ClientID}
	for name, c := range map[string]struct {
		answer answer
		status int
		code   string
	}{
		"wrong secret":          {ask(with("client_secret", "x")), 401, "invalid_client"},
		"unknown client":        {ask(with("client_id", uuid.NewString())), 401, "invalid_client"},
		"no secret":             {ask(with("client_secret", "")), 401, "invalid_client"},
		"wrong basic":           {ask(bare, "Authorization", basic(client.ClientID, "x")), 401, "invalid_client"},
		"no grant type":         {ask(with("grant_type", "")), 400, "invalid_request"},
		"another grant type":    {ask(with("grant_type", "password")), 400, "unsupported_grant_type"},
		"a scope it lacks":      {ask(with("scope", "read billing")), 400, "invalid_scope"},
		"an unknown scope":      {ask(with("scope", "everything")), 400, "invalid_scope"},
		"secret given two ways": {ask(good, "Authorization", basic(client.ClientID, client.Secret)), 400, "invalid_request"},
		"a parameter twice":     {ask(twice), 400, "invalid_request"},
		"no form":               {ask(good, "Content-Type", "application/json"), 400, "invalid_request"},
		"too large":             {ask(with("client_secret", strings.Repeat("x", 1<<16))), 413, "invalid_request"},
		"another method":        {b.do("GET", "/oauth/token", nil), 405, "invalid_request"},
		"a method and a slash":  {b.do("PUT", "/oauth/token/", good), 405, "invalid_request"},
		"in the address alone":  {b.do("POST", "/oauth/token?"+good.Encode(), url.Values{}), 400, "invalid_request"},
	} {
		var got struct{ Error string }
		if err := json.Unmarshal([]byte(c.answer.body), &got); err != nil || c.answer.StatusCode != c.status ||
			got.Error != c.code {
			t.Errorf("%s: %d %s; want %d %s", name, c.answer.StatusCode, c.answer.body, c.status, c.code)
		}
		if basicUsed := name == "wrong basic"; basicUsed != (c.answer.Header.Get("WWW-Authenticate") != "") {
			t.Errorf("%s: WWW-Authenticate %q", name, c.answer.Header.Get("WWW-Authenticate"))
		}
	}
}

var rotateForm = regexp.MustCompile(`/developers/credentials/([0-9a-f-]{36})/rotation`)

func TestAnAdminRotatesACredentialAndSeesBoth(t *testing.T) {
	t.Parallel()
	b := openGate(t, "http://desk.example").browser()
	b.signIn("thandi@example.com")
	created := b.do("POST", "/developers/credentials",
		url.Values{"name": {"Nightly"}, "kind": {"token"}, "lifetime": {"30d"}, "scopes": {"read", "write"}})
	old := jwtForm.FindString(created.body)
	call := func(token string) int {
		return b.do("POST", "/api/v1/probe", nil, "Authorization", "Bearer "+token).StatusCode
	}
	form := rotateForm.FindStringSubmatch(b.do("GET", "/developers", nil).body)
	if form == nil {
		t.Fatal("nothing to rotate")
	}
	b.do("GET", form[0], nil).want(t, http.StatusOK)
	for _, wrong := range []string{"", "2h", "-1", "8d"} {
		b.do("POST", form[0], url.Values{"overlap": {wrong}}).want(t, http.StatusUnprocessableEntity)
	}
	rotated := b.do("POST", form[0], url.Values{"overlap": {"24h"}})
	rotated.want(t, http.StatusCreated)
	next := jwtForm.FindString(rotated.body)
	if next == "" || next == old || strings.Contains(rotated.body, old) || call(old) != http.StatusNoContent ||
		call(next) != http.StatusNoContent {
		t.Fatalf("old %d, new %d", call(old), call(next))
	}
	list := b.do("GET", "/developers", nil)
	for _, word := range []string{"Ending", "Replaces " + form[1][32:], "Replaced by ", `href="#` + form[1] + `"`,
		`id="` + form[1] + `"`} {
		if !strings.Contains(list.body, word) {
			t.Errorf("the list lacks %q", word)
		}
	}
	if strings.Contains(list.body, form[0]) || strings.Contains(list.body, next) {
		t.Error("the old one could be rotated again, or a secret is shown twice")
	}
	b.do("POST", form[0], url.Values{"overlap": {"0"}}).want(t, http.StatusConflict)
	again := rotateForm.FindStringSubmatch(list.body)
	b.do("POST", again[0], url.Values{"overlap": {"0"}}).want(t, http.StatusCreated)
	if call(next) != http.StatusUnauthorized || call(old) != http.StatusNoContent {
		t.Errorf("without overlap: %d, and the one before: %d", call(next), call(old))
	}
}
