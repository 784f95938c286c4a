// Package jobs schedules the work in the background. Sweeps are the one scheduler: they
// come round and do what the rows say is due. A job of the queue is a nudge in the
// transaction of a fact, so that nobody waits for a round; when one is lost, the sweep
// makes it good. The asking for a new password, or for the link to a client's own page, alone
// stands in its job, because it must take the same time whether the person exists or not. The package must not know
// what the work is.
//
// River carries the nudges: it wakes a process within milliseconds, gives each nudge to
// one of them, bounds how many run at once, and keeps them across a crash. Without it we
// would need a table for the resets that were asked for, a listener with claims and a
// clean-up of its own, and sweeps that work on several batches side by side. That is more
// code than binds River here, and all of it would have to be proved by killing processes.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"debitdesk/models/queue"
)

// fetchCooldown bounds how often a process asks for jobs; a new one is announced,
// so that it starts within milliseconds.
const (
	fetchCooldown = 5 * time.Millisecond
	fetchPoll     = 2 * time.Second // for one whose announcement was lost
	workers       = 6
	jobTimeout    = 10 * time.Minute
	rescueAfter   = 15 * time.Minute
	doneKept      = time.Hour
)

// once: the row is the truth and a sweep comes round, so a job that failed is not
// tried again by the queue.
var once = &river.InsertOpts{MaxAttempts: 1}

// Inserter writes jobs into the caller's transaction, for store.Options.Enqueue.
func Inserter() (func(ctx context.Context, tx pgx.Tx, jobs []queue.Job) error, error) {
	client, err := river.NewClient(riverpgxv5.New(nil),
		&river.Config{FetchCooldown: fetchCooldown, Logger: quiet(slog.Default())})
	if err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return func(ctx context.Context, tx pgx.Tx, jobs []queue.Job) error {
		params := make([]river.InsertManyParams, len(jobs))
		for i, job := range jobs {
			params[i] = river.InsertManyParams{Args: job, InsertOpts: once}
		}
		if _, err := client.InsertManyTx(ctx, tx, params); err != nil {
			return fmt.Errorf("insert jobs: %w", err)
		}
		return nil
	}, nil
}

// Deps is who does the work. Every one of them must be safe to repeat and to run
// in several processes at once.
type Deps struct {
	Pool   *pgxpool.Pool
	Direct *pgxpool.Pool // for listening and locks, around a pooler; nil: Pool
	Log    *slog.Logger

	SendMail   func(ctx context.Context, id uuid.UUID) error // one mail of the outbox
	SendSMS    func(ctx context.Context, id uuid.UUID) error // one short message; nil: nobody does
	SendDue    func(ctx context.Context) error               // mails and short messages whose turn has come
	RunDue     func(ctx context.Context) error               // what the clock has made due
	Tidy       func(ctx context.Context) error
	FoldCounts func(ctx context.Context) error
	Reseal     func(ctx context.Context) error // a rotation of keys that is under way; nil: nobody does
	LinkAudit  func(ctx context.Context) error // entries of the audit into their chains; nil: nobody does

	ResetPassword func(ctx context.Context, ask queue.ResetPassword) error // mails a link to a new password

	// SendClientPage sends a link to the client's own page.
	SendClientPage func(ctx context.Context, ask queue.SendClientPage) error

	WorkBatch   func(ctx context.Context, id uuid.UUID) error // what a batch has to do
	WorkBatches func(ctx context.Context) error               // batches that lost their worker

	SendWebhooks   func(ctx context.Context) error               // events that endpoints wait for; nil sends none
	WebhooksDue    func(ctx context.Context) (bool, error)       // whether there are any; asked all day
	MakeStatement  func(ctx context.Context, id uuid.UUID) error // a file of the movements of money
	MakeStatements func(ctx context.Context) error               // those that lost their worker
	WorkTask       func(ctx context.Context, id uuid.UUID) error // long work that a person asked for
	WorkTasks      func(ctx context.Context) error               // tasks that lost their worker
	Simulate       func(ctx context.Context, id uuid.UUID) error // a run of the simulator; nil in live mode
	SimulateAll    func(ctx context.Context) error               // those that wait, and those that lost their worker

	BatchesDue func(ctx context.Context) (bool, error) // whether WorkBatches has anything to do; asked all day

	// Middleware stands around each job of the queue.
	Middleware []rivertype.Middleware

	// Quiet tells for how long nothing was written that could be work for a sweep; nil: that is not known.
	Quiet func() time.Duration

	// DueEvery is how often RunDue comes round by itself; 0 is a minute.
	DueEvery time.Duration
	// Pressing asks each LookEvery whether RunDue is wanted before that, because
	// people wait for it. It is asked all day and must cost next to nothing; nil
	// never asks.
	Pressing  func(ctx context.Context) (bool, error)
	LookEvery time.Duration
}

// driver asks the pool, and listens around a pooler.
type driver struct {
	*riverpgxv5.Driver
	direct *pgxpool.Pool
}

// GetListener implements riverdriver.Driver.
func (d *driver) GetListener(p *riverdriver.GetListenenerParams) riverdriver.Listener {
	return riverpgxv5.New(d.direct).GetListener(p)
}

// Runner is the work of one process, until Stop.
type Runner struct {
	client *river.Client[pgx.Tx]
	sweeps *sweeps
}

// Run starts the workers and the sweeps. Cancelling ctx does not end them: Stop does.
func Run(ctx context.Context, d Deps) (*Runner, error) {
	if d.Log == nil {
		d.Log = slog.Default()
	}
	if d.DueEvery == 0 {
		d.DueEvery = time.Minute
	}
	if d.Direct == nil {
		d.Direct = d.Pool
	}
	if d.BatchesDue == nil {
		d.BatchesDue = func(context.Context) (bool, error) { return true, nil }
	}
	done := river.NewWorkers()
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.SendMail]) error {
		return d.SendMail(ctx, j.Args.MailID)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.SendSMS]) error {
		if d.SendSMS == nil {
			return nil
		}
		return d.SendSMS(ctx, j.Args.MessageID)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, _ *river.Job[queue.SendDueMails]) error {
		return d.SendDue(ctx)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, _ *river.Job[queue.RunDue]) error {
		return d.RunDue(ctx)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.WorkBatch]) error {
		return d.WorkBatch(ctx, j.Args.BatchID)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.ResetPassword]) error {
		return d.ResetPassword(ctx, j.Args)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.SendClientPage]) error {
		return d.SendClientPage(ctx, j.Args)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.MakeStatement]) error {
		return d.MakeStatement(ctx, j.Args.StatementID)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.WorkTask]) error {
		return d.WorkTask(ctx, j.Args.TaskID)
	}))
	river.AddWorker(done, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.Simulate]) error {
		if d.Simulate == nil {
			return nil
		}
		return d.Simulate(ctx, j.Args.RunID)
	}))
	client, err := river.NewClient[pgx.Tx](&driver{riverpgxv5.New(d.Pool), d.Direct}, &river.Config{
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		Workers:       done,
		FetchCooldown: fetchCooldown, FetchPollInterval: fetchPoll,
		JobTimeout: jobTimeout, RescueStuckJobsAfter: rescueAfter, CompletedJobRetentionPeriod: doneKept,
		Logger: quiet(d.Log), ErrorHandler: &errorLog{d.Log}, Middleware: d.Middleware,
	})
	if err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := client.Start(ctx); err != nil {
		return nil, fmt.Errorf("start the job queue: %w", err)
	}
	return &Runner{client, startSweeps(ctx, d)}, nil
}

// Stop lets work under way finish until ctx ends, and then cancels it. What was
// cancelled is taken up again after the next start.
func (r *Runner) Stop(ctx context.Context) error {
	r.sweeps.stop(ctx)
	if err := r.client.Stop(ctx); err == nil {
		return nil
	}
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := r.client.StopAndCancel(hard); err != nil {
		return fmt.Errorf("stop the job queue: %w", err)
	}
	return nil
}
