package exchange

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// change is what one chunk of events changes, in one transaction. Everything that it touches is locked in one order:
// items by their ids first, messages after them.
type change struct {
	s        *Service
	tx       unit
	document Document
	items    map[uuid.UUID]Item
	touched  map[uuid.UUID]bool
	answers  []Answer
	entries  []Entry
	findings []Finding
	tallies  map[uuid.UUID]Tally
	messages map[string]*Message // nil: it is not ours
	accounts map[bank.AccountNumber]uuid.UUID
}

func (c *change) take(events []Event) error {
	c.touched, c.messages, c.accounts = map[uuid.UUID]bool{}, map[string]*Message{}, map[bank.AccountNumber]uuid.UUID{}
	var ids []uuid.UUID
	for _, e := range events {
		if id, is := itemID(e); is {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	var err error
	if c.items, err = c.tx.holdItems(slices.Compact(ids)); err != nil {
		return err
	}
	for id, i := range c.items {
		if !c.mayTell(i.MerchantID) {
			delete(c.items, id)
		}
	}
	for _, e := range events {
		if err := c.one(e); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	return c.save()
}

// mayTell tells whether a document may speak of a merchant. What the bank left may speak of all; what a person imported
// speaks of that person's business alone, so that nobody makes up answers about another one.
func (c *change) mayTell(merchantID uuid.UUID) bool {
	return c.document.MerchantID == uuid.Nil || c.document.MerchantID == merchantID
}

// itemID is the item that an event is about, by the id that we gave it.
func itemID(e Event) (uuid.UUID, bool) {
	if id, is := parseHexID(e.InstructionID); is {
		return id, true
	}
	return parseHexID(e.EndToEndID)
}

func (c *change) one(e Event) error {
	if e.Problem != "" {
		c.find(Finding{MerchantID: c.merchantOf(e), Kind: Differs, Subject: c.document.ID.String() + ":" + e.Path,
			Text: fmt.Sprintf("In %s: %s", c.document.FileName, e.Problem)})
	}
	switch e.Kind {
	case OnMessage:
		return c.onMessage(e)
	case OnGroup:
		return c.onGroup(e)
	case OnItem, OnMandate, OnRecall:
		return c.onItem(e)
	case OnEntry:
		return c.onEntry(e)
	case OnBalance:
		return c.onBalance(e)
	default:
		return nil
	}
}

func (c *change) save() error {
	var items []Item
	for id := range c.touched {
		items = append(items, c.items[id])
	}
	if err := c.tx.saveItems(items); err != nil {
		return err
	}
	if err := c.tx.addAnswers(c.answers); err != nil {
		return err
	}
	if err := c.saveEntries(); err != nil {
		return err
	}
	if err := c.tx.openFindings(c.findings); err != nil {
		return err
	}
	for _, m := range c.messages {
		if m == nil {
			continue
		}
		if err := c.tx.saveMessage(*m); err != nil {
			return err
		}
	}
	return nil
}

// message locks a message of ours; nil when the bank speaks of one that is not. What the bank says about anything in a
// message shows that it has the message.
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
	m.AnsweredAt = c.tx.Now()
	if !m.Acknowledged() {
		m.AckAt = c.tx.Now()
		if m.State == Placed || m.State == Taken || m.State == Made {
			m.State = Acknowledged
		}
		if err := c.tx.settleFindings(NotAcknowledged, m.ID, "", "The bank has acknowledged the file."); err != nil {
			return nil, err
		}
	}
	return &m, nil
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
	if e.HasCount && e.Count != m.Count {
		c.find(Finding{MerchantID: m.MerchantID, Kind: Differs, Subject: "items:" + m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The bank counted %s in %s; we wrote %d.", plural.Of(e.Count, "item"), m.FileName, m.Count)})
	}
	if e.HasSum && e.SumCents != m.SumCents {
		c.find(Finding{MerchantID: m.MerchantID, Kind: Differs, Subject: "sum:" + m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The bank added %s up to %s; we wrote %s.", m.FileName, money.Format(e.SumCents, "ZAR"),
				money.Format(m.SumCents, "ZAR"))})
	}
	switch e.Status {
	case "RJCT":
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
	if err := c.refuseItems(m.ID, ""); err != nil {
		return err
	}
	c.find(Finding{MerchantID: m.MerchantID, Kind: MessageRefused, Subject: m.ID, MessageID: m.ID,
		Text: fmt.Sprintf("The bank refused the file %s as a whole (%s): %s. No one was debited.", m.FileName, contents(*m),
			cmp.Or(m.Reason, "it gave no reason"))})
	return nil
}

func (c *change) onGroup(e Event) error {
	m, err := c.message(e.MessageID)
	if err != nil || m == nil {
		return err
	}
	c.tally(m.MerchantID, 0, 0)
	switch e.Status {
	case "RJCT":
		if err := c.tx.refuseGroup(m.ID, e.GroupID); err != nil {
			return err
		}
		if err := c.refuseItems(m.ID, e.GroupID); err != nil {
			return err
		}
		c.find(Finding{MerchantID: m.MerchantID, Kind: GroupRefused, Subject: e.GroupID, MessageID: m.ID,
			Text: fmt.Sprintf("The bank refused the part %s of the file %s: %s. No client in it was debited.", e.GroupID,
				m.FileName, cmp.Or(reasonText(e.Reasons), "it gave no reason"))})
	case "ACSC", "ACCC":
		return c.settleItems(m.ID, e.GroupID, e)
	}
	return nil
}

// refuseItems sets aside the items of a message or group that have no answer.
func (c *change) refuseItems(messageID, groupID string) error {
	items, err := c.tx.holdItemsOf(messageID, groupID)
	if err != nil {
		return err
	}
	for _, i := range items {
		if i = c.current(i); i.State == ItemSent && i.Outcome == "" {
			i.State = ItemRefused
			c.put(i)
		}
	}
	return nil
}

// settleItems applies a status that holds for all items of a message or group.
func (c *change) settleItems(messageID, groupID string, e Event) error {
	items, err := c.tx.holdItemsOf(messageID, groupID)
	if err != nil {
		return err
	}
	for _, i := range items {
		of := e
		of.Path += "." + hexID(i.ID)
		c.status(c.current(i), of)
	}
	return nil
}

// current is an item with what this change has done to it already.
func (c *change) current(i Item) Item {
	if known, is := c.items[i.ID]; is {
		return known
	}
	return i
}

func (c *change) put(i Item) {
	c.items[i.ID], c.touched[i.ID] = i, true
}

func (c *change) find(f Finding) {
	f.ArrivalID = c.document.ID
	if f.MerchantID == uuid.Nil {
		f.MerchantID = c.document.MerchantID // who imported it has to know
	}
	c.findings = append(c.findings, f)
}

func (c *change) tally(merchantID uuid.UUID, count int, cents int64) {
	t := c.tallies[merchantID]
	c.tallies[merchantID] = Tally{t.Count + count, t.SumCents + cents}
}

// reasonText is what the bank says, for people.
func reasonText(reasons []Reason) string {
	var text string
	for _, r := range reasons {
		word := r.Code
		if r.Text != "" {
			word = r.Text
			if r.Code != "" {
				word += " (" + r.Code + ")"
			}
		}
		if text != "" && word != "" {
			text += "; "
		}
		text += word
	}
	return text
}
