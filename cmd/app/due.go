package app

import (
	"context"
	"errors"
	"sync"
	"time"
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

// nextDue is the earliest moment after now at which anything of that becomes due.
func (s Services) nextDue(ctx context.Context) (at time.Time, found bool, err error) {
	at, found, err = s.Debits.NextDue(ctx)
	if err != nil {
		return at, found, err
	}
	also := []func(context.Context) (time.Time, bool, error){s.Subscriptions.NextDue}
	if s.Exchange != nil {
		also = append(also, s.Exchange.NextDue)
	}
	for _, next := range also {
		other, planned, err := next(ctx)
		if err != nil {
			return at, found, err
		}
		if planned && (!found || other.Before(at)) {
			at, found = other, true
		}
	}
	return at, found, nil
}

// Pressing answers all day whether anything is due. While nothing can be, because the next moment is known and has not
// come, it asks the database nothing.
type Pressing struct {
	overdue func(context.Context) (bool, error)
	next    func(context.Context) (time.Time, bool, error)
	now     func() time.Time // the product's clock, which may be moved
	passed  func() time.Time // the machine's

	mu    sync.Mutex
	round int       // how often it was told to forget
	until time.Time // nothing is due before it; zero: that is not known
	asked time.Time
}

// trusted is how long a moment that is known counts: what another process plans is known after it. What this process
// does is known at once, and what cannot wait comes with a job.
const trusted = time.Second

// Pressing is the question of these services.
func (s Services) Pressing(now func() time.Time) *Pressing {
	return &Pressing{overdue: s.Overdue, next: s.nextDue, now: now, passed: time.Now}
}

// Ask tells whether anything is due.
func (p *Pressing) Ask(ctx context.Context) (bool, error) {
	p.mu.Lock()
	round, quiet := p.round, p.now().Before(p.until) && p.passed().Sub(p.asked) < trusted
	p.mu.Unlock()
	if quiet {
		return false, nil
	}
	asked := p.passed()
	due, err := p.overdue(ctx)
	if err != nil || due {
		return due, err
	}
	at, found, err := p.next(ctx)
	if err != nil {
		return false, err
	}
	if !found {
		at = p.now().Add(time.Hour)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.round == round {
		p.until, p.asked = at, asked
	}
	return false, nil
}

// Forget is told when this process has done something that is due: what follows from it may be due before all else.
func (p *Pressing) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.round, p.until = p.round+1, time.Time{}
}
