package handlers_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/merchant"
)

// structured is what these tests read of a structured file.
type structured struct {
	XMLName  xml.Name
	ID       string `xml:"ID"`
	Credits  string `xml:"BillingReference>InvoiceDocumentReference>ID"`
	Supplier string `xml:"AccountingSupplierParty>Party>EndpointID"`
	Customer string `xml:"AccountingCustomerParty>Party>EndpointID"`
	Tax      string `xml:"TaxTotal>TaxAmount"`
	Payable  string `xml:"LegalMonetaryTotal>PayableAmount"`
}

func (o *office) structured(address string) (s structured) {
	o.t.Helper()
	if err := xml.Unmarshal([]byte(o.Call("GET", address, nil).Want(200).Body), &s); err != nil {
		o.t.Fatal(err)
	}
	return s
}

// write switches structured invoices of the brand on or off by its form, as an admin does.
func (o *office) write(format, address string, status int, says ...string) {
	o.t.Helper()
	href := "/settings/brands/" + o.A.BrandID.String()
	b, err := merchant.Store{DB: o.Store}.Brand(o.t.Context(), o.A.ID, o.A.BrandID)
	if err != nil {
		o.t.Fatal(err)
	}
	in := b.BrandInput
	in.StructuredInvoices, in.ElectronicAddress = format, address
	version := between(o.Page(o.A.Owner, "GET", href, nil).Want(200).Body, `name="version" value="`, `"`)
	o.Page(o.A.Owner, "POST", href, brandForm(in, version)).Want(status).Contains(says...)
	merchant.Store{DB: o.Store}.Forget(o.A.ID)
}

func TestStructuredInvoicesAreWrittenBesideThePDFOnceTheyAreSwitchedOn(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1)
	old := o.bill(course)[0]
	o.sendAll()
	o.Call("GET", "/p/"+old+"/invoice.xml", nil, "Accept: text/html").Want(404).Contains(
		"does not write structured invoices")
	o.Page(o.A.Staff, "GET", "/purchases/"+old, nil).Want(200).Lacks("invoice.xml")
	o.Call("GET", "/p/"+old+"/invoice/", nil).Want(200).Lacks("invoice.xml")
	if n := o.Count(`SELECT count(*) FROM mails WHERE jsonb_array_length(attachments) <> 1`); n != 0 {
		t.Error("a mail has a file too many while structured invoices are off")
	}

	o.write("ubl", "0088:6001234567899", 303)
	if n := o.Count(`SELECT count(*) FROM audit_entries WHERE action = 'brand.changed'
		AND after ->> 'structured_invoices' = 'ubl' AND after ->> 'electronic_address' = '0088:6001234567899'`); n != 1 {
		t.Errorf("the audit has %d entries of the switch", n)
	}
	o.exec(`UPDATE clients SET electronic_address = '0060:123456789'`)
	id := o.bill(course)[0]
	o.sendAll()
	year := o.Store.Now().Year()
	got := o.structured("/p/" + id + "/invoice.xml")
	if want := (structured{XMLName: got.XMLName, ID: fmt.Sprintf("INV-%d-000002", year), Supplier: "6001234567899",
		Customer: "123456789", Tax: "61.82", Payable: "473.99"}); got != want || got.XMLName.Local != "Invoice" {
		t.Errorf("the file says %+v, want %+v", got, want)
	}
	if got := o.structured("/p/" + old + "/invoice.xml"); got.Supplier != "6001234567899" ||
		got.Customer != "c0@example.com" {
		t.Errorf("the file of an invoice from before says %+v", got)
	}
	answer := o.Call("GET", "/p/"+id+"/invoice.xml", nil)
	if h := answer.Header; h.Get("Content-Type") != "application/xml" ||
		!strings.Contains(h.Get("Content-Disposition"), got.ID+".xml") {
		t.Errorf("it is sent as %v", h)
	}
	o.Page(o.A.Staff, "GET", "/purchases/"+id, nil).Want(200).Contains("/p/" + id + "/invoice.xml")
	o.Call("GET", "/p/"+id+"/invoice/", nil).Want(200).Contains("invoice.xml")

	var name, ref string
	if err := o.Store.Pool.QueryRow(t.Context(), `SELECT attachments -> 1 ->> 'name', attachments -> 1 ->> 'ref' FROM mails
		WHERE purchase_id = $1 AND kind = 'invoice'`, uuid.MustParse(id)).Scan(&name, &ref); err != nil {
		t.Fatal(err)
	}
	file, err := o.Billing.File(t.Context(), o.A.ID, ref)
	if err != nil || name != got.ID+".xml" || string(file) != answer.Body {
		t.Errorf("the mail has %q: %v\n%s", name, err, file)
	}
	if _, err := o.Billing.File(t.Context(), o.B.ID, ref); err == nil {
		t.Error("another business had the file made")
	}

	o.Call("GET", "/p/"+id+"/invoice.xml?credit-note", nil).Want(404)
	o.Call("GET", "/p/"+uuid.NewString()+"/invoice.xml", nil).Want(404)
	o.API("POST", "/purchases/"+id+"/cancel/", nil).Want(200)
	o.sendAll()
	credit := o.structured("/p/" + id + "/invoice.xml?credit-note")
	if credit.XMLName.Local != "CreditNote" || credit.ID != fmt.Sprintf("CN-%d-000001", year) ||
		credit.Credits != got.ID || credit.Payable != "473.99" || credit.Tax != "61.82" {
		t.Errorf("the credit note says %+v", credit)
	}
	if n := o.Count(`SELECT count(*) FROM mails WHERE kind = 'credit_note' AND attachments -> 1 ->> 'name' = $1`,
		credit.ID+".xml"); n != 1 {
		t.Errorf("%d mails bring the credit note as a structured file", n)
	}
	o.Page(o.A.Staff, "GET", "/purchases/"+id, nil).Want(200).Contains("invoice.xml?credit-note=", credit.ID+".xml")
	o.Call("GET", "/p/"+id+"/invoice/", nil).Want(200).Contains("invoice.xml?credit-note=")

	o.write("", "0088:6001234567899", 303)
	o.Call("GET", "/p/"+id+"/invoice.xml", nil).Want(404)
	if _, err := o.Billing.File(t.Context(), o.A.ID, ref); err != nil {
		t.Errorf("what was mailed is lost once the switch is off: %v", err)
	}
}

func TestTheSwitchSaysWhatTheBusinessLacks(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1)
	o.exec(`UPDATE brands SET tax_number = '', registration_number = '', street_address = '', city = '', email = ''
		WHERE id = $1`, o.A.BrandID)
	o.Page(o.A.Owner, "GET", "/settings/brands/"+o.A.BrandID.String(), nil).Want(200).Contains(
		"Missing so far: a VAT number or a company registration number, a street address, a city, " +
			"an electronic address or an e-mail address.")
	o.write("ubl", "", 422, "need your VAT number or your company registration number", "need your street address",
		"need your city", "need an electronic address or an e-mail address")
	o.write("ubl", "0088:6001234567890", 422, "the last one must fit the others")
	o.write("pdf", "", 422, "written as UBL, or not at all")
	if n := o.Count(`SELECT count(*) FROM brands WHERE structured_invoices <> '' OR electronic_address <> ''`); n != 0 {
		t.Error("it was switched on nevertheless")
	}
}
