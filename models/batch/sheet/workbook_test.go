package sheet_test

import (
	"archive/zip"
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/fault"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func saved(t testing.TB, x *excelize.File) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, x.Write(&b))
	must(t, x.Close())
	return b.Bytes()
}

func small(t testing.TB) []byte {
	x := excelize.NewFile()
	must(t, x.SetSheetRow("Sheet1", "A1", &[]any{"name", "amount"}))
	must(t, x.SetSheetRow("Sheet1", "A2", &[]any{"Anna", 12.5}))
	return saved(t, x)
}

func TestAWorkbookGivesNumbersAsStoredAndDaysAsDates(t *testing.T) {
	x := excelize.NewFile()
	_, err := x.NewSheet("Bills")
	must(t, err)
	must(t, x.SetSheetRow("Bills", "A2", &[]any{"name", "due", "long", "amount", "account", "rand", "month"}))
	day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	must(t, x.SetSheetRow("Bills", "A4", &[]any{"Chloé", day, day, 1234.5, int64(62000000001), 46357, day}))
	must(t, x.SetCellStr("Bills", "A5", "051001"))
	must(t, x.SetCellDefault("Bills", "D5", "1.1000000000000001"))
	must(t, x.SetCellDefault("Bills", "F5", "1E-3"))
	for cell, format := range map[string]string{"B4": "dd/mm/yyyy", "C4": `[$-1C09]dddd, d mmmm yyyy;@`, "F4": `"R" #,##0.00`, "G4": "mmm-yy"} {
		style, err := x.NewStyle(&excelize.Style{CustomNumFmt: &format})
		must(t, err)
		must(t, x.SetCellStyle("Bills", cell, cell, style))
	}
	format, rows := read(t, string(saved(t, x)), sheet.Told{})
	same(t, format, sheet.Format{Kind: sheet.XLSX, Decimal: ".", Dates: "ymd", Sheet: "Bills", Sheets: []string{"Sheet1", "Bills"},
		Header: []string{"name", "due", "long", "amount", "account", "rand", "month"}, HeaderRow: 2})
	same(t, rows, []sheet.Row{
		{Number: 4, Cells: []string{"Chloé", "2026-12-01", "2026-12-01", "1234.5", "62000000001", "46357", "2026-12-01"}},
		{Number: 5, Cells: []string{"051001", "", "", "1.1", "", "0.001", ""}},
	})
}

func TestTheBuiltInDateFormatIsADate(t *testing.T) {
	x := excelize.NewFile()
	must(t, x.SetSheetRow("Sheet1", "A1", &[]any{"name", "due"}))
	must(t, x.SetSheetRow("Sheet1", "A2", &[]any{"Anna", 46357}))
	style, err := x.NewStyle(&excelize.Style{NumFmt: 14})
	must(t, err)
	must(t, x.SetCellStyle("Sheet1", "B2", "B2", style))
	_, rows := read(t, string(saved(t, x)), sheet.Told{})
	same(t, rows[0].Cells, []string{"Anna", "2026-12-01"})
}

func TestTheSheetCanBeTold(t *testing.T) {
	x := excelize.NewFile()
	must(t, x.SetSheetRow("Sheet1", "A1", &[]any{"a", "b"}))
	_, err := x.NewSheet("Two")
	must(t, err)
	must(t, x.SetSheetRow("Two", "A1", &[]any{"c", "d"}))
	content := string(saved(t, x))
	format, _ := read(t, content, sheet.Told{Sheet: "Two"})
	same(t, format.Header, []string{"c", "d"})
	if _, err := sheet.Open(strings.NewReader(content), sheet.Told{Sheet: "Three"}); !fault.HasCode(err, "does_not_exist") {
		t.Error(err)
	}
}

func TestAZipBombIsRefusedBeforeItIsUnzipped(t *testing.T) {
	for _, name := range []string{"xl/worksheets/sheet1.xml", "xl/media/image1.png"} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create(name)
		must(t, err)
		size := int64(401 << 20)
		if strings.Contains(name, "media") {
			size = 25 << 20
		}
		_, err = io.CopyN(w, zeros{}, size)
		must(t, err)
		must(t, z.Close())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = sheet.Open(bytes.NewReader(b.Bytes()), sheet.Told{})
		runtime.ReadMemStats(&after)
		if !fault.HasCode(err, "workbook_too_large") {
			t.Errorf("%s: %v", name, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
			t.Errorf("%s: %d bytes were taken to refuse it", name, grown)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func BenchmarkReadingAWorkbookOfFiftyThousandRows(b *testing.B) {
	x := excelize.NewFile()
	w, err := x.NewStreamWriter("Sheet1")
	must(b, err)
	style, err := x.NewStyle(&excelize.Style{NumFmt: 14})
	must(b, err)
	must(b, w.SetRow("A1", []any{"name", "email", "amount", "due"}))
	for i := range sheet.MaxRows {
		cell, _ := excelize.CoordinatesToCellName(1, i+2)
		must(b, w.SetRow(cell, []any{"Client", "c@example.test", 1234.5, excelize.Cell{StyleID: style, Value: 46357}}))
	}
	must(b, w.Flush())
	content := saved(b, x)
	b.ReportAllocs()
	var peak uint64
	for b.Loop() {
		f, err := sheet.Open(bytes.NewReader(content), sheet.Told{})
		must(b, err)
		n := 0
		must(b, f.Each(func(sheet.Row) error {
			if n++; n%5000 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
			return nil
		}))
		must(b, f.Close())
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
}
