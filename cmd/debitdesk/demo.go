package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/demo"
	"debitdesk/models/merchant"
)

type demoCmd struct {
	JSON    bool `name:"json" help:"Print one line of JSON."`
	Clients int  `default:"50" help:"How many clients."`
}

// maxDemo is as many clients as names and addresses go round for.
const maxDemo = 1000

func (d *demoCmd) run(ctx context.Context, c Config, io streams) (err error) {
	if d.Clients < 0 || d.Clients > maxDemo {
		return usageError{fmt.Errorf("--clients is 0 to %d", maxDemo)}
	}
	if !c.Sandbox() {
		return errors.New("live mode has no demo: its people share a password that everyone knows")
	}
	baseURL := c.PublicURL(c.Listen)
	a, err := Open(ctx, c, opening{log: commandLog(c, io), baseURL: baseURL, migrate: true, maxConns: fewConns})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	made, err := a.demo(ctx, d.Clients)
	if err != nil {
		return err
	}
	if d.JSON {
		key, err := a.Services.Webhooks.CompanyKey(ctx, actor.OperatorOf(made.Merchant.ID))
		if err != nil {
			return err
		}
		return printJSON(io.out, demoJSON{baseURL, made.Merchant.ID, made.Merchant.Slug, made.BrandID, made.APIToken, key,
			made.Users, made.Clients})
	}
	return invite(io.out, baseURL, made)
}

// demoJSON is what scripts read; the order of its keys is fixed.
type demoJSON struct {
	BaseURL          string        `json:"base_url"`
	MerchantID       uuid.UUID     `json:"merchant_id"`
	MerchantSlug     string        `json:"merchant_slug"`
	BrandID          uuid.UUID     `json:"brand_id"`
	APIToken         string        `json:"api_token"`
	WebhookPublicKey string        `json:"webhook_public_key"` // PEM; signs success_callback
	Users            []demo.User   `json:"users"`
	Clients          []demo.Client `json:"clients"`
}

// demo makes the demo merchant, or finds it. A demo that was cut off leaves the
// clock in the past; it catches up here.
func (a *App) demo(ctx context.Context, clients int) (made demo.Result, err error) {
	if a.Config.bankDirectory() != "" {
		clients = 0 // the history of clients is the sandbox bank's, and another bank knows nothing of it
	}
	s := a.Services
	d := &demo.Service{Merchants: s.Merchants, Users: s.Users, Clients: s.Clients, Purchases: s.Purchases,
		Deletions: s.Deletions, Credentials: s.Credentials, Subscriptions: s.Subscriptions, Books: s.Journal,
		Read: a.Services.Merchants.Store, Calendar: s.Purchases.Calendar, Clock: a.Store.Clock, Advance: a.advance}
	err = a.Store.AloneFilling(ctx, func() (err error) {
		made, err = d.Prepare(ctx, clients)
		if now := time.Now(); a.Store.Clock.Now().Before(now) {
			err = errors.Join(err, a.advance(ctx, now))
		}
		return err
	})
	return made, err
}

// advance moves the clock and returns when all that became due has been done.
func (a *App) advance(ctx context.Context, to time.Time) error {
	return a.Services.Controls.Live(ctx, to)
}

// welcome fills an empty database with the demo and says how to sign in.
func (a *App) welcome(ctx context.Context, baseURL string, out io.Writer) error {
	if !a.Config.Sandbox() {
		return errors.New("live mode has no demo")
	}
	all, err := merchant.Store{DB: a.Store}.Merchants(ctx)
	if err != nil {
		return err
	}
	if len(all) > 0 { // somebody's own merchants, or the demo of an earlier start
		for _, m := range all {
			if m.IsDemo {
				return invite(out, baseURL, demo.Result{Merchant: m, Users: demo.Users()})
			}
		}
		return nil
	}
	made, err := a.demo(ctx, demoClients)
	if err != nil {
		return err
	}
	return invite(out, baseURL, made)
}

const demoClients = 50

func invite(out io.Writer, baseURL string, made demo.Result) error {
	text := fmt.Sprintf("\n%s is ready to try.\n\n  Sign in at %s\n", made.Merchant.Name, baseURL)
	for _, u := range made.Users {
		text += fmt.Sprintf("    %-30s %s   (%s)\n", u.Email, u.Password, u.Role)
	}
	if made.APIToken == "" {
		text += "\n  For an API token: debitdesk demo\n\n"
	} else {
		text += fmt.Sprintf(
			"\n  API token, good for five years:\n    %s\n\n  Try it:\n    curl -H 'Authorization: "+
				"Bearer %s' %s/api/v1/clients/\n\n",
			made.APIToken,
			made.APIToken,
			baseURL,
		)
	}
	_, err := io.WriteString(out, text)
	return err
}
