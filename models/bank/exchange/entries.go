package exchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
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
	if e.BookedOn.IsZero() {
		e.BookedOn, e.BookedBy = calendar.DateOf(c.document.ArrivedAt), ByArrival
	}
	reference := cmp.Or(e.DetailRef, e.Reference)
	if e.AmountCents == e.EntryCents && e.Reference != "" {
		reference = e.Reference // the detail is all of its entry, which other documents tell without details
	}
	n := Entry{ID: c.tx.NewID(), ArrivalID: c.document.ID, State: EntryOther, Credit: e.Credit, Reversal: e.Reversal,
		AmountCents: e.AmountCents, Currency: cmp.Or(e.Currency, "ZAR"), BookedOn: e.BookedOn, BookedBy: e.BookedBy,
		Reference: reference, BankCode: cmp.Or(e.BankCode, e.BankOwnCode),
		Reason: reasonText(e.Reasons), Text: e.Text, Remittance: remittance(e.StatementLine),
		AccountHash: c.accountHash(e), place: answerID(c.document, e), told: e.Told}
	n.alike = digest("alike", hex.EncodeToString(n.AccountHash), n.Currency, direction(e), n.BookedOn.String(),
		fmt.Sprint(n.AmountCents))
	n.EntryKey = digest("entry", hex.EncodeToString(n.AccountHash), n.Currency, direction(e), n.BookedOn.String(),
		fmt.Sprint(cmp.Or(e.EntryCents, e.AmountCents)))
	if e.Detail > 0 && !e.Batch && e.EntryCents != e.AmountCents {
		n.EntryCents = e.EntryCents
	}
	c.all++
	i, found, two := c.itemOf(e)
	switch {
	case found:
		return c.itemEntry(n, i, e)
	case !two && e.Batch && cmp.Or(e.GroupID, e.MessageID) != "":
		if done, err := c.groupEntry(n, e); err != nil || done {
			return err
		}
	}
	return c.strayEntry(n, e)
}

func direction(e Event) string {
	if e.Credit {
		return "in"
	}
	return "out"
}

// digest is a key of some parts.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "|")))
	return hex.EncodeToString(sum[:16])
}

// invoiceNumber is how invoices are numbered, as banks and people write it: INV-2026-000123, inv 2026/000123.
var invoiceNumber = regexp.MustCompile(`(?i)\b([A-Z]{1,12})[-/ ]?((?:19|20)[0-9]{2})[-/ ]?([0-9]{6})\b`)

// remittance is what a payment says of itself, with long numbers masked: they may be of accounts. Numbers of invoices
// stay, written as we write them.
func remittance(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		at := invoiceNumber.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		out.WriteString(bank.MaskNumbers(text[:at[0]]))
		out.WriteString(strings.ToUpper(text[at[2]:at[3]]) + "-" + text[at[4]:at[5]] + "-" + text[at[6]:at[7]])
		text = text[at[1]:]
	}
	out.WriteString(bank.MaskNumbers(text))
	return out.String()
}

// strayEntry is a movement that belongs to no item that we know. It is left to a person, unless it is a fee, or the
// profile says that its kind is none of ours.
func (c *change) strayEntry(n Entry, e Event) (err error) {
	if n.MerchantID, err = c.merchantOf(e); err != nil {
		return err
	}
	if n.MerchantID == uuid.Nil {
		c.strange++
		if c.account == "" {
			c.account = e.Account.String()
		}
		if c.document.MerchantID != uuid.Nil {
			return nil // of an account that is not of who imported it: whoever it belongs to will be told by the bank
		}
	}
	n.State = c.s.Rules.stateOf(e)
	about := anonymous(c.document, e)
	if c.nth == nil {
		c.nth = map[string]int{}
	}
	base := entryKey("entry", e, strings.Join([]string{hex.EncodeToString(n.AccountHash), n.Currency, about}, "|"))
	c.nth[base]++
	n.Key = base
	if nth := c.nth[base]; nth > 1 { // the same reference for all that is booked on a day
		n.Key = digest(base, fmt.Sprint(nth))
	} else {
		n.earlierKey = entryKey("entry", e, about)
	}
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

// itemEntry is a movement that names one of our items. It counts when it is what we asked for, with the bank's fee or
// without it; else it is a finding alone, and a person says what it belongs to.
func (c *change) itemEntry(n Entry, i Item, e Event) error {
	m, err := c.message(i.MessageID)
	if err != nil {
		return err
	}
	wrong, fee := "its file has not left", int64(0)
	if m != nil {
		g, _, err := c.group(m.ID, i.GroupID)
		if err != nil {
			return err
		}
		fee, wrong = c.s.Rules.Habits.misbooked(e, i, g)
	}
	if wrong != "" {
		c.differs(i, "booked", fmt.Sprintf("The bank booked %s for an item of %s: %s. It was not counted.",
			money.Format(e.AmountCents, n.Currency), money.Format(i.AmountCents, cmp.Or(i.Currency, "ZAR")), wrong))
		return c.strayEntry(n, e)
	}
	n.MerchantID, n.ItemID, n.MessageID, n.GroupID, n.State = i.MerchantID, i.ID, i.MessageID, i.GroupID, EntryMatched
	n.Key, n.FeeCents = entryKey("item", e, i.ID.String()), fee
	told, err := c.toldInOneSum(n)
	if err != nil {
		return err
	}
	if told {
		n.State, n.Note = EntryExplained, inOneSum
	}
	if err := c.acknowledge(m); err != nil {
		return err
	}
	c.entries = append(c.entries, n)
	return c.booked(i, e)
}

// Why a movement is explained.
const (
	inOneSum = "The bank booked it in one sum with the others of its file, and that sum counts."
	inParts  = "The bank tells each movement in it as well, and these count."
	intraday = "It stood in a report during the day, and the statement of the day does not book it."
)

// withWords adds free words to the reasons: a bank may say there alone why money went back.
func withWords(reasons []Reason, words string) []Reason {
	if words == "" || slices.ContainsFunc(reasons, func(r Reason) bool { return r.Text == words }) {
		return reasons
	}
	return append(slices.Clone(reasons), Reason{Text: words})
}

// entryKey is the same for one movement in every document that tells of it.
func entryKey(kind string, e Event, about string) string {
	return digest(kind, about, direction(e), e.BookedOn.String(), fmt.Sprint(e.AmountCents))
}
