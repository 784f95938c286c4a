package journal_test

import (
	"fmt"
	"slices"
	"testing"

	"debitdesk/models/fault"
	"debitdesk/models/journal"
)

// numbers reads all documents, at most so many at a time.
func (h *house) numbers(d *journal.Documents, most int) (numbers []string, largest int) {
	h.Helper()
	must(h.T, h.books.ExportDocuments(h.Context(), h.who, d, most, func(b *journal.Book) error {
		for _, doc := range b.Documents {
			numbers = append(numbers, doc.Paper.Number)
		}
		largest = max(largest, len(b.Documents))
		return nil
	}, func() error { return nil }))
	return numbers, largest
}

func TestDocumentsAreReadSomeAtATimeHoweverManyOneDayHas(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.books.Most = 4
	ask := journal.Ask{From: h.day.AddDays(-400), To: h.day.AddDays(400), Format: "xero-invoices"}
	begin := func() *journal.Documents {
		t.Helper()
		d, err := h.books.Documents(t.Context(), h.who, ask)
		must(t, err)
		return d
	}
	var first string
	for n := range 7 {
		id := h.purchase(10000)
		h.document("invoice", id, 10000)
		if n == 0 {
			first = fmt.Sprintf("INV-%d", h.made)
			h.document("credit_note", id, 10000)
		}
	}
	d := begin()
	if d.Total != 8 || d.AtOnce() || d.Repeats != (journal.Repeats{}) {
		t.Errorf("%d documents, at once %v, %+v", d.Total, d.AtOnce(), d.Repeats)
	}
	h.document("invoice", h.purchase(10000), 10000) // after reading began
	read, largest := h.numbers(d, 3)
	if len(read) != 8 || largest != 3 {
		t.Errorf("%v, at most %d at a time", read, largest)
	}
	all, _ := h.numbers(begin(), 1000)
	if len(all) != 9 || !slices.Equal(all[:8], read) {
		t.Errorf("at once %v, some at a time %v", all, read)
	}
	if n := h.number(`SELECT (after ->> 'entries')::int FROM audit_entries WHERE action = 'books.exported'
		ORDER BY id DESC LIMIT 1`); n != 9 {
		t.Errorf("the audit has %d", n)
	}

	h.exec(`UPDATE invoices SET number = $1 WHERE serial IN (SELECT max(serial) FROM invoices)`, first)
	if d := begin(); d.Repeats != (journal.Repeats{N: 1, First: first}) || d.Total != 9 {
		t.Errorf("%+v of %d", d.Repeats, d.Total)
	}
	refused := fault.New(fault.Invalid, "x", "x")
	if err := h.books.ExportDocuments(t.Context(), h.who, begin(), 5, func(*journal.Book) error { return nil },
		func() error { return refused }); err == nil {
		t.Error("what the format refuses is exported")
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'books.exported'`); n != 2 {
		t.Errorf("the audit has %d exports", n)
	}
}
