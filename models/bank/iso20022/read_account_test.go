package iso20022_test

import (
	"strings"
	"testing"

	"debitdesk/models/bank/exchange"
)

// notification puts entries into a notification about the merchant's account.
func notification(version, entries string) string {
	return documentOf("camt.054.001."+version, `<BkToCstmrDbtCdtNtfctn>
		<GrpHdr><MsgId>BANK-NTF-991</MsgId><CreDtTm>2026-11-26T06:05:00</CreDtTm></GrpHdr>
		<Ntfctn><Id>NTF-1</Id><ElctrncSeqNb>331</ElctrncSeqNb><CreDtTm>2026-11-26T06:06:00</CreDtTm>
			<Acct><Id><Othr><Id>50100000001</Id></Othr></Id><Ccy>ZAR</Ccy><Ownr><Nm>Example Gym (Pty) Ltd</Nm></Ownr></Acct>`+
		entries+`</Ntfctn></BkToCstmrDbtCdtNtfctn>`)
}

// every is what all events of a notification have in common.
const every = ` account=50100000001`

func TestAReturnIsReadInEveryVersion(t *testing.T) {
	refs := `<Refs><PmtInfId>DD20261122-000042-01</PmtInfId><InstrId>` + first + `</InstrId><EndToEndId>` +
		first + `</EndToEndId></Refs>`
	why := `<RltdPties><Dbtr><Nm>MR T EXAMPLE</Nm></Dbtr><DbtrAcct><Id><Othr><Id>62001872440</Id></Othr></Id></DbtrAcct></RltdPties>` +
		`<RtrInf><Rsn><Cd>AM04</Cd></Rsn><AddtlInf>02 NOT PROVIDED FOR</AddtlInf></RtrInf>`
	old := `<AmtDtls><TxAmt><Amt Ccy="ZAR">150.00</Amt></TxAmt></AmtDtls>`
	recent := `<Amt Ccy="ZAR">150.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>`
	for version, c := range map[string]struct{ status, detail string }{
		"02": {`<Sts>BOOK</Sts>`, refs + old + why},
		"04": {`<Sts>BOOK</Sts>`, refs + recent + old + why},
		"06": {`<Sts>BOOK</Sts>`, refs + recent + why},
		"08": {`<Sts><Cd>BOOK</Cd></Sts>`, refs + recent + why},
	} {
		events := expect(
			t,
			notification(version, `<Ntry><NtryRef>1</NtryRef><Amt Ccy="ZAR">150.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>`+
				`<RvslInd>true</RvslInd>`+c.status+`<BookgDt><Dt>2026-11-26</Dt></BookgDt><ValDt><Dt>2026-11-27</Dt></ValDt>`+
				`<AcctSvcrRef>FB26112601</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>IDDT</Cd><SubFmlyCd>UPDD</SubFmlyCd></Fmly></Domn>`+
				`<Prtry><Cd>UNPAID02</Cd></Prtry></BkTxCd><NtryDtls><TxDtls>`+c.detail+`</TxDtls></NtryDtls></Ntry>`),
			`
			entry e1.d1 group=DD20261122-000042-01 id=`+first+` status=BOOK reason=AM04/false/02 NOT PROVIDED FOR amount=15000ZAR`+every+
				` reversal booked=2026-11-26 value=2026-11-27 ref=FB26112601 of=e1 detail=1 entry=15000 code=PMNT/IDDT/UPDD own=UNPAID02 statement=NTF-1 number=331 at=2026-11-25T22:00:00Z
			details e1.sum status=BOOK amount=15000ZAR count=1 sum=-15000`+every+` reversal booked=2026-11-26 value=2026-11-27 ref=FB26112601`+
				` of=e1 entry=15000 code=PMNT/IDDT/UPDD own=UNPAID02 statement=NTF-1 number=331 at=2026-11-25T22:00:00Z
			statement s1 count=1 sum=-15000`+every+` statement=NTF-1 number=331 at=2026-11-26T04:06:00Z`,
		)
		if t.Failed() {
			t.Fatal(version)
		}
		for _, e := range events {
			if raw := string(e.Raw); strings.Contains(raw, "62001872440") || strings.Contains(raw, "50100000001") ||
				strings.Contains(raw, "MR T") {
				t.Errorf("%s: %s", e.Path, raw)
			}
		}
		if raw := string(events[0].Raw); !strings.Contains(
			raw,
			"<RtrInf><Rsn><Cd>AM04</Cd></Rsn><AddtlInf>02 NOT PROVIDED FOR</AddtlInf></RtrInf>",
		) {
			t.Errorf("evidence: %s", raw)
		}
	}
}

// entryOf is a booked entry of Thursday with what else is given.
func entryOf(amount, way, more string) string {
	return `<Ntry><Amt Ccy="ZAR">` + amount + `</Amt><CdtDbtInd>` + way + `</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>` +
		`<BookgDt><DtTm>2026-11-26T08:00:00</DtTm></BookgDt>` + more + `</Ntry>`
}

// entryEvents are the events of the entries of a notification, shortened by what all have.
func entryEvents(t *testing.T, version, entries string) string {
	t.Helper()
	events, _ := mustDecode(t, notification(version, entries))
	var lines []string
	for _, e := range events[:len(events)-1] {
		if e.Account != "50100000001" || e.BookedOn.String() != "2026-11-26" || e.At.IsZero() || e.StatementID != "NTF-1" {
			t.Errorf("%s", line(e))
		}
		e.Account, e.BookedOn.Year, e.StatementID, e.Number = "", 0, "", 0
		e.BookedOn.Month, e.BookedOn.Day = 0, 0
		lines = append(lines, strings.TrimSuffix(line(e), " at=2026-11-26T06:00:00Z"))
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), " at=2026-11-26T06:00:00Z", "")
}

func TestEntriesAreReadByTheirDetails(t *testing.T) {
	detail := func(id, more string) string {
		return `<TxDtls><Refs><InstrId>` + id + `</InstrId></Refs>` + more + `</TxDtls>`
	}
	for name, c := range map[string]struct{ entry, want string }{
		"one entry for two returns": {
			entryOf("250.00", "DBIT", `<NtryDtls>`+detail("a", `<Amt Ccy="ZAR">150.00</Amt>`)+detail("b",
				`<Amt Ccy="ZAR">100</Amt>`)+`</NtryDtls>`),
			`entry e1.d1 id=a status=BOOK amount=15000ZAR of=e1 detail=1 entry=25000
			entry e1.d2 id=b status=BOOK amount=10000ZAR of=e1 detail=2 entry=25000
			details e1.sum status=BOOK amount=25000ZAR count=2 sum=-25000 of=e1 entry=25000`},
		"details that go both ways, in two lists": {
			entryOf("50.00", "CRDT", `<NtryDtls>`+detail("a",
				`<Amt Ccy="ZAR">150.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>`)+`</NtryDtls><NtryDtls>`+
				detail("b", `<Amt Ccy="ZAR">100</Amt><CdtDbtInd>DBIT</CdtDbtInd>`)+`</NtryDtls>`),
			`entry e1.d1 id=a status=BOOK amount=15000ZAR credit of=e1 detail=1 entry=5000
			entry e1.d2 id=b status=BOOK amount=10000ZAR of=e1 detail=2 entry=5000
			details e1.sum status=BOOK amount=5000ZAR count=2 sum=5000 credit of=e1 entry=5000`},
		"details that do not add up, and of which one is missing": {
			entryOf("250.00", "CRDT", `<NtryDtls><Btch><MsgId>DD1</MsgId><PmtInfId>DD1-01</PmtInfId><NbOfTxs>3</NbOfTxs></Btch>`+
				detail("a", `<Amt Ccy="ZAR">150.00</Amt>`)+detail("b", `<Amt Ccy="ZAR">99.95</Amt>`)+`</NtryDtls>`),
			`entry e1.d1 message=DD1 group=DD1-01 id=a status=BOOK amount=15000ZAR credit of=e1 detail=1 entry=25000
			entry e1.d2 message=DD1 group=DD1-01 id=b status=BOOK amount=9995ZAR credit of=e1 detail=2 entry=25000
			details e1.sum status=BOOK amount=25000ZAR count=2 sum=24995 credit of=e1 entry=25000 PROBLEM=The entry is R_250,00, but its details add up to R_249,95. The bank counts 3 payments in this entry, but lists 2.`},
		"the only detail has the entry's amount": {
			entryOf("250.00", "CRDT", `<NtryDtls>`+detail("a",
				`<AmtDtls><InstdAmt><Amt Ccy="USD">15.00</Amt></InstdAmt></AmtDtls>`)+`</NtryDtls>`),
			`entry e1.d1 id=a status=BOOK amount=25000ZAR credit of=e1 detail=1 entry=25000
			details e1.sum status=BOOK amount=25000ZAR count=1 sum=25000 credit of=e1 entry=25000`},
		"details without amounts are no sum": {
			entryOf("250.00", "CRDT", `<NtryDtls>`+detail("a", ``)+detail("b", ``)+`</NtryDtls>`),
			`entry e1.d1 id=a status=BOOK credit of=e1 detail=1 entry=25000
			entry e1.d2 id=b status=BOOK credit of=e1 detail=2 entry=25000
			details e1.sum status=BOOK amount=25000ZAR count=2 credit of=e1 entry=25000`},
		"an entry that stands alone": {
			entryOf("250.00", "CRDT", `<AcctSvcrRef>FB7</AcctSvcrRef><AddtlNtryInf>DEPOSIT 62001872440 on 2026-11-25</AddtlNtryInf><NtryDtls/>`),
			`entry e1 text=DEPOSIT •••• 2440 on 2026-11-25 status=BOOK amount=25000ZAR credit ref=FB7 entry=25000`},
		"a batch by its element": {
			entryOf("250.00", "CRDT", `<NtryDtls><Btch><PmtInfId>DD1-01</PmtInfId><NbOfTxs>2</NbOfTxs></Btch></NtryDtls>`),
			`entry e1.d1 group=DD1-01 status=BOOK amount=25000ZAR count=2 credit batch of=e1 detail=1 entry=25000
			details e1.sum status=BOOK amount=25000ZAR count=1 sum=25000 credit of=e1 entry=25000`},
		"two batches in one entry": {
			entryOf("250.00", "CRDT", `<NtryDtls><Btch><PmtInfId>DD1-01</PmtInfId><TtlAmt Ccy="ZAR">300.00</TtlAmt><CdtDbtInd>CRDT</CdtDbtInd></Btch></NtryDtls>`+
				`<NtryDtls><Btch><PmtInfId>DD1-02</PmtInfId><TtlAmt Ccy="ZAR">50.00</TtlAmt><CdtDbtInd>DBIT</CdtDbtInd></Btch></NtryDtls>`),
			`entry e1.d1 group=DD1-01 status=BOOK amount=30000ZAR credit batch of=e1 detail=1 entry=25000
			entry e1.d2 group=DD1-02 status=BOOK amount=5000ZAR batch of=e1 detail=2 entry=25000
			details e1.sum status=BOOK amount=25000ZAR count=2 sum=25000 credit of=e1 entry=25000`},
		"a batch by the references of its only detail": {
			entryOf("250.00", "CRDT", `<NtryDtls><TxDtls><Refs><MsgId>DD1</MsgId><EndToEndId>NOTPROVIDED</EndToEndId></Refs></TxDtls></NtryDtls>`),
			`entry e1.d1 message=DD1 status=BOOK amount=25000ZAR credit batch of=e1 detail=1 entry=25000
			details e1.sum status=BOOK amount=25000ZAR count=1 sum=25000 credit of=e1 entry=25000`},
		"a payment within a batch of the bank's is no batch": {
			entryOf("250.00", "CRDT", `<NtryDtls><Btch><MsgId>BANKFILE</MsgId></Btch>`+
				`<TxDtls><RmtInf><Ustrd>A</Ustrd></RmtInf></TxDtls></NtryDtls>`),
			`entry e1.d1 message=BANKFILE line=A status=BOOK amount=25000ZAR credit of=e1 detail=1 entry=25000
			details e1.sum status=BOOK amount=25000ZAR count=1 sum=25000 credit of=e1 entry=25000`},
		"references, remittance and other words": {
			entryOf("1.00", "CRDT", `<NtryDtls><TxDtls><Refs><AcctSvcrRef>FB8</AcctSvcrRef><EndToEndId>E</EndToEndId><MndtId>M1</MndtId></Refs>`+
				`<RmtInf><Ustrd>EXAMPLEGYM</Ustrd><Ustrd>62001872440</Ustrd></RmtInf><AddtlTxInf>paid by 62001872440</AddtlTxInf></TxDtls></NtryDtls>`),
			`entry e1.d1 end=E line=EXAMPLEGYM 62001872440 text=paid by •••• 2440 status=BOOK amount=100ZAR credit detailref=FB8 of=e1 detail=1 entry=100 mandate=M1
			details e1.sum status=BOOK amount=100ZAR count=1 sum=100 credit of=e1 entry=100`},
		"a reference of a structured remittance": {
			entryOf("1.00", "CRDT", `<NtryDtls><TxDtls><RmtInf><Strd><CdtrRefInf><Ref>INV-7</Ref></CdtrRefInf></Strd></RmtInf></TxDtls></NtryDtls>`),
			`entry e1.d1 line=INV-7 status=BOOK amount=100ZAR credit of=e1 detail=1 entry=100
			details e1.sum status=BOOK amount=100ZAR count=1 sum=100 credit of=e1 entry=100`},
		"no direction": {
			entryOf("1.00", "", ``),
			`entry e1 status=BOOK entry=100 PROBLEM=It does not say whether the money came in or went out.`},
		"an amount with parts of a cent": {
			entryOf("1.001", "CRDT", ``),
			`entry e1 status=BOOK credit PROBLEM=The amount 1.001 has parts of a cent.`},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.ReplaceAll(entryEvents(t, "08", c.entry), "\u00a0", "_")
			if want := strings.ReplaceAll(c.want, "\t", ""); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestASignOfReversalNeverTurnsTheMoney(t *testing.T) {
	for _, sign := range []string{"", "<RvslInd>true</RvslInd>", "<RvslInd>false</RvslInd>", "<RvslInd>1</RvslInd>"} {
		for way, credit := range map[string]bool{"CRDT": true, "DBIT": false} {
			events, _ := mustDecode(t, notification("08", entryOf("1.00", way, sign)))
			if got := events[0]; got.Credit != credit ||
				got.Reversal != (strings.Contains(sign, "true") || strings.Contains(sign, "1")) {
				t.Errorf("%s %s: %s", way, sign, line(got))
			}
		}
	}
}

func balanceOf(kind, amount, way string) string {
	return `<Bal><Tp><CdOrPrtry><Cd>` + kind + `</Cd></CdOrPrtry></Tp><Amt Ccy="ZAR">` + amount +
		`</Amt><CdtDbtInd>` + way +
		`</CdtDbtInd><Dt><Dt>2026-11-26</Dt></Dt></Bal>`
}

func TestAStatementIsHeldAgainstItsBalances(t *testing.T) {
	pending := strings.Replace(entryOf("7.00", "CRDT", ""), "BOOK", "PDNG", 1)
	statement := func(id, page, content string) string {
		return `<Stmt><Id>` + id + `</Id>` + page + `<LglSeqNb>12</LglSeqNb><Acct><Id><IBAN>ZA1</IBAN></Id></Acct>` +
			content + `</Stmt>`
	}
	good := balanceOf("OPBD", "100.00", "CRDT") + balanceOf("CLBD", "50.00", "DBIT") + balanceOf("CLAV", "9.00", "CRDT")
	entries := entryOf("50.00", "CRDT", "") + pending + entryOf("200.00", "DBIT", "")
	wrong := balanceOf("PRCD", "100.00", "CRDT") + balanceOf("CLBD", "50.00", "CRDT")
	text := documentOf(
		"camt.053.001.08",
		`<BkToCstmrStmt><GrpHdr><MsgId>B</MsgId><CreDtTm>2026-11-26T20:00:00Z</CreDtTm></GrpHdr>`+
			statement("A", "", good+entries)+statement("B", "", wrong+entries)+
			statement("C", `<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>`, wrong+entries)+
			statement("D", `<StmtPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></StmtPgntn>`,
				balanceOf("CLBD", "1.0001", "CRDT"))+`</BkToCstmrStmt>`,
	)
	events, _ := mustDecode(t, text)
	var got []string
	for _, e := range events {
		if e.Kind == exchange.OnBalance || e.Kind == exchange.OnStatement {
			got = append(got, line(e))
		} else {
			got = append(got, e.Path)
		}
	}
	want := `balance s1.b1 amount=10000ZAR account=ZA1 credit booked=2026-11-26 opening statement=A number=12 at=2026-11-25T22:00:00Z
balance s1.b2 amount=5000ZAR account=ZA1 booked=2026-11-26 statement=A number=12 at=2026-11-25T22:00:00Z
e1
e2
e3
statement s1 count=3 sum=-15000 account=ZA1 statement=A number=12 at=2026-11-26T20:00:00Z
balance s2.b1 amount=10000ZAR account=ZA1 credit booked=2026-11-26 opening statement=B number=12 at=2026-11-25T22:00:00Z
balance s2.b2 amount=5000ZAR account=ZA1 credit booked=2026-11-26 statement=B number=12 at=2026-11-25T22:00:00Z
e4
e5
e6
statement s2 count=3 sum=-15000 account=ZA1 statement=B number=12 at=2026-11-26T20:00:00Z PROBLEM=The opening balance and the entries give -R_50,00, but the closing balance is R_50,00.
balance s3.b1 amount=10000ZAR account=ZA1 credit booked=2026-11-26 opening statement=C number=12 at=2026-11-25T22:00:00Z
balance s3.b2 amount=5000ZAR account=ZA1 credit booked=2026-11-26 statement=C number=12 at=2026-11-25T22:00:00Z
e7
e8
e9
statement s3 count=3 sum=-15000 account=ZA1 statement=C number=12 at=2026-11-26T20:00:00Z
balance s4.b1 account=ZA1 credit booked=2026-11-26 statement=D number=12 at=2026-11-25T22:00:00Z PROBLEM=The amount 1.0001 has parts of a cent.
statement s4 count=0 sum=0 account=ZA1 statement=D number=12 at=2026-11-26T20:00:00Z`
	if got := strings.ReplaceAll(strings.Join(got, "\n"), "\u00a0", "_"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestAnAccountReportOfTheDayIsReadToo(t *testing.T) {
	for _, version := range []string{"02", "04", "06", "08"} {
		events, arrival := mustDecode(t, documentOf("camt.052.001."+version, `<BkToCstmrAcctRpt><GrpHdr><MsgId>R1</MsgId>`+
			`<CreDtTm>2026-11-26T12:00:00</CreDtTm></GrpHdr><Rpt><Id>RPT</Id><Acct><Id><Othr><Id>50100000001</Id></Othr></Id></Acct>`+
			entryOf("2.00", "CRDT", "")+`</Rpt></BkToCstmrAcctRpt>`))
		if len(events) != 2 || events[0].AmountCents != 200 || events[1].Kind != exchange.OnStatement || arrival.ID != "R1" {
			t.Errorf("%s: %v", version, events)
		}
	}
}
