package batch_test

import (
	"testing"

	"debitdesk/models/batch"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
)

// A cell of several lines is a problem of its row where the field is one line; notes
// may have several.
func TestACellOfSeveralLinesIsAProblemOfItsRow(t *testing.T) {
	c := batch.Checker{Header: []string{"a", "b", "c"}, Today: calendar.On(2026, 12, 1),
		Mapping: batch.Mapping{Columns: []batch.Target{{Field: batch.FullName}, {Field: batch.Reference},
			{Field: batch.Notes}}}}
	line := c.Check(sheet.Row{Number: 2, Cells: []string{"Thandi\nBcc: all@example.com", "A\t1", "one\ntwo"}})
	found := map[int]string{}
	for _, p := range line.Problems {
		if p.Cause == batch.CauseLine {
			found[p.Column] = p.Code
		}
	}
	if len(found) != 1 || found[1] != "invalid" {
		t.Errorf("got %v", line.Problems)
	}
}
