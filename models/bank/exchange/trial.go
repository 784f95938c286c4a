package exchange

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Trial is what a file from the bank would do: it was read and recorded as any other, and all of it was taken back.
type Trial struct {
	Name   string // its form
	BankID string
	Why    string // it cannot be read, and why; nothing else is known then
	Parts  []TrialPart
	Left   int             // how many parts more there are
	Odd    []Contradiction // what is not as the profile says that the bank writes
}

// TrialPart is one thing that the file says, with what would follow.
type TrialPart struct {
	Path     string
	Kind     EventKind
	Said     string     // in one line, without numbers of accounts
	ItemID   uuid.UUID  // the debit, refund or request that it would be of; zero: none that is known
	State    EntryState // of a movement
	Known    bool       // of a movement: an earlier file told it
	Answers  []Answer
	Findings []string
	Hint     string // which key of the profile would change that
	Was      string // how it was read when it came, where that differs
}

// MostTried is how many parts of a file are tried at once (ours).
const MostTried = 2000

// Try reads a file as if it came from the bank now, and changes nothing. Someone of a business learns what concerns
// that business alone; an actor of the whole installation learns all of it.
func (s *Service) Try(ctx context.Context, who actor.Actor, name string, content []byte) (t Trial, err error) {
	return s.trial(ctx, who, name, content, false)
}

// trial tries a file. One that the bank left for all businesses is shared: then who learns of its own parts alone.
func (s *Service) trial(ctx context.Context, who actor.Actor, name string, content []byte, shared bool) (t Trial,
	err error) {
	if err := who.May(actor.Exchange); err != nil {
		return t, err
	}
	switch {
	case len(content) == 0:
		return t, fault.At("file", "required", "Choose a file from your bank.")
	case len(content) > MostImported:
		return t, fault.At("file", "too_large", "A file from the bank may have up to %d MB.", MostImported>>20)
	}
	var events []Event
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	arrival, err := s.decode(open, func(e Event) error {
		if len(events) < MostTried {
			events = append(events, e)
		} else {
			t.Left++
		}
		return nil
	})
	t.Name, t.BankID = arrival.Name, arrival.ID
	var unreadable *Unreadable
	switch {
	case errors.As(err, &unreadable):
		t.Why = unreadable.Why
		return t, nil
	case errors.Is(err, ErrUnfinished):
		t.Why = "Its end is missing."
		return t, nil
	case err != nil:
		return t, err
	}
	hash := sha256.Sum256(content)
	err = s.Store.inTx(dryrun.With(ctx), func(tx unit) error {
		c := change{s: s, tx: tx, tallies: map[uuid.UUID]Tally{}, alike: map[alike]int{}, document: Document{ID: tx.NewID(),
			MerchantID: who.MerchantID, FileName: cleanName(name), SHA256: hash[:], ArrivedAt: tx.Now()}}
		if events, err = c.try(events, &t, shared); err != nil {
			return err
		}
		t.Odd = s.Rules.Habits.Against(events)
		return nil
	})
	if unstorable(err) {
		t.Parts, t.Why = nil, "One of its parts could not be recorded. The others would be; import the file to see which."
		err = nil
	}
	return t, err
}

// try does what a chunk of events does, notes what each of them brought, and gives those that were noted.
func (c *change) try(events []Event, t *Trial, shared bool) (noted []Event, err error) {
	if err := c.prepare(events); err != nil {
		return nil, err
	}
	movements := map[int]string{} // parts by the place of their movement
	for _, e := range events {
		entries, answers, findings := len(c.entries), len(c.answers), len(c.findings)
		if err := c.one(e); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
		p := TrialPart{Path: e.Path, Kind: e.Kind, Said: said(e), Answers: c.answers[answers:]}
		for _, f := range c.findings[findings:] {
			p.Findings = append(p.Findings, f.Text)
		}
		if i, found, _ := c.itemOf(e); found {
			p.ItemID = i.ID
		}
		if shared && p.ItemID == uuid.Nil {
			if own, err := c.concerns(e); err != nil {
				return nil, err
			} else if !own {
				continue
			}
		}
		noted = append(noted, e)
		for _, n := range c.entries[entries:] {
			movements[len(t.Parts)] = n.place
			p.State = n.State
		}
		p.Hint = c.s.hint(e, p)
		t.Parts = append(t.Parts, p)
	}
	if err := c.save(); err != nil {
		return nil, err
	}
	states, err := c.tx.toldAs(movements)
	if err != nil {
		return nil, err
	}
	for at, state := range states {
		p := &t.Parts[at]
		known := !c.news[movements[at]]
		if known && state != p.State && state != EntryExplained && p.State != EntryExplained {
			p.Was = fmt.Sprintf("When it came, the movement was %s; now it would be %s.", stateWords[state],
				stateWords[p.State])
		}
		p.State, p.Known = state, known
	}
	return noted, c.otherReasons(noted, t)
}

// concerns tells whether a part is about whom the document may speak of: about their file, or their account.
func (c *change) concerns(e Event) (bool, error) {
	if e.MessageID != "" {
		if m, err := c.message(e.MessageID); err != nil || m != nil {
			return m != nil, err
		}
	}
	if err := c.onOurAccount(&e); err != nil {
		return false, err
	}
	of, err := c.merchantOf(e)
	return of != uuid.Nil, err
}

// otherReasons notes where the profile of today reads another reason from an answer than the one that was recorded.
func (c *change) otherReasons(events []Event, t *Trial) error {
	codes, err := c.tx.codesOf(slices.Collect(maps.Keys(c.items)))
	if err != nil {
		return err
	}
	for n := range t.Parts {
		p, e := &t.Parts[n], events[n]
		was := codes[p.ItemID]
		if was == "" || len(p.Answers) > 0 || len(e.Reasons) == 0 && e.Text == "" || e.Kind == OnEntry && e.Credit {
			continue
		}
		c.s.Rules.Habits.heed(&e)
		at, reasons := bank.Refused, e.Reasons
		if e.Kind == OnEntry {
			at, reasons = bank.Returned, withWords(e.Reasons, c.s.Rules.Habits.free(e))
		}
		if now := c.s.meaning(at, reasons).Code; now != "" && now != was {
			p.Was = fmt.Sprintf("When it came, the reason was %s; now it would be %s.", bank.Label(was), bank.Label(now))
		}
	}
	return nil
}

// said is what an event says, in one line.
func said(e Event) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(e.Status)
	if e.HasAmount {
		way := ""
		if e.Kind == OnEntry || e.Kind == OnBalance {
			way = map[bool]string{true: " in", false: " out"}[e.Credit]
		}
		add(money.Format(e.AmountCents, e.Currency) + way)
	}
	if !e.BookedOn.IsZero() {
		on := "on " + e.BookedOn.Format("Mon 2 Jan 2006")
		if by := e.BookedBy.Words(); by != "" {
			on += " (" + by + ")"
		}
		add(on)
	}
	if e.ChargesCents > 0 {
		add("charges " + money.Format(e.ChargesCents, e.Currency))
	}
	for _, id := range [][2]string{{"file", e.MessageID}, {"part", e.GroupID}, {"InstrId", e.InstructionID},
		{"EndToEndId", e.EndToEndID}, {"TxId", e.TransactionID}, {"UETR", e.UETR}, {"mandate", e.MandateReference},
		{"reference", e.Reference}, {"code", strings.Trim(e.BankCode+" "+e.BankOwnCode, " ")}} {
		if id[1] != "" {
			add(id[0] + " " + id[1])
		}
	}
	if e.Account != "" {
		add("account " + e.Account.String())
	}
	add(reasonText(e.Reasons))
	add(e.Text)
	return strings.Join(parts, ", ")
}

// hint is which key of the profile would let a part mean something else.
func (s *Service) hint(e Event, p TrialPart) string {
	code := e.BankOwnCode
	if code == "" {
		code = e.BankCode
	}
	switch {
	case p.State == EntryUnmatched && code != "" && p.ItemID == uuid.Nil:
		return fmt.Sprintf("If the bank charges this, add %q to fee_codes; if it is none of yours, to other_codes.", code)
	case p.ItemID == uuid.Nil && (e.Kind == OnItem || e.Kind == OnMandate || e.Kind == OnRecall):
		return "None of its ids is one of ours. end_to_end says which id the bank is given to give back, and " +
			"answers_as.ids_at where it is looked for."
	case p.ItemID != uuid.Nil && len(p.Answers) == 0 && len(p.Findings) == 0 && e.Kind == OnEntry && e.Credit:
		return "It says nothing new. Set success to booked if a booking is how debits are known to be paid."
	}
	for _, a := range p.Answers {
		for _, r := range e.Reasons {
			if a.Code == "NARR" || r.Code != "" && a.Code == strings.ToUpper(r.Code) {
				return fmt.Sprintf("The reason %q is in no list. Map it in codes to one of ours.", r.Code)
			}
		}
	}
	return ""
}

// Lines say what would follow from a part, and why nothing would.
func (p TrialPart) Lines() (lines []string) {
	add := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	switch {
	case p.ItemID != uuid.Nil:
		add("It is of the item %s.", p.ItemID)
	case p.Kind == OnItem || p.Kind == OnMandate || p.Kind == OnRecall:
		add("It is of no item that is known.")
	}
	if p.State != "" {
		add("The movement is %s.", stateWords[p.State])
	}
	if p.Known {
		add("An earlier file told it: nothing is counted twice.")
	}
	if p.Was != "" {
		add("%s", p.Was)
	}
	for _, a := range p.Answers {
		text := "The item becomes: " + becomeWords[a.Kind]
		if a.Code != "" && a.Code != bank.CodeSuccess {
			text += ", " + bank.Label(a.Code)
		}
		add("%s.", text)
	}
	for _, f := range p.Findings {
		add("A finding is opened: %s", f)
	}
	if p.Hint != "" {
		add("In the profile: %s", p.Hint)
	}
	if len(lines) == 0 {
		add("Nothing follows from it.")
	}
	return lines
}

// becomeWords are what the bank's answers make of an item.
var becomeWords = map[bank.MessageKind]string{bank.Provisional: "paid, provisional", bank.Successful: "paid, final",
	bank.InTracking: "in tracking", bank.Unpaid: "failed", bank.PaidAgain: "paid after all", bank.Disputed: "disputed",
	bank.DisputeWon: "dispute decided for you", bank.DisputeLost: "dispute decided for the client",
	bank.DisputeRejected: "dispute refused by the client’s bank", bank.Recalled: "withdrawn",
	bank.RefundSettled: "refunded", bank.RefundFailed: "refund failed", bank.MandateDelivered: "shown to the client",
	bank.MandateAccepted: "confirmed", bank.MandateRejected: "declined", bank.MandateUnanswered: "not answered",
	bank.MandateFailed: "could not be asked", bank.MandateSuspended: "suspended"}

var stateWords = map[EntryState]string{EntryMatched: "matched",
	EntryUnmatched: "matched to nothing, and waits for a person",
	EntryPaid:      "paid for purchases, as a person said",
	EntryOther:     "none of ours, as the profile says", EntryFee: "a fee of the bank",
	EntryExplained: "told by other movements, which count"}
