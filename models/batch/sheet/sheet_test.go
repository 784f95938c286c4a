package sheet_test

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/fault"
)

func read(t *testing.T, content string, told sheet.Told) (sheet.Format, []sheet.Row) {
	t.Helper()
	f, err := sheet.Open(strings.NewReader(content), told)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var rows []sheet.Row
	if err := f.Each(func(r sheet.Row) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return f.Format, rows
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// encode writes text the ways that spreadsheets save it.
func encode(t *testing.T, text string, as sheet.Encoding) string {
	t.Helper()
	var out string
	var err error
	switch as {
	case sheet.UTF8Marked:
		out = "\uFEFF" + text
	case sheet.Windows1252:
		out, err = charmap.Windows1252.NewEncoder().String(text)
	case sheet.UTF16Little:
		out, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	case sheet.UTF16Big:
		out, err = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text)
	default:
		out = text
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryEncodingSeparatorAndLineEndReadsAlike(t *testing.T) {
	for _, encoding := range []sheet.Encoding{sheet.UTF8, sheet.UTF8Marked, sheet.Windows1252, sheet.UTF16Little,
		sheet.UTF16Big} {
		for _, sep := range []string{",", ";", "\t"} {
			for _, end := range []string{"\n", "\r\n", "\r"} {
				t.Run(fmt.Sprintf("%s %q %q", encoding, sep, end), func(t *testing.T) {
					lines := []string{`"Naam"|E-pos|Bedrag`, `Chloé|c@x.test|"1 234,50"`, "||", `"Müller |'Zoë'"|m@x.test|"12,00"`}
					text := strings.ReplaceAll(strings.Join(lines, end), "|", sep) + end
					format, rows := read(t, encode(t, text, encoding), sheet.Told{})
					same(t, format, sheet.Format{Kind: sheet.CSV, Encoding: encoding, Separator: sep, Decimal: ",",
						Header: []string{"Naam", "E-pos", "Bedrag"}, HeaderRow: 1})
					same(t, rows, []sheet.Row{
						{Number: 2, Cells: []string{"Chloé", "c@x.test", "1 234,50"}},
						{Number: 4, Cells: []string{"Müller " + sep + "'Zoë'", "m@x.test", "12,00"}},
					})
				})
			}
		}
	}
}

func TestABrokenRowIsKeptAndHurtsNoOther(t *testing.T) {
	for name, c := range map[string]struct {
		row    string
		cells  []string
		column int
		code   string
	}{
		"an open quotation mark": {`"Anna,a@x.test,10`, []string{`"Anna`, "a@x.test", "10"}, 1, sheet.BadQuote},
		"an open mark later":     {`Anna,"a@x.test,10`, []string{"Anna", `"a@x.test`, "10"}, 2, sheet.BadQuote},
		"text after the mark":    {`"Anna"B,a@x.test,10`, []string{"AnnaB", "a@x.test", "10"}, 1, sheet.BadQuote},
		"too few cells":          {`Anna,a@x.test`, []string{"Anna", "a@x.test", ""}, 3, sheet.TooFewCells},
		"too many cells": {`Anna,a@x.test,1,234`, []string{"Anna", "a@x.test", "1", "234"},
			4, sheet.TooManyCells},
		"an inch sign is no open quote": {`Bolt 3",a@x.test,10`, []string{`Bolt 3"`, "a@x.test", "10"}, 0, ""},
		"empty cells too many":          {`Anna,a@x.test,10,,`, []string{"Anna", "a@x.test", "10"}, 0, ""},
		"blank before a mark":           {`Anna, "a@x.test" ,10`, []string{"Anna", "a@x.test", "10"}, 0, ""},
		"a line break in a cell":        {"\"Anna\nB\",a@x.test,10", []string{"Anna\nB", "a@x.test", "10"}, 0, ""},
		"a doubled mark":                {`"An""na",a@x.test,10`, []string{`An"na`, "a@x.test", "10"}, 0, ""},
		"a cell that is too long": {strings.Repeat("é", sheet.MaxCell+1) + `,a@x.test,10`,
			[]string{strings.Repeat("é", sheet.MaxCell), "a@x.test", "10"}, 1, sheet.CellTooLong},
		"a cell just long enough": {strings.Repeat("é", sheet.MaxCell) + `,a@x.test,10`,
			[]string{strings.Repeat("é", sheet.MaxCell), "a@x.test", "10"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, rows := read(t, "name,email,amount\n"+c.row+"\n"+`Ben,"b@x.test",20`+"\n", sheet.Told{Separator: ","})
			if len(rows) != 2 {
				t.Fatalf("%d rows", len(rows))
			}
			same(t, rows[0].Cells, c.cells)
			if c.code == "" {
				same(t, len(rows[0].Broken), 0)
			} else {
				same(t, len(rows[0].Broken), 1)
				same(t, []any{rows[0].Broken[0].Column, rows[0].Broken[0].Code}, []any{c.column, c.code})
			}
			same(t, rows[1], sheet.Row{Number: 3, Cells: []string{"Ben", "b@x.test", "20"}})
		})
	}
}

func TestTheHeadingIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		told   int
		row    int
		header []string
		rows   int
	}{
		"at the top": {"name,amount\nA,1\n", 0, 1, []string{"name", "amount"}, 1},
		"below a title": {"Invoices of December,,\n,,\nname,email,amount\nA,a@x.test,1\n", 0, 3,
			[]string{"name", "email", "amount"}, 1},
		"missing":              {"A,a@x.test,1\nB,b@x.test,2\n", 0, 0, []string{"", "", ""}, 2},
		"told":                 {"x,y\nname,amount\nA,1\n", 2, 2, []string{"name", "amount"}, 1},
		"told that none":       {"name,amount\nA,1\n", sheet.NoHeader, 0, []string{"", ""}, 2},
		"with a nameless end":  {"name,amount,\nA,1,\n", 0, 1, []string{"name", "amount"}, 1},
		"with a nameless used": {"name,amount,\nA,1,x\n", 0, 1, []string{"name", "amount", ""}, 1},
		"after sep=":           {"sep=;\nname;amount\nA;1,5\n", 0, 1, []string{"name", "amount"}, 1},
		"one column":           {"email\na@x.test\n", 0, 1, []string{"email"}, 1},
		"a mark read wrongly":  {"ï»¿name,amount\nA,1\n", 0, 1, []string{"name", "amount"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			format, rows := read(t, c.text, sheet.Told{HeaderRow: c.told})
			same(t, format.HeaderRow, c.row)
			same(t, format.Header, c.header)
			same(t, len(rows), c.rows)
		})
	}
}

func TestTheSeparatorIsNotMistakenForADecimalComma(t *testing.T) {
	format, _ := read(t, "name;amount;due\nA;1 234,50;01/12/2026\nB;12,00;25/12/2026\nC;0,50;26/12/2026\n", sheet.Told{})
	same(t, []any{format.Separator, string(format.Decimal), string(format.Dates)}, []any{";", ",", "dmy"})
	format, rows := read(t, "name\tamount\nA\t1,234.50\n", sheet.Told{Kind: sheet.Paste})
	same(t, []any{format.Kind, format.Separator, string(format.Decimal), len(rows)}, []any{sheet.Paste, "\t", ".", 1})
}

func TestWhatCannotBeReadSaysWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		told    sheet.Told
		code    string
	}{
		"empty":             {"", sheet.Told{}, "empty_file"},
		"only blanks":       {" \n,,\n\u00a0", sheet.Told{}, "empty_file"},
		"an old workbook":   {"\xD0\xCF\x11\xE0rest", sheet.Told{}, "old_workbook"},
		"a PDF":             {"%PDF-1.7\n", sheet.Told{}, "unknown_file"},
		"binary":            {"ab\x00\x01cd", sheet.Told{}, "unknown_file"},
		"a torn workbook":   {"PK\x03\x04torn", sheet.Told{}, "unread_workbook"},
		"too large":         {strings.Repeat("a,b\n", int(sheet.Usual.Bytes)/4) + "x", sheet.Told{}, "file_too_large"},
		"too many columns":  {strings.Repeat("h,", sheet.MaxColumns) + "h\n", sheet.Told{}, "too_many_columns"},
		"unknown encoding":  {"a,b\n1,2\n", sheet.Told{Encoding: "EBCDIC"}, "invalid_choice"},
		"unknown separator": {"a,b\n1,2\n", sheet.Told{Separator: "x"}, "invalid_choice"},
		"no such heading":   {"a,b\n1,2\n", sheet.Told{HeaderRow: 9}, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sheet.Open(strings.NewReader(c.content), c.told)
			if !fault.HasCode(err, c.code) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAsManyRowsAreReadAsTheLimitsAllowAndOneMoreIsRefused(t *testing.T) {
	for _, limits := range []sheet.Limits{sheet.Usual, sheet.Large} {
		for _, extra := range []int{0, 1} {
			f, err := sheet.OpenWithin(strings.NewReader("name,amount\n"+strings.Repeat("A,1\n", limits.Rows+extra)), sheet.Told{},
				limits)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			err = f.Each(func(sheet.Row) error { n++; return nil })
			if n != limits.Rows || fault.HasCode(err, "too_many_rows") != (extra == 1) {
				t.Errorf("%d more: %d rows, %v", extra, n, err)
			}
		}
	}
}

func TestBytesThatAreNoUTF8AreReportedWhereUTF8WasTold(t *testing.T) {
	_, rows := read(t, "name,amount\nChlo\xe9,1\n", sheet.Told{Encoding: sheet.UTF8})
	same(t, rows[0].Cells[0], "Chlo\uFFFD")
	same(t, rows[0].Broken[0].Code, sheet.BadEncoding)
}

func TestACharacterCutByTheBufferIsStillUTF8(t *testing.T) {
	for pad := range 4 {
		text := "name,amount\n" + strings.Repeat("x", 65_536-12-pad) + "€é𝄞,1\n"
		if format, _ := read(t, text, sheet.Told{}); format.Encoding != sheet.UTF8 {
			t.Errorf("%d bytes before the cut: %s", pad, format.Encoding)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "\uFEFFa;b\r\n\"1\";2", "a\tb\rx\t\"y\rz\"", "\xff\xfea\x00,\x00b\x00",
		"\"\n\"\n\"", "sep=;\na;b",
		"a,b\n\"x,y\n\"z\"q,1\n", "\xe9,\x80\n", "PK\x03\x04", ",,,\n;;;\n\t\t", "R1,234;1.234,50\n03/04/25;46357"} {
		f.Add([]byte(seed), "")
		f.Add([]byte(seed), ";")
	}
	f.Add(small(f), "")
	f.Fuzz(func(t *testing.T, content []byte, sep string) {
		file, err := sheet.Open(bytes.NewReader(content), sheet.Told{Separator: sep})
		if err != nil {
			if _, ok := fault.From(err); !ok {
				t.Errorf("an error without words for a person: %v", err)
			}
			return
		}
		defer func() { _ = file.Close() }()
		last, width := file.Format.HeaderRow, len(file.Format.Header)
		err = file.Each(func(r sheet.Row) error {
			if r.Number <= last || len(r.Cells) < width || len(r.Cells) > sheet.MaxColumns {
				t.Errorf("row %d after %d with %d cells of %d", r.Number, last, len(r.Cells), width)
			}
			if len(r.Cells) > width && len(r.Broken) == 0 {
				t.Errorf("row %d is too long and does not say so", r.Number)
			}
			for _, c := range r.Cells {
				if strings.ContainsAny(c, "\uFEFF\x00") || !utf8.ValidString(c) {
					t.Errorf("row %d holds %q", r.Number, c)
				}
			}
			last = r.Number
			return nil
		})
		if _, ok := fault.From(err); err != nil && !ok {
			t.Error(err)
		}
	})
}

// lines makes a CSV of n rows without holding it.
type lines struct {
	n, at int
	left  string
}

func (l *lines) Read(p []byte) (int, error) {
	for l.left == "" {
		switch {
		case l.at > l.n:
			return 0, io.EOF
		case l.at == 0:
			l.left = "name;email;amount;due;notes\n"
		default:
			l.left = fmt.Sprintf("\"Client; %d\";c%d@example.test;1 234,50;01/12/2026;%s\n", l.at, l.at, strings.Repeat("x", 40))
		}
		l.at++
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

func (l *lines) Seek(int64, int) (int64, error) { l.at, l.left = 0, ""; return 0, nil }

func BenchmarkReadingFiftyThousandRows(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		f, err := sheet.Open(&lines{n: sheet.Usual.Rows}, sheet.Told{})
		if err != nil {
			b.Fatal(err)
		}
		if err := f.Each(func(sheet.Row) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
