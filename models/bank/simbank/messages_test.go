package simbank

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"debitdesk/models/calendar"
)

func pain001(version, id string, day string, items ...ask) string {
	date := "<Dt>" + day + "</Dt>"
	if version == "03" {
		date = day
	}
	var out strings.Builder
	fmt.Fprintf(
		&out,
		`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.%s"><CstmrCdtTrfInitn><GrpHdr><MsgId>%s</MsgId>
<CreDtTm>2026-11-22T09:30:00</CreDtTm><NbOfTxs>%d</NbOfTxs><CtrlSum>%s</CtrlSum><InitgPty><Nm>Gym</Nm></InitgPty></GrpHdr>
<PmtInf><PmtInfId>%s-01</PmtInfId><PmtMtd>TRF</PmtMtd><NbOfTxs>%d</NbOfTxs><ReqdExctnDt>%s</ReqdExctnDt>
<Dbtr><Nm>Gym</Nm></Dbtr><DbtrAcct><Id><Othr><Id>50100000001</Id></Othr></Id></DbtrAcct>
<DbtrAgt><FinInstnId><ClrSysMmbId><MmbId>250655</MmbId></ClrSysMmbId></FinInstnId></DbtrAgt>`,
		version,
		id,
		len(items),
		rands(cents(items)),
		id,
		len(items),
		date,
	)
	for _, a := range items {
		fmt.Fprintf(&out, `
<CdtTrfTxInf><PmtId><InstrId>%s</InstrId><EndToEndId>%s</EndToEndId></PmtId><Amt><InstdAmt Ccy="ZAR">%s</InstdAmt></Amt>
<CdtrAgt><FinInstnId><ClrSysMmbId><MmbId>632005</MmbId></ClrSysMmbId></FinInstnId></CdtrAgt><Cdtr><Nm>MR P</Nm></Cdtr>
<CdtrAcct><Id><Othr><Id>%s</Id></Othr></Id></CdtrAcct></CdtTrfTxInf>`, a.id, a.id, rands(a.cents), a.account)
	}
	return out.String() + "\n</PmtInf></CstmrCdtTrfInitn></Document>\n"
}

func camt055(id string, debits ...string) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.055.001.09"><CstmrPmtCxlReq>
<Assgnmt><Id>%s</Id><CreDtTm>2026-11-23T10:05:00</CreDtTm></Assgnmt><CtrlData><NbOfTxs>%d</NbOfTxs></CtrlData>
<Undrlyg><OrgnlPmtInfAndCxl><OrgnlPmtInfId>G-01</OrgnlPmtInfId>`, id, len(debits))
	for i, debit := range debits {
		fmt.Fprintf(&out, `<TxInf><CxlId>%s-%d</CxlId><OrgnlInstrId>%s</OrgnlInstrId><OrgnlEndToEndId>%s</OrgnlEndToEndId>
<OrgnlInstdAmt Ccy="ZAR">1.00</OrgnlInstdAmt></TxInf>`, id, i+1, debit, debit)
	}
	return out.String() + `</OrgnlPmtInfAndCxl></Undrlyg></CstmrPmtCxlReq></Document>`
}

// pain007 is camt.055 as a reversal of debits that left in the message of.
func pain007(id, of string, debits ...string) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.007.001.10"><CstmrPmtRvsl>
<GrpHdr><MsgId>%s</MsgId><CreDtTm>2026-11-23T10:05:00</CreDtTm><NbOfTxs>%d</NbOfTxs></GrpHdr>
<OrgnlGrpInf><OrgnlMsgId>%s</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId></OrgnlGrpInf>
<OrgnlPmtInfAndRvsl><OrgnlPmtInfId>G-01</OrgnlPmtInfId>`, id, len(debits), of)
	for i, debit := range debits {
		fmt.Fprintf(&out, `<TxInf><RvslId>%s-%d</RvslId><OrgnlInstrId>%s</OrgnlInstrId><OrgnlEndToEndId>%s</OrgnlEndToEndId>
<OrgnlInstdAmt Ccy="ZAR">1.00</OrgnlInstdAmt></TxInf>`, id, i+1, debit, debit)
	}
	return out.String() + `</OrgnlPmtInfAndRvsl></CstmrPmtRvsl></Document>`
}

func TestReversalsAreAnsweredByStatusReportsAboutTheirDebits(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{})
	b.put("DD1.xml", pain008("08", "DD1", eft(ask{"1", "4000000000", 100}, ask{"2", "4000000000", 100})))
	b.put("DD2.xml", pain008("08", "DD2", eft(ask{"3", "4000000000", 100})))
	b.round()
	b.now = tuesday.At(23, 59)
	b.put("RC1.xml", pain007("RC1", "DD1", "1", "3")) // 3 left in another message
	b.put("RC2.xml", pain007("RC2", "NONE", "2"))
	b.round()
	b.now = wednesday.At(0, 0)
	b.put("RC3.xml", pain007("RC3", "DD1", "2"))
	b.round()
	all := b.answers("pain.002")[2:]
	b.same("answers", len(all), 4)
	b.same("in time", all[0].texts("GrpSts")+" "+all[0].texts("OrgnlInstrId")+" "+all[0].texts("TxSts"), "PART 3 RJCT")
	b.same("reversed", all[1].texts("OrgnlMsgId")+" "+all[1].texts("OrgnlMsgNmId")+" "+all[1].texts("OrgnlInstrId")+" "+
		all[1].texts("TxSts"), "RC1 pain.007.001.10 1 ACSC")
	b.same("of nothing", all[2].texts("GrpSts")+" "+all[2].texts("Rsn/Cd"), "RJCT NOOR")
	b.same("too late", all[3].texts("OrgnlInstrId")+" "+all[3].texts("TxSts"), "2 RJCT")
	b.valid()
	b.at(friday, 18, 0)
	b.same("ledger", sum(b.bank.Entries()), 200)
}

func pain009(id, channel string, accounts ...string) string {
	var out strings.Builder
	fmt.Fprintf(
		&out,
		`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.009.001.05"><MndtInitnReq><GrpHdr><MsgId>%s</MsgId>
<CreDtTm>2026-11-22T09:30:00</CreDtTm></GrpHdr>`,
		id,
	)
	for _, account := range accounts {
		fmt.Fprintf(&out, `<Mndt><MndtReqId>%s-%s</MndtReqId><Authntcn><Chanl><Prtry>%s</Prtry></Chanl></Authntcn>
<ColltnAmt Ccy="ZAR">500.00</ColltnAmt><Cdtr><Nm>Gym</Nm></Cdtr><Dbtr><Nm>MR P</Nm></Dbtr>
<DbtrAcct><Id><Othr><Id>%s</Id></Othr></Id></DbtrAcct>
<DbtrAgt><FinInstnId><ClrSysMmbId><MmbId>632005</MmbId></ClrSysMmbId></FinInstnId></DbtrAgt><MndtRef>NC1</MndtRef></Mndt>`,
			id, tail(account), channel, account)
	}
	return out.String() + `</MndtInitnReq></Document>`
}

func pain011(id, request string) string {
	return fmt.Sprintf(
		`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.011.001.05"><MndtCxlReq><GrpHdr><MsgId>%s</MsgId>
<CreDtTm>2026-11-22T09:30:00</CreDtTm></GrpHdr><UndrlygCxlDtls><CxlRsn><Rsn><Cd>CTCA</Cd></Rsn></CxlRsn>
<OrgnlMndt><OrgnlMndtId>%s</OrgnlMndtId></OrgnlMndt></UndrlygCxlDtls></MndtCxlReq></Document>`,
		id,
		request,
	)
}

func TestRefundsAreSettledOrRefused(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"03", "09", "10", "11", "12"} {
		b := newBench(t, Settings{})
		b.put("RF1.xml", pain001(version, "RF1", "2026-11-23", ask{"good", "4000000000", 100}, ask{"closed", "4000009012",
			200}))
		b.same("taken", b.round(), Report{Taken: 1, Written: 1})
		b.same("at once", b.only("pain.002").texts("GrpSts"), "ACCP")
		b.at(tuesday, 6, 0)
		later := b.answers("pain.002")[1]
		b.same("later", later.texts("OrgnlInstrId")+" "+later.texts("TxSts")+" "+later.texts("Rsn/Cd"),
			"good closed ACSC RJCT AC04")
		b.same("ledger", sum(b.bank.Entries()), -100)
		b.at(wednesday, 6, 0)
		statement := b.only("camt.053")
		b.same("statement", statement.texts("Bal/CdtDbtInd")+" "+statement.texts("TxDtls/Refs/InstrId"), "CRDT DBIT good")
		b.valid()
	}
}

func TestRecallsAreDoneBeforeTheDayAndRefusedAfter(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"camt.029", "pain.002"} {
		b := newBench(t, Settings{Recalls: how})
		b.put("DD1.xml", pain008("08", "DD1", eft(ask{"1", "4000000000", 100}, ask{"2", "4000000000", 100}, ask{"3",
			"4000009002", 100})))
		b.round()
		b.now = tuesday.At(23, 59)
		b.put("RC1.xml", camt055("RC1", "1", "none"))
		b.round()
		b.now = wednesday.At(0, 0)
		b.put("RC2.xml", camt055("RC2", "2"))
		b.put("RC3.xml", camt055("RC3", "1"))
		b.round()
		if how == "camt.029" {
			all := b.answers("camt.029")
			b.same("in time", all[0].texts("TxCxlSts")+" "+all[0].texts("OrgnlInstrId")+" "+all[0].texts("Rsn/Cd"),
				"ACCR RJCR 1 none NOOR")
			b.same("too late", all[1].texts("TxCxlSts")+" "+all[1].texts("Rsn/Prtry"), "RJCR TOOLATE")
			b.same("again", all[2].texts("TxCxlSts"), "RJCR")
			b.same("valid", b.valid(), "[camt.029.001.10 pain.002.001.11]")
		} else {
			all := b.answers("pain.002")
			b.same("answers", len(all), 5)
			b.same("acknowledged", all[1].texts("OrgnlMsgId")+" "+all[1].texts("OrgnlInstrId"), "RC1 RC1-2")
			b.same("in time", all[2].texts("OrgnlMsgId")+" "+all[2].texts("OrgnlInstrId")+" "+all[2].texts("TxSts"),
				"DD1 1 CANC")
			b.same("too late", all[3].texts("GrpSts")+" "+all[3].texts("TxSts"), "PART RJCT")
			b.valid()
		}
		b.at(friday, 18, 0)
		b.same("ledger", sum(b.bank.Entries()), 100)
	}
}

func TestMandateRequestsAreAnsweredByThePayer(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{})
	b.put("MI1.xml", pain009("MI1", "DELAYED", "4000000000", "4000008002", "4000008003", "4000008120", "4000008480",
		"4000008500",
		"4000008600"))
	b.put("MI2.xml", pain009("MI2", "REAL_TIME", "4000000001", "4000008001", "4000008120", "4000008500"))
	b.round()
	answers := func(after int) (told string) { // seconds
		b.T.Helper()
		before := len(b.folder("inbox"))
		b.now = monday.Add(time.Duration(after) * time.Second)
		b.round()
		for _, content := range b.inbox()[before:] {
			e := parse(b.T, content)
			told += e.texts("OrgnlMndtId") + e.texts("MndtReqId") + " " + e.texts("Accptd") + " " + e.texts("RjctRsn/Cd") +
				e.texts("RjctRsn/Prtry") + "; "
		}
		return told
	}
	b.same("acknowledged", b.answers("pain.002")[0].texts("GrpSts"), "ACTC")
	b.same("after 5 s", answers(5), "MI1-8003 MI1-8500 false false AC04EERR; MI2-0001 MI2-8500 true true ; ")
	b.same("after 119 s", answers(119), "MI2-8001 true ; ")
	b.same("after 120 s", answers(120), "MI2-8120 false NOAS; ")
	b.same("after an hour", answers(3600), "MI1-8002MI1-0000 MI1-8600 true false true MS02; ")
	b.same("the next morning", answers(86400), "MI1-8600 false CTCA; ")
	b.put("MC1.xml", pain011("MC1", "MI1-8480"))
	b.round()
	b.same("after 48 hours", answers(48*3600), "MI1-8120 true ; ")
	b.same("channels", b.answers("pain.012")[1].texts("Authntcn/Chanl/Cd"), "MOBI MOBI")
	b.same("a reference", strings.HasPrefix(b.answers("pain.012")[1].texts("MndtId"), "SIM0000000"), true)
	b.same("valid", b.valid(), "[pain.002.001.11 pain.012.001.05]")
}

func TestDatesThatHavePassedMoveOn(t *testing.T) {
	t.Parallel()
	holiday := calendar.On(2026, 12, 16)
	for _, one := range []struct {
		service   string
		day, runs calendar.Date
		hour      int // of the day before it runs, or of the day itself
		at        calendar.Date
	}{
		{"EFT", calendar.On(2026, 11, 1), calendar.On(2026, 11, 23), 7, calendar.On(2026, 11, 23)},
		{"EFT", calendar.On(2026, 11, 23), calendar.On(2026, 11, 24), 17, calendar.On(2026, 11, 23)},
		{"EFT", calendar.On(2026, 11, 28), calendar.On(2026, 11, 30), 7, calendar.On(2026, 11, 23)},
		{"EFT", holiday, calendar.On(2026, 12, 17), 7, calendar.On(2026, 11, 23)},
		{"DEBICHECK", calendar.On(2026, 11, 28), calendar.On(2026, 11, 28), 7, calendar.On(2026, 11, 23)},
		{"DEBICHECK", calendar.On(2026, 11, 29), calendar.On(2026, 11, 30), 7, calendar.On(2026, 11, 23)},
		{"DEBICHECK", calendar.On(2026, 11, 23), calendar.On(2026, 11, 24), 7, calendar.On(2026, 11, 23)},
	} {
		b := newBench(t, Settings{})
		b.now = one.at.At(one.hour, 0)
		group := eft(ask{"1", "4000000000", 100})
		group.service, group.day = one.service, one.day
		b.put("DD1.xml", pain008("08", "DD1", group))
		b.round()
		b.now = calendar.On(2027, 1, 31).At(12, 0)
		b.round()
		b.same(fmt.Sprint(one), b.bank.Entries()[0].Day, one.runs)
	}
}
