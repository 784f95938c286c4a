package exchange

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

// recall records whether the bank has withdrawn a debit. One that it did not withdraw runs, and is answered as
// any other.
func (c *change) recall(i Item, e Event) error {
	if m, err := c.message(c.recalls[i.ID].messageID); err != nil {
		return err
	} else if m != nil { // who answers a recall has the file that asked for it
		if err := c.acknowledge(m); err != nil {
			return err
		}
	}
	switch e.Status {
	case "ACCR", "CNCL", "CANC":
		c.answer(i, e, bank.Recalled, bank.CodeRecalled)
	}
	return nil
}

// Some banks answer a recall by a status report about the message in which it left. It names the recall, or the debit
// that is recalled.

// asksRecall tells that a message of ours recalls debits.
func asksRecall(form string) bool {
	return strings.HasPrefix(form, "camt.055.") || strings.HasPrefix(form, "pain.007.")
}

// doneBy tells that a status says of a recall that the debit was withdrawn: as cancelled, or as a reversal that is
// settled. That a message was accepted says nothing of it.
func doneBy(form, status string) bool {
	return status == "CANC" || strings.HasPrefix(form, "pain.007.") && settled(status)
}

// asked is one recall that left.
type asked struct {
	id, debitID uuid.UUID
	messageID   string
}

// recallsIn are the recalls that answers are about, by their own ids and by those of their debits.
func (c *change) recallsIn(events []Event) (map[uuid.UUID]asked, error) {
	var ids []uuid.UUID
	for _, e := range events {
		if e.Kind == OnRecall || e.Kind == OnItem && asksRecall(e.MessageName) {
			ids = append(ids, c.s.Rules.Habits.wholeIDs(e)...)
		}
	}
	found := map[uuid.UUID]asked{}
	if len(ids) == 0 {
		return found, nil
	}
	all, err := c.tx.recallsOf(ids)
	for _, r := range all {
		found[r.id], found[r.debitID] = r, r
	}
	return found, err
}

// onRecallStatus records what a status report says of one recall.
func (c *change) onRecallStatus(e Event) error {
	var r asked
	for _, id := range c.s.Rules.Habits.wholeIDs(e) {
		if known, is := c.recalls[id]; is && known.messageID == e.MessageID {
			r = known
			break
		}
	}
	debit, held := c.items[r.debitID]
	if !held {
		return c.unknownItem(e)
	}
	c.tally(debit.MerchantID, 1, debit.AmountCents)
	if e.HasAmount && (e.AmountCents != debit.AmountCents || !sameCurrency(e, debit)) {
		c.differs(debit, "recall", fmt.Sprintf("The bank answers the recall of a debit in the file %s with another amount. "+
			"It was not counted.", debit.MessageID))
		return nil
	}
	m, err := c.message(e.MessageID)
	if err != nil {
		return err
	}
	if m == nil {
		return c.unknownItem(e)
	}
	if err := c.acknowledge(m); err != nil {
		return err
	}
	if doneBy(e.MessageName, e.Status) {
		c.answer(debit, e, bank.Recalled, bank.CodeRecalled)
	}
	return nil
}

// settleRecalls applies a status that holds for a message or group of recalls to their debits.
func (c *change) settleRecalls(recalls []Item, e Event) error {
	var ids []uuid.UUID
	for _, i := range recalls {
		if _, held := c.items[i.SubjectID]; !held {
			ids = append(ids, i.SubjectID)
		}
	}
	debits, err := c.tx.holdItems(ids)
	if err != nil {
		return err
	}
	for id, debit := range debits {
		c.items[id] = debit
	}
	for _, i := range recalls {
		if debit, held := c.items[i.SubjectID]; held && doneBy(e.MessageName, e.Status) {
			of := e
			of.Path += "." + hexID(debit.ID)
			c.answer(debit, of, bank.Recalled, bank.CodeRecalled)
		}
	}
	return nil
}
