// Package billing knows how one pattern becomes invoices for many payers: who gets
// one, its serial number and the VAT in it. It must not know how an invoice is
// worded, drawn or paid.
package billing

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// Kind is what a document with a serial number of its own is.
type Kind string

// The kinds of document. Each has its own series per brand and year.
const (
	Invoiced Kind = "invoice"
	Credited Kind = "credit_note"
)

var prefixes = map[Kind]string{Invoiced: "INV", Credited: "CN"}

// Number is the serial number as it is printed: INV-2026-000123.
func (k Kind) Number(year int, serial int64) string {
	return fmt.Sprintf("%s-%04d-%06d", prefixes[k], year, serial)
}

// Invoice is a numbered document about a purchase. The amounts are cents and do
// not change after it was issued.
type Invoice struct {
	ID, MerchantID, BrandID uuid.UUID
	ClientID, PurchaseID    uuid.UUID
	Kind                    Kind
	Year                    int
	Serial                  int64
	Number                  string
	Issued                  calendar.Date
	Currency                string
	TotalCents              int64
	VATCents                *int64 // nil: the brand charged no VAT
	VATNumber               string // the brand's on that day
	CreatedAt               time.Time
}

// invoiceOf is the document of a purchase, still without its number.
func invoiceOf(p purchase.Purchase, b merchant.Brand) Invoice {
	inv := Invoice{MerchantID: p.MerchantID, BrandID: p.BrandID, ClientID: p.ClientID, PurchaseID: p.ID, Kind: Invoiced,
		Year: p.Issued.Year, Issued: p.Issued, Currency: p.Currency, TotalCents: p.TotalCents, VATNumber: b.TaxNumber}
	if b.TaxNumber != "" {
		vat := VATOf(p.Details, p.TotalCents, p.Issued).TotalCents
		inv.VATCents = &vat
	}
	return inv
}
