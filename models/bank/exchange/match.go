package exchange

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
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

// Match says which debit or refund a movement belongs to, by the id of its purchase's debit. What it means for the
// debit follows as if the bank had named it.
func (s *Service) Match(ctx context.Context, who actor.Actor, entryID, itemID uuid.UUID) (n Entry, err error) {
	m, err := s.match(ctx, who, entryID, itemID)
	return m.Entry, err
}

// TryMatch says what Match would do: it does it, and takes it back.
func (s *Service) TryMatch(ctx context.Context, who actor.Actor, entryID, itemID uuid.UUID) (Matched, error) {
	return s.match(dryrun.With(ctx), who, entryID, itemID)
}

func (s *Service) match(ctx context.Context, who actor.Actor, entryID, itemID uuid.UUID) (m Matched, err error) {
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
		case !found || i.MerchantID != who.MerchantID:
			return fault.At("item", "not_found", "No debit of yours was handed to the bank under this reference.")
		case i.MessageID == "":
			return fault.At("item", "not_sent", "This debit has not left for the bank: the movement cannot be of it.")
		case n.AmountCents != i.AmountCents:
			return fault.At("item", "amount", "The movement is %s and the debit %s: they do not belong together.",
				money.Format(n.AmountCents, n.Currency), money.Format(i.AmountCents, i.Currency))
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
			Raw:         []byte(`<Matched/>`),
		}
		if n.Reason != "" {
			e.Reasons = []Reason{{Code: strings.TrimSuffix(n.Reason[strings.LastIndexByte(n.Reason, '(')+1:], ")")}}
		}
		if err := c.itemEntry(n, i, e); err != nil {
			return err
		}
		c.entries = nil // the movement is there; it changes below
		if err := c.save(); err != nil {
			return err
		}
		n.State, n.ItemID, n.MessageID, n.GroupID, n.MatchedBy, n.MatchedAt = EntryMatched, i.ID, i.MessageID, i.GroupID,
			who.Name, tx.Now()
		tx.Audit(who, audit.Entry{Action: "bank.entry_matched", ObjectType: "bank_entry", ObjectID: n.ID,
			Text:  fmt.Sprintf("A movement of %s was matched to a debit by hand.", money.Format(n.AmountCents, n.Currency)),
			After: map[string]any{"debit": i.ID.String(), "booked_on": n.BookedOn.String()}})
		m = Matched{Entry: n, Item: c.current(i), Answers: c.answers, Findings: c.findings}
		if err := tx.saveEntry(n); err != nil {
			return err
		}
		return allMatched(tx, n, who.Name)
	})
	return m, err
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
