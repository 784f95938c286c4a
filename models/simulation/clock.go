package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
)

// ClockMove says where the clock is to go: to a moment, or on by a time. Exactly one is given.
type ClockMove struct {
	Now     time.Time
	Advance time.Duration
}

// Moved is where the clock stands after a move, and what became due on the way.
type Moved struct {
	Now  time.Time
	Done Processed
}

// MaxMove is how far one call may move the clock, so that a typing mistake does not
// take the sandbox to the next century: a little over two years.
const MaxMove = 750 * 24 * time.Hour

// fineSteps is how many moments one move visits exactly; after that it goes hour
// by hour, so that a long move over many records ends in reasonable time.
const fineSteps = 400

// Now is the product's time.
func (c *Controls) Now() time.Time { return c.Clock.Now() }

// Move takes the clock forward and does everything that becomes due on the way, in
// its order, mails included. It answers when all of it is done. A trial tells where
// the clock would stand, and moves nothing.
func (c *Controls) Move(ctx context.Context, who actor.Actor, move ClockMove) (Moved, error) {
	if err := who.May(actor.MoveClock); err != nil {
		return Moved{}, err
	}
	if dryrun.Is(ctx) {
		to, err := move.target(c.Clock.Now())
		return Moved{Now: to}, err
	}
	var moved Moved
	err := c.Clock.Exclusive(ctx, func() error {
		from := c.Clock.Now()
		to, err := move.target(from)
		if err != nil {
			return err
		}
		if err := c.walk(inner(ctx), to, &moved.Done); err != nil {
			return err
		}
		moved.Now, moved.Done.Collections = c.Clock.Now(), len(moved.Done.debits.Collections)
		moved.Done.Mandates = len(moved.Done.debits.Mandates)
		return c.Store.InTx(ctx, func(tx *database.Tx) error {
			note(tx, who, "clock.moved", who.MerchantID, uuid.Nil, uuid.Nil,
				fmt.Sprintf("The sandbox clock was moved from %s to %s SAST.", say(from), say(to)))
			return tx.Answered(moved)
		})
	})
	return moved, err
}

// Live takes the clock forward like Move, for the product's own use: a demo that
// lives through its history. Nobody's audit tells of it. A moment that lies
// behind only does what is due.
func (c *Controls) Live(ctx context.Context, to time.Time) error {
	return c.Clock.Exclusive(ctx, func() error { return c.walk(ctx, to, &Processed{}) })
}

func say(t time.Time) string { return t.In(calendar.SAST).Format("2 Jan 2006 15:04") }

func (a ClockMove) target(now time.Time) (time.Time, error) {
	switch {
	case a.Now.IsZero() == (a.Advance == 0):
		return now, fault.New(fault.Invalid, "invalid", `Give "now", a moment, or "advance", a time such as "48h".`)
	case a.Advance < 0:
		return now, fault.At("advance", "min_value", "The clock only goes forward.")
	case a.Advance > MaxMove:
		return now, fault.At("advance", "max_value", "One move can go at most 750 days forward.")
	case a.Advance > 0:
		return now.Add(a.Advance), nil
	case a.Now.Before(now):
		return now, fault.At("now", "min_value", "The clock only goes forward; it is %s.",
			now.In(calendar.SAST).Format(time.RFC3339))
	case a.Now.Sub(now) > MaxMove:
		return now, fault.At("now", "max_value", "One move can go at most 750 days forward.")
	}
	return a.Now, nil
}

// walk visits each moment at which something becomes due, so that what follows
// from one thing is there before the next, and ends at the target.
func (c *Controls) walk(ctx context.Context, to time.Time, done *Processed) error {
	for step := 0; ; step++ {
		if err := c.settle(ctx, done); err != nil {
			return err
		}
		at, found, err := c.NextDue(ctx)
		if err != nil {
			return err
		}
		if step >= fineSteps {
			at = at.Add(time.Hour - time.Microsecond).Truncate(time.Hour)
		}
		if !found || at.After(to) {
			break
		}
		if err := c.Clock.MoveTo(ctx, at); err != nil {
			return err
		}
	}
	if err := c.Clock.MoveTo(ctx, to); err != nil {
		return err
	}
	return c.settle(ctx, done)
}
