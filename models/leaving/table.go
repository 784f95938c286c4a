package leaving

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// table is a file that is being written.
type table struct {
	of       file
	columns  []column
	stream   *stream
	to       *counted
	buffer   *bufio.Writer
	csv      *csv.Writer
	record   []string
	currency int // the column that names it; -1: all amounts are rands
	sums     map[Sum]int64
	known    map[string]bool // rows that are known to be damaged
	whole    bool            // numbers in full
	at       File
}

// unreadable is the last column of a file whose rows may be damaged.
var unreadable = word("unreadable", "",
	"Columns whose sealed value is damaged: the mask is in its place, or nothing")

const byteOrderMark = "\ufeff"

func (b *Book) openTable(ctx context.Context, f file) (_ *table, err error) {
	t := &table{of: f, columns: slices.Clone(f.columns), sums: map[Sum]int64{}, whole: b.shot.numbers,
		at: File{Name: f.name, Holds: f.holds, Sums: []Sum{}}}
	if f.name == evidenceFile.name {
		t.known = b.scans.damaged
	}
	for _, c := range t.columns {
		t.at.Columns = append(t.at.Columns, c.Column)
	}
	if f.sealed() || t.known != nil {
		t.at.Columns = append(t.at.Columns, unreadable.Column)
	}
	t.currency = slices.IndexFunc(t.columns, func(c column) bool { return c.Name == "currency" })
	var entry io.Writer
	if entry, err = b.entry(f.name); err != nil {
		return nil, err
	}
	t.to = countedTo(entry)
	t.buffer = bufio.NewWriterSize(t.to, 64<<10)
	t.csv = csv.NewWriter(t.buffer)
	t.csv.UseCRLF = true
	if _, err := t.buffer.WriteString(byteOrderMark); err != nil {
		return nil, err
	}
	t.record = make([]string, len(t.at.Columns))
	for i, c := range t.at.Columns {
		t.record[i] = c.Name
	}
	if err := t.csv.Write(t.record); err != nil {
		return nil, err
	}
	t.stream, err = b.shot.rows(ctx, f)
	return t, err
}

// copy writes at most so many rows.
func (t *table) copy(most int) (n int64, more bool, err error) {
	for range most {
		values, there, err := t.stream.next()
		if err != nil || !there {
			return n, false, err
		}
		if err := t.row(values); err != nil {
			return n, false, err
		}
		if !t.of.lines {
			n++
		}
	}
	return n, true, nil
}

// row writes one row. Behind the values of the columns come the sealed ones, where numbers are wanted in full.
func (t *table) row(values [][]byte) (err error) {
	var bad []string
	behind := len(t.columns)
	for i, c := range t.columns {
		if t.record[i], err = c.written(values[i], t.whole); err != nil {
			return err
		}
		if c.Kind == Amount && values[i] != nil {
			if err := t.add(c, values[i], values); err != nil {
				return err
			}
		}
		if c.seal == nil || !t.whole {
			continue
		}
		number, opened := t.stream.open(*c.seal, string(values[0]), values[behind])
		behind++
		switch {
		case !opened:
			bad = append(bad, c.Name)
		case number != "":
			t.record[i] = number
		}
	}
	if t.known[string(values[0])] {
		bad = append(bad, "content")
	}
	if len(t.record) > len(t.columns) {
		t.record[len(t.columns)] = strings.Join(bad, " ")
	}
	if t.at.Rows++; len(bad) > 0 {
		t.at.Unreadable++
	}
	return t.csv.Write(t.record)
}

// add adds an amount to the sum of its column.
func (t *table) add(c column, stored []byte, values [][]byte) error {
	cents, err := strconv.ParseInt(string(stored), 10, 64)
	if err != nil {
		return errNotAnAmount
	}
	currency := "ZAR"
	if t.currency >= 0 {
		currency = string(values[t.currency])
	}
	t.sums[Sum{Column: c.Name, Currency: currency}] += cents
	return nil
}

// end is what the manifest says of the file.
func (t *table) end() (File, error) {
	t.csv.Flush()
	if err := t.csv.Error(); err != nil {
		return t.at, err
	}
	if err := t.buffer.Flush(); err != nil {
		return t.at, err
	}
	for s, cents := range t.sums {
		s.Cents = cents
		t.at.Sums = append(t.at.Sums, s)
	}
	slices.SortFunc(t.at.Sums, func(a, b Sum) int {
		return strings.Compare(a.Column+" "+a.Currency, b.Column+" "+b.Currency)
	})
	t.at.Bytes, t.at.SHA256 = t.to.size, t.to.digest()
	return t.at, nil
}
