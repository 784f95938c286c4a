package mandates

import (
	"context"

	"github.com/google/uuid"

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

// Draw gives the copy as PDF; NotFound of a mandate that is not the merchant’s.
func (c Copies) Draw(ctx context.Context, merchantID, id uuid.UUID) ([]byte, error) {
	m, err := c.Mandates.Mandate(ctx, merchantID, id)
	if err != nil {
		return nil, err
	}
	s := mandate.Sheet{Mandate: m}
	if s.Authentications, err = c.Mandates.AuthenticationsOf(ctx, merchantID, id); err != nil {
		return nil, err
	}
	rec := purchase.Record{}
	if rec.Purchase, err = c.Purchases.Store.Purchase(ctx, merchantID, id); err != nil {
		return nil, err
	}
	if rec.Brand, err = c.Purchases.Merchants().Brand(ctx, merchantID, m.BrandID); err != nil {
		return nil, err
	}
	paper := documents.Paper{Kind: "Copy for the client", Title: "Debit order mandate (EFT)",
		Reference: m.ContractReference, IssuerName: rec.Brand.Name, Address: letterhead(rec.Brand),
		Subject: "Debit-order mandate " + m.ContractReference, Made: givenAt(m),
		Sections: append(agreedParts(s, rec), c.rights(id, rec.Brand.Name)),
		Standing: givenWords(m) + " on " + toTheSecond(givenAt(m)) + "."}
	if m.Kind == mandate.DebiCheck {
		paper.Title = "DebiCheck mandate"
	}
	if c.Test {
		paper.Test = "TEST MODE: no bank was contacted. This document proves nothing."
	}
	return documents.Render(paper)
}

// rights is what the law lets the client ask for, as the page says on which the account was given.
func (c Copies) rights(id uuid.UUID, brand string) documents.Section {
	return documents.Section{Title: "Your rights", Text: []string{
		locale.In(locale.English).Say("pay.rights", "business", brand),
		"To do so, or to say that you did not agree to this mandate, open " + c.Base + "/p/" + id.String() + "/rights/"}}
}
