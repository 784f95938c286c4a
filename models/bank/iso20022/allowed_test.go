package iso20022_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

// schemaFile is a schema as far as it is compared: its types by name.
type schemaFile struct {
	Complex []struct {
		Name     string          `xml:"name,attr"`
		Sequence []schemaElement `xml:"sequence>element"`
		Choice   []schemaElement `xml:"choice>element"`
		Older    []schemaElement `xml:"sequence>choice>element"` // how the schemas of 2009 have a choice
		Simple   *struct {
			Base string `xml:"base,attr"`
		} `xml:"simpleContent>extension"`
	} `xml:"complexType"`
	Simple []struct {
		Name        string `xml:"name,attr"`
		Restriction struct {
			Base        string        `xml:"base,attr"`
			MinLength   schemaFacet   `xml:"minLength"`
			MaxLength   schemaFacet   `xml:"maxLength"`
			Pattern     schemaFacet   `xml:"pattern"`
			Total       schemaFacet   `xml:"totalDigits"`
			Fraction    schemaFacet   `xml:"fractionDigits"`
			Enumeration []schemaFacet `xml:"enumeration"`
		} `xml:"restriction"`
	} `xml:"simpleType"`
}

type schemaElement struct {
	Name string `xml:"name,attr"`
	Type string `xml:"type,attr"`
	Min  string `xml:"minOccurs,attr"`
	Max  string `xml:"maxOccurs,attr"`
}

type schemaFacet struct {
	Value string `xml:"value,attr"`
}

// times is how often an element may stand, as our table has it.
func (e schemaElement) times(choice bool) string {
	if choice {
		return "choice"
	}
	least, most := e.Min, e.Max
	if least == "" {
		least = "1"
	}
	if most == "" {
		most = "1"
	}
	if most == "unbounded" {
		most = "0"
	}
	return least + ".." + most
}

// text is what a type allows as a text, as our table has it; empty when elements stand in it.
func (s schemaFile) text(name string) string {
	for _, c := range s.Complex {
		if c.Name == name && c.Simple != nil {
			return "amount" // with a currency
		}
	}
	for _, t := range s.Simple {
		r := t.Restriction
		switch {
		case t.Name != name:
		case len(r.Enumeration) > 0:
			var codes []string
			for _, e := range r.Enumeration {
				codes = append(codes, e.Value)
			}
			slices.Sort(codes)
			return strings.Join(codes, "|")
		case r.MaxLength.Value != "" && r.MinLength.Value == "1":
			return "text" + r.MaxLength.Value
		case r.Pattern.Value != "":
			return map[string]string{`[0-9]{1,15}`: "count", `[0-9]{2}`: "digits2", `[A-Z]{3,3}`: "currency",
				`\+[0-9]{1,3}-[0-9()+\-]{1,30}`:                                       "phone",
				`[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}`: "uuid"}[r.Pattern.Value]
		case r.Total.Value == "18" && r.Fraction.Value == "17":
			return "decimal"
		default:
			return map[string]string{"xs:date": "date", "xs:dateTime": "datetime", "xs:boolean": "boolean"}[r.Base]
		}
	}
	return ""
}

// children are the elements of a type.
func (s schemaFile) children(name string) (all []schemaElement, choice bool) {
	for _, c := range s.Complex {
		if c.Name == name {
			choice := append(c.Choice, c.Older...)
			return append(c.Sequence, choice...), len(choice) > 0
		}
	}
	return nil, false
}

// walk compares the table with an element of the schema and what stands in it.
func (s schemaFile) walk(t *testing.T, table []iso20022.Allowed, e schemaElement, path string, choice bool) {
	t.Helper()
	n := slices.IndexFunc(table, func(a iso20022.Allowed) bool { return a.Path == path })
	if got := table[n].Times; got != e.times(choice) {
		t.Errorf("%s stands %s in the schema, and %s in the table", path, e.times(choice), got)
	}
	if got, want := table[n].Text, s.text(e.Type); got != want {
		t.Errorf("%s is %q in the schema (%s), and %q in the table", path, want, e.Type, got)
	}
	children, oneOf := s.children(e.Type)
	at := -1
	for _, a := range table {
		name, below := strings.CutPrefix(a.Path, path+"/")
		if !below || strings.Contains(name, "/") {
			continue
		}
		in := slices.IndexFunc(children, func(c schemaElement) bool { return c.Name == name })
		switch {
		case in < 0:
			t.Errorf("%s is not in the schema", a.Path)
			continue
		case in <= at && !oneOf:
			t.Errorf("%s stands elsewhere in the schema", a.Path)
		}
		at = in
		s.walk(t, table, children[in], a.Path, oneOf)
	}
	for _, c := range children {
		needed := !oneOf && c.Min != "0"
		if needed && !slices.ContainsFunc(table, func(a iso20022.Allowed) bool { return a.Path == path+"/"+c.Name }) {
			t.Errorf("%s/%s is missing in the table, and the schema wants it", path, c.Name)
		}
	}
}

// What the table says of a version is what its published schema says: how often each element stands, in which order,
// how long its text is, which codes are a closed list.
func TestTheTableIsWhatThePublishedSchemasSay(t *testing.T) {
	t.Parallel()
	for _, k := range exchange.Kinds {
		for _, form := range iso20022.Forms(k) {
			if published[form] == "" {
				continue
			}
			t.Run(form, func(t *testing.T) {
				text, err := os.ReadFile(schemaOf(t, form))
				if err != nil {
					t.Fatal(err)
				}
				var s schemaFile
				if err := xml.Unmarshal(text, &s); err != nil {
					t.Fatal(err)
				}
				root, _ := s.children("Document")
				s.walk(t, iso20022.AllowedBy(form), root[0], root[0].Name, false)
			})
		}
	}
}

// unpublished are the versions whose schemas come with no package. Each differs from one that has a schema in what
// stands here, and in nothing else that is written. The source is the published schema of the version, as it was read.
var unpublished = map[string]struct {
	like    string
	differs []string // within any path: what it says instead
	source  string
}{
	"pain.008.001.11": {"pain.008.001.10", longIDs, "CustomerDirectDebitInitiationV11: GroupHeader118, PaymentInstruction45, " +
		"DirectDebitTransactionInformation32, MandateRelatedInformation16, PaymentTypeInformation29, " +
		"PartyIdentification272, CashAccount40, FinancialInstitutionIdentification23; generated in 2024"},
	"pain.001.001.12": {"pain.001.001.11", longIDs, "CustomerCreditTransferInitiationV12: GroupHeader114, PaymentInstruction44, " +
		"CreditTransferTransaction61, PaymentTypeInformation26, PartyIdentification272, CashAccount40; generated in 2024"},
	"pain.009.001.07": {"pain.009.001.05", accountIDs, "MandateInitiationRequestV07: GroupHeader80, Mandate19, " +
		"MandateOccurrences5, PartyIdentification135, CashAccount40"},
	"pain.009.001.08": {"pain.009.001.05", append(longIDs, accountIDs...), "MandateInitiationRequestV08: GroupHeader110, " +
		"Mandate23, MandateOccurrences5, PartyIdentification272, CashAccount40; generated on 29 February 2024"},
	"pain.011.001.07": {"pain.011.001.05", nil, "MandateCancellationRequestV07: GroupHeader80, MandateCancellation7, " +
		"MandateCancellationReason1, OriginalMandate9Choice, PartyIdentification135"},
	"pain.011.001.08": {"pain.011.001.05", longIDs, "MandateCancellationRequestV08: GroupHeader110, MandateCancellation8, " +
		"MandateCancellationReason2, OriginalMandate10Choice, PartyIdentification272; generated in 2024"},
}

var (
	// GenericOrganisationIdentification3 and GenericPersonIdentification2 hold 256 characters.
	longIDs = []string{"/Id/OrgId/Othr/Id 1..1 text256", "/Id/PrvtId/Othr/Id 1..1 text256"}
	// CashAccount40 may go without an id.
	accountIDs = []string{"/CdtrAcct/Id 0..1", "/DbtrAcct/Id 0..1"}
)

func TestVersionsWithoutASchemaDifferOnlyInWhatWasRead(t *testing.T) {
	t.Parallel()
	for form, of := range unpublished {
		var got []string
		like := iso20022.AllowedBy(of.like)
		table := iso20022.AllowedBy(form)
		for n := range max(len(table), len(like)) {
			if n >= len(table) || n >= len(like) || table[n].Path != like[n].Path {
				t.Fatalf("%s has other elements than %s", form, of.like)
			}
			if table[n] != like[n] {
				got = append(got, table[n].String())
			}
		}
		for _, line := range got {
			if !slices.ContainsFunc(of.differs, func(d string) bool { return strings.HasSuffix(line, d) }) {
				t.Errorf("%s: the table says %s, as no source does", form, line)
			}
		}
		for _, d := range of.differs {
			if !slices.ContainsFunc(got, func(line string) bool { return strings.HasSuffix(line, d) }) {
				t.Errorf("%s: the table does not say %s (%s)", form, d, of.source)
			}
		}
	}
	for _, k := range exchange.Kinds {
		for _, form := range iso20022.Forms(k) {
			if published[form] == "" && unpublished[form].source == "" {
				t.Error(fmt.Sprint(form, " has neither a schema nor a source"))
			}
		}
	}
}
