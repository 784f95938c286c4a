package main

import (
	"context"
	"fmt"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/holiday"
	"debitdesk/models/plural"
)

// daysEvery is how soon a process sees a day that was proclaimed.
const daysEvery = 20 * time.Second

// followDays gives the calendar the days that are kept in the database, now and
// whenever they change. The last known days hold while the database is away.
func (a *App) followDays(ctx context.Context, days *calendar.Calendar) error {
	take := func(ctx context.Context) error {
		changes, err := a.holidays().Store.ProclaimedDays(ctx)
		if err == nil {
			days.Replace(changes...)
		}
		return err
	}
	if err := take(ctx); err != nil {
		return err
	}
	ctx, a.stopDays = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		for tick := time.NewTicker(daysEvery); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
			if err := take(ctx); err != nil && ctx.Err() == nil {
				a.Log.WarnContext(ctx, "the proclaimed days could not be read; the ones read before stay in use", "error", err)
			}
		}
	}()
	return nil
}

type holidayCmd struct {
	Add    holidayAddCmd    `cmd:"" help:"Add a day that was proclaimed a public holiday."`
	Remove holidayRemoveCmd `cmd:"" help:"Remove a day that was added."`
	List   holidayListCmd   `cmd:"" help:"List the days that were added."`
}

type holidayAddCmd struct {
	Date string `arg:"" help:"The day, YYYY-MM-DD."`
	Name string `arg:"" help:"What it is called, such as \"Election day\"."`
	Open bool   `help:"Mark a public holiday of the law that is not observed."`

	Check bool `help:"Say for each business what would move, and change nothing."`
}

func (h *holidayAddCmd) run(ctx context.Context, c Config, io streams) error {
	day, err := calendar.ParseDate(h.Date)
	if err != nil {
		return usageError{err}
	}
	return onApp(ctx, c, io, func(a *App) error {
		change := calendar.Change{Day: day, Name: h.Name, Open: h.Open}
		if h.Check {
			return rehearse(ctx, a, io, day, a.Services.Purchases.Calendar.With(change))
		}
		planned, err := a.holidays().Add(ctx, actor.Actor{Kind: actor.Operator}, change)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(io.out, "%s %s: added; every process uses it within a minute\n", day, h.Name)
		sayPlanned(io, planned)
		return nil
	})
}

type holidayRemoveCmd struct {
	Date  string `arg:"" help:"The day, YYYY-MM-DD."`
	Check bool   `help:"Say for each business what would move, and change nothing."`
}

func (h *holidayRemoveCmd) run(ctx context.Context, c Config, io streams) error {
	day, err := calendar.ParseDate(h.Date)
	if err != nil {
		return usageError{err}
	}
	return onApp(ctx, c, io, func(a *App) error {
		if h.Check {
			return rehearse(ctx, a, io, day, a.Services.Purchases.Calendar.Without(day))
		}
		planned, err := a.holidays().Remove(ctx, actor.Actor{Kind: actor.Operator}, day)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(io.out, "%s: removed; every process knows it within a minute\n", day)
		sayPlanned(io, planned)
		return nil
	})
}

func sayPlanned(io streams, planned int64) {
	if planned > 0 {
		_, _ = fmt.Fprintf(io.out, "%s %s already planned for that day; %s the date\n",
			plural.Of(planned, "debit"), plural.Is(planned), plural.Pick(planned, "it keeps", "they keep"))
	}
}

type holidayListCmd struct{}

func (*holidayListCmd) run(ctx context.Context, c Config, io streams) error {
	return onApp(ctx, c, io, func(a *App) error {
		days, err := a.holidays().Store.ProclaimedDays(ctx)
		if err != nil {
			return err
		}
		for _, d := range days {
			state := "closed"
			if d.Open {
				state = "open"
			}
			_, _ = fmt.Fprintf(io.out, "%s  %-6s  %s\n", d.Day, state, d.Name)
		}
		if len(days) == 0 {
			_, _ = fmt.Fprintln(io.out, "no day was added")
		}
		return nil
	})
}

func (a *App) holidays() *holiday.Service {
	return &holiday.Service{Store: holiday.Store{DB: a.Store}}
}
