package purchase

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

// Then is what is to happen with a new purchase at once.
type Then struct {
	TokenID uuid.UUID     // debited from this account; zero: not debited
	Day     calendar.Date // of the debit
	Mail    bool          // the client gets the link by mail, where there is an address
}

// CreateWith records a purchase and its debit or its mail, all or nothing. What stands against the debit comes by
// field, as ChargeOn says it.
func (s *Service) CreateWith(ctx context.Context, who actor.Actor, in Input, then Then) (rec Record, err error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	for range Tries {
		given := in
		p, brand, err := s.draft(ctx, who, &given)
		if err != nil {
			return Record{}, err
		}
		var f Forecast
		if then.TokenID != uuid.Nil {
			if f, err = s.Forecast(ctx, Wish{Purchase: s.On(p, then.Day), TokenID: then.TokenID}); err == nil {
				err = f.Problems.Err()
			}
			if err != nil {
				return Record{Brand: brand}, err
			}
		}
		rec, err = s.insertAnd(ctx, who, p, brand, f, then)
		if !errors.Is(err, fault.ErrLost) {
			return rec, err
		}
	}
	return Record{}, fault.New(fault.Conflict, "conflict",
		"This client or their account is being changed by another person. Try again.")
}

// insertAnd writes a new purchase with what follows at once.
func (s *Service) insertAnd(ctx context.Context, who actor.Actor, p Purchase, brand merchant.Brand, f Forecast,
	then Then) (rec Record, err error) {
	if p.ReferenceGenerated, err = s.nextReference(ctx, brand); err != nil {
		return Record{}, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		rec = Record{Purchase: p, Brand: brand}
		rec.Begin(tx.NewID(), tx.Now())
		charge := func() {}
		if then.TokenID != uuid.Nil {
			before := rec.Status
			c, err := s.book(tx, &rec, f)
			if err != nil {
				return err
			}
			charge = func() { s.begin(tx, who, rec, c, f, before) }
		}
		mails := then.Mail && rec.Payer.Email != ""
		if mails {
			rec.MailCount++
		}
		rec.setPassAt()
		if rec.ClientID != uuid.Nil {
			client.Hold(tx, rec.MerchantID, rec.ClientID)
		}
		Insert(tx, rec.Purchase)
		tx.Audit(who, audit.Entry{Action: "purchase.created", ObjectType: "purchase", ObjectID: rec.ID,
			ClientID: rec.ClientID, PurchaseID: rec.ID, Text: createdText(rec.Purchase),
			After: map[string]any{"status": Created, "total_cents": rec.TotalCents, "due": rec.Due.Unix()}})
		charge()
		if mails {
			if err := s.mailCounted(tx, who, rec); err != nil {
				return err
			}
		}
		return tx.Answered(rec)
	})
	return rec, err
}
