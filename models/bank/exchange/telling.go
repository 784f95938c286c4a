package exchange

import (
	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// One movement of money is told several times: by a report during the day, by a notification, and by the statement; as
// a sum and by its parts; with references and without. What counts is kept once, by these rules.
//
//   - Two places in one document are two movements, whatever their references.
//   - A movement that a document of another kind has told already, on the same account and day and of the same amount,
//     is that one, unless both have references of the bank that differ.
//   - A sum whose parts are all told is explained by them. Parts of a file that the bank booked in one sum are
//     explained by the sum, which names the file.
//   - What a report told and the statement of the day does not book is explained by the statement.

// saveEntries keeps what is new, and asks a person about what belongs to no debit that we know.
func (c *change) saveEntries() error {
	fresh, err := c.tx.addEntries(c.entries)
	if err != nil {
		return err
	}
	c.fresh += len(fresh)
	c.news = map[string]bool{}
	for _, n := range fresh {
		c.news[n.place] = true
	}
	for _, sum := range c.sums {
		if err := c.tx.explainItems(sum); err != nil {
			return err
		}
	}
	keys := map[string]bool{}
	for _, n := range fresh {
		if n.EntryKey != "" {
			keys[n.EntryKey] = true
		}
	}
	if err := c.tx.explainSums(keys); err != nil {
		return err
	}
	asked, err := c.tx.unmatchedAmong(fresh)
	if err != nil {
		return err
	}
	for _, n := range fresh {
		c.tally(n.MerchantID, 1, n.AmountCents)
		if asked[n.ID] && n.MerchantID != uuid.Nil {
			c.findings = append(c.findings, Finding{MerchantID: n.MerchantID, Kind: Unmatched, Subject: unmatchedSubject(n),
				ArrivalID: c.document.ID, Text: "The file " + c.document.FileName +
					" shows money that belongs to no debit we know. Match each movement to its debit, or say what it is."})
		}
	}
	return nil
}

// onStatement is the end of what a document says of one account. What only reports during the day told of the days that
// a statement is about is not on the account.
func (c *change) onStatement(e Event) error {
	if e.Told != ByStatement || e.Until.IsZero() {
		return nil
	}
	c.closed = append(c.closed, closedDays{c.accountHash(e), e.From, e.Until})
	return nil
}

// closedDays are days of an account that a statement is about.
type closedDays struct {
	account     []byte
	from, until calendar.Date
}
