package iso20022_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/moov-io/iso20022/pkg/document"
	"github.com/moov-io/iso20022/pkg/pain_v05"
	"github.com/moov-io/iso20022/pkg/pain_v09"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

// schemas is the folder of the published schemas, which come with a module that the tests need anyway.
var schemas = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", "github.com/moov-io/iso20022@v0.2.1").Output()
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	err = json.Unmarshal(out, &module)
	return filepath.Join(module.Dir, "docs", "specifications"), err
})

// published are the schemas that are there, by form.
var published = map[string]string{
	"pain.002.001.11": "payments_initiation_11/pain.002.001.11.xsd",
	"pain.012.001.05": "payments_mandates__5/pain.012.001.05.xsd",
	"camt.029.001.10": "exceptions__investigations_10/camt.029.001.10.xsd",
	"camt.053.001.08": "banktocustomer_cash_management_8/camt.053.001.08.xsd",
	"camt.054.001.08": "banktocustomer_cash_management_8/camt.054.001.08.xsd",
	"pain.008.001.09": "payments_initiation_11/pain.008.001.09.xsd",
	"pain.001.001.10": "payments_initiation_11/pain.001.001.10_1.xsd",
	"pain.009.001.05": "payments_mandates__5/pain.009.001.05.xsd",
	"pain.011.001.05": "payments_mandates__5/pain.011.001.05.xsd",
	"camt.055.001.09": "exceptions__investigations_10/camt.055.001.09.xsd",
}

func xmllint(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("xmllint", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("xmllint %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// valid holds a message against its published schema.
func valid(t *testing.T, form, text string) (path string) {
	t.Helper()
	dir, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "message.xml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	xmllint(t, "--noout", "--nonet", "--schema", filepath.Join(dir, published[form]), path)
	return path
}

// The schemas that were published, and a program that is not ours, find every message right, also in count and sum.
func TestMessagesAreValidAndAddUpByXmllint(t *testing.T) {
	t.Parallel()
	amounts := map[exchange.Kind]string{
		exchange.Debits:  "//*[local-name()='DrctDbtTxInf']/*[local-name()='InstdAmt']",
		exchange.Refunds: "//*[local-name()='Amt']/*[local-name()='InstdAmt']",
		exchange.Recalls: "//*[local-name()='OrgnlInstdAmt']",
	}
	for _, k := range exchange.Kinds {
		form := dialect().Forms[k]
		for _, rich := range []bool{false, true} {
			d := dialect()
			if rich {
				d.UETR, d.Offset, d.PartyName, d.PartyID = true, true, "A bureau", "BUREAU-1"
			}
			m := sample(k, form)
			path := valid(t, form, write(t, d, m))
			if amounts[k] == "" {
				continue
			}
			ask := func(within, above string) string {
				return xmllint(t, "--xpath", fmt.Sprintf("concat(count(%[1]s), ' ', round(100 * sum(%[1]s)), ' ', "+
					"%[2]s/*[local-name()='NbOfTxs'], ' ', round(100 * "+
					"%[2]s/*[local-name()='CtrlSum']))", within+amounts[k], above), path)
			}
			total := func(count int, cents int64) string { return fmt.Sprintf("%[1]d %[2]d %[1]d %[2]d", count, cents) }
			if got, want := ask("", "//*[local-name()='GrpHdr' or local-name()='CtrlData']"), total(m.Count,
				m.SumCents); got != want {
				t.Errorf("%s: %s, not %s", form, got, want)
			}
			if k == exchange.Recalls {
				continue
			}
			for n, g := range m.Groups {
				group := fmt.Sprintf("//*[local-name()='PmtInf'][%d]", n+1)
				if got, want := ask(group, group), total(g.Count, g.SumCents); got != want {
					t.Errorf("%s group %d: %s, not %s", form, n+1, got, want)
				}
			}
		}
	}
}

// The same debits and refunds in every version have the same totals. What a version has is in the next one too, apart
// from the date of a refund, so the published schema judges the others under its own name.
func TestEveryVersionIsValidWithTheSameTotals(t *testing.T) {
	t.Parallel()
	for k, judge := range map[exchange.Kind]string{exchange.Debits: "pain.008.001.09",
		exchange.Refunds: "pain.001.001.10"} {
		for _, form := range iso20022.Forms(k) {
			text := strings.Replace(write(t, dialect(), sample(k, form)), ":"+form+`"`, ":"+judge+`"`, 1)
			if form == "pain.001.001.03" {
				text = strings.ReplaceAll(text, "<ReqdExctnDt>2026-11-22<", "<ReqdExctnDt><Dt>2026-11-22</Dt><")
			}
			path := valid(t, judge, text)
			totals := xmllint(t, "--xpath", "concat(//*[local-name()='GrpHdr']/*[local-name()='NbOfTxs'], ' ', "+
				"//*[local-name()='GrpHdr']/*[local-name()='CtrlSum'])", path)
			if want := map[exchange.Kind]string{exchange.Debits: "3 749.95",
				exchange.Refunds: "2 150.01"}[k]; totals != want {
				t.Errorf("%s: %s, not %s", form, totals, want)
			}
		}
	}
}

func TestTheSchemaRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	text := write(t, dialect(), sample(exchange.Debits, "pain.008.001.09"))
	for right, wrong := range map[string]string{
		"<PmtInfId>DD20261122-000042-01<": "<PmtInfId>" + id(1).String() +
			"<", // a dash too many: 36 characters
		"<DtOfSgntr>2026-08-14</DtOfSgntr><TrckgDays>05</TrckgDays>": "<TrckgDays>05</TrckgDays><DtOfSgntr>2026-08-14</DtOfSgntr>",
		"<TrckgDays>05<": "<TrckgDays>5<",
	} {
		lint := exec.Command("xmllint", "--noout", "--nonet", "--schema", filepath.Join(dir,
			published["pain.008.001.09"]), "-")
		lint.Stdin = strings.NewReader(strings.Replace(text, right, wrong, 1))
		if out, err := lint.CombinedOutput(); err == nil || !strings.Contains(string(out), "fails to validate") {
			t.Errorf("%s: %v %s", wrong, err, out)
		}
	}
}

// A reader that knows nothing of ours finds the fields where they belong.
func TestAForeignReaderFindsTheFields(t *testing.T) {
	t.Parallel()
	parse := func(k exchange.Kind) any {
		doc, err := document.ParseIso20022Document([]byte(write(t, dialect(), sample(k, dialect().Forms[k]))))
		if err != nil {
			t.Fatal(err)
		}
		return doc.InspectMessage()
	}
	same := func(what string, got, want any) {
		t.Helper()
		if is := fmt.Sprint(reflect.Indirect(reflect.ValueOf(got)).Interface()); is != fmt.Sprint(want) {
			t.Errorf("%s: %v, not %v", what, is, want)
		}
	}
	debits, ok := parse(exchange.Debits).(*pain_v09.CustomerDirectDebitInitiationV09)
	if !ok {
		t.Fatal("the debits are something else")
	}
	same("message", debits.GrpHdr.MsgId, "DD20261122-000042")
	same("count", debits.GrpHdr.NbOfTxs, "3")
	same("sum", debits.GrpHdr.CtrlSum, 749.95)
	same("groups", len(debits.PmtInf), 2)
	g, in := debits.PmtInf[1], debits.PmtInf[1].DrctDbtTxInf[0]
	same("group", g.PmtInfId, "DD20261122-000042-02")
	same("creditor", g.Cdtr.Nm, gym.Name)
	same("creditor account", g.CdtrAcct.Id.Othr.Id, gym.Account)
	same("branch", in.DbtrAgt.FinInstnId.ClrSysMmbId.MmbId, "051001")
	same("scheme", in.DbtrAgt.FinInstnId.ClrSysMmbId.ClrSysId.Cd, "ZANCC")
	same("account", in.DbtrAcct.Id.Othr.Id, "10004301100")
	same("type", in.DbtrAcct.Tp.Cd, "SVGS")
	same("amount", in.InstdAmt.Value, 500.0)
	same("currency", in.InstdAmt.Ccy, "ZAR")
	same("tracking", in.DrctDbtTx.MndtRltdInf.TrckgDays, "05")
	same("name", in.Dbtr.Nm, "MR T EXAMPLE")
	same("line", in.RmtInf.Ustrd[0], "EXAMPLEGYMCR000000000123261125")
	same("end to end", in.PmtId.EndToEndId, strings.ReplaceAll(id(3).String(), "-", ""))

	mandates, ok := parse(exchange.Mandates).(*pain_v05.MandateInitiationRequestV05)
	if !ok {
		t.Fatal("the mandates are something else")
	}
	same("mandates", len(mandates.Mndt), 4)
	m := mandates.Mndt[0]
	same("request", m.MndtReqId, strings.ReplaceAll(id(6).String(), "-", ""))
	same("value type", m.Tp.Clssfctn.Cd, "VARI")
	same("day", m.Ocrncs.Frqcy.PtInTm.PtInTm, "25")
	same("maximum", m.MaxAmt.Value, 750.0)
	same("identity", m.Dbtr.Id.PrvtId.Othr[0].Id, "8001015009087")
	same("identity's kind", m.Dbtr.Id.PrvtId.Othr[0].SchmeNm.Cd, "NIDN")
	same("passport's kind", mandates.Mndt[1].Dbtr.Id.PrvtId.Othr[0].SchmeNm.Cd, "CCPT")
	same("phone", m.Dbtr.CtctDtls.MobNb, "+27-820000000")
	for _, k := range []exchange.Kind{exchange.Refunds, exchange.Recalls, exchange.Cancellations} {
		if parse(k) == nil {
			t.Errorf("%s are not read", k)
		}
	}
}
