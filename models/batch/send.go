package batch

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
)

// firstFew is how many rows are sent before it waits for a person, when that was asked for.
const firstFew = 3

// longestHold is the longest hold window.
const longestHold = 24 * time.Hour

// Review is what a person looks at before sending.
type Review struct {
	Batch      Batch
	BrandName  string
	Totals     []DueTotal // add up to what will be sent
	First      *purchase.Purchase
	FirstRow   Row
	VATCents   *int64 // in the first invoice; nil: the brand charges none
	Warned     []Row  // the first of them
	SentBefore *Batch // the same content was sent before
	Sendable   Counts
}

// warnedShown is how many rows with a warning the review names.
const warnedShown = 50

// Review adds up what will be sent and makes the invoice of one row as it would be sent: the first ready one after row.
func (s *Service) Review(ctx context.Context, who actor.Actor, id uuid.UUID, after int) (Review, error) {
	if err := who.May(actor.Read); err != nil {
		return Review{}, err
	}
	b, err := s.Read.Batch(ctx, who.MerchantID, id)
	if err != nil {
		return Review{}, err
	}
	brand, err := s.Read.Brand(ctx, b.MerchantID, b.BrandID)
	if err != nil {
		return Review{}, err
	}
	v := Review{Batch: b, BrandName: brand.Name, Sendable: b.Counts}
	if v.Totals, err = s.Read.DueTotals(ctx, b.MerchantID, b.ID); err != nil {
		return v, err
	}
	if v.Warned, err = s.Read.BatchRows(ctx, b.MerchantID, b.ID, RowQuery{States: []RowState{Ready}, Warned: true, Limit: warnedShown}); err != nil {
		return v, err
	}
	switch before, err := s.Read.SentBefore(ctx, b); {
	case err == nil:
		v.SentBefore = &before
	case !fault.Is(err, fault.NotFound):
		return v, err
	}
	rows, err := s.Read.BatchRows(ctx, b.MerchantID, b.ID, RowQuery{States: []RowState{Ready}, After: after, Limit: 1})
	if err != nil || len(rows) == 0 {
		return v, err
	}
	v.FirstRow = rows[0]
	return v, s.sketch(ctx, who, &v)
}

// sketch makes the invoice of the first row, without keeping it.
func (s *Service) sketch(ctx context.Context, who actor.Actor, v *Review) error {
	line := v.Batch.read([]Row{v.FirstRow}, calendar.DateOf(s.Now()))[0].Values
	pattern, brand, err := s.Purchases.Pattern(ctx, who, s.inputOf(v.Batch, who, line))
	if err != nil {
		return nil //nolint:nilerr // what is wrong with it is said when it is sent; the totals still stand
	}
	details := line.details()
	if v.FirstRow.ClientID != uuid.Nil {
		c, err := s.Clients.Get(ctx, who, v.FirstRow.ClientID)
		if err != nil {
			return err
		}
		details = c.Details
	}
	p := pattern.For(v.FirstRow.ClientID, details, line.whitelist())
	p.Begin(uuid.Nil, s.Now())
	v.First, v.VATCents = &p, s.Billing.VATIn(p, brand)
	v.FirstRow.Cells = v.Batch.Mapping.mask(v.FirstRow.Cells)
	return nil
}

// inputOf is what a line asks for, in the words of a purchase.
func (s *Service) inputOf(b Batch, who actor.Actor, l Values) purchase.Input {
	in := purchase.Input{BrandID: b.BrandID, Product: purchase.ByInvoices, Reference: l.Reference, UserID: who.ID,
		Details: purchase.Details{Products: l.Products, Notes: l.Notes, Timezone: "Africa/Johannesburg"}, Options: purchase.Options{Platform: "web"}}
	if !l.Due.IsZero() {
		due := s.Timetable.DueOn(l.Due).UTC()
		in.Due = &due
	}
	return in
}

// whitelist is how the row may be paid; nil: in every way.
func (v Values) whitelist() []string {
	if v.Method == "" {
		return nil
	}
	return []string{v.Method}
}

// Order says how a batch is sent.
type Order struct {
	GoodOnly       bool // leave out the bad rows; else there may be none
	FirstFew       bool // send three, then wait
	AcceptWarnings bool
	Hold           time.Duration // before anything is sent
	// Rows and Cents are what the button said; a batch that changed since is not sent.
	Rows  int
	Cents int64
}

// Start sends a batch: from here on it goes on by itself.
func (s *Service) Start(ctx context.Context, who actor.Actor, id uuid.UUID, in Order) (Batch, error) {
	d, err := s.Read.Demands(ctx, who.MerchantID)
	if err != nil {
		return Batch{}, err
	}
	begin, err := s.beginning(ctx, who, id, in, nil)
	if err != nil {
		return Batch{}, err
	}
	return s.change(ctx, who, id, func(tx Tx, b *Batch) error {
		if mayStart(*b, in, false) == nil {
			if err := d.MaySend(who, b.Counts.ReadyCents); err != nil {
				return err
			}
		}
		return begin(tx, b)
	})
}

// Consent is who agreed that a batch is sent.
type Consent struct {
	ApprovalID uuid.UUID
	Approver   string
}

// StartIn is Start in the transaction of a decision; who is the one who asked.
func (s *Service) StartIn(ctx context.Context, tx Tx, who actor.Actor, id uuid.UUID, in Order, by Consent) (Batch, error) {
	begin, err := s.beginning(ctx, who, id, in, map[string]any{"approved_by": by.Approver, "approval": by.ApprovalID})
	if err != nil {
		return Batch{}, err
	}
	return s.changeIn(tx, who, id, begin)
}

// MayStart tells whether a batch could be sent as it is now, and gives it.
func (s *Service) MayStart(ctx context.Context, who actor.Actor, id uuid.UUID, in Order) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	b, err := s.Read.Batch(ctx, who.MerchantID, id)
	if err != nil {
		return b, err
	}
	_, err = s.Read.SentBefore(ctx, b)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return b, err
	}
	return b, mayStart(b, in, err == nil && !b.Started())
}

// beginning sets a batch on its way; also is kept in the audit beside what it sends.
func (s *Service) beginning(ctx context.Context, who actor.Actor, id uuid.UUID, in Order, also map[string]any) (func(Tx, *Batch) error, error) {
	if err := who.May(actor.Bill); err != nil {
		return nil, err
	}
	before, err := s.Read.Batch(ctx, who.MerchantID, id)
	if err != nil {
		return nil, err
	}
	brand, err := s.Read.Brand(ctx, who.MerchantID, before.BrandID)
	if err != nil {
		return nil, err
	}
	_, err = s.Read.SentBefore(ctx, before)
	sentBefore := err == nil && !before.Started()
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	return func(tx Tx, b *Batch) error {
		if err := mayStart(*b, in, sentBefore); err != nil {
			return err
		}
		if err := who.Sends(b.Counts.ReadyCents); err != nil {
			return err
		}
		if _, err := tx.MoveRows(*b, []RowState{Bad}, Skipped, "Left out: it had problems.", nil); err != nil {
			return err
		}
		b.State, b.Starter, b.StartedAt, b.EndedAt, b.Note = Running, who, tx.Now(), time.Time{}, ""
		b.GoodOnly, b.WarningsAccepted = in.GoodOnly, in.AcceptWarnings
		b.HoldUntil, b.PauseAfter = time.Time{}, 0
		if in.Hold > 0 {
			b.HoldUntil = tx.Now().Add(in.Hold)
		}
		if in.FirstFew {
			b.PauseAfter = b.Counts.Sent + b.Counts.Voided + firstFew
		}
		after := map[string]any{"rows": b.Counts.Ready, "total_cents": b.Counts.ReadyCents, "left_out": b.Counts.Bad}
		maps.Copy(after, also)
		tx.Audit(who, audit.Entry{Action: "batch.started", ObjectType: "batch", ObjectID: b.ID,
			Text: fmt.Sprintf("%d invoices of %s were sent on their way.", b.Counts.Ready, money.Format(b.Counts.ReadyCents, brand.Currency)), After: after})
		tx.Enqueue(queue.WorkBatch{BatchID: b.ID})
		return nil
	}, nil
}

func mayStart(b Batch, in Order, sentBefore bool) error {
	var wrong fault.Problems
	switch {
	case !b.in(Checked):
		return wrongState(b)
	case b.Counts.Ready == 0:
		return fault.New(fault.Conflict, "nothing_to_send", "No row is ready to be sent. Mend the bad ones first.")
	case in.Rows != b.Counts.Ready || in.Cents != b.Counts.ReadyCents:
		return fault.New(fault.Conflict, "batch_changed", "The batch changed since you looked at it: now %d invoices are ready. Look at it again.", b.Counts.Ready)
	}
	if b.Counts.Bad > 0 && !in.GoodOnly {
		wrong.Add("good_only", "required", "%d rows have problems. Mend them, or choose to send only the good ones.", b.Counts.Bad)
	}
	if (b.Counts.Warned > 0 || sentBefore) && !in.AcceptWarnings {
		wrong.Add("warnings", "required", "Look at the warnings and tick that they are right.")
	}
	if in.Hold < 0 || in.Hold > longestHold {
		wrong.Add("hold", "max_value", "Hold it for at most 24 hours.")
	}
	return wrong.Err()
}

// Pause keeps a batch that is being sent from sending more.
func (s *Service) Pause(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	return s.turn(ctx, who, id, "batch.paused", "The batch was paused.", Paused, Running)
}

// Resume goes on with a batch that waits. A hold window that was open is over.
func (s *Service) Resume(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	return s.turn(ctx, who, id, "batch.resumed", "The batch went on.", Running, Paused)
}

// Stop ends a batch: what was sent stays sent, the rest is left.
func (s *Service) Stop(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	return s.turn(ctx, who, id, "batch.stopped", "The batch was stopped.", Stopped, Running, Paused)
}

// Void cancels what was sent and is not paid: credit notes go out. What is paid meanwhile stays.
func (s *Service) Void(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	return s.turn(ctx, who, id, "batch.voided", "The unpaid invoices of the batch are being voided.", Voiding, Paused, Stopped, Done)
}

// notCharged is why a debit was not planned; it can still be charged by hand.
const notCharged = "Invoiced, but not charged: the batch was stopped before that."

func (s *Service) turn(ctx context.Context, who actor.Actor, id uuid.UUID, action, text string, to State, from ...State) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	return s.change(ctx, who, id, func(tx Tx, b *Batch) error {
		if !b.in(from...) || !b.Started() {
			return wrongState(*b)
		}
		if to == Running {
			if err := who.Sends(b.Counts.ReadyCents); err != nil {
				return err
			}
		}
		before := b.State
		b.State, b.Note = to, ""
		switch to {
		case Running:
			b.PauseAfter, b.HoldUntil = 0, time.Time{}
			tx.Enqueue(queue.WorkBatch{BatchID: b.ID})
		case Voiding:
			b.Cursor, b.Starter = 0, who
			tx.DropCharges(*b, notCharged)
			tx.Enqueue(queue.WorkBatch{BatchID: b.ID})
		case Stopped:
			b.EndedAt = tx.Now()
			tx.DropCharges(*b, notCharged)
		default:
		}
		tx.Audit(who, audit.Entry{Action: action, ObjectType: "batch", ObjectID: b.ID, Text: text,
			Before: map[string]any{"state": before}, After: map[string]any{"state": b.State, "sent": b.Counts.Sent, "left": b.Counts.Left()}})
		return nil
	})
}

// reopen takes the rows that failed, and those that were left out because of their problems. A good row that a person left
// out stays out: who took a double out must not send it after all.
func reopen(tx Tx, b Batch) (int, error) {
	n, err := tx.MoveRows(b, []RowState{Failed}, Fresh, "", nil)
	if err != nil {
		return 0, err
	}
	var numbered []int
	for after := 0; ; {
		rows, err := tx.RowsIn(b, []RowState{Skipped}, after, checkedAtOnce)
		if err != nil {
			return 0, err
		}
		if len(rows) == 0 {
			break
		}
		for after = rows[len(rows)-1].N; len(rows) > 0; rows = rows[1:] {
			if len(rows[0].Problems) > 0 {
				numbered = append(numbered, rows[0].N)
			}
		}
	}
	if len(numbered) == 0 {
		return n, nil
	}
	more, err := tx.MoveRows(b, []RowState{Skipped}, Fresh, "", numbered)
	return n + more, err
}

// Repair opens rows that failed or had problems for the next try; what was sent stays as it is.
func (s *Service) Repair(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	b, err := s.change(ctx, who, id, func(tx Tx, b *Batch) error {
		if !b.in(Done, Stopped, Paused) {
			return wrongState(*b)
		}
		n, err := reopen(tx, *b)
		if err != nil {
			return err
		}
		if n == 0 && b.Counts.Left() == 0 {
			return fault.New(fault.Conflict, "nothing_to_repair", "No row failed or was left out.")
		}
		tx.Audit(who, audit.Entry{Action: "batch.repaired", ObjectType: "batch", ObjectID: b.ID, Text: fmt.Sprintf("%d rows were opened again.", n), After: map[string]any{"rows": n}})
		b.EndedAt = time.Time{}
		return recheck(tx, b)
	})
	return s.checked(ctx, b, err)
}
