package storetest

import (
	"sync/atomic"
	"time"
)

// StandingClock is a machine that stands in the afternoon of a Sunday, whatever day a test runs on, and whose time passes
// only by a microsecond for each question: a slow machine changes nothing, and what is written later is still later.
// Stores on one database share one.
func StandingClock() func() time.Time {
	begun, asked := time.Date(2026, time.November, 22, 15, 0, 0, 0, time.UTC), new(atomic.Int64)
	return func() time.Time { return begun.Add(time.Duration(asked.Add(1)) * time.Microsecond) }
}
