package iso20022_test

import (
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/moov-io/iso20022/pkg/document"
	"github.com/moov-io/iso20022/pkg/pain_v05"
	"github.com/moov-io/iso20022/pkg/pain_v09"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

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

// The same items in every version are valid by its own schema, and have the same totals.
func TestEveryVersionIsValidByItsOwnSchemaWithTheSameTotals(t *testing.T) {
	t.Parallel()
	totals := map[exchange.Kind]string{exchange.Debits: "3 749.95", exchange.Refunds: "2 150.01",
		exchange.Recalls: "3 450.00", exchange.Mandates: " ", exchange.Cancellations: " "}
	for _, k := range exchange.Kinds {
		for _, form := range iso20022.Forms(k) {
			for _, types := range []string{"codes of the list", "codes of the external list", "the bank's own"} {
				t.Run(form+" with "+types, func(t *testing.T) {
					d := dialect()
					d.Forms[k], d.UETR, d.Offset, d.PartyID = form, types != "codes of the list", true, "BUREAU-1"
					d.AccountTypes = map[string]map[bank.AccountType]string{
						"codes of the external list": {bank.Current: "CACC", bank.Savings: "LLSV", bank.Transmission: "TRAN"},
						"the bank's own":             {bank.Current: "Prtry:1", bank.Savings: "Prtry:2", bank.Transmission: "Prtry:3"},
						"codes of the list":          {bank.Current: "CACC", bank.Savings: "SVGS", bank.Transmission: "TRAS"},
					}[types]
					d.UserCodeAt = map[string]iso20022.Place{"the bank's own": iso20022.CreditorID,
						"codes of the external list": iso20022.Initiator}[types]
					path := file(t, write(t, d, sample(k, form)))
					if got := xmllint(t, "--xpath", "concat((//*[local-name()='NbOfTxs'])[1], ' ', (//*[local-name()='CtrlSum'])[1])",
						path); got != strings.TrimSpace(totals[k]) {
						t.Errorf("%s, not %s", got, totals[k])
					}
					if published[form] != "" {
						xmllint(t, "--noout", "--nonet", "--schema", schemaOf(t, form), path)
					} else if unpublished[form].source == "" {
						t.Error("nothing judges it")
					}
				})
			}
		}
	}
}

func TestTheSchemaRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	text := write(t, dialect(), sample(exchange.Debits, "pain.008.001.09"))
	for right, wrong := range map[string]string{
		"<PmtInfId>DD20261122-000042-01<": "<PmtInfId>" + id(1).String() +
			"<", // a dash too many: 36 characters
		"<DtOfSgntr>2026-08-14</DtOfSgntr><TrckgDays>05</TrckgDays>": "<TrckgDays>05</TrckgDays><DtOfSgntr>2026-08-14</DtOfSgntr>",
		"<TrckgDays>05<": "<TrckgDays>5<",
	} {
		lint := exec.Command("xmllint", "--noout", "--nonet", "--schema", schemaOf(t, "pain.008.001.09"), "-")
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
