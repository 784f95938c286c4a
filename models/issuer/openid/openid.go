// Package openid speaks OpenID Connect with issuers: discovery, the code flow, and the verification of what they sign.
// It must not know whom an issuer may bring in.
package openid

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"debitdesk/models/issuer"
	"debitdesk/models/outbound"
)

// Limits of what is asked of an issuer (ours).
const (
	wholeTime   = 8 * time.Second
	mostRead    = 1 << 20     // bytes of an answer
	knownFor    = time.Hour   // what an issuer publishes about itself
	skew        = time.Minute // between its clock and ours
	mostClients = 200         // issuers that are remembered
)

// Client implements issuer.Protocol.
type Client struct {
	guarded, open *http.Client
	now           func() time.Time

	mu    sync.Mutex
	known map[string]*published
}

// published is what an issuer publishes about itself.
type published struct {
	*oidc.Provider
	at time.Time

	End     string   `json:"end_session_endpoint"`
	Auth    string   `json:"authorization_endpoint"`
	Token   string   `json:"token_endpoint"`
	Keys    string   `json:"jwks_uri"`
	Scopes  []string `json:"scopes_supported"`
	Methods []string `json:"token_endpoint_auth_methods_supported"`
}

// New makes a client. Issuers that a business chose are called on public networks alone, in the sandbox on this
// machine, too; the one that the operator chose may be anywhere.
func New(sandbox bool, now func() time.Time) *Client {
	c := func(t http.RoundTripper) *http.Client {
		return &http.Client{Timeout: wholeTime, Transport: limited{t},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return &Client{guarded: c(outbound.Guarded(outbound.SignIn, sandbox)),
		open: c(outbound.Transport(outbound.SignIn)), now: now, known: map[string]*published{}}
}

// limited reads no more of an answer than anything of an issuer is long.
type limited struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, mostRead), res.Body}
	}
	return res, err
}

// through is the way to an issuer.
func (c *Client) through(ctx context.Context, p issuer.Party) context.Context {
	if p.Whole() {
		return oidc.ClientContext(ctx, c.open)
	}
	return oidc.ClientContext(ctx, c.guarded)
}

// discover reads what an issuer publishes, at most once an hour. Keys are fetched anew when one is not known.
func (c *Client) discover(ctx context.Context, p issuer.Party) (*published, error) {
	key := fmt.Sprint(p.Whole(), " ", p.Address)
	c.mu.Lock()
	known := c.known[key]
	c.mu.Unlock()
	if known != nil && c.now().Sub(known.at) < knownFor {
		return known, nil
	}
	provider, err := oidc.NewProvider(c.through(ctx, p), p.Address)
	if err != nil {
		return nil, issuer.Away(p.Name, plain(err))
	}
	fresh := &published{Provider: provider, at: c.now()}
	if err := provider.Claims(fresh); err != nil {
		return nil, issuer.Away(p.Name, err)
	}
	for _, at := range []string{fresh.Auth, fresh.Token, fresh.Keys} {
		if !allowed(at, p.Address) {
			return nil, issuer.Away(p.Name, errors.New("an endpoint is missing or less safe than the issuer"))
		}
	}
	if fresh.End != "" && !allowed(fresh.End, p.Address) {
		fresh.End = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= mostClients {
		clear(c.known)
	}
	c.known[key] = fresh
	return fresh, nil
}

// allowed tells whether an endpoint is a web address, encrypted where the issuer is.
func allowed(at, address string) bool {
	return strings.HasPrefix(at, "https://") || strings.HasPrefix(at, "http://") && strings.HasPrefix(address, "http://")
}

// Check implements issuer.Protocol.
func (c *Client) Check(ctx context.Context, p issuer.Party) error {
	_, err := c.discover(ctx, p)
	return err
}

// config is the product as a client there.
func (d *published) config(p issuer.Party) oauth2.Config {
	endpoint := d.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if p.Secret == "" || len(d.Methods) > 0 && !slices.Contains(d.Methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	scopes := []string{oidc.ScopeOpenID, "email", "profile"}
	if p.GroupsClaim != "" && slices.Contains(d.Scopes, "groups") {
		scopes = append(scopes, "groups")
	}
	return oauth2.Config{ClientID: p.ClientID, ClientSecret: p.Secret.Reveal(), Endpoint: endpoint,
		RedirectURL: p.Callback, Scopes: scopes}
}

// Begin implements issuer.Protocol.
func (c *Client) Begin(ctx context.Context, p issuer.Party, a issuer.Ask) (string, error) {
	d, err := c.discover(ctx, p)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)}
	if a.Fresh {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	conf := d.config(p)
	return conf.AuthCodeURL(a.State, options...), nil
}

// Redeem implements issuer.Protocol.
func (c *Client) Redeem(ctx context.Context, p issuer.Party, r issuer.Redemption) (issuer.Claims, error) {
	d, err := c.discover(ctx, p)
	if err != nil {
		return issuer.Claims{}, err
	}
	ctx = c.through(ctx, p)
	conf := d.config(p)
	token, err := conf.Exchange(ctx, r.Code, oauth2.VerifierOption(r.Verifier))
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.Response.StatusCode < 500 {
		return issuer.Claims{}, issuer.Refused(p.Name, "it does not know this sign-in any longer", plain(err))
	}
	if err != nil {
		return issuer.Claims{}, issuer.Away(p.Name, plain(err))
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return issuer.Claims{}, issuer.Refused(p.Name, "it does not say who you are", nil)
	}
	id, err := d.Verifier(c.verifying(p)).Verify(ctx, raw)
	if err != nil {
		return issuer.Claims{}, issuer.Refused(p.Name, "its signature, time or addressee is not right", err)
	}
	var said claims
	if err := id.Claims(&said); err != nil {
		return issuer.Claims{}, issuer.Refused(p.Name, "it could not be read", err)
	}
	if err := c.fits(p, id, said, r.Nonce, token.AccessToken); err != nil {
		return issuer.Claims{}, issuer.Refused(p.Name, "it was not made for this sign-in", err)
	}
	out := said.of(id.Subject, p.GroupsClaim)
	if (out.Email == "" || p.GroupsClaim != "" && len(out.Groups) == 0) && d.UserInfoEndpoint() != "" {
		c.more(ctx, d, p, token, &out)
	}
	return out, nil
}

// verifying is how what an issuer signed is looked at. Its clock may be a minute ahead of ours or behind.
func (c *Client) verifying(p issuer.Party) *oidc.Config {
	return &oidc.Config{ClientID: p.ClientID, Now: func() time.Time { return c.now().Add(-skew) }}
}

// fits looks at what the library leaves to its callers.
func (c *Client) fits(p issuer.Party, id *oidc.IDToken, said claims, nonce, access string) error {
	latest := c.now().Add(skew)
	switch {
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1:
		return errors.New("another nonce")
	case id.Subject == "" || len(id.Subject) > 255:
		return errors.New("no subject")
	case said.Party != "" && said.Party != p.ClientID, len(id.Audience) > 1 && said.Party == "":
		return errors.New("issued to another client")
	case id.IssuedAt.IsZero(), id.IssuedAt.After(latest):
		return errors.New("issued in the future")
	case time.Unix(int64(said.NotBefore), 0).After(latest):
		return errors.New("not valid yet")
	case id.AccessTokenHash != "":
		return id.VerifyAccessToken(access)
	}
	return nil
}

// more asks for what the token leaves out. It is about the same subject, or does not count.
func (c *Client) more(ctx context.Context, d *published, p issuer.Party, token *oauth2.Token, out *issuer.Claims) {
	info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil || info.Subject != out.Subject {
		return
	}
	var said claims
	if info.Claims(&said) != nil {
		return
	}
	extra := said.of(info.Subject, p.GroupsClaim)
	if out.Email == "" {
		out.Email, out.Verified = extra.Email, extra.Verified
	}
	if out.Name == "" {
		out.Name = extra.Name
	}
	if len(out.Groups) == 0 {
		out.Groups = extra.Groups
	}
}

// Logout implements issuer.Protocol.
func (c *Client) Logout(ctx context.Context, p issuer.Party, token string) (issuer.Logout, error) {
	d, err := c.discover(ctx, p)
	if err != nil {
		return issuer.Logout{}, err
	}
	t, err := d.Verifier(c.verifying(p)).VerifyLogout(c.through(ctx, p), token)
	if err == nil && (t.IssuedAt.IsZero() || t.IssuedAt.After(c.now().Add(skew))) {
		err = errors.New("issued in the future")
	}
	if err != nil {
		return issuer.Logout{}, issuer.Refused(p.Name, "the message about a sign-out does not hold", err)
	}
	return issuer.Logout{Subject: t.Subject, SID: t.SessionID, Number: t.TokenID, Until: t.Expiry}, nil
}

// EndSession implements issuer.Protocol.
func (c *Client) EndSession(ctx context.Context, p issuer.Party, back string) (string, error) {
	d, err := c.discover(ctx, p)
	if err != nil || d.End == "" {
		return "", err
	}
	return withQuery(d.End, "client_id", p.ClientID, "post_logout_redirect_uri", back)
}

// plain leaves out what an issuer answered, which may hold tokens.
func plain(err error) error {
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) {
		return fmt.Errorf("token endpoint: %d %s", refused.Response.StatusCode, refused.ErrorCode)
	}
	text := err.Error()
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		text = text[:at]
	}
	if len(text) > 200 {
		text = text[:200]
	}
	return errors.New(text)
}
