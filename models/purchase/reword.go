package purchase

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// RewordIn lets a purchase that waits for its client's account ask for something else, in a caller's transaction: again
// gives it anew. Conflict while the client is answering the old question; a purchase that asks for nothing any more
// stays as it is, and so do its due date and the deduction day that follows from it. Anew tells that nothing was done:
// the total of a purchase, its reference and its options never change, so that another has to take its place.
func (s *Service) RewordIn(tx *database.Tx, who actor.Actor, id uuid.UUID, again func(Purchase) Purchase) (anew bool,
	err error) {
	rec, err := s.Load(tx.Context(), who.MerchantID, id)
	if err != nil {
		return false, err
	}
	next := again(rec.Purchase)
	if is, was := next.Details.DirectDebit, rec.Details.DirectDebit; is != nil && was != nil &&
		is.PeriodUnits == was.PeriodUnits {
		kept := *is
		kept.DeductionDay = was.DeductionDay
		next.Details.DirectDebit = &kept
	}
	switch {
	case rec.AwaitsClient() && asked(next) != asked(rec.Purchase):
		return false, fault.New(fault.Conflict, "mandate_waiting",
			"The client is being asked at the bank for the present terms. Wait for the answer, or withdraw the request first.")
	case !rec.Payable(s.Now()) || rec.CollectionCount > 0 || worded(next) == worded(rec.Purchase):
		return false, nil
	case fixed(next) != fixed(rec.Purchase):
		return true, nil
	}
	before, after := rec.authenticated(), next.authenticated()
	rec.Details, rec.Payer, rec.Method, rec.UpdatedAt = next.Details, next.Payer, next.Method, tx.Now()
	Move(tx, rec.Purchase, rec.Status)
	tx.Audit(who, audit.Entry{Action: "purchase.reworded", ObjectType: "purchase", ObjectID: rec.ID,
		ClientID: rec.ClientID, PurchaseID: rec.ID, Text: "What the client is asked for was changed.",
		Before: map[string]any{"terms": before}, After: map[string]any{"terms": after}})
	return false, nil
}

// fixed is what never changes of a purchase, as a text to compare.
func fixed(p Purchase) string { return texted(p.Options, p.Reference, p.TotalCents, p.Product) }

// asked is what a client confirms at the bank, as a text to compare.
func asked(p Purchase) string { return texted(p.authenticated(), p.Details.Products, p.TotalCents) }

// worded is everything that a client is asked to agree to, as a text to compare. It is never shown: the numbers in it
// are not masked.
func worded(p Purchase) string {
	return texted(p.Details, p.Options, p.Payer, p.Payer.BankAccount.Reveal(), p.Payer.PersonalCode.Reveal(), p.Reference,
		p.TotalCents, p.Product)
}

func texted(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil { // it was read from what is kept as JSON
		return fmt.Sprint(err)
	}
	return string(text)
}
