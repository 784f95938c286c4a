package iso20022_test

import (
	"strings"
	"testing"
)

const (
	first  = "6f1c2b8e4d0a4c55a3e1b7c90d2f6a11"
	second = "0b7a9d3c1e2f4a5687c0d1e2f3a4b5c6"
)

// partialReport accepts a group and refuses an item of another. Its form is the same from .03 to .14.
const partialReport = `<CstmrPmtStsRpt>
	<GrpHdr><MsgId>BANK-ISR-7781</MsgId><CreDtTm>2026-11-22T09:41:10</CreDtTm></GrpHdr>
	<OrgnlGrpInfAndSts>
		<OrgnlMsgId>DD20261122-000042</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId>
		<OrgnlNbOfTxs>3</OrgnlNbOfTxs><OrgnlCtrlSum>749.95</OrgnlCtrlSum><GrpSts>PART</GrpSts>
		<NbOfTxsPerSts><DtldNbOfTxs>2</DtldNbOfTxs><DtldSts>ACCP</DtldSts><DtldCtrlSum>650</DtldCtrlSum></NbOfTxsPerSts>
		<NbOfTxsPerSts><DtldNbOfTxs>1</DtldNbOfTxs><DtldSts>RJCT</DtldSts></NbOfTxsPerSts>
	</OrgnlGrpInfAndSts>
	<OrgnlPmtInfAndSts>
		<OrgnlPmtInfId>DD20261122-000042-01</OrgnlPmtInfId><PmtInfSts>PART</PmtInfSts>
		<TxInfAndSts>
			<StsId>7781-1</StsId><OrgnlInstrId>` + second + `</OrgnlInstrId><OrgnlEndToEndId>` + second + `</OrgnlEndToEndId>
			<TxSts>RJCT</TxSts>
			<StsRsnInf><Orgtr><Nm>MR T EXAMPLE</Nm></Orgtr><Rsn><Cd>AC01</Cd></Rsn>
				<AddtlInf>CDV failed for 632005</AddtlInf><AddtlInf>account 04047530660</AddtlInf></StsRsnInf>
			<StsRsnInf><Rsn><Prtry>26</Prtry></Rsn></StsRsnInf>
			<OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">99.95</InstdAmt></Amt><ReqdColltnDt>2026-11-25</ReqdColltnDt>
				<RmtInf><Ustrd>EXAMPLEGYMCR000000000124000001</Ustrd></RmtInf>
				<Dbtr><Pty><Nm>MR T EXAMPLE</Nm></Pty></Dbtr><DbtrAcct><Id><Othr><Id>04047530660</Id></Othr></Id></DbtrAcct></OrgnlTxRef>
		</TxInfAndSts>
	</OrgnlPmtInfAndSts>
	<OrgnlPmtInfAndSts>
		<OrgnlPmtInfId>DD20261122-000042-02</OrgnlPmtInfId><OrgnlNbOfTxs>1</OrgnlNbOfTxs><PmtInfSts>ACCP</PmtInfSts>
	</OrgnlPmtInfAndSts>
</CstmrPmtStsRpt>`

const partialEvents = `
	message m message=DD20261122-000042 name=pain.008.001.08 status=PART count=3 sum=74995 ACCP:2/true/65000 RJCT:1/false/0 at=2026-11-22T07:41:10Z
	item g1.t1 message=DD20261122-000042 name=pain.008.001.08 group=DD20261122-000042-01 id=` + second +
	` line=EXAMPLEGYMCR000000000124000001 status=RJCT reason=AC01/false/CDV failed for 632005 account •••• 0660 reason=26/true/ amount=9995ZAR at=2026-11-22T07:41:10Z
	group g1 message=DD20261122-000042 name=pain.008.001.08 group=DD20261122-000042-01 status=PART at=2026-11-22T07:41:10Z
	group g2 message=DD20261122-000042 name=pain.008.001.08 group=DD20261122-000042-02 status=ACCP count=1 at=2026-11-22T07:41:10Z`

func TestAStatusReportSaysMessageGroupsAndItemsInEveryVersion(t *testing.T) {
	for _, version := range []string{"03", "10", "11", "12", "13", "14", "99"} {
		events := expect(t, documentOf("pain.002.001."+version, partialReport), partialEvents)
		if t.Failed() {
			t.Fatal(version)
		}
		for _, e := range events {
			for _, secret := range []string{"04047530660", "EXAMPLE</", "MR T"} {
				if strings.Contains(string(e.Raw), secret) {
					t.Errorf("%s: the evidence holds %s: %s", e.Path, secret, e.Raw)
				}
			}
		}
		want := `<TxInfAndSts><StsId>7781-1</StsId><OrgnlInstrId>` + second + `</OrgnlInstrId><OrgnlEndToEndId>` + second +
			`</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC01</Cd></Rsn><AddtlInf>CDV failed for 632005</AddtlInf>` +
			`<AddtlInf>account •••• 0660</AddtlInf></StsRsnInf><StsRsnInf><Rsn><Prtry>26</Prtry></Rsn></StsRsnInf>` +
			`<OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">99.95</InstdAmt></Amt><ReqdColltnDt>2026-11-25</ReqdColltnDt>` +
			`<RmtInf><Ustrd>EXAMPLEGYMCR•••• 0001</Ustrd></RmtInf></OrgnlTxRef></TxInfAndSts>`
		if got := string(events[1].Raw); got != want {
			t.Errorf("evidence:\n%s\nwant:\n%s", got, want)
		}
	}
	_, arrival := mustDecode(t, documentOf("pain.002.001.10", partialReport))
	if arrival.Name != "pain.002.001.10" || arrival.ID != "BANK-ISR-7781" ||
		arrival.CreatedAt.Format("2006-01-02 15:04:05 MST") != "2026-11-22 07:41:10 UTC" {
		t.Errorf("%+v", arrival)
	}
}

// report wraps one group's content, or what stands beside the groups.
func report(content string) string {
	return documentOf("pain.002.001.10", `<CstmrPmtStsRpt><GrpHdr><MsgId>B1</MsgId>`+
		`<CreDtTm>2026-11-22T09:41:10.123456789+02:00</CreDtTm></GrpHdr>`+content+`</CstmrPmtStsRpt>`)
}

func TestAWholeRefusalIsOneEventWithItsReasons(t *testing.T) {
	expect(
		t,
		report(
			`<OrgnlGrpInfAndSts><OrgnlMsgId>DD1</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.02</OrgnlMsgNmId><GrpSts>RJCT</GrpSts>`+
				`<StsRsnInf><Rsn><Cd>AM10</Cd></Rsn><AddtlInf>control sum</AddtlInf></StsRsnInf><StsRsnInf><AddtlInf>call us</AddtlInf></StsRsnInf></OrgnlGrpInfAndSts>`,
		),
		`message m message=DD1 name=pain.008.001.02 status=RJCT reason=AM10/false/control sum reason=/false/call us at=2026-11-22T07:41:10Z`,
	)
}

func TestItemsAreReadWithAndWithoutTheirParts(t *testing.T) {
	head := `<OrgnlGrpInfAndSts><OrgnlMsgId>DD1</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId></OrgnlGrpInfAndSts>`
	message := `message m message=DD1 name=pain.008.001.08 at=2026-11-22T07:41:10Z` + "\n"
	for name, c := range map[string]struct{ item, want string }{
		"settled, with the time of acceptance and both references": {
			`<TxSts>ACSC</TxSts><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId><OrgnlInstrId>` + first + `</OrgnlInstrId>` +
				`<AccptncDtTm>2026-11-25T23:59:59Z</AccptncDtTm><AcctSvcrRef>FB1</AcctSvcrRef>` +
				`<OrgnlTxRef><IntrBkSttlmAmt Ccy="ZAR">5.5</IntrBkSttlmAmt><MndtRltdInf><MndtId>M1</MndtId></MndtRltdInf></OrgnlTxRef>`,
			`id=` + first + ` status=ACSC amount=550ZAR ref=FB1 mandate=M1 at=2026-11-25T23:59:59Z`},
		"the mandate one deeper, as in the newer versions": {
			`<TxSts>ACSC</TxSts><OrgnlTxRef><MndtRltdInf><DrctDbtMndt><MndtId>M2</MndtId></DrctDbtMndt></MndtRltdInf></OrgnlTxRef>`,
			`status=ACSC mandate=M2 at=2026-11-22T07:41:10Z`},
		"parts of a cent": {
			`<TxSts>ACSC</TxSts><OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">5.501</InstdAmt></Amt></OrgnlTxRef>`,
			`status=ACSC at=2026-11-22T07:41:10Z PROBLEM=The amount 5.501 has parts of a cent.`},
		"zeros behind the cents": {
			`<TxSts>ACSC</TxSts><OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">0005.50000</InstdAmt></Amt></OrgnlTxRef>`,
			`status=ACSC amount=550ZAR at=2026-11-22T07:41:10Z`},
		"an amount that nobody has": {
			`<OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">99999999999999999999999999.00</InstdAmt></Amt></OrgnlTxRef>`,
			`at=2026-11-22T07:41:10Z PROBLEM=The amount 99999999999999999999999999.00 is too large.`},
		"no number": {
			`<OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">1e3</InstdAmt></Amt></OrgnlTxRef>`,
			`at=2026-11-22T07:41:10Z PROBLEM=‘1e3’ is not an amount.`},
		"below zero": {
			`<OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">-1.00</InstdAmt></Amt></OrgnlTxRef>`,
			`at=2026-11-22T07:41:10Z PROBLEM=The amount -1.00 is below zero.`},
		"no time": {
			`<TxSts>RJCT</TxSts><AccptncDtTm>yesterday</AccptncDtTm>`,
			`status=RJCT at=2026-11-22T07:41:10Z PROBLEM=‘yesterday’ is not a time.`},
		"unknown elements, comments, instructions and characters given by number": {
			`<!-- new in 2030 --><Nw><TxSts>ACSC</TxSts></Nw><?note x?><TxSts><![CDATA[RJCT]]></TxSts><StsRsnInf><Rsn><Cd>AC&#48;4</Cd></Rsn></StsRsnInf>`,
			`status=RJCT reason=AC04/false/ at=2026-11-22T07:41:10Z`},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, report(head+`<TxInfAndSts>`+c.item+`</TxInfAndSts>`),
				message+`item t1 message=DD1 name=pain.008.001.08 `+c.want)
		})
	}
}

func TestCountsThatCannotBeAreSaid(t *testing.T) {
	events, _ := mustDecode(t, report(`<OrgnlGrpInfAndSts><OrgnlMsgId>DD1</OrgnlMsgId><OrgnlNbOfTxs>2</OrgnlNbOfTxs>`+
		`<OrgnlCtrlSum>1.234</OrgnlCtrlSum><NbOfTxsPerSts><DtldNbOfTxs>3</DtldNbOfTxs><DtldSts>ACCP</DtldSts></NbOfTxsPerSts>`+
		`<NbOfTxsPerSts><DtldNbOfTxs>many</DtldNbOfTxs><DtldSts>RJCT</DtldSts></NbOfTxsPerSts></OrgnlGrpInfAndSts>`))
	want := "The amount 1.234 has parts of a cent. ‘many’ is not a count. The bank counts 2 items, but 3 by their status."
	if got := events[0]; got.Problem != want || got.HasSum || got.Count != 2 {
		t.Errorf("%s", line(got))
	}
}
