package simulation

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/debit"
	"debitdesk/models/purchase"
	"debitdesk/models/replay"
)

// AtBank is one line of the bank's desk.
type AtBank struct {
	collection.Collection
	Reference, PayerName, AccountMask string
}

// Worker does what the clock has made due, beside the debits.
type Worker interface {
	// Run does everything due by now and counts it.
	Run(ctx context.Context) (int, error)
	// NextDue is the earliest moment after now at which anything becomes due.
	NextDue(ctx context.Context) (at time.Time, found bool, err error)
	// Overdue tells whether something due is not done yet.
	Overdue(ctx context.Context) (bool, error)
}

// Controls are what a person moves in the sandbox: the clock of the product, and the
// answers of the sandbox bank and of its clients. They must not know how that bank keeps its books.
type Controls struct {
	Store     Store
	Clock     *database.Clock
	Debits    *debit.Service
	Purchases *purchase.Service
	// Bank makes the sandbox bank answer now; bank.ErrUnknown when it does not have the collection. Nil, as Phone then is:
	// another bank collects, and nobody can tell it what to answer.
	Bank func(ctx context.Context, instructionID uuid.UUID, code, dispute string) error
	// Phone makes the client answer a mandate request now: accept, reject or ignore. bank.ErrUnknown when the bank
	// does not have the request, bank.ErrTooLate when it was answered or its time has ended.
	Phone func(ctx context.Context, requestID uuid.UUID, answer string) error
	// Mail sends what waits in the outbox and tells how many went out; nil sends nothing.
	Mail func(ctx context.Context) (int, error)
	// Plans take the steps after failed debits; nil takes none.
	Plans Worker
	// Notices tell clients of debits before them; nil: nobody does.
	Notices Worker
	// Exchange is what a bank connection does by itself; nil does nothing.
	Exchange Worker
	// Subscriptions bills the periods that begin; nil bills nothing.
	Subscriptions Worker
	// Webhooks tells endpoints what happened; nil tells nobody.
	Webhooks Worker

	turn    sync.Mutex   // of who does what is due in this process
	settled atomic.Int64 // how often that was begun
	ended   error        // of the last time; guarded by turn
}

// Forces tells that a person can decide what the bank and the clients answer.
func (c *Controls) Forces() bool { return c.Bank != nil }

// NotForced says why not.
const NotForced = "Only the sandbox bank can be told what to answer, and another bank connection is in use."

// patience is how long one call waits, in all, for other processes that are at
// the same work. What they cannot do either must not hold the clock for ever.
const patience, pause = 5 * time.Second, 20 * time.Millisecond

// settle does what is due now, mails included, and waits until other processes
// that are at it have done their part. In this process one at a time is at it: many
// would be in each other's way.
func (c *Controls) settle(ctx context.Context, done *Processed) error {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.settleNow(ctx, done)
}

// caughtUp is settle for many callers who all want the same: when somebody else began
// it after the caller came, that has done the caller's part too.
func (c *Controls) caughtUp(ctx context.Context) error {
	came := c.settled.Load()
	c.turn.Lock()
	defer c.turn.Unlock()
	if c.settled.Load() > came && c.ended == nil {
		return nil
	}
	return c.settleNow(ctx, &Processed{})
}

func (c *Controls) settleNow(ctx context.Context, done *Processed) (err error) {
	c.settled.Add(1)
	defer func() { c.ended = err }()
	for {
		begun := time.Now() //nolint:forbidigo // of the machine: the rounds count as waiting too
		if err := c.runOnce(ctx, done); err != nil {
			return err
		}
		busy, err := c.overdue(ctx)
		if err != nil || !busy || done.waited >= patience {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		done.waited += time.Since(begun)
	}
}

// runOnce tries again when a step met another process in its way.
func (c *Controls) runOnce(ctx context.Context, done *Processed) error {
	const tries = 3
	var wrong error
	for range tries {
		err := c.runDebits(ctx, done)
		if err == nil && c.Subscriptions != nil {
			var billed int
			if billed, err = c.Subscriptions.Run(ctx); err == nil && billed > 0 {
				err = c.runDebits(ctx, done)
			}
		}
		if err == nil && c.Plans != nil {
			var took int
			if took, err = c.Plans.Run(ctx); err == nil && took > 0 {
				err = c.runDebits(ctx, done)
			}
		}
		if err == nil && c.Notices != nil {
			_, err = c.Notices.Run(ctx)
		}
		if wrong = err; err == nil || ctx.Err() != nil {
			break
		}
	}
	if c.Webhooks != nil {
		told, err := c.Webhooks.Run(ctx)
		done.Webhooks += told
		wrong = errors.Join(wrong, err)
	}
	if c.Mail != nil {
		sent, _ := c.Mail(ctx) // a relay that fails is noted on the mail and must not hold the clock
		done.Mails += sent
	}
	return wrong
}

// runDebits hands over and takes answers, with what the bank connection does between the two.
func (c *Controls) runDebits(ctx context.Context, done *Processed) error {
	for {
		ran, err := c.Debits.Run(ctx)
		done.debits.Add(ran)
		if err != nil || c.Exchange == nil {
			return err
		}
		if moved, err := c.Exchange.Run(ctx); err != nil || moved == 0 {
			return err
		}
	}
}

// workers are what the clock makes due beside the debits.
func (c *Controls) workers() []Worker {
	return slices.DeleteFunc([]Worker{c.Exchange, c.Subscriptions, c.Plans, c.Notices, c.Webhooks},
		func(w Worker) bool { return w == nil })
}

func (c *Controls) overdue(ctx context.Context) (bool, error) {
	busy, err := c.Debits.Overdue(ctx)
	for _, w := range c.workers() {
		if err != nil || busy {
			break
		}
		busy, err = w.Overdue(ctx)
	}
	return busy, err
}

// NextDue is the earliest moment after now at which the clock makes anything due;
// found is false when nothing is planned.
func (c *Controls) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	if at, found, err = c.Debits.NextDue(ctx); err != nil {
		return at, found, err
	}
	for _, w := range c.workers() {
		one, any, err := w.NextDue(ctx)
		if err != nil {
			return at, found, err
		}
		if any && (!found || one.Before(at)) {
			at, found = one, true
		}
	}
	return at, found, nil
}

// Processed counts what became due while the clock moved.
type Processed struct {
	Collections int // debits on which anything was done
	Mandates    int
	Webhooks    int
	Mails       int

	debits debit.Done
	waited time.Duration
}

// inner keeps the work on the way apart from the answer to the person's call,
// which is written once, with the audit of the call.
func inner(ctx context.Context) context.Context { return replay.WithEncoder(ctx, nil) }

func note(tx *database.Tx, who actor.Actor, action string, objectID, purchaseID, clientID uuid.UUID, text string) {
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "sandbox", ObjectID: objectID, ClientID: clientID,
		PurchaseID: purchaseID, Text: text})
}
