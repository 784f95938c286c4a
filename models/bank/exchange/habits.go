package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/plural"
)

// Habits are how a bank has said that it writes its answers, in the words of its profile. What it has not said is
// empty: then every way is tried. What it has said narrows what is concluded, and a file that does otherwise is named
// where the profile is checked.
type Habits struct {
	IDsAt         []string // where ids of ours come back; see the places
	NoReferences  []string // what stands in the place of a reference and is none, beside the usual words
	DebitCodes    []string // its own codes of debits that it collected,
	ReturnCodes   []string // of debits that came back,
	ReversalCodes []string // and of returns that were reversed
	ReasonAt      string   // ReasonInCode or ReasonInWords
	Account       string   // AccountAlone or AccountAfterBranch
	Fees          string   // FeesInside or FeesApart
	Statements    string   // OneInFile or ManyInFile
	Booking       string   // BookedEach or BookedInSums
}

// Places of ids.
const (
	AtInstruction = "instruction"
	AtEndToEnd    = "end_to_end"
	AtTransaction = "transaction"
	AtUETR        = "uetr"
	AtText        = "text"
	AtMandate     = "mandate"
)

// What a bank may say of its habits.
const (
	ReasonInCode       = "code"
	ReasonInWords      = "words"
	AccountAlone       = "alone"
	AccountAfterBranch = "after_branch"
	FeesInside         = "inside"
	FeesApart          = "apart"
	OneInFile          = "one"
	ManyInFile         = "many"
	BookedEach         = "each"
	BookedInSums       = "sums"
)

// IDPlaces are all places of ids, in the order in which they are tried.
func IDPlaces() []string {
	return []string{AtInstruction, AtEndToEnd, AtTransaction, AtUETR, AtText, AtMandate}
}

// at tells whether ids in a place are believed.
func (h Habits) at(place string) bool { return len(h.IDsAt) == 0 || slices.Contains(h.IDsAt, place) }

// idAt is an id that an event carries, and where.
type idAt struct{ place, text string }

// idsIn are all ids that an event carries, the most telling first; the words of a text may be ids.
func idsIn(e Event) []idAt {
	found := []idAt{{AtInstruction, e.InstructionID}, {AtEndToEnd, e.EndToEndID}, {AtTransaction, e.TransactionID},
		{AtUETR, e.UETR}}
	words := strings.Fields(e.StatementLine)
	for _, word := range words[:min(len(words), mostWords)] {
		found = append(found, idAt{AtText, word})
	}
	return found
}

// heed reads an event as a bank of these habits means it.
func (h Habits) heed(e *Event) {
	for _, reference := range []*string{&e.Reference, &e.DetailRef} {
		if h.refersToNothing(*reference) {
			*reference = ""
		}
	}
	switch h.ReasonAt {
	case ReasonInCode:
		if len(e.Reasons) > 0 && e.Reasons[0].Code != "" {
			e.Reasons = []Reason{{Code: e.Reasons[0].Code}}
		}
	case ReasonInWords:
		if words := wordsOf(*e); words != "" {
			e.Reasons = []Reason{{Text: words}}
		}
	}
}

// words are what an event says of a reason beside its codes.
func wordsOf(e Event) string {
	for _, r := range e.Reasons {
		if r.Text != "" {
			return r.Text
		}
	}
	return e.Text
}

// free are the words beside the reasons of a movement that may say why money went back.
func (h Habits) free(e Event) string {
	if h.ReasonAt == ReasonInCode && len(e.Reasons) > 0 {
		return ""
	}
	return e.Text
}

func (h Habits) refersToNothing(reference string) bool {
	return slices.ContainsFunc(h.NoReferences, func(word string) bool { return strings.EqualFold(word, reference) })
}

// codes are the bank's own codes of movements of debits that go one way; empty: it has not said.
func (h Habits) codes(credit bool) []string {
	if credit {
		return slices.Concat(h.DebitCodes, h.ReversalCodes)
	}
	return h.ReturnCodes
}

// odd tells that the bank's own code of a movement is none of those that it uses for debits.
func (h Habits) odd(e Event) bool {
	codes := h.codes(e.Credit)
	return len(codes) > 0 && e.BankOwnCode != "" && !slices.Contains(codes, e.BankOwnCode)
}

// forms are the numbers that the bank may mean by an account.
func (h Habits) forms(account bank.AccountNumber) []bank.AccountNumber {
	forms := accountForms(account)
	switch {
	case h.Account == AccountAlone:
		return forms[:1]
	case h.Account == AccountAfterBranch && len(forms) > 1:
		return forms[1:]
	default:
		return forms
	}
}

// Contradiction is something in files of the bank that is not as its profile says.
type Contradiction struct {
	Key   string // of the profile
	Path  string // the first place where it is so
	Times int
	Text  string
}

// Line says it to a person.
func (c Contradiction) Line() string {
	return fmt.Sprintf("%s: %s (%s, first at %s)", c.Key, c.Text, plural.Of(c.Times, "time"), c.Path)
}

// Against lists what in the events of a file is not as a bank of these habits writes. It needs nothing but the file.
func (h Habits) Against(events []Event) []Contradiction {
	c := contradictions{Habits: h, references: map[string][]Event{}}
	statements := 0
	for _, e := range events {
		if e.Kind == OnStatement {
			statements++
			c.when(h.Statements == OneInFile && statements > 1, "answers_as.statements", e,
				"The file holds more than one statement. Say many, or leave the key out")
		}
		if e.Kind == OnEntry {
			c.entry(e)
		}
		if e.Kind == OnEntry || e.Kind == OnItem || e.Kind == OnMandate || e.Kind == OnRecall {
			c.ids(e)
			c.reasons(e)
		}
	}
	for reference, of := range c.references {
		if len(of) >= 3 && !h.refersToNothing(reference) {
			c.found = append(c.found, Contradiction{"answers_as.no_references", of[0].Path, len(of), fmt.Sprintf(
				"The reference %s stands at several movements, so it names none of them. Add it", reference)})
		}
	}
	slices.SortFunc(c.found, func(a, b Contradiction) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Text, b.Text))
	})
	return c.found
}

type contradictions struct {
	Habits
	references map[string][]Event // of whole entries
	found      []Contradiction
}

func (c *contradictions) when(is bool, key string, e Event, text string) {
	if !is {
		return
	}
	for n := range c.found {
		if c.found[n].Key == key && c.found[n].Text == text {
			c.found[n].Times++
			return
		}
	}
	c.found = append(c.found, Contradiction{key, e.Path, 1, text})
}

// ids looks for ids that look like ours in places where the profile does not expect any.
func (c *contradictions) ids(e Event) {
	listed, other := false, ""
	for _, id := range idsIn(e) {
		if _, is := parseHexID(idDigits(id.text)); !is {
			continue
		}
		if c.at(id.place) {
			listed = true
		} else {
			other = cmp.Or(other, id.place)
		}
	}
	c.when(other != "" && !listed, "answers_as.ids_at", e, "An id that looks like one of ours stands at "+other+
		", which the list does not name. Add it")
}

func (c *contradictions) reasons(e Event) {
	code, words := false, false
	for _, r := range e.Reasons {
		code, words = code || r.Code != "", words || r.Text != ""
	}
	c.when(c.ReasonAt == ReasonInCode && words && !code, "answers_as.reason_at", e,
		"The reason is given by words and not by a code. Say words, or leave the key out")
	c.when(c.ReasonAt == ReasonInWords && code && !words && e.Text == "", "answers_as.reason_at", e,
		"The reason is given by a code and not by words. Say code, or leave the key out")
}

func (c *contradictions) entry(e Event) {
	if e.Reference != "" && e.Detail < 2 {
		c.references[e.Reference] = append(c.references[e.Reference], e)
	}
	forms := accountForms(e.Account)
	c.when(c.Account == AccountAlone && len(forms) > 1, "answers_as.account", e,
		"The account is written with more than its number. Say after_branch, or leave the key out")
	c.when(c.Account == AccountAfterBranch && e.Account != "" && len(forms) == 1, "answers_as.account", e,
		"The account is written without a branch. Say alone, or leave the key out")
	c.when(c.Fees == FeesApart && e.ChargesCents > 0, "answers_as.fees", e,
		"A fee stands inside a movement. Say inside, or leave the key out")
	c.when(c.Fees == FeesInside && isCharge(e), "answers_as.fees", e,
		"A fee is a movement of its own. Say apart, or leave the key out")
	c.when(c.Booking == BookedEach && e.Batch, "answers_as.booking", e,
		"Debits are booked in one sum. Say sums, or leave the key out")
	ofDebit := !e.Batch && slices.ContainsFunc(idsIn(e), func(id idAt) bool {
		_, is := parseHexID(idDigits(id.text))
		return is
	})
	c.when(c.Booking == BookedInSums && e.Credit && ofDebit && e.Detail == 0, "answers_as.booking", e,
		"Each debit is a movement of its own. Say each, or leave the key out")
	key := "answers_as.return_codes"
	if e.Credit {
		key = "answers_as.debit_codes"
	}
	c.when((ofDebit || len(e.Reasons) > 0) && c.odd(e), key, e, fmt.Sprintf(
		"A movement of a debit has the code %s, which the list does not name. Add it", e.BankOwnCode))
}

// isCharge tells that a movement is a charge of the bank by its ISO code.
func isCharge(e Event) bool {
	parts := strings.Split(e.BankCode, "/")
	return len(parts) == 3 && slices.Contains(feeFamilies, parts[2])
}
