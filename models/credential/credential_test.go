package credential_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/storetest"
)

type house struct {
	*credential.Service
	store          *database.DB
	ours, theirs   actor.Actor
	sinceNow       atomic.Int64 // how far real time was moved
	key, retired   credential.Key
	merchant, them uuid.UUID
}

func open(t *testing.T) *house {
	t.Helper()
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	h := &house{store: db, merchant: uuid.New(), them: uuid.New(), key: newKey("new"), retired: newKey("old")}
	for slug, id := range map[string]uuid.UUID{"ours": h.merchant, "theirs": h.them} {
		if _, err := db.Pool.Exec(t.Context(),
			`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, now(), now())`,
			id, slug); err != nil {
			t.Fatal(err)
		}
	}
	h.ours = actor.Actor{Kind: actor.User, ID: uuid.New(), Name: "Thandi", MerchantID: h.merchant, Role: actor.Admin}
	h.theirs = actor.Actor{Kind: actor.User, ID: uuid.New(), Name: "Stranger", MerchantID: h.them, Role: actor.Admin}
	h.Service = &credential.Service{Store: credential.Store{DB: db}, Issuer: "debitdesk",
		Keys: []credential.Key{h.key, h.retired}, Now: func() time.Time {
			return time.Now().Add(time.Duration(h.sinceNow.Load()))
		}}
	return h
}

func (h *house) wait(d time.Duration) { h.sinceNow.Add(int64(d)) }

func (h *house) issue(t *testing.T, in credential.Input) credential.Issued {
	t.Helper()
	if in.Name == "" {
		in.Name = "Billing run"
	}
	out, err := h.Issue(t.Context(), h.ours, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func newKey(id string) credential.Key {
	_, private, _ := ed25519.GenerateKey(nil)
	return credential.Key{ID: id, Private: private}
}

func wantRefused(t *testing.T, err error) {
	t.Helper()
	if !fault.Is(err, fault.Unauthenticated) || !fault.HasCode(err, "authentication_failed") {
		t.Fatalf("got %v; want authentication_failed", err)
	}
}

func TestATokenTellsWhoCallsAndWhatTheyMayDo(t *testing.T) {
	t.Parallel()
	h := open(t)
	out := h.issue(t, credential.Input{Scopes: []actor.Scope{actor.ScopeRead}, Lifetime: time.Hour})
	who, err := h.Verify(t.Context(), out.Token)
	if err != nil {
		t.Fatal(err)
	}
	if who.Kind != actor.Credential || who.ID != out.ID || who.MerchantID != h.merchant || who.Name != "Billing run" {
		t.Fatalf("got %+v", who)
	}
	if !who.Can(actor.Read) || who.Can(actor.Write) {
		t.Fatalf("scopes %v", who.Scopes)
	}
}

func TestATokenCarriesItsClaims(t *testing.T) {
	t.Parallel()
	h := open(t)
	out := h.issue(t, credential.Input{Lifetime: time.Hour})
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(out.Token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Exp           int64
		Jti, Sub, Iss string
		Scopes        []string
		Test          bool
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		t.Fatal(err)
	}
	if c.Jti != out.ID.String() || c.Sub != h.merchant.String() || c.Iss != "debitdesk" || !c.Test ||
		c.Exp != out.ExpiresAt.Unix() ||
		!slices.Equal(c.Scopes, []string{"read", "write", "tokens:delete", "billing", "numbers"}) {
		t.Fatalf("claims %s", payload)
	}
}

func TestATokenEndsWithItsLifetime(t *testing.T) {
	t.Parallel()
	h := open(t)
	out := h.issue(t, credential.Input{Lifetime: time.Hour})
	h.wait(59 * time.Minute)
	if _, err := h.Verify(t.Context(), out.Token); err != nil {
		t.Fatalf("a minute before its end: %v", err)
	}
	h.wait(time.Minute)
	_, err := h.Verify(t.Context(), out.Token)
	wantRefused(t, err)
	if !strings.Contains(err.Error(), "expired") {
		t.Fatalf("got %q", err)
	}
}

func TestARevokedTokenStopsAtOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	out := h.issue(t, credential.Input{})
	if _, err := h.Revoke(t.Context(), h.ours, out.ID); err != nil {
		t.Fatal(err)
	}
	_, err := h.Verify(t.Context(), out.Token)
	wantRefused(t, err)
	if _, err := h.Revoke(t.Context(), h.ours, out.ID); err != nil {
		t.Fatalf("revoking again: %v", err)
	}
	var entries int
	if err := h.store.Pool.QueryRow(t.Context(),
		`SELECT count(*) FROM audit_entries WHERE object_id = $1 AND action = 'credential.revoked'`,
		out.ID).Scan(&entries); err != nil || entries != 1 {
		t.Fatalf("%d audit entries, %v; want one", entries, err)
	}
}

func TestForgedTokensAreRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	out := h.issue(t, credential.Input{})
	stranger := newKey("new")
	claims := func() jwt.MapClaims {
		return jwt.MapClaims{"iss": "debitdesk", "sub": h.merchant.String(), "jti": out.ID.String(),
			"exp": h.Now().Add(time.Hour).Unix()}
	}
	changed := func(name string, value any) jwt.MapClaims {
		c := claims()
		if c[name] = value; value == nil {
			delete(c, name)
		}
		return c
	}
	public := h.key.Private.Public().(ed25519.PublicKey)
	for name, c := range map[string]struct {
		method jwt.SigningMethod
		key    any
		kid    string
		claims jwt.MapClaims
	}{
		"algorithm none":                  {jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "new", claims()},
		"HS256 keyed with our public key": {jwt.SigningMethodHS256, []byte(public), "new", claims()},
		"another's key under our kid":     {jwt.SigningMethodEdDSA, stranger.Private, "new", claims()},
		"unknown kid":                     {jwt.SigningMethodEdDSA, h.key.Private, "other", claims()},
		"no exp":                          {jwt.SigningMethodEdDSA, h.key.Private, "new", changed("exp", nil)},
		"another issuer":                  {jwt.SigningMethodEdDSA, h.key.Private, "new", changed("iss", "elsewhere")},
		"another merchant": {jwt.SigningMethodEdDSA, h.key.Private, "new",
			changed("sub", h.them.String())},
		"a jti that was never issued": {jwt.SigningMethodEdDSA, h.key.Private, "new",
			changed("jti", uuid.NewString())},
		"a jti that is no id": {jwt.SigningMethodEdDSA, h.key.Private, "new", changed("jti", "1' OR 1=1")},
		"no jti":              {jwt.SigningMethodEdDSA, h.key.Private, "new", changed("jti", nil)},
		"an exp that passed": {jwt.SigningMethodEdDSA, h.key.Private, "new",
			changed("exp", h.Now().Add(-time.Second).Unix())},
		"used before nbf": {jwt.SigningMethodEdDSA, h.key.Private, "new",
			changed("nbf", h.Now().Add(time.Minute).Unix())},
		"an exp that is a word, not a number": {jwt.SigningMethodEdDSA, h.key.Private, "new", changed("exp", "tomorrow")},
	} {
		t.Run(name, func(t *testing.T) {
			forged := jwt.NewWithClaims(c.method, c.claims)
			forged.Header["kid"] = c.kid
			token, err := forged.SignedString(c.key)
			if err != nil {
				t.Fatal(err)
			}
			_, err = h.Verify(t.Context(), token)
			wantRefused(t, err)
		})
	}
	for _, token := range []string{"", "x", "a.b.c", out.Token + "x", out.Token[:len(out.Token)-4],
		strings.Repeat("e", 100_000)} {
		_, err := h.Verify(t.Context(), token)
		wantRefused(t, err)
	}
	honest := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims()) // the forgeries fail for their forgery alone
	honest.Header["kid"] = "new"
	token, _ := honest.SignedString(h.key.Private)
	if _, err := h.Verify(t.Context(), token); err != nil {
		t.Fatalf("the honest twin: %v", err)
	}
}

func TestATokenOfARetiredSigningKeyStillWorks(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.Keys = []credential.Key{h.retired}
	out := h.issue(t, credential.Input{})
	h.Keys = []credential.Key{h.key, h.retired}
	if _, err := h.Verify(t.Context(), out.Token); err != nil {
		t.Fatal(err)
	}
	h.Keys = []credential.Key{h.key}
	_, err := h.Verify(t.Context(), out.Token)
	wantRefused(t, err)
}

func TestAClientExchangesItsSecretForTokensOfADay(t *testing.T) {
	t.Parallel()
	h := open(t)
	client, err := h.IssueClient(t.Context(), h.ours,
		credential.Input{Name: "ERP", Scopes: []actor.Scope{actor.ScopeRead, actor.ScopeWrite}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Exchange(t.Context(), credential.Request{ClientID: client.ClientID, Secret: client.Secret})
	if err != nil {
		t.Fatal(err)
	}
	if life := out.ExpiresAt.Sub(out.CreatedAt); life > 24*time.Hour || life < 24*time.Hour-time.Second {
		t.Fatalf("lives %s; want 24 h", life)
	}
	who, err := h.Verify(t.Context(), out.Token)
	if err != nil || !slices.Equal(who.Scopes, []actor.Scope{actor.ScopeRead, actor.ScopeWrite}) {
		t.Fatalf("got %+v, %v", who, err)
	}
	narrow, err := h.Exchange(t.Context(), credential.Request{ClientID: client.ClientID, Secret: client.Secret,
		Scopes: []actor.Scope{actor.ScopeRead}})
	if err != nil || !slices.Equal(narrow.Scopes, []actor.Scope{actor.ScopeRead}) {
		t.Fatalf("asked for read alone: %v, %v", narrow.Scopes, err)
	}
	if _, err = h.Exchange(t.Context(), credential.Request{ClientID: client.ClientID, Secret: client.Secret,
		Scopes: []actor.Scope{actor.ScopeBilling}}); !fault.HasCode(err, credential.ErrScope) {
		t.Fatalf("asked for more than it has: %v", err)
	}
	listed, err := h.List(t.Context(), h.ours)
	if err != nil || len(listed) != 1 || listed[0].LastUsedAt.IsZero() {
		t.Fatalf("listed %+v, %v; want the client alone, used", listed, err)
	}
	if _, err := h.Revoke(t.Context(), h.ours, client.ID); err != nil {
		t.Fatal(err)
	}
	_, err = h.Verify(t.Context(), out.Token)
	wantRefused(t, err)
	_, err = h.Exchange(t.Context(), credential.Request{ClientID: client.ClientID, Secret: client.Secret})
	wantRefused(t, err)
}

func TestATokenThatWasExchangedDuringTheRevocationStopsToo(t *testing.T) {
	t.Parallel()
	h := open(t)
	client, err := h.IssueClient(t.Context(), h.ours, credential.Input{Name: "ERP"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Exchange(t.Context(), credential.Request{ClientID: client.ClientID, Secret: client.Secret})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.Pool.Exec(t.Context(), `UPDATE credentials SET revoked_at = now() WHERE id = $1`,
		client.ID); err != nil {
		t.Fatal(err)
	}
	_, err = h.Verify(t.Context(), out.Token)
	wantRefused(t, err)
}

func TestWrongClientsAndSecretsAreRefusedAlike(t *testing.T) {
	t.Parallel()
	h := open(t)
	client, err := h.IssueClient(t.Context(), h.ours, credential.Input{Name: "ERP", Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	token := h.issue(t, credential.Input{})
	for name, r := range map[string]credential.Request{
		"wrong secret":          {ClientID: client.ClientID, Secret: base64.RawURLEncoding.EncodeToString(make([]byte, 32))},
		"empty secret":          {ClientID: client.ClientID},
		"unknown client":        {ClientID: uuid.NewString(), Secret: client.Secret},
		"no id":                 {ClientID: "x", Secret: client.Secret},
		"a token, not a client": {ClientID: token.ID.String()},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Exchange(t.Context(), r)
			wantRefused(t, err)
			if err.Error() != "Unknown client, or wrong secret." {
				t.Fatalf("tells too much: %q", err)
			}
		})
	}
	h.wait(time.Hour)
	_, err = h.Exchange(t.Context(), credential.Request{ClientID: client.ClientID, Secret: client.Secret})
	wantRefused(t, err)
}

func TestOnlyAdminsAndOnlyOfTheMerchant(t *testing.T) {
	t.Parallel()
	h := open(t)
	out := h.issue(t, credential.Input{})
	finance := h.ours
	finance.Role = actor.Finance
	program := actor.Actor{Kind: actor.Credential, MerchantID: h.merchant, Scopes: actor.AllScopes}
	for _, who := range []actor.Actor{finance, program, {}} {
		_, issue := h.Issue(t.Context(), who, credential.Input{Name: "x"})
		_, client := h.IssueClient(t.Context(), who, credential.Input{Name: "x"})
		_, list := h.List(t.Context(), who)
		_, revoke := h.Revoke(t.Context(), who, out.ID)
		for _, err := range []error{issue, client, list, revoke} {
			if !fault.Is(err, fault.Forbidden) {
				t.Fatalf("%s %s: %v; want forbidden", who.Kind, who.Role, err)
			}
		}
	}
	if _, err := h.Revoke(t.Context(), h.theirs, out.ID); !fault.Is(err, fault.NotFound) {
		t.Fatalf("a stranger revokes: %v", err)
	}
	if list, err := h.List(t.Context(), h.theirs); err != nil || len(list) != 0 {
		t.Fatalf("a stranger sees %v, %v", list, err)
	}
	if _, err := h.Verify(t.Context(), out.Token); err != nil {
		t.Fatalf("after the stranger's attempt: %v", err)
	}
}

func TestEveryProblemOfANewCredentialIsNamed(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.Issue(t.Context(), h.ours, credential.Input{Name: " ", Scopes: []actor.Scope{"everything"},
		Lifetime: -time.Hour})
	f, ok := fault.From(err)
	if !ok || len(f.Fields) != 3 {
		t.Fatalf("got %v; want name, scopes and lifetime", err)
	}
	if _, err := h.Issue(t.Context(), h.ours, credential.Input{Name: "x", Scopes: []actor.Scope{}}); !fault.HasCode(err,
		"required") {
		t.Fatalf("no scope chosen: %v", err)
	}
}

func TestTheLastUseIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	h := open(t)
	out := h.issue(t, credential.Input{})
	used := func() time.Time {
		if _, err := h.Verify(context.Background(), out.Token); err != nil {
			t.Fatal(err)
		}
		c, err := h.Find(t.Context(), h.ours, out.ID)
		if err != nil {
			t.Fatal(err)
		}
		return c.LastUsedAt
	}
	first := used()
	h.wait(30 * time.Second)
	if again := used(); !again.Equal(first) || first.IsZero() {
		t.Fatalf("after half a minute %v; want %v", again, first)
	}
	h.wait(time.Minute)
	if later := used(); !later.After(first) {
		t.Fatalf("after a minute and a half still %v", later)
	}
}

func TestTheCommandLineRevokesByIdAlone(t *testing.T) {
	t.Parallel()
	h := open(t)
	ours := h.issue(t, credential.Input{})
	theirs, err := h.Issue(t.Context(), actor.OperatorOf(h.them),
		credential.Input{Name: "Theirs", Scopes: []actor.Scope{actor.ScopeRead, actor.ScopeWrite}})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := h.ListAll(t.Context()); err != nil || len(all) != 2 {
		t.Fatalf("listed %v, %v; want both", all, err)
	}
	if _, err := h.RevokeAny(t.Context(), theirs.ID); err != nil {
		t.Fatal(err)
	}
	_, err = h.Verify(t.Context(), theirs.Token)
	wantRefused(t, err)
	if _, err := h.Verify(t.Context(), ours.Token); err != nil {
		t.Fatal(err)
	}
	if _, err := h.RevokeAny(t.Context(), uuid.New()); !fault.Is(err, fault.NotFound) {
		t.Fatalf("an unknown id: %v", err)
	}
}
