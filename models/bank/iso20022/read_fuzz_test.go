package iso20022_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

// seeds are documents of all kinds, good and bad.
func seeds() []string {
	all := []string{
		documentOf("pain.002.001.10", partialReport),
		report(`<OrgnlGrpInfAndSts><OrgnlMsgId>DD1</OrgnlMsgId><GrpSts>RJCT</GrpSts></OrgnlGrpInfAndSts>`),
		notification(
			"02",
			entryOf("250.00", "DBIT", `<NtryDtls><TxDtls><Refs><InstrId>a</InstrId></Refs></TxDtls></NtryDtls>`),
		),
		notification(
			"08",
			entryOf("250.00", "CRDT", `<NtryDtls><Btch><PmtInfId>g</PmtInfId><NbOfTxs>2</NbOfTxs></Btch></NtryDtls>`),
		),
		documentOf(
			"camt.053.001.08",
			`<BkToCstmrStmt><Stmt><Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="ZAR">1</Amt>`+
				`<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-26</Dt></Dt></Bal>`+entryOf("1", "DBIT", "")+`</Stmt></BkToCstmrStmt>`,
		),
		documentOf("camt.052.001.08", `<BkToCstmrAcctRpt><Rpt>`+entryOf("1", "DBIT", "")+`</Rpt></BkToCstmrAcctRpt>`),
		documentOf(
			"pain.012.001.05",
			`<MndtAccptncRpt><UndrlygAccptncDtls><AccptncRslt><Accptd>false</Accptd><RjctRsn><Cd>NOAS</Cd></RjctRsn>`+
				`</AccptncRslt><OrgnlMndt><OrgnlMndtId>x</OrgnlMndtId></OrgnlMndt></UndrlygAccptncDtls></MndtAccptncRpt>`,
		),
		documentOf(
			"camt.029.001.10",
			`<RsltnOfInvstgtn><Sts><Conf>CNCL</Conf></Sts><CxlDtls><OrgnlPmtInfAndSts><TxInfAndSts>`+
				`<TxCxlSts>ACCR</TxCxlSts></TxInfAndSts></OrgnlPmtInfAndSts></CxlDtls></RsltnOfInvstgtn>`,
		),
		notification("08", entryOf("1.00", "", "")),
		`<?xml version="1.0" encoding="ISO-8859-1"?><a>` + "\xe9" + `</a>`,
		`<!DOCTYPE a [<!ENTITY b "cccc"><!ENTITY d "&b;&b;&b;">]><a>&d;</a>`,
		utf16("<a/>"),
		"PK\x03\x04",
		"a;b",
		"",
		"<",
		"\xEF\xBB\xBF<a/>",
		strings.Repeat("<a>", 70),
		documentOf("pain.002.001.10", strings.Repeat("<CstmrPmtStsRpt>", 40)),
		report(
			`<TxInfAndSts><OrgnlTxRef><Amt><InstdAmt Ccy="ZAR">` + strings.Repeat("9",
				400) + `</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>`,
		),
		report(`<TxInfAndSts><AccptncDtTm>0000-00-00T99:99:99Z</AccptncDtTm></TxInfAndSts>`),
		notification(
			"08",
			entryOf("1", "CRDT", "<NtryDtls><TxDtls><AddtlTxInf>"+strings.Repeat("1 ", 900)+"</AddtlTxInf></TxDtls></NtryDtls>"),
		),
	}
	for _, one := range all[:8] {
		all = append(all, strings.ReplaceAll(one, "ZAR", "JPY"), strings.ReplaceAll(one, "<", "\r\n<"), one[:len(one)/2])
	}
	return all
}

// sane looks at a document whatever it is: an error is one of the three kinds, and what is said stays within bounds.
func sane(t *testing.T, text string) {
	t.Helper()
	paths := map[string]bool{}
	_, err := iso20022.Decoder{}.Decode(strings.NewReader(text), func(e exchange.Event) error {
		if e.Kind == "" || e.Path == "" || paths[e.Path] {
			t.Errorf("%s has kind %q or stands twice", e.Path, e.Kind)
		}
		paths[e.Path] = true
		if len(e.Raw) > 32<<10 || e.AmountCents < 0 || e.AmountCents != 0 && !e.HasAmount {
			t.Errorf("%s: %d bytes, %d cents", e.Path, len(e.Raw), e.AmountCents)
		}
		for _, word := range []string{e.MessageID, e.GroupID, e.InstructionID, e.EndToEndID, e.Status, e.Problem, e.Text,
			e.StatementLine, e.Currency, e.Account.Reveal(), e.BankCode, e.BankOwnCode, e.Channel, e.Contract} {
			if len(word) > 4_000 || strings.ContainsRune(word, 0) {
				t.Errorf("%s: %d bytes of text", e.Path, len(word))
			}
		}
		if y := e.At.Year(); !e.At.IsZero() && (y < 1990 || y > 2200) {
			t.Errorf("%s is of %s", e.Path, e.At)
		}
		return nil
	})
	var refused *exchange.Unreadable
	if err != nil && !errors.Is(err, exchange.ErrUnfinished) && (!errors.As(err, &refused) || refused.Why == "") {
		t.Errorf("an error of no kind: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { sane(t, text) })
}

// repeated reads a text over and over, and then another.
type repeated struct {
	text  string
	times int
	end   string
	rest  string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		switch {
		case r.times > 0:
			r.rest, r.times = r.text, r.times-1
		case r.end != "":
			r.rest, r.end = r.end, ""
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Whatever is sent, memory stays small: each of these has 16 MB and more.
func TestBombsAreRefusedInLittleMemory(t *testing.T) {
	open := report("")
	open = open[:strings.Index(open, "</CstmrPmtStsRpt>")]
	const mega = 1 << 20
	for name, c := range map[string]struct {
		head, text string
		times      int
		why        string
	}{
		"a text without end": {open + "<TxInfAndSts><TxSts>", strings.Repeat("9", mega), 64,
			"One of its texts or tags is longer than 256 kB."},
		"a comment without end": {open + "<!--", strings.Repeat("9", mega), 64,
			"One of its texts or tags is longer than 256 kB."},
		"a name without end": {open + "<", strings.Repeat("a", mega), 64,
			"One of its texts or tags is longer than 256 kB."},
		"attributes without end": {open + "<a", strings.Repeat(` b="c"`, mega/8), 64,
			"One of its texts or tags is longer than 256 kB."},
		"a document type": {"<!DOCTYPE a [", strings.Repeat(`<!ENTITY b "c">`, mega/16), 64,
			"One of its texts or tags is longer than 256 kB."},
		"an item of many elements": {open + "<TxInfAndSts>", strings.Repeat("<a/>", mega/4), 64,
			"One of its items is larger than any bank writes."},
		"an item of much text": {open + "<TxInfAndSts>",
			strings.Repeat("<a>"+strings.Repeat("b", 1000)+"</a>", mega/1000), 64,
			"One of its items is larger than any bank writes."},
		"much that is unknown": {open, strings.Repeat("<a><b>"+strings.Repeat("c", 1000)+"</b></a>", mega/1000), 16, ""},
		"white space":          {"", strings.Repeat(" ", mega), 64, "One of its texts or tags is longer than 256 kB."},
		"many empty items":     {open, strings.Repeat("<TxInfAndSts/>", mega/14), 20, "It says more than 500000 things."},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			most := before.HeapAlloc
			count := 0
			_, err := iso20022.Decoder{}.Decode(&repeated{text: c.text, times: c.times, rest: c.head},
				func(exchange.Event) error {
					if count++; count%100_000 == 0 {
						runtime.ReadMemStats(&after)
						most = max(most, after.HeapAlloc)
					}
					return nil
				})
			runtime.ReadMemStats(&after)
			if most = max(most, after.HeapAlloc) - before.HeapAlloc; most > 32<<20 {
				t.Errorf("%d MB were held", most>>20)
			}
			var refused *exchange.Unreadable
			switch {
			case c.why == "" && !errors.Is(err, exchange.ErrUnfinished):
				t.Errorf("got %v", err)
			case c.why != "" && (!errors.As(err, &refused) || refused.Why != c.why):
				t.Errorf("got %v, want %s", err, c.why)
			}
		})
	}
}
