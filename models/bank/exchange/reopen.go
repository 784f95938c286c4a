package exchange

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Reopen has a movement wait for a match again that was settled as none of ours: it may pay after all.
func (s *Service) Reopen(ctx context.Context, who actor.Actor, id uuid.UUID) (n Entry, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return n, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if n, err = tx.holdEntry(who.MerchantID, id); err != nil {
			return err
		}
		held, err := Store{tx.DB()}.heldByBooks(tx.Context(), who.MerchantID, id)
		if err != nil {
			return err
		}
		if why := NoReopening(n, held); why != "" {
			return fault.New(fault.Conflict, "not_settled", "%s", why)
		}
		tx.Audit(who, audit.Entry{Action: "bank.entry_reopened", ObjectType: "bank_entry", ObjectID: n.ID,
			Text: fmt.Sprintf("A movement of %s that was settled as none of yours was reopened.",
				money.Format(n.AmountCents, n.Currency)),
			Before: map[string]any{"state": string(n.State), "note": n.Note},
			After:  map[string]any{"state": string(EntryUnmatched)}})
		n.State, n.Note = EntryUnmatched, ""
		if err := tx.saveEntry(n); err != nil {
			return err
		}
		return tx.openFindings([]Finding{{MerchantID: n.MerchantID, Kind: Unmatched, Subject: unmatchedSubject(n),
			ArrivalID: n.ArrivalID, Text: "A movement was reopened. Match it, or say what it is."}})
	})
	return n, err
}

// NoReopening says why a movement cannot be reopened; empty: it can.
func NoReopening(n Entry, inBooks bool) string {
	switch {
	case n.State != EntryOther:
		return "This movement is not settled as none of yours."
	case inBooks:
		return "The books hold this movement. Take that record back under Books, and the movement waits again."
	}
	return ""
}

// Reopening says why a movement cannot be reopened; empty: it can.
func (s *Service) Reopening(ctx context.Context, who actor.Actor, n Entry) (why string, err error) {
	if err := who.May(actor.Read); err != nil {
		return "", err
	}
	held, err := s.Store.heldByBooks(ctx, who.MerchantID, n.ID)
	return NoReopening(n, held), err
}
