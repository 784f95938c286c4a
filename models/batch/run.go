package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
)

const (
	sentAtOnce    = 500 // rows of one transaction
	chargedAtOnce = 50
	idleTime      = 5 * time.Second // a batch nobody worked on for so long has lost its worker
)

// Work goes on with a batch until nothing is left to do or somebody stops it. It may be called again, at any time and in
// several processes at once: whoever holds the batch's lock does the next piece, each piece in a transaction of its own.
func (s *Service) Work(ctx context.Context, id uuid.UUID) error {
	ref, err := s.Read.BatchRef(ctx, id)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		more, err := s.step(ctx, ref)
		if errors.Is(err, fault.ErrLost) {
			continue
		}
		if err != nil || !more {
			return err
		}
	}
	return ctx.Err()
}

// TakeUp goes on with batches that have work and nobody at it: a killed process, a lost job, a hold window that ended.
func (s *Service) TakeUp(ctx context.Context) error {
	refs, err := s.Read.BatchesAtWork(ctx, idleTime)
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
	b, err := s.Read.Batch(ctx, ref.MerchantID, ref.ID)
	if err != nil {
		return false, err
	}
	switch b.State {
	case Checking:
		return s.checkSome(ctx, ref)
	case Running:
		return s.sendSome(ctx, b)
	case Voiding:
		return s.voidSome(ctx, b)
	default:
		return false, nil
	}
}

// sendSome sends the next rows. When they cannot be sent together, each is tried alone, so that none stops the others.
func (s *Service) sendSome(ctx context.Context, b Batch) (more bool, err error) {
	if b.Held(s.Now()) {
		return false, nil
	}
	limit := min(sentAtOnce, b.Counts.Ready)
	if b.PauseAfter > 0 {
		limit = min(limit, b.PauseAfter-b.Counts.Sent-b.Counts.Voided)
	}
	if limit > 0 {
		n, err := s.sendRows(ctx, b, limit)
		if err != nil && ctx.Err() == nil && !errors.Is(err, fault.ErrLost) {
			n, err = s.oneByOne(ctx, b, limit)
		}
		if err != nil || n > 0 {
			return true, err
		}
	}
	if n, err := s.chargeSome(ctx, b); err != nil || n > 0 {
		return true, err
	}
	return s.settle(ctx, b)
}

// sendRows makes clients, purchases, invoices and mails of the next ready rows, all in one transaction, and tells how many
// rows it took. Numbers follow the order of the file.
func (s *Service) sendRows(ctx context.Context, seen Batch, limit int) (taken int, err error) {
	first, err := s.Read.TakeNumbers(ctx, seen.BrandID, "purchase", limit)
	if err != nil {
		return 0, err
	}
	err = s.InTx(ctx, func(tx Tx) error {
		ctx := tx.Context()
		taken = 0
		b, err := tx.LockBatch(seen.MerchantID, seen.ID)
		if err != nil || b.State != Running {
			return err
		}
		if b.PauseAfter > 0 {
			limit = min(limit, b.PauseAfter-b.Counts.Sent-b.Counts.Voided)
		}
		rows, err := tx.RowsIn(b, []RowState{Ready}, 0, max(limit, 0))
		if err != nil || len(rows) == 0 {
			return err
		}
		taken = len(rows)
		if err := s.issue(ctx, tx, b, rows, first); err != nil {
			return err
		}
		if err := tx.SaveRows(b, rows, false); err != nil {
			return err
		}
		tx.Enqueue(queue.SendDueMails{})
		return tx.SaveBatch(&b)
	})
	return taken, err
}

// tooMany rows in a row that could not be made are no matter of those rows: somebody should look before more fail.
const tooMany = 5

// oneByOne sends as many rows as could not be sent together.
func (s *Service) oneByOne(ctx context.Context, b Batch, rows int) (taken int, err error) {
	failures := 0
	for range rows {
		n, failed, err := s.sendAlone(ctx, b)
		if err != nil || n == 0 {
			return taken, err
		}
		taken++
		if failures++; !failed {
			failures = 0
		}
		if failures == tooMany {
			return taken, s.wait(ctx, b, "Rows fail one after the other for a reason of ours. Look at the failed rows, then go on or stop.")
		}
	}
	return taken, nil
}

// wait pauses a batch by itself.
func (s *Service) wait(ctx context.Context, seen Batch, why string) error {
	return s.InTx(ctx, func(tx Tx) error {
		b, err := tx.LockBatch(seen.MerchantID, seen.ID)
		if err != nil || b.State != Running {
			return err
		}
		b.State, b.Note, b.UpdatedAt = Paused, why, tx.Now()
		tx.Audit(actor.SystemOf(b.MerchantID), audit.Entry{Action: "batch.paused", ObjectType: "batch", ObjectID: b.ID, Text: why})
		return tx.SaveBatch(&b)
	})
}

// sendAlone sends the next ready row. When even that fails, the row is the reason and says so.
func (s *Service) sendAlone(ctx context.Context, b Batch) (n int, failed bool, err error) {
	rows, err := s.Read.BatchRows(ctx, b.MerchantID, b.ID, RowQuery{States: []RowState{Ready}, Limit: 1})
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	next := rows[0]
	n, why := s.sendRows(ctx, b, 1)
	if why == nil || ctx.Err() != nil || errors.Is(why, fault.ErrLost) {
		return n, false, why
	}
	if s.Failed != nil {
		s.Failed(ctx, Ref{b.MerchantID, b.ID}, next.N, why)
	}
	err = s.InTx(ctx, func(tx Tx) error {
		b, err := tx.LockBatch(b.MerchantID, b.ID)
		if err != nil {
			return err
		}
		if _, err := tx.MoveRows(b, []RowState{Ready}, Failed, reason(why), []int{next.N}); err != nil {
			return err
		}
		return tx.SaveBatch(&b)
	})
	return 1, true, err
}

// reason is what a person reads about a row that could not be made.
func reason(err error) string {
	if f, ok := fault.From(err); ok && f.Kind != fault.Internal {
		return f.Error()
	}
	return "It could not be made for a reason of ours. Try it again with Repair; if it fails again, tell us the batch and the row."
}

// issue turns rows into drafts, and those into purchases with numbers. A row that cannot be made is failed with its reason.
func (s *Service) issue(ctx context.Context, tx Tx, b Batch, rows []Row, firstReference int64) error {
	lines := b.read(rows, calendar.DateOf(tx.Now()))
	known, err := clientsOf(tx, b.MerchantID, lines)
	if err != nil {
		return err
	}
	var brand merchant.Brand
	var drafts []purchase.Purchase
	var at []int // the row of each draft
	for i := range rows {
		p, its, err := s.draft(ctx, tx, b, &rows[i], lines[i], known)
		if f, ok := fault.From(err); ok && f.Kind != fault.Internal {
			rows[i].State, rows[i].Error = Failed, f.Error()
			continue
		}
		if err != nil {
			return err
		}
		brand, drafts, at = its, append(drafts, p), append(at, i)
	}
	if len(drafts) == 0 {
		return nil
	}
	issued, err := s.Billing.IssueAll(tx, b.Starter, brand, drafts, firstReference)
	if err != nil {
		return err
	}
	for n, one := range issued {
		r := &rows[at[n]]
		r.State, r.PurchaseID, r.Number, r.Error = Sent, one.Purchase.ID, one.Invoice.Number, ""
		r.TotalCents = one.Purchase.TotalCents
	}
	return nil
}

// draft is the purchase of one row; a client it needs is made in the same transaction.
func (s *Service) draft(ctx context.Context, tx Tx, b Batch, r *Row, l Line, known *directory) (purchase.Purchase, merchant.Brand, error) {
	var none purchase.Purchase
	c, isNew, wrong := known.find(l.Values)
	if wrong = append(l.Problems, wrong...); len(wrong) > 0 {
		return none, merchant.Brand{}, asFault(wrong)
	}
	pattern, brand, err := s.Purchases.Pattern(ctx, b.Starter, s.inputOf(b, b.Starter, l.Values))
	if err != nil {
		return none, brand, err
	}
	if isNew {
		if c, err = newClient(tx, b, l.Values); err != nil {
			return none, brand, err
		}
		known.add(c)
	}
	r.ClientID, r.NewClient, r.Name = c.ID, isNew, c.Name()
	return pattern.For(c.ID, c.Details, l.Values.whitelist()), brand, nil
}

func asFault(wrong []Problem) error {
	var all fault.Problems
	for _, p := range wrong {
		all.Add(string(p.Field), p.Code, "%s", p.Message)
	}
	return all.Err()
}

func newClient(tx Tx, b Batch, v Values) (client.Client, error) {
	c := client.Client{ID: tx.NewID(), MerchantID: b.MerchantID, Details: v.details(), CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	if wrong := c.Check(client.AsRecord, calendar.DateOf(tx.Now())); len(wrong) > 0 { // brings it into its stored form too
		return c, wrong.Err()
	}
	tx.InsertClient(c)
	tx.Audit(b.Starter, audit.Entry{Action: "client.created", ObjectType: "client", ObjectID: c.ID, ClientID: c.ID, Text: c.Name() + " was added by the batch " + b.Name + "."})
	return c, nil
}

// settle ends a batch that has nothing left to send, or lets it wait for a person.
func (s *Service) settle(ctx context.Context, seen Batch) (more bool, err error) {
	err = s.InTx(ctx, func(tx Tx) error {
		more = false
		b, err := tx.LockBatch(seen.MerchantID, seen.ID)
		if err != nil || b.State != Running {
			return err
		}
		if err := tx.SaveBatch(&b); err != nil { // count anew before deciding
			return err
		}
		sent := b.Counts.Sent + b.Counts.Voided
		switch {
		case b.Counts.Ready > 0 && b.PauseAfter > 0 && sent >= b.PauseAfter:
			b.State, b.PauseAfter, b.Note = Paused, 0, "The first invoices are sent. Look at them, then go on."
			tx.Audit(actor.SystemOf(b.MerchantID), audit.Entry{Action: "batch.paused", ObjectType: "batch", ObjectID: b.ID, Text: "The first invoices were sent; the batch waits for somebody."})
		case b.Counts.Ready > 0 || b.Counts.Charges > 0:
			more = true
			return nil
		default:
			return s.finish(tx, &b)
		}
		b.UpdatedAt = tx.Now()
		return tx.SaveBatch(&b)
	})
	return more, err
}

func (s *Service) finish(tx Tx, b *Batch) error {
	if !b.Counts.AddUp(b.Rows) {
		return fmt.Errorf("batch %s: %d rows were read, and its rows do not add up to that: %+v", b.ID, b.Rows, b.Counts)
	}
	b.State, b.EndedAt, b.UpdatedAt = Done, tx.Now(), tx.Now()
	c := b.Counts
	tx.Audit(actor.SystemOf(b.MerchantID), audit.Entry{Action: "batch.done", ObjectType: "batch", ObjectID: b.ID,
		Text:  fmt.Sprintf("%d rows read: %d sent, %d left out, %d failed.", b.Rows, c.Sent+c.Voided, c.Skipped, c.Failed),
		After: map[string]any{"rows": b.Rows, "sent": c.Sent, "voided": c.Voided, "skipped": c.Skipped, "failed": c.Failed}})
	return tx.SaveBatch(b)
}
