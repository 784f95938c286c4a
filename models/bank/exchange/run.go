package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Run does what is due: it cuts, lays out what was cut, reads what has arrived, and draws what follows from silence. It
// tells how much moved; when nothing did, nothing is left to do by now. A step that fails does not keep the others from
// their work.
func (s *Service) Run(ctx context.Context) (moved int, err error) {
	if s.ShowClock != nil {
		if err := s.ShowClock(s.Now()); err != nil {
			return 0, fmt.Errorf("show the clock: %w", err)
		}
	}
	var wrong []error
	for _, step := range []func(context.Context) (int, error){s.cutDue, s.write, s.place, s.seeTaken, s.receive, s.mature,
		s.missAcks, s.missApprovals} {
		if err := ctx.Err(); err != nil {
			return moved, err
		}
		n, err := step(ctx)
		moved, wrong = moved+n, append(wrong, err)
	}
	return moved, errors.Join(wrong...)
}

// Overdue tells whether something due is not done yet.
func (s *Service) Overdue(ctx context.Context) (bool, error) {
	if fresh, err := s.Box.Fresh(ctx); err != nil || fresh {
		return fresh, err
	}
	at, found, err := s.Store.NextExchange(ctx)
	return found && !at.After(s.Now()), err
}

// NextDue is when the next cut, silence or missing acknowledgement is due; found is false when nothing is planned.
func (s *Service) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	return s.Store.NextExchange(ctx)
}

// each does one thing for all of a list; one that fails does not keep the others from theirs.
func each[T any](all []T, do func(T) error) (done int, err error) {
	var wrong []error
	for _, one := range all {
		if err := do(one); err != nil {
			wrong = append(wrong, err)
			continue
		}
		done++
	}
	return done, errors.Join(wrong...)
}
