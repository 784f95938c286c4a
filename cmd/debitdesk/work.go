package main

import (
	"context"
	"errors"
	"net"
	"time"

	"debitdesk/cmd/app"
	"debitdesk/models/jobs"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/upkeep"
)

type workCmd struct {
	Migrate bool `help:"Bring the database to the newest schema first; the embedded one is always brought up to date."`
}

func (w *workCmd) run(ctx context.Context, c Config, io streams) (err error) {
	keepSmall()
	log := serverLog(c, io)
	untraced, err := watch(ctx, c, log)
	if err != nil {
		return err
	}
	defer untraced()
	a, err := Open(ctx, c, opening{log: log, baseURL: c.PublicURL(c.Listen), migrate: w.Migrate})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.fit(ctx); err != nil {
		return err
	}
	return a.Work(ctx)
}

// Work does the work in the background until ctx ends, with health and metrics
// on the operations address alone.
func (a *App) Work(ctx context.Context) error {
	var l net.ListenConfig
	failed := make(chan error, 1)
	if a.Config.OpsListen != "" {
		ops, err := l.Listen(ctx, "tcp", a.Config.OpsListen)
		if err != nil {
			return err
		}
		server := start(ops, nil, operations(a.metrics()), a.Log, failed)
		defer func() { _ = server.Close() }()
	}
	stopWork, err := a.startWork(ctx, true)
	if err != nil {
		return err
	}
	a.Log.Info("working")
	select {
	case <-ctx.Done():
		a.Log.Info("stopping")
	case err = <-failed:
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	return errors.Join(err, stopWork(drain))
}

// startWork begins the work in the background and gives what ends it: work that
// is under way may finish.
func (a *App) startWork(ctx context.Context, working bool) (stop func(context.Context) error, err error) {
	if !working {
		return func(context.Context) error { return nil }, nil
	}
	s := a.Services
	d := jobs.Deps{Pool: a.Store.Pool.Pool, Direct: a.Store.Direct, Log: a.Log, Tidy: a.tidy, SendMail: s.Outbox.Send,
		SendSMS:       s.Texts.Send,
		Middleware:    a.Config.workTraces(),
		SendDue:       func(ctx context.Context) error { _, err := s.SendDue(ctx); return err },
		RunDue:        func(ctx context.Context) error { return s.RunDue(ctx) },
		ResetPassword: s.Users.SendReset, SendClientPage: s.ClientPages.SendAsked,
		WorkBatch: s.Batches.Work, WorkBatches: s.Batches.TakeUp,
		LinkAudit:  s.Audit.Link,
		BatchesDue: s.Batches.HasWork, Quiet: a.Store.Activity.Quiet,
		MakeStatement: s.Statements.Make, MakeStatements: s.Statements.TakeUp,
		WorkTask: s.Tasks.Work, WorkTasks: s.Tasks.TakeUp,
		FoldCounts: func(ctx context.Context) error {
			_, counts := upkeep.Store{DB: a.Store}.FoldCounts(ctx)
			_, figures := upkeep.Store{DB: a.Store}.FoldFigures(ctx)
			return errors.Join(counts, figures)
		},
	}
	if s.Simulations != nil {
		d.Simulate, d.SimulateAll = s.Simulations.Play, s.Simulations.TakeUp
	}
	a.Store.Activity.Follow()
	a.hurry(&d)
	runner, err := jobs.Run(ctx, d)
	if err != nil {
		return nil, err
	}
	return runner.Stop, nil
}

// tidy removes what is past its time; of the audit too, whose chains it checks before. It reckons what is told by the
// day.
func (a *App) tidy(ctx context.Context) error {
	now := time.Now()
	return errors.Join(upkeep.Store{DB: a.Store}.Tidy(ctx, now), a.Services.Audit.DropPast(ctx, now),
		a.Services.Recurring.Run(ctx))
}

// hurry has due work done on time where people wait for it; a panel shows it within
// a second. What is asked so often is one statement over a few partial indexes; a
// round that finds nothing takes twenty times as long, so rounds are not simply
// made more often.
//
// In the sandbox everything that is due counts, the answers of its bank included:
// what becomes due is done within LookEvery. In live mode the bank is asked for
// news in each round, so a round comes each second while a client is being asked,
// which also ends the 120 seconds on time, and each minute otherwise.
//
// While nothing is written and nothing planned has come, none of this is asked.
func (a *App) hurry(d *jobs.Deps) {
	writes := a.Store.Activity.Writes
	hooks := a.Services.PressingHooks(a.Store.Now, writes)
	d.WebhooksDue = hooks.Ask
	d.SendWebhooks = func(ctx context.Context) error {
		defer hooks.Forget()
		return a.Services.Webhooks.Work(ctx)
	}
	if a.Config.Sandbox() {
		pressing := a.Services.Pressing(a.Store.Now, writes)
		d.DueEvery, d.LookEvery, d.Pressing = time.Minute, 250*time.Millisecond, pressing.Ask
		d.RunDue = func(ctx context.Context) error {
			defer pressing.Forget()
			return a.Services.RunDue(ctx)
		}
		return
	}
	asking := app.PressingUntil(mandate.Store{DB: a.Store}.AskingNow, a.Store.Now, writes)
	d.LookEvery, d.Pressing = time.Second, asking.Ask
}

// fit refuses to serve what the mode forbids.
func (a *App) fit(ctx context.Context) error {
	if !a.Config.Sandbox() {
		demo, err := merchant.Store{DB: a.Store}.HasDemo(ctx)
		if err != nil {
			return err
		}
		if demo {
			return errors.New(
				"live mode does not run on a database with a demo merchant and its people: use a database of its own")
		}
	}
	return nil
}
