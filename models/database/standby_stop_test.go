package database

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"debitdesk/models/database/dbtest"
)

func TestAConnectionThatIsNotGivenBackKeepsNoProcessFromEnding(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), dbtest.Empty(t))
	if err != nil {
		t.Fatal(err)
	}
	held, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if closeWithin(pool, time.Millisecond) {
		t.Error("it waited for nobody")
	}
	held.Release()
	if !closeWithin(pool, time.Minute) {
		t.Error("it did not end once all was given back")
	}
}
