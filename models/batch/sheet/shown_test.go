package sheet_test

import (
	"testing"

	"github.com/xuri/excelize/v2"

	"debitdesk/models/batch/sheet"
)

// formatted is a workbook with one number below a heading, in a format.
func formatted(t *testing.T, number, format string) string {
	t.Helper()
	x := excelize.NewFile()
	must(t, x.SetSheetRow("Sheet1", "A1", &[]any{"name", "number"}))
	must(t, x.SetCellStr("Sheet1", "A2", "Anna"))
	must(t, x.SetCellDefault("Sheet1", "B2", number))
	style, err := x.NewStyle(&excelize.Style{CustomNumFmt: &format})
	must(t, err)
	must(t, x.SetCellStyle("Sheet1", "B2", "B2", style))
	return string(saved(t, x))
}

// A person means what the cell shows: 15 %, and the zeros in front of an account.
func TestANumberThatMeansSomethingElseThanItShowsIsTakenAsItIsShown(t *testing.T) {
	for _, c := range []struct{ number, format, want string }{
		{"0.15", "0%", "15%"},
		{"0.155", "0%", "15.5%"},
		{"0.15", "0.00%", "15%"},
		{"1", "0%", "100%"},
		{"0", "0%", "0%"},
		{"0.07000000000000001", "0%", "7%"},
		{"15", `0"%"`, "15"}, // the sign is only written behind it
		{"0.15", "General", "0.15"},
		{"42", "00000", "00042"},
		{"12345678", "0000000000", "0012345678"},
		{"821234567", "000 000 0000", "0821234567"},
		{"62000000001", "0000000000", "62000000001"},
		{"51001", "000000", "051001"},
		{"5", "00.00", "5"},
		{"1234.5", "#,##0.00", "1234.5"},
		{"1234", "#,##0", "1234"},
		{"100", "0", "100"},
	} {
		_, rows := read(t, formatted(t, c.number, c.format), sheet.Told{})
		if got := rows[0].Cells[1]; got != c.want {
			t.Errorf("%s as %s: %q, want %q", c.number, c.format, got, c.want)
		}
	}
}

func TestAHiddenRowSaysSo(t *testing.T) {
	x := excelize.NewFile()
	for _, row := range []string{"A1", "A2", "A3", "A4"} {
		must(t, x.SetSheetRow("Sheet1", row, &[]any{"name " + row, "amount " + row}))
	}
	must(t, x.SetRowVisible("Sheet1", 3, false))
	_, rows := read(t, string(saved(t, x)), sheet.Told{HeaderRow: 1})
	var hidden []int
	for _, r := range rows {
		for _, p := range r.Broken {
			if p.Code == sheet.HiddenRow {
				hidden = append(hidden, r.Number)
			}
		}
	}
	same(t, hidden, []int{3})
}

func TestAHiddenSheetIsReadOnlyWhenItIsTold(t *testing.T) {
	x := excelize.NewFile()
	must(t, x.SetSheetRow("Sheet1", "A1", &[]any{"old", "amount"}))
	_, err := x.NewSheet("December")
	must(t, err)
	must(t, x.SetSheetRow("December", "A1", &[]any{"new", "amount"}))
	x.SetActiveSheet(1)
	must(t, x.SetSheetVisible("Sheet1", false))
	content := string(saved(t, x))
	format, _ := read(t, content, sheet.Told{})
	same(t, format.Sheet, "December")
	same(t, format.Sheets, []string{"December"})
	format, _ = read(t, content, sheet.Told{Sheet: "sheet1 "})
	same(t, format.Sheet, "Sheet1")
}
