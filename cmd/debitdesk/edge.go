package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/cmd/app"
	"debitdesk/handlers"
	"debitdesk/handlers/access"
	"debitdesk/migrations"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
	"debitdesk/models/upkeep"
)

// handler is the whole HTTP side over the use cases.
func (a *App) handler(metrics *prometheus.Registry, baseURL string, opsElsewhere bool,
	watch *mandate.Watch) (_ http.Handler, err error) {
	deps, err := a.Services.Parts(app.HTTP{
		Store:   a.Store,
		Box:     a.box,
		Watch:   watch,
		BaseURL: baseURL,
		Sandbox: a.Config.Sandbox(),
		Now:     time.Now,
		Log:     a.Log,
		Sessions: access.NewSessions(a.Services.Users.Store, a.Keys.Sessions, strings.HasPrefix(baseURL, "https://"),
			time.Now),
	})
	if err != nil {
		return nil, err
	}
	deps.Log, deps.Metrics, deps.OpsElsewhere = a.Log, metrics, opsElsewhere
	deps.SecurityContact = a.Config.Contact
	deps.Ready, deps.Draining, deps.Unavailable = a.ready(), a.draining.Load, database.Unavailable
	if a.Store.Standby != nil {
		deps.Standby = a.Store
	}
	if deps.Proxies, err = a.Config.proxies(); err != nil {
		return nil, err
	}
	if deps.Limits, err = a.Config.limits(); err != nil {
		return nil, err
	}
	if a.Config.RequestLog {
		deps.RequestLog = a.Requests.Add
		if a.Requests.Dropped, err = handlers.CountDropped(metrics); err != nil {
			return nil, err
		}
	}
	return handlers.New(deps)
}

// writesEvery is how often the database is asked to write, however often we are asked.
const writesEvery = 2 * time.Second

// lately gives the answer of the last check again while it is that fresh.
func lately(every time.Duration, check func(context.Context) error) func(context.Context) error {
	var (
		turn sync.Mutex
		at   time.Time
		last error
	)
	return func(ctx context.Context) error {
		turn.Lock()
		defer turn.Unlock()
		if time.Since(at) >= every {
			last, at = check(ctx), time.Now()
		}
		return last
	}
}

// ready is what must be fine before requests may come. What the database has beyond
// this program is fine: a release after this one may be on its way in.
func (a *App) ready() []handlers.Check {
	return []handlers.Check{
		{Name: "database", Words: "unreachable", Run: a.Store.Pool.Ping},
		{Name: "migrations", Words: "unknown", Run: func(ctx context.Context) error {
			steps, behind, err := migrations.Status(ctx, a.Store.Pool.Pool)
			if err == nil && behind {
				err = handlers.Lacking(missingSteps(steps))
			}
			return err
		}},
		{Name: "writes", Words: "refused", Run: lately(writesEvery, upkeep.Store{DB: a.Store}.Writable)},
		{Name: "keys", Words: "unusable", Run: func(context.Context) error {
			_, err := a.Keys.Box()
			return err
		}},
	}
}
