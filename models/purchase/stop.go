package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
)

// Stop is what becomes of debits under way when their client stops a subscription, or staff stop everything.
type Stop struct {
	Title     string   // of the subscription; empty: everything is stopped
	Withdrawn []Record // debits that are taken back; their purchases stay open for staff to decide
	Running   []Record // debits that the bank has and that cannot be recalled
}

// StopWould tells what a stop would do to the debits of a subscription that are under way.
func (s *Service) StopWould(ctx context.Context, merchantID, subscriberID uuid.UUID) (out Stop, err error) {
	pending, err := s.Store.PendingOfSubscriber(ctx, merchantID, subscriberID)
	if err != nil {
		return out, err
	}
	return s.StopOf(ctx, merchantID, pending)
}

// StopOf is the one rule of what can be taken back of debits under way. Pages show it, and stops do it.
func (s *Service) StopOf(ctx context.Context, merchantID uuid.UUID, pending []Purchase) (out Stop, err error) {
	if len(pending) == 0 {
		return out, nil
	}
	ids := make([]uuid.UUID, len(pending))
	for i, p := range pending {
		ids[i] = p.ID
	}
	latest, err := s.latest(ctx, merchantID, ids...)
	if err != nil {
		return out, err
	}
	for _, p := range pending {
		c, known := latest[p.ID]
		if !known {
			continue
		}
		rec := Record{Purchase: p, Collection: &c}
		if s.withdrawable(rec) {
			out.Withdrawn = append(out.Withdrawn, rec)
		} else {
			out.Running = append(out.Running, rec)
		}
	}
	return out, nil
}

// withdrawable tells whether a debit under way can still be taken back.
func (s *Service) withdrawable(rec Record) bool {
	switch rec.Collection.State {
	case collection.Scheduled:
		return true
	case collection.Submitted, collection.InTracking:
		return s.CannotRecall(rec) == ""
	default:
		return false
	}
}

// StopIn takes the debits of a subscription back, in the transaction that stops it. What they were for stays owed: the
// purchases fail, which staff see, and nobody is mailed about them.
func (s *Service) StopIn(tx *database.Tx, who actor.Actor, subscriberID uuid.UUID) (Stop, error) {
	out, err := s.StopWould(tx.Context(), who.MerchantID, subscriberID)
	if err != nil {
		return out, err
	}
	return out, s.Withdraw(tx, who, out, "The client stopped the subscription, and the debit was withdrawn.")
}

// Withdraw takes back the debits of a stop that can be; why says who stopped them.
func (s *Service) Withdraw(tx *database.Tx, who actor.Actor, stop Stop, why string) error {
	for i := range stop.Withdrawn {
		rec := &stop.Withdrawn[i]
		before := rec.Status
		if err := DropCollection(tx, rec); err != nil {
			return err
		}
		code := "recurring_token_expired" // stands in needs attention as a purchase without an account
		if rec.Collection.State == collection.Recalled {
			code = errorDeclined // as a failed debit
		}
		rec.Attempted(Attempt{Type: rec.AttemptType(), Method: string(rec.Collection.Method), At: tx.Now(),
			TxID: rec.Collection.ID.String(), Error: &AttemptError{code, why}})
		rec.Move(Failed, tx.Now())
		rec.UpdatedAt = tx.Now()
		Move(tx, rec.Purchase, before)
		tx.Audit(who, audit.Entry{Action: "purchase.withdrawn", ObjectType: "purchase", ObjectID: rec.ID,
			ClientID: rec.ClientID, PurchaseID: rec.ID,
			Text:   why + " Decide whether this is still owed: collect it another way, or cancel the purchase.",
			Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status}})
	}
	return nil
}

// MailStop confirms a stop to the client and tells the business. Count tells one stop from the next.
func (s *Service) MailStop(tx *database.Tx, p Purchase, b merchant.Brand, subscriber uuid.UUID, count int, stop Stop) {
	m := p.Mail(tx, MailStopped, count, mail.Letter{})
	m.ObjectID = subscriber
	if p.Payer.Email != "" {
		m.Letter = s.Letters.Stopped(s.Addressed(tx.Context(), p, b), b, stop)
		tx.InsertMail(m)
	}
	if b.Email != "" {
		m.ID, m.Kind, m.To, m.CC, m.BCC = tx.NewID(), MailStopNotice, b.Email, nil, nil
		m.Letter = s.Letters.StopNotice(p, b, stop)
		tx.InsertMail(m)
	}
}
