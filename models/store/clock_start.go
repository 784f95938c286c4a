package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// StartAt puts the sandbox clock to any moment, also an earlier one, and tells
// whether it did: only while there is no purchase, whose times would come to
// lie in the future. A demo uses it to begin with a history.
func (c *Clock) StartAt(ctx context.Context, at time.Time) (bool, error) {
	offset := at.Sub(Instant(time.Now())).Microseconds()
	tag, err := c.pool.Exec(ctx, `UPDATE sandbox_clock SET offset_micros = $1 WHERE NOT EXISTS (SELECT FROM purchases)`, offset)
	if err != nil {
		return false, fmt.Errorf("start the clock: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return false, nil
	}
	c.set(offset)
	if _, err := c.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, clockChannel, strconv.FormatInt(offset, 10)); err != nil {
		return false, fmt.Errorf("start the clock: %w", err)
	}
	return true, nil
}
