package purchase

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
)

// MayResendInvoice is nil when ResendInvoice would send a mail now.
func (s *Service) MayResendInvoice(rec Record) error {
	if !rec.Payable(s.Now()) {
		return fault.New(fault.Conflict, "purchase_resend_invoice_wrong_status",
			"The invoice of a purchase that is %s cannot be sent.", rec.Status)
	}
	if rec.Payer.Email == "" {
		return fault.New(fault.Conflict, "purchase_resend_invoice_wrong_status",
			"The client has no e-mail address. Copy the link instead, or add an address to the client.")
	}
	return nil
}

// ResendInvoice mails the invoice again, or the link when the purchase stores an
// account. Each call is one mail.
func (s *Service) ResendInvoice(ctx context.Context, who actor.Actor, id uuid.UUID) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if err := s.MayResendInvoice(rec); err != nil {
			return nil, err
		}
		return func(tx *database.Tx, rec *Record) error { return s.mailAgain(tx, who, rec) }, nil
	})
}

// mailAgain mails what the client is to see, once more.
func (s *Service) mailAgain(tx *database.Tx, who actor.Actor, rec *Record) error {
	rec.MailCount++
	return s.mailCounted(tx, who, *rec)
}

// mailCounted mails what the client is to see, which is counted already. An invoice is numbered by then at the latest,
// and worded when it is sent.
func (s *Service) mailCounted(tx *database.Tx, who actor.Actor, rec Record) error {
	kind, letter := MailLink, mail.Letter{}
	if rec.Method != "" && rec.Options.ForceRecurring {
		r, err := s.Recurs(tx.Context(), rec.Purchase)
		if err != nil {
			return err
		}
		letter = s.askingFor(tx.Context(), rec.Purchase, rec.Brand, r)
	} else {
		number := rec.Called()
		if s.Papers != nil {
			var err error
			if number, err = s.Papers.Issue(tx, who, rec); err != nil {
				return err
			}
		}
		kind, letter.Subject = MailInvoice, "Invoice "+number+" from "+rec.Brand.Name
	}
	tx.InsertMail(rec.Mail(tx, kind, rec.MailCount, letter))
	tx.Audit(who, audit.Entry{Action: "purchase.mailed", ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID,
		PurchaseID: rec.ID,
		Text:       "A mail with the link was sent to the client.",
		After:      map[string]any{"kind": kind, "attempt": rec.MailCount}})
	return nil
}

// Mailed turns created into sent once the relay took the mails. It is safe to repeat.
func (s *Service) Mailed(ctx context.Context, mails []mail.Mail) error {
	sent := map[uuid.UUID][]uuid.UUID{}
	for _, m := range mails {
		if m.PurchaseID != uuid.Nil && slices.Contains(WithLink, m.Kind) {
			sent[m.MerchantID] = append(sent[m.MerchantID], m.PurchaseID)
		}
	}
	if len(sent) == 0 {
		return nil
	}
	return s.InTx(ctx, func(tx *database.Tx) error { return markSent(tx, sent) })
}

// OpenFor is how long a page that the client opened counts as open: who loads it anew meanwhile looks at it still.
const OpenFor = 10 * time.Minute

// View notes that the client opened the hosted page.
func (s *Service) View(ctx context.Context, who actor.Actor, rec Record) (Record, error) {
	if rec.Status != Created && rec.Status != Sent {
		return rec, s.openAgain(ctx, who, rec)
	}
	return s.change(ctx, rec.MerchantID, rec.ID, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if rec.Status != Created && rec.Status != Sent {
			return nil, nil
		}
		return func(tx *database.Tx, rec *Record) error {
			before := rec.Status
			rec.ViewedAt = tx.Now()
			rec.Move(Viewed, tx.Now())
			if _, err := noteOpened(tx, rec.MerchantID, rec.ID); err != nil {
				return err
			}
			tx.Audit(who, opened(*rec, map[string]any{"status": before}, map[string]any{"status": rec.Status}))
			return nil
		}, nil
	})
}

// openAgain notes that the client opened the page of a purchase that can still be paid once more.
func (s *Service) openAgain(ctx context.Context, who actor.Actor, rec Record) error {
	if now := s.Now(); !rec.Payable(now) || now.Sub(rec.OpenedAt) < OpenFor {
		return nil
	}
	return s.InTx(ctx, func(tx *database.Tx) error {
		first, err := noteOpened(tx, rec.MerchantID, rec.ID)
		if err == nil && first {
			tx.Audit(who, opened(rec, nil, nil))
		}
		return err
	})
}

func opened(rec Record, before, after map[string]any) audit.Entry {
	return audit.Entry{Action: "purchase.viewed", ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID,
		PurchaseID: rec.ID, Text: "The client opened the page.", Before: before, After: after}
}
