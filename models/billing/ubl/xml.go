package ubl

import (
	"encoding/xml"

	"debitdesk/models/money"
)

// document is an Invoice or a CreditNote; its elements stand in the order of the schema.
type document struct {
	XMLName        xml.Name
	NS             string             `xml:"xmlns,attr"`
	CAC            string             `xml:"xmlns:cac,attr"`
	CBC            string             `xml:"xmlns:cbc,attr"`
	Customization  string             `xml:"cbc:CustomizationID"`
	Profile        string             `xml:"cbc:ProfileID"`
	ID             string             `xml:"cbc:ID"`
	Issued         string             `xml:"cbc:IssueDate"`
	Due            string             `xml:"cbc:DueDate,omitempty"` // of an invoice
	InvoiceType    string             `xml:"cbc:InvoiceTypeCode,omitempty"`
	CreditNoteType string             `xml:"cbc:CreditNoteTypeCode,omitempty"`
	Note           string             `xml:"cbc:Note,omitempty"`
	Currency       string             `xml:"cbc:DocumentCurrencyCode"`
	BuyerReference string             `xml:"cbc:BuyerReference"`
	Credits        *documentReference `xml:"cac:BillingReference>cac:InvoiceDocumentReference"`
	Supplier       party              `xml:"cac:AccountingSupplierParty>cac:Party"`
	Customer       party              `xml:"cac:AccountingCustomerParty>cac:Party"`
	Means          *means             `xml:"cac:PaymentMeans"`
	Terms          *terms             `xml:"cac:PaymentTerms"`
	Tax            taxTotal           `xml:"cac:TaxTotal"`
	Total          monetaryTotal      `xml:"cac:LegalMonetaryTotal"`
	InvoiceLines   []lineElement      `xml:"cac:InvoiceLine"`
	CreditLines    []lineElement      `xml:"cac:CreditNoteLine"`
}

type documentReference struct {
	ID string `xml:"cbc:ID"`
}

type identifier struct {
	Scheme string `xml:"schemeID,attr"`
	ID     string `xml:",chardata"`
}

type party struct {
	Endpoint identifier    `xml:"cbc:EndpointID"`
	Name     *partyName    `xml:"cac:PartyName"`
	Address  postalAddress `xml:"cac:PostalAddress"`
	Tax      *partyTax     `xml:"cac:PartyTaxScheme"`
	Legal    legalEntity   `xml:"cac:PartyLegalEntity"`
}

type partyName struct {
	Name string `xml:"cbc:Name"`
}

type postalAddress struct {
	Street  string `xml:"cbc:StreetName,omitempty"`
	City    string `xml:"cbc:CityName,omitempty"`
	Zone    string `xml:"cbc:PostalZone,omitempty"`
	Country string `xml:"cac:Country>cbc:IdentificationCode"`
}

type partyTax struct {
	Company string `xml:"cbc:CompanyID"`
	Scheme  string `xml:"cac:TaxScheme>cbc:ID"`
}

type legalEntity struct {
	Name    string `xml:"cbc:RegistrationName"`
	Company string `xml:"cbc:CompanyID,omitempty"`
}

type means struct {
	Code    string `xml:"cbc:PaymentMeansCode"`
	Mandate string `xml:"cac:PaymentMandate>cbc:ID"`
}

type terms struct {
	Note string `xml:"cbc:Note"`
}

type amount struct {
	Currency string `xml:"currencyID,attr"`
	Value    string `xml:",chardata"`
}

func amountOf(cents int64, currency string) amount { return amount{currency, money.Plain(cents)} }

type taxTotal struct {
	Amount    amount        `xml:"cbc:TaxAmount"`
	Subtotals []taxSubtotal `xml:"cac:TaxSubtotal"`
}

type taxSubtotal struct {
	Taxable  amount      `xml:"cbc:TaxableAmount"`
	Tax      amount      `xml:"cbc:TaxAmount"`
	Category taxCategory `xml:"cac:TaxCategory"`
}

type taxCategory struct {
	ID         string `xml:"cbc:ID"`
	Percent    string `xml:"cbc:Percent,omitempty"`
	ReasonCode string `xml:"cbc:TaxExemptionReasonCode,omitempty"`
	Reason     string `xml:"cbc:TaxExemptionReason,omitempty"`
	Scheme     string `xml:"cac:TaxScheme>cbc:ID"`
}

type monetaryTotal struct {
	Lines      amount `xml:"cbc:LineExtensionAmount"`
	WithoutTax amount `xml:"cbc:TaxExclusiveAmount"`
	WithTax    amount `xml:"cbc:TaxInclusiveAmount"`
	Payable    amount `xml:"cbc:PayableAmount"`
}

type quantity struct {
	Unit  string `xml:"unitCode,attr"`
	Value string `xml:",chardata"`
}

type lineElement struct {
	ID       int         `xml:"cbc:ID"`
	Invoiced *quantity   `xml:"cbc:InvoicedQuantity"`
	Credited *quantity   `xml:"cbc:CreditedQuantity"`
	Net      amount      `xml:"cbc:LineExtensionAmount"`
	Name     string      `xml:"cac:Item>cbc:Name"`
	Category taxCategory `xml:"cac:Item>cac:ClassifiedTaxCategory"`
	Price    amount      `xml:"cac:Price>cbc:PriceAmount"`
}
