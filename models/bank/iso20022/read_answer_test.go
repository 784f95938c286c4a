package iso20022_test

import (
	"strings"
	"testing"
)

func mandateAnswer(details string) string {
	return `<MndtAccptncRpt><GrpHdr><MsgId>BANK-MA-55</MsgId><CreDtTm>2026-11-22T09:31:40</CreDtTm></GrpHdr>` +
		`<UndrlygAccptncDtls><OrgnlMsgInf><MsgId>MI20261122-000007</MsgId><MsgNmId>pain.009.001.05</MsgNmId></OrgnlMsgInf>` +
		details +
		`</UndrlygAccptncDtls></MndtAccptncRpt>`
}

func wholeMandate(id, more string) string {
	return `<OrgnlMndt><OrgnlMndt><MndtId>` + id + `</MndtId><MndtReqId>` + first + `</MndtReqId>` + more +
		`<TrckgInd>true</TrckgInd>` +
		`<ColltnAmt Ccy="ZAR">500.00</ColltnAmt><Cdtr><Nm>Example Gym (Pty) Ltd</Nm></Cdtr>` +
		`<Dbtr><Nm>MR P PAYER</Nm><Id><PrvtId><Othr><Id>8001015009087</Id></Othr></PrvtId></Id></Dbtr>` +
		`<DbtrAcct><Id><Othr><Id>10004301100</Id></Othr></Id></DbtrAcct><DbtrAgt><FinInstnId/></DbtrAgt>` +
		`<MndtRef>NC000000000001</MndtRef></OrgnlMndt></OrgnlMndt>`
}

func TestAnswersToMandateRequestsAreRead(t *testing.T) {
	const ours = `mandate a1 message=MI20261122-000007 name=pain.009.001.05`
	const at = ` at=2026-11-22T07:31:40Z`
	for name, c := range map[string]struct{ details, want string }{
		"accepted at an ATM": {
			`<AccptncRslt><Accptd>true</Accptd></AccptncRslt>` + wholeMandate("BANK000123",
				`<Authntcn><Chanl><Cd>ATMA</Cd></Chanl></Authntcn>`),
			ours + ` id=` + first + ` amount=50000ZAR accepted mandate=BANK000123 contract=NC000000000001 channel=atm` + at},
		"accepted in a channel of the bank's own": {
			`<AccptncRslt><Accptd>1</Accptd></AccptncRslt>` + wholeMandate("BANK000123",
				`<Authntcn><Chanl><Prtry>Banking App</Prtry></Chanl></Authntcn>`),
			ours + ` id=` + first + ` amount=50000ZAR accepted mandate=BANK000123 contract=NC000000000001 channel=banking_app` +
				at},
		"no answer by the payer, our id alone": {
			`<AccptncRslt><Accptd>false</Accptd><RjctRsn><Cd>NOAS</Cd></RjctRsn><AddtlRjctRsnInf>no response</AddtlRjctRsnInf></AccptncRslt>` +
				`<OrgnlMndt><OrgnlMndtId>` + first + `</OrgnlMndtId></OrgnlMndt>`,
			ours + ` id=` + first + ` reason=NOAS/false/no response` + at},
		"suspended, the bank's reference alone": {
			`<AccptncRslt><Accptd>false</Accptd><RjctRsn><Prtry>MSUC</Prtry></RjctRsn></AccptncRslt><OrgnlMndt><OrgnlMndtId>BANK000123</OrgnlMndtId></OrgnlMndt>`,
			ours + ` id=BANK000123 reason=MSUC/true/ mandate=BANK000123` + at},
		"neither": {
			`<AccptncRslt><Accptd>maybe</Accptd></AccptncRslt>`,
			ours + at + ` PROBLEM=‘maybe’ does not say whether the mandate was accepted.`},
	} {
		for _, version := range []string{"01", "05"} {
			t.Run(name+" in ."+version, func(t *testing.T) {
				events := expect(t, documentOf("pain.012.001."+version, mandateAnswer(c.details)), c.want)
				if raw := string(events[0].Raw); strings.Contains(raw, "8001015009087") || strings.Contains(raw, "10004301100") ||
					strings.Contains(raw, "PAYER") {
					t.Errorf("evidence: %s", raw)
				}
			})
		}
	}
}

func recallAnswer(content string) string {
	return `<RsltnOfInvstgtn><Assgnmt><Id>BANK-RC-1</Id><Assgnr><Agt><FinInstnId/></Agt></Assgnr>` +
		`<Assgne><Pty><Nm>Example Gym (Pty) Ltd</Nm></Pty></Assgne><CreDtTm>2026-11-23T11:00:00</CreDtTm></Assgnmt>` +
		content + `</RsltnOfInvstgtn>`
}

const (
	group = `<OrgnlGrpInf><OrgnlMsgId>DD1</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId></OrgnlGrpInf>`

	recalledInAGroup = `<Sts><Conf>PECR</Conf></Sts><CxlDtls><OrgnlPmtInfAndSts><OrgnlPmtInfId>DD1-01</OrgnlPmtInfId>` +
		group +
		`<TxInfAndSts><OrgnlInstrId>` + first + `</OrgnlInstrId><OrgnlEndToEndId>` + first +
		`</OrgnlEndToEndId><TxCxlSts>ACCR</TxCxlSts>` +
		`<OrgnlInstdAmt Ccy="ZAR">150.00</OrgnlInstdAmt></TxInfAndSts>` +
		`<TxInfAndSts><OrgnlInstrId>` + second +
		`</OrgnlInstrId><TxCxlSts>RJCR</TxCxlSts><CxlStsRsnInf><Rsn><Cd>ARDT</Cd></Rsn>` +
		`<AddtlInf>already returned</AddtlInf></CxlStsRsnInf></TxInfAndSts></OrgnlPmtInfAndSts></CxlDtls>`
	recalledBesideGroups = `<RslvdCase><Id>RC1</Id><Cretr><Pty><Nm>Example</Nm></Pty></Cretr></RslvdCase><Sts><Conf>CNCL</Conf></Sts><CxlDtls><TxInfAndSts>` + group +
		`<OrgnlEndToEndId>` + first + `</OrgnlEndToEndId></TxInfAndSts></CxlDtls>`
	recalledMessage = `<Sts><Conf>RJCR</Conf></Sts><CxlDtls><OrgnlGrpInfAndSts><OrgnlGrpCxlId>RC7</OrgnlGrpCxlId><OrgnlMsgId>DD1</OrgnlMsgId>` +
		`<OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId><OrgnlNbOfTxs>2</OrgnlNbOfTxs><GrpCxlSts>RJCR</GrpCxlSts></OrgnlGrpInfAndSts></CxlDtls>`
)

func TestAnswersToRecallsAreRead(t *testing.T) {
	const at = ` at=2026-11-23T09:00:00Z`
	for name, c := range map[string]struct{ content, want string }{
		"one recalled and one not, in a group": {
			recalledInAGroup,
			`recall c1.g1.t1 message=DD1 name=pain.008.001.08 group=DD1-01 id=` + first +
				` status=ACCR amount=15000ZAR accepted` + at + `
			recall c1.g1.t2 message=DD1 name=pain.008.001.08 group=DD1-01 id=` + second +
				` status=RJCR reason=ARDT/false/already returned` + at + `
			recall m status=PECR` + at},
		"the item beside the groups, with the answer to all": {
			recalledBesideGroups,
			`recall c1.t1 message=DD1 name=pain.008.001.08 end=` + first + ` case=RC1 status=CNCL accepted` + at + `
			recall m case=RC1 status=CNCL accepted` + at},
		"a whole message": {
			recalledMessage,
			`recall c1 message=DD1 name=pain.008.001.08 case=RC7 status=RJCR count=2` + at + `
			recall m status=RJCR` + at},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, documentOf("camt.029.001.10", recallAnswer(c.content)), c.want)
			older := strings.Replace(documentOf("camt.029.001.10", recallAnswer(c.content)), "camt.029.001.10",
				"camt.029.001.03", 1)
			expect(t, older, c.want)
		})
	}
}
