package tests

import (
	"sync"
	"testing"

	"debitdesk/models/storetest"
)

// Who waits for the clock must not take a connection for it: the database has a hundred.
func TestWhoWaitsForTheClockHoldsNoConnection(t *testing.T) {
	s := storetest.Open(t)
	const callers = 20
	var wait sync.WaitGroup
	most := 0
	for range callers {
		wait.Go(func() {
			if err := s.Clock.Exclusive(t.Context(), func() error {
				var n int
				if err := s.Pool.QueryRow(
					t.Context(),
					`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
						AND application_name = 'debitdesk alone'`,
				).Scan(&n); err != nil {
					return err
				}
				most = max(most, n) // one at a time is here
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if most > callers/4 { // one, and those that are just closing
		t.Errorf("%d connections wait for the clock, want about one", most)
	}
}
