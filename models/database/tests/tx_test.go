package tests

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/merchant"
	"debitdesk/models/storetest"
)

func TestUnitsOfWorkAtTheSameMomentDoNotFailForEachOther(t *testing.T) {
	s := storetest.Open(t)
	const units = 64
	failed := make([]error, units)
	var wg sync.WaitGroup
	for i := range units {
		wg.Go(func() {
			slug := fmt.Sprintf("m%d", i-i%4/3) // every fourth takes the short name of the one before
			failed[i] = s.InTx(context.Background(), func(tx *database.Tx) error {
				merchant.Insert(tx, merchant.Merchant{ID: tx.NewID(), Slug: slug, Name: slug})
				return nil
			})
		})
	}
	wg.Wait()
	losers := 0
	for i, err := range failed {
		if err != nil {
			losers++
			if i%4 < 2 {
				t.Errorf("unit %d shares its name with nobody and failed: %v", i, err)
			}
		}
	}
	if n := s.Number("SELECT count(*) FROM merchants"); losers != units/4 || n != units-units/4 {
		t.Errorf("%d failed and %d are written", losers, n)
	}
}

func TestAStatementThatNobodyWaitsForEndsItsUnitOfWorkWhereItFails(t *testing.T) {
	s := storetest.Open(t)
	id := s.Merchant("gym")
	rename := func(column string) error {
		return s.InTx(t.Context(), func(tx *database.Tx) error {
			tx.Exec(`UPDATE merchants SET name = ? WHERE id = ?`, "by "+column, id)
			tx.Exec(`UPDATE merchants SET `+column+` = ? WHERE id = ?`, "other", id)
			return nil
		})
	}
	if err := rename("colour"); err == nil {
		t.Error("a column that is not there was written")
	}
	if err := rename("slug"); err != nil {
		t.Error(err)
	}
	if n := s.Number(`SELECT count(*) FROM merchants WHERE name = 'by slug' AND slug = 'other'`); n != 1 {
		t.Error("the second unit of work is not all that is written")
	}
}

func TestAUnitOfWorkIsWrittenWholeOrNotAtAll(t *testing.T) {
	s := storetest.Open(t)
	id := uuid.New()
	err := s.InTx(t.Context(), func(tx *database.Tx) error {
		merchant.Insert(tx, merchant.Merchant{ID: id, Slug: "one", Name: "one"})
		merchant.Insert(tx, merchant.Merchant{ID: id, Slug: "two", Name: "two"})
		return nil
	})
	if n := s.Number("SELECT count(*) FROM merchants"); err == nil || n != 0 {
		t.Errorf("%v, %d rows", err, n)
	}
	if err := s.InTx(t.Context(), func(tx *database.Tx) error {
		merchant.Insert(tx, merchant.Merchant{ID: id, Slug: "one", Name: "one"})
		return nil
	}); err != nil {
		t.Errorf("a failed unit left something behind: %v", err)
	}
}

func TestAUnitOfWorkThatFailsAtItsEndIsNotWritten(t *testing.T) {
	s := storetest.Open(t)
	s.Run(`ALTER TABLE merchants ADD UNIQUE (name) DEFERRABLE INITIALLY DEFERRED`)
	add := func(slugs ...string) error {
		return s.InTx(t.Context(), func(tx *database.Tx) error {
			for _, slug := range slugs {
				merchant.Insert(tx, merchant.Merchant{ID: tx.NewID(), Slug: slug, Name: "the same"})
			}
			return nil
		})
	}
	if err, n := add("one", "two"), s.Number("SELECT count(*) FROM merchants"); err == nil || n != 0 {
		t.Errorf("%v, %d rows", err, n)
	}
	if err, n := add("one"), s.Number("SELECT count(*) FROM merchants"); err != nil || n != 1 {
		t.Errorf("%v, %d rows", err, n)
	}
}
