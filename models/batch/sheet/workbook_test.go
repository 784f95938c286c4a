package sheet_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
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
	for cell, format := range map[string]string{"B4": "dd/mm/yyyy", "C4": `[$-1C09]dddd, d mmmm yyyy;@`,
		"F4": `"R" #,##0.00`, "G4": "mmm-yy"} {
		style, err := x.NewStyle(&excelize.Style{CustomNumFmt: &format})
		must(t, err)
		must(t, x.SetCellStyle("Bills", cell, cell, style))
	}
	format, rows := read(t, string(saved(t, x)), sheet.Told{})
	same(t, format, sheet.Format{Kind: sheet.XLSX, Decimal: ".", Dates: "ymd", Sheet: "Bills",
		Sheets: []string{"Sheet1", "Bills"},
		Header: []string{"name", "due", "long", "amount", "account", "rand", "month"}, HeaderRow: 2})
	same(t, rows, []sheet.Row{
		{Number: 4, Cells: []string{"Chloé", "2026-12-01", "2026-12-01", "1234.5", "62000000001", "46357", "2026-12-01"},
			Numbers: []int{3}},
		{Number: 5, Cells: []string{"051001", "", "", "1.1", "", "0.001", ""}, Numbers: []int{3, 5}},
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
	if _, err := sheet.Open(strings.NewReader(content), sheet.Told{Sheet: "Three"}); !fault.HasCode(err,
		"does_not_exist") {
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
	for i := range sheet.Usual.Rows {
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

// bomb is an archive of entries whose directory says so many bytes each, whatever is
// in them.
func bomb(t *testing.T, names []string, holds, says int64) []byte {
	t.Helper()
	var deflated bytes.Buffer
	d, err := flate.NewWriter(&deflated, flate.BestSpeed)
	must(t, err)
	sum := crc32.NewIEEE()
	_, err = io.CopyN(io.MultiWriter(d, sum), zeros{}, holds)
	must(t, err)
	must(t, d.Close())
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: sum.Sum32(),
			CompressedSize64: uint64(deflated.Len()), UncompressedSize64: uint64(says)})
		must(t, err)
		_, err = w.Write(deflated.Bytes())
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

func numbered(n int, pattern string) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(pattern, i)
	}
	return names
}

// Every kind of archive that unpacks to far more than it is costs little to refuse.
func TestBombsOfEveryKindAreRefusedWithinMemory(t *testing.T) {
	nested := bomb(t, []string{"xl/workbook.xml"}, 1<<20, 1<<20)
	var box bytes.Buffer
	z := zip.NewWriter(&box)
	w, err := z.Create("xl/embeddings/inner.xlsx")
	must(t, err)
	_, err = w.Write(nested)
	must(t, err)
	must(t, z.Close())
	for name, content := range map[string][]byte{
		"two gigabytes in one sheet":      bomb(t, []string{"xl/worksheets/sheet1.xml"}, 8<<20, 2<<30),
		"two gigabytes in many sheets":    bomb(t, numbered(256, "xl/worksheets/sheet%d.xml"), 8<<20, 8<<20),
		"two thousand and one entries":    bomb(t, numbered(2001, "xl/x%d.xml"), 10, 10),
		"a sheet that hides its size":     bomb(t, []string{"xl/workbook.xml", "xl/worksheets/sheet1.xml"}, 450<<20, 1000),
		"a part in memory hides its size": bomb(t, []string{"xl/workbook.xml", "xl/theme/theme1.xml"}, 64<<20, 1000),
		"a workbook in a workbook":        box.Bytes(),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := sheet.Open(bytes.NewReader(content), sheet.Told{})
		runtime.ReadMemStats(&after)
		if err == nil {
			must(t, f.Close())
		}
		if !fault.HasCode(err, "workbook_too_large") && !fault.HasCode(err, "unread_workbook") {
			t.Errorf("%s (%d bytes): %v", name, len(content), err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 48<<20 {
			t.Errorf("%s: %d MB were taken to refuse it", name, grown>>20)
		}
	}
}

// TestFormulasWithoutAResultAreNamed reads workbooks of programs that write formulas and do not calculate them.
func TestFormulasWithoutAResultAreNamed(t *testing.T) {
	t.Parallel()
	x := excelize.NewFile()
	must(t, x.SetSheetRow("Sheet1", "A1", &[]any{"name", "amount"}))
	must(t, x.SetSheetRow("Sheet1", "A2", &[]any{"Anna"}))
	must(t, x.SetCellFormula("Sheet1", "B2", "10*12.5"))
	_, err := sheet.Open(bytes.NewReader(saved(t, x)), sheet.Told{})
	if !fault.HasCode(err, "not_calculated") || !strings.Contains(err.Error(), "Cell B2 is a formula") {
		t.Errorf("%v", err)
	}
	x = excelize.NewFile()
	must(t, x.SetCellFormula("Sheet1", "A1", "Other!A1"))
	_, err = sheet.Open(bytes.NewReader(saved(t, x)), sheet.Told{})
	if !fault.HasCode(err, "not_calculated") {
		t.Errorf("a sheet of nothing else: %v", err)
	}
	for cell, refused := range map[string]bool{
		`<c r="B2"><f>1+1</f><v>2</v></c>`:                     false,
		`<c r="B2" t="str"><f>""</f><v></v></c>`:               false,
		`<c r="B2" t="str"><f>""</f><v/></c>`:                  false,
		`<c r="B2"><f>1+1</f><v></v></c>`:                      true,
		`<c r="B2"><f>1+1</f><v /></c>`:                        true,
		`<c r="B2"><f t="shared" ref="B2:B9" si="0"/></c>`:     true,
		`<x:c r="B2"><x:f>A1&gt;2</x:f></x:c>`:                 true,
		`<c r="B2"><v>5</v></c><c r="C2"/><c r="D2"></c>`:      false,
		`<c r="B2" t="inlineStr"><is><t>f</t></is></c>`:        false,
		`<c r="B2"><f>IF(A1>2,1,0)</f><v>1</v></c><c r="C2"/>`: false,
	} {
		if got := sheet.Uncalculated(strings.NewReader(cell)); (got == "B2") != refused {
			t.Errorf("%s: %q", cell, got)
		}
	}
}
