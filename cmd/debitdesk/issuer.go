package main

import (
	"context"
	"net/url"
	"strings"
	"time"

	"debitdesk/cmd/app"
	"debitdesk/models/issuer"
	"debitdesk/models/issuer/openid"
)

// issuer is who signs people in to all businesses; without an address nobody.
func (c Config) issuer() app.InstallationIssuer {
	i := app.InstallationIssuer{Address: c.OIDCIssuer, ClientID: c.OIDCClient, Name: c.OIDCName,
		Secret: issuer.Secret(c.OIDCSecret), Domains: c.issuerDomains()}
	if at, err := url.Parse(c.OIDCIssuer); err == nil && i.Name == "" {
		i.Name = at.Hostname()
	}
	return i
}

func (c Config) issuerDomains() []string {
	return strings.FieldsFunc(c.OIDCDomains, func(r rune) bool { return r == ',' || r == ' ' })
}

// checkIssuer never repeats the secret.
func (c Config) checkIssuer(bad func(name, format string, args ...any)) {
	if c.OIDCIssuer == "" {
		for name, value := range map[string]string{"DEBITDESK_OIDC_CLIENT_ID": c.OIDCClient,
			"DEBITDESK_OIDC_CLIENT_SECRET": c.OIDCSecret, "DEBITDESK_OIDC_NAME": c.OIDCName,
			"DEBITDESK_OIDC_DOMAINS": c.OIDCDomains} {
			if value != "" {
				bad(name, "is of no use without DEBITDESK_OIDC_ISSUER")
			}
		}
		return
	}
	schemes := []string{"https", "http"}
	if c.Mode == liveMode {
		schemes = schemes[:1]
	}
	checkLink(bad, "DEBITDESK_OIDC_ISSUER", c.OIDCIssuer, schemes...)
	if c.OIDCClient == "" {
		bad("DEBITDESK_OIDC_CLIENT_ID", "name the client that the issuer knows this installation by")
	}
	for _, d := range c.issuerDomains() {
		if !strings.Contains(d, ".") || strings.ContainsAny(d, "@/:") {
			bad("DEBITDESK_OIDC_DOMAINS", "%q is not a domain such as example.co.za", d)
		}
	}
}

// signIn asks the issuer of the installation for what it publishes.
func (e *examination) signIn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	if e.found(fine, "migrations") {
		e.businessIssuers(ctx)
	}
	from := e.c.issuer()
	if from.Address == "" {
		return
	}
	i := issuer.ForInstallation(from.Address, from.ClientID, from.Name, from.Domains)
	started := time.Now()
	if err := openid.New(e.c.Sandbox(), time.Now).Check(ctx, issuer.Party{Issuer: *i}); err != nil {
		e.say(bad, "sign-in", "check DEBITDESK_OIDC_ISSUER and that this machine reaches it; passwords work until then",
			"%s/.well-known/openid-configuration is not usable: %v", strings.TrimSuffix(from.Address, "/"), err)
		return
	}
	e.say(fine, "sign-in", "", "the issuer %s answered in %d ms; its callback here is %s%s%s", from.Name,
		time.Since(started).Milliseconds(), e.c.PublicURL(e.c.Listen), issuer.CallbackPath, i.ID)
}

// mostAsked bounds how many issuers of businesses are asked.
const mostAsked = 20

// businessIssuers asks those that businesses accept.
func (e *examination) businessIssuers(ctx context.Context) {
	all, err := issuer.Store{DB: e.app.Store}.Shown(ctx, mostAsked)
	if err != nil {
		e.say(bad, "sign-in", "", "%v", err)
		return
	}
	speaks := openid.New(e.c.Sandbox(), time.Now)
	for _, i := range all {
		if err := speaks.Check(ctx, issuer.Party{Issuer: i}); err != nil {
			e.say(warning, "sign-in", "an admin of the business looks at Settings, Security, Single sign-on",
				"the provider %s of merchant %s does not answer as OpenID Connect asks: %s", i.Name, i.MerchantID, i.Address)
		}
	}
}
