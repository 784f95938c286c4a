package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/store"
	"debitdesk/models/store/storetest"
	"debitdesk/models/store/storetest/dbtest"
	"debitdesk/models/store/storetest/plans"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
)

// Lists of what waits are read in their order: no page reads, or sorts, all that waits of a kind.
func TestNoListOfWhatWaitsReadsAllThatWaits(t *testing.T) {
	const most = 3_000 // a page looks at up to 3 000
	dsn := dbtest.Migrated(t)
	merchant := uuid.New()
	s, l := listened(t, dsn, `INSERT INTO attention (merchant_id, kind, object_id, at, answered, cents, currency)
			SELECT '`+merchant.String()+`'::uuid, kind, gen_random_uuid(), now() - n * interval '1 minute', false, 100, 'ZAR'
			FROM unnest(ARRAY['suspended', 'idle', 'blocked', 'replaced', 'stranded', 'terms', 'failed', 'disputed']) AS kind,
				generate_series(1, 8000) n`,
		"VACUUM ANALYZE attention")
	page := paging.Ask{Limit: 50}
	for name, open := range map[string]func(context.Context) error{
		"mandates": func(ctx context.Context) error {
			_, err := (mandate.Store{DB: s.DB}).Mandates(ctx, merchant, mandate.Filter{Concern: mandate.Stopped}, page)
			return err
		},
		"tokens": func(ctx context.Context) error {
			_, err := (token.Store{DB: s.DB}).Tokens(ctx, merchant, token.Filter{Concern: token.Needed}, page)
			return err
		},
		"subscribers": func(ctx context.Context) error {
			_, err := (subscription.Store{DB: s.DB}).TemplateClients(ctx, merchant, uuid.Nil,
				subscription.SubscriberFilter{Concern: subscription.Stranded}, page)
			return err
		},
		"found subscribers": func(ctx context.Context) error {
			_, err := (subscription.Store{DB: s.DB}).TemplateClients(ctx, merchant, uuid.Nil,
				subscription.SubscriberFilter{Concern: subscription.Stranded, Search: "nkosi"}, page)
			return err
		},
		"idle mandates": func(ctx context.Context) error {
			_, err := (mandate.Store{DB: s.DB}).Mandates(ctx, merchant, mandate.Filter{Concern: mandate.Idle}, page)
			return err
		},
		"replacements": func(ctx context.Context) error {
			_, err := (token.Store{DB: s.DB}).Tokens(ctx, merchant, token.Filter{Concern: token.Replaces}, page)
			return err
		},
		"subscribers whose mandate does not allow a period": func(ctx context.Context) error {
			_, err := (subscription.Store{DB: s.DB}).TemplateClients(ctx, merchant, uuid.Nil,
				subscription.SubscriberFilter{Concern: subscription.Unfit}, page)
			return err
		},
		"purchases": func(ctx context.Context) error {
			_, err := s.Purchases(ctx, merchant, purchase.Filter{Concern: purchase.FailedDebit}, page)
			return err
		},
	} {
		l.Doing(name)
		if err := open(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.Doing("")
	noneReadsMore(t, dsn, l.Statements(), "attention", most)
}

// What runs out is found by when it does, however many requests still wait for an answer.
func TestWhatRunsOutIsNotLookedForAmongAllRequests(t *testing.T) {
	dsn := storetest.DSN(t)
	s, l := listened(t, dsn, `SET session_replication_role = replica;
			INSERT INTO mandate_authentications (id, merchant_id, mandate_id, number, method, state, requested_at, expires_at)
			SELECT gen_random_uuid(), gen_random_uuid(), lpad(to_hex(n), 32, '0')::uuid, 1, 'DELAYED',
				CASE n % 16 WHEN 0 THEN 'delivered' ELSE 'accepted' END, now(),
				now() + CASE n % 16 WHEN 0 THEN 1 ELSE -1 END * random() * interval '300 days'
			FROM generate_series(1, 48000) n;
			SET session_replication_role = DEFAULT`,
		"VACUUM ANALYZE mandate_authentications")
	l.Doing("requests that run out")
	if found, err := s.RunOut(t.Context(), s.Now().Add(-time.Hour), s.Now().Add(-time.Hour), 200); err != nil ||
		len(found) > 0 {
		t.Errorf("%d have run out: %v", len(found), err)
	}
	l.Doing("")
	noneReadsMore(t, dsn, l.Statements(), "mandate_authentications", 200)
}

// listened is a store of a prepared database, and who takes down what it asks.
func listened(t *testing.T, dsn string, statements ...string) (*store.Store, *plans.Listener) {
	t.Helper()
	l, err := plans.Listen(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s, err := store.Open(t.Context(), l.DSN(), store.Options{Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, sql := range statements {
		if _, err := s.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	return s, l
}

func noneReadsMore(t *testing.T, dsn string, statements []plans.Statement, table string, most int64) {
	t.Helper()
	found, err := plans.Explain(t.Context(), dsn, statements, plans.Limits{Grows: []string{table}, Rows: most})
	if err != nil || len(found) == 0 {
		t.Errorf("%d statements were explained: %v", len(found), err)
	}
	for _, p := range found {
		if len(p.Offences) > 0 {
			t.Errorf("%s: %s\n%s\n%s", p.For, strings.Join(p.Offences, "; "), p.SQL, p.Text)
		}
	}
}
