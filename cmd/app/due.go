package app

import (
	"context"
	"errors"
)

// RunDue does what the clock has made due: the debits, then the periods of
// subscriptions that begin, and the debits that came of those.
func (s Services) RunDue(ctx context.Context) error {
	wrong := s.runDebits(ctx)
	billed, err := s.Subscriptions.Run(ctx)
	if billed > 0 {
		err = errors.Join(err, s.runDebits(ctx))
	}
	return errors.Join(wrong, err)
}

// runDebits hands over and takes answers, with what the bank connection does between the two.
func (s Services) runDebits(ctx context.Context) error {
	for {
		_, wrong := s.Debits.Run(ctx)
		if s.Exchange == nil {
			return wrong
		}
		moved, err := s.Exchange.Run(ctx)
		if err = errors.Join(wrong, err); err != nil || moved == 0 {
			return err
		}
	}
}

// Overdue tells whether anything of that waits.
func (s Services) Overdue(ctx context.Context) (bool, error) {
	if late, err := s.Debits.Overdue(ctx); err != nil || late {
		return late, err
	}
	if s.Exchange != nil {
		if late, err := s.Exchange.Overdue(ctx); err != nil || late {
			return late, err
		}
	}
	return s.Subscriptions.Overdue(ctx)
}
