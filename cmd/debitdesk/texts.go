package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"debitdesk/models/sms"
	"debitdesk/models/sms/bulksms"
	"debitdesk/models/sms/clickatell"
	"debitdesk/models/sms/generic"
	"debitdesk/models/texting"
)

// provider is who takes the short messages; nil: the sandbox keeps them, and in live mode there are none. Errors never
// repeat the address: it holds a secret.
func (c Config) provider() (sms.Gateway, error) {
	if c.SMS == "" {
		return nil, nil
	}
	u, err := url.Parse(c.SMS)
	if err != nil {
		return nil, errors.New("is no address")
	}
	switch u.Scheme {
	case "bulksms":
		g, err := bulksms.New(u, c.Sandbox())
		return gatewayOr(g, err)
	case "clickatell":
		g, err := clickatell.New(u, c.Sandbox())
		return gatewayOr(g, err)
	case "http":
		if !c.Sandbox() {
			return nil, errors.New("live mode speaks to providers by https alone")
		}
		fallthrough
	case "https":
		g, err := generic.New(u, c.Sandbox())
		return gatewayOr(g, err)
	}
	return nil, errors.New("begins with bulksms://, clickatell:// or https://")
}

// gatewayOr keeps a nil adapter from being a provider.
func gatewayOr[G sms.Gateway](g G, err error) (sms.Gateway, error) {
	if err != nil {
		return nil, err
	}
	return g, nil
}

type smsCmd struct {
	Address smsAddressCmd `cmd:"" help:"Make the secret addresses at which the provider tells of messages."`
}

type smsAddressCmd struct{}

func (*smsAddressCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		secret, err := a.Services.Texts.Store.NewAddress(ctx, time.Now())
		if err != nil {
			return err
		}
		at := c.PublicURL(c.Listen) + "/sms/" + secret
		_, _ = fmt.Fprintf(io.out, "reports: %s/reports\nreplies: %s/replies\n", at, at)
		_, _ = fmt.Fprintln(io.err,
			"Give both to the provider. They are not shown again, and the addresses before them have ended.")
		return nil
	})
}

// sms tells which provider takes short messages, and whether it can tell what became of them.
func (e *examination) sms(ctx context.Context) {
	gateway, err := e.c.provider()
	switch {
	case err != nil:
		e.say(bad, "SMS", "correct DEBITDESK_SMS_URL", "%v", err)
		return
	case gateway == nil && e.c.Sandbox():
		e.say(fine, "SMS", "", "no provider: the sandbox keeps them and shows them on the client’s phone")
		return
	case gateway == nil:
		e.say(fine, "SMS", "", "no provider: everything goes by mail")
		return
	}
	if e.app == nil {
		e.say(warning, "SMS", "fix the database first", "%s takes them; nothing else was checked", gateway.Limits().Name)
		return
	}
	store := texting.Store{DB: e.app.Store}
	has, err := store.HasAddress(ctx)
	if err != nil {
		e.say(bad, "SMS", "", "the address of the provider cannot be read: %v", err)
		return
	}
	if !has {
		e.say(warning, "SMS", "run debitdesk sms address, and give the provider what it prints",
			"%s takes them, and has no address at which to tell what became of them or that a client answered STOP",
			gateway.Limits().Name)
		return
	}
	e.say(fine, "SMS", "", "%s takes them", gateway.Limits().Name)
}
