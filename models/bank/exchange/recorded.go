package exchange

import (
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Waits is a conflict unless the movement waits for a match.
func (n Entry) Waits() error {
	switch {
	case n.PaidCents > 0:
		return n.holdsPayments()
	case n.State == EntryUnmatched:
		return nil
	}
	return fault.New(fault.Conflict, "not_unmatched", "This bank movement is no longer without a match.")
}

// Record says of a movement without a match that the books hold what it is, in the transaction that records it there.
func (s Store) Record(tx *database.Tx, who actor.Actor, id uuid.UUID, as EntryState, note string) (n Entry, err error) {
	u := unit{tx}
	if n, err = u.holdEntry(who.MerchantID, id); err != nil {
		return n, err
	}
	if err := n.Waits(); err != nil {
		return n, err
	}
	tx.Audit(who, audit.Entry{Action: "bank.entry_recorded", ObjectType: "bank_entry", ObjectID: n.ID,
		Text:   fmt.Sprintf("A movement of %s was recorded in the books.", money.Format(n.AmountCents, n.Currency)),
		Before: map[string]any{"state": string(n.State)}, After: map[string]any{"state": string(as), "note": note}})
	n.State, n.Note = as, note
	if err := u.saveEntry(n); err != nil {
		return n, err
	}
	return n, allMatched(u, n, who.Name)
}

// Unrecord has a movement wait for a person again whose record in the books was taken back. One that others have told
// of meanwhile stays as it is.
func (s Store) Unrecord(tx *database.Tx, who actor.Actor, id uuid.UUID) error {
	u := unit{tx}
	n, err := u.holdEntry(who.MerchantID, id)
	if fault.Is(err, fault.NotFound) || err == nil && n.State != EntryFee && n.State != EntryOther {
		return nil
	}
	if err != nil {
		return err
	}
	tx.Audit(who, audit.Entry{Action: "bank.entry_unrecorded", ObjectType: "bank_entry", ObjectID: n.ID,
		Text:   fmt.Sprintf("The record of a movement of %s was taken back.", money.Format(n.AmountCents, n.Currency)),
		Before: map[string]any{"state": string(n.State), "note": n.Note},
		After:  map[string]any{"state": string(EntryUnmatched)}})
	n.State, n.Note = EntryUnmatched, ""
	if err := u.saveEntry(n); err != nil {
		return err
	}
	return u.openFindings([]Finding{{MerchantID: n.MerchantID, Kind: Unmatched, Subject: unmatchedSubject(n),
		ArrivalID: n.ArrivalID, Text: "The record of a movement was taken back. Match it to its debit, or say what it is."}})
}
