package billing

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

func TestEveryInvoiceIsInOneTab(t *testing.T) {
	t.Parallel()
	for _, status := range purchase.Statuses {
		n := 0
		for _, s := range Parts {
			if slices.Contains(s.Statuses(), status) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is in %d tabs", status, n)
		}
	}
}

func TestCreditNotesTakeBackNoMoreThanTheInvoice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 100_000).Draw(t, "total")
		vat := included15(total)
		d := Documents{Invoice: &Invoice{Kind: Invoiced, TotalCents: total, VATCents: &vat}}
		for _, part := range rapid.SliceOf(rapid.Int64Range(1, 50_000)).Draw(t, "parts") {
			left := d.LeftCents()
			note, some := d.credit(part, calendar.On(2026, 11, 24))
			if some != (left > 0) || some && (note.TotalCents != min(part, left) || *note.VATCents < 0) {
				t.Fatalf("%d of %d left: %+v", part, left, note)
			}
			if some {
				d.Credits = append(d.Credits, note)
			}
		}
		if d.LeftCents() == 0 && d.LeftVATCents() != 0 {
			t.Errorf("nothing is left, with %d VAT", d.LeftVATCents())
		}
		if got := d.LeftVATCents() - included15(d.LeftCents()); got < -1 || got > 1 {
			t.Errorf("%d VAT is left of %d", d.LeftVATCents(), d.LeftCents())
		}
	})
}

func included15(cents int64) int64 { return (2*cents*15 + 115) / 230 }
