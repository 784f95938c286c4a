package iso20022_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

// inflow writes a document with a number of items as it is read, so that the document itself is nowhere.
func inflow(head, tail string, n int, item func(i int) string) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.WriteString(w, head)
		for i := 0; i < n && err == nil; i++ {
			_, err = io.WriteString(w, item(i))
		}
		if err == nil {
			_, err = io.WriteString(w, tail)
		}
		_ = w.CloseWithError(err)
	}()
	return r
}

func manyReturns(n int) io.Reader {
	head, tail, _ := strings.Cut(
		notification("08", entryOf(fmt.Sprintf("%d.00", n), "DBIT", "<NtryDtls>@</NtryDtls>")),
		"@",
	)
	return inflow(head, tail, n, func(i int) string {
		id := fmt.Sprintf("%032x", i)
		return `<TxDtls><Refs><PmtInfId>DD20261122-000042-01</PmtInfId><InstrId>` + id + `</InstrId><EndToEndId>` +
			id + `</EndToEndId></Refs>` +
			`<Amt Ccy="ZAR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><RltdPties><Dbtr><Pty><Nm>MR T EXAMPLE</Nm></Pty></Dbtr>` +
			`<DbtrAcct><Id><Othr><Id>62001872440</Id></Othr></Id></DbtrAcct></RltdPties>` +
			`<RtrInf><Rsn><Cd>AM04</Cd></Rsn><AddtlInf>02 NOT PROVIDED FOR</AddtlInf></RtrInf></TxDtls>`
	})
}

func manyStatuses(n int) io.Reader {
	head, tail, _ := strings.Cut(
		report(
			`<OrgnlGrpInfAndSts><OrgnlMsgId>DD1</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId></OrgnlGrpInfAndSts>`+
				`<OrgnlPmtInfAndSts><OrgnlPmtInfId>DD1-01</OrgnlPmtInfId>@</OrgnlPmtInfAndSts>`,
		),
		"@",
	)
	return inflow(head, tail, n, func(i int) string {
		id := fmt.Sprintf("%032x", i)
		return `<TxInfAndSts><OrgnlInstrId>` + id + `</OrgnlInstrId><OrgnlEndToEndId>` + id +
			`</OrgnlEndToEndId><TxSts>ACSC</TxSts>` +
			`<OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">1.00</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>`
	})
}

// The events are counted and let go: nothing of the document stays.
func TestFiftyThousandItemsAreReadWithoutHoldingThem(t *testing.T) {
	const n = 50_000
	for name, doc := range map[string]func(int) io.Reader{"statuses": manyStatuses, "returns in one entry": manyReturns} {
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		most, items, sum := before.HeapAlloc, 0, int64(0)
		var last exchange.Event
		if _, err := (iso20022.Decoder{}).Decode(doc(n), func(e exchange.Event) error {
			if e.Kind == exchange.OnItem || e.Kind == exchange.OnEntry {
				items++
				sum += e.AmountCents
			}
			if items%10_000 == 0 {
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
			if e.Kind == exchange.OnDetails {
				last = e
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if items != n || sum != 100*n {
			t.Errorf("%s: %d items of %d cents", name, items, sum)
		}
		if last.Kind != "" && (last.Count != n || last.SumCents != -100*n || last.Problem != "") {
			t.Errorf("%s: %s", name, line(last))
		}
		if held := most - before.HeapAlloc; held > 32<<20 {
			t.Errorf("%s: %d MB were held", name, held>>20)
		}
	}
}

func BenchmarkDecode50000(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (iso20022.Decoder{}).Decode(manyReturns(50_000), func(exchange.Event) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
