package tests

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/dryrun"
	"debitdesk/models/merchant"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

func TestATrialRunsEveryStatementAndKeepsNone(t *testing.T) {
	queued := 0
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, MaxConns: 2,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { queued++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s, ctx := storetest.RowsOf(t, db), dryrun.With(t.Context())
	insert := func(slug string) func(*database.Tx) error {
		return func(tx *database.Tx) error {
			merchant.Insert(tx, merchant.Merchant{ID: tx.NewID(), Slug: slug, Name: slug})
			tx.Enqueue(queue.RunDue{})
			return nil
		}
	}
	for range 2 * 2 { // more often than there are connections
		if err := s.InTx(ctx, insert("tried")); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Number(`SELECT count(*) FROM merchants`); n != 0 || queued != 0 {
		t.Errorf("%d merchants and %d jobs are kept of a trial", n, queued)
	}
	if err := s.InTx(t.Context(), insert("done")); err != nil || queued != 1 {
		t.Fatalf("the real one: %v, %d jobs", err, queued)
	}
	if err := s.InTx(ctx, insert("done")); err == nil {
		t.Error("a trial does not see what the database refuses")
	}
	if err := s.InTx(ctx, func(*database.Tx) error { return errors.New("no") }); err == nil || err.Error() != "no" {
		t.Errorf("got %v", err)
	}
}

func TestATrialOnlyLooksAtNumbers(t *testing.T) {
	s := storetest.Open(t)
	dry := dryrun.With(t.Context())
	id := s.NewID()
	s.Run(
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, 'm', 'm', true, now(), now())`,
		id)
	s.Run(`INSERT INTO brands (id, merchant_id, name, created_at, updated_at) VALUES ($1, $1, 'b', now(), now())`, id)
	next := func(ctx context.Context) int64 {
		n, err := s.NextNumber(ctx, id, "purchase")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	take := func(ctx context.Context) int64 {
		n, err := s.TakeNumbers(ctx, id, "purchase", 7)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 2 {
		if n := next(dry); n != 1 {
			t.Errorf("the first number is %d", n)
		}
		if n := take(dry); n != 1 {
			t.Errorf("the first of seven is %d", n)
		}
	}
	if n := s.Number(`SELECT count(*) FROM brand_counters`); n != 0 {
		t.Error("looking at a counter made it")
	}
	if n := next(t.Context()); n != 1 {
		t.Errorf("got %d after looking at it", n)
	}
	if tried, done := next(dry), next(t.Context()); tried != 2 || done != 2 {
		t.Errorf("tried %d, done %d; want 2", tried, done)
	}
	if tried, done := take(dry), take(t.Context()); tried != done {
		t.Errorf("tried from %d, done from %d", tried, done)
	}
}
