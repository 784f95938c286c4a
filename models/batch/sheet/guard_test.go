package sheet_test

import (
	"archive/zip"
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/fault"
)

// planted is a small workbook in which some parts are replaced.
func planted(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	whole := small(t)
	old, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	must(t, err)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range old.File {
		w, err := z.Create(e.Name)
		must(t, err)
		if text, ok := parts[e.Name]; ok {
			_, err = io.WriteString(w, text)
			must(t, err)
			continue
		}
		r, err := e.Open()
		must(t, err)
		_, err = io.Copy(w, r) //nolint:gosec // our own small file
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

const (
	sheet1  = "xl/worksheets/sheet1.xml"
	shared  = "xl/sharedStrings.xml"
	styles  = "xl/styles.xml"
	spread  = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	heading = `<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="B1" t="inlineStr"><is><t>amount</t></is></c></row>`
)

func rowsOf(rows string) string {
	return `<worksheet ` + spread + `><sheetData>` + heading + rows + `</sheetData></worksheet>`
}

// A few kilobytes can unzip to what would take gigabytes to read. It is refused by
// what is in it, whatever the directory of the archive says.
func TestAWorkbookThatWouldTakeTooMuchMemoryIsRefusedWithLittle(t *testing.T) {
	long := strings.Repeat("x", 32_000)
	for name, c := range map[string]struct {
		parts map[string]string
		code  string
	}{
		"every row reaches to the last column": {map[string]string{
			sheet1: rowsOf(strings.Repeat(`<row><c r="XFD2"><v>1</v></c></row>`, 20_000))}, "workbook_too_large"},
		"one row of a million cells": {map[string]string{
			sheet1: rowsOf(`<row>` + strings.Repeat(`<c><v>1</v></c>`, 1_000_000) + `</row>`)}, "workbook_too_large"},
		"two million empty rows": {map[string]string{sheet1: rowsOf(strings.Repeat(`<row/>`, 2_000_000))},
			"workbook_too_large"},
		"a row too deep": {map[string]string{sheet1: rowsOf(strings.Repeat(`<a>`, 1_000_000))},
			"workbook_too_large"},
		"styles too deep": {map[string]string{styles: strings.Repeat(`<a>`, 1_000_000)},
			"workbook_too_large"},
		"a million styles": {map[string]string{styles: `<styleSheet ` + spread + `><cellXfs>` +
			strings.Repeat(`<xf/>`, 1_000_000) + `</cellXfs></styleSheet>`}, "workbook_too_large"},
		"a comment without end": {map[string]string{sheet1: rowsOf(`<!--` + strings.Repeat("-", 5_000_000))},
			"workbook_too_large"},
		"a mark of five megabytes": {map[string]string{
			sheet1: rowsOf(`<row r="2` + strings.Repeat("2", 5_000_000) + `"/>`)}, "workbook_too_large"},
		"a text of five megabytes": {map[string]string{
			sheet1: rowsOf(`<row r="2"><c r="A2" t="inlineStr"><is><t>` + strings.Repeat("x", 5_000_000) +
				`</t></is></c></row>`)}, "workbook_too_large"},
		"a million shared texts and more": {map[string]string{sheet1: rowsOf(""), shared: `<sst ` + spread + `>` +
			strings.Repeat(`<si/>`, 1_200_000) + `</sst>`}, "workbook_too_large"},
		"a row of long shared texts": {map[string]string{shared: `<sst ` + spread + `><si><t>` + long + `</t></si></sst>`,
			sheet1: rowsOf(`<row r="2">` + strings.Repeat(`<c t="s"><v>0</v></c>`, 10_000) + `</row>`)}, "workbook_too_large"},
		"rows of long shared texts": {map[string]string{shared: `<sst ` + spread + `><si><t>` + long + `</t></si></sst>`,
			sheet1: rowsOf(strings.Repeat(`<row>`+strings.Repeat(`<c t="s"><v>0</v></c>`, 2)+`</row>`, 40_000))},
			"file_too_large"},
		"a hundred times what it is": {map[string]string{
			sheet1: rowsOf(strings.Repeat(`<row><c><v>1</v></c></row>`, 900_000))}, "workbook_too_large"},
		"one cell in the last corner": {map[string]string{
			sheet1: rowsOf(`<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`)}, "too_many_columns"},
	} {
		content := planted(t, c.parts)
		code, heap := readAlone(t, content)
		if code != c.code {
			t.Errorf("%s (%d bytes): got %q, want %s", name, len(content), code, c.code)
		}
		if heap > 96<<20 {
			t.Errorf("%s (%d bytes): %d MB were taken", name, len(content), heap>>20)
		} else {
			t.Logf("%s (%d bytes): %d MB", name, len(content), heap>>20)
		}
	}
}

// After a workbook was refused, or is closed, the next one has its turn.
func TestOneWorkbookIsReadAtATime(t *testing.T) {
	first, err := sheet.Open(bytes.NewReader(small(t)), sheet.Told{})
	must(t, err)
	opened := make(chan error)
	go func() {
		second, err := sheet.Open(bytes.NewReader(small(t)), sheet.Told{})
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	select {
	case <-opened:
		t.Error("two workbooks were open at once")
	default:
	}
	must(t, first.Close())
	must(t, first.Close()) // gives nobody else's turn away
	must(t, <-opened)
	if _, err := sheet.Open(bytes.NewReader(planted(t, map[string]string{sheet1: rowsOf("<")})),
		sheet.Told{Sheet: "none"}); err == nil {
		t.Error("a sheet that is not there was opened")
	}
	last, err := sheet.Open(bytes.NewReader(small(t)), sheet.Told{})
	must(t, err)
	must(t, last.Close())
}

// What a text file can do: a line without end, a line of a million cells.
func TestALineOfAMillionCellsTakesLittle(t *testing.T) {
	for name, content := range map[string]string{
		"a line of a million cells":    "name,amount\n" + strings.Repeat(",1", 1_000_000) + "\nAnna,1\n",
		"a heading of a million cells": strings.Repeat("a,", 1_000_000) + "\nAnna,1\n",
		"a line without end":           "name,amount\n" + strings.Repeat("x", 19<<20) + "\nAnna,1\n",
		"quotation marks without end":  "name,amount\n" + strings.Repeat("\"x\n", 1_000_000) + "\nAnna,1\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := sheet.Open(strings.NewReader(content), sheet.Told{})
		if err == nil {
			err = f.Each(func(r sheet.Row) error {
				if len(r.Cells) > sheet.MaxColumns {
					t.Errorf("%s: a row of %d cells", name, len(r.Cells))
				}
				return nil
			})
			must(t, f.Close())
		}
		runtime.ReadMemStats(&after)
		grown := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d MB, %v", name, grown>>20, err)
		if _, refused := fault.From(err); err != nil && !refused || grown > 160<<20 {
			t.Errorf("%s: %d MB were taken, %v", name, grown>>20, err)
		}
	}
}
