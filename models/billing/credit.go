package billing

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
)

// Documents are the numbered documents of one purchase: its invoice, nil where there is none, and what was taken back
// of it, the oldest first.
type Documents struct {
	Invoice *Invoice
	Credits []Invoice
}

// CreditedCents is what all credit notes take back.
func (d Documents) CreditedCents() (cents int64) {
	for _, c := range d.Credits {
		cents += c.TotalCents
	}
	return cents
}

// LeftCents is what the invoice comes to without what was credited.
func (d Documents) LeftCents() int64 {
	if d.Invoice == nil {
		return 0
	}
	return d.Invoice.TotalCents - d.CreditedCents()
}

// Stands tells that there is an invoice of which something was not taken back.
func (d Documents) Stands() bool {
	return d.Invoice != nil && (d.LeftCents() > 0 || len(d.Credits) == 0)
}

// LeftVATCents is the VAT that is left of the invoice; 0 where the brand charged none.
func (d Documents) LeftVATCents() (cents int64) {
	if d.Invoice == nil || d.Invoice.VATCents == nil {
		return 0
	}
	cents = *d.Invoice.VATCents
	for _, c := range d.Credits {
		cents -= *c.VATCents
	}
	return cents
}

// credit takes back a part of the invoice, at most what is left of it; false where nothing is. The VAT of all credit
// notes is in proportion to what they come to together, so that no cent of it is lost or taken back twice.
func (d Documents) credit(cents int64, on calendar.Date) (Invoice, bool) {
	if !d.Stands() {
		return Invoice{}, false
	}
	cents = min(cents, d.LeftCents())
	note := creditOf(*d.Invoice, on)
	if note.TotalCents = cents; note.VATCents == nil {
		return note, true
	}
	vat := d.LeftVATCents()
	if left := d.LeftCents() - cents; left > 0 {
		vat -= Proportion(*d.Invoice.VATCents, left, d.Invoice.TotalCents)
	}
	note.VATCents = &vat
	return note, true
}

// creditAt is the credit note that was written at a moment; else the newest.
func (d Documents) creditAt(at time.Time) Invoice {
	for _, c := range slices.Backward(d.Credits) {
		if c.CreatedAt.Equal(at) {
			return c
		}
	}
	return d.Credits[len(d.Credits)-1]
}

// CreditNote finds one of the credit notes: the newest where no id is given.
func (d Documents) CreditNote(id uuid.UUID) (Invoice, bool) {
	for _, c := range slices.Backward(d.Credits) {
		if c.ID == id || id == uuid.Nil {
			return c, true
		}
	}
	return Invoice{}, false
}

// Leaving is what leaves when a purchase is cancelled.
type Leaving struct {
	Note bool // its invoice is credited
	Mail bool // and the client hears of it
}

// Crediting tells what leaves when purchases are cancelled; those of which nothing does are left out.
func (s *Service) Crediting(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]Leaving, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	docs, err := s.Store.DocumentsOf(ctx, who.MerchantID, ids)
	if err != nil {
		return nil, err
	}
	about, err := s.Purchases.Store.PurchasesOf(ctx, who.MerchantID, ids)
	out := map[uuid.UUID]Leaving{}
	for id, d := range docs {
		if d.Stands() {
			out[id] = Leaving{Note: true, Mail: about[id].Payer.Email != ""}
		}
	}
	return out, err
}
