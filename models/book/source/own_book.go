package source

import (
	"encoding/json"
	"io"

	"debitdesk/models/batch/sheet"
)

// The book that a business took along from Debitdesk: a ZIP of CSV files that are joined by the client's id.
const (
	ownKey  = "debitdesk_book"
	ownName = "Debitdesk book"
)

// ownBook opens a book; ok is false for a ZIP that is none, such as a workbook.
func ownBook(src io.ReadSeeker) (f *File, ok bool, err error) {
	archive := zipOf(src)
	if archive == nil || !has(archive, "manifest.json") || !has(archive, "clients.csv") {
		return nil, false, nil
	}
	b := book{archive: archive, report: Report{Layout: ownKey, Name: ownName, Several: true}}
	rows, err := b.rows()
	if err != nil {
		return nil, true, err
	}
	format := sheet.Format{Kind: sheet.CSV, Encoding: sheet.UTF8, Separator: ","}
	for _, c := range ownColumns {
		format.Header = append(format.Header, c.Name)
	}
	return Made(format, ownColumns, b.report, func(see func(sheet.Row) error) error {
		for n, r := range rows {
			if err := tooMany(n + 1); err != nil {
				return err
			}
			if err := see(r); err != nil {
				return err
			}
		}
		return nil
	}), true, nil
}

// manifest holds the rows of each file against what the book says about itself.
func (b *book) manifest(read map[string][]record) {
	var m struct {
		Business string `json:"business"`
		Day      string `json:"day"`
		Numbers  string `json:"numbers"`
		Files    []struct {
			Name string `json:"name"`
			Rows int64  `json:"rows"`
		} `json:"files"`
	}
	text, err := b.open("manifest.json")
	if err != nil || json.Unmarshal([]byte(text), &m) != nil {
		b.report.warn("The manifest of the book cannot be read: it is not known whether the book is whole.")
		return
	}
	if name := mention(m.Business); name != "" {
		b.report.told("of %s", name)
	}
	if day := mention(m.Day); day != "" {
		b.report.told("of %s", day)
	}
	if m.Numbers != "full" {
		b.report.warn("Account and ID numbers in this book are masked. Take your book with numbers in full.")
	}
	for _, f := range m.Files {
		if rows, is := read[f.Name]; is {
			b.report.count("rows of "+f.Name, f.Rows, int64(len(rows)))
		}
	}
	b.report.Limits = []string{"All accounts that can be debited and all subscriptions that run or are paused come in. " +
		"Accounts and subscriptions that are over, purchases, debits and invoices stay in the ZIP, and so do notes and " +
		"evidence. DebiCheck mandates have to be confirmed again."}
}
