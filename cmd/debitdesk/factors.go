package main

import (
	"context"
	"fmt"
	"strings"

	"debitdesk/models/actor"
	"debitdesk/models/factor"
	"debitdesk/models/merchant"
)

type userResetCmd struct {
	Email    string `required:"" help:"The e-mail address the person signs in with."`
	Merchant string `required:"" placeholder:"SLUG" help:"Short name of a merchant the person works for."`
}

// run resets also whom no admin may reset, because they work for two merchants:
// whoever has the command line has the database.
func (u *userResetCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		m, err := merchant.Store{DB: a.Store}.MerchantBySlug(ctx, u.Merchant)
		if err != nil {
			return fmt.Errorf("merchant %s: %w", u.Merchant, err)
		}
		operator := actor.OperatorOf(m.ID)
		members, err := a.Services.Factors.Members(ctx, operator)
		if err != nil {
			return err
		}
		for _, one := range members {
			if strings.EqualFold(one.Email, strings.TrimSpace(u.Email)) {
				return a.resetFactors(ctx, operator, one, io)
			}
		}
		return fmt.Errorf("%s does not work for %s", u.Email, u.Merchant)
	})
}

func (a *App) resetFactors(ctx context.Context, operator actor.Actor, one factor.Member, io streams) error {
	if err := a.Services.Factors.Reset(ctx, operator, one.ID); err != nil {
		return err
	}
	_, err := fmt.Fprintf(io.out, "%s now signs in with the password only. They were told by mail.\n", one.Email)
	return err
}
