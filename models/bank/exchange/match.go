package exchange

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Matched is a movement with the debit or refund that it belongs to, and what follows from it.
type Matched struct {
	Entry    Entry
	Item     Item      // as it is afterwards
	Answers  []Answer  // what the product is told; none when the match changes nothing for the client
	Findings []Finding // what a person has to look at because of it
}

// undoMatch is how long the product is not told what follows from a match, so that it can be taken back (ours).
const undoMatch = 10 * time.Minute

// undoMargin keeps an answer from being told while its match is taken back (ours).
const undoMargin = time.Minute

// Match says which debit or refund a movement belongs to, by the id of its purchase's debit. What it means for the
// debit follows as if the bank had named it, but that it waits for a moment. A movement of another amount is matched
// when the difference is accepted as the bank's fee: what the movement is above the debit, in cents.
func (s *Service) Match(ctx context.Context, who actor.Actor, entryID, itemID uuid.UUID, accepted int64) (n Entry,
	err error) {
	m, err := s.match(ctx, who, entryID, itemID, accepted)
	return m.Entry, err
}

// TryMatch says what Match would do: it does it, and takes it back.
func (s *Service) TryMatch(ctx context.Context, who actor.Actor, entryID, itemID uuid.UUID, accepted int64) (Matched,
	error) {
	return s.match(dryrun.With(ctx), who, entryID, itemID, accepted)
}

// NoFee says why the difference between a movement and an item cannot be the bank's fee; empty: it can.
func NoFee(n Entry, i Item) string {
	fee := n.AmountCents - i.AmountCents
	switch {
	case fee == 0:
		return ""
	case !mayBeFee(fee, n.Credit), max(fee, -fee) >= i.AmountCents:
		return fmt.Sprintf("The movement is %s and the debit %s: they do not belong together.",
			money.Format(n.AmountCents, n.Currency), money.Format(i.AmountCents, cmp.Or(i.Currency, "ZAR")))
	default:
		return ""
	}
}

func (s *Service) match(ctx context.Context, who actor.Actor, entryID, itemID uuid.UUID, accepted int64) (m Matched,
	err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		held, err := tx.holdItems([]uuid.UUID{itemID})
		if err != nil {
			return err
		}
		n, err := tx.holdEntry(who.MerchantID, entryID)
		if err != nil {
			return err
		}
		i, found := held[itemID]
		switch {
		case n.State == EntryMatched:
			return fault.New(fault.Conflict, "matched", "This movement is matched already.")
		case n.PaidCents > 0:
			return n.holdsPayments()
		case n.State == EntryExplained:
			return fault.New(fault.Conflict, "explained", "Other movements tell of this money already: %s", n.Note)
		case !found || i.MerchantID != who.MerchantID:
			return fault.At("item", "not_found", "No debit of yours was handed to the bank under this reference.")
		case i.MessageID == "":
			return fault.At("item", "not_sent", "This debit has not left for the bank: the movement cannot be of it.")
		case n.Currency != cmp.Or(i.Currency, "ZAR"):
			return fault.At("item", "currency", "The movement is in %s and the debit in %s: they do not belong together.",
				n.Currency, i.Currency)
		case NoFee(n, i) != "":
			return fault.At("item", "amount", "%s", NoFee(n, i))
		case n.AmountCents-i.AmountCents != accepted:
			return fault.At("item", "difference", "The movement is %s and the debit %s. Accept the difference as the bank’s "+
				"fee, or choose another debit.", money.Format(n.AmountCents, n.Currency), money.Format(i.AmountCents, i.Currency))
		}
		c := change{s: s, tx: tx, document: Document{ID: n.ArrivalID, FileName: "by hand", SHA256: entryID[:]},
			items: held, touched: map[uuid.UUID]bool{}, messages: map[string]*Message{}, tallies: map[uuid.UUID]Tally{}}
		e := Event{
			Kind:        OnEntry,
			Path:        "m",
			Status:      "BOOK",
			HasAmount:   true,
			AmountCents: n.AmountCents,
			Currency:    n.Currency,
			Credit:      n.Credit,
			Reversal:    n.Reversal,
			BookedOn:    n.BookedOn,
			Text:        n.Text,
			Raw:         []byte(`<Matched/>`),
		}
		if n.Reason != "" {
			e.Reasons = []Reason{{Code: strings.TrimSuffix(n.Reason[strings.LastIndexByte(n.Reason, '(')+1:], ")")}}
		}
		if err := c.booked(i, e); err != nil {
			return err
		}
		for k := range c.answers {
			a := &c.answers[k]
			a.WaitsUntil, a.EntryID = tx.Now().Add(undoMatch+undoMargin), n.ID
			a.WasState, a.WasOutcome, a.WasOn = i.State, i.Outcome, i.OutcomeOn
		}
		if err := c.save(); err != nil {
			return err
		}
		n.State, n.ItemID, n.MessageID, n.GroupID, n.MatchedBy, n.MatchedAt = EntryMatched, i.ID, i.MessageID, i.GroupID,
			who.Name, tx.Now()
		n.FeeCents, n.Note = accepted, ""
		tx.Audit(who, audit.Entry{Action: "bank.entry_matched", ObjectType: "bank_entry", ObjectID: n.ID,
			Text: fmt.Sprintf("A movement of %s was matched to a debit by hand.", money.Format(n.AmountCents, n.Currency)),
			After: map[string]any{"debit": i.ID.String(), "booked_on": n.BookedOn.String(),
				"fee_cents": accepted}})
		m = Matched{Entry: n, Item: c.current(i), Answers: c.answers, Findings: c.findings}
		if err := tx.saveEntry(n); err != nil {
			return err
		}
		return allMatched(tx, n, who.Name)
	})
	return m, err
}

// Unmatch takes a match by hand back: at any time when nothing followed from it for the debit, else while what follows
// was not told. The movement then waits for a person again.
func (s *Service) Unmatch(ctx context.Context, who actor.Actor, entryID uuid.UUID) (n Entry, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return n, err
	}
	before, err := s.Movement(ctx, who, entryID)
	if err != nil {
		return n, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		held, err := tx.holdItems([]uuid.UUID{before.ItemID}) // items before movements, as Match does
		if err != nil {
			return err
		}
		if n, err = tx.holdEntry(who.MerchantID, entryID); err != nil {
			return err
		}
		answers, err := tx.answersOf(n.ID)
		if err != nil {
			return err
		}
		i := held[n.ItemID]
		if why := NoUndo(n, answers, i.Outcome, tx.Now()); why != "" {
			return fault.New(fault.Conflict, "final", "%s", why)
		}
		if n.ItemID != before.ItemID { // it was matched to another debit meanwhile
			return fault.New(fault.Conflict, "changed", "This movement was matched to another debit in the meantime.")
		}
		for _, a := range answers {
			i.State, i.Outcome, i.OutcomeOn, i.BackOn = a.WasState, a.WasOutcome, a.WasOn, calendar.Date{}
		}
		if len(answers) > 0 {
			if err := tx.saveItems([]Item{i}); err != nil {
				return err
			}
			if err := tx.dropAnswers(n.ID, len(answers)); err != nil {
				return err
			}
		}
		tx.Audit(who, audit.Entry{Action: "bank.entry_unmatched", ObjectType: "bank_entry", ObjectID: n.ID,
			Text:   fmt.Sprintf("The match of a movement of %s was taken back.", money.Format(n.AmountCents, n.Currency)),
			Before: map[string]any{"debit": n.ItemID.String(), "matched_by": n.MatchedBy}})
		n.State, n.ItemID, n.MessageID, n.GroupID = EntryUnmatched, uuid.Nil, "", ""
		n.MatchedBy, n.MatchedAt, n.FeeCents = "", time.Time{}, 0
		if err := tx.freeEntry(n); err != nil {
			return err
		}
		return tx.openFindings([]Finding{{MerchantID: n.MerchantID, Kind: Unmatched, Subject: unmatchedSubject(n),
			ArrivalID: n.ArrivalID, Text: "The match of a movement was taken back. Match it to its debit."}})
	})
	return n, err
}

// UndoUntil is until when the match that an answer follows from can be taken back.
func (a Answer) UndoUntil() time.Time { return a.WaitsUntil.Add(-undoMargin) }

// NoUndo says why a match cannot be taken back; empty: it can. The answers are those that followed from it.
func NoUndo(n Entry, answers []Answer, outcome bank.MessageKind, now time.Time) string {
	if n.State != EntryMatched || n.MatchedBy == "" {
		return "This movement was not matched by hand."
	}
	said := len(answers) == 0
	for _, a := range answers {
		if !now.Before(a.UndoUntil()) {
			return "The client’s purchase has followed the match already. It could be taken back until " +
				moment(a.UndoUntil()) + "."
		}
		said = said || a.Kind == outcome
	}
	if !said {
		return "The bank has said more about this debit since."
	}
	return ""
}

// Following are the answers that followed from the match of a movement, and what is in the way of taking it back.
func (s *Service) Following(ctx context.Context, who actor.Actor, n Entry) (answers []Answer, noUndo string,
	err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, "", err
	}
	if answers, err = s.Store.AnswersOf(ctx, n.ID); err != nil {
		return nil, "", err
	}
	i, _, err := s.Store.ExchangeItem(ctx, n.ItemID, false)
	return answers, NoUndo(n, answers, i.Outcome, s.Now()), err
}

// allMatched closes what is open about unmatched movements of a document, when none is left.
func allMatched(tx unit, n Entry, by string) error {
	left, err := tx.unmatchedIn(n.MerchantID, n.ArrivalID)
	if err != nil || left > 0 {
		return err
	}
	return tx.settleFindings(Unmatched, unmatchedSubject(n), by, "Every movement was matched.")
}

// unmatchedSubject names the unmatched movements of one merchant in one document.
func unmatchedSubject(n Entry) string { return n.ArrivalID.String() + ":" + n.MerchantID.String() }
