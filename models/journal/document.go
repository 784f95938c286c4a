package journal

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
)

// Document is an invoice or a credit note, on the day on which it is booked.
type Document struct {
	Entry Entry
	Paper billing.Paper
}

const (
	mostDocuments = 50_000 // in one file
	documentsRead = 1_000  // at once
)

// documents finds what is printed on the invoices and credit notes of a book.
func (s *Service) documents(ctx context.Context, who actor.Actor, b *Book, most int) error {
	if len(b.Entries) > most {
		return fault.At("to", TooMany, "There are more than %s invoices and credit notes in these days. Choose fewer days.",
			plural.Number(most))
	}
	for some := range slices.Chunk(b.Entries, documentsRead) {
		ids := make([]uuid.UUID, len(some))
		for i, e := range some {
			ids[i] = e.PurchaseID
		}
		docs, err := billing.Store(s.Store).DocumentsOf(ctx, who.MerchantID, ids)
		if err != nil {
			return err
		}
		about, err := purchase.Store(s.Store).PurchasesOf(ctx, who.MerchantID, ids)
		if err != nil {
			return err
		}
		for _, e := range some {
			if inv, found := within(docs[e.PurchaseID], e.SourceID); found {
				b.Documents = append(b.Documents, Document{Entry: e, Paper: billing.PaperOf(inv, about[e.PurchaseID])})
			}
		}
	}
	return nil
}

// within finds a document of a purchase by its id.
func within(docs billing.Documents, id uuid.UUID) (billing.Invoice, bool) {
	if docs.Invoice != nil && docs.Invoice.ID == id {
		return *docs.Invoice, true
	}
	i := slices.IndexFunc(docs.Credits, func(c billing.Invoice) bool { return c.ID == id })
	if i < 0 {
		return billing.Invoice{}, false
	}
	return docs.Credits[i], true
}
