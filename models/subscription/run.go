package subscription

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/token"
)

// block is how many subscribers are read at once; atOnce how many are billed side by side.
const block, atOnce = 500, 8

// Run bills every period that began by now, and takes over accounts that were just
// stored. It may be repeated, run in several processes at once and be ended at any
// moment: the period key lets each period be billed once. One subscriber that
// fails does not keep the others from being billed.
func (s *Service) Run(ctx context.Context) (int, error) {
	var done atomic.Int64
	wrong := []error{s.ApplyPrices(ctx), s.TellPrices(ctx)}
	var after uuid.UUID
	r := &run{s: s, templates: map[uuid.UUID]Template{}}
	for {
		due, err := s.Store.DueSubscribers(ctx, after, block)
		if err != nil || len(due) == 0 {
			return int(done.Load()), errors.Join(append(wrong, err, s.Judge(ctx))...)
		}
		after = due[len(due)-1].ID
		wrong = append(wrong, r.all(ctx, due, &done))
		if err := ctx.Err(); err != nil {
			return int(done.Load()), err
		}
	}
}

// NextDue is the earliest moment after now at which a period is looked at.
func (s *Service) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	return s.Store.NextPeriod(ctx)
}

// Overdue tells whether a period that began is not billed yet.
func (s *Service) Overdue(ctx context.Context) (bool, error) { return s.Store.PeriodsOverdue(ctx) }

// errHeld: the account is being deleted, and nothing is billed until that is over.
var errHeld error = fault.New(fault.Conflict, "token_deleting",
	"The account of this subscription is being deleted. Undo that, or wait until it is complete.")

// run keeps for one round what many subscribers share.
type run struct {
	s         *Service
	mu        sync.Mutex
	templates map[uuid.UUID]Template
}

func (r *run) all(ctx context.Context, due []Subscriber, done *atomic.Int64) error {
	lanes := r.s.AtOnce
	if lanes == 0 {
		lanes = atOnce
	}
	queue := make(chan Subscriber)
	var wait sync.WaitGroup
	var mu sync.Mutex
	var wrong []error
	for range lanes {
		wait.Go(func() {
			for sub := range queue {
				n, err := r.one(ctx, sub)
				done.Add(int64(n))
				if err != nil {
					mu.Lock()
					wrong = append(wrong, fmt.Errorf("bill subscriber %s: %w", sub.ID, err))
					mu.Unlock()
				}
			}
		})
	}
	for _, sub := range due {
		queue <- sub
	}
	close(queue)
	wait.Wait()
	return errors.Join(wrong...)
}

// one does everything that is due of a subscriber, period by period.
func (r *run) one(ctx context.Context, sub Subscriber) (n int, err error) {
	lost := 0
	for sub.isDue(r.s.Now()) {
		next, err := r.step(ctx, sub)
		switch {
		case errors.Is(err, fault.ErrLost) && lost < tries: // somebody else was at it: look again
			lost++
			r.forget(sub.TemplateID)
			if sub, err = r.s.Store.TemplateClient(ctx, sub.MerchantID, sub.ID); err != nil {
				return n, err
			}
		case errors.Is(err, fault.ErrLost), errors.Is(err, errHeld):
			return n, nil // the next round sees what is left
		case err != nil:
			return n, err
		default:
			n++
			sub = next
		}
	}
	return n, nil
}

func (s Subscriber) isDue(now time.Time) bool {
	return s.StoredToken != uuid.Nil || !s.NextAt.IsZero() && !s.NextAt.After(now)
}

// step is one transaction of one subscriber; it gives the subscriber as it is then.
func (r *run) step(ctx context.Context, sub Subscriber) (Subscriber, error) {
	t, err := r.template(ctx, sub)
	if err != nil {
		return sub, err
	}
	who := actor.SystemOf(sub.MerchantID)
	switch {
	case !t.DeletedAt.IsZero():
		return r.s.finish(ctx, who, sub, "template_deleted", "The subscription ended: its template was deleted.")
	case sub.StoredToken != uuid.Nil:
		return r.s.takeUp(ctx, who, t, sub)
	}
	if why, words := t.passesOver(sub); why != "" {
		return r.s.skip(ctx, who, t, sub, why, words, false)
	}
	return r.s.billPeriod(ctx, who, t, sub)
}

// template is read once a round: whoever pauses one meanwhile comes a moment late.
func (r *run) template(ctx context.Context, sub Subscriber) (Template, error) {
	r.mu.Lock()
	t, known := r.templates[sub.TemplateID]
	r.mu.Unlock()
	if known {
		return t, nil
	}
	t, err := r.s.Store.AnyTemplate(ctx, sub.MerchantID, sub.TemplateID)
	if err == nil {
		r.mu.Lock()
		r.templates[sub.TemplateID] = t
		r.mu.Unlock()
	}
	return t, err
}

// forget lets a template be read again.
func (r *run) forget(id uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.templates, id)
}

func (s *Service) billPeriod(ctx context.Context, who actor.Actor, t Template, sub Subscriber) (Subscriber, error) {
	o, err := s.orderFor(ctx, t, sub)
	if fault.Is(err, fault.NotFound) {
		return s.finish(ctx, who, sub, "client_deleted", "The subscription ended: the client was deleted.")
	}
	if err != nil {
		return sub, err
	}
	period := t.Plan.period(sub)
	if t.On(period.BilledOn).priceOf(sub) == 0 {
		return s.skip(ctx, who, t, sub, "nothing_to_collect", "A period was not billed: its total is 0.", true)
	}
	m, err := s.make(ctx, o, period.BilledOn)
	if err != nil {
		return sub, err
	}
	next := sub
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if err := s.write(tx, who, m); err != nil {
			return err
		}
		next = sub
		period.PurchaseID = m.rec.ID
		next.passed(t, true)
		s.keep(tx, &next, period)
		if next.Status == Inactive {
			noteSubscriber(tx, who, next, "subscriber.ended", "All billing cycles have passed.", sub.facts(), next.facts())
		}
		return nil
	})
	return next, err
}

// keep writes the period key and the subscriber together.
func (s *Service) keep(tx *database.Tx, sub *Subscriber, period Period) {
	sub.UpdatedAt = tx.Now()
	insertPeriod(tx, sub.MerchantID, period)
	moveSubscriber(tx, *sub)
	sub.Version++
}

// skip lets a period pass without a purchase.
func (s *Service) skip(ctx context.Context, who actor.Actor, t Template, sub Subscriber, why, words string,
	counts bool) (Subscriber, error) {
	next := sub
	err := s.InTx(ctx, func(tx *database.Tx) error {
		next = sub
		period := t.Plan.period(sub)
		period.Skipped = why
		next.passed(t, counts)
		s.keep(tx, &next, period)
		noteSubscriber(tx, who, next, "subscriber.skipped", words, nil,
			map[string]any{"billed_on": period.BilledOn.String(), "why": why})
		return nil
	})
	return next, err
}

// takeUp starts a subscriber whose account was just stored, or who paid by hand, and
// charges the new account from then on (ours: API contract 12.2).
func (s *Service) takeUp(ctx context.Context, who actor.Actor, t Template, sub Subscriber) (Subscriber, error) {
	stored, err := s.Purchases.Tokens().Token(ctx, sub.MerchantID, sub.StoredToken)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return sub, err
	}
	next := sub
	err = s.InTx(ctx, func(tx *database.Tx) error {
		next = sub
		at := sub.StoredAt
		next.StoredToken, next.StoredAt, next.UpdatedAt = uuid.Nil, time.Time{}, tx.Now()
		if stored.Live() {
			token.Hold(tx, stored.MerchantID, stored.ID) // it is not deleted at this moment
			next.TokenID, next.Account = stored.ID, stored.State
		}
		action, words := "subscriber.account", "A new account was stored; it is charged from now on."
		if sub.Status == Pending {
			holdTemplate(tx, t) // its first dates follow the plan as it was read
			next.activate(t, today(at), at)
			if sub.Cycle > 0 {
				first := t.Plan.period(Subscriber{ID: sub.ID, FirstOn: sub.FirstOn, Anchor: next.Anchor})
				first.PurchaseID = sub.FirstPurchaseID
				insertPeriod(tx, sub.MerchantID, first)
			}
			action, words = "subscriber.activated", "The subscription began."
		}
		if sub.Status == Paused && sub.Why == WhyAsked && stored.Live() {
			next.pause(false, "")
			words = "The client gave a new account. The subscription continues, and the account is charged from now on."
		}
		moveSubscriber(tx, next)
		next.Version++
		noteSubscriber(tx, who, next, action, words, sub.facts(), next.facts())
		return nil
	})
	return next, err
}

// finish ends a subscription.
func (s *Service) finish(ctx context.Context, who actor.Actor, sub Subscriber, why, words string) (Subscriber, error) {
	next := sub
	err := s.InTx(ctx, func(tx *database.Tx) error {
		next = sub
		next.end(why)
		next.UpdatedAt = tx.Now()
		moveSubscriber(tx, next)
		next.Version++
		noteSubscriber(tx, who, next, "subscriber.ended", words, sub.facts(), next.facts())
		return nil
	})
	return next, err
}
