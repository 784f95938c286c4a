package iso20022_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

func TestADocumentIsReadHoweverItIsWrittenDown(t *testing.T) {
	plain := documentOf("pain.002.001.10", partialReport)
	content := strings.Replace(partialReport, "MR T EXAMPLE", "HÉLÈNE MÜLLER", 1)
	content = strings.Replace(content, "CDV failed for 632005", "Kürzel: CDV failed for 632005", 1)
	latin, err := charmap.ISO8859_1.NewEncoder().String(`<?xml version='1.0' encoding='ISO-8859-1' standalone="yes"?>` +
		documentOf("pain.002.001.10", content)[len(`<?xml version="1.0" encoding="UTF-8"?>`):])
	if err != nil {
		t.Fatal(err)
	}
	prefixed := strings.NewReplacer("</", "</p:", "<", "<p:").Replace(partialReport)
	umlaut := strings.Replace(partialEvents, "CDV failed", "Kürzel: CDV failed", 1)
	broken := strings.Replace(partialEvents, "CDV failed", "K\uFFFDrzel: CDV failed", 1)
	for name, c := range map[string]struct{ text, want string }{
		"CRLF":        {strings.ReplaceAll(plain, "\n", "\r\n"), partialEvents},
		"a BOM":       {"\xEF\xBB\xBF" + plain, partialEvents},
		"space first": {"\n\n" + plain[strings.Index(plain, "<Document"):], partialEvents},
		"a prefix": {`<p:Document xmlns:p="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03">` + prefixed + `</p:Document>`,
			partialEvents},
		"two namespaces": {strings.Replace(plain, "<CstmrPmtStsRpt>", `<CstmrPmtStsRpt xmlns="">`, 1), partialEvents},
		"no namespace":   {"<Document>" + partialReport + "</Document>", partialEvents},
		"no document":    {partialReport, partialEvents},
		"a national namespace": {`<Document xmlns="http://www.example.com/de/pain.002.001.03.ch.02.xsd">` + partialReport +
			`</Document>`, partialEvents},
		"an envelope": {`<Envelope><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><MsgDefIdr>pain.002.001.10</MsgDefIdr></AppHdr>` +
			plain[strings.Index(plain, "<Document"):] + `</Envelope>`, partialEvents},
		"ISO-8859-1":          {latin, umlaut},
		"Windows-1252":        {strings.Replace(latin, "ISO-8859-1", "windows-1252", 1), umlaut},
		"UTF-16":              {utf16(documentOf("pain.002.001.10", strings.ReplaceAll(content, "HÉLÈNE MÜLLER", "H"))), ""},
		"letters that lie":    {strings.Replace(latin, "ISO-8859-1", "UTF-8", 1), broken},
		"space after the end": {plain + "\n\n", partialEvents},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == "" {
				c.want = umlaut
			}
			expect(t, c.text, c.want)
		})
	}
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	plain := documentOf("pain.002.001.10", partialReport)
	for name, c := range map[string]struct{ text, why string }{
		"a table": {"account;amount\n1;2\n", "This is not an XML document: it does not begin with ‘<’."},
		"a zip":   {"PK\x03\x04whatever", "This is a zip archive, not an XML document."},
		"a page":  {"<html><body/></html>", "It holds no ISO 20022 message: its first element is ‘html’."},
		"our own message": {documentOf("pain.008.001.08", "<CstmrDrctDbtInitn/>"),
			"It is a message to the bank (pain.008.001.08, debits), not an answer."},
		"another kind": {documentOf("camt.060.001.05", "<AcctRptgReq/>"),
			"camt.060.001.05 is not a kind of answer that is read here."},
		"another inside": {documentOf("pain.002.001.10", "<BkToCstmrStmt/>"),
			"It calls itself pain.002.001.10, but has no element ‘CstmrPmtStsRpt’."},
		"an MT942": {":20:REF\r\n:25:62000000001\r\n:28C:1\r\n:34F:ZAR0,\r\n",
			"This is a SWIFT message MT942, not an XML document. Ask the bank for camt.052 or camt.054."},
		"an MT940 in its envelope": {"{1:F01FIRNZAJJAXXX}{2:O9401200}{4:\r\n:20:REF",
			"This is a SWIFT message MT940, not an XML document. Ask the bank for camt.053 or camt.054."},
		"a CSV": {"Date,Amount,Reference\n2026-11-24,100.00,X\n",
			"This is a table of text (CSV), not an XML document. Ask the bank for camt.053 or camt.054."},
		"the first version": {documentOf("camt.053.001.01", "<BkToCstmrStmtV01/>"),
			"It is a camt.053.001.01, a version that is too old to be read. Ask the bank for a newer one."},
		"a DTD": {`<!DOCTYPE Document SYSTEM "file:///etc/passwd">` + plain[39:],
			"It has a document type or entities, which are refused because they can hide or load other content."},
		"an entity": {strings.Replace(plain, "PART", "&xxe;", 1),
			"It is not well-formed XML: line 6, invalid character entity &xxe;."},
		"crossed elements": {`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><a></b></Document>`,
			"It is not well-formed XML: line 1, element <a> closed by </b>."},
		"an unknown encoding": {`<?xml version="1.0" encoding="EBCDIC-CP-US"?><a/>`,
			"Its letters are encoded as ‘EBCDIC-CP-US’, which is not supported; UTF-8 and ISO-8859-1 are."},
		"too deep": {documentOf("pain.002.001.10", strings.Repeat("<a>", 61)),
			"Its elements lie more than 60 deep."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := whyUnreadable(t, c.text); got != c.why {
				t.Errorf("got  %s\nwant %s", got, c.why)
			}
		})
	}
}

func TestSeveralMessagesAndDocumentsAreReadEach(t *testing.T) {
	plain := documentOf("pain.002.001.10", partialReport)
	entry := documentOf("camt.054.001.08", `<BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>N1</MsgId><CreDtTm>2026-11-25T01:00:00`+
		`</CreDtTm></GrpHdr><Ntfctn><Id>1</Id><Ntry><Amt Ccy="ZAR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>`+
		`<AcctSvcrRef>NONREF</AcctSvcrRef></Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn>`)[39:]
	request := documentOf("camt.060.001.05", "<AcctRptgReq/>")[39:]
	one, _ := mustDecode(t, plain)
	for name, text := range map[string]string{
		"an envelope":   "<E>" + plain[39:] + plain[39:] + entry + "</E>",
		"one by one":    plain + plain[39:] + entry,
		"with a header": "<E>" + plain[39:] + plain[39:] + entry + request + "</E>",
	} {
		events, arrival := mustDecode(t, text)
		paths := map[string]bool{}
		var booked exchange.Event
		for _, e := range events {
			if paths[e.Path] {
				t.Errorf("%s: two things stand at %s", name, e.Path)
			}
			paths[e.Path] = true
			if e.Kind == exchange.OnEntry {
				booked = e
			}
		}
		if len(events) < 2*len(one)+2 || arrival.ID != "BANK-ISR-7781" || arrival.Name != "pain.002.001.10" {
			t.Errorf("%s: %d events of %+v", name, len(events), arrival)
		}
		if booked.BookedOn.String() != "2026-11-25" || booked.BookedBy != exchange.ByMessageDay || booked.Reference != "" ||
			booked.Told != exchange.ByNotification {
			t.Errorf("%s: %+v", name, booked)
		}
		if last := events[len(events)-1]; name == "with a header" && (last.Kind != exchange.OnMore || last.Problem == "") {
			t.Errorf("what was passed over is not said: %+v", last)
		}
	}
}

func TestADocumentWithoutItsEndIsNotFinishedWhereverItStops(t *testing.T) {
	plain := documentOf("pain.002.001.10", partialReport)
	for i := range len(plain) - 1 {
		if _, _, err := decode(plain[:i]); !errors.Is(err, exchange.ErrUnfinished) {
			t.Fatalf("after %d bytes: %v\n%s", i, err, plain[:i])
		}
	}
	mustDecode(t, plain)
}

func TestFaultsOfTheFileAndOfTheCallerComeBackAsTheyAre(t *testing.T) {
	plain := documentOf("pain.002.001.10", partialReport)
	disk, full := errors.New("the disk fails"), errors.New("no more")
	broken := io.MultiReader(strings.NewReader(plain[:900]), iotest.ErrReader(disk))
	if _, err := (iso20022.Decoder{}).Decode(broken, func(exchange.Event) error { return nil }); !errors.Is(err, disk) {
		t.Errorf("got %v", err)
	}
	calls := 0
	_, err := iso20022.Decoder{}.Decode(strings.NewReader(plain), func(exchange.Event) error { calls++; return full })
	if err != full || calls != 1 { //nolint:errorlint // it must be the very same
		t.Errorf("got %v after %d calls", err, calls)
	}
	events, _ := mustDecode(t, plain)
	again, err := iso20022.Decoder{}.Decode(iotest.OneByteReader(strings.NewReader(plain)), func(e exchange.Event) error {
		if line(e) != line(events[0]) || string(e.Raw) != string(events[0].Raw) {
			t.Errorf("another reading: %s, %s", line(e), line(events[0]))
		}
		events = events[1:]
		return nil
	})
	if err != nil || len(events) != 0 || again.ID != "BANK-ISR-7781" {
		t.Errorf("%v, %d left", err, len(events))
	}
}
