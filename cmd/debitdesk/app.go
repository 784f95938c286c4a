package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"debitdesk/cmd/app"
	"debitdesk/migrations"
	"debitdesk/models/audit/trail"
	"debitdesk/models/database"
	"debitdesk/models/database/postgres"
	"debitdesk/models/database/seal"
	"debitdesk/models/jobs"
	"debitdesk/models/keyfile"
	"debitdesk/models/mail"
	"debitdesk/models/mail/smtp"
	"debitdesk/models/outbound"
	"debitdesk/models/requestlog"
)

// App is the opened product: database, keys, clock and use cases. Close it.
type App struct {
	Config   Config
	Log      *slog.Logger
	Keys     *keyfile.Set
	box      *seal.Box
	stopKeys func()
	stopDays func()
	Store    *database.DB
	Services app.Services
	Requests *requestlog.Log

	cluster  *postgres.Private // nil with a DATABASE_URL
	draining atomic.Bool       // told to end: still serving, for a while

	closers []func() error // what else was opened, closed in this order
}

// opening is how a command wants the product.
type opening struct {
	log      *slog.Logger
	baseURL  string // what links begin with
	migrate  bool   // bring somebody else's database up to date, too
	maxConns int32  // 0: what a server needs
	asItIs   bool   // the database alone, whatever its schema is: no use cases
	noBank   bool   // nothing is handed over or fetched, so the exchange directory is not opened
}

// fewConns is enough for a command that runs and ends.
const fewConns = 8

// Open starts or joins the database, checks its schema, reads the keys and the
// clock and wires the use cases. The schema of the embedded database is brought
// up to date; somebody else's only when asked.
func Open(ctx context.Context, c Config, how opening) (_ *App, err error) {
	a := &App{Config: c, Log: how.log}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if a.Keys, err = keyfile.Open(c.Keys, c.Data); err != nil {
		return nil, err
	}
	if err := a.connect(ctx, how.maxConns); err != nil {
		return nil, err
	}
	if how.asItIs {
		return a, nil
	}
	if err := a.bringUpToDate(ctx, c.Embedded() || how.migrate); err != nil {
		return nil, err
	}
	if err := a.Store.Clock.Follow(ctx); err != nil {
		return nil, err
	}
	a.Requests = &requestlog.Log{Write: requestlog.Store{DB: a.Store}.InsertRequests, NewID: a.Store.NewID,
		Now: a.Store.Now, Log: a.Log}
	if a.Services, err = a.wire(how.baseURL, how.noBank); err != nil {
		return a, err
	}
	return a, a.followDays(ctx, a.Services.Purchases.Calendar)
}

// wire builds the use cases.
func (a *App) wire(baseURL string, noBank bool) (app.Services, error) {
	sender, err := relay(a.Config, baseURL)
	if err != nil {
		return app.Services{}, err
	}
	provider, err := a.Config.provider()
	if err != nil {
		return app.Services{}, err
	}
	o := app.Options{Texts: provider, Store: a.Store, Log: a.Log, BaseURL: baseURL,
		Sandbox: a.Config.Sandbox(), Version: version(),
		Now: time.Now, Signing: a.Keys.Signing, Data: a.Config.Data, Relay: sender,
		Issuer: a.Config.issuer()}
	if noBank {
		return app.New(o)
	}
	bank, err := a.connectBank()
	if err != nil {
		return app.Services{}, err
	}
	if bank == nil {
		return app.New(o)
	}
	timetable := timetableOf(bank.Rules)
	o.Gateway, o.Timetable, o.Exchange = bank, &timetable, bank
	services, err := app.New(o)
	if err == nil {
		bank.Calendar = services.Purchases.Calendar // which follows proclaimed days
	}
	return services, err
}

// auditService links the audit and checks it, with the heads that are noted beside the database.
func (a *App) auditService() *trail.Service {
	return app.AuditService(a.Store, a.Keys.Signing, a.Config.Data, a.Log)
}

// relay is who takes the mails; nil: they stay in the outbox.
func relay(c Config, baseURL string) (mail.Sender, error) {
	if c.SMTP == "" {
		return nil, nil
	}
	return smtp.New(c.SMTP, baseURL)
}

// connect opens the pool on the merchant's own server, or on our private one.
func (a *App) connect(ctx context.Context, maxConns int32) (err error) {
	dsn := a.Config.DatabaseURL
	if a.Config.Embedded() {
		if a.cluster, err = postgres.Open(ctx, a.Config.Data, a.Log); err != nil {
			return err
		}
		dsn = a.cluster.DSN(postgres.Database)
	}
	if a.box, err = a.Keys.Box(); err != nil {
		return err
	}
	a.followKeys(ctx)
	enqueue, err := jobs.Inserter()
	if err != nil {
		return err
	}
	a.Store, err = database.Open(ctx, dsn, database.Options{Seal: a.box, Sandbox: a.Config.Sandbox(), MaxConns: maxConns,
		Keep: a.Config.keep(func(string, string, ...any) {}), Log: a.Log, Enqueue: enqueue,
		DirectURL: a.Config.DirectURL, ReadURL: a.Config.ReadURL, Tracer: a.Config.statements(),
		Dialled: func(dial pgconn.DialFunc) pgconn.DialFunc { return outbound.Via(outbound.Database, dial) }})
	return err
}

func (a *App) bringUpToDate(ctx context.Context, may bool) error {
	steps, behind, err := migrations.Status(ctx, a.Store.Pool.Pool)
	switch {
	case err != nil:
		return err
	case !behind:
		return nil
	case !may:
		return fmt.Errorf("the database is behind this program (%s): run debitdesk migrate up, or serve --migrate",
			missingSteps(steps))
	}
	a.Log.Info("bringing the database up to date", "takes",
		cmp.Or(migrations.Missing(steps).Sentence(), "less than a second"))
	return migrations.Up(ctx, a.Store.Direct)
}

// mostNamed is how many missing steps are named; a database without any lacks all of them.
const mostNamed = 5

func missingSteps(steps []migrations.Migration) string {
	var names []string
	for _, s := range steps {
		if !s.Applied {
			names = append(names, strings.TrimSuffix(s.Name, ".sql"))
		}
	}
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return "missing " + strings.Join(names, ", ")
}

// Close gives everything back; the last to leave stops the private database.
func (a *App) Close() error {
	if a.stopKeys != nil {
		a.stopKeys()
	}
	if a.stopDays != nil {
		a.stopDays()
	}
	var wrong []error
	for _, end := range a.closers {
		wrong = append(wrong, end())
	}
	if a.Store != nil {
		a.Store.Close()
	}
	if a.cluster != nil {
		wrong = append(wrong, a.cluster.Close())
	}
	return errors.Join(wrong...)
}
