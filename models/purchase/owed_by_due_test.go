package purchase_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/storetest"
	"debitdesk/models/storetest/plans"
)

// Lists by the due date meet no purchase that only stores an account, however many there are; those of all kinds go by
// the due date too.
func TestListsByDueDateDoNotMeetWhatOnlyStores(t *testing.T) {
	const storing, owed = 9_000, 120
	dsn := storetest.DSN(t)
	merchant := uuid.New()
	s, l := plans.Listened(t, dsn, fmt.Sprintf(`SET session_replication_role = replica;
			INSERT INTO purchases (id, merchant_id, brand_id, is_test, status, product, currency, total_cents, due, due_given,
				due_strict, issued, reference, reference_generated, payer_name, payer_email, payer, details, options, history,
				attempts, search, created_at, updated_at)
			SELECT gen_random_uuid(), '%s', '%[1]s', true, 'created', '', 'ZAR', CASE WHEN n > %d THEN 100 ELSE 0 END,
				now() + n * interval '1 second', true, false, now(), '', n::text, '', '', '{}', '{}', '{}', '[]', '[]', '',
				now(), now() FROM generate_series(1, %d) n;
			SET session_replication_role = DEFAULT`, merchant, storing, storing+owed), "VACUUM ANALYZE purchases")
	ctx, f := t.Context(), purchase.Filter{Kind: purchase.WithAmount}
	page := paging.Ask{Limit: 50}
	list := purchase.Store{DB: s}
	dated := f
	dated.DueFrom, dated.DueTo = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	l.Doing("purchases of a day")
	found, err := list.Purchases(ctx, merchant, dated, page)
	if err != nil || len(found.Items) != 50 {
		t.Errorf("%d purchases: %v", len(found.Items), err)
	}
	l.Doing("their totals")
	if totals, err := list.TotalPurchases(ctx, merchant, dated, 10_001); err != nil || totals["created"].N != owed {
		t.Errorf("counted %v: %v", totals, err)
	}
	page.Sort = paging.Sort{By: "due", Up: true}
	l.Doing("purchases sorted by their due date")
	found, err = list.Purchases(ctx, merchant, f, page)
	if err != nil || len(found.Items) != 50 || found.Items[0].TotalCents != 100 {
		t.Errorf("%d purchases: %v", len(found.Items), err)
	}
	l.Doing("")
	statements := l.Statements()
	plans.NoneReadsMore(t, dsn, statements, "purchases", 200)

	l.Doing("all kinds sorted by their due date")
	found, err = list.Purchases(ctx, merchant, purchase.Filter{}, page)
	if err != nil || len(found.Items) != 50 || found.Items[0].TotalCents != 0 {
		t.Errorf("%d purchases of all kinds: %v", len(found.Items), err)
	}
	l.Doing("")
	plans.NoneReadsMore(t, dsn, l.Statements(), "purchases", 200)
}
