package purchase

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mail"
)

// Remind mails a client what is open: what failed and why, the total, and the links to pay. A client gets one such mail
// a day from a brand, however many purchases it is asked for; repeating it changes nothing.
func (s *Service) Remind(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if err := s.MayResendInvoice(rec); err != nil {
			return nil, err
		}
		reminded, err := s.Reminded(ctx, rec.MerchantID, []Record{rec})
		if err != nil || reminded[rec.ID] {
			return nil, err
		}
		open, err := s.openBeside(ctx, rec)
		if err != nil {
			return nil, err
		}
		r, err := s.Recurs(ctx, rec.Purchase)
		if err != nil {
			return nil, err
		}
		return func(tx *database.Tx, rec *Record) error {
			var letter mail.Letter
			if rec.asksForAccount() {
				letter = s.askingFor(tx.Context(), rec.Purchase, rec.Brand, r)
			} else {
				letter = s.Letters.Reminder(s.Addressed(tx.Context(), rec.Purchase, rec.Brand).Payer, rec.Brand, open)
			}
			m := rec.Mail(tx, MailReminder, calendar.DateOf(tx.Now()).Number(), letter)
			m.ObjectID = rec.remindedAs()
			rec.MailCount++
			tx.InsertMail(m)
			tx.Audit(who, audit.Entry{Action: "purchase.reminded", ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID, Text: "A reminder with the link was sent to the client.",
				After: map[string]any{"kind": MailReminder, "attempt": rec.MailCount}})
			return nil
		}, nil
	})
}

// Reminded tells which of some purchases were part of a reminder today.
func (s *Service) Reminded(ctx context.Context, merchantID uuid.UUID, recs []Record) (map[uuid.UUID]bool, error) {
	keys := make([]uuid.UUID, len(recs))
	for i, rec := range recs {
		keys[i] = rec.remindedAs()
	}
	found, err := s.Store.RemindedOn(ctx, merchantID, keys, calendar.DateOf(s.Now()).Number())
	out := make(map[uuid.UUID]bool, len(recs))
	for i, rec := range recs {
		if slices.Contains(found, keys[i]) {
			out[rec.ID] = true
		}
	}
	return out, err
}

// asksForAccount tells that the page of the purchase asks for an account, and nothing was debited yet.
func (r Record) asksForAccount() bool {
	return r.Method != "" && r.Options.ForceRecurring && r.Collection == nil
}

// remindedAs is what a reminder is about: a client as a brand knows them at an address. What asks for an account, or
// names no client, stands alone.
func (r Record) remindedAs() uuid.UUID {
	if r.ClientID == uuid.Nil || r.asksForAccount() {
		return r.ID
	}
	return uuid.NewSHA1(r.ClientID, []byte("reminder "+r.BrandID.String()+" "+r.Payer.Email))
}

// openBeside are the purchases that a reminder lists: what it was asked for, and what else the client owes the brand
// and was told of, the oldest first.
func (s *Service) openBeside(ctx context.Context, rec Record) ([]Record, error) {
	open := []Record{rec}
	if rec.ClientID == uuid.Nil || rec.asksForAccount() {
		return open, nil
	}
	found, err := s.Store.OpenOfClient(ctx, rec.MerchantID, rec.ClientID, rec.BrandID)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, 0, len(found))
	for _, p := range found {
		ids = append(ids, p.ID)
	}
	latest, err := s.Collections().Latest(ctx, rec.MerchantID, ids...)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if p.ID == rec.ID || p.Payer.Email != rec.Payer.Email || p.Currency != rec.Currency || !p.Payable(s.Now()) {
			continue
		}
		other := Record{Purchase: p, Brand: rec.Brand}
		if c, known := latest[p.ID]; known {
			other.Collection = &c
		}
		if !other.asksForAccount() {
			open = append(open, other)
		}
	}
	slices.SortFunc(open, func(a, b Record) int { return a.Due.Compare(b.Due) })
	return open, nil
}

// FailedOn is the debit date of a debit that was not paid; zero where the last debit did not fail at the bank.
func (r Record) FailedOn() calendar.Date {
	if c := r.Collection; c != nil && c.State == collection.Unpaid {
		return c.ActionDate
	}
	return calendar.Date{}
}
