package storetest

import (
	"sync/atomic"
	"time"
)

// StandingClock is a machine whose time passes only by a microsecond for each question, so that a slow machine changes
// nothing and what is written later is still later. Stores on one database share one.
func StandingClock() func() time.Time {
	begun, asked := time.Now(), new(atomic.Int64)
	return func() time.Time { return begun.Add(time.Duration(asked.Add(1)) * time.Microsecond) }
}
