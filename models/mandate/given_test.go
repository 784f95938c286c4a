package mandate_test

import (
	"testing"

	"debitdesk/models/mandate"
)

func TestASurnameKeepsItsParticles(t *testing.T) {
	for name, want := range map[string][2]string{
		"Thandi Nkosi": {"T", "Nkosi"}, "Tumelo van der Merwe": {"T", "van der Merwe"},
		"Anna Élise du Plessis": {"AÉ", "du Plessis"}, "Van Wyk": {"V", "Wyk"},
		"Élan": {"", "Élan"}, "": {"", ""}, "P J Janse van Rensburg": {"PJ", "Janse van Rensburg"},
	} {
		if initials, surname := (mandate.Mandate{HolderName: name}).HolderParts(); initials != want[0] || surname != want[1] {
			t.Errorf("%q: %q, %q, want %v", name, initials, surname, want)
		}
	}
}
