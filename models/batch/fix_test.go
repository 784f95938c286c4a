package batch_test

import (
	"testing"

	"debitdesk/models/batch"
)

// A day that has passed, is missing, or is too soon for a debit is replaced in all rows; a day that stands in no column
// is given with the columns, and a client without a token is no matter of days.
func TestADueDateIsReplacedWhereItStandsInAColumn(t *testing.T) {
	for _, c := range []struct {
		cause string
		field batch.Field
		at    int
		dated bool
	}{
		{batch.CausePast, batch.Due, 2, true},
		{batch.RequiredOf(batch.Due), batch.Due, 2, true},
		{"charge", batch.Due, 2, true},
		{batch.CausePast, batch.Due, 0, false},
		{"charge", batch.Charge, 1, false},
	} {
		fixes := batch.FixesOf(batch.Problem{Cause: c.cause, Field: c.field, Column: c.at})
		if got := len(fixes) == 1 && fixes[0].Dated; got != c.dated {
			t.Errorf("%s in column %d: %+v", c.cause, c.at, fixes)
			continue
		}
		if !c.dated {
			continue
		}
		m := batch.Mapping{Columns: []batch.Target{{Field: batch.Email}, {Field: batch.Due}}}
		fix := fixes[0]
		fix.Choice = "2030-08-01"
		cells, changed := batch.FixAll(m, fix, []string{"a@example.org", "2030-07-11"})
		if !changed || cells[1] != "2030-08-01" || cells[0] != "a@example.org" {
			t.Errorf("%s: %q", c.cause, cells)
		}
	}
}
