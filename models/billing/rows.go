package billing

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/mail"
	"debitdesk/models/purchase"
)

// ParticularsColumn keeps what an invoice says, beside its number and total.
func ParticularsColumn[T any](of func(*T) *Invoice) table.Column[T] {
	return table.JSON("particulars", func(record *T) *Particulars { return &of(record).Particulars }, false)
}

// Table holds the invoices and the credit notes.
var Table = table.New("invoices", ParticularsColumn(func(i *Invoice) *Invoice { return i }))

// takeSerials reserves n numbers of a series and gives the first, with the prefix that the series began with. Who comes
// next waits for the end of this transaction, so that no number is lost: one that fails gives its numbers back.
func takeSerials(tx *database.Tx, brandID uuid.UUID, kind Kind, year, n int) (s Serials, err error) {
	err = tx.Pgx(func(on pgx.Tx) error {
		return on.QueryRow(tx.Context(), `INSERT INTO invoice_series AS s (brand_id, kind, year, next, prefix)
			VALUES ($1, $2, $3, $4 + 1, CASE $2 WHEN 'invoice' THEN (SELECT invoice_prefix FROM brands WHERE id = $1) END)
			ON CONFLICT (brand_id, kind, year) DO UPDATE SET next = s.next + $4 RETURNING next - $4, COALESCE(prefix, '')`,
			brandID, string(kind), year, int64(n)).Scan(&s.First, &s.Prefix)
	})
	if err != nil {
		return s, fmt.Errorf("take serial numbers: %w", err)
	}
	return s, nil
}

// insertIssued writes purchases with their invoices, their mails and one audit entry each, many at a time.
func insertIssued(tx *database.Tx, who actor.Actor, issued []Issued) error {
	purchases, invoices := make([]purchase.Purchase, len(issued)), make([]Invoice, len(issued))
	entries, mails := make([]audit.Entry, len(issued)), []mail.Mail(nil)
	for n, i := range issued {
		purchases[n], invoices[n], entries[n] = i.Purchase.Versioned(), i.Invoice, tx.Signed(who, i.Audit)
		if i.Mail != nil {
			mails = append(mails, database.Queued(*i.Mail))
		}
		purchase.TellMade(tx, i.Purchase)
	}
	return tx.Pgx(func(on pgx.Tx) error {
		if err := purchase.Table.Copy(tx.Context(), on, tx.DB().Seal, purchases); err != nil {
			return err
		}
		if err := Table.Copy(tx.Context(), on, tx.DB().Seal, invoices); err != nil {
			return err
		}
		if err := database.Audits.Copy(tx.Context(), on, tx.DB().Seal, entries); err != nil {
			return err
		}
		return database.Mails.Copy(tx.Context(), on, tx.DB().Seal, mails)
	})
}

// documentsHeld finds the documents of a purchase. Others who would add one wait for this transaction.
func documentsHeld(tx *database.Tx, merchantID, purchaseID uuid.UUID) (Documents, error) {
	found, err := database.All(tx.Context(), tx.DB(), Table,
		"merchant_id = $1 AND purchase_id = $2 ORDER BY id FOR NO KEY UPDATE", merchantID, purchaseID)
	return DocumentsBy(found)[purchaseID], err
}

func insertInvoice(tx *database.Tx, inv Invoice) { database.Insert(tx, Table, inv) }

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
