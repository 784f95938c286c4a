package main

import (
	"context"
	"fmt"

	"debitdesk/models/plural"
	"debitdesk/models/upkeep"
)

type figuresCmds struct {
	Check   figuresCheckCmd   `cmd:"" help:"Compare the figures that pages show with the facts; exit code 1 if any differs."`
	Rebuild figuresRebuildCmd `cmd:"" help:"Compute the figures anew, while servers run."`
}

type figuresCheckCmd struct{}

func (*figuresCheckCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(app *App) error {
		wrong, err := upkeep.Store{DB: app.Store}.WrongFigures(ctx)
		if err != nil {
			return err
		}
		for _, w := range wrong {
			if _, err := fmt.Fprintln(io.out, w); err != nil {
				return err
			}
		}
		if len(wrong) > 0 {
			return fmt.Errorf("%s from the facts", differing(len(wrong)))
		}
		_, err = fmt.Fprintln(io.out, "All figures agree with the facts.")
		return err
	})
}

type figuresRebuildCmd struct{}

func (*figuresRebuildCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(app *App) error { return upkeep.Store{DB: app.Store}.RebuildFigures(ctx) })
}

func differing(n int) string {
	return plural.Number(n) + " " + plural.Pick(n, "figure differs", "figures differ")
}
