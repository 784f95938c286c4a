package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

type apikeyCmd struct {
	Create apikeyCreateCmd `cmd:"" help:"Issue a bearer credential and print only that."`
	Rotate apikeyRotateCmd `cmd:"" help:"Issue a successor and print only that; the old credential keeps working for a while."`
	Revoke apikeyRevokeCmd `cmd:"" help:"End a credential at once, on every process."`
	List   apikeyListCmd   `cmd:"" help:"List credentials, newest first."`
}

type apikeyCreateCmd struct {
	Merchant          string         `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
	Name              string         `required:"" help:"What will use it."`
	Scopes            []string       `placeholder:"SCOPE,…" help:"read, write, tokens:delete, billing, numbers (clients’ bank and identity numbers in full); all when left out."`
	TTL               *time.Duration `name:"ttl" placeholder:"24h" help:"How long it works, in real time; 24h when left out."`
	ClientCredentials bool           `help:"Print an id and a secret for POST /oauth/token instead."`
}

func (k *apikeyCreateCmd) run(ctx context.Context, c Config, io streams) error {
	in := credential.Input{Name: k.Name}
	if k.TTL != nil {
		if *k.TTL <= 0 { // not left out: nobody who writes 0 means a day
			return usageError{errors.New("--ttl is how long the credential works, such as 24h: more than 0")}
		}
		in.Lifetime = *k.TTL
	}
	for _, s := range k.Scopes {
		if !slices.Contains(actor.AllScopes, actor.Scope(s)) {
			return usageError{fmt.Errorf("%q is not a scope: choose of read, write, tokens:delete, billing and numbers", s)}
		}
		in.Scopes = append(in.Scopes, actor.Scope(s))
	}
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantFor(ctx, k.Merchant)
		if err != nil {
			return err
		}
		who := actor.OperatorOf(m.ID)
		if !k.ClientCredentials {
			issued, err := a.Services.Credentials.Issue(ctx, who, in)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(io.out, issued.Token)
			return err
		}
		issued, err := a.Services.Credentials.IssueClient(ctx, who, in)
		if err != nil {
			return err
		}
		return printClient(io, issued.ClientID, issued.Secret)
	})
}

func printClient(io streams, id, secret string) error {
	return printJSON(io.out, struct {
		ClientID string `json:"client_id"`
		Secret   string `json:"client_secret"`
	}{id, secret})
}

type apikeyRotateCmd struct {
	ID      string        `arg:"" help:"The jti of a token, or the client_id of a client credential."`
	Overlap time.Duration `default:"24h" placeholder:"24h" help:"How long the old one keeps working, in real time; 0 ends it at once, 168h is the longest."`
}

func (k *apikeyRotateCmd) run(ctx context.Context, c Config, io streams) error {
	id, err := uuid.Parse(k.ID)
	if err != nil {
		return usageError{fmt.Errorf("%q is not the id of a credential", k.ID)}
	}
	return onApp(ctx, c, io, func(a *App) error {
		next, err := a.Services.Credentials.RotateAny(ctx, id, k.Overlap)
		switch {
		case fault.Is(err, fault.NotFound):
			return fmt.Errorf("there is no credential %s", id)
		case err != nil:
			return err
		case next.Kind == credential.Client:
			return printClient(io, next.ID.String(), next.Secret)
		}
		_, err = fmt.Fprintln(io.out, next.Token)
		return err
	})
}

type apikeyRevokeCmd struct {
	ID string `arg:"" help:"The jti of a token, or the client_id of a client credential."`
}

func (k *apikeyRevokeCmd) run(ctx context.Context, c Config, io streams) error {
	id, err := uuid.Parse(k.ID)
	if err != nil {
		return usageError{fmt.Errorf("%q is not the id of a credential", k.ID)}
	}
	return onApp(ctx, c, io, func(a *App) error {
		found, err := a.Services.Credentials.Store.CredentialByID(ctx, id)
		if fault.Is(err, fault.NotFound) {
			return fmt.Errorf("there is no credential %s", id)
		}
		if err != nil {
			return err
		}
		_, err = a.Services.Credentials.Revoke(ctx, actor.OperatorOf(found.MerchantID), id)
		return err
	})
}

type apikeyListCmd struct {
	Merchant string `placeholder:"SLUG" help:"Only the credentials of this merchant."`
}

func (k *apikeyListCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		all, err := a.merchantsNamed(ctx, k.Merchant)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(io.out, 0, 4, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "ID\tMERCHANT\tKIND\tSTATE\tEXPIRES\tSCOPES\tNAME")
		for _, m := range all {
			credentials, err := a.Services.Credentials.List(ctx, actor.OperatorOf(m.ID))
			if err != nil {
				return err
			}
			for _, one := range credentials {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", one.ID, m.Slug, one.Kind, one.State(time.Now()),
					day(one.ExpiresAt), credential.Spaced(one.Scopes, ","), one.Name)
			}
		}
		return table.Flush()
	})
}

func (a *App) merchantsNamed(ctx context.Context, slug string) ([]merchant.Merchant, error) {
	if slug == "" {
		return merchant.Store{DB: a.Store}.Merchants(ctx)
	}
	m, err := a.merchantFor(ctx, slug)
	return []merchant.Merchant{m}, err
}

func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}
