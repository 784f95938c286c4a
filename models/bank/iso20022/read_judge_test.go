package iso20022_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/bank/exchange"
)

// A sample that no bank could send proves nothing.
func TestTheSamplesOfAnswersAreValid(t *testing.T) {
	entry := func(amount, way, more string) string {
		code := `<BkTxCd><Prtry><Cd>X</Cd></Prtry></BkTxCd>`
		return strings.Replace(entryOf(amount, way, more), "</BookgDt>", "</BookgDt>"+code, 1)
	}
	for form, content := range map[string][]string{
		"pain.002.001.11": {partialReport},
		"camt.054.001.08": {
			contentOf(notification("08", entry("150.00", "DBIT",
				`<NtryDtls><Btch><PmtInfId>g</PmtInfId><NbOfTxs>2</NbOfTxs></Btch>`+
					`<TxDtls><Refs><PmtInfId>DD1-01</PmtInfId><InstrId>`+first+`</InstrId><EndToEndId>`+first+`</EndToEndId></Refs>`+
					`<Amt Ccy="ZAR">150.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><RltdPties><Dbtr><Pty><Nm>MR T EXAMPLE</Nm></Pty></Dbtr></RltdPties>`+
					`<RmtInf><Ustrd>EXAMPLEGYM</Ustrd></RmtInf><RtrInf><Rsn><Cd>AM04</Cd></Rsn><AddtlInf>02</AddtlInf></RtrInf></TxDtls></NtryDtls>`+
					`<AddtlNtryInf>UNPAID</AddtlNtryInf>`))),
		},
		"camt.053.001.08": {`<BkToCstmrStmt><GrpHdr><MsgId>B</MsgId><CreDtTm>2026-11-26T20:00:00Z</CreDtTm></GrpHdr><Stmt><Id>A</Id>` +
			`<StmtPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></StmtPgntn><LglSeqNb>12</LglSeqNb><Acct><Id><Othr><Id>1</Id></Othr></Id></Acct>` +
			balanceOf("OPBD", "100.00", "CRDT") + balanceOf("CLBD", "50.00", "DBIT") + entry("150.00", "DBIT", "") +
			`</Stmt></BkToCstmrStmt>`},
		"pain.012.001.05": {
			mandateAnswer(`<AccptncRslt><Accptd>true</Accptd></AccptncRslt>` +
				wholeMandate("BANK1", `<Authntcn><Chanl><Cd>ATMA</Cd></Chanl></Authntcn>`)),
			mandateAnswer(`<AccptncRslt><Accptd>false</Accptd><RjctRsn><Cd>NOAS</Cd></RjctRsn><AddtlRjctRsnInf>no response</AddtlRjctRsnInf></AccptncRslt>` +
				`<OrgnlMndt><OrgnlMndtId>` + first + `</OrgnlMndtId></OrgnlMndt>`),
		},
		"camt.029.001.10": {recallAnswer(recalledInAGroup), recallAnswer(recalledBesideGroups),
			recallAnswer(recalledMessage)},
	} {
		for i, c := range content {
			t.Run(fmt.Sprintf("%s, sample %d", form, i+1), func(t *testing.T) { valid(t, form, documentOf(form, c)) })
		}
	}
}

// contentOf is what a document holds.
func contentOf(text string) string {
	text = text[strings.Index(text, "<Document"):]
	return strings.TrimSuffix(text[strings.Index(text, ">")+1:], "</Document>")
}

// Banks elsewhere published samples of their answers; the module of the schemas has them.
func TestForeignSamplesAreRead(t *testing.T) {
	dir, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "..", "..", "test", "testdata", "*.xml"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	read := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		events, arrival, err := decode(string(text))
		if err != nil {
			if !strings.Contains(err.Error(), "not an answer") && !strings.Contains(err.Error(), "not a kind of answer") {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
			continue
		}
		read[arrival.Name] += len(events)
		sane(t, string(text))
	}
	// As XPath counts them: details, entries, batches without details, balances of the day, and accounts.
	want := map[string]int{"camt.052.001.02": 6, "camt.052.001.04": 6, "camt.053.001.02": 36, "camt.053.001.04": 13,
		"camt.054.001.02": 20, "camt.054.001.04": 51, "pain.002": 1, "pain.002.001.03": 10, "pain.002.001.11": 1}
	for form, n := range want {
		if read[form] != n {
			t.Errorf("%s: %d events, want %d", form, read[form], n)
		}
		delete(read, form)
	}
	if len(read) != 0 {
		t.Errorf("others were read: %v", read)
	}
}

func TestAForeignReturnIsReadToTheEnd(t *testing.T) {
	dir, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "..", "..", "test", "testdata",
		"camt054-returns_p_ch5109000000250092291_1110097606_0_2020112500512470.xml"))
	if err != nil {
		t.Fatal(err)
	}
	events := expect(t, string(text), `
		entry e1.d1 group=PmtInfId-001-03 id=InstrId-001-03-04 end=EndToEndId-001-03-04 line=Kontouebertrag text=EndToEndId-•••• 0304 RETOUR TRANSAKTION NICHT AUSFÜHRBAR Kontouebertrag status=BOOK reason=AC01/false/Kontonummer falsch`+
		` amount=50000CHF account=CH5109000000250092291 credit reversal booked=2020-11-24 value=2020-11-24 ref=075820002ZZTJR1K detailref=190520CH02ZZTJR1`+
		` of=e1 detail=1 entry=50000 code=PMNT/ICDT/RRTN statement=20201124375204228763930 at=2020-11-23T22:00:00Z
		details e1.sum text=EndToEndId-•••• 0304 RETOUR TRANSAKTION NICHT AUSFÜHRBAR Kontouebertrag status=BOOK amount=50000CHF count=1 sum=50000`+
		` account=CH5109000000250092291 credit reversal booked=2020-11-24 value=2020-11-24 ref=075820002ZZTJR1K of=e1 entry=50000 code=PMNT/ICDT/RRTN`+
		` statement=20201124375204228763930 at=2020-11-23T22:00:00Z
		statement s1 count=1 sum=50000 account=CH5109000000250092291 statement=20201124375204228763930 at=2020-11-24T22:29:29Z`)
	for _, e := range events {
		if raw := string(e.Raw); e.Kind == exchange.OnEntry &&
			(strings.Contains(raw, "Schneider") || strings.Contains(raw, "CH87") ||
				strings.Contains(raw, "AdrLine") || !strings.Contains(raw, "<EndToEndId>EndToEndId-001-03-04</EndToEndId>")) {
			t.Errorf("evidence: %s", raw)
		}
	}
}
