package source_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"debitdesk/models/book/source"
)

// A file of lines that was saved as a workbook is the same file, and its credential is dropped from it, too.
func TestALayoutIsKnownInAWorkbook(t *testing.T) {
	t.Parallel()
	x := excelize.NewFile()
	text := strings.TrimSuffix(netcash(append(netcashEntries, "F→3→139895→9999")...), "\n")
	for n, line := range strings.Split(text, "\n") {
		cells := []any{}
		for c := range strings.SplitSeq(line, "\t") {
			cells = append(cells, c)
		}
		at, err := excelize.CoordinatesToCellName(1, n+1)
		if err == nil {
			err = x.SetSheetRow("Sheet1", at, &cells)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := x.Write(&out); err != nil {
		t.Fatal(err)
	}
	f, rows := read(t, out.String())
	if f.Report.Layout != "netcash_master" || len(rows) != 3 || !f.Report.Agree() {
		t.Fatalf("%+v", f.Report)
	}
	says(t, f, rows[1], map[source.Meaning]string{source.Account: "20304050", source.Amount: "450.00"})
	if said := all(f, rows); strings.Contains(said, serviceKey) || strings.Contains(said, vendorKey) {
		t.Errorf("a key is in %s", said)
	}
}
