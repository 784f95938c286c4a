package exchange

import (
	"cmp"
	"fmt"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/money"
)

// groupEntry is a movement for a whole message or group of ours.
func (c *change) groupEntry(n Entry, e Event) (bool, error) {
	messageID := e.MessageID
	if cut := strings.LastIndexByte(e.GroupID, '-'); messageID == "" && cut > 0 {
		messageID = e.GroupID[:cut]
	}
	m, err := c.message(messageID)
	if err != nil || m == nil {
		return false, err
	}
	ours, err := c.ownGroups(*m, e)
	if err != nil {
		return true, err
	}
	items, err := c.tx.holdItemsOf(m.ID, e.GroupID)
	if err != nil {
		return true, err
	}
	var open []Item
	var sum int64
	for _, i := range items {
		if i = c.current(i); ours[i.GroupID] && i.State == ItemSent && rank[i.Outcome] <= rank[bank.Provisional] {
			open, sum = append(open, i), sum+i.AmountCents
		}
	}
	if sum != e.AmountCents || len(open) == 0 {
		parts, err := c.tx.toldInParts(n)
		if err != nil {
			return true, err
		}
		if parts {
			return true, c.strayEntry(n, e)
		}
		c.find(Finding{MerchantID: m.MerchantID, Kind: Differs,
			Subject: "batch:" + entryKey("group", e, cmp.Or(e.GroupID, m.ID)), MessageID: m.ID,
			Text: fmt.Sprintf("The bank booked %s for the file %s in one sum; the items in it on this account that were not "+
				"refused come to %s. It was not counted.", money.Format(e.AmountCents, n.Currency), m.FileName,
				money.Format(sum, "ZAR"))})
		return true, c.strayEntry(n, e)
	}
	n.MerchantID, n.MessageID, n.GroupID, n.State = m.MerchantID, m.ID, e.GroupID, EntryMatched
	n.Key, n.EntryKey = entryKey("group", e, cmp.Or(e.GroupID, m.ID)), ""
	c.entries = append(c.entries, n)
	c.sums = append(c.sums, n)
	if err := c.acknowledge(m); err != nil {
		return true, err
	}
	for _, i := range open {
		if i.Kind == Debits && e.Credit && c.s.Rules.Success[i.Method] == ByBooking {
			of := e
			of.Path += "." + hexID(i.ID)
			c.paid(i, of)
		}
	}
	return true, nil
}

// ownGroups are the groups of a message that a movement of its whole may be of: on its account, in rand, and of its
// kind.
func (c *change) ownGroups(m Message, e Event) (map[string]bool, error) {
	if _, _, err := c.group(m.ID, ""); err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for _, g := range c.groups[m.ID] {
		ours[g.ID] = (e.GroupID == "" || e.GroupID == g.ID) && sameAccount(e.Account, g.Creditor.Account) &&
			cmp.Or(e.Currency, "ZAR") == "ZAR" && fits(e.BankCode, m.Kind)
	}
	return ours, nil
}
