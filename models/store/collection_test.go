package store_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database/seal"
	"debitdesk/models/store"
	"debitdesk/models/store/storetest"
)

// opened is a store on its own database, without the keys that hold records together,
// so that a row can be tested alone.
func opened(t *testing.T) *store.Store {
	t.Helper()
	ctx := context.Background()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(ctx, storetest.DSN(t), store.Options{Seal: box, Sandbox: true, MaxConns: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func aCollection(s *store.Store) collection.Collection {
	cal := calendar.New()
	c := collection.Collection{
		ID: s.NewID(), MerchantID: uuid.New(), PurchaseID: uuid.New(), Attempt: 1, TokenID: uuid.New(), MandateID: uuid.New(),
		BrandID: uuid.New(),
		Method:  bank.EFT, AmountCents: 12345, Currency: "ZAR", StatementLine: "TESTMERCH1DD0000000001  261201",
		CreatedAt: s.Now(), UpdatedAt: s.Now(),
	}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	tt := collection.DefaultTimetable()
	plan := tt.Plan(cal, now.AddDate(0, 0, 8), calendar.Previous, now)
	c.Schedule(plan)
	c.SubmitAt, c.ExecuteAt, c.FinalAt, c.AlertAt = c.SubmitAt.UTC(), c.ExecuteAt.UTC(), c.FinalAt.UTC(), c.AlertAt.UTC()
	return c
}

func TestACollectionComesBackAsItWasWritten(t *testing.T) {
	s := opened(t)
	ctx := context.Background()
	if _, err := s.Pool.Exec(
		ctx,
		`ALTER TABLE collections DROP CONSTRAINT collections_purchase_id_fkey, DROP CONSTRAINT collections_mandate_id_fkey`,
	); err != nil {
		t.Fatal(err)
	}
	c := aCollection(s)
	other := aCollection(s)
	err := s.InTx(ctx, func(tx *store.Tx) error {
		tx.InsertCollection(c)
		tx.InsertCollection(other)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want collection.Collection) {
		t.Helper()
		latest, err := s.LatestCollections(ctx, c.MerchantID, c.PurchaseID, other.PurchaseID)
		if err != nil || len(latest) != 1 || !reflect.DeepEqual(latest[c.PurchaseID], want) {
			t.Errorf("%v\n got %+v\nwant %+v", err, latest, want)
		}
	}
	expect(c)

	c.State, c.Result, c.ResultAt, c.ProofDue, c.SoftBefore = collection.Submitted, collection.ResultOf("02"), s.Now(),
		true, 1
	move := func(from collection.State) (won bool) {
		t.Helper()
		err := s.InTx(ctx, func(tx *store.Tx) (err error) {
			won, err = tx.MoveCollection(c, from)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return won
	}
	if move(collection.Submitted) {
		t.Error("moved from a state it was not in")
	}
	if !move(collection.Scheduled) {
		t.Error("not moved")
	}
	expect(c)

	second := c
	second.ID, second.Attempt, second.State = s.NewID(), 2, collection.Unpaid
	if err := s.InTx(ctx, func(tx *store.Tx) error { tx.InsertCollection(second); return nil }); err != nil {
		t.Fatal(err)
	}
	expect(second)
}
