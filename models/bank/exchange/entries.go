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
	if err := c.onOurAccount(&e); err != nil {
		return err
	}
	if e.BookedOn.IsZero() {
		e.BookedOn, e.BookedBy = calendar.DateOf(c.document.ArrivedAt), ByArrival
	}
	n := Entry{ID: c.tx.NewID(), ArrivalID: c.document.ID, State: EntryOther, Credit: e.Credit, Reversal: e.Reversal,
		AmountCents: e.AmountCents, Currency: cmp.Or(e.Currency, "ZAR"), BookedOn: e.BookedOn, BookedBy: e.BookedBy,
		Reference: cmp.Or(e.DetailRef, e.Reference), BankCode: cmp.Or(e.BankCode, e.BankOwnCode),
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

// feeFamilies are the kinds of movements, in ISO 20022, by which a bank books what it charges.
var feeFamilies = []string{"CHRG", "FEES", "COMM", "COME", "COMI", "COMT"}

// stateOf tells what a movement is that belongs to no item: a fee, none of ours as the profile says, or a question.
func (r Rules) stateOf(e Event) EntryState {
	of := func(codes []string) bool {
		return e.BankCode != "" && slices.Contains(codes, e.BankCode) ||
			e.BankOwnCode != "" && slices.Contains(codes, e.BankOwnCode)
	}
	parts := strings.Split(e.BankCode, "/")
	switch {
	case of(r.FeeCodes), len(parts) == 3 && slices.Contains(feeFamilies, parts[2]):
		return EntryFee
	case of(r.OtherCodes):
		return EntryOther
	default:
		return EntryUnmatched
	}
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
		fee, wrong = misbooked(e, i, g)
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
	c.booked(i, e)
	return nil
}

// Why a movement is explained.
const (
	inOneSum = "The bank booked it in one sum with the others of its file, and that sum counts."
	inParts  = "The bank tells each movement in it as well, and these count."
	intraday = "It stood in a report during the day, and the statement of the day does not book it."
)

// booked is what follows for an item from a movement that belongs to it.
func (c *change) booked(i Item, e Event) {
	i = c.current(i)
	words := withWords(e.Reasons, e.Text)
	switch {
	case i.Kind == Refunds && !e.Credit:
		c.answer(i, e, bank.RefundSettled, bank.CodeSuccess)
	case i.Kind == Refunds:
		c.answer(i, e, bank.RefundFailed, c.s.meaning(bank.Returned, words).Code)
	case i.Kind != Debits:
	case e.Credit:
		c.credited(i, e)
	default:
		why := c.s.meaning(bank.Returned, words)
		if why.Trouble != bank.NoTrouble {
			c.aside(i, e, why) // and the money is gone all the same
		}
		c.answer(i, e, why.Kind(), why.Code)
	}
}

// credited is what follows from money that came in for a debit. After it had come back, the return was reversed, or the
// bank ran the debit once more.
func (c *change) credited(i Item, e Event) {
	back := i.Outcome == bank.Unpaid || i.Outcome == bank.Disputed || i.Outcome == bank.Recalled
	switch {
	case back && e.BookedOn.After(i.OutcomeOn):
		c.answer(i, e, bank.PaidAgain, bank.CodeSuccess)
		c.find(Finding{MerchantID: i.MerchantID, Kind: PaidAgain, Subject: string(PaidAgain) + ":" + i.ID.String(),
			ItemID: i.ID, MessageID: i.MessageID, Text: fmt.Sprintf("%s of a debit that had failed or come back is on the "+
				"account since %s: the bank reversed the return, or ran the debit again. The debit counts as paid; make sure "+
				"that the client does not pay twice.", money.Format(i.AmountCents, cmp.Or(i.Currency, "ZAR")),
				e.BookedOn.Format("2 Jan 2006"))})
	case i.State == ItemRefused: // whoever reads the refusal must not believe that nobody was debited
		c.contradiction(i, bank.Provisional)
		c.paid(i, e)
	case c.s.Rules.Success[i.Method] == ByBooking:
		c.paid(i, e)
	}
}

// withWords adds free words to the reasons: a bank may say there alone why money went back.
func withWords(reasons []Reason, words string) []Reason {
	if words == "" || slices.ContainsFunc(reasons, func(r Reason) bool { return r.Text == words }) {
		return reasons
	}
	return append(slices.Clone(reasons), Reason{Text: words})
}

// misbooked says in what a movement is not what we asked for, or what of it is the bank's fee; empty: it is.
func misbooked(e Event, i Item, g Group) (fee int64, wrong string) {
	fee, right := feeIn(e, i)
	switch {
	case !sameCurrency(e, i):
		return 0, "the currency is another one"
	case !right:
		return 0, "the amount is another one"
	case !sameAccount(e.Account, g.Creditor.Account):
		return 0, "it is on an account other than the one that its file names"
	case !fits(e.BankCode, i.Kind):
		return 0, "the bank calls it another kind of movement (" + e.BankCode + ")"
	default:
		return fee, ""
	}
}

// mayBeFee tells that a difference is on the side of a fee: it makes less come in, and more go out.
func mayBeFee(cents int64, credit bool) bool { return cents == 0 || (cents > 0) != credit }

// feeIn is what of an amount is the bank's fee; right is false when it is not what we asked for, with or without a fee.
// Where the bank says what was instructed, that has to be it.
func feeIn(e Event, i Item) (fee int64, right bool) {
	fee = e.AmountCents - i.AmountCents
	if !mayBeFee(fee, e.Credit) {
		return 0, false
	}
	charged := max(fee, -fee) == e.ChargesCents
	switch {
	case fee == 0:
		return 0, e.InstructedCents == 0 || e.InstructedCents == i.AmountCents || charged
	case e.InstructedCents == i.AmountCents:
		return fee, e.ChargesCents == 0 || charged
	default:
		return fee, charged && e.InstructedCents == 0
	}
}

func sameCurrency(e Event, i Item) bool {
	return e.Currency == "" || e.Currency == cmp.Or(i.Currency, "ZAR")
}

func sameAccount(told bank.AccountNumber, ours string) bool {
	return told != "" && told.Key() == bank.AccountNumber(ours).Key()
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

// entryKey is the same for one movement in every document that tells of it.
func entryKey(kind string, e Event, about string) string {
	return digest(kind, about, direction(e), e.BookedOn.String(), fmt.Sprint(e.AmountCents))
}

// onOurAccount writes the account of an event as we know it: banks put the branch in front of it, or signs between.
func (c *change) onOurAccount(e *Event) error {
	for _, form := range accountForms(e.Account) {
		of := *e
		of.Account = form
		id, err := c.merchantOf(of)
		if err != nil {
			return err
		}
		if id != uuid.Nil {
			e.Account = form
			return nil
		}
	}
	return nil
}

// accountForms are the numbers that a bank may mean, the one that it wrote first: without what stands before the last
// sign between digits, and without a branch of six digits.
func accountForms(account bank.AccountNumber) []bank.AccountNumber {
	forms := []bank.AccountNumber{account}
	text := string(account)
	if cut := strings.LastIndexAny(text, " -/."); cut > 0 && len(text)-cut > 6 {
		forms = append(forms, bank.AccountNumber(text[cut+1:]))
	}
	if digits := string(bank.CleanAccount(text)); len(digits) >= branchLength+7 {
		forms = append(forms, bank.AccountNumber(digits[branchLength:]))
	}
	return forms
}

// branchLength is how many digits a branch has.
const branchLength = 6

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

// onBalance keeps what a statement says of an account at the beginning or end of a day.
func (c *change) onBalance(e Event) error {
	if !e.HasAmount || e.BookedOn.IsZero() {
		return nil // its problem says so; it stops nothing
	}
	if err := c.onOurAccount(&e); err != nil {
		return err
	}
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
