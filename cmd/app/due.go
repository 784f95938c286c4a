package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"debitdesk/models/allocation"
	"debitdesk/models/bank/exchange"
)

// RunDue does what the clock has made due: the debits, then money by EFT that a rule books, then the periods of
// subscriptions that begin, the steps of plans, and the debits that came of those, then the notices of debits, and the
// reports that people have mailed each month.
func (s Services) RunDue(ctx context.Context) error {
	wrong := s.runDebits(ctx)
	if eft := s.EFT(); eft != nil {
		_, err := eft.Run(ctx)
		wrong = errors.Join(wrong, err)
	}
	billed, err := s.Subscriptions.Run(ctx)
	if billed > 0 {
		err = errors.Join(err, s.runDebits(ctx))
	}
	took, planned := s.Plans.Run(ctx)
	if took > 0 {
		planned = errors.Join(planned, s.runDebits(ctx))
	}
	_, told := s.Notices.Run(ctx)
	return errors.Join(wrong, err, planned, told, s.SavedReports.Run(ctx))
}

// EFT is money that clients pay by EFT; nil where the bank takes no files.
func (s Services) EFT() *allocation.Service {
	files, is := s.Exchange.(*exchange.Service)
	if !is {
		return nil
	}
	return &allocation.Service{Store: allocation.Store{DB: s.Purchases.Store.DB}, Purchases: s.Purchases,
		Movements: files, Alone: s.Merchants.Alone}
}

// SendDue sends the mails and short messages whose turn has come, and tells how many there were.
func (s Services) SendDue(ctx context.Context) (int, error) {
	mails, err := s.Outbox.SendDue(ctx)
	texts, failed := s.Texts.SendDue(ctx)
	return mails + texts, errors.Join(err, failed)
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
	if late, err := s.Plans.Overdue(ctx); err != nil || late {
		return late, err
	}
	if late, err := s.Notices.Overdue(ctx); err != nil || late {
		return late, err
	}
	return s.Subscriptions.Overdue(ctx)
}

// nextDue is the earliest moment after now at which anything of that becomes due.
func (s Services) nextDue(ctx context.Context) (at time.Time, found bool, err error) {
	at, found, err = s.Debits.NextDue(ctx)
	if err != nil {
		return at, found, err
	}
	also := []func(context.Context) (time.Time, bool, error){s.Subscriptions.NextDue, s.Plans.NextDue,
		s.Notices.NextDue, s.Texts.Store.NextDue}
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

// Pressing answers all day whether anything is due. While nothing can be, because the next moment is known and has
// not come, and nothing was written since, it asks the database nothing.
type Pressing struct {
	overdue func(context.Context) (bool, error)
	next    func(context.Context) (time.Time, bool, error) // nil: what is due begins with a write
	now     func() time.Time                               // the product's clock, which may be moved
	passed  func() time.Time                               // the machine's
	writes  func() (n int64, known bool)                   // grows with what is written by anybody; nil: that is not known
	// patience is for how long what is written meanwhile may wait. What this process does is known at once.
	patience time.Duration

	mu    sync.Mutex
	round int       // how often it was told to forget
	until time.Time // nothing is due before it; zero: that is not known
	asked time.Time
	seen  int64 // of writes, before it asked
}

const (
	// trusted is how long a moment that is known counts while others write; what cannot wait comes with a job.
	trusted = time.Second
	// restful is how long it counts while nothing is written: a note of a write may be lost.
	restful = 10 * time.Second
)

// Pressing is the question of these services.
func (s Services) Pressing(now func() time.Time, writes func() (int64, bool)) *Pressing {
	return &Pressing{overdue: s.Overdue, next: s.nextDue, now: now, passed: time.Now, writes: writes, patience: trusted}
}

// PressingHooks asks whether an endpoint waits for an event. It hears of a new one with the next look.
func (s Services) PressingHooks(now func() time.Time, writes func() (int64, bool)) *Pressing {
	return &Pressing{overdue: s.Webhooks.Overdue, next: s.Webhooks.NextDue, now: now, passed: time.Now, writes: writes}
}

// PressingUntil asks whether anything goes on that nobody but the bank can end.
func PressingUntil(over func(context.Context) (bool, error), now func() time.Time,
	writes func() (int64, bool)) *Pressing {
	return &Pressing{overdue: over, now: now, passed: time.Now, writes: writes}
}

// Ask tells whether anything is due.
func (p *Pressing) Ask(ctx context.Context) (bool, error) {
	var writes int64
	known := false
	if p.writes != nil {
		writes, known = p.writes()
	}
	asked := p.passed()
	p.mu.Lock()
	round, patience := p.round, p.patience
	if known && writes == p.seen {
		patience = restful
	}
	quiet := p.now().Before(p.until) && asked.Sub(p.asked) < patience
	p.mu.Unlock()
	if quiet {
		return false, nil
	}
	due, err := p.overdue(ctx)
	if err != nil || due {
		return due, err
	}
	at := p.now().Add(time.Hour)
	if p.next != nil {
		next, found, err := p.next(ctx)
		if err != nil {
			return false, err
		}
		if found {
			at = next
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.round == round {
		p.until, p.asked, p.seen = at, asked, writes
	}
	return false, nil
}

// Forget is told when this process has done something that is due: what follows from it may be due before all else.
func (p *Pressing) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.round, p.until = p.round+1, time.Time{}
}
