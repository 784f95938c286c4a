// Package billing knows how one pattern becomes invoices for many clients: who gets
// one, its serial number, the VAT in it and what is printed on it for good. It must
// not know how an invoice is worded, drawn or paid.
package billing

import (
	"cmp"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/locale"
	"debitdesk/models/logo"
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

// Number is the serial number as it is printed: INV-2026-000123. An empty prefix is
// that of a series which began before brands had one of their own.
func (k Kind) Number(prefix string, year int, serial int64) string {
	return fmt.Sprintf("%s-%04d-%06d", cmp.Or(prefix, prefixes[k]), year, serial)
}

// Serials are reserved numbers of one series: First and those that follow it.
type Serials struct {
	First  int64
	Prefix string // empty: that of the kind
}

// serial is one place in a series.
type serial struct {
	number int64
	prefix string
}

func (s Serials) at(i int) serial { return serial{s.First + int64(i), s.Prefix} }

// Invoice is a numbered document about a purchase. Nothing of it changes after it
// was issued, whatever becomes of the brand, the client or the purchase. The
// amounts are cents; those of a credit note are what it takes back.
type Invoice struct {
	ID, MerchantID, BrandID uuid.UUID
	ClientID, PurchaseID    uuid.UUID
	Kind                    Kind
	Year                    int
	Serial                  int64
	Number                  string // empty: not numbered
	Issued                  calendar.Date
	Currency                string
	TotalCents              int64
	VATCents                *int64    `gorm:"column:vat_cents"`  // nil: the brand charged no VAT
	VATNumber               string    `gorm:"column:vat_number"` // the brand's on that day
	RefundID                uuid.UUID // of a credit note: the refund that it belongs to; else zero
	Particulars             `gorm:"-"`
	CreatedAt               time.Time

	// Printed are the particulars on their way from the row; nobody else sees them.
	Printed Particulars `gorm:"column:particulars;serializer:json;->" json:"-"`
}

// Particulars are what the law has printed on an invoice beside its amounts
// (industry: VAT Act, section 20). Their JSON is how they are stored.
type Particulars struct {
	Issuer    Party  `json:"issuer"`
	Recipient Party  `json:"recipient"`
	Cancels   string `json:"cancels,omitempty"` // the number of the invoice that a credit note takes back
}

// Party is who issues an invoice, or who receives it.
type Party struct {
	Name         string `json:"name"`
	LegalName    string `json:"legal_name,omitempty"`
	Registration string `json:"registration_number,omitempty"`
	VATNumber    string `json:"vat_number,omitempty"`
	Street       string `json:"street,omitempty"`
	City         string `json:"city,omitempty"`
	ZipCode      string `json:"zip_code,omitempty"`
	Country      string `json:"country,omitempty"`
	Email        string `json:"email,omitempty"`
	Phone        string `json:"phone,omitempty"`
	Website      string `json:"website,omitempty"`
	// ElectronicAddress is where structured files are sent, of package endpoint; nothing shows it to a reader.
	ElectronicAddress string `json:"electronic_address,omitempty"`
	// Logo names the picture on the letterhead, of package logo; empty: none. It is that of the day of issue.
	Logo logo.Name `json:"logo,omitempty"`
}

// IsTaxInvoice tells whether the document charges VAT.
func (i Invoice) IsTaxInvoice() bool { return i.VATCents != nil }

// NetCents is the value without VAT.
func (i Invoice) NetCents() int64 {
	if i.VATCents == nil {
		return i.TotalCents
	}
	return i.TotalCents - *i.VATCents
}

// invoiceOf is the document of a purchase, still without its number.
func invoiceOf(p purchase.Purchase, b merchant.Brand) Invoice {
	inv := Invoice{MerchantID: p.MerchantID, BrandID: p.BrandID, ClientID: p.ClientID, PurchaseID: p.ID, Kind: Invoiced,
		Year: p.Issued.Year, Issued: p.Issued, Currency: p.Currency, TotalCents: p.TotalCents, VATNumber: b.TaxNumber,
		Particulars: Particulars{Issuer: issuer(b), Recipient: recipient(p.Payer)}}
	if b.TaxNumber != "" {
		vat := VATOf(p.Details, p.TotalCents, p.Issued).TotalCents
		inv.VATCents = &vat
	}
	return inv
}

// creditOf takes an invoice back, still without a number of its own.
func creditOf(inv Invoice, on calendar.Date) Invoice {
	credit := inv
	credit.ID, credit.Kind, credit.Serial, credit.Number = uuid.Nil, Credited, 0, ""
	credit.Issued, credit.Year, credit.Cancels = on, on.Year, inv.Number
	return credit
}

// number gives a document its place in its series.
func (i Invoice) number(id uuid.UUID, place serial, at time.Time) Invoice {
	i.ID, i.CreatedAt, i.Serial, i.Number = id, at, place.number, i.Kind.Number(place.prefix, i.Year, place.number)
	return i
}

// IssuerOf is a brand as it issues documents.
func IssuerOf(b merchant.Brand) Party { return issuer(b) }

// RecipientOf is a client as documents name it.
func RecipientOf(d client.Details) Party { return recipient(d) }

func issuer(b merchant.Brand) Party {
	return Party{Name: b.Name, LegalName: b.LegalName, Registration: b.RegistrationNumber, VATNumber: b.TaxNumber,
		Street: b.StreetAddress, City: b.City,
		ZipCode: b.ZipCode, Country: b.Country, Email: b.Email, Phone: b.Phone, Website: b.Website,
		ElectronicAddress: b.ElectronicAddress, Logo: b.Picture()}
}

// recipient is the client as far as known: a business by its registered name.
func recipient(d client.Details) Party {
	return Party{Name: cmp.Or(d.FullName, d.LegalName, d.BrandName, d.Email), LegalName: d.LegalName,
		Registration: d.RegistrationNumber, VATNumber: d.TaxNumber,
		Street: d.StreetAddress, City: d.City, ZipCode: d.ZipCode, Country: d.Country, Email: d.Email,
		ElectronicAddress: d.ElectronicAddress}
}

// Paper is a document with everything that is printed on it.
type Paper struct {
	Invoice
	Lines   []Line
	Percent decimal.Decimal // of VAT; 0 without
	// Purchase says what was sold; how it stands now is not printed.
	Purchase purchase.Purchase
	// Debit is how the invoice is collected; nil: the client is asked to pay.
	Debit *Debit
	// Paid makes it the receipt of a payment; nil: it is what asks for it.
	Paid *purchase.Payment
	// Reads is the language of the document and of a mail about it; empty: English.
	Reads locale.Language
	// Words are what the business adds to mails about it.
	Words []merchant.Wording
	// Colour is that of the brand today, for mails about it; empty: the house's. So is its logo; empty: none.
	Colour, Logo string
	// Letterhead is the picture that the issuer names, as PNG; nil: none.
	Letterhead []byte
}

// Debit is the debit of an invoice: planned, at the bank, or collected.
type Debit struct {
	On       calendar.Date
	BankCode string
	Mask     string // of the account: "•••• 1234"
	// MandateReference is that of the mandate under which it runs.
	MandateReference string
	State            collection.State
	PlannedAt        time.Time
	OnHold           bool // its account is being deleted, which can still be undone
}

// Stands tells that the debit collects the invoice, or did: the client is not to pay
// a second time.
func (d Debit) Stands() bool {
	return d.State == collection.Scheduled || d.State == collection.Submitted || d.State == collection.InTracking ||
		d.State.Collected()
}

// standing is nil for a debit that failed or was withdrawn.
func standing(d Debit, known bool) *Debit {
	if !known || !d.Stands() {
		return nil
	}
	return &d
}

// PaperOf puts a document together with the lines of its purchase. Page, PDF and
// mail show what it says.
func PaperOf(inv Invoice, p purchase.Purchase) Paper {
	out := Paper{Invoice: inv, Lines: LinesOf(p.Details, inv.TotalCents), Purchase: p}
	if inv.Kind == Credited && inv.TotalCents != p.TotalCents { // its lines are the invoice's, and only a part goes back
		out.Lines = []Line{{Text: partOf + inv.Cancels, PartOf: inv.Cancels, AmountCents: inv.TotalCents}}
	}
	if !inv.IsTaxInvoice() {
		return out
	}
	if len(out.Lines) == 1 && out.Lines[0].AmountCents == inv.TotalCents && inv.Kind == Credited {
		out.Percent, out.Lines[0].VATCents = VATPercent(p.Issued), inv.VATCents
		return out
	}
	split := VATOf(p.Details, inv.TotalCents, p.Issued)
	out.Percent = split.Percent
	if split.TotalCents == *inv.VATCents {
		for i := range split.LineCents {
			out.Lines[i].VATCents = &split.LineCents[i]
		}
	}
	return out
}

// Unnumbered is what a purchase shows that was not invoiced: no serial number, and
// so no tax invoice.
func Unnumbered(p purchase.Purchase, b merchant.Brand) Paper {
	inv := invoiceOf(p, b)
	inv.VATCents = nil
	return PaperOf(inv, p)
}
