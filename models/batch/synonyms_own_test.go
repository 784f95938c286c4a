package batch_test

import (
	"testing"

	"debitdesk/models/batch"
)

// A heading that this product itself uses for a field is recognised.
func TestOur_own_words_name_their_fields(t *testing.T) {
	own := map[string]batch.Field{"What for": batch.Product, "For": batch.Product, "Your ref": batch.Reference,
		"Our ref": batch.Reference, "Due (SAST)": batch.Due, "Client": batch.FullName, "Total": batch.Amount}
	for _, f := range batch.Fields() {
		own[f.Label()] = f
	}
	for heading, want := range own {
		if got, _ := batch.FieldOf(heading); got != want {
			t.Errorf("%q means %q, want %q", heading, got, want)
		}
	}
	for _, heading := range []string{"VAT amount", "Debit on", "Issued", "Added (SAST)", "Credit note", "Outcome", "Why",
		"Row in the file", "Purchase id"} {
		if got, found := batch.FieldOf(heading); found {
			t.Errorf("%q means %q, want nothing", heading, got)
		}
	}
}
