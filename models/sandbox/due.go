package sandbox

import (
	"context"
	"time"
)

// NextDue is the earliest moment after now at which the clock makes anything due;
// found is false when nothing is planned.
func (d *Desk) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	return d.nextDue(ctx)
}
