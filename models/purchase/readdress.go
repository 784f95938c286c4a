package purchase

import (
	"context"
	netmail "net/mail"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
)

// CorrectAddress gives the client another e-mail address, and sends again what could
// not be delivered to the old one. The client gets the address too. Conflict: the
// newest mail of the purchase did not fail.
func (s *Service) CorrectAddress(ctx context.Context, who actor.Actor, id uuid.UUID, email string) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	email = strings.TrimSpace(email)
	if a, err := netmail.ParseAddress(email); err != nil || a.Address != email || len(email) > 254 {
		return Record{}, fault.At("email", "invalid", "Enter a valid e-mail address.")
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if !rec.Payable(s.Now()) {
			return nil, fault.New(fault.Conflict, "purchase_resend_invoice_wrong_status",
				"The invoice of a purchase that is %s cannot be sent.", rec.Status)
		}
		mails, err := s.mails().MailsAbout(ctx, rec.MerchantID, rec.ID)
		if err != nil {
			return nil, err
		}
		if len(mails) == 0 || mails[0].State != mail.Failed {
			return nil, fault.New(fault.Conflict, "mail_not_failed", "The newest mail of this purchase did not fail.")
		}
		return func(tx *database.Tx, rec *Record) error {
			before := rec.Payer.Email
			rec.Payer.Email = email
			readdress(tx, rec.Purchase)
			tx.Audit(who, audit.Entry{Action: "purchase.readdressed", ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text: "The client’s e-mail address was corrected.", Before: map[string]any{"email": before},
				After: map[string]any{"email": email}})
			if rec.ClientID != uuid.Nil && email != before {
				if err := s.Readdress(tx, who, rec.ClientID, email); err != nil {
					return err
				}
			}
			return s.mailAgain(tx, who, rec)
		}, nil
	})
}
