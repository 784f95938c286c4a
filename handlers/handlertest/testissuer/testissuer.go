// Package testissuer is an OpenID Connect issuer for tests: it signs for real, takes each code once, asks for PKCE and
// the client's secret, and lies on demand. It shares no code with the product.
package testissuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Issuer is one issuer with one client.
type Issuer struct {
	URL, ClientID, Secret string
	// Claims are what it says of whoever signs in next, beside the usual ones; nil takes a usual claim away.
	Claims map[string]any
	// Sign writes a token in another way; nil: signed with the key that is published.
	Sign func(claims map[string]any) string
	// Says is what its answers name as their sender.
	Says string
	// Now is its clock.
	Now func() time.Time

	Asked url.Values // what the last sign-in was asked with
	key   *rsa.PrivateKey
	tb    testing.TB
	mu    sync.Mutex
	codes map[string]url.Values
}

// New starts an issuer on this machine, which ends with the test.
func New(tb testing.TB) *Issuer {
	tb.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		tb.Fatal(err)
	}
	i := &Issuer{ClientID: "desk", Secret: "the secret of the desk", key: key, tb: tb, codes: map[string]url.Values{},
		Now: time.Now}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	i.URL = server.URL
	i.Says = i.URL
	return i
}

func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	i.answer(w, map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize",
		"token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys", "end_session_endpoint": i.URL + "/end",
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		"response_types_supported":              []string{"code"}, "subject_types_supported": []string{"public"}})
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &i.key.PublicKey, KeyID: "k1", Algorithm: "RS256",
		Use: "sig"}}})
}

func (i *Issuer) answer(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(what); err != nil {
		i.tb.Error(err)
	}
}

// authorize signs in whoever comes, at once.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != i.ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" ||
		q.Get("state") == "" || !strings.Contains(" "+q.Get("scope")+" ", " openid ") {
		http.Error(w, "this is no sign-in of the client", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.mu.Lock()
	i.codes[code], i.Asked = q, q
	i.mu.Unlock()
	to, err := url.Parse(q.Get("redirect_uri"))
	if err != nil {
		i.tb.Error(err)
		return
	}
	to.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {i.Says}}.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// token takes a code, once, from the client that shows its secret and the verifier.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret)
	i.mu.Lock()
	asked, known := i.codes[r.FormValue("code")]
	delete(i.codes, r.FormValue("code"))
	i.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	if !known || id != i.ClientID || subtle.ConstantTimeCompare([]byte(secret), []byte(i.Secret)) != 1 ||
		challenge != asked.Get("code_challenge") || r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		i.answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	i.answer(w, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300,
		"id_token": i.write(i.usual(asked.Get("nonce")))})
}

func (i *Issuer) usual(nonce string) map[string]any {
	now := i.Now()
	return map[string]any{"iss": i.URL, "aud": i.ClientID, "sub": "anna", "nonce": nonce, "iat": now.Unix(),
		"exp": now.Add(5 * time.Minute).Unix(), "auth_time": now.Unix(), "sid": "s1"}
}

func (i *Issuer) write(claims map[string]any) string {
	maps.Copy(claims, i.Claims)
	for name, value := range claims {
		if value == nil {
			delete(claims, name)
		}
	}
	if i.Sign != nil {
		return i.Sign(claims)
	}
	return i.RS256(claims)
}

// RS256 signs with the key that is published.
func (i *Issuer) RS256(claims map[string]any) string {
	return i.sign(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: i.key, KeyID: "k1"}}, claims)
}

// HS256 signs with the published key as if it were a secret, which is the old attack.
func (i *Issuer) HS256(claims map[string]any) string {
	public, err := x509.MarshalPKIXPublicKey(&i.key.PublicKey)
	if err != nil {
		i.tb.Error(err)
	}
	return i.sign(jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: public, KeyID: "k1"}}, claims)
}

// Stranger signs with a key that nobody published, under the name of the one that is.
func (i *Issuer) Stranger(claims map[string]any) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.tb.Error(err)
	}
	return i.sign(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k1"}}, claims)
}

// None signs nothing.
func (i *Issuer) None(claims map[string]any) string {
	payload, err := json.Marshal(claims)
	if err != nil {
		i.tb.Error(err)
	}
	e := base64.RawURLEncoding
	return e.EncodeToString([]byte(`{"alg":"none"}`)) + "." + e.EncodeToString(payload) + "."
}

func (i *Issuer) sign(with jose.SigningKey, claims map[string]any) string {
	signer, err := jose.NewSigner(with, nil)
	if err != nil {
		i.tb.Error(err)
		return ""
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		i.tb.Error(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		i.tb.Error(err)
		return ""
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		i.tb.Error(err)
	}
	return text
}

// LogoutToken is the message that somebody signed out, with other claims in the place of the usual ones.
func (i *Issuer) LogoutToken(other map[string]any) string {
	now := i.Now()
	claims := map[string]any{"iss": i.URL, "aud": i.ClientID, "iat": now.Unix(), "exp": now.Add(2 * time.Minute).Unix(),
		"jti": rand.Text(), "sid": "s1", "sub": "anna",
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
	maps.Copy(claims, other)
	for name, value := range claims {
		if value == nil {
			delete(claims, name)
		}
	}
	return i.RS256(claims)
}

// Visit is the browser at the issuer: it gives where the issuer sends it.
func (i *Issuer) Visit(at string) *url.URL {
	i.tb.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(i.tb.Context(), http.MethodGet, at, nil)
	if err != nil {
		i.tb.Fatal(err)
	}
	res, err := client.Do(r)
	if err != nil {
		i.tb.Fatal(err)
	}
	_ = res.Body.Close()
	to, err := res.Location()
	if err != nil {
		i.tb.Fatalf("the issuer answered %d and leads nowhere", res.StatusCode)
	}
	return to
}
