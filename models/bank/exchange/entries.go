package exchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/money"
)

// answerID names one place in one document, the same after every reading.
func answerID(d Document, e Event) string {
	return hex.EncodeToString(d.SHA256[:min(8, len(d.SHA256))]) + ":" + e.Path
}

// onEntry records a movement on a merchant's account, and what it says about our items.
func (c *change) onEntry(e Event) error {
	if e.Status != "BOOK" || !e.HasAmount {
		return nil // not booked yet, told for information, or not to be read, which its problem says
	}
	n := Entry{ID: c.tx.NewID(), ArrivalID: c.document.ID, State: EntryOther, Credit: e.Credit, Reversal: e.Reversal,
		AmountCents: e.AmountCents, Currency: cmp.Or(e.Currency, "ZAR"), BookedOn: e.BookedOn, Reference: e.Reference,
		BankCode: e.BankCode, Reason: reasonText(e.Reasons), Text: e.Text}
	id, _ := itemID(e)
	if i, found := c.items[id]; found {
		return c.itemEntry(n, i, e)
	}
	if e.Batch && cmp.Or(e.GroupID, e.MessageID) != "" {
		if done, err := c.groupEntry(n, e); err != nil || done {
			return err
		}
	}
	n.MerchantID = c.merchantOf(e)
	if strings.Contains(e.BankCode, "IDDT") || strings.Contains(e.BankCode, "RDDT") {
		n.State = EntryUnmatched
	}
	n.Key = entryKey("entry", e, anonymous(c.document, e))
	c.entries = append(c.entries, n)
	return nil
}

// anonymous names a movement that none of our ids name: by the bank's own references, or else by its place.
func anonymous(d Document, e Event) string {
	if e.DetailRef == "" && e.Reference == "" {
		return hex.EncodeToString(d.SHA256) + e.Path
	}
	return e.DetailRef + "|" + e.Reference + "|" + fmt.Sprint(e.Detail)
}

// itemEntry is a movement that names one of our items.
func (c *change) itemEntry(n Entry, i Item, e Event) error {
	n.MerchantID, n.ItemID, n.MessageID, n.GroupID, n.State = i.MerchantID, i.ID, i.MessageID, i.GroupID, EntryMatched
	n.Key = entryKey("item", e, i.ID.String())
	if i.MessageID != "" {
		if _, err := c.message(i.MessageID); err != nil {
			return err
		}
	}
	c.entries = append(c.entries, n)
	if e.AmountCents != i.AmountCents {
		c.differs(i, "booked", fmt.Sprintf("The bank booked %s for an item of %s. It was not counted.",
			money.Format(e.AmountCents, n.Currency), money.Format(i.AmountCents, cmp.Or(i.Currency, "ZAR"))))
		return nil
	}
	switch {
	case i.Kind == Refunds && !e.Credit:
		c.answer(i, e, bank.RefundSettled, bank.CodeSuccess)
	case i.Kind == Refunds:
		c.answer(i, e, bank.RefundFailed, c.s.meaning(bank.Returned, e.Reasons).Code)
	case i.Kind != Debits:
	case e.Credit:
		if c.s.Rules.Success[i.Method] == ByBooking {
			c.paid(i, e)
		}
	default:
		why := c.s.meaning(bank.Returned, e.Reasons)
		if why.Trouble != bank.NoTrouble {
			c.aside(i, e, why) // and the money is gone all the same
		}
		c.answer(i, e, why.Kind(), why.Code)
	}
	return nil
}

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
	n.MerchantID, n.MessageID, n.GroupID, n.State = m.MerchantID, m.ID, e.GroupID, EntryMatched
	n.Key = entryKey("group", e, cmp.Or(e.GroupID, m.ID))
	c.entries = append(c.entries, n)
	items, err := c.tx.holdItemsOf(m.ID, e.GroupID)
	if err != nil {
		return true, err
	}
	var open []Item
	var sum int64
	for _, i := range items {
		if i = c.current(i); i.State == ItemSent && rank[i.Outcome] <= rank[bank.Provisional] {
			open, sum = append(open, i), sum+i.AmountCents
		}
	}
	if sum != e.AmountCents {
		c.find(Finding{
			MerchantID: m.MerchantID,
			Kind:       Differs,
			Subject:    "batch:" + n.Key,
			MessageID:  m.ID,
			Text: fmt.Sprintf(
				"The bank booked %s for the file %s in one sum; the debits in it that were not refused come to %s.",
				money.Format(e.AmountCents, n.Currency),
				m.FileName,
				money.Format(sum, n.Currency),
			),
		})
		return true, nil
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

// entryKey is the same for one movement in every document that tells of it.
func entryKey(kind string, e Event, about string) string {
	direction := "out"
	if e.Credit {
		direction = "in"
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{kind, about, direction, e.BookedOn.String(),
		fmt.Sprint(e.AmountCents)}, "|")))
	return hex.EncodeToString(sum[:16])
}

// merchantOf finds whose account a movement is on; zero when it is nobody's.
func (c *change) merchantOf(e Event) uuid.UUID {
	if e.Account == "" {
		return uuid.Nil
	}
	id, known := c.accounts[e.Account]
	if !known {
		if id, _, _ = c.s.Store.MerchantOfAccount(c.tx.Context(), e.Account); !c.mayTell(id) {
			id = uuid.Nil
		}
		c.accounts[e.Account] = id
	}
	return id
}

// saveEntries keeps what is new, and asks a person about what belongs to no debit that we know.
func (c *change) saveEntries() error {
	fresh, err := c.tx.addEntries(c.entries)
	if err != nil {
		return err
	}
	for _, n := range fresh {
		c.tally(n.MerchantID, 1, n.AmountCents)
		if n.State != EntryUnmatched {
			continue
		}
		c.findings = append(c.findings, Finding{MerchantID: n.MerchantID, Kind: Unmatched, Subject: unmatchedSubject(n),
			ArrivalID: c.document.ID, Text: "The file " + c.document.FileName +
				" shows money of debit orders that belongs to no debit we know. Match each movement to its debit."})
	}
	return nil
}

// onBalance keeps what a statement says of an account at the beginning or end of a day.
func (c *change) onBalance(e Event) error {
	merchantID := c.merchantOf(e)
	if merchantID == uuid.Nil {
		return nil
	}
	st := Statement{MerchantID: merchantID, Account: e.Account, Day: e.BookedOn}
	cents := e.AmountCents
	if !e.Credit {
		cents = -cents
	}
	if e.Opening {
		st.HasOpening, st.OpeningCents = true, cents
	} else {
		st.HasClosing, st.ClosingCents = true, cents
	}
	return c.tx.saveStatement(st)
}
