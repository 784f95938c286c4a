package tests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/database"
	"debitdesk/models/database/dbtest"
	"debitdesk/models/database/table"
	"debitdesk/models/merchant"
	"debitdesk/models/storetest"
	"debitdesk/models/storetest/held"
)

func TestWhatIsReadInAUnitOfWorkGoesByItsConnection(t *testing.T) {
	s := storetest.Open(t)
	id := s.Merchant("m")
	s.Run(`INSERT INTO brands (id, merchant_id, name, created_at, updated_at) VALUES ($1, $1, 'b', now(), now())`, id)
	undone := errors.New("undone")
	err := s.InTx(t.Context(), func(tx *database.Tx) error {
		ctx := tx.Context()
		b, err := merchant.LockBrand(tx, id, id)
		if err != nil {
			return err
		}
		b.Name, b.Version = "another name", b.Version+1
		merchant.UpdateBrand(tx, b)
		brands, err := merchant.Store{DB: s.DB}.Brands(ctx, id) // by GORM
		if err != nil || len(brands) != 1 || brands[0].Name != "another name" {
			t.Errorf("the unit of work does not see what it wrote: %v, %v", brands, err)
		}
		if _, err := (merchant.Store{DB: s.DB}).Demands(ctx, id); err != nil { // by pgx
			return err
		}
		return undone
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	if b, err := (merchant.Store{DB: s.DB}).Brand(t.Context(), id, id); err != nil || b.Name != "b" {
		t.Errorf("what was taken back is still seen: %v, %v", b.Name, err)
	}
}

func TestANumberOfAUnitThatWasTakenBackComesToNobodyTwice(t *testing.T) {
	s := storetest.Open(t)
	id := s.Merchant("m")
	s.Run(`INSERT INTO brands (id, merchant_id, name, created_at, updated_at) VALUES ($1, $1, 'b', now(), now())`, id)
	seen := map[int64]bool{}
	take := func(ctx context.Context) {
		n, err := s.NextNumber(ctx, id, "purchase")
		if err != nil || seen[n] {
			t.Errorf("got %d again, %v", n, err)
		}
		seen[n] = true
	}
	_ = s.InTx(t.Context(), func(tx *database.Tx) error {
		if _, err := s.NextNumber(tx.Context(), id, "purchase"); err != nil {
			t.Error(err)
		}
		return errors.New("undone") // and so is the number
	})
	for range 3 {
		take(t.Context())
	}
	if err := s.InTx(t.Context(), func(tx *database.Tx) error {
		take(tx.Context())
		take(tx.Context())
		return nil
	}); err != nil {
		t.Error(err)
	}
	take(t.Context())
}

// The guard of the tests: whoever holds a connection gets no second one.
func TestASecondConnectionIsRefusedWhileOneIsHeld(t *testing.T) {
	held.Refuse()
	dsn := dbtest.Migrated(t)
	db, err := database.Open(t.Context(), dsn, database.Options{Sandbox: true, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	outside := func() error { _, err := merchant.Store{DB: db}.Merchants(t.Context()); return err }
	if err := outside(); err != nil {
		t.Fatal(err)
	}
	err = db.InTx(t.Context(), func(tx *database.Tx) error {
		if _, err := (merchant.Store{DB: db}).Merchants(tx.Context()); err != nil {
			t.Errorf("by its own connection: %v", err)
		}
		return outside()
	})
	if err == nil {
		t.Error("a read beside the transaction got a second connection")
	}
	err = db.InTx(t.Context(), func(tx *database.Tx) error {
		if _, err := (merchant.Store{DB: db}).Merchants(tx.Context()); err != nil {
			return err
		}
		return db.InTx(tx.Context(), func(*database.Tx) error { return nil })
	})
	if err == nil || !strings.Contains(err.Error(), "inside another") {
		t.Errorf("a transaction in a transaction: %v", err)
	}
	if n := len(held.Refused(dbtest.Database(dsn))); n != 1 {
		t.Errorf("%d places are told, want one", n)
	}
	if err := outside(); err != nil {
		t.Errorf("after the transaction: %v", err)
	}
}

func TestTwoTablesAreReadInOneRoundTrip(t *testing.T) {
	s := storetest.Open(t)
	type slug struct{ Slug string }
	type kind struct{ Status string }
	slugs, kinds := table.New[slug]("merchants"), table.New[kind]("purchase_counts")
	both := func(ctx context.Context, second string) (string, error) {
		as, bs, err := database.Both(ctx, s.DB, slugs, "slug = ANY($1)", kinds, second, []string{"one"})
		return fmt.Sprint(as, bs), err
	}
	const all = "$1::text[] IS NOT NULL"
	err := s.InTx(t.Context(), func(tx *database.Tx) error {
		id := tx.NewID()
		merchant.Insert(tx, merchant.Merchant{ID: id, Slug: "one", Name: "one"})
		tx.Later(`INSERT INTO purchase_counts (merchant_id, status, n) VALUES ($1, 'paid', 1)`, id)
		found, err := both(tx.Context(), all)
		if found != "[{one}] [{paid}]" {
			t.Errorf("a unit of work reads of what it wrote %s", found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := both(t.Context(), all); err != nil || found != "[{one}] [{paid}]" {
		t.Errorf("%s, %v", found, err)
	}
	if found, err := both(t.Context(), "nothing = $1"); err == nil {
		t.Errorf("a wrong statement found %s", found)
	}
	if found, err := both(t.Context(), all); err != nil || found != "[{one}] [{paid}]" {
		t.Errorf("after a wrong statement: %s, %v", found, err)
	}
}
