package database_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

func TestRecordsThatAreReadTogetherAreThoseOfTheirMerchants(t *testing.T) {
	t.Parallel()
	c := openCrowd(t)
	database.Kept[database.Lookups[database.Key, []thing]](c.DB).BePatient()
	all := c.stored(3)
	keyOf := func(one thing) database.Key { return database.Key{MerchantID: one.MerchantID, ID: one.ID} }
	read := func(ctx context.Context, key database.Key, also string) (thing, error) {
		return database.ByKey(ctx, c.DB, things, key, keyOf, also)
	}
	foreign := database.Key{MerchantID: all[1].MerchantID, ID: all[0].ID}
	asked := []database.Key{keyOf(all[0]), keyOf(all[1]), keyOf(all[0]), foreign, keyOf(all[2]),
		{MerchantID: uuid.New(), ID: uuid.New()}}
	found := make([]thing, len(asked))
	became := make([]error, len(asked))
	c.run("BEGIN")
	c.run("LOCK TABLE things IN ACCESS EXCLUSIVE MODE")
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := read(context.Background(), keyOf(all[0]), " AND version = 1"); err != nil {
			t.Error(err)
		}
	})
	until(t, "those before", func() bool {
		return c.number("SELECT count(*) FROM pg_locks WHERE relation = 'things'::regclass AND NOT granted") == 1
	})
	for i, key := range asked {
		wg.Go(func() { found[i], became[i] = read(context.Background(), key, " AND version = 1") })
	}
	until(t, "those who wait", func() bool {
		return database.Kept[database.Lookups[database.Key, []thing]](c.DB).Waiting() == len(asked)
	})
	c.run("COMMIT")
	wg.Wait()
	for i, key := range asked {
		switch i {
		case 3, 5:
			if !fault.Is(became[i], fault.NotFound) {
				t.Errorf("%v: %v, %v", key, found[i], became[i])
			}
		default:
			if became[i] != nil || keyOf(found[i]) != key {
				t.Errorf("%v: %v, %v", key, found[i], became[i])
			}
		}
	}
	found[0].Notes[0] = "changed"
	if found[2].Notes[0] != "a" {
		t.Error("two who asked for one record share it")
	}
}
