package export

import (
	"compress/flate"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maker is who a workbook says made it; no name of a person or a machine.
const maker = "Debitdesk"

// The styles of cells, in the order of the workbook's list.
const (
	styleBold = 1 + iota
	styleAmount
	styleDay
	styleMoment
	styleText
)

// mostCharacters is what a cell of a workbook holds at most.
const mostCharacters = 32767

// xlsxFile writes a workbook with one sheet (ECMA-376). The sheet is compressed and sent while its rows come. At
// each Flush the compression begins afresh, so that another process can go on from there.
type xlsxFile struct {
	frame   archive
	refs    []string // "A", "B", … of the columns
	sheet   []byte   // rows that are not compressed yet
	packer  *flate.Writer
	out     counted
	mark    Mark
	dirty   bool  // something was compressed since the last Flush
	framing int64 // bytes of the frame before the sheet
}

// counted gathers what is sent and counts it.
type counted struct {
	to     io.Writer
	buffer []byte
	n      int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.buffer = append(c.buffer, p...)
	c.n += int64(len(p))
	if len(c.buffer) < sentAt {
		return len(p), nil
	}
	return len(p), c.flush()
}

func (c *counted) flush() error {
	if len(c.buffer) == 0 {
		return nil
	}
	_, err := c.to.Write(c.buffer)
	c.buffer = c.buffer[:0]
	return err
}

// packers are kept, for each takes more than a megabyte.
var packers = sync.Pool{New: func() any {
	p, _ := flate.NewWriter(io.Discard, flate.BestSpeed) // the level is one there is
	return p
}}

func openXLSX(to io.Writer, t Table, at Mark) (*xlsxFile, error) {
	f := &xlsxFile{frame: archive{made: t.Made.UTC()}, out: counted{to: to}, mark: at,
		sheet: make([]byte, 0, sentAt+8<<10)}
	for i := range t.Heads {
		f.refs = append(f.refs, columnName(i))
	}
	var head []byte
	for _, p := range partsOf(t) {
		head = f.frame.stored(head, p.name, p.content)
	}
	head = f.frame.stream(head, "xl/worksheets/sheet1.xml")
	f.framing = int64(len(head))
	f.packer = packers.Get().(*flate.Writer)
	f.packer.Reset(&f.out)
	if at != (Mark{}) {
		f.out.n = at.Bytes
		return f, nil
	}
	if _, err := f.out.Write(head); err != nil {
		return nil, err
	}
	f.begin(t)
	return f, nil
}

// begin writes what stands before the rows, and the heads, bold, which stay when the sheet is scrolled.
func (f *xlsxFile) begin(t Table) {
	f.sheet = append(f.sheet, xmlHead+`<worksheet xmlns="`+mainSpace+`"><sheetViews><sheetView tabSelected="1" `+
		`workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>`+
		`</sheetViews>`...)
	if widths := widthsOf(t); widths != "" {
		f.sheet = append(f.sheet, "<cols>"+widths+"</cols>"...)
	}
	f.sheet = append(f.sheet, `<sheetData><row r="1">`...)
	for i, h := range t.Heads {
		f.text(i, 1, h.Text, styleBold)
	}
	f.sheet = append(f.sheet, "</row>"...)
}

func widthsOf(t Table) string {
	var b strings.Builder
	for i, h := range t.Heads {
		if h.Width > 0 {
			n := strconv.Itoa(i + 1)
			b.WriteString(`<col min="` + n + `" max="` + n + `" width="` + strconv.FormatFloat(h.Width, 'f', -1, 64) +
				`" customWidth="1"/>`)
		}
	}
	return b.String()
}

func (f *xlsxFile) Row(cells []Cell) error {
	f.mark.Rows++
	row := f.mark.Rows + 1
	f.sheet = append(f.sheet, `<row r="`...)
	f.sheet = strconv.AppendInt(f.sheet, row, 10)
	f.sheet = append(f.sheet, `">`...)
	for i := range min(len(cells), len(f.refs)) {
		f.cell(i, row, &cells[i])
	}
	f.sheet = append(f.sheet, "</row>"...)
	if len(f.sheet) < sentAt {
		return nil
	}
	return f.pack()
}

func (f *xlsxFile) Note(s string) error { return f.Row([]Cell{Text(s)}) }

func (f *xlsxFile) cell(column int, row int64, c *Cell) {
	switch c.kind {
	case blank:
	case text:
		f.text(column, row, c.text, styleText)
	case amount:
		// The number of a workbook is binary; the nearest one to so many cents is
		// written, and read, with exactly these two decimals.
		f.number(column, row, styleAmount, func(b []byte) []byte {
			return strconv.AppendFloat(b, float64(c.n)/100, 'f', -1, 64)
		})
	case count:
		f.number(column, row, 0, func(b []byte) []byte { return strconv.AppendInt(b, c.n, 10) })
	case day:
		f.date(column, row, styleDay, c.at, time.DateOnly)
	case moment:
		f.date(column, row, styleMoment, c.at, time.DateTime)
	}
}

// firstDay is where the count of days of a workbook is right.
var firstDay = time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)

// date writes days since 1899-12-30; what lies before a workbook's calendar is a text.
func (f *xlsxFile) date(column int, row int64, style int, at time.Time, layout string) {
	if at.Before(firstDay) {
		f.text(column, row, at.Format(layout), styleText)
		return
	}
	const secondsOfDay = 24 * 60 * 60
	seconds := at.Unix() - firstDay.Unix() + 61*secondsOfDay
	f.number(column, row, style, func(b []byte) []byte {
		if seconds%secondsOfDay == 0 {
			return strconv.AppendInt(b, seconds/secondsOfDay, 10)
		}
		return strconv.AppendFloat(b, float64(seconds)/secondsOfDay, 'f', 10, 64)
	})
}

func (f *xlsxFile) ref(column int, row int64, style int) {
	f.sheet = append(append(f.sheet, `<c r="`...), f.refs[column]...)
	f.sheet = strconv.AppendInt(f.sheet, row, 10)
	if style > 0 {
		f.sheet = append(append(f.sheet, `" s="`...), byte('0'+style)) //nolint:gosec // a digit
	}
}

func (f *xlsxFile) number(column int, row int64, style int, digits func([]byte) []byte) {
	f.ref(column, row, style)
	f.sheet = digits(append(f.sheet, `"><v>`...))
	f.sheet = append(f.sheet, `</v></c>`...)
}

// text is a string there, whatever it begins with.
func (f *xlsxFile) text(column int, row int64, s string, style int) {
	f.ref(column, row, style)
	f.sheet = append(f.sheet, `" t="inlineStr"><is><t xml:space="preserve">`...)
	f.sheet = appendXML(f.sheet, s)
	f.sheet = append(f.sheet, `</t></is></c>`...)
}

// appendXML writes a text as a cell holds it: characters that XML cannot have are replaced, and what a program would
// take for a coded character (_x0041_) stays as it is.
func appendXML(b []byte, s string) []byte {
	if len(s) > mostCharacters {
		s = cut(s, mostCharacters)
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '&':
				b = append(b, "&amp;"...)
			case c == '<':
				b = append(b, "&lt;"...)
			case c == '>':
				b = append(b, "&gt;"...)
			case c == '\n':
				b = append(b, "&#xA;"...)
			case c == '\r':
				b = append(b, "&#xD;"...)
			case c == '\t':
				b = append(b, "&#x9;"...)
			case c < ' ':
				b = append(b, "\uFFFD"...)
			case c == '_' && coded(s[i:]):
				b = append(b, "_x005F_"...)
			default:
				b = append(b, c)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == 0xFFFE || r == 0xFFFF {
			r = utf8.RuneError
		}
		b, i = utf8.AppendRune(b, r), i+n
	}
	return b
}

// coded tells that after an underscore comes the rest of a coded character.
func coded(s string) bool {
	if len(s) < 6 || s[0] != 'x' || s[5] != '_' {
		return false
	}
	return strings.Trim(s[1:5], "0123456789abcdefABCDEF") == ""
}

// cut keeps so many characters.
func cut(s string, most int) string {
	for i := range s {
		if most == 0 {
			return s[:i]
		}
		most--
	}
	return s
}

// pack compresses the rows that wait.
func (f *xlsxFile) pack() error {
	f.mark.Plain += int64(len(f.sheet))
	f.mark.Sum = crc32.Update(f.mark.Sum, crc32.IEEETable, f.sheet)
	_, err := f.packer.Write(f.sheet)
	f.sheet, f.dirty = f.sheet[:0], true
	return err
}

// Flush ends a block of the compression, so that everything can be sent and the next block needs nothing of this one.
func (f *xlsxFile) Flush() error {
	if len(f.sheet) > 0 {
		if err := f.pack(); err != nil {
			return err
		}
	}
	if f.dirty {
		if err := f.packer.Flush(); err != nil {
			return err
		}
		f.packer.Reset(&f.out)
		f.dirty = false
	}
	f.mark.Bytes = f.out.n
	return f.out.flush()
}

func (f *xlsxFile) Mark() Mark { return f.mark }

func (f *xlsxFile) Finish() error {
	f.sheet = append(f.sheet, "</sheetData></worksheet>"...)
	if err := f.pack(); err != nil {
		return err
	}
	if err := f.packer.Close(); err != nil {
		return err
	}
	tail, err := f.frame.end(nil, f.out.n-f.framing, f.mark.Plain, f.mark.Sum)
	if err != nil {
		return err
	}
	if _, err := f.out.Write(tail); err != nil {
		return err
	}
	f.mark.Bytes = f.out.n
	return f.out.flush()
}

func (f *xlsxFile) Release() {
	if f.packer != nil {
		f.packer.Reset(io.Discard)
		packers.Put(f.packer)
		f.packer = nil
	}
}

// columnName is the name of a column: A to Z, then AA.
func columnName(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}
