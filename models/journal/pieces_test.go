package journal_test

import (
	"testing"

	"debitdesk/models/fault"
	"debitdesk/models/journal"
)

// A day that no file holds is written in pieces, which have each of its entries once; each begins with what the one
// before it came to.
func TestADayThatNoFileHoldsIsWrittenInPieces(t *testing.T) {
	t.Parallel()
	h := open(t)
	for range 5 {
		id := h.purchase(10000)
		h.document("invoice", id, 10000)
		h.document("credit_note", id, 2500)
	}
	ask := journal.Ask{From: h.day.AddDays(-400), To: h.day.AddDays(400), Currency: "ZAR", Format: "csv"}
	fits := func(*journal.Book) fault.Problems { return nil }
	whole, err := h.books.Export(t.Context(), h.who, ask, fits)
	must(t, err)
	if len(whole.Entries) != 10 {
		t.Fatalf("%d entries", len(whole.Entries))
	}
	h.books.Most = 4
	var got []string
	var largest, files int
	var stands journal.Cents
	for _, e := range whole.Opening {
		stands = stands.Plus(e.Cents)
	}
	must(t, h.books.ExportParts(t.Context(), h.who, ask, fits, func(b *journal.Book, of int) error {
		var opening journal.Cents
		for _, e := range b.Opening {
			opening = opening.Plus(e.Cents)
		}
		if opening != stands {
			t.Errorf("file %d begins with %v, want %v", files+1, opening, stands)
		}
		stands, largest, files = b.Closing(), max(largest, len(b.Entries)), files+1
		for _, e := range b.Entries {
			got = append(got, e.UID())
		}
		return nil
	}))
	if largest > 4 || files < 3 {
		t.Errorf("%d files, of at most %d entries", files, largest)
	}
	if len(got) != len(whole.Entries) {
		t.Fatalf("%d entries, want %d", len(got), len(whole.Entries))
	}
	for i, e := range whole.Entries {
		if got[i] != e.UID() {
			t.Errorf("entry %d is %s, want %s", i, got[i], e.UID())
		}
	}
	if stands != whole.Closing() {
		t.Errorf("the last file ends with %v, want %v", stands, whole.Closing())
	}
}
