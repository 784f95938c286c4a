package ubl_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// element is what was read of a file, by the names that the schema gives.
type element struct {
	name, text string
	attributes map[string]string
	children   []*element
}

func read(file []byte) (*element, error) {
	root := &element{}
	open := []*element{root}
	dec := xml.NewDecoder(strings.NewReader(string(file)))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch on := token.(type) {
		case xml.StartElement:
			e := &element{name: on.Name.Local, attributes: map[string]string{}}
			if !strings.HasPrefix(on.Name.Space, "urn:oasis:names:specification:ubl:schema:xsd:") {
				return nil, fmt.Errorf("%s is of %q", on.Name.Local, on.Name.Space)
			}
			for _, a := range on.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			top.children, open = append(top.children, e), append(open, e)
		case xml.CharData:
			top.text += string(on)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	if len(root.children) != 1 {
		return nil, fmt.Errorf("%d roots", len(root.children))
	}
	return root.children[0], nil
}

// all gives what lies at a path such as "TaxTotal/TaxAmount".
func (e *element) all(path string) []*element {
	here := []*element{e}
	for _, name := range strings.Split(path, "/") {
		var next []*element
		for _, h := range here {
			for _, c := range h.children {
				if c.name == name {
					next = append(next, c)
				}
			}
		}
		here = next
	}
	return here
}

func (e *element) has(path string) bool { return len(e.all(path)) > 0 }

func (e *element) at(path string) string {
	if found := e.all(path); len(found) > 0 {
		return strings.TrimSpace(found[0].text)
	}
	return ""
}

func (e *element) number(path string) *big.Rat {
	r, ok := new(big.Rat).SetString(e.at(path))
	if !ok {
		return new(big.Rat)
	}
	return r
}

func (e *element) walk(see func(*element)) {
	see(e)
	for _, c := range e.children {
		c.walk(see)
	}
}

// order is the order of the schema, of the elements that are used here.
var order = map[string]string{
	"Invoice": "CustomizationID ProfileID ID IssueDate DueDate InvoiceTypeCode Note DocumentCurrencyCode BuyerReference " +
		"BillingReference AccountingSupplierParty AccountingCustomerParty PaymentMeans PaymentTerms TaxTotal " +
		"LegalMonetaryTotal InvoiceLine",
	"CreditNote": "CustomizationID ProfileID ID IssueDate CreditNoteTypeCode Note DocumentCurrencyCode BuyerReference " +
		"BillingReference AccountingSupplierParty AccountingCustomerParty PaymentMeans PaymentTerms TaxTotal " +
		"LegalMonetaryTotal CreditNoteLine",
	"Party":          "EndpointID PartyIdentification PartyName PostalAddress PartyTaxScheme PartyLegalEntity Contact",
	"PostalAddress":  "StreetName AdditionalStreetName CityName PostalZone CountrySubentity Country",
	"PartyTaxScheme": "CompanyID TaxScheme", "PartyLegalEntity": "RegistrationName CompanyID",
	"PaymentMeans": "PaymentMeansCode PaymentID PaymentMandate", "TaxTotal": "TaxAmount TaxSubtotal",
	"TaxSubtotal": "TaxableAmount TaxAmount TaxCategory",
	"TaxCategory": "ID Percent TaxExemptionReasonCode TaxExemptionReason TaxScheme",
	"LegalMonetaryTotal": "LineExtensionAmount TaxExclusiveAmount TaxInclusiveAmount AllowanceTotalAmount " +
		"PrepaidAmount PayableAmount",
	"InvoiceLine":    "ID Note InvoicedQuantity LineExtensionAmount AllowanceCharge Item Price",
	"CreditNoteLine": "ID Note CreditedQuantity LineExtensionAmount AllowanceCharge Item Price",
	"Item":           "Description Name ClassifiedTaxCategory", "ClassifiedTaxCategory": "ID Percent TaxScheme",
	"Price": "PriceAmount BaseQuantity",
}

var (
	dateForm   = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	vatForm    = regexp.MustCompile(`^[A-Z]{2}\w+$`)
	twoPlaces  = regexp.MustCompile(`^-?\d+(\.\d{1,2})?$`)
	peppolList = "0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0183 0184 0188 0190 0191 0192 0193"
)

// broken lists the rules of EN 16931 and Peppol BIS 3 that a file breaks, by their names. It shares no code with the
// writer and counts in fractions.
func broken(doc *element) (rules []string) {
	fail := func(rule string, holds bool) {
		if !holds && !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	b := &book{doc: doc, must: fail}
	b.form()
	b.parties()
	b.sums()
	b.taxes()
	b.lines()
	return rules
}

type book struct {
	doc  *element
	must func(rule string, holds bool)
}

func (b *book) credit() bool { return b.doc.name == "CreditNote" }

func (b *book) line() string {
	if b.credit() {
		return "CreditNoteLine"
	}
	return "InvoiceLine"
}

func (b *book) form() {
	d, must := b.doc, b.must
	d.walk(func(e *element) {
		must("PEPPOL-EN16931-R008", len(e.children) > 0 || strings.TrimSpace(e.text) != "")
		known, listed := order[e.name], -1
		for _, c := range e.children {
			if known == "" {
				continue
			}
			i := slices.Index(strings.Fields(known), c.name)
			must("schema: "+e.name+"/"+c.name, i >= 0 && i >= listed)
			listed = max(listed, i)
		}
		if c, is := e.attributes["currencyID"]; is {
			must("PEPPOL-EN16931-R051", c == d.at("DocumentCurrencyCode"))
			must("BR-DEC", e.name == "PriceAmount" || twoPlaces.MatchString(e.text))
		}
	})
	must("BR-01", strings.HasPrefix(d.at("CustomizationID"),
		"urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"))
	must("PEPPOL-EN16931-R007", d.at("ProfileID") == "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0")
	must("BR-02", d.at("ID") != "")
	must("BR-03", dateForm.MatchString(d.at("IssueDate")))
	must("BR-04", b.credit() && d.at("CreditNoteTypeCode") == "381" || d.at("InvoiceTypeCode") == "380")
	must("BR-05", d.at("DocumentCurrencyCode") != "")
	must("PEPPOL-EN16931-R003", d.has("BuyerReference") || d.has("OrderReference/ID"))
	must("PEPPOL-EN16931-R002", len(d.all("Note")) <= 1)
	for _, m := range d.all("PaymentMeans") {
		must("PEPPOL-EN16931-R061", m.at("PaymentMeansCode") != "49" || m.at("PaymentMandate/ID") != "")
		must("BR-49", m.at("PaymentMeansCode") != "")
	}
	for _, r := range d.all("BillingReference") {
		must("BR-55", r.at("InvoiceDocumentReference/ID") != "")
	}
}

func (b *book) parties() {
	d, must := b.doc, b.must
	s, c := d.all("AccountingSupplierParty/Party"), d.all("AccountingCustomerParty/Party")
	must("BR-06", len(s) == 1 && s[0].at("PartyLegalEntity/RegistrationName") != "")
	must("BR-07", len(c) == 1 && c[0].at("PartyLegalEntity/RegistrationName") != "")
	if len(s) != 1 || len(c) != 1 {
		return
	}
	must("BR-09", s[0].at("PostalAddress/Country/IdentificationCode") != "")
	must("BR-11", c[0].at("PostalAddress/Country/IdentificationCode") != "")
	must("PEPPOL-EN16931-R010", c[0].at("EndpointID") != "")
	must("PEPPOL-EN16931-R020", s[0].at("EndpointID") != "")
	must("BR-CO-26", s[0].has("PartyIdentification/ID") || s[0].at("PartyLegalEntity/CompanyID") != "" ||
		s[0].at("PartyTaxScheme/CompanyID") != "")
	for _, p := range append(s, c...) {
		must("BR-CO-09", !p.has("PartyTaxScheme") || vatForm.MatchString(p.at("PartyTaxScheme/CompanyID")))
		for _, e := range p.all("EndpointID") {
			scheme := e.attributes["schemeID"]
			must("BR-62/63", scheme != "")
			must("PEPPOL-EN16931-CL008", slices.Contains(strings.Fields(peppolList), scheme))
			must("PEPPOL-COMMON-R040", scheme != "0088" || gln(e.text))
		}
	}
	sells, buys := s[0].has("PartyTaxScheme/CompanyID"), c[0].has("PartyTaxScheme/CompanyID")
	for _, k := range d.all(b.line() + "/Item/ClassifiedTaxCategory/ID") {
		switch k.text {
		case "S", "Z":
			must("BR-"+k.text+"-02", sells)
		case "O":
			must("BR-O-02", !sells && !buys)
		}
	}
}

func gln(id string) bool {
	sum := 0
	for i := range len(id) {
		weight := 1
		if (len(id)-i)%2 == 0 {
			weight = 3
		}
		sum += weight * int(id[i]-'0')
	}
	return len(id) == 13 && sum%10 == 0
}

func plus(all []*element, path string) *big.Rat {
	sum := new(big.Rat)
	for _, e := range all {
		sum.Add(sum, e.number(path))
	}
	return sum
}

func same(a, b *big.Rat) bool { return a.Cmp(b) == 0 }

func near(a, b *big.Rat, by string) bool {
	slack, _ := new(big.Rat).SetString(by)
	off := new(big.Rat).Sub(a, b)
	return off.Abs(off).Cmp(slack) <= 0
}

func (b *book) sums() {
	d, must := b.doc, b.must
	total := d.all("LegalMonetaryTotal")
	must("BR-12", len(total) == 1)
	if len(total) != 1 {
		return
	}
	t := total[0]
	must("BR-16", d.has(b.line()))
	must("BR-CO-10", same(t.number("LineExtensionAmount"), plus(d.all(b.line()), "LineExtensionAmount")))
	must("BR-CO-13", same(t.number("TaxExclusiveAmount"), t.number("LineExtensionAmount")))
	must("BR-CO-14", same(d.number("TaxTotal/TaxAmount"), plus(d.all("TaxTotal/TaxSubtotal"), "TaxAmount")))
	must("BR-CO-15", same(t.number("TaxInclusiveAmount"),
		new(big.Rat).Add(t.number("TaxExclusiveAmount"), d.number("TaxTotal/TaxAmount"))))
	must("BR-CO-16", t.has("PayableAmount") && same(t.number("PayableAmount"),
		new(big.Rat).Sub(t.number("TaxInclusiveAmount"), t.number("PrepaidAmount"))))
	must("BR-CO-25", t.number("PayableAmount").Sign() <= 0 || d.has("DueDate") || d.at("PaymentTerms/Note") != "")
	must("PEPPOL-EN16931-R053", len(d.all("TaxTotal")) == 1 && d.has("TaxTotal/TaxSubtotal"))
}

// taxes holds each part of the VAT against the lines of its category and rate.
func (b *book) taxes() {
	key := func(e *element) string { return e.at("ID") + " " + e.number("Percent").RatString() }
	of := map[string]*big.Rat{}
	for _, l := range b.doc.all(b.line()) {
		for _, c := range l.all("Item/ClassifiedTaxCategory") {
			if of[key(c)] == nil {
				of[key(c)] = new(big.Rat)
			}
			of[key(c)].Add(of[key(c)], l.number("LineExtensionAmount"))
		}
	}
	must := b.must
	for _, s := range b.doc.all("TaxTotal/TaxSubtotal") {
		c := s.all("TaxCategory")[0]
		id, rate, tax := c.at("ID"), c.number("Percent"), s.number("TaxAmount")
		sum := of[key(c)]
		must("BR-"+id+"-08", sum != nil && same(sum, s.number("TaxableAmount")))
		delete(of, key(c))
		due := new(big.Rat).Mul(s.number("TaxableAmount"), new(big.Rat).Mul(rate, big.NewRat(1, 100)))
		must("BR-CO-17", near(due, tax, "0.99"))
		switch id {
		case "S":
			must("BR-S-05", rate.Sign() > 0)
		case "Z":
			must("BR-Z-05", c.has("Percent") && rate.Sign() == 0)
			must("BR-Z-09", tax.Sign() == 0)
			must("BR-Z-10", !c.has("TaxExemptionReason") && !c.has("TaxExemptionReasonCode"))
		case "O":
			must("BR-O-05", !c.has("Percent"))
			must("BR-O-09", tax.Sign() == 0)
			must("BR-O-10", c.has("TaxExemptionReason") || c.has("TaxExemptionReasonCode"))
			must("BR-O-11", len(b.doc.all("TaxTotal/TaxSubtotal")) == 1)
		default:
			must("BR-CL-17", false)
		}
	}
	must("BR-S-01", len(of) == 0)
}

func (b *book) lines() {
	must := b.must
	ids := map[string]bool{}
	for _, l := range b.doc.all(b.line()) {
		must("BR-21", l.at("ID") != "" && !ids[l.at("ID")])
		ids[l.at("ID")] = true
		amount := "InvoicedQuantity"
		if b.credit() {
			amount = "CreditedQuantity"
		}
		must("BR-22", l.has(amount))
		must("BR-23", l.has(amount) && l.all(amount)[0].attributes["unitCode"] == "C62")
		must("BR-24", l.has("LineExtensionAmount"))
		must("BR-25", l.at("Item/Name") != "")
		must("BR-26", l.has("Price/PriceAmount"))
		must("BR-27", l.number("Price/PriceAmount").Sign() >= 0)
		must("BR-CO-04", l.at("Item/ClassifiedTaxCategory/ID") != "")
		value := new(big.Rat).Mul(l.number(amount), l.number("Price/PriceAmount"))
		must("PEPPOL-EN16931-R120", near(value, l.number("LineExtensionAmount"), "0.005"))
	}
}
