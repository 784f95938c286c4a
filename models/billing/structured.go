package billing

import (
	"cmp"
	"context"

	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// StructuredType is the media type of structured files.
const StructuredType = "application/xml"

// StructuredName is what the structured file of a document is called.
func (i Invoice) StructuredName() string { return i.Number + ".xml" }

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

// withStructured attaches the structured file of a document too, where the brand writes them and the document has what
// it takes.
func (s *Service) withStructured(l mail.Letter, paper Paper, b merchant.Brand) mail.Letter {
	if !b.Structured() || s.Structure == nil {
		return l
	}
	if _, err := s.Structure(reachable(paper, b)); err != nil {
		return l // the PDF says all there is to say
	}
	l.Attachments = append(l.Attachments, mail.Attachment{Name: paper.StructuredName(), Type: StructuredType,
		Ref: refToStructured + paper.ID.String()})
	return l
}
