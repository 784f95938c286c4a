package attention_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database/dbtest"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/storetest/plans"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
)

// Lists of what waits are read in their order: no page reads, or sorts, all that waits of a kind.
func TestNoListOfWhatWaitsReadsAllThatWaits(t *testing.T) {
	const most = 3_000 // a page looks at up to 3 000
	dsn := dbtest.Migrated(t)
	merchant := uuid.New()
	s, l := plans.Listened(t, dsn, `INSERT INTO attention (merchant_id, kind, object_id, at, answered, cents, currency)
			SELECT '`+merchant.String()+`'::uuid, kind, gen_random_uuid(), now() - n * interval '1 minute', false, 100, 'ZAR'
			FROM unnest(ARRAY['suspended', 'idle', 'blocked', 'replaced', 'stranded', 'terms', 'failed', 'disputed']) AS kind,
				generate_series(1, 8000) n`,
		"VACUUM ANALYZE attention")
	page := paging.Ask{Limit: 50}
	for name, open := range map[string]func(context.Context) error{
		"mandates": func(ctx context.Context) error {
			_, err := (mandate.Store{DB: s}).Mandates(ctx, merchant, mandate.Filter{Concern: mandate.Stopped}, page)
			return err
		},
		"tokens": func(ctx context.Context) error {
			_, err := (token.Store{DB: s}).Tokens(ctx, merchant, token.Filter{Concern: token.Needed}, page)
			return err
		},
		"subscribers": func(ctx context.Context) error {
			_, err := (subscription.Store{DB: s}).TemplateClients(ctx, merchant, uuid.Nil,
				subscription.SubscriberFilter{Concern: subscription.Stranded}, page)
			return err
		},
		"found subscribers": func(ctx context.Context) error {
			_, err := (subscription.Store{DB: s}).TemplateClients(ctx, merchant, uuid.Nil,
				subscription.SubscriberFilter{Concern: subscription.Stranded, Search: "nkosi"}, page)
			return err
		},
		"idle mandates": func(ctx context.Context) error {
			_, err := (mandate.Store{DB: s}).Mandates(ctx, merchant, mandate.Filter{Concern: mandate.Idle}, page)
			return err
		},
		"replacements": func(ctx context.Context) error {
			_, err := (token.Store{DB: s}).Tokens(ctx, merchant, token.Filter{Concern: token.Replaces}, page)
			return err
		},
		"subscribers whose mandate does not allow a period": func(ctx context.Context) error {
			_, err := (subscription.Store{DB: s}).TemplateClients(ctx, merchant, uuid.Nil,
				subscription.SubscriberFilter{Concern: subscription.Unfit}, page)
			return err
		},
		"purchases": func(ctx context.Context) error {
			_, err := (purchase.Store{DB: s}).Purchases(ctx, merchant, purchase.Filter{Concern: purchase.FailedDebit}, page)
			return err
		},
	} {
		l.Doing(name)
		if err := open(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.Doing("")
	plans.NoneReadsMore(t, dsn, l.Statements(), "attention", most)
}
