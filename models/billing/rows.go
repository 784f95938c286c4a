package billing

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/mail"
	"debitdesk/models/purchase"
)

// Table holds the invoices and the credit notes. By it go those that are copied or travel with their purchase; all else
// is GORM's.
var Table = table.New("invoices",
	table.JSON("particulars", func(i *Invoice) *Particulars { return &i.Particulars }, false))

// TableName implements GORM's Tabler.
func (Invoice) TableName() string { return "invoices" }

// AfterFind implements GORM's hook: what is printed is put where it belongs.
func (i *Invoice) AfterFind(*gorm.DB) error {
	i.Particulars, i.Printed = i.Printed, Particulars{}
	return nil
}

// takeSerials reserves n numbers of a series and gives the first, with the prefix that the series began with. Who comes
// next waits for the end of this transaction, so that no number is lost: one that fails gives its numbers back.
func takeSerials(tx *database.Tx, brandID uuid.UUID, kind Kind, year, n int) (s Serials, err error) {
	err = tx.Gorm().Raw(`INSERT INTO invoice_series AS s (brand_id, kind, year, next, prefix)
			VALUES (@brand, @kind, @year, (@n)::bigint + 1, CASE @kind WHEN 'invoice' THEN
				(SELECT invoice_prefix FROM brands WHERE id = @brand) END)
			ON CONFLICT (brand_id, kind, year) DO UPDATE SET next = s.next + (@n)::bigint
			RETURNING next - (@n)::bigint AS first, COALESCE(prefix, '') AS prefix`,
		map[string]any{"brand": brandID, "kind": kind, "year": year, "n": n}).Take(&s).Error
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
	var found []Invoice
	err := tx.Gorm().Scopes(database.OfMerchant(merchantID), database.ForNoKeyUpdate).Order("id").
		Find(&found, "purchase_id = ?", purchaseID).Error
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
