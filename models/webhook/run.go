package webhook

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

const (
	atOnce  = 48 // deliveries under way in one process
	forEach = 4  // of them to one address: a slow endpoint must not hold others
	again   = 100 * time.Millisecond
	// roundTime bounds a round of the sweep: it ends so that a process can stop.
	roundTime = 5 * time.Second
)

// Run makes every delivery that is due and counts the attempts. An endpoint that
// hangs holds it for the time limit of a call, once for each attempt.
func (s *Service) Run(ctx context.Context) (int, error) { return s.run(ctx, time.Time{}) }

// Work is Run for the sweep: it takes nothing up after a few seconds, and comes
// round again.
func (s *Service) Work(ctx context.Context) error {
	_, err := s.run(ctx, time.Now().Add(roundTime)) //nolint:forbidigo // how long a round takes is real time
	return err
}

// NextDue is the earliest moment after now at which a delivery becomes due.
func (s *Service) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	return s.Store.NextDelivery(ctx)
}

// Overdue tells whether a delivery is due now, also when another process is at it.
func (s *Service) Overdue(ctx context.Context) (bool, error) { return s.Store.DeliveriesDue(ctx) }

// done is one attempt that is over.
type done struct {
	address string
	err     error
}

// run keeps deliveries under way until nothing is due; after the moment until (real
// time) it takes nothing up any more.
func (s *Service) run(ctx context.Context, until time.Time) (attempts int, wrong error) {
	over := make(chan done, atOnce)
	under, busy := 0, map[string]int{}
	tick := time.NewTicker(again)
	defer tick.Stop()
	for {
		taken := 0
		inTime := until.IsZero() || time.Now().Before(until) //nolint:forbidigo // as above
		if free := atOnce - under; free > 0 && wrong == nil && ctx.Err() == nil && inTime {
			tasks, err := s.Store.ClaimDeliveries(ctx, free, forEach, full(busy))
			wrong, taken = err, len(tasks)
			for _, t := range tasks {
				under++
				busy[t.Address]++
				go func() { over <- done{t.Address, s.safely(ctx, t)} }()
			}
		}
		if under == 0 && taken == 0 {
			return attempts, wrong
		}
		for waiting := true; waiting; { // for one, and for all that are over by then: each claim costs a look
			select {
			case d := <-over:
				under--
				attempts++
				wrong = errors.Join(wrong, d.err)
				if busy[d.address]--; busy[d.address] == 0 {
					delete(busy, d.address)
				}
				waiting = len(over) > 0
			case <-tick.C: // something new may be due while an endpoint takes its time
				waiting = false
			}
		}
	}
}

// safely makes a panic an error of this delivery alone.
func (s *Service) safely(ctx context.Context, t Task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := s.deliver(ctx, t); err != nil {
		return fmt.Errorf("delivery %s: %w", t.ID, err)
	}
	return nil
}

// full are the addresses that have enough under way.
func full(busy map[string]int) []string {
	out := []string{}
	for address, n := range busy {
		if n >= forEach {
			out = append(out, address)
		}
	}
	return out
}
