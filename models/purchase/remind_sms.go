package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/sms"
)

// MayText is nil when the client of a purchase can be reminded of it by SMS.
func (s *Service) MayText(ctx context.Context, rec Record) error {
	if !rec.Payable(s.Now()) {
		return fault.New(fault.Conflict, "purchase_resend_invoice_wrong_status",
			"A client is not reminded of a purchase that is %s.", rec.Status)
	}
	return s.Texts.May(ctx, rec.MerchantID, rec.Payer.Phone)
}

// RemindBySMS sends the client of a purchase an SMS with what is to pay and the link; one a day, whatever runs twice.
func (s *Service) RemindBySMS(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if err := s.MayText(ctx, rec); err != nil {
			return nil, err
		}
		return func(tx *database.Tx, rec *Record) error {
			m, err := s.Texts.Queue(tx, sms.Message{MerchantID: rec.MerchantID, BrandID: rec.BrandID,
				ClientID: rec.ClientID, PurchaseID: rec.ID, ObjectID: rec.ID, Kind: sms.Reminder,
				Attempt: calendar.DateOf(tx.Now()).Number(), To: rec.Payer.Phone,
				Text: s.Letters.ReminderSMS(s.Addressed(tx.Context(), rec.Purchase, rec.Brand), rec.Brand, rec.OpenCents())})
			if err != nil {
				return err
			}
			tx.Audit(who, audit.Entry{Action: "purchase.reminded", ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID, Text: "A reminder with the link was sent to the client by SMS.",
				After: map[string]any{"kind": "sms", "parts": m.Parts}})
			return nil
		}, nil
	})
}
