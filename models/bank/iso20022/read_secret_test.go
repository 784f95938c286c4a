package iso20022_test

import (
	"fmt"
	"strings"
	"testing"
)

// A number and a name are planted wherever a bank may speak of persons and accounts, and in places that nobody knows.
// What is kept as evidence or shown to people has neither.
func TestNoAccountNumberAndNoNameIsKept(t *testing.T) {
	const number, name = "62001872440", "THULI EXAMPLE"
	account := `<Id><Othr><Id>` + number + `</Id></Othr></Id><Nm>` + name + `</Nm>`
	person := `<Nm>` + name + `</Nm><PstlAdr><AdrLine>` + name + `</AdrLine></PstlAdr><Id><PrvtId><Othr><Id>` + number +
		`</Id></Othr></PrvtId></Id><CtctDtls><MobNb>` + number + `</MobNb></CtctDtls>`
	var planted strings.Builder
	for _, element := range []string{"DbtrAcct", "CdtrAcct", "RltdAcct", "OrgnlDbtrAcct", "Acct", "Prxy", "New2031"} {
		fmt.Fprintf(&planted, "<%[1]s>%[2]s</%[1]s>", element, account)
	}
	for _, element := range []string{"Dbtr", "Cdtr", "UltmtDbtr", "UltmtCdtr", "InitgPty", "Orgtr",
		"Ownr", "RltdPties", "New2032"} {
		fmt.Fprintf(&planted, "<%[1]s>%[2]s<Pty>%[2]s</Pty></%[1]s>", element, person)
	}
	for _, element := range []string{"IBAN", "New2033", "Id", "ChqNb", "Nm", "MobNb"} {
		fmt.Fprintf(&planted, "<%[1]s>%[2]s</%[1]s>", element, number)
	}
	for _, element := range []string{"AddtlInf", "AddtlTxInf", "AddtlNtryInf", "AddtlRjctRsnInf"} {
		fmt.Fprintf(&planted, "<%[1]s>of %[2]s today</%[1]s>", element, number)
	}
	p := planted.String() + `<RmtInf><Ustrd>of ` + number + `</Ustrd><Strd><CdtrRefInf><Ref>` + number +
		`</Ref></CdtrRefInf></Strd></RmtInf>`
	why := `<Rsn><Cd>AM04</Cd></Rsn>` + p
	for form, text := range map[string]string{
		"status": report(`<OrgnlGrpInfAndSts><OrgnlMsgId>M</OrgnlMsgId><StsRsnInf>` + why + `</StsRsnInf>` + p +
			`</OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><StsRsnInf>` + why + `</StsRsnInf>` + p +
			`<TxInfAndSts><StsRsnInf>` + why + `</StsRsnInf>` + p +
			`<OrgnlTxRef>` + p + `</OrgnlTxRef>` +
			`</TxInfAndSts></OrgnlPmtInfAndSts>`),
		"entry": notification("08", entryOf("1.00", "DBIT",
			`<NtryDtls><TxDtls>`+p+`<RtrInf>`+why+`</RtrInf></TxDtls>`+p+`</NtryDtls>`+p)+
			entryOf("1.00", "DBIT", p)+p),
		"mandate": documentOf("pain.012.001.05",
			mandateAnswer(`<AccptncRslt><Accptd>false</Accptd><RjctRsn><Cd>MS02</Cd></RjctRsn>`+p+`</AccptncRslt>`+
				wholeMandate("B", p)+p)),
		"recall": documentOf("camt.029.001.10",
			recallAnswer(p+`<CxlDtls><OrgnlGrpInfAndSts><CxlStsRsnInf>`+why+`</CxlStsRsnInf></OrgnlGrpInfAndSts>`+
				`<TxInfAndSts>`+p+`<CxlStsRsnInf>`+why+`</CxlStsRsnInf><OrgnlTxRef>`+p+`</OrgnlTxRef></TxInfAndSts></CxlDtls>`)),
	} {
		events, _ := mustDecode(t, text)
		if len(events) < 2 && form != "mandate" {
			t.Errorf("%s: %d events", form, len(events))
		}
		for _, e := range events {
			kept := string(e.Raw) + e.Text + e.Problem
			for _, r := range e.Reasons {
				kept += r.Text + r.Code
			}
			if strings.Contains(kept, number) || strings.Contains(kept, name) ||
				strings.Contains(fmt.Sprintf("%+v", e.Account), number) {
				t.Errorf("%s %s: %s", form, e.Path, kept)
			}
		}
	}
}

func TestAProblemRepeatsNoAccountNumber(t *testing.T) {
	events, _ := mustDecode(t, report(`<TxInfAndSts><AccptncDtTm>62001872440</AccptncDtTm>`+
		`<OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">62001872440 x</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>`))
	if got := events[0].Problem; got != "‘•••• 2440’ is not a time. ‘•••• 2440 x’ is not an amount." {
		t.Error(got)
	}
}
