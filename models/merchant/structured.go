package merchant

import (
	"debitdesk/models/endpoint"
	"debitdesk/models/fault"
)

// UBL is the one format of structured invoices that there is.
const UBL = "ubl"

// Structured tells whether the brand writes structured invoices beside its PDF files.
func (in BrandInput) Structured() bool { return in.StructuredInvoices == UBL }

// StructuredLacks are the values that structured invoices must name and the brand has not yet.
func (in BrandInput) StructuredLacks() (lacks fault.Problems) {
	if in.TaxNumber == "" && in.RegistrationNumber == "" {
		lacks.Add("registration_number", "required",
			"Structured invoices need your VAT number or your company registration number.")
	}
	if in.StreetAddress == "" {
		lacks.Add("street_address", "required", "Structured invoices need your street address.")
	}
	if in.City == "" {
		lacks.Add("city", "required", "Structured invoices need your city.")
	}
	if in.ElectronicAddress == "" && in.Email == "" {
		lacks.Add("electronic_address", "required", "Structured invoices need an electronic address or an e-mail address.")
	}
	return lacks
}

func (in *BrandInput) checkStructured(wrong *fault.Problems) {
	if at, err := endpoint.Parse(in.ElectronicAddress); err != nil {
		f, _ := fault.From(err)
		wrong.Add("electronic_address", f.Code, "%s", f.Message)
	} else {
		in.ElectronicAddress = at.String()
	}
	switch {
	case in.StructuredInvoices != "" && !in.Structured():
		wrong.Add("structured_invoices", "invalid_choice", "Structured invoices are written as UBL, or not at all.")
	case in.Structured():
		*wrong = append(*wrong, in.StructuredLacks()...)
	}
}
