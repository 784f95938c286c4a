package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/money"
	"debitdesk/models/queue"
)

// AlreadyCancelled is what a person is told who cancels a purchase after somebody else has.
const AlreadyCancelled = "This purchase is already cancelled; it cannot be cancelled again."

// MayCancel is nil when Cancel would end the purchase now.
func (s *Service) MayCancel(rec Record) error {
	if rec.Status == Cancelled {
		return fault.New(fault.Conflict, "purchase_cancel_wrong_status", AlreadyCancelled)
	}
	if !CanMove(rec.Status, Cancelled) {
		return fault.New(fault.Conflict, "purchase_cancel_wrong_status", "A purchase that is %s cannot be cancelled.",
			rec.Status)
	}
	if part := rec.PartPaidCents(); part > 0 {
		return fault.New(fault.Conflict, "purchase_cancel_wrong_status",
			"%s of this purchase was paid. Take that payment back first, or record the rest as paid.",
			money.Format(part, rec.Currency))
	}
	if why := s.CannotRecall(rec); why != "" {
		return fault.New(fault.Conflict, "purchase_cancel_wrong_status", "%s", why)
	}
	return nil
}

// CannotRecall says why the debit of a purchase runs although nobody wants it any more: the bank has it, and the
// connection cannot withdraw it. Empty where there is no such debit.
func (s *Service) CannotRecall(rec Record) string {
	if rec.Collection == nil || !rec.Collection.State.AtBank() {
		return ""
	}
	return s.Bank.NoRecall()
}

// Cancel ends a purchase that is not paid. A collection that is not submitted is
// dropped; one that is, is recalled (28). What already runs at the bank stays.
func (s *Service) Cancel(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if err := s.MayCancel(rec); err != nil {
			return nil, err
		}
		return func(tx *database.Tx, rec *Record) error {
			before := rec.Status
			if err := DropCollection(tx, rec); err != nil {
				return err
			}
			rec.Move(Cancelled, tx.Now())
			tx.Audit(who, audit.Entry{Action: "purchase.cancelled", ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text: "The purchase was cancelled.", Before: map[string]any{"status": before},
				After: map[string]any{"status": rec.Status}})
			return s.Credit(tx, who, rec)
		}, nil
	})
}

// Credit takes the invoice back, where there is one, and tells the client.
func (s *Service) Credit(tx *database.Tx, who actor.Actor, rec *Record) error {
	if s.Papers == nil {
		return nil
	}
	number, err := s.Papers.Credit(tx, who, *rec)
	return s.mailCredit(tx, rec, number, err)
}

// creditRefund takes back of the invoice what went back to the client, where there is one, and tells the client.
func (s *Service) creditRefund(tx *database.Tx, who actor.Actor, rec *Record, r Refund) error {
	if s.Papers == nil {
		return nil
	}
	number, err := s.Papers.CreditRefund(tx, who, *rec, r)
	return s.mailCredit(tx, rec, number, err)
}

func (s *Service) mailCredit(tx *database.Tx, rec *Record, number string, err error) error {
	if err != nil || number == "" || rec.Payer.Email == "" {
		return err
	}
	rec.MailCount++
	tx.InsertMail(rec.Mail(tx, MailCredit, rec.MailCount,
		mail.Letter{Subject: "Credit note " + number + " from " + rec.Brand.Name}))
	return nil
}

// DropCollection takes a waiting collection back, wherever it is.
func DropCollection(tx *database.Tx, rec *Record) error {
	if rec.Collection == nil {
		return nil
	}
	c := *rec.Collection
	from := c.State
	switch from {
	case collection.Scheduled:
		c.State = collection.Cancelled
	case collection.Submitted, collection.InTracking:
		c.State, c.RecallDue = collection.Recalled, true
		tx.Enqueue(queue.RunDue{})
	default:
		return nil
	}
	c.UpdatedAt = tx.Now()
	won, err := collection.Move(tx, c, from)
	if err == nil && !won {
		err = fault.ErrLost
	}
	rec.Collection = &c
	return err
}
