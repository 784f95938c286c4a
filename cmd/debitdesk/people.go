package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"debitdesk/cmd/app"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/member"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
)

type merchantCmd struct {
	Create merchantCreateCmd `cmd:"" help:"Make a merchant with one brand and print its ids as JSON."`
}

type merchantCreateCmd struct {
	Slug string `arg:"" help:"Short name: lower-case letters, digits and hyphens."`
	Name string `required:"" help:"The name of the business."`
}

func (m *merchantCreateCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		made, brand, err := a.Services.Merchants.Create(ctx,
			merchant.New{Slug: m.Slug, Name: m.Name, Brand: app.FirstBrand(a.Config.Sandbox())})
		if err != nil {
			return err
		}
		return printJSON(io.out, struct {
			MerchantID uuid.UUID `json:"merchant_id"`
			Slug       string    `json:"merchant_slug"`
			BrandID    uuid.UUID `json:"brand_id"`
		}{made.ID, made.Slug, brand.ID})
	})
}

// merchantFor finds a merchant by its short name. An unknown one is refused, with the
// name that was probably meant.
func (a *App) merchantFor(ctx context.Context, slug string) (merchant.Merchant, error) {
	m, err := merchant.Store{DB: a.Store}.MerchantBySlug(ctx, slug)
	if !fault.Is(err, fault.NotFound) {
		return m, err
	}
	all, err := merchant.Store{DB: a.Store}.Merchants(ctx)
	if err != nil {
		return m, err
	}
	slugs := make([]string, len(all))
	for i, m := range all {
		slugs[i] = m.Slug
	}
	return m, fmt.Errorf("there is no merchant %q.%s To create it: debitdesk merchant create %s --name NAME", slug,
		fault.DidYouMean(slug, slugs), slug)
}

type userCmd struct {
	First  userFirstCmd  `cmd:"" help:"Print a link with which the first business and its admin are made; the link before stops working."`
	Create userCreateCmd `cmd:"" help:"Add a dashboard user; the password is the first line of standard input."`
	Reset  userResetCmd  `cmd:"" name:"reset-factors" help:"Remove the two-step sign-in of a person who lost every device and code, and end their sessions."`
}

type userCreateCmd struct {
	Email    string `required:"" help:"The e-mail address to sign in with."`
	Role     string `required:"" help:"admin, finance, staff or readonly."`
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of the merchant."`
	Name     string `help:"The person's name."`
	Stdin    bool   `name:"password-stdin" required:"" help:"Read the password from standard input."`
}

func (u *userCreateCmd) run(ctx context.Context, c Config, io streams) error {
	password, err := firstLine(io.in)
	if err != nil {
		return err
	}
	return onApp(ctx, c, io, func(a *App) error {
		m, err := a.merchantFor(ctx, u.Merchant)
		if err != nil {
			return err
		}
		in := user.Input{Email: u.Email, Name: u.Name, Password: password, Role: actor.Role(u.Role)}
		made, err := a.Services.Users.Create(ctx, actor.OperatorOf(m.ID), in)
		if fault.HasCode(err, "unique") {
			made, err = a.Services.Members.Enrol(ctx, actor.OperatorOf(m.ID), strings.TrimSpace(u.Email),
				member.Terms{Role: in.Role})
			if err == nil {
				_, _ = fmt.Fprintf(io.err,
					"%s already has an account and is now a member of %s, too. The password is unchanged.\n",
					made.Email, m.Name)
			}
		}
		if err != nil {
			return err
		}
		return printJSON(io.out, struct {
			ID         uuid.UUID  `json:"id"`
			Email      string     `json:"email"`
			Role       actor.Role `json:"role"`
			MerchantID uuid.UUID  `json:"merchant_id"`
		}{made.ID, made.Email, made.Role, made.MerchantID})
	})
}

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// onApp opens the product for a command that runs and ends.
func onApp(ctx context.Context, c Config, io streams, do func(*App) error) (err error) {
	a, err := Open(ctx, c, opening{log: commandLog(c, io), baseURL: c.PublicURL(c.Listen), maxConns: fewConns,
		noBank: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return do(a)
}

// printJSON writes a result on one line.
func printJSON(out io.Writer, result any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(result)
}
