package billing

import (
	"cmp"
	"context"

	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// StructuredName is what the structured file of a document is called.
func (i Invoice) StructuredName() string { return purchase.StructuredName(i.Number) }

// refToStructured begins the reference of an attachment that is the structured file of a document.
const refToStructured = "structured:"

// StructuredFile writes a document of a purchase as a structured file. It is NotFound while the brand has them switched
// off, and a Conflict where the document lacks what such a file must name.
func (s *Service) StructuredFile(ctx context.Context, inv Invoice, p purchase.Purchase) ([]byte, error) {
	b, err := s.Purchases.Merchants().Brand(ctx, p.MerchantID, p.BrandID)
	if err != nil {
		return nil, err
	}
	if !b.Structured() {
		return nil, fault.New(fault.NotFound, "structured_off", "%s does not write structured invoices.", b.Name)
	}
	return s.structured(ctx, inv, p, b)
}

func (s *Service) structured(ctx context.Context, inv Invoice, p purchase.Purchase, b merchant.Brand) ([]byte, error) {
	paper, err := s.withDebit(ctx, PaperOf(inv, p))
	if err != nil {
		return nil, err
	}
	return s.Structure(reachable(paper, b))
}

// reachable gives the address of today where none was known when the document was issued: it is where an answer goes,
// and not what was agreed.
func reachable(p Paper, b merchant.Brand) Paper {
	p.Issuer.ElectronicAddress = cmp.Or(p.Issuer.ElectronicAddress, b.ElectronicAddress)
	p.Issuer.Email = cmp.Or(p.Issuer.Email, b.Email)
	p.Recipient.ElectronicAddress = cmp.Or(p.Recipient.ElectronicAddress, p.Purchase.Payer.ElectronicAddress)
	p.Recipient.Email = cmp.Or(p.Recipient.Email, p.Purchase.Payer.Email)
	return p
}

// structuredOf writes a document that was mailed, whether or not the brand writes such files today.
func (s *Service) structuredOf(ctx context.Context, inv Invoice, p purchase.Purchase) ([]byte, error) {
	b, err := s.Purchases.Merchants().Brand(ctx, p.MerchantID, inv.BrandID)
	if err != nil {
		return nil, err
	}
	return s.structured(ctx, inv, p, b)
}

// withStructured attaches the structured file of a document too, where the brand writes them.
func (s *Service) withStructured(l mail.Letter, inv Invoice, b merchant.Brand) mail.Letter {
	if b.Structured() && s.Structure != nil {
		l.Attachments = append(l.Attachments, purchase.Structured(inv.Number, refToStructured+inv.ID.String()))
	}
	return l
}
