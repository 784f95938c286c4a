package billing

import (
	"github.com/google/uuid"

	"debitdesk/models/database/table"
)

// ParticularsColumn keeps what an invoice says, beside its number and total.
func ParticularsColumn[T any](of func(*T) *Invoice) table.Column[T] {
	return table.JSON("particulars", func(record *T) *Particulars { return &of(record).Particulars }, false)
}

// Table holds the invoices and the credit notes.
var Table = table.New("invoices", ParticularsColumn(func(i *Invoice) *Invoice { return i }))

// DocumentsBy are those of each purchase, in the order in which they were written.
func DocumentsBy(found []Invoice) map[uuid.UUID]Documents {
	out := map[uuid.UUID]Documents{}
	for _, inv := range found {
		docs := out[inv.PurchaseID]
		if inv.Kind == Credited {
			docs.Credits = append(docs.Credits, inv)
		} else {
			docs.Invoice = &inv
		}
		out[inv.PurchaseID] = docs
	}
	return out
}
