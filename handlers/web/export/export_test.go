package export_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"debitdesk/handlers/web/export"
	"debitdesk/models/calendar"
)

var (
	made  = time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)
	table = export.Table{Name: "Purchases", Made: made,
		Heads: []export.Head{{Text: "Name"}, {Text: "Amount"}, {Text: "Day"}, {Text: "Moment (SAST)"}, {Text: "Count"}}}
)

func written(t *testing.T, f export.Format, rows ...[]export.Cell) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := export.Open(f, &out, table)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Release()
	for _, row := range rows {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func records(t *testing.T, file []byte) [][]string {
	t.Helper()
	body, marked := bytes.CutPrefix(file, []byte("\xef\xbb\xbf"))
	if !marked {
		t.Error("the file has no mark of its encoding")
	}
	all, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func book(t *testing.T, file []byte) *excelize.File {
	t.Helper()
	b, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

var oneOfEach = []export.Cell{export.Text("Zoë, “the 1st”\nof Kloof"), export.Amount(-123405),
	export.Day(calendar.On(2026, 12, 1)),
	export.Moment(time.Date(2026, 11, 22, 22, 30, 5, 999, time.UTC)), export.Count(12)}

func TestCSV_holds_typed_values_and_ends_lines_with_CRLF(t *testing.T) {
	file := written(t, export.CSV, oneOfEach, []export.Cell{{}, export.Amount(5), export.Day(calendar.Date{}),
		export.Moment(time.Time{}), export.Count(0)})
	want := [][]string{{"Name", "Amount", "Day", "Moment (SAST)", "Count"},
		{"Zoë, “the 1st”\nof Kloof", "-1234.05", "2026-12-01", "2026-11-23 00:30:05", "12"}, {"", "0.05", "", "", "0"}}
	if got := records(t, file); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("read back %q", got)
	}
	if n := strings.Count(string(file), "\n"); n != strings.Count(string(file), "\r\n") || n != 4 {
		t.Errorf("%d line ends in %q", n, file)
	}
}

func TestXLSX_holds_numbers_and_dates_as_such(t *testing.T) {
	b := book(t, written(t, export.XLSX, oneOfEach))
	if got := b.GetSheetList(); !slices.Equal(got, []string{"Purchases"}) {
		t.Errorf("sheets %v", got)
	}
	for at, want := range map[string]struct {
		shown, raw string
		kind       excelize.CellType
	}{
		"A2": {"Zoë, “the 1st”\nof Kloof", "Zoë, “the 1st”\nof Kloof", excelize.CellTypeInlineString},
		"B2": {"-1,234.05", "-1234.05", excelize.CellTypeUnset}, // a number has no type of its own
		"C2": {"2026-12-01", "46357", excelize.CellTypeUnset},
		"D2": {"2026-11-23 00:30:05", "46349.0208912037", excelize.CellTypeUnset},
		"E2": {"12", "12", excelize.CellTypeUnset},
	} {
		shown, err := b.GetCellValue("Purchases", at)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := b.GetCellValue("Purchases", at, excelize.Options{RawCellValue: true})
		if kind, _ := b.GetCellType("Purchases", at); shown != want.shown || raw != want.raw || kind != want.kind {
			t.Errorf("%s shows %q, holds %q as %d; want %+v", at, shown, raw, kind, want)
		}
	}
}

func TestXLSX_has_a_bold_frozen_head_and_names_no_machine(t *testing.T) {
	b := book(t, written(t, export.XLSX, oneOfEach))
	panes, err := b.GetPanes("Purchases")
	if err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("panes %+v, %v", panes, err)
	}
	id, _ := b.GetCellStyle("Purchases", "A1")
	if style, err := b.GetStyle(id); err != nil || style.Font == nil || !style.Font.Bold {
		t.Errorf("the head is not bold: %+v, %v", style, err)
	}
	props, err := b.GetDocProps()
	if err != nil || props.Creator != "Debitdesk" || props.LastModifiedBy != "Debitdesk" ||
		props.Created != "2026-11-23T07:00:00Z" || props.Modified != props.Created {
		t.Errorf("properties %+v, %v", props, err)
	}
	if app, err := b.GetAppProps(); err != nil || app.Application != "Debitdesk" || app.Company != "" {
		t.Errorf("made with %+v, %v", app, err)
	}
}

func TestText_that_begins_like_a_formula_is_kept_from_running(t *testing.T) {
	for given, want := range map[string]string{
		`=HYPERLINK("https://x.example","pay")`: `'=HYPERLINK("https://x.example","pay")`,
		"=1+1":                                  "'=1+1",
		"+27821234567":                          "'+27821234567",
		"-5":                                    "'-5",
		"@SUM(A1)":                              "'@SUM(A1)",
		"\t=1":                                  "'\t=1",
		"＝1+1":                                  "'＝1+1",
		"'=1":                                   "'=1",
		"a=1":                                   "a=1",
		" =1":                                   " =1",
		"5-3":                                   "5-3",
		"−5":                                    "−5", // a minus sign, which no program takes for an operator
		"•••• 3456":                             "•••• 3456",
		"":                                      "",
	} {
		if got := records(t, written(t, export.CSV, []export.Cell{export.Text(given)}))[1][0]; got != want {
			t.Errorf("CSV wrote %q as %q, want %q", given, got, want)
		}
		b := book(t, written(t, export.XLSX, []export.Cell{export.Text(given)}))
		got, _ := b.GetCellValue("Purchases", "A2")
		formula, _ := b.GetCellFormula("Purchases", "A2")
		if kind, _ := b.GetCellType("Purchases", "A2"); got != given || formula != "" || given != "" &&
			kind != excelize.CellTypeInlineString {
			t.Errorf("XLSX holds %q as %q, formula %q, type %d", given, got, formula, kind)
		}
	}
	if got := written(t, export.CSV, []export.Cell{export.Text("\r=1")}); !strings.Contains(string(got), `"'`) {
		t.Errorf("a carriage return in front opens the way: %q", got)
	}
}

func TestOnly_text_is_guarded(t *testing.T) {
	row := []export.Cell{export.Amount(-1), export.Count(-7)}
	if got := records(t, written(t, export.CSV, row))[1][:2]; !slices.Equal(got, []string{"-0.01", "-7"}) {
		t.Errorf("wrote %q", got)
	}
}

// The largest sums still have their cents.
func TestXLSX_keeps_every_cent(t *testing.T) {
	for cents, want := range map[int64]string{1: "0.01", 10: "0.1", 29: "0.29", 99: "0.99", 64900: "649",
		9_999_999_999_999: "99999999999.99", -100_000_000_010: "-1000000000.1"} {
		b := book(t, written(t, export.XLSX, []export.Cell{{}, export.Amount(cents)}))
		if got, _ := b.GetCellValue("Purchases", "B2", excelize.Options{RawCellValue: true}); got != want {
			t.Errorf("%d cents are held as %s, want %s", cents, got, want)
		}
	}
}

func TestCSV_leaves_while_it_is_written(t *testing.T) {
	var out bytes.Buffer
	w, err := export.Open(export.CSV, &out, table)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Release()
	if err := w.Row(oneOfEach); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil || !strings.Contains(out.String(), "-1234.05") {
		t.Errorf("only %q has left, %v", out.String(), err)
	}
}

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestA_reader_who_leaves_ends_the_file(t *testing.T) {
	for _, f := range []export.Format{export.CSV, export.XLSX} {
		w, err := export.Open(f, gone{}, table)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Row(oneOfEach); err != nil {
			t.Fatal(err)
		}
		if err := w.Finish(); err == nil {
			t.Errorf("%s was finished for nobody", f)
		}
		w.Release()
	}
	if _, err := export.Open("pdf", io.Discard, table); err == nil {
		t.Error("a PDF was opened")
	}
}
