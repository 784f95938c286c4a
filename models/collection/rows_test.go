package collection_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/storetest"
)

// opened is an empty database.
func opened(t *testing.T) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true, MaxConns: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func aCollection(s *database.DB) collection.Collection {
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
	err := s.InTx(ctx, func(tx *database.Tx) error {
		collection.Insert(tx, c)
		collection.Insert(tx, other)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want collection.Collection) {
		t.Helper()
		latest, err := collection.Store{DB: s}.Latest(ctx, c.MerchantID, c.PurchaseID, other.PurchaseID)
		if err != nil || len(latest) != 1 || !reflect.DeepEqual(latest[c.PurchaseID], want) {
			t.Errorf("%v\n got %+v\nwant %+v", err, latest, want)
		}
	}
	expect(c)

	c.State, c.Result, c.ResultAt, c.ProofDue, c.SoftBefore = collection.Submitted, collection.ResultOf("02"), s.Now(),
		true, 1
	move := func(from collection.State) (won bool) {
		t.Helper()
		err := s.InTx(ctx, func(tx *database.Tx) (err error) {
			won, err = collection.Move(tx, c, from)
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
	if err := s.InTx(ctx, func(tx *database.Tx) error { collection.Insert(tx, second); return nil }); err != nil {
		t.Fatal(err)
	}
	expect(second)
}

func TestTheDatabaseTellsOutcomesAndBanksAsGoDoes(t *testing.T) {
	s := opened(t)
	for _, state := range collection.States() {
		want := string(state.Outcome())
		if want == string(collection.OutcomeOpen) {
			want = ""
		}
		var got string
		if err := s.Pool.QueryRow(t.Context(), `SELECT coalesce(debit_outcome($1), '')`, string(state)).Scan(
			&got); err != nil || got != want {
			t.Errorf("%s: %q, want %q: %v", state, got, want, err)
		}
	}
	for _, code := range []string{"632005", "250655", "210554", "200000", "123456", "", "2"} {
		want := code
		if b, _, known := bank.FindBranch(code); known {
			want = b.Code
		}
		var got string
		if err := s.Pool.QueryRow(t.Context(), `SELECT universal_branch($1)`, code).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, want %q: %v", code, got, want, err)
		}
	}
	given := calendar.On(2026, 2, 28)
	for day, want := range map[calendar.Date]collection.Age{given: collection.AgeMonths,
		calendar.On(2026, 5, 27): collection.AgeMonths, calendar.On(2026, 5, 28): collection.AgeYear,
		calendar.On(2027, 2, 27): collection.AgeYear, calendar.On(2027, 2, 28): collection.AgeOlder} {
		var got, first collection.Age
		if err := s.Pool.QueryRow(t.Context(), `SELECT mandate_age(false, $1, $2), mandate_age(true, $1, $2)`, given,
			day).Scan(&got, &first); err != nil || got != want || first != collection.AgeFirst {
			t.Errorf("%s: %q and %q, want %q: %v", day, got, first, want, err)
		}
	}
}
