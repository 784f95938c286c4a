package export

import (
	"archive/zip"
	"fmt"
	"io"
	"time"

	"github.com/xuri/excelize/v2"
)

// maker is who a workbook says made it; no name of a person or a machine.
const maker = "Debitdesk"

// xlsxFile writes a workbook with one sheet. Its rows wait in a file of the
// system's temporary folder, for a workbook is sent when it is complete.
type xlsxFile struct {
	to     io.Writer
	book   *excelize.File
	sheet  *excelize.StreamWriter
	styles map[kind]int
	row    int
	values []any
}

func openXLSX(to io.Writer, t Table) (*xlsxFile, error) {
	f := &xlsxFile{to: to, book: excelize.NewFile(), values: make([]any, len(t.Heads))}
	if err := f.begin(t); err != nil {
		f.Release()
		return nil, fmt.Errorf("begin workbook: %w", err)
	}
	return f, nil
}

func (f *xlsxFile) begin(t Table) (err error) {
	made := t.Made.UTC().Format(time.RFC3339)
	if err := f.book.SetDocProps(&excelize.DocProperties{Title: t.Name, Creator: maker, LastModifiedBy: maker,
		Created: made, Modified: made}); err != nil {
		return err
	}
	if err := f.book.SetAppProps(&excelize.AppProperties{Application: maker}); err != nil {
		return err
	}
	if err := f.book.SetSheetName("Sheet1", t.Name); err != nil {
		return err
	}
	if f.sheet, err = f.book.NewStreamWriter(t.Name); err != nil {
		return err
	}
	if err := f.style(); err != nil {
		return err
	}
	return f.heads(t.Heads)
}

func (f *xlsxFile) style() error {
	f.styles = map[kind]int{}
	for k, format := range map[kind]string{amount: "#,##0.00", day: "yyyy-mm-dd", moment: "yyyy-mm-dd hh:mm:ss",
		text: "@"} {
		id, err := f.book.NewStyle(&excelize.Style{CustomNumFmt: &format})
		if err != nil {
			return err
		}
		f.styles[k] = id
	}
	return nil
}

// heads writes the first row, bold, which stays when the sheet is scrolled.
func (f *xlsxFile) heads(heads []Head) error {
	bold, err := f.book.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	if err := f.sheet.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2",
		ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	for i, h := range heads {
		if h.Width > 0 {
			if err := f.sheet.SetColWidth(i+1, i+1, h.Width); err != nil {
				return err
			}
		}
		f.values[i] = excelize.Cell{StyleID: bold, Value: h.Text}
	}
	return f.write()
}

func (f *xlsxFile) Row(cells []Cell) error {
	clear(f.values)
	for i, c := range cells {
		if c.kind != blank {
			f.values[i] = excelize.Cell{StyleID: f.styles[c.kind], Value: c.xlsx()}
		}
	}
	return f.write()
}

func (f *xlsxFile) Note(s string) error { return f.Row([]Cell{Text(s)}) }

func (f *xlsxFile) write() error {
	f.row++
	at, err := excelize.CoordinatesToCellName(1, f.row)
	if err != nil {
		return err
	}
	return f.sheet.SetRow(at, f.values)
}

// xlsx is the value with its type: a text is a string there, whatever it begins with.
func (c Cell) xlsx() any {
	switch c.kind {
	case blank:
	case text:
		return c.text
	case amount:
		// The number of a workbook is binary; the nearest one to so many cents is
		// written, and read, with exactly these two decimals.
		return float64(c.n) / 100
	case count:
		return c.n
	case day, moment:
		return c.at
	}
	return nil
}

// Flush has nothing to send before the end.
func (f *xlsxFile) Flush() error { return nil }

// Finish sends the workbook. It is compressed on the way: excelize itself would
// hold all of it in memory first.
func (f *xlsxFile) Finish() error {
	if err := f.sheet.Flush(); err != nil {
		return err
	}
	f.book.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(f.to) })
	return f.book.Write(io.Discard)
}

// Release removes what waited.
func (f *xlsxFile) Release() { _ = f.book.Close() }
