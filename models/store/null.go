package store

import "time"

// orNull stores the zero value as NULL.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// orZero reads NULL as the zero value.
func orZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// utc reads NULL as the zero time, and any other in UTC.
func utc(p *time.Time) time.Time { return orZero(p).UTC() }

// instantOrNull stores the zero time as NULL.
func instantOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return orNull(Instant(t))
}
