package sandbox

import (
	"context"
	"time"
)

// Live takes the clock forward like Move, for the product's own use: a demo that
// lives through its history. Nobody's audit tells of it. A moment that lies
// behind only does what is due.
func (d *Desk) Live(ctx context.Context, to time.Time) error {
	return d.Clock.Exclusive(ctx, func() error { return d.walk(ctx, to, &Done{}) })
}
