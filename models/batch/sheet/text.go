package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"debitdesk/models/fault"
)

// open finds out which kind of table the bytes are, and how to read it.
func (f *File) open(src io.ReadSeeker, told Told) error {
	seen, err := look(src, f.limits)
	if err != nil {
		return err
	}
	switch {
	case seen.size == 0:
		return empty()
	case bytes.HasPrefix(seen.start, []byte("\xD0\xCF\x11\xE0")):
		return fault.New(fault.Invalid, "old_workbook",
			"This is an old Excel file or one with a password. Save it as .xlsx without a password.")
	case bytes.HasPrefix(seen.start, []byte("%PDF")):
		return unread()
	case bytes.HasPrefix(seen.start, []byte("PK\x03\x04")) && told.Kind != Paste:
		f.Format.Kind, f.padded = XLSX, true
		return f.openWorkbook(src, told)
	}
	return f.openText(src, seen, told)
}

func empty() error {
	return fault.New(fault.Invalid, "empty_file",
		"The file has no rows. Choose a file with a heading and at least one row below it.")
}

func unread() error {
	return fault.New(fault.Invalid, "unknown_file",
		"This is neither a CSV nor an .xlsx file. Save it as one of these and choose it again.")
}

func (f *File) openText(src io.ReadSeeker, seen looked, told Told) error {
	f.Format.Encoding = seen.encodingOf(told.Encoding)
	wide := f.Format.Encoding == UTF16Little || f.Format.Encoding == UTF16Big
	switch {
	case !told.Encoding.known():
		return fault.At("encoding", "invalid_choice", "Choose one of the encodings of the list.")
	case len(told.Separator) > 0 && (len(told.Separator) != 1 || !strings.Contains(separators+"|", told.Separator)):
		return fault.At("separator", "invalid_choice", "Choose comma, semicolon, tab or |.")
	case !wide && bytes.IndexByte(seen.start, 0) >= 0:
		return unread()
	}
	if f.Format.Kind != Paste {
		f.Format.Kind = CSV
	}
	t := &text{src: src, encoding: f.Format.Encoding}
	start, err := t.start()
	if err != nil {
		return err
	}
	f.Format.Separator, t.told = separatorOf(start)
	if told.Separator != "" {
		f.Format.Separator = told.Separator
	}
	f.padded = f.Format.Kind == Paste || f.Format.Separator == "\t"
	t.sep = f.Format.Separator[0]
	f.rows = t
	return nil
}

// text is a table whose cells are separated by a character.
type text struct {
	src      io.ReadSeeker
	encoding Encoding
	sep      byte
	told     bool // the first line is a spreadsheet's own "sep=;", which is no row
}

func (t *text) close() error { return nil }

func (t *text) begin() (*bufio.Reader, error) {
	if _, err := t.src.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("go to the start of the file: %w", err)
	}
	in := bufio.NewReaderSize(t.encoding.text(t.src), 64<<10)
	// Marks go before anything is cut: behind one, a quotation mark would not open the first cell. The second is the mark
	// of a file that was once read as Windows-1252 and saved again.
	for _, mark := range []string{"\uFEFF", "ï»¿"} {
		if start, err := in.Peek(len(mark)); err == nil && string(start) == mark {
			_, _ = in.Discard(len(mark))
		}
	}
	return in, nil
}

// start gives the first lines to guess from, cut at the end of a line where the file is longer.
func (t *text) start() (string, error) {
	in, err := t.begin()
	if err != nil {
		return "", err
	}
	piece := make([]byte, 64<<10)
	n, err := io.ReadFull(in, piece)
	switch {
	case err == nil:
		if end := bytes.LastIndexAny(piece, "\r\n"); end > 0 {
			n = end
		}
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return "", fmt.Errorf("read the file: %w", err)
	}
	return string(piece[:n]), nil
}

func (t *text) each(width int, see func(Row) error) error {
	in, err := t.begin()
	if err != nil {
		return err
	}
	r := &records{in: in, sep: t.sep, width: width}
	if t.told {
		if _, err := r.line(); err != nil {
			return notEOF(err)
		}
	}
	for n := 1; ; n++ {
		rec, err := r.next()
		if err != nil {
			return notEOF(err)
		}
		if err := see(Row{Number: n, Cells: rec.cells, Broken: rec.broken}); err != nil {
			return err
		}
	}
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
