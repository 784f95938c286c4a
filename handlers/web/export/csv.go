package export

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"debitdesk/models/celltext"
)

// byteOrderMark tells spreadsheet programs that the file is UTF-8.
const byteOrderMark = "\ufeff"

// csvFile writes CSV as RFC 4180 has it: commas, CRLF, every record of one length.
type csvFile struct {
	out    *csv.Writer
	record []string
}

func openCSV(to io.Writer, t Table) (*csvFile, error) {
	buffered := bufio.NewWriterSize(to, 32<<10)
	f := &csvFile{out: csv.NewWriter(buffered), record: make([]string, len(t.Heads))}
	f.out.UseCRLF = true
	if t.Follows {
		return f, nil
	}
	if _, err := buffered.WriteString(byteOrderMark); err != nil {
		return nil, err
	}
	for i, h := range t.Heads {
		f.record[i] = h.Text
	}
	return f, f.out.Write(f.record)
}

func (f *csvFile) Row(cells []Cell) error {
	clear(f.record)
	for i, c := range cells {
		f.record[i] = c.csv()
	}
	return f.out.Write(f.record)
}

func (f *csvFile) Note(s string) error { return f.Row([]Cell{Text(s)}) }

func (f *csvFile) Flush() error {
	f.out.Flush()
	return f.out.Error()
}

func (f *csvFile) Finish() error { return f.Flush() }

func (f *csvFile) Release() {}

func (c Cell) csv() string {
	switch c.kind {
	case blank:
	case text:
		return celltext.Guard(c.text)
	case amount:
		sign, cents := "", c.n
		if cents < 0 {
			sign, cents = "-", -cents
		}
		return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
	case count:
		return strconv.FormatInt(c.n, 10)
	case day:
		return c.at.Format(time.DateOnly)
	case moment:
		return c.at.Format(time.DateTime)
	}
	return ""
}
