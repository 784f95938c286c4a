package exchange

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/bank"
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
	sums     []Entry        // of the entries, those that book a whole file or part in one sum
	nth      map[string]int // how often a movement was seen under equal references, over the whole document
	findings []Finding
	tallies  map[uuid.UUID]Tally
	messages map[string]*Message // nil: it is not ours
	groups   map[string][]Group  // of messages, as they left
	booksOf  map[string][]Entry  // of messages, what was booked before in one sum
	accounts map[bank.AccountNumber]uuid.UUID
	cut      map[string]uuid.UUID    // items by ids that the bank cut short
	agreed   map[agreement]uuid.UUID // debits by the bank's mandate reference and amount
	recalls  map[uuid.UUID]asked     // that left, by their ids and those of their debits
	alike    map[alike]int           // findings of a stranger's making, over the whole document
	closed   []closedDays
	news     map[string]bool // places of movements that were not known before
	moves    map[uuid.UUID]moves
	movements
}

// movements count what a document books.
type movements struct {
	all, fresh, strange int
	account             string // the first that is not known, masked
}

// alike are findings that one document can raise in any number.
type alike struct {
	merchant uuid.UUID
	kind     FindingKind
}

// mostAlike is how many findings of one kind a document opens at most; one more says how many there are (ours).
const mostAlike = 100

func (c *change) take(events []Event) error {
	if err := c.prepare(events); err != nil {
		return err
	}
	for _, e := range events {
		if err := c.one(e); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	return c.save()
}

// prepare locks what events are about.
func (c *change) prepare(events []Event) error {
	c.touched, c.messages, c.accounts = map[uuid.UUID]bool{}, map[string]*Message{}, map[bank.AccountNumber]uuid.UUID{}
	c.groups, c.booksOf, c.moves = map[string][]Group{}, map[string][]Entry{}, nil
	ids, err := c.named(events)
	if err != nil {
		return err
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	if c.items, err = c.tx.holdItems(slices.Compact(ids)); err != nil {
		return err
	}
	for id, i := range c.items {
		if !c.mayTell(i.MerchantID) {
			delete(c.items, id)
		}
	}
	return nil
}

// mayTell tells whether a document may speak of a merchant. What the bank left may speak of all; what a person imported
// speaks of that person's business alone, so that nobody makes up answers about another one.
func (c *change) mayTell(merchantID uuid.UUID) bool {
	return c.document.MerchantID == uuid.Nil || c.document.MerchantID == merchantID
}

func (c *change) one(e Event) error {
	c.s.Rules.Habits.heed(&e)
	if err := c.onOurAccount(&e); err != nil {
		return err
	}
	if err := c.onProblem(e); err != nil {
		return err
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
	case OnStatement:
		return c.onStatement(e)
	default:
		return nil
	}
}

// onProblem asks about what could not be read in an event. Where that is a movement that may be a return, silence says
// nothing until it is settled.
func (c *change) onProblem(e Event) error {
	if e.Problem == "" {
		return nil
	}
	of, err := c.merchantOf(e)
	if err != nil {
		return err
	}
	f := Finding{MerchantID: of, Kind: Differs, Subject: c.document.ID.String() + ":" + e.Path,
		Text: fmt.Sprintf("In %s: %s", c.document.FileName, e.Problem)}
	booked := (e.Kind == OnEntry || e.Kind == OnDetails) && (e.Status == "BOOK" || e.Status == "")
	if booked && !e.HasAmount && !e.Credit && of != uuid.Nil {
		f.Kind = NotStored
		f.Text += " It may be a debit that came back: until you settle this, no debit counts as paid by silence."
	}
	c.find(f)
	return nil
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
	if f.ItemID == uuid.Nil && f.MessageID == "" && c.alike != nil { // nothing of ours waits for it
		of := alike{f.MerchantID, f.Kind}
		if c.alike[of]++; c.alike[of] > mostAlike {
			return
		}
	}
	c.findings = append(c.findings, f)
}

// countRest says how many findings a document would have opened beyond the most.
func (t unit) countRest(d Document, found map[alike]int) error {
	var rest []Finding
	for of, n := range found {
		if n > mostAlike {
			rest = append(rest, Finding{MerchantID: of.merchant, Kind: of.kind, ArrivalID: d.ID,
				Subject: "rest:" + d.ID.String() + ":" + of.merchant.String(),
				Text: fmt.Sprintf("%s has %s more of this kind. Only the first %d are listed. Ask your bank whether the file "+
					"is meant for you.", d.FileName, plural.Of(n-mostAlike, "problem"), mostAlike)})
		}
	}
	return t.openFindings(rest)
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
