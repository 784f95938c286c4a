package storetest

import (
	"sync/atomic"
	"testing"
	"time"

	"debitdesk/models/database"
)

// StandingClock is a machine whose time passes only by a microsecond for each question: a slow machine changes nothing,
// and what is written later is still later. Stores on one database share one.
func StandingClock() func() time.Time {
	begun, asked := time.Now(), new(atomic.Int64)
	return func() time.Time { return begun.Add(time.Duration(asked.Add(1)) * time.Microsecond) }
}

// StartAt puts the product's clock to a moment, whatever day a test runs on, before anything is in the database.
func StartAt(tb testing.TB, clock *database.Clock, at time.Time) {
	tb.Helper()
	if done, err := clock.StartAt(tb.Context(), at); err != nil || !done {
		tb.Fatalf("start the clock at %s: %t, %v", at, done, err)
	}
}
