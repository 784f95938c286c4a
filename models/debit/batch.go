package debit

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// batch applies facts to the rows of one transaction and writes each row once.
type batch struct {
	s           *Service
	ctx         context.Context
	tx          Tx
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

func (s *Service) hold(ctx context.Context, tx Tx, collectionIDs []uuid.UUID) (*batch, error) {
	held, err := tx.Hold(collectionIDs)
	return &batch{s: s, ctx: ctx, tx: tx, collections: rows(held.Collections), purchases: rows(held.Purchases),
		tokens: rows(held.Tokens),
		brands: map[uuid.UUID]merchant.Brand{}}, err
}

func (b *batch) save() {
	now := b.tx.Now()
	for _, t := range b.tokens {
		if t.changed {
			t.is.UpdatedAt = now
			b.tx.SaveToken(t.is, t.was.State)
		}
	}
	for _, c := range b.collections {
		if c.changed {
			c.is.UpdatedAt = now
			b.tx.SaveCollection(c.is, c.was.State)
		}
	}
	for _, p := range b.purchases {
		if p.changed {
			p.is.UpdatedAt = now
			b.tx.SavePurchase(p.is, p.was.Status)
		}
	}
}

// matter is one collection with what hangs on it.
type matter struct {
	*batch
	c    *row[collection.Collection]
	p    *row[purchase.Purchase]
	t    *row[token.Token]
	code bank.ReturnCode
}

func (b *batch) matter(collectionID uuid.UUID, code string) (m matter, found bool) {
	c, found := b.collections[collectionID]
	if !found {
		return m, false
	}
	m = matter{b, c, b.purchases[c.is.PurchaseID], b.tokens[c.is.TokenID], bank.CodeOf(code)}
	return m, m.p != nil && m.t != nil
}

// take applies one message of the bank, or says why it changes nothing.
func (b *batch) take(msg bank.Message) Outcome {
	m, found := b.matter(msg.InstructionID, msg.Code)
	if !found {
		return Outcome{MessageID: msg.ID, Text: "ignored: the instruction is not ours"}
	}
	out := Outcome{MessageID: msg.ID, MerchantID: m.c.is.MerchantID}
	before, status := m.c.is.State, m.p.is.Status
	if msg.Kind == bank.DisputeRejected {
		note(b.tx, actor.BankOf(m.c.is.MerchantID), m.c.is, "collection.dispute_rejected",
			"The client's bank refused a dispute (%s): the debit was as the client had confirmed.", m.code.Label())
		out.Text = "applied: noted that a dispute was refused"
		return out
	}
	known := before
	if known == collection.Scheduled {
		known = collection.Submitted // the answer proves that the bank has it
	}
	next, moves := known.After(msg.Kind)
	if !moves || !m.effect(msg, next) {
		m.tooLate(msg)
		out.Text = fmt.Sprintf("ignored: %s (%s) changes nothing while the collection is %s and the purchase %s", msg.Kind,
			msg.Code, before, status)
		return out
	}
	out.Text = fmt.Sprintf("applied: collection %s to %s, purchase %s to %s", before, next, status, m.p.is.Status)
	b.tx.Audit(actor.BankOf(m.c.is.MerchantID), audit.Entry{Action: "collection." + string(next), ObjectType: "collection",
		ObjectID: m.c.is.ID,
		ClientID: m.c.is.ClientID, PurchaseID: m.c.is.PurchaseID, Text: m.sentence(),
		Before: map[string]any{"state": before, "status": status},
		After:  map[string]any{"state": next, "status": m.p.is.Status, "code": msg.Code}})
	return out
}

// tooLate: money that comes in for a debit which was taken back needs a person.
func (m matter) tooLate(msg bank.Message) {
	withdrawn := m.c.is.State == collection.Recalled || m.c.is.State == collection.Cancelled
	if withdrawn && (msg.Kind == bank.Provisional || msg.Kind == bank.Successful) {
		note(m.tx, actor.BankOf(m.c.is.MerchantID), m.c.is, "collection.collected_after_recall",
			"The bank collected this debit although it was withdrawn. Refund the client.")
	}
}

// refuse ends a collection that never ran.
func (b *batch) refuse(r refusal) {
	m, found := b.matter(r.id, r.code)
	if !found || m.c.is.State != collection.Scheduled {
		return
	}
	status := m.p.is.Status
	now := b.tx.Now()
	if m.p.is.Fail(m.c.is, m.code, now) {
		m.p.changed = true
	}
	m.answered(collection.Unpaid, now)
	if !r.ours {
		m.judge(0)
	}
	b.tx.Audit(actor.SystemOf(m.c.is.MerchantID), audit.Entry{Action: "collection.unpaid", ObjectType: "collection",
		ObjectID: r.id,
		ClientID: m.c.is.ClientID, PurchaseID: m.c.is.PurchaseID, Text: "The debit was not run: " + m.code.Label() + ". " +
			m.code.Remedy,
		Before: map[string]any{"state": collection.Scheduled, "status": status},
		After:  map[string]any{"state": collection.Unpaid, "status": m.p.is.Status, "code": r.code}})
}
