package batch

import "testing"

// A heading that this product itself uses for a field is recognised.
func TestOur_own_words_name_their_fields(t *testing.T) {
	own := map[string]Field{"What for": Product, "For": Product, "Your ref": Reference, "Our ref": Reference,
		"Due (SAST)": Due, "Client": FullName, "Total": Amount}
	for _, f := range Fields() {
		own[f.Label()] = f
	}
	for heading, want := range own {
		if got, _ := fieldOf(heading); got != want {
			t.Errorf("%q means %q, want %q", heading, got, want)
		}
	}
	for _, heading := range []string{"VAT amount", "Debit on", "Issued", "Added (SAST)", "Credit note", "Outcome", "Why",
		"Row in the file", "Purchase id"} {
		if got, found := fieldOf(heading); found {
			t.Errorf("%q means %q, want nothing", heading, got)
		}
	}
}
