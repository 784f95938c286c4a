package files

import (
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/journal"
	"debitdesk/models/money"
)

const (
	longestOFXName = 32
	ofxHead        = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE
`
)

var ofxSigns = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func ofxText(s string) string { return ofxSigns.Replace(ascii(s)) }

func ofxDay(d calendar.Date) string { return d.Format("20060102") }

// writeOFX is a statement of the account of collections in transit, of which every movement has an id of its own.
func writeOFX(t *text, b *journal.Book) {
	const ok = "<STATUS><CODE>0<SEVERITY>INFO</STATUS>"
	account := b.Accounts.Of(journal.Transit, journal.EveryBrand)
	t.line("%s", ofxHead)
	t.line("<OFX><SIGNONMSGSRSV1><SONRS>%s<DTSERVER>%s<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>", ok, ofxDay(b.To))
	t.line("<BANKMSGSRSV1><STMTTRNRS><TRNUID>0%s<STMTRS><CURDEF>%s", ok, b.Currency)
	t.line("<BANKACCTFROM><BANKID>DEBITDESK<ACCTID>%s<ACCTTYPE>CHECKING</BANKACCTFROM>", ofxText(account.Code))
	t.line("<BANKTRANLIST><DTSTART>%s<DTEND>%s", ofxDay(b.From), ofxDay(b.To))
	for _, e := range b.Entries {
		cents := e.Cents.Of(journal.Transit)
		if cents == 0 {
			continue
		}
		kind := "CREDIT"
		if cents < 0 {
			kind = "DEBIT"
		}
		name := strings.TrimSpace(e.Reference + " " + e.Client)
		if name == "" {
			name = "Debit orders"
		}
		t.line("<STMTTRN><TRNTYPE>%s<DTPOSTED>%s<TRNAMT>%s<FITID>%s<NAME>%s<MEMO>%s</STMTTRN>", kind, ofxDay(e.Day),
			money.Plain(cents), e.UID(), ofxText(cut(ascii(name), longestOFXName)), ofxText(e.Text()))
	}
	t.line("</BANKTRANLIST><LEDGERBAL><BALAMT>%s<DTASOF>%s</LEDGERBAL>",
		money.Plain(b.Closing().Of(journal.Transit)), ofxDay(b.To))
	t.line("</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>")
}
