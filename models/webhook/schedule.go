package webhook

import "time"

// MaxAttempts is the first and eight more (source: webhooks, success).
const MaxAttempts = 9

// lastAfter is how long after the first attempt the last one lies.
const lastAfter = 36 * time.Hour

// Gap is how long after the first attempt the k-th retry lies, k = 1..8: about 17
// minutes, 34, 1 h 8 ... 36 hours.
func Gap(k int) time.Duration { return lastAfter >> (MaxAttempts - 1 - k) }

// next is when a delivery is tried again, after an attempt at a moment failed; zero
// when that was the last. A retry whose time has gone by (nobody was there to make
// it) is left out: two calls right after each other tell nothing.
func next(first, at time.Time) time.Time {
	for k := 1; k < MaxAttempts; k++ {
		if again := first.Add(Gap(k)); again.After(at) {
			return again
		}
	}
	return time.Time{}
}
