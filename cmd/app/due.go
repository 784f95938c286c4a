package app

import (
	"context"
	"errors"
)

// RunDue does what the clock has made due: the debits, then the periods of
// subscriptions that begin, and the debits that came of those.
func (s Services) RunDue(ctx context.Context) error {
	_, wrong := s.Debits.Run(ctx)
	billed, err := s.Subscriptions.Run(ctx)
	if billed > 0 {
		_, again := s.Debits.Run(ctx)
		err = errors.Join(err, again)
	}
	return errors.Join(wrong, err)
}

// Overdue tells whether anything of that waits.
func (s Services) Overdue(ctx context.Context) (bool, error) {
	if late, err := s.Debits.Overdue(ctx); err != nil || late {
		return late, err
	}
	return s.Subscriptions.Overdue(ctx)
}
