package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/jobs"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

func nothing(context.Context) error { return nil }

func openStore(t *testing.T, enqueue func(context.Context, pgx.Tx, []queue.Job) error) *database.DB {
	t.Helper()
	if enqueue == nil {
		var err error
		if enqueue, err = jobs.Inserter(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, Enqueue: enqueue})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// work runs the jobs of a store until the test ends.
func work(t *testing.T, s *database.DB, change func(*jobs.Deps)) *jobs.Runner {
	t.Helper()
	d := jobs.Deps{Pool: s.Pool.Pool, SendMail: func(context.Context, uuid.UUID) error { return nil },
		SendDue: nothing, RunDue: nothing, Tidy: nothing, FoldCounts: nothing, WorkBatches: nothing, DueEvery: time.Hour}
	change(&d)
	r, err := jobs.Run(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

func newMail() mail.Mail {
	return mail.Mail{MerchantID: uuid.New(), ObjectID: uuid.New(), Kind: "invoice", To: "thandi@example.co.za"}
}

func TestAMailOfACommittedFactGoesOut(t *testing.T) {
	s := openStore(t, nil)
	sent := make(chan mail.Mail)
	out := outbox.Service{Store: outbox.Store{DB: s}, Sender: outbox.Keep{},
		Sent: func(_ context.Context, mails []mail.Mail) error { sent <- mails[0]; return nil }}
	work(t, s, func(d *jobs.Deps) { d.SendMail = out.Send })

	undone, done := newMail(), newMail()
	failure := errors.New("undo")
	if err := s.InTx(t.Context(), func(tx *database.Tx) error { tx.InsertMail(undone); return failure }); !errors.Is(err,
		failure) {
		t.Fatal(err)
	}
	if err := s.InTx(t.Context(), func(tx *database.Tx) error { tx.InsertMail(done); return nil }); err != nil {
		t.Fatal(err)
	}
	if m := <-sent; m.ObjectID != done.ObjectID {
		t.Errorf("sent %+v", m)
	}
	var jobsLeft int
	if err := s.Pool.QueryRow(t.Context(), `SELECT count(*) FROM river_job`).Scan(&jobsLeft); err != nil || jobsLeft != 1 {
		t.Errorf("%d jobs were queued, %v", jobsLeft, err)
	}
}

func TestALostJobIsMadeGoodByTheSweep(t *testing.T) {
	s := openStore(t, func(context.Context, pgx.Tx, []queue.Job) error { return nil })
	if err := s.InTx(t.Context(), func(tx *database.Tx) error { tx.InsertMail(newMail()); return nil }); err != nil {
		t.Fatal(err)
	}
	sent := make(chan mail.Mail, 1)
	out := outbox.Service{Store: outbox.Store{DB: s}, Sender: outbox.Keep{},
		Sent: func(_ context.Context, mails []mail.Mail) error { sent <- mails[0]; return nil }}
	work(t, s, func(d *jobs.Deps) {
		d.SendDue = func(ctx context.Context) error { _, err := out.SendDue(ctx); return err }
	})
	<-sent
}

func TestEveryKindOfJobHasAWorker(t *testing.T) {
	s := openStore(t, nil)
	did := make(chan string, 8)
	id := uuid.New()
	work(t, s, func(d *jobs.Deps) {
		d.SendMail = func(_ context.Context, got uuid.UUID) error { did <- "mail " + got.String(); return nil }
		d.RunDue = func(ctx context.Context) error { return tell(ctx, did, "due") }
		d.WorkBatch = func(_ context.Context, got uuid.UUID) error { did <- "batch " + got.String(); return nil }
		d.MakeStatement = func(_ context.Context, got uuid.UUID) error { did <- "statement " + got.String(); return nil }
		d.Simulate = func(_ context.Context, got uuid.UUID) error { did <- "simulation " + got.String(); return nil }
		d.ResetPassword = func(_ context.Context, ask queue.ResetPassword) error { did <- "reset " + ask.Email; return nil }
	})
	if got := <-did; got != "due" { // the first round comes with the start
		t.Fatal(got)
	}
	for _, row := range []struct {
		job  queue.Job
		want string
	}{{queue.SendMail{MailID: id}, "mail " + id.String()}, {queue.RunDue{}, "due"},
		{queue.WorkBatch{BatchID: id}, "batch " + id.String()},
		{queue.MakeStatement{StatementID: id}, "statement " + id.String()},
		{queue.Simulate{RunID: id}, "simulation " + id.String()},
		{queue.ResetPassword{Email: "a@example.com"}, "reset a@example.com"}} {
		if err := s.InTx(t.Context(), func(tx *database.Tx) error { tx.Enqueue(row.job); return nil }); err != nil {
			t.Fatal(err)
		}
		if got := <-did; got != row.want {
			t.Errorf("%s did %q", row.job.Kind(), got)
		}
	}
}

func TestTidyingComesWithTheStart(t *testing.T) {
	s := openStore(t, nil)
	did := make(chan string, 1)
	work(t, s, func(d *jobs.Deps) { d.Tidy = func(ctx context.Context) error { return tell(ctx, did, "tidy") } })
	<-did
}

func tell(_ context.Context, to chan<- string, what string) error { to <- what; return nil }

// book is a log handler that keeps what it is told.
type book struct {
	slog.Handler
	mu    sync.Mutex
	lines []slog.Record
}

func (b *book) Enabled(context.Context, slog.Level) bool { return true }

func (b *book) Handle(_ context.Context, r slog.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, r)
	return nil
}

func (b *book) WithAttrs([]slog.Attr) slog.Handler { return b }
func (b *book) WithGroup(string) slog.Handler      { return b }

func TestAFailedJobIsLoggedOnceWithItsIDAndKind(t *testing.T) {
	s := openStore(t, nil)
	log := &book{Handler: slog.DiscardHandler}
	failed := make(chan struct{}, 1)
	r := work(t, s, func(d *jobs.Deps) {
		d.Log = slog.New(log)
		d.SendMail = func(context.Context, uuid.UUID) error { failed <- struct{}{}; return errors.New("relay is away") }
	})
	if err := s.InTx(t.Context(), func(tx *database.Tx) error { tx.InsertMail(newMail()); return nil }); err != nil {
		t.Fatal(err)
	}
	<-failed
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(log.lines) != 1 || log.lines[0].Level != slog.LevelError {
		t.Fatalf("logged %+v", log.lines)
	}
	found := map[string]string{}
	log.lines[0].Attrs(func(a slog.Attr) bool { found[a.Key] = a.Value.String(); return true })
	if found["job_id"] == "" || found["job_kind"] != "send_mail" || found["error"] == "" {
		t.Errorf("logged %v", found)
	}
}

func TestStopWaitsForWorkUnderWay(t *testing.T) {
	s := openStore(t, nil)
	started, finish, finished := make(chan struct{}), make(chan struct{}), false
	r := work(t, s, func(d *jobs.Deps) {
		d.RunDue = func(context.Context) error { close(started); <-finish; finished = true; return nil }
	})
	<-started
	stopped := make(chan error)
	go func() { stopped <- r.Stop(context.Background()) }()
	close(finish)
	if err := <-stopped; err != nil || !finished {
		t.Errorf("stopped with %v, finished %v", err, finished)
	}
}

func TestStopCancelsWorkThatTakesTooLong(t *testing.T) {
	s := openStore(t, nil)
	started := make(chan struct{}, 2)
	wait := func(ctx context.Context) error { started <- struct{}{}; <-ctx.Done(); return ctx.Err() }
	r := work(t, s, func(d *jobs.Deps) {
		d.RunDue = wait
		d.WorkBatch = func(ctx context.Context, _ uuid.UUID) error { return wait(ctx) }
	})
	if err := s.InTx(t.Context(), func(tx *database.Tx) error { tx.Enqueue(queue.WorkBatch{}); return nil }); err != nil {
		t.Fatal(err)
	}
	<-started
	<-started
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Stop(over); err != nil {
		t.Error(err)
	}
}
