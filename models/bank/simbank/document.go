package simbank

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"debitdesk/models/calendar"
)

// document writes one message of the bank, element by element.
type document struct {
	out    bytes.Buffer
	open   []string
	prefix string
	a      *answer
	err    error
}

func newDocument(a *answer) *document {
	d := &document{a: a}
	encoding, space := "UTF-8", "xmlns"
	if has(a.As, Latin1) {
		encoding = "ISO-8859-1"
	}
	if has(a.As, Prefixes) {
		d.prefix, space = "bank:", "xmlns:bank"
	}
	fmt.Fprintf(&d.out, "<?xml version=\"1.0\" encoding=\"%s\"?>\n<%sDocument %s=\"urn:iso:std:iso:20022:tech:xsd:%s\">",
		encoding, d.prefix, space, a.Form)
	d.open = []string{"Document"}
	return d
}

// in opens elements around what inside writes.
func (d *document) in(path string, inside func()) {
	names := strings.Split(path, "/")
	for _, n := range names {
		d.line("<" + d.prefix + n + ">")
		d.open = append(d.open, n)
	}
	inside()
	for range names {
		d.end()
	}
}

func (d *document) end() {
	last := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	d.line("</" + d.prefix + last + ">")
}

func (d *document) line(text string) {
	d.out.WriteByte('\n')
	for range d.open {
		d.out.WriteString(" ")
	}
	d.out.WriteString(text)
}

// text writes an element with a text, and elements around it where the path has several names. An empty text
// writes nothing.
func (d *document) text(path, text string) { d.element(path, "", text) }

func (d *document) element(path, attributes, text string) {
	if text == "" {
		return
	}
	names := strings.Split(path, "/")
	var around strings.Builder
	for _, n := range names[:len(names)-1] {
		around.WriteString("<" + d.prefix + n + ">")
	}
	last := names[len(names)-1]
	d.line(around.String() + "<" + d.prefix + last + attributes + ">")
	if err := xml.EscapeText(&d.out, []byte(text)); err != nil {
		d.err = err
	}
	d.out.WriteString("</" + d.prefix + last + ">")
	for i := len(names) - 2; i >= 0; i-- {
		d.out.WriteString("</" + d.prefix + names[i] + ">")
	}
}

func (d *document) number(path string, n int) { d.text(path, strconv.Itoa(n)) }

// rands are an amount that is never negative; the direction stands beside it.
func rands(cents int64) string {
	if cents < 0 {
		cents = -cents
	}
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

func (d *document) amount(path string, cents int64) { d.element(path, ` Ccy="ZAR"`, rands(cents)) }

func (d *document) direction(cents int64) {
	if cents < 0 {
		d.text("CdtDbtInd", "DBIT")
		return
	}
	d.text("CdtDbtInd", "CRDT")
}

func (d *document) day(path string, day calendar.Date) { d.text(path+"/Dt", day.String()) }

// id is the bank's number of this message: "SIM-PAIN002-000017".
func (d *document) id() string {
	return fmt.Sprintf("SIM-%s-%06d", strings.ToUpper(strings.ReplaceAll(d.a.Form[:8], ".", "")), d.a.Number)
}

func (d *document) made() string { return local(d.a.At, "2006-01-02T15:04:05") }

// header is the head of most messages.
func (d *document) header() {
	d.in("GrpHdr", func() {
		d.text("MsgId", d.id())
		d.text("CreDtTm", d.made())
	})
}

// why writes a reason in an element. Where the bank writes ISO-8859-1 its words need it.
func (d *document) why(element, words string, r reason) {
	d.in(element, func() { d.reason("Rsn", words, r) })
}

func (d *document) reason(element, words string, r reason) {
	if r.Own {
		d.text(element+"/Prtry", r.Code)
	} else {
		d.text(element+"/Cd", r.Code)
	}
	text := r.Text
	if has(d.a.As, Latin1) {
		text += " (refusé)"
	}
	d.text(words, text)
}

func (d *document) bytes() ([]byte, error) {
	for len(d.open) > 0 {
		d.end()
	}
	out := append(d.out.Bytes(), '\n')
	if has(d.a.As, Latin1) {
		var narrow []byte
		for _, r := range string(out) {
			if r > 0xff {
				r = '?'
			}
			narrow = append(narrow, byte(r))
		}
		out = narrow
	}
	if has(d.a.As, CRLF) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	if has(d.a.As, BOM) && !has(d.a.As, Latin1) {
		out = append([]byte("\xef\xbb\xbf"), out...)
	}
	return out, d.err
}
