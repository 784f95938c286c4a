package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/iso20022"
)

// Every form that a profile may name is written by what comes with the product.
func TestExamplesAreWrittenInEveryForm(t *testing.T) {
	t.Parallel()
	for _, k := range exchange.Kinds {
		for _, form := range iso20022.Forms(k) {
			p := shipped(t, "simulator")
			for of, key := range map[exchange.Kind]*string{exchange.Debits: &p.DebitMessage, exchange.Refunds: &p.CreditMessage,
				exchange.Mandates: &p.MandateMessages, exchange.Recalls: &p.RecallMessage} {
				if of == k {
					*key = form
				}
			}
			if k == exchange.Cancellations {
				p.MandateMessages = strings.Replace(form, "pain.011", "pain.009", 1)
			}
			all, err := p.Examples()
			if err != nil || len(all) != len(exchange.Kinds) {
				t.Errorf("%s: %d examples, %v", form, len(all), err)
			}
			for _, e := range all {
				if e.Kind == k && (e.Form != form || !strings.Contains(string(e.Content), form+`"`)) {
					t.Errorf("%s is written as %s", form, e.Form)
				}
			}
		}
	}
}

// A word that does not fit into its element is refused with the profile, not with the first file.
func TestAProfileWhoseWordsDoNotFitIntoTheFormIsRefused(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		`"account_scheme": "BBANX"`: "debit_message: Files would not be as they have to be: pain.008.001.08 does not allow it: " +
			"CstmrDrctDbtInitn/PmtInf/CdtrAcct/Id/Othr/SchmeNm/Cd has 5 characters, and 4 are allowed",
		`"credit_message": "none", "services": {"eft": {"service_level": "Cd:LONGER", "lead_days": 2, "success": "silence"}}`: "" +
			"debit_message: Files would not be as they have to be: pain.008.001.08 does not allow it: " +
			"CstmrDrctDbtInitn/PmtInf/PmtTpInf/SvcLvl/Cd has 6 characters",
		`"recall_message": "pain.007.001.10", "recall_reason": "CUST"`: "",
	} {
		text := `{"services": {"eft": {"lead_days": 2, "success": "silence"}}, ` + change + `}`
		if strings.Contains(change, "services") {
			text = "{" + change + "}"
		}
		_, err := files.ParseProfile([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nnot %s", change, err, want)
		}
	}
}

// schemaOf is a schema of pain.008.001.08 as a bank may have it: it says of three elements what they are.
func schemaOf(namespace, length string) string {
	any := `<xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip"/>`
	return `<?xml version="1.0"?><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
		xmlns="` + namespace + `" targetNamespace="` + namespace + `">
	<xs:element name="Document"><xs:complexType><xs:sequence><xs:element name="CstmrDrctDbtInitn"><xs:complexType><xs:sequence>
		<xs:element name="GrpHdr"><xs:complexType><xs:sequence><xs:element name="MsgId"><xs:simpleType>
			<xs:restriction base="xs:string"><xs:maxLength value="` + length + `"/></xs:restriction></xs:simpleType></xs:element>` +
		any + `</xs:sequence></xs:complexType></xs:element>` + any + `
	</xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>`
}

// A bank's own schema beside the profile judges an example of each kind that it is of.
func TestExamplesAreHeldAgainstTheBanksOwnSchemas(t *testing.T) {
	const space = "urn:iso:std:iso:20022:tech:xsd:pain.008.001.08"
	for name, one := range map[string]struct {
		file, text  string
		says, wrong string
	}{
		"wide enough": {"debits.xsd", schemaOf(space, "35"), "Debits: an example is valid by debits.xsd.", ""},
		"narrower": {"debits.xsd", schemaOf(space, "10"), "as pain.008.001.08 allows",
			"debits written as pain.008.001.08 are not valid by debits.xsd"},
		"another namespace": {"pain.008.001.08.bank.xsd", schemaOf("urn:bank:own", "35"), "as pain.008.001.08 allows",
			"not valid by pain.008.001.08.bank.xsd"},
		"another message": {"statement.xsd", schemaOf("urn:iso:std:iso:20022:tech:xsd:camt.053.001.08", "35"),
			"statement.xsd is of a message that this profile does not write.", ""},
		"no schema": {"readme.txt", "hello", "belong into", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, files.SchemaFolder), 0o700))
			must(t, os.WriteFile(filepath.Join(dir, files.SchemaFolder, one.file), []byte(one.text), 0o600))
			lines, err := shipped(t, "generic").Judge(t.Context(), dir)
			if said := strings.Join(lines, "\n"); !strings.Contains(said, one.says) {
				t.Errorf("%q is missing in\n%s", one.says, said)
			}
			if (err == nil) != (one.wrong == "") || err != nil && !strings.Contains(err.Error(), one.wrong) {
				t.Error(err)
			}
		})
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, files.SchemaFolder), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, files.SchemaFolder, "a.xsd"), []byte(schemaOf(space, "35")), 0o600))
	t.Setenv("PATH", t.TempDir())
	if lines, err := shipped(t, "generic").Judge(t.Context(), dir); err != nil ||
		!strings.Contains(strings.Join(lines, "\n"), "xmllint is not installed") {
		t.Error(lines, err)
	}
}
