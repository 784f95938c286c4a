package main

import (
	"context"
	"fmt"
	"io"

	"debitdesk/handlers/access"
	"debitdesk/models/calendar"
)

type userFirstCmd struct{}

func (u *userFirstCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		return a.printFirstLink(ctx, c.PublicURL(c.Listen), io.out)
	})
}

// offerFirstLink prints the link when the installation has no user yet: there is no other way in from a browser.
func (a *App) offerFirstLink(ctx context.Context, baseURL string, out io.Writer) error {
	waits, err := a.Services.Installation.Waits(ctx)
	if err != nil || !waits {
		return err
	}
	return a.printFirstLink(ctx, baseURL, out)
}

// printFirstLink makes a new link. It is printed and never logged: who reads it can set up the installation.
func (a *App) printFirstLink(ctx context.Context, baseURL string, out io.Writer) error {
	token, until, err := a.Services.Installation.Link(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, `
There are no users yet. Set up your business and its first admin here:

  %s%s%s

The link works once, until %s SAST. A restart, or debitdesk user first, prints a new one.
`, baseURL, access.FirstPage, token, until.In(calendar.SAST).Format("2 January 2006, 15:04"))
	return err
}
