package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"debitdesk/handlers/web/export"
)

// rowsOf are rows with all that makes trouble in a file.
func rowsOf(n int) (rows [][]export.Cell) {
	odd := []string{"Zoë, “the 1st”\nof Kloof", `says "no"`, "=1+1", " leading", "a\r\nb", `\.`, "", "_x0041_", "<&>\x01",
		"\xff broken", "plain", "\u2003wide space"}
	for i := range n {
		rows = append(rows, []export.Cell{export.Text(odd[i%len(odd)]), export.Amount(int64(i) * -101), {}, {},
			export.Count(int64(i))})
	}
	return rows
}

// A file that several processes write one after the other, each from the mark of the one before, is the file that
// one process writes with the same stops.
func TestAFileIsResumedAtEveryMark(t *testing.T) {
	for _, f := range []export.Format{export.CSV, export.XLSX} {
		rows := rowsOf(40)
		var whole bytes.Buffer
		w, err := export.Open(f, &whole, table)
		if err != nil {
			t.Fatal(err)
		}
		var resumed bytes.Buffer
		var mark export.Mark
		for i, row := range rows {
			next, err := export.Resume(f, &resumed, table, mark)
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range []export.Writer{w, next} {
				if err := to.Row(row); err != nil {
					t.Fatal(err)
				}
				if err := to.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			mark = next.Mark()
			next.Release()
			if mark != w.Mark() || mark.Rows != int64(i+1) || mark.Bytes != int64(resumed.Len()) {
				t.Fatalf("%s, row %d: marks %+v and %+v, %d bytes", f, i, mark, w.Mark(), resumed.Len())
			}
		}
		last, err := export.Resume(f, &resumed, table, mark)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		if err := last.Finish(); err != nil {
			t.Fatal(err)
		}
		w.Release()
		last.Release()
		if !bytes.Equal(whole.Bytes(), resumed.Bytes()) {
			t.Errorf("%s: the resumed file is another one", f)
		}
		if f == export.XLSX {
			got, err := book(t, resumed.Bytes()).GetRows("Purchases")
			if err != nil || len(got) != 41 || got[3][0] != "=1+1" || got[8][0] != "_x0041_" || got[40][4] != "39" {
				t.Errorf("read back %d rows, %v", len(got), err)
			}
			continue
		}
		if got := records(t, resumed.Bytes()); len(got) != 41 || got[40][4] != "39" {
			t.Errorf("read back %d records", len(got))
		}
	}
}

// The writer of ours says what the library's says.
func TestCSV_is_what_the_library_writes(t *testing.T) {
	chance := rand.New(rand.NewPCG(14, 5))
	letters := []rune("ab ,\"\r\n\\.é\u2003'")
	var want bytes.Buffer
	want.WriteString("\ufeff")
	library := csv.NewWriter(&want)
	library.UseCRLF = true
	heads := []string{"Name", "Amount", "Day", "Moment (SAST)", "Count"}
	if err := library.Write(heads); err != nil {
		t.Fatal(err)
	}
	var rows [][]export.Cell
	for range 2000 {
		row, record := make([]export.Cell, 5), make([]string, 5)
		for i := range row {
			var text []rune
			for range chance.IntN(6) {
				text = append(text, letters[chance.IntN(len(letters))])
			}
			record[i] = string(text)
			row[i] = export.Text(record[i])
			if record[i] != "" && strings.ContainsAny(record[i][:1], "\r\n") {
				record[i] = "'" + record[i] // such texts are guarded
			}
		}
		rows = append(rows, row)
		if err := library.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	library.Flush()
	if got := written(t, export.CSV, rows...); !bytes.Equal(got, want.Bytes()) {
		t.Error("the files differ")
	}
}

// A workbook that ends anywhere before its end is none, so nobody takes a part for all of it.
func TestAWorkbookThatIsCutOffCannotBeOpened(t *testing.T) {
	file := written(t, export.XLSX, rowsOf(30)...)
	if _, err := zip.NewReader(bytes.NewReader(file), int64(len(file))); err != nil {
		t.Fatal(err)
	}
	for n := range len(file) {
		if _, err := zip.NewReader(bytes.NewReader(file[:n]), int64(n)); err == nil {
			t.Fatalf("%d of %d bytes open as an archive", n, len(file))
		}
	}
}

// Rows cost no memory of their own, so a file of any length takes what a short one takes.
func TestRowsTakeNoMemoryOfTheirOwn(t *testing.T) {
	for _, f := range []export.Format{export.CSV, export.XLSX} {
		w, err := export.Open(f, io.Discard, table)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Release()
		rows := rowsOf(12)
		for i, row := range rows { // a guarded text is a new one
			rows[i] = slices.Clone(row)
			if i == 2 {
				rows[i][0] = export.Text("plain")
			}
		}
		write := func() {
			for _, row := range rows {
				for range 100 {
					if err := w.Row(row); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		write() // buffers grow once
		if n := testing.AllocsPerRun(5, write); n > 12 {
			t.Errorf("%s: 1 200 rows take memory %v times", f, n)
		}
	}
}
