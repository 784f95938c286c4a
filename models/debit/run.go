package debit

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Done counts what one run did.
type Done struct {
	HandedOver, Recalled, Started, Answered, Closed, Alerted, Contested, Passed, Refunded int
	Asked, RunOut, Withdrawn                                                              int // mandate requests
	Deleted,
	Expired int // deletions of tokens, requests for a second person
	// Collections are those on which anything was done.
	Collections map[uuid.UUID]bool
	// Mandates are those on which anything was done.
	Mandates map[uuid.UUID]bool
}

func (d Done) steps() int {
	return d.HandedOver + d.Recalled + d.Started + d.Answered + d.Closed + d.Alerted + d.Contested + d.Passed +
		d.Refunded + d.Asked + d.RunOut + d.Withdrawn + d.Deleted + d.Expired
}

func (d *Done) touch(id uuid.UUID) {
	if d.Collections == nil {
		d.Collections = map[uuid.UUID]bool{}
	}
	d.Collections[id] = true
}

func (d *Done) touchMandate(id uuid.UUID) {
	if d.Mandates == nil {
		d.Mandates = map[uuid.UUID]bool{}
	}
	d.Mandates[id] = true
}

// Add counts the work of another run in.
func (d *Done) Add(o Done) {
	d.HandedOver += o.HandedOver
	d.Recalled += o.Recalled
	d.Started += o.Started
	d.Answered += o.Answered
	d.Closed += o.Closed
	d.Alerted += o.Alerted
	d.Contested += o.Contested
	d.Passed += o.Passed
	d.Refunded += o.Refunded
	d.Asked += o.Asked
	d.RunOut += o.RunOut
	d.Withdrawn += o.Withdrawn
	d.Deleted += o.Deleted
	d.Expired += o.Expired
	for id := range o.Collections {
		d.touch(id)
	}
	for id := range o.Mandates {
		d.touchMandate(id)
	}
}

// Run does everything that is due by now, until nothing is. A step that fails
// does not keep the others from their work; it is tried again by the next run.
func (s *Service) Run(ctx context.Context) (Done, error) {
	var all Done
	for {
		round, err := s.round(ctx)
		all.Add(round)
		if err != nil || round.steps() == 0 {
			return all, err
		}
	}
}

// round takes each step once. Deletions come first, so that nothing is debited from
// an account whose time is over. Answers come before closing, so that a return that
// waits with the bank is not overtaken by the end of its window, nor a client's
// answer by the time limit.
func (s *Service) round(ctx context.Context) (Done, error) {
	var done Done
	var wrong []error
	for _, step := range []func(context.Context, *Done) error{
		s.finishDeletions, s.expire, s.request, s.handOver, s.recall, s.start, s.answers, s.runOut, s.withdraw, s.contest,
		s.close, s.alert, s.passDue, s.refunds,
	} {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		wrong = append(wrong, step(ctx, &done))
	}
	return done, errors.Join(wrong...)
}

func (s *Service) finishDeletions(ctx context.Context, done *Done) error {
	if s.FinishDeletions == nil {
		return nil
	}
	n, err := s.FinishDeletions(ctx)
	done.Deleted += n
	return wrap("finish deletions", err)
}

func (s *Service) expire(ctx context.Context, done *Done) error {
	if s.Expire == nil {
		return nil
	}
	n, err := s.Expire(ctx)
	done.Expired += n
	return wrap("expire requests", err)
}

// NextDue is the earliest moment after now at which anything becomes due; found
// is false when nothing is planned.
func (s *Service) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	return s.Store.NextDue(ctx)
}

// Overdue tells whether something due is not done yet: another process is at it,
// or it failed.
func (s *Service) Overdue(ctx context.Context) (bool, error) { return s.Store.Overdue(ctx) }

// sweep repeats a chunk until it finds nothing.
func sweep(chunk func() (int, error)) error {
	for {
		n, err := chunk()
		if err != nil || n == 0 {
			return err
		}
	}
}
