package debit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/rulebook"
	"debitdesk/models/token"
)

// changeSet applies facts to the rows of one transaction and writes each row once.
type changeSet struct {
	s           *Service
	ctx         context.Context
	tx          *database.Tx
	collections map[uuid.UUID]*row[collection.Collection]
	purchases   map[uuid.UUID]*row[purchase.Purchase]
	tokens      map[uuid.UUID]*row[token.Token]
	brands      map[uuid.UUID]merchant.Brand
	wrong       error
}

// row is a record as it was read and as it is now.
type row[T any] struct {
	was, is T
	changed bool
}

func rows[T any](held map[uuid.UUID]T) map[uuid.UUID]*row[T] {
	out := make(map[uuid.UUID]*row[T], len(held))
	for id, v := range held {
		out[id] = &row[T]{was: v, is: v}
	}
	return out
}

func (s *Service) hold(ctx context.Context, tx *database.Tx, collectionIDs []uuid.UUID) (*changeSet, error) {
	held, err := hold(tx, collectionIDs)
	return &changeSet{s: s, ctx: ctx, tx: tx, collections: rows(held.Collections), purchases: rows(held.Purchases),
		tokens: rows(held.Tokens),
		brands: map[uuid.UUID]merchant.Brand{}}, err
}

func (set *changeSet) save() {
	now := set.tx.Now()
	for _, t := range set.tokens {
		if t.changed {
			t.is.UpdatedAt = now
			token.Save(set.tx, t.is, t.was.State)
		}
	}
	for _, c := range set.collections {
		if c.changed {
			c.is.UpdatedAt = now
			collection.Save(set.tx, c.is, c.was.State)
		}
	}
	for _, p := range set.purchases {
		if p.changed {
			p.is.UpdatedAt = now
			purchase.Save(set.tx, p.is, p.was.Status)
		}
	}
	set.tellFailed()
}

// tellFailed tells of the debits that failed now: not paid, returned, or disputed with the money gone.
func (set *changeSet) tellFailed() {
	if set.s.Failed == nil {
		return
	}
	var failed []collection.Collection
	for _, c := range set.collections {
		if c.changed && c.was.State != c.is.State &&
			(c.is.State == collection.Unpaid || c.is.State == collection.Disputed && !c.is.ProofDue) {
			failed = append(failed, c.is)
		}
	}
	if len(failed) > 0 {
		slices.SortFunc(failed, func(a, b collection.Collection) int { return cmp.Compare(a.ID.String(), b.ID.String()) })
		set.s.Failed(set.tx, failed)
	}
}

// debitChange is one collection with what hangs on it.
type debitChange struct {
	*changeSet
	c    *row[collection.Collection]
	p    *row[purchase.Purchase]
	t    *row[token.Token]
	code bank.ReturnCode
}

func (set *changeSet) change(collectionID uuid.UUID, code string) (d debitChange, found bool) {
	c, found := set.collections[collectionID]
	if !found {
		return d, false
	}
	d = debitChange{set, c, set.purchases[c.is.PurchaseID], set.tokens[c.is.TokenID], bank.CodeOf(code)}
	return d, d.p != nil && d.t != nil
}

// take applies one message of the bank, or says why it changes nothing.
func (set *changeSet) take(msg bank.Message) outcome {
	d, found := set.change(msg.InstructionID, msg.Code)
	if !found {
		return outcome{message: msg, text: "ignored: the instruction is not ours"}
	}
	out := outcome{message: msg, merchantID: d.c.is.MerchantID}
	before, status := d.c.is.State, d.p.is.Status
	if why := d.refusedDispute(msg); why != "" {
		note(set.tx, actor.BankOf(d.c.is.MerchantID), d.c.is, "collection.dispute_rejected",
			"The client’s bank refused a dispute (%s): %s.", d.code.Label(), why)
		out.text = "applied: noted that a dispute was refused"
		return out
	}
	known := before
	if known == collection.Scheduled {
		known = collection.Submitted // the answer proves that the bank has it
	}
	next, moves := known.After(msg.Kind)
	if next == collection.Final && d.c.is.Method == bank.DebiCheck {
		next = collection.Successful
	}
	if !moves || !d.effect(msg, next) {
		d.tooLate(msg)
		out.text = fmt.Sprintf("ignored: %s (%s) changes nothing while the debit is %s and the purchase %s", msg.Kind,
			msg.Code, before, status)
		return out
	}
	out.text = fmt.Sprintf("applied: debit %s to %s, purchase %s to %s", before, next, status, d.p.is.Status)
	set.tx.Audit(actor.BankOf(d.c.is.MerchantID), audit.Entry{Action: "collection." + string(next),
		ObjectType: "collection", ObjectID: d.c.is.ID,
		ClientID: d.c.is.ClientID, PurchaseID: d.c.is.PurchaseID, Text: d.sentence(),
		Before: map[string]any{"state": before, "status": status},
		After:  map[string]any{"state": next, "status": d.p.is.Status, "code": msg.Code}})
	return out
}

// refusedDispute says why a dispute changes nothing: the client's bank refused it, or it was lodged after the last
// day and the bank has not taken the money back.
func (d debitChange) refusedDispute(msg bank.Message) string {
	late := d.c.is.Lodge(d.s.Timetable, msg.At).Refused == rulebook.OutOfWindow
	switch {
	case late && (msg.Kind == bank.DisputeRejected || msg.Kind == bank.Disputed && !msg.Reversed):
		last, _ := d.c.is.DisputableUntil()
		if last.IsZero() {
			return "it came after the last day on which the debit could be disputed"
		}
		return "it came after " + last.Format("2 Jan 2006") + ", the last day on which the debit could be disputed"
	case msg.Kind == bank.DisputeRejected:
		return "the debit was as the client had confirmed"
	}
	return ""
}

// tooLate: money that comes in for a debit which was taken back needs a person.
func (d debitChange) tooLate(msg bank.Message) {
	withdrawn := d.c.is.State == collection.Recalled || d.c.is.State == collection.Cancelled
	if msg.Kind == bank.PaidAgain && !withdrawn {
		note(d.tx, actor.BankOf(d.c.is.MerchantID), d.c.is, "collection.paid_again",
			"The bank has the money of this debit after all, and the purchase cannot take it: see that the client does not "+
				"pay twice.")
	}
	if withdrawn && (msg.Kind == bank.Provisional || msg.Kind == bank.Successful || msg.Kind == bank.PaidAgain) {
		note(d.tx, actor.BankOf(d.c.is.MerchantID), d.c.is, "collection.collected_after_recall",
			"The bank collected this debit although it was withdrawn. Refund the client.")
	}
}

// refuse ends a collection that never ran.
func (set *changeSet) refuse(r refusal) {
	d, found := set.change(r.id, r.code)
	if !found || d.c.is.State != collection.Scheduled {
		return
	}
	status := d.p.is.Status
	now := set.tx.Now()
	if d.p.is.Fail(d.c.is, d.code, now) {
		d.p.changed = true
	}
	d.answered(collection.Unpaid, now)
	if !r.ours {
		d.judge(0)
	}
	set.tx.Audit(actor.SystemOf(d.c.is.MerchantID), audit.Entry{Action: "collection.unpaid", ObjectType: "collection",
		ObjectID: r.id,
		ClientID: d.c.is.ClientID, PurchaseID: d.c.is.PurchaseID, Text: "The debit was not run: " + d.code.Label() + ". " +
			d.code.Remedy,
		Before: map[string]any{"state": collection.Scheduled, "status": status},
		After:  map[string]any{"state": collection.Unpaid, "status": d.p.is.Status, "code": r.code}})
}
