package source

import (
	"archive/zip"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/fault"
)

// mostUnzipped is how much one file of a book may unzip to, in bytes; mostEntries how many files a ZIP may have.
const (
	mostUnzipped = 64 << 20
	mostEntries  = 200_000
)

// needed are the columns of the files that are read, by name; nothing else of them is kept.
var needed = strings.Fields("client_id reference full_name email phone personal_code street_address city province " +
	"zip_code country legal_name brand_name registration_number tax_number tags cc bcc " +
	"shipping_street_address shipping_city " +
	"shipping_province shipping_zip_code shipping_country deleted_at erased_at stopped_at held_at token_id mandate_id " +
	"account_holder bank_code bank_account account_type signed_on contract_reference failures last_debit status method " +
	"template amount cycle next_debit remaining subscription_reference template_id is_subscription period period_units " +
	"due_period due_units charge_at_end trial_periods cycles notes line product price quantity discount tax_percent " +
	"category total_override day")

// record is a row of a file of a book, by the names of its columns.
type record struct {
	line  int
	cells map[string]string
}

// zipOf opens a ZIP; nil for what is none.
func zipOf(src io.ReadSeeker) *zip.Reader {
	at, is := src.(io.ReaderAt)
	size, err := src.Seek(0, io.SeekEnd)
	if _, back := src.Seek(0, io.SeekStart); !is || err != nil || back != nil || size < 4 {
		return nil
	}
	start := make([]byte, 4)
	if _, err := at.ReadAt(start, 0); err != nil || string(start) != "PK\x03\x04" {
		return nil
	}
	archive, err := zip.NewReader(at, size)
	if err != nil || len(archive.File) > mostEntries {
		return nil
	}
	return archive
}

func has(archive *zip.Reader, name string) bool {
	return slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == name })
}

type book struct {
	archive *zip.Reader
	report  Report
}

// open reads one file of a book whole.
func (b *book) open(name string) (string, error) {
	at := slices.IndexFunc(b.archive.File, func(f *zip.File) bool { return f.Name == name })
	if at < 0 {
		return "", nil
	}
	in, err := b.archive.File[at].Open()
	if err != nil {
		return "", damagedBook()
	}
	text, err := io.ReadAll(io.LimitReader(in, mostUnzipped+1))
	switch {
	case errors.Join(err, in.Close()) != nil:
		return "", damagedBook()
	case len(text) > mostUnzipped:
		return "", fault.New(fault.TooLarge, "file_too_large", "A file of the book unzips to more than 64 MB.")
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(text), "\ufeff"), "\uFFFD"), nil
}

func damagedBook() error {
	return refuse("book_damaged", "The ZIP of the book cannot be read: it was damaged on its way. Fetch it again.")
}

// records reads the rows of one file of a book.
func (b *book) records(name string) (out []record, err error) {
	text, err := b.open(name)
	if err != nil || text == "" {
		return nil, err
	}
	in := csv.NewReader(strings.NewReader(text))
	heads, err := in.Read()
	if err != nil || len(heads) > sheet.MaxColumns {
		return nil, damagedBook()
	}
	kept, many := make([]bool, len(heads)), 0
	for n, head := range heads {
		if kept[n] = slices.Contains(needed, head); kept[n] {
			many++
		}
	}
	for {
		cells, err := in.Read()
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, damagedBook()
		}
		line, _ := in.FieldPos(0)
		r := record{line, make(map[string]string, many)}
		for n, head := range heads {
			if kept[n] {
				r.cells[head] = strings.Clone(strings.ReplaceAll(cells[n], "\x00", ""))
			}
		}
		if out = append(out, r); len(out) > sheet.Large.Rows {
			return nil, tooMany(len(out))
		}
	}
}
