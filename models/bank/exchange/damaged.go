package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// What is stored was damaged: an order, the bytes of a message, or a document. Nothing leaves with other details than
// what was asked for, and what cannot be read keeps nothing else from the bank.

const (
	whyDamaged     = "What is stored of it was damaged. Import the file again."
	unreadableFile = "file_unreadable"
)

// errDamaged undoes the beginning of a message with orders that cannot be read.
var errDamaged = errors.New("orders cannot be read")

// damaged tells whether an order in it cannot be read.
func (o Outgoing) damaged() bool {
	return slices.ContainsFunc(o.Groups, func(g Group) bool { return slices.ContainsFunc(g.Items, Item.unread) })
}

func (i Item) unread() bool { return i.Any() }

func (i Item) readable() bool { return !i.Any() }

// setAside keeps items of one merchant from leaving, and asks a person about them.
func (s *Service) setAside(ctx context.Context, damaged []Item) error {
	ids := make([]uuid.UUID, len(damaged))
	for n, i := range damaged {
		ids[n] = i.ID
	}
	return s.Store.inTx(ctx, func(tx unit) error {
		items, err := tx.heldItems(`id = ANY($1) AND state = 'waiting'`, ids)
		if err != nil || len(items) == 0 { // another process has set them aside
			return err
		}
		for n := range items {
			items[n].State = ItemDamaged
		}
		if err := tx.saveItems(items); err != nil {
			return err
		}
		of, now := items[0].MerchantID, tx.Now()
		said := ordersOf(items) + " cannot be read: what is stored was damaged."
		tx.Audit(actor.SystemOf(of), audit.Entry{Action: "bank.orders_damaged", ObjectType: "bank_item",
			ObjectID: items[0].ID, Text: said + " They do not leave.", After: map[string]any{"count": len(items)}})
		return tx.openFindings([]Finding{{MerchantID: of, Kind: DamagedOrders,
			Subject: items[0].ID.String() + ":" + now.Format(time.RFC3339Nano), Text: said +
				" Nothing of it goes to the bank until you decide."}})
	})
}

// ordersOf says how many orders there are: "2 orders for the bank (R 1 234,00)".
func ordersOf(items []Item) string {
	var sum int64
	for _, i := range items {
		sum += i.AmountCents
	}
	text := plural.Of(len(items), "order") + " for the bank"
	if sum == 0 {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, money.Format(sum, "ZAR"))
}

const damagedOf = `merchant_id = $1 AND state = 'damaged'`

// Damaged says what becomes of items whose orders cannot be read: they are tried again, since the key that opens them
// may be back, or they were not collected.
func (s *Service) Damaged(ctx context.Context, who actor.Actor, again bool) (n int, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return 0, err
	}
	return n, s.Store.inTx(ctx, func(tx unit) error {
		items, err := tx.heldItems(damagedOf, who.MerchantID)
		if err != nil {
			return err
		}
		if n = len(items); n == 0 {
			return fault.New(fault.Conflict, "nothing_damaged", "No damaged orders are waiting for a decision.")
		}
		action, said := "bank.damaged_dropped", ordersOf(items)+" "+plural.Was(n)+" marked as not collected."
		if again {
			action, said = "bank.damaged_tried", ordersOf(items)+" "+plural.Is(n)+" tried again."
			for i := range items {
				items[i].State, items[i].CutAt = ItemWaiting, tx.Now()
			}
			err = tx.saveItems(items)
		} else {
			err = s.drop(tx, items)
		}
		if err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: action, ObjectType: "bank_item", Text: said, After: map[string]any{"count": n}})
		tx.settleWhere(who.Name, said, `merchant_id = ? AND kind = ?`, who.MerchantID, string(DamagedOrders))
		return nil
	})
}

// giveBack keeps a message from leaving whose bytes cannot be written, for an order in it cannot be read. A person
// decides about its items, as about those of a message that the bank refused.
func (s *Service) giveBack(ctx context.Context, id string) error {
	return s.Store.inTx(ctx, func(tx unit) error {
		items, err := tx.holdItemsOf(id, "") // items before messages, as answers do
		if err != nil {
			return err
		}
		m, err := tx.holdMessage(uuid.Nil, id)
		if err != nil || m.State != Made && m.State != Held {
			return err
		}
		m.State, m.Reason = Refused, "It was not written: what is stored of an order in it was damaged."
		for n := range items {
			if items[n].State == ItemSent {
				items[n].State = ItemRefused
			}
		}
		if err := tx.saveItems(items); err != nil {
			return err
		}
		for _, subject := range []string{m.ID, overdueSubject(m.ID)} {
			if err := tx.settleFindings(Unapproved, subject, "", m.Reason); err != nil {
				return err
			}
		}
		tx.Audit(actor.SystemOf(m.MerchantID), messageEntry("bank.message_damaged", m, "The file %s (%s) did not leave. %s",
			m.FileName, contents(m), m.Reason))
		if err := tx.openFindings([]Finding{{MerchantID: m.MerchantID, Kind: MessageRefused, Subject: m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The file %s (%s) did not leave. %s Send its items again: those that can be read leave.",
				m.FileName, contents(m), m.Reason)}}); err != nil {
			return err
		}
		return tx.saveMessage(m)
	})
}

// lost asks a person about a message whose bytes cannot be read any more, before it was laid out.
func (s *Service) lost(ctx context.Context, m Message) error {
	return s.Store.inTx(ctx, func(tx unit) error {
		return tx.openFindings([]Finding{{MerchantID: m.MerchantID, Kind: NotPlaced, Subject: m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The file %s (%s) cannot be laid out for the bank: what is stored of it was damaged. Have it "+
				"brought back from a backup; the file then leaves within a minute.", m.FileName, contents(m))}})
	})
}
