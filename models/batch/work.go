package batch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/queue"
)

const (
	mostLost   = 100             // pieces in a row that met another change; it is tried again a little later
	claimLasts = 5 * time.Second // a batch nobody claimed for so long has lost its worker
	claimAgain = time.Second
)

// Work goes on with a batch until nothing is left to do or somebody stops it. It may be called again, at any time and
// in several processes at once: one worker claims the batch and the others leave, so that nobody prepares rows in vain.
// The claim only saves work: each piece locks the batch and looks again before it writes.
func (s *Service) Work(ctx context.Context, id uuid.UUID) error {
	ref, err := s.Store.ref(ctx, id)
	if err != nil {
		return err
	}
	c := &claim{Service: s, ref: ref}
	if mine, err := c.renew(ctx); err != nil || !mine {
		return err
	}
	stop := c.keep(ctx)
	err = s.work(ctx, ref, c.taken.Load)
	stop()
	if err != nil && ctx.Err() == nil {
		return err // and the claim runs out: it is tried again a little later
	}
	return errors.Join(err, c.giveBack(ctx))
}

// claim is that of one worker on a batch.
type claim struct {
	*Service
	ref   Ref
	at    time.Time   // of the last renewal; only one goroutine at a time knows it
	taken atomic.Bool // by somebody else, or nothing is left to do
}

func (c *claim) renew(ctx context.Context) (mine bool, err error) {
	at, mine, err := c.Store.claim(ctx, c.ref, c.at, claimLasts)
	if mine {
		c.at = at
	}
	return mine, err
}

// keep renews the claim until stop is called, or until somebody else has the batch or it has no work.
func (c *claim) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(claimAgain)
		defer tick.Stop()
		for !c.taken.Load() {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				mine, err := c.renew(ctx)
				c.taken.Store(err == nil && !mine) // after an error the next one comes in a moment
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

func (c *claim) giveBack(ctx context.Context) error {
	return c.Store.leave(context.WithoutCancel(ctx), c.ref, c.at)
}

// work does one piece after the other, each in a transaction of its own.
func (s *Service) work(ctx context.Context, ref Ref, taken func() bool) error {
	for lost := 0; ctx.Err() == nil && !taken(); {
		more, err := s.step(ctx, ref)
		if lost++; errors.Is(err, fault.ErrLost) && lost < mostLost {
			continue
		}
		lost = 0
		if err != nil || !more {
			return err
		}
	}
	return ctx.Err()
}

// takeUp reads the next rows of a piece of work.
func (s *Service) takeUp(ctx context.Context, b Batch, q RowQuery) ([]Row, error) {
	rows, err := s.Store.rows(ctx, b.MerchantID, b.ID, q)
	if s.taken != nil {
		s.taken(len(rows))
	}
	return rows, err
}

// forWorkers gives a batch that has something to do now to the first worker who comes.
func forWorkers(tx *database.Tx, b Batch) {
	freeBatch(tx, b)
	tx.Enqueue(queue.WorkBatch{BatchID: b.ID})
}

// HasWork tells whether TakeUp would find anything.
func (s *Service) HasWork(ctx context.Context) (bool, error) {
	refs, err := s.Store.atWork(ctx, claimLasts)
	return len(refs) > 0, err
}

// TakeUp goes on with batches that have work and nobody at it: a killed process, a lost job, a hold window that ended.
func (s *Service) TakeUp(ctx context.Context) error {
	refs, err := s.Store.atWork(ctx, claimLasts)
	if err != nil {
		return err
	}
	var all []error
	for _, ref := range refs {
		if err := s.Work(ctx, ref.ID); err != nil {
			all = append(all, fmt.Errorf("batch %s: %w", ref.ID, err))
		}
	}
	return errors.Join(all...)
}

func (s *Service) step(ctx context.Context, ref Ref) (more bool, err error) {
	b, err := s.Store.Batch(ctx, ref.MerchantID, ref.ID)
	if err != nil {
		return false, err
	}
	switch b.State {
	case Checking:
		return s.checkSome(ctx, b)
	case Running:
		return s.sendSome(ctx, b)
	case Voiding:
		return s.voidSome(ctx, b)
	default:
		return false, nil
	}
}
