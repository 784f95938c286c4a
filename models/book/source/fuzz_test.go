package source_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/book/source"
	"debitdesk/models/fault"
)

// anything is read, or refused with a fault that repeats nothing; every row fits the heading, and reading twice gives
// the same.
func anything(t *testing.T, content []byte) {
	f, err := source.Open(bytes.NewReader(content), sheet.Told{})
	if err != nil {
		if _, is := fault.From(err); !is {
			t.Fatalf("it is not a fault: %v", err)
		}
		return
	}
	defer func() { _ = f.Close() }()
	rows := 0
	if err := f.Each(func(r sheet.Row) error {
		rows++
		if f.Report.Known() && len(r.Cells) < len(f.Columns) {
			t.Fatalf("line %d has %d cells for %d columns", r.Number, len(r.Cells), len(f.Columns))
		}
		for _, c := range r.Cells {
			if !utf8.ValidString(c) {
				t.Fatalf("line %d has a cell that is not UTF-8: %q", r.Number, c)
			}
		}
		return nil
	}); err != nil {
		if _, is := fault.From(err); !is {
			t.Fatalf("it is not a fault: %v", err)
		}
		return
	}
	if f.Report.Known() && f.Report.Rows > rows {
		t.Fatalf("it reports %d rows and gives %d", f.Report.Rows, rows)
	}
	_, _ = f.Report.Words(), f.Report.SumWords()
	seen := map[source.Meaning]bool{}
	for _, c := range f.Columns {
		if c.Means != "" && seen[c.Means] {
			t.Fatalf("two columns mean %s", c.Means)
		}
		seen[c.Means] = true
	}
}

func FuzzNetcashMaster(f *testing.F) {
	f.Add([]byte(netcash(append(netcashEntries, "F→3→139895→9999")...)))
	f.Add([]byte(tabbed("K→101→250→250", "T→a", "F")))
	f.Add([]byte("H\t" + serviceKey))
	f.Fuzz(anything)
}

func FuzzNetcashMandates(f *testing.F) {
	f.Add([]byte(tabbed("###BEGIN→20261124", mandate("6", "KSF1022", "649.0000"), "6→x", "###END", "y")))
	f.Add([]byte("FILE NOT READY"))
	f.Fuzz(anything)
}

func FuzzStitch(f *testing.F) {
	f.Add([]byte(stitchEFT))
	f.Add([]byte(stitchDebiCheck))
	f.Add([]byte("RECORD_TYPE,VALUE,VALUE\nD\nT,,\n"))
	f.Fuzz(anything)
}

func FuzzTape(f *testing.F) {
	f.Add([]byte(strings.Join(tape(), "\r\n")))
	f.Add([]byte("000T\n001T" + tape()[2] + "\r\r\n" + tape()[6]))
	f.Fuzz(anything)
}

func FuzzFNB(f *testing.F) {
	f.Add([]byte(fnb("BInSol - U ver 1.00", "25-11-2026", "1.23E+11", fnbRow)))
	f.Add([]byte("binsol\nRECIPIENT NAME,RECIPIENT ACCOUNT\nTotal\na,b,c\n"))
	f.Fuzz(anything)
}

func FuzzOwnBook(f *testing.F) {
	f.Add([]byte("client_id,reference,full_name,deleted_at\n1,A B,x,\n2,,y,2026-01-01\n"),
		[]byte("client_id,status,method,bank_account\n1,active,eft,62\n1,active,debicheck,63\n2,active,eft,64\n"),
		[]byte("client_id,status,next_debit,template_id\n1,active,2026-12-31,9\n"),
		[]byte(`{"files":[{"name":"clients.csv"}]}`))
	f.Fuzz(func(t *testing.T, clients, accounts, subscriptions, manifest []byte) {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, one := range []struct {
			name string
			text []byte
		}{{"clients.csv", clients}, {"accounts.csv", accounts}, {"subscriptions.csv", subscriptions},
			{"templates.csv", []byte("template_id,due_period,due_units\n9,3,days\n")}, {"manifest.json", manifest}} {
			w, err := z.Create(one.name)
			if err == nil {
				_, err = w.Write(one.text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		anything(t, out.Bytes())
	})
}

func FuzzPackages(f *testing.F) {
	f.Add([]byte("*ContactName,AccountNumber,EmailAddress,BankAccountNumber,TaxNumber\n" +
		"a,b,c,250655-620-1\n,,,\n1,2,3,4,5,6\n"))
	f.Add([]byte("Name,Company,ZIP,Opening Balance\na\n"))
	f.Fuzz(anything)
}
