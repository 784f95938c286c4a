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
		BankCode: e.BankCode, Reason: reasonText(e.Reasons), Text: e.Text, Remittance: remittance(e.StatementLine),
		AccountHash: c.accountHash(e)}
	c.all++
	id, _ := itemID(e)
	if i, found := c.items[id]; found {
		return c.itemEntry(n, i, e)
	}
	if e.Batch && cmp.Or(e.GroupID, e.MessageID) != "" {
		if done, err := c.groupEntry(n, e); err != nil || done {
			return err
		}
	}
	return c.strayEntry(n, e, looksLikeDebit(e.BankCode))
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

// strayEntry is a movement that belongs to no item that we know. One that may be of a debit is left to a person.
func (c *change) strayEntry(n Entry, e Event, ask bool) (err error) {
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
	if ask {
		n.State = EntryUnmatched
	}
	about := anonymous(c.document, e)
	n.earlierKey = entryKey("entry", e, about)
	n.Key = entryKey("entry", e, strings.Join([]string{hex.EncodeToString(n.AccountHash), n.Currency, about}, "|"))
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

// itemEntry is a movement that names one of our items. It counts when it is what we asked for; else it is a finding
// alone, and a person says what it belongs to.
func (c *change) itemEntry(n Entry, i Item, e Event) error {
	m, err := c.message(i.MessageID)
	if err != nil {
		return err
	}
	wrong := "its file has not left"
	if m != nil {
		g, _, err := c.group(m.ID, i.GroupID)
		if err != nil {
			return err
		}
		wrong = misbooked(e, i, g)
	}
	if wrong != "" {
		c.differs(i, "booked", fmt.Sprintf("The bank booked %s for an item of %s: %s. It was not counted.",
			money.Format(e.AmountCents, n.Currency), money.Format(i.AmountCents, cmp.Or(i.Currency, "ZAR")), wrong))
		return c.strayEntry(n, e, true)
	}
	n.MerchantID, n.ItemID, n.MessageID, n.GroupID, n.State = i.MerchantID, i.ID, i.MessageID, i.GroupID, EntryMatched
	n.Key = entryKey("item", e, i.ID.String())
	if err := c.acknowledge(m); err != nil {
		return err
	}
	c.entries = append(c.entries, n)
	c.booked(i, e)
	return nil
}

// booked is what follows for an item from a movement that belongs to it.
func (c *change) booked(i Item, e Event) {
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
}

// misbooked says in what a movement is not what we asked for; empty: it is.
func misbooked(e Event, i Item, g Group) string {
	switch {
	case !sameCurrency(e, i):
		return "the currency is another one"
	case e.AmountCents != i.AmountCents:
		return "the amount is another one"
	case !sameAccount(e.Account, g.Creditor.Account):
		return "it is on an account other than the one that its file names"
	case !fits(e.BankCode, i.Kind):
		return "the bank calls it another kind of movement (" + e.BankCode + ")"
	default:
		return ""
	}
}

func sameCurrency(e Event, i Item) bool {
	return e.Currency == "" || e.Currency == cmp.Or(i.Currency, "ZAR")
}

func sameAccount(told bank.AccountNumber, ours string) bool {
	return told.Key() == bank.AccountNumber(ours).Key()
}

// families are the kinds of movements, in ISO 20022, as which a bank books what we ask for.
var families = map[Kind][]string{Debits: {"IDDT", "RDDT"}, Refunds: {"ICDT", "RCDT", "IRCT", "RRCT"}}

// general are families that say nothing.
var general = []string{"", "NTAV", "OTHR", "MCOP", "MDOP"}

// fits tells whether a bank's code of a movement allows that it is of an item. A code of the bank's own says nothing.
func fits(code string, k Kind) bool {
	parts := strings.Split(code, "/")
	if len(parts) < 2 || slices.Contains(general, parts[1]) {
		return true
	}
	return slices.Contains(families[k], parts[1])
}

// looksLikeDebit tells that the bank calls a movement a direct debit.
func looksLikeDebit(code string) bool {
	return slices.ContainsFunc(families[Debits], func(family string) bool { return strings.Contains(code, family) })
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
		c.find(Finding{MerchantID: m.MerchantID, Kind: Differs,
			Subject: "batch:" + entryKey("group", e, cmp.Or(e.GroupID, m.ID)), MessageID: m.ID,
			Text: fmt.Sprintf("The bank booked %s for the file %s in one sum; the items in it on this account that were not "+
				"refused come to %s. It was not counted.", money.Format(e.AmountCents, n.Currency), m.FileName,
				money.Format(sum, "ZAR"))})
		return true, c.strayEntry(n, e, true)
	}
	n.MerchantID, n.MessageID, n.GroupID, n.State = m.MerchantID, m.ID, e.GroupID, EntryMatched
	n.Key = entryKey("group", e, cmp.Or(e.GroupID, m.ID))
	c.entries = append(c.entries, n)
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
func (c *change) merchantOf(e Event) (id uuid.UUID, err error) {
	if e.Account == "" {
		return uuid.Nil, nil
	}
	id, known := c.accounts[e.Account]
	if !known {
		if id, err = c.tx.ownerOf(e.Account); err != nil {
			return uuid.Nil, err
		}
		if !c.mayTell(id) {
			id = uuid.Nil
		}
		c.accounts[e.Account] = id
	}
	return id, nil
}

// accountHash names the account that a movement is on, without telling it.
func (c *change) accountHash(e Event) []byte {
	return c.tx.DB().Seal.Hash(uuid.Nil, "movement_account", e.Account.Key())
}

// saveEntries keeps what is new, and asks a person about what belongs to no debit that we know.
func (c *change) saveEntries() error {
	fresh, err := c.tx.addEntries(c.entries)
	if err != nil {
		return err
	}
	c.fresh += len(fresh)
	for _, n := range fresh {
		c.tally(n.MerchantID, 1, n.AmountCents)
		if n.State != EntryUnmatched {
			continue
		}
		c.findings = append(c.findings, Finding{MerchantID: n.MerchantID, Kind: Unmatched, Subject: unmatchedSubject(n),
			ArrivalID: c.document.ID, Text: "The file " + c.document.FileName +
				" shows money that may be of debit orders and belongs to no debit we know. Match each movement to its debit."})
	}
	return nil
}

// onBalance keeps what a statement says of an account at the beginning or end of a day.
func (c *change) onBalance(e Event) error {
	merchantID, err := c.merchantOf(e)
	if err != nil {
		return err
	}
	if merchantID == uuid.Nil {
		if c.account == "" {
			c.account = e.Account.String()
		}
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
