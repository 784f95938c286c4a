package mandates

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/handlers/papers"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/views/documents"
)

// Copies draws mandates as their clients get them by mail: what was agreed, without what staff keep beside it.
type Copies struct {
	Mandates  mandate.Store
	Purchases *purchase.Service
	Base      string // public address, without a slash at the end
	Test      bool
}

// Draw gives the copy as PDF in a language; NotFound of a mandate that is not the merchant’s.
func (c Copies) Draw(ctx context.Context, merchantID, id uuid.UUID, reads locale.Language) ([]byte, error) {
	m, err := c.Mandates.Mandate(ctx, merchantID, id)
	if err != nil {
		return nil, err
	}
	of := papers.Mandate{Sheet: mandate.Sheet{Mandate: m}, Base: c.Base, Test: c.Test}
	if of.Sheet.Authentications, err = c.Mandates.AuthenticationsOf(ctx, merchantID, id); err != nil {
		return nil, err
	}
	if of.Purchase.Purchase, err = c.Purchases.Store.Purchase(ctx, merchantID, id); err != nil {
		return nil, err
	}
	if of.Purchase.Brand, err = c.Purchases.Merchants().Brand(ctx, merchantID, m.BrandID); err != nil {
		return nil, err
	}
	if of.Logo, err = c.Purchases.Merchants().Letterhead(ctx, of.Purchase.Brand.Picture()); err != nil {
		return nil, err
	}
	return documents.Render(locale.Whole(reads, of.Paper))
}
