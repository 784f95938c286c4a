package journal

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// WriteOff is a debt of a purchase that was written off as bad (industry: VAT Act, section 22). Below zero it is one
// that was taken back. VATCents is the share of the VAT of its invoice.
type WriteOff struct {
	ID, MerchantID, PurchaseID uuid.UUID
	AmountCents                int64
	VATCents                   int64 `gorm:"column:vat_cents"`
	Currency                   string
	Day                        calendar.Date
	Reason, ByName             string
	CreatedAt                  time.Time
}

// Standing is what the books have of a purchase, in cents.
type Standing struct {
	Currency string
	Owed     int64 // by documents, and not paid
	OwedVAT  int64 // the share of VAT that is written off with it
	Off      int64 // written off, less what was taken back
	OffVAT   int64
	Back     int64 // of that, what came in later
	BackVAT  int64
	Deferred bool // its invoice is on payments basis
	Status   purchase.Status
}

// Left is what is written off and did not come in.
func (s Standing) Left() int64 { return s.Off - s.Back }

// Standing gives what the books have of a purchase.
func (s *Service) Standing(ctx context.Context, who actor.Actor, purchaseID uuid.UUID) (Standing, error) {
	if err := who.May(actor.Read); err != nil {
		return Standing{}, err
	}
	return s.Store.standing(ctx, who.MerchantID, purchaseID)
}

// Unwritable says why the debt of a purchase cannot be written off; empty: it can.
func (s Standing) Unwritable() string {
	switch {
	case s.Status == purchase.PendingCharge || s.Status == purchase.PendingExecute:
		return "A debit is planned or with the bank. Cancel it, or wait for its answer."
	case s.Owed <= 0:
		return "Nothing is owed by an invoice for this purchase."
	}
	return ""
}

// WriteOff writes off what a client owes for a purchase, for a reason. The supply stands, so no credit note is written,
// and the client still owes the money: what comes in later is a bad debt recovered.
func (s *Service) WriteOff(ctx context.Context, who actor.Actor, purchaseID uuid.UUID,
	reason string) (WriteOff, error) {
	return s.writeOff(ctx, who, purchaseID, reason, func(at Standing, w *WriteOff) error {
		if why := at.Unwritable(); why != "" {
			return fault.New(fault.Conflict, "not_writable_off", "%s", why)
		}
		w.AmountCents, w.VATCents = at.Owed, at.OwedVAT
		return nil
	})
}

// TakeBack takes back what is left of the write-offs of a purchase: the client owes it in the books again.
func (s *Service) TakeBack(ctx context.Context, who actor.Actor, purchaseID uuid.UUID,
	reason string) (WriteOff, error) {
	return s.writeOff(ctx, who, purchaseID, reason, func(at Standing, w *WriteOff) error {
		if at.Left() <= 0 {
			return fault.New(fault.Conflict, "nothing_written_off", "Nothing is written off of this purchase.")
		}
		w.AmountCents, w.VATCents = -at.Left(), at.BackVAT-at.OffVAT
		return nil
	})
}

func (s *Service) writeOff(ctx context.Context, who actor.Actor, purchaseID uuid.UUID, reason string,
	decide func(Standing, *WriteOff) error) (w WriteOff, err error) {
	if err := who.May(actor.Books); err != nil {
		return w, err
	}
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n == 0 || n > reasonLength {
		return w, fault.At("reason", "required", "Say why, in at most %d characters.", reasonLength)
	}
	return w, s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := holdPurchase(tx, who.MerchantID, purchaseID); err != nil {
			return err
		}
		at, err := Store{tx.DB()}.standing(tx.Context(), who.MerchantID, purchaseID)
		if err != nil {
			return err
		}
		w = WriteOff{ID: tx.NewID(), MerchantID: who.MerchantID, PurchaseID: purchaseID, Currency: at.Currency,
			Day: calendar.DateOf(tx.Now()), Reason: reason, ByName: who.Name, CreatedAt: tx.Now()}
		if err := decide(at, &w); err != nil {
			return err
		}
		tx.Create(&w)
		action, text, cents := "books.written_off", " was written off: ", w.AmountCents
		if cents < 0 {
			action, text, cents = "books.write_off_taken_back", " is no longer written off: ", -cents
		}
		tx.Audit(who, audit.Entry{Action: action, ObjectType: "purchase", ObjectID: purchaseID, PurchaseID: purchaseID,
			Text:   money.Format(cents, w.Currency) + text + reason,
			Before: map[string]any{"owed_cents": at.Owed, "written_off_cents": at.Left()},
			After: map[string]any{"owed_cents": at.Owed - w.AmountCents, "written_off_cents": at.Left() + w.AmountCents,
				"vat_cents": w.VATCents, "reason": reason}})
		return tx.Answered(w)
	})
}
