package iso20022

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// space begins the namespace of every message.
const space = "urn:iso:std:iso:20022:tech:xsd:"

// document writes elements one after the other. An element opens when the first text in it is written, so that one
// without any is left out. Errors wait for the last Flush.
type document struct {
	out     *bufio.Writer
	waiting []opening
	allowed *allowed
}

type opening struct {
	tag     string
	newLine bool
}

func newDocument(w io.Writer, form string) *document {
	return &document{out: bufio.NewWriterSize(w, 1<<16), allowed: allowedBy(form)}
}

// within writes what body writes as the content of an element.
func (d *document) within(tag string, body func()) { d.nest(tag, false, false, body) }

// row is an element on a line of its own.
func (d *document) row(tag string, body func()) { d.nest(tag, true, false, body) }

// block is an element whose parts stand on lines of their own.
func (d *document) block(tag string, body func()) { d.nest(tag, true, true, body) }

func (d *document) nest(tag string, newLine, closeOnNewLine bool, body func()) {
	d.waiting = append(d.waiting, opening{tag, newLine})
	before := len(d.waiting)
	body()
	if len(d.waiting) >= before {
		d.waiting = d.waiting[:before-1]
		return
	}
	d.end(tag, closeOnNewLine)
}

// open writes the elements that wait for a text.
func (d *document) open() {
	for _, o := range d.waiting {
		if o.newLine {
			_ = d.out.WriteByte('\n')
		}
		d.begin(o.tag)
	}
	d.waiting = d.waiting[:0]
}

func (d *document) begin(tag string) {
	d.allowed.start(tag)
	_ = d.out.WriteByte('<')
	_, _ = d.out.WriteString(tag)
	_ = d.out.WriteByte('>')
}

func (d *document) end(tag string, newLine bool) {
	d.allowed.end()
	if newLine {
		_ = d.out.WriteByte('\n')
	}
	_, _ = d.out.WriteString("</")
	_, _ = d.out.WriteString(tag)
	_ = d.out.WriteByte('>')
}

// text writes an element with its text, inside the named elements; nothing when the text is empty.
func (d *document) text(text string, tags ...string) {
	if text == "" {
		return
	}
	d.open()
	for _, tag := range tags {
		d.begin(tag)
	}
	d.content(text)
	for i := len(tags) - 1; i >= 0; i-- {
		d.end(tags[i], false)
	}
}

// line is text on a line of its own.
func (d *document) line(text string, tags ...string) {
	d.row(tags[0], func() {
		if len(tags) > 1 {
			d.text(text, tags[1:]...)
		} else if text != "" {
			d.open()
			d.content(text)
		}
	})
}

// amount writes an element with an amount and its currency.
func (d *document) amount(cents int64, currency, tag string) {
	d.open()
	text := decimal(cents)
	d.allowed.start(tag)
	d.allowed.text(text, currency)
	_, _ = d.out.WriteString("<" + tag + ` Ccy="`)
	d.escape(currency)
	_, _ = d.out.WriteString(`">` + text)
	d.end(tag, false)
}

// content writes the text of the element that was begun last.
func (d *document) content(text string) {
	d.allowed.text(text, "")
	d.escape(text)
}

// amountLine is an amount on a line of its own; nothing when it is zero.
func (d *document) amountLine(cents int64, currency, tag string) {
	if cents != 0 {
		_ = d.out.WriteByte('\n')
		d.amount(cents, currency, tag)
	}
}

func (d *document) escape(text string) {
	special := func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`&<>"`, r) }
	if strings.ContainsFunc(text, special) {
		_ = xml.EscapeText(d.out, []byte(text))
		return
	}
	_, _ = d.out.WriteString(text)
}

// decimal writes cents with a dot and two places.
func decimal(cents int64) string {
	text := strconv.FormatInt(cents, 10)
	sign := ""
	if cents < 0 {
		sign, text = "-", text[1:]
	}
	for len(text) < 3 {
		text = "0" + text
	}
	return sign + text[:len(text)-2] + "." + text[len(text)-2:]
}

// id32 is an id without dashes, since fields hold 35 characters.
func id32(id uuid.UUID) string {
	const digits = "0123456789abcdef"
	var text [32]byte
	for i, b := range id {
		text[2*i], text[2*i+1] = digits[b>>4], digits[b&15]
	}
	return string(text[:])
}

// uetr is the id marked as a random one, which the schema asks for.
func uetr(id uuid.UUID) string {
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id.String()
}

// date is nothing for no date.
func date(d calendar.Date) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}

// moment is a time as people in South Africa read it.
func (e *Encoder) moment(t time.Time) string {
	if e.d.Offset {
		return t.In(calendar.SAST).Format("2006-01-02T15:04:05-07:00")
	}
	return t.In(calendar.SAST).Format("2006-01-02T15:04:05")
}

// two is a number of two digits.
func two(n int) string { return fmt.Sprintf("%02d", n) }
