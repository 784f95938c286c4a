package exchange

import (
	"cmp"
	"fmt"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// message locks a message of ours; nil when the bank speaks of one that is not, or of one that never left.
func (c *change) message(id string) (*Message, error) {
	if m, known := c.messages[id]; known {
		return m, nil
	}
	m, err := c.tx.holdMessage(c.document.MerchantID, id)
	switch {
	case fault.Is(err, fault.NotFound):
		c.messages[id] = nil
		return nil, nil
	case err != nil:
		return nil, err
	case m.Withheld(): // it never left, so the bank cannot know it
		c.messages[id] = nil
		return nil, nil
	}
	c.messages[id] = &m
	return &m, nil
}

// acknowledge notes that the bank has a message: a status report about it agrees with what we wrote, or a movement that
// was checked names what is in it.
func (c *change) acknowledge(m *Message) error {
	m.AnsweredAt = c.tx.Now()
	if m.Acknowledged() {
		return nil
	}
	m.acknowledged(c.tx.Now())
	return c.tx.settleFindings(NotAcknowledged, m.ID, "", "The bank has acknowledged the file.")
}

func (m *Message) acknowledged(now time.Time) {
	m.AckAt = now
	if m.State == Placed || m.State == Taken || m.State == Made {
		m.State = Acknowledged
	}
}

// group is a group of a message as it left.
func (c *change) group(messageID, groupID string) (Group, bool, error) {
	all, known := c.groups[messageID]
	if !known {
		var err error
		if all, err = c.tx.groups(messageID); err != nil {
			return Group{}, false, err
		}
		c.groups[messageID] = all
	}
	for _, g := range all {
		if g.ID == groupID {
			return g, true, nil
		}
	}
	return Group{}, false, nil
}

func (c *change) onMessage(e Event) error {
	m, err := c.message(e.MessageID)
	if err != nil {
		return err
	}
	if m == nil {
		c.find(Finding{Kind: UnknownMessage, Subject: c.document.ID.String() + ":" + e.MessageID,
			Text: fmt.Sprintf("%s answers a file %s that this installation never sent.", c.document.FileName, e.MessageID)})
		return nil
	}
	c.tally(m.MerchantID, 0, 0)
	differs := false
	if e.HasCount && e.Count != m.Count {
		differs = true
		c.find(Finding{MerchantID: m.MerchantID, Kind: Differs, Subject: "items:" + m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The bank counted %s in %s; we wrote %d.", plural.Of(e.Count, "item"), m.FileName, m.Count)})
	}
	if e.HasSum && e.SumCents != m.SumCents {
		differs = true
		c.find(Finding{MerchantID: m.MerchantID, Kind: Differs, Subject: "sum:" + m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The bank added %s up to %s; we wrote %s.", m.FileName, money.Format(e.SumCents, "ZAR"),
				money.Format(m.SumCents, "ZAR"))})
	}
	if differs && e.Status != "RJCT" {
		return nil // the bank may have a part of it alone: a person finds out
	}
	if err := c.acknowledge(m); err != nil {
		return err
	}
	switch e.Status {
	case "RJCT": // it only leaves everything to a person
		return c.refuseMessage(m, e)
	case "PDNG", "PATC":
		if m.State == Acknowledged {
			m.State = Approval
			c.find(Finding{MerchantID: m.MerchantID, Kind: ApprovalNeeded, Subject: m.ID, MessageID: m.ID,
				Text: "The bank is waiting for someone to approve the file " + m.FileName + " there."})
		}
	case "ACCP", "ACSP", "ACWC", "ACSC", "ACCC", "PART":
		if m.State == Acknowledged || m.State == Approval {
			m.State = Accepted
			if err := c.tx.settleFindings(ApprovalNeeded, m.ID, "", "The bank has accepted the file."); err != nil {
				return err
			}
		}
		if e.Status == "ACSC" || e.Status == "ACCC" {
			return c.settleItems(m.ID, "", e)
		}
	}
	return nil
}

// refuseMessage sets aside what the bank refused as a whole. It is mostly our own error, so no client sees a failure:
// a person decides what becomes of it.
func (c *change) refuseMessage(m *Message, e Event) error {
	if m.State == Refused || m.State == Replaced || m.State == Closed {
		return nil
	}
	m.State, m.Reason = Refused, reasonText(e.Reasons)
	answered, err := c.refuseItems(m.ID, "")
	if err != nil {
		return err
	}
	c.find(Finding{MerchantID: m.MerchantID, Kind: MessageRefused, Subject: m.ID, MessageID: m.ID,
		Text: fmt.Sprintf("The bank refused the file %s as a whole (%s): %s. %s", m.FileName, contents(*m),
			cmp.Or(m.Reason, "it gave no reason"), whoWasDebited(answered, "No one was debited."))})
	return nil
}

func (c *change) onGroup(e Event) error {
	m, err := c.message(e.MessageID)
	if err != nil || m == nil {
		return err
	}
	c.tally(m.MerchantID, 0, 0)
	g, found, err := c.group(m.ID, e.GroupID)
	switch {
	case err != nil:
		return err
	case !found && (e.Status == "" || m.Kind == Recalls):
		return nil // it only introduces items; of recalls it names a part of the file of their debits
	case !found:
		c.find(Finding{MerchantID: m.MerchantID, Kind: Differs, Subject: c.document.ID.String() + ":" + e.Path,
			MessageID: m.ID, Text: fmt.Sprintf("%s answers a part of the file %s that is not in it. It was not counted.",
				c.document.FileName, m.FileName)})
		return nil
	case e.Status != "RJCT" && (e.HasCount && e.Count != g.Count || e.HasSum && e.SumCents != g.SumCents):
		c.find(Finding{MerchantID: m.MerchantID, Kind: Differs, Subject: "group:" + g.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The bank counts or adds up the part %s of the file %s differently from what we wrote. "+
				"It was not counted.", g.ID, m.FileName)})
		return nil
	}
	if err := c.acknowledge(m); err != nil {
		return err
	}
	switch e.Status {
	case "RJCT":
		if err := c.tx.refuseGroup(m.ID, e.GroupID); err != nil {
			return err
		}
		answered, err := c.refuseItems(m.ID, e.GroupID)
		if err != nil {
			return err
		}
		c.find(Finding{MerchantID: m.MerchantID, Kind: GroupRefused, Subject: e.GroupID, MessageID: m.ID,
			Text: fmt.Sprintf("The bank refused the part %s of the file %s: %s. %s", e.GroupID, m.FileName,
				cmp.Or(reasonText(e.Reasons), "it gave no reason"), whoWasDebited(answered, "No client in it was debited."))})
	case "ACSC", "ACCC":
		return c.settleItems(m.ID, e.GroupID, e)
	}
	return nil
}

// refuseItems sets aside the items of a message or group that have no answer, and counts those for which the bank has
// money or had some.
func (c *change) refuseItems(messageID, groupID string) (debited int, err error) {
	items, err := c.tx.holdItemsOf(messageID, groupID)
	if err != nil {
		return 0, err
	}
	moved, err := c.tx.movedOf(messageID, groupID)
	if err != nil {
		return 0, err
	}
	for _, n := range c.entries {
		if n.State == EntryMatched || n.State == EntryExplained {
			moved[n.ItemID] = true
		}
	}
	for _, i := range items {
		i = c.current(i)
		if paidKinds[i.Outcome] || moved[i.ID] {
			debited++
		}
		if i.State == ItemSent && i.Outcome == "" && !moved[i.ID] {
			i.State = ItemRefused
			c.put(i)
		}
	}
	return debited, nil
}

// paidKinds are answers that say that money moved.
var paidKinds = map[bank.MessageKind]bool{bank.Provisional: true, bank.Successful: true, bank.PaidAgain: true,
	bank.RefundSettled: true, bank.Disputed: true}

// whoWasDebited says what a refusal means for those in it: the bank may have booked money all the same.
func whoWasDebited(debited int, none string) string {
	if debited == 0 {
		return none
	}
	return fmt.Sprintf("Yet the bank says that money of %s in it moved. Ask your bank which holds before you send "+
		"anything again.", plural.Of(debited, "item"))
}

// settleItems applies a status that holds for all items of a message or group.
func (c *change) settleItems(messageID, groupID string, e Event) error {
	items, err := c.tx.holdItemsOf(messageID, groupID)
	if err != nil {
		return err
	}
	if len(items) > 0 && items[0].Kind == Recalls {
		return c.settleRecalls(items, e)
	}
	for _, i := range items {
		of := e
		of.Path += "." + hexID(i.ID)
		c.status(c.current(i), of)
	}
	return nil
}
