package book_test

import (
	"testing"

	"debitdesk/models/book"
)

// Two references with one ID number are one client twice, or a copied number: both come in, and a person looks.
func TestClientsThatShareAnIDNumberAreWarnedOf(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed("Member No;Name;Email;ID Number\nK1;Anna;a@example.com;8001015009087\n" +
		"K2;Ben;b@example.com;800101 5009 087\nK3;Cara;c@example.com;\n")
	for row, warned := range map[int]bool{2: true, 3: true, 4: false} {
		r := h.rows(i)[row-2]
		is := len(r.Findings) == 1 && r.Findings[0].Cause == book.CauseSharedID && r.Findings[0].Level == book.Warning
		if is != warned || r.Verdict != book.Created {
			t.Errorf("row %d is %s with %+v", row, r.Verdict, r.Findings)
		}
	}
	if i.Counts.Warned != 2 {
		t.Errorf("%d rows are warned of", i.Counts.Warned)
	}
}
