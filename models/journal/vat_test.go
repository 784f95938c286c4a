package journal_test

import (
	"slices"
	"testing"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
)

var november = journal.Month{Year: 2026, Mon: time.November}

func (h *house) sheet(m journal.Month) map[journal.Box]int64 {
	h.Helper()
	s, err := h.books.VAT(h.Context(), h.who, m, 1)
	must(h.T, err)
	s.Cents["13"], s.Cents["19"], s.Cents["20"] = s.TotalOutput(), s.TotalInput(), s.Payable()
	return s.Cents
}

func (h *house) wantSheet(what string, m journal.Month, want map[journal.Box]int64) {
	h.Helper()
	got := h.sheet(m)
	for box, cents := range want {
		if got[box] != cents {
			h.Errorf("%s: field %s is %d, want %d", what, box, got[box], cents)
		}
	}
}

// The example of the reference, without the fees, of which the desk has no invoice.
func TestTheSheetOfVATIsThatOfTheExample(t *testing.T) {
	t.Parallel()
	h := open(t)
	old := h.purchase(129800)
	h.document("invoice", old, 129800)
	h.goOn(calendar.On(2026, time.November, 3))
	for i, cents := range []int64{64900, 45000, 29995} {
		p := h.purchase(cents)
		h.document("invoice", p, cents)
		if i == 2 {
			h.document("credit_note", p, cents)
		}
		h.moved("collected", p, cents)
		if i == 0 {
			h.moved("returned", p, -cents)
		}
	}
	if _, err := h.books.WriteOff(t.Context(), h.who, old, "Liquidated."); err != nil {
		t.Fatal(err)
	}
	h.wantSheet("invoice basis", november, map[journal.Box]int64{"1": 109900, "2-3": 0, "4": 14335, "12": 0, "13": 14335,
		"17": 16930, "19": 16930, "20": -2595})
	h.holds()
}

func TestOnPaymentsBasisVATIsDueAsMoneyComesIn(t *testing.T) {
	t.Parallel()
	h := open(t)
	from := calendar.On(2026, time.November, 1)
	must(t, h.books.ChooseBasis(t.Context(), h.who, journal.Basis{From: from, Payments: true}))
	before := h.purchase(20000)
	h.document("invoice", before, 20000) // in September, on invoice basis
	h.goOn(calendar.On(2026, time.November, 3))
	first, second := h.purchase(64900), h.purchase(45000)
	h.document("invoice", first, 64900)
	h.document("invoice", second, 45000)
	h.want("invoiced", map[journal.Role]int64{journal.Debtors: 129900, journal.Revenue: -17391 - 56435 - 39130,
		journal.OutputVAT: -2609, journal.VATNotDue: -8465 - 5870})
	h.moved("collected", first, 64900)
	h.moved("returned", first, -64900)
	h.moved("collected", second, 45000)
	h.moved("collected", before, 20000)
	h.wantSheet("payments basis", november, map[journal.Box]int64{"1": 45000, "4": 5870, "17": 0, "20": 5870})
	h.moved("paid_by_hand", first, 30000)
	h.wantSheet("a part was paid", november, map[journal.Box]int64{"1": 75000, "4": 5870 + 3913})
	if _, err := h.books.WriteOff(t.Context(), h.who, first, "Left the country."); err != nil {
		t.Fatal(err)
	}
	h.wantSheet("the rest was written off", november, map[journal.Box]int64{"1": 75000, "4": 5870 + 3913, "17": 0})
	h.holds()
	if err := h.books.ChooseBasis(t.Context(), h.who, journal.Basis{From: h.day}); !fault.Is(err, fault.Invalid) {
		t.Errorf("the basis of invoices that were issued was changed: %v", err)
	}
}

func TestADebtIsWrittenOffRecoveredAndTakenBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.purchase(64900)
	h.document("invoice", p, 64900)
	h.moved("paid_by_hand", p, 20000)
	off := func(reason string) error { _, err := h.books.WriteOff(t.Context(), h.who, p, reason); return err }
	if err := off(" "); !fault.Is(err, fault.Invalid) {
		t.Errorf("it was written off without a reason: %v", err)
	}
	staff, stranger := h.who, h.who
	staff.Role, stranger.MerchantID = actor.Staff, h.store.NewID()
	if _, err := h.books.WriteOff(t.Context(), staff, p, "No."); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff wrote it off: %v", err)
	}
	if _, err := h.books.WriteOff(t.Context(), stranger, p, "No."); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger wrote it off: %v", err)
	}
	must(t, off("Cannot be found."))
	vat := int64(5856) // of 8 465, 44 900 of 64 900
	owes := map[journal.Role]int64{journal.Revenue: -56435, journal.Bank: 20000, journal.OutputVAT: -8465 + vat,
		journal.BadDebts: 44900 - vat}
	h.want("written off", owes)
	if err := off("Again."); !fault.Is(err, fault.Conflict) {
		t.Errorf("it was written off twice: %v", err)
	}
	h.moved("collected", p, 10000)
	h.want("a part came in", map[journal.Role]int64{journal.Revenue: -56435, journal.Bank: 20000, journal.Transit: 10000,
		journal.OutputVAT: -8465 + vat - 1304, journal.BadDebts: 44900 - vat, journal.Recovered: -8696})
	h.wantSheet("recovered", journal.MonthOf(h.day), map[journal.Box]int64{"1": 64900, "4": 8465, "12": 1304, "17": vat})
	h.moved("returned", p, -10000)
	h.want("it went back", owes)
	h.moved("collected", p, 50000)
	h.want("more than that came in", map[journal.Role]int64{journal.Revenue: -56435, journal.Bank: 20000,
		journal.Transit: 50000, journal.OutputVAT: -8465, journal.BadDebts: 44900 - vat, journal.Recovered: -44900 + vat,
		journal.Unallocated: -5100})
	h.moved("returned", p, -50000)
	_, err := h.books.TakeBack(t.Context(), h.who, p, "A mistake.")
	must(t, err)
	h.want("taken back", map[journal.Role]int64{journal.Revenue: -56435, journal.Bank: 20000, journal.OutputVAT: -8465,
		journal.Debtors: 44900})
	if _, err := h.books.TakeBack(t.Context(), h.who, p, "Again."); !fault.Is(err, fault.Conflict) {
		t.Errorf("it was taken back twice: %v", err)
	}
	h.moved("paid_by_hand", p, 10000)
	h.moved("paid_by_hand", p, -10000)
	var said []string
	for _, e := range h.book(h.day.AddDays(-400), h.day, false).Entries {
		said = append(said, e.Word())
	}
	for _, want := range []string{"Written off", "Write-off taken back", "Marked as paid", "Payment taken back"} {
		if !slices.Contains(said, want) {
			t.Errorf("no entry is called %q: %q", want, said)
		}
	}
	h.holds()
	h.exec(`UPDATE purchases SET status = 'pending_charge'`)
	if err := off("Planned."); !fault.Is(err, fault.Conflict) {
		t.Errorf("a debt whose debit is planned was written off: %v", err)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action LIKE 'books.writ%'`); n != 2 {
		t.Errorf("the audit has %d entries", n)
	}
}
