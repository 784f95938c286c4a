package journal_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
)

// debt is what a purchase should come to by itself. Nothing of it depends on the order in which things happened, but
// for what was written off.
type debt struct {
	id               uuid.UUID
	cents            int64
	documents, vat   int64 // invoices less credit notes
	open             int64 // documents and refunds owed, less what came in: below zero too much was paid
	off, offVAT      int64 // written off
	deferred, billed bool
	pending          []refund
}

// recorded is what a person recorded of fees and payouts, and how it should add up.
type recorded struct {
	stands                           []journal.Record
	clr, bank, fee, vat, held, count int64
}

type refund struct {
	id    uuid.UUID
	cents int64
}

func share(part, to, of int64) int64 {
	if of == 0 {
		return 0
	}
	return (2*part*to + of) / (2 * of)
}

// back is what came in of what was written off.
func (d debt) back() int64 { return min(max(d.off-max(d.open, 0), 0), d.off) }

// due is the output VAT of the purchase so far: on payments basis the part that is still owed is missing.
func (d debt) due() int64 {
	due := d.vat - d.offVAT + share(d.offVAT, d.back(), d.off)
	if asked := d.documents - d.off; d.deferred && asked > 0 {
		due -= share(d.vat-d.offVAT, min(max(d.open-d.off+d.back(), 0), asked), asked)
	}
	return due
}

// model adds a history up by itself.
type model struct {
	*house
	r       *rand.Rand
	debts   []*debt
	transit map[calendar.Date]int64
	vat     map[journal.Month]int64 // output VAT that became due in it
	locked  calendar.Date
	bases   map[calendar.Date]bool // payments basis from a day on
	slips   recorded
}

// booked is the day on which what happens now is booked.
func (m *model) booked() calendar.Date { return m.bookedOn(m.day) }

// bookedOn is the day on which what happened on a day is booked.
func (m *model) bookedOn(day calendar.Date) calendar.Date {
	if !day.After(m.locked) {
		return m.locked.AddDays(1)
	}
	return day
}

// onPayments tells which basis holds on a day.
func (m *model) onPayments(day calendar.Date) bool {
	for ; day.After(begins.AddDays(-1)); day = day.AddDays(-1) {
		if payments, changes := m.bases[day]; changes {
			return payments
		}
	}
	return false
}

// record records a fee, a payout or a release, or takes one back.
func (m *model) record() {
	of := &m.slips
	d := journal.Draft{Kind: journal.FeeTaken, Day: m.day.AddDays(-m.r.IntN(50)), Gross: 115 * (1 + m.r.Int64N(2000)),
		What: "Service", Reference: fmt.Sprintf("PO-%d", of.count)}
	add := func(sign int64, clr, bank, fee, vat, held int64, on calendar.Date) {
		of.clr, of.bank, of.fee, of.vat, of.held = of.clr+sign*clr, of.bank+sign*bank, of.fee+sign*fee, of.vat+sign*vat,
			of.held+sign*held
		m.transit[on] += sign * clr
		m.vat[journal.MonthOf(m.bookedOn(on))] -= sign * vat
		of.count++
	}
	kind := m.r.IntN(5)
	switch {
	case kind == 4 && len(of.stands) > 0:
		i := m.r.IntN(len(of.stands))
		r := of.stands[i]
		_, err := m.books.Undo(m.Context(), m.who, r.ID, "It was a mistake.")
		if r.RetCents > of.held {
			if !fault.Is(err, fault.Conflict) {
				m.Errorf("what was released was taken back with its payout: %v", err)
			}
			return
		}
		must(m.T, err)
		of.stands = append(of.stands[:i:i], of.stands[i+1:]...)
		add(-1, r.ClrCents, r.BankCents, r.FeeCents, r.VATICents, r.RetCents, m.day)
		return
	case kind == 3 && of.held > 0:
		d.Kind, d.Gross = journal.Released, 1+m.r.Int64N(of.held)
		add(1, 0, d.Gross, 0, 0, -d.Gross, d.Day)
	case kind == 2:
		d.Kind, d.Fee, d.VAT, d.Held = journal.PaidOut, d.Gross/100, d.Gross/100*15/100, d.Gross/20
		add(1, -d.Gross, d.Gross-d.Fee-d.VAT-d.Held, d.Fee, d.VAT, d.Held, d.Day)
	case kind == 1:
		d.FromBank = true
		add(1, 0, -d.Gross, d.Gross, 0, 0, d.Day)
	default:
		d.VAT = d.Gross / 115 * 15
		add(1, -d.Gross, 0, d.Gross-d.VAT, d.VAT, 0, d.Day)
	}
	r, err := m.books.Record(m.Context(), m.who, d)
	must(m.T, err)
	of.stands = append(of.stands, r)
}

// step does one thing, and books what it changes for VAT in the month in which it is posted.
func (m *model) step() {
	if len(m.debts) == 0 || m.r.IntN(4) == 0 {
		d := &debt{cents: 1 + m.r.Int64N(100_000)}
		d.id = m.purchase(d.cents)
		m.debts = append(m.debts, d)
	}
	d := m.debts[max(0, len(m.debts)-1-m.r.IntN(25))]
	before := d.due()
	m.act(d)
	m.vat[journal.MonthOf(m.booked())] += d.due() - before
}

func (m *model) act(d *debt) {
	switch act := m.r.IntN(10); {
	case act < 2 && !d.billed:
		m.document("invoice", d.id, d.cents)
		d.billed, d.deferred = true, m.onPayments(m.booked())
		d.documents, d.vat, d.open = d.cents, vatOf(d.cents), d.open+d.cents
	case act == 2 && d.documents > 0 && m.r.IntN(3) == 0:
		m.document("credit_note", d.id, d.cents)
		again := min(d.off-d.back(), d.cents)
		left := d.offVAT - share(d.offVAT, d.back(), d.off)
		d.offVAT -= share(left, again, max(d.off-d.back(), 1))
		d.off -= again
		d.documents, d.vat, d.open = 0, 0, d.open-d.cents
	case act < 6:
		m.comes(d, "collected", d.cents)
	case act == 6:
		m.comes(d, []string{"returned", "disputed"}[m.r.IntN(2)], -d.cents)
	case act == 7:
		cents := 1 + m.r.Int64N(d.cents)
		m.moved("paid_by_hand", d.id, cents)
		d.open -= cents
	case act == 8:
		m.refund(d)
	default:
		m.writeOff(d)
	}
}

func (m *model) comes(d *debt, kind string, cents int64) {
	m.moved(kind, d.id, cents)
	d.open -= cents
	m.transit[m.day] += cents
}

func (m *model) refund(d *debt) {
	if len(d.pending) == 0 {
		cents := 1 + m.r.Int64N(d.cents)
		d.pending = append(d.pending, refund{m.owedBack(d.id, cents, "bank"), cents})
		d.open += cents
		return
	}
	one := d.pending[0]
	d.pending = d.pending[1:]
	if m.r.IntN(3) == 0 {
		m.refunds(one.id, "dropped")
		d.open -= one.cents
		return
	}
	m.refunds(one.id, "settled")
	m.moved("refunded", d.id, -one.cents, one.id)
	m.transit[m.day] -= one.cents
}

func (m *model) writeOff(d *debt) {
	if left := d.off - d.back(); left > 0 && m.r.IntN(3) == 0 {
		w, err := m.books.TakeBack(m.Context(), m.who, d.id, "It was a mistake.")
		must(m.T, err)
		if w.AmountCents != -left {
			m.Errorf("%d was taken back, want %d", -w.AmountCents, left)
		}
		d.off, d.offVAT = d.off+w.AmountCents, d.offVAT+w.VATCents
		return
	}
	want := min(d.open-d.off+d.back(), d.documents-d.off)
	w, err := m.books.WriteOff(m.Context(), m.who, d.id, "They cannot pay.")
	if want <= 0 {
		if !fault.Is(err, fault.Conflict) {
			m.Errorf("nothing was owed, and written off: %v", err)
		}
		return
	}
	must(m.T, err)
	if vat := share(d.vat, d.off+want, d.documents) - d.offVAT; w.AmountCents != want || w.VATCents != vat {
		m.Errorf("%d with VAT of %d were written off, want %d and %d", w.AmountCents, w.VATCents, want, vat)
	}
	d.off, d.offVAT = d.off+w.AmountCents, d.offVAT+w.VATCents
}

// steps of a history: few in every run, and BOOK_STEPS of them where somebody wants more.
func steps() int {
	if n, err := strconv.Atoi(os.Getenv("BOOK_STEPS")); err == nil {
		return n
	}
	return 400
}

func TestRandomHistoriesWithClosingsKeepTheBooks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := &model{house: open(t), r: rand.New(rand.NewPCG(seed, 5)), //nolint:gosec // a history
				transit: map[calendar.Date]int64{}, vat: map[journal.Month]int64{},
				bases: map[calendar.Date]bool{}}
			closed := map[journal.Month]string{}
			for range steps() {
				m.step()
				if m.r.IntN(6) == 0 {
					m.record()
				}
				if m.r.IntN(12) == 0 {
					m.goOn(m.day.AddDays(1 + m.r.IntN(6)))
				}
				if m.r.IntN(40) == 0 {
					m.changeBasis()
				}
				if next, over, err := m.books.NextMonth(t.Context(), m.who); err == nil && over && m.r.IntN(10) == 0 {
					_, err := m.books.Close(t.Context(), m.who, next)
					must(t, err)
					m.locked = next.Last()
					closed[next] = m.month(next)
				}
			}
			for month, was := range closed {
				if m.month(month) != was {
					t.Errorf("%s was changed after it was closed", month)
				}
			}
			if len(closed) == 0 {
				t.Error("no month was closed")
			}
			m.compare()
			m.holds()
		})
	}
}

// changeBasis goes over to the other basis of VAT from one of the next days on.
func (m *model) changeBasis() {
	from := m.booked().AddDays(1 + m.r.IntN(3))
	payments := !m.onPayments(from)
	must(m.T, m.books.ChooseBasis(m.Context(), m.who, journal.Basis{From: from, Payments: payments}))
	m.bases[from] = payments
}

func (m *model) month(of journal.Month) string {
	return fmt.Sprintf("%+v", m.book(of.First(), of.Last(), false).Entries)
}

// compare holds the books against what was added up, and by day against by entry.
func (m *model) compare() {
	m.Helper()
	first, last := begins.AddDays(-60), m.day.AddDays(40)
	each, days := m.book(first, last, false), m.book(first, last, true)
	if each.Closing() != days.Closing() || each.Closing().Sum() != 0 {
		m.Errorf("by entry %v, by day %v", each.Closing(), days.Closing())
	}
	var transit int64
	byTrueDay, vat := map[calendar.Date]int64{}, map[journal.Month]int64{}
	for _, e := range each.Entries {
		byTrueDay[e.TrueDay] += e.Cents.Of(journal.Transit)
		vat[journal.MonthOf(e.Day)] -= e.Cents.Of(journal.OutputVAT) + e.Cents.Of(journal.InputVAT)
	}
	for day := first; !day.After(last); day = day.AddDays(1) {
		if transit += m.transit[day]; byTrueDay[day] != m.transit[day] {
			m.Errorf("%s: %d in transit, want %d", day, byTrueDay[day], m.transit[day])
		}
	}
	for month := journal.MonthOf(first); !month.First().After(last); month = month.Next() {
		sheet, err := m.books.VAT(m.Context(), m.who, month, 1)
		must(m.T, err)
		if vat[month] != m.vat[month] || sheet.Payable() != m.vat[month] {
			m.Errorf("%s: VAT of %d, and %d on the sheet, want %d", month, vat[month], sheet.Payable(), m.vat[month])
		}
	}
	want := map[journal.Role]int64{journal.Transit: transit, journal.Fees: m.slips.fee, journal.InputVAT: m.slips.vat,
		journal.HeldBack: m.slips.held}
	for _, d := range m.debts {
		owed := d.open - d.off + d.back()
		want[journal.Debtors] += max(owed, 0)
		want[journal.Unallocated] += min(owed, 0)
		want[journal.Revenue] -= d.documents - d.vat
		want[journal.OutputVAT] -= d.due()
		want[journal.VATNotDue] -= d.vat - d.offVAT + share(d.offVAT, d.back(), d.off) - d.due()
		want[journal.BadDebts] += d.off - d.offVAT
		want[journal.Recovered] -= d.back() - share(d.offVAT, d.back(), d.off)
		for _, r := range d.pending {
			want[journal.RefundsDue] -= r.cents
		}
	}
	for role, cents := range want {
		if got := each.Closing().Of(role); got != cents {
			m.Errorf("%s is %d, want %d", role, got, cents)
		}
	}
}
