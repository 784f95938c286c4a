package billing

import (
	"fmt"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// IssueAll numbers drafts of purchases in their order and writes them with their
// invoices and mails, in the caller's transaction. firstReference is the first of
// as many numbers of the brand's counter as there are drafts. complete, when given,
// sees each purchase before it is written, by its place among the drafts.
func (s *Service) IssueAll(tx *database.Tx, who actor.Actor, b merchant.Brand, drafts []purchase.Purchase,
	firstReference int64,
	complete func(int, *purchase.Purchase) error) ([]Issued, error) {
	issued := make([]Issued, 0, len(drafts))
	for from := 0; from < len(drafts); {
		year, to := drafts[from].Issued.Year, from
		for to < len(drafts) && drafts[to].Issued.Year == year {
			to++
		}
		series, err := takeSerials(tx, b.ID, Invoiced, year, to-from)
		if err != nil {
			return nil, err
		}
		for i, p := range drafts[from:to] {
			p.ReferenceGenerated = fmt.Sprintf("%s%d", b.ReferencePrefix, firstReference+int64(from+i))
			one := s.issue(tx, p, b, series.at(i))
			if complete != nil {
				if err := complete(from+i, &one.Purchase); err != nil {
					return nil, err
				}
			}
			issued = append(issued, one)
		}
		from = to
	}
	return issued, insertIssued(tx, who, issued)
}

// VATIn is the VAT inside a purchase's total in cents; nil when the brand charges none.
func (s *Service) VATIn(p purchase.Purchase, b merchant.Brand) *int64 {
	return invoiceOf(p, b).VATCents
}
