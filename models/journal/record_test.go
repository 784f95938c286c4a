package journal_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/money"
)

func (h *house) record(d journal.Draft) journal.Record {
	h.Helper()
	if d.What == "" {
		d.What = "Collect-All"
	}
	if d.Day.IsZero() {
		d.Day = h.day
	}
	r, err := h.books.Record(h.Context(), h.who, d)
	must(h.T, err)
	return r
}

func (h *house) undo(id uuid.UUID) error {
	_, err := h.books.Undo(h.Context(), h.who, id, "A mistake.")
	return err
}

func TestFeesAndPayoutsPostWhatTheReferenceSays(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.moved("collected", h.purchase(64900), 64900)
	owed := int64(-64900)
	paid := h.record(journal.Draft{Kind: journal.PaidOut, Gross: 64900, Fee: 600, VAT: 90, Held: 4210, Reference: "PO-77"})
	h.want("paid out", map[journal.Role]int64{journal.Unallocated: owed, journal.Bank: 60000, journal.Fees: 600,
		journal.InputVAT: 90, journal.HeldBack: 4210})
	released := h.record(journal.Draft{Kind: journal.Released, Gross: 4000})
	h.want("released", map[journal.Role]int64{journal.Unallocated: owed, journal.Bank: 64000, journal.Fees: 600,
		journal.InputVAT: 90, journal.HeldBack: 210})
	fee := h.record(journal.Draft{Kind: journal.FeeTaken, Gross: 690, VAT: 90})
	bank := h.record(journal.Draft{Kind: journal.FeeTaken, Gross: 5000, FromBank: true})
	h.want("fees", map[journal.Role]int64{journal.Unallocated: owed, journal.Transit: -690, journal.Bank: 59000,
		journal.Fees: 6200, journal.InputVAT: 180, journal.HeldBack: 210})
	h.wantSheet("fees", journal.MonthOf(h.day), map[journal.Box]int64{"15": 180, "20": -180})
	h.holds()
	if err := h.undo(paid.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("a payout was taken back whose held back money was released: %v", err)
	}
	for _, r := range []journal.Record{released, paid, fee, bank} {
		must(t, h.undo(r.ID))
		if err := h.undo(r.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s was taken back twice: %v", r.Kind, err)
		}
	}
	h.want("taken back", map[journal.Role]int64{journal.Unallocated: owed, journal.Transit: 64900})
	h.wantSheet("taken back", journal.MonthOf(h.day), map[journal.Box]int64{"15": 0, "20": 0})
	h.holds()
	if n := h.number(`SELECT count(*) FROM journal_entries
		WHERE kind IN ('fee', 'payout', 'released', 'taken_back')`); n != 8 {
		t.Errorf("there are %d entries, and none may go", n)
	}
	if n := h.number(`SELECT count(*) FROM audit_entries WHERE action IN ('books.recorded', 'books.taken_back')
		AND before IS NOT NULL AND after IS NOT NULL`); n != 8 {
		t.Errorf("the audit has %d entries", n)
	}
}

func TestAFeeOfAClosedMonthIsPostedOnTheFirstOpenDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.moved("collected", h.purchase(64900), 64900)
	first := h.record(journal.Draft{Kind: journal.FeeTaken, Gross: 100})
	h.goOn(calendar.On(2026, time.October, 5))
	month, _, err := h.books.NextMonth(t.Context(), h.who)
	must(t, err)
	_, err = h.books.Close(t.Context(), h.who, month)
	must(t, err)
	late := h.record(journal.Draft{Kind: journal.FeeTaken, Gross: 200, Day: begins})
	must(t, h.undo(first.ID))
	for id, want := range map[uuid.UUID]calendar.Date{first.ID: begins, late.ID: calendar.On(2026, time.October, 1)} {
		got, err := h.books.Recorded(t.Context(), h.who, id)
		must(t, err)
		if got.Booked != want || got.Day != begins {
			t.Errorf("it is booked on %s, want %s", got.Booked, want)
		}
	}
	h.holds()
}

func TestARecordThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	good := journal.Draft{Kind: journal.PaidOut, Day: h.day, Gross: 64900, Fee: 600, VAT: 90, Held: 4210, What: "Provider"}
	for what, worse := range map[string]func(*journal.Draft){
		"kind":            func(d *journal.Draft) { d.Kind = journal.Collected },
		"tomorrow":        func(d *journal.Draft) { d.Day = h.day.AddDays(1) },
		"no day":          func(d *journal.Draft) { d.Day = calendar.Date{} },
		"nothing":         func(d *journal.Draft) { d.Gross = 0 },
		"too much":        func(d *journal.Draft) { d.Gross = 1 << 62 },
		"parts":           func(d *journal.Draft) { d.Held = 64900 },
		"below zero":      func(d *journal.Draft) { d.Held = -1 },
		"no VAT":          func(d *journal.Draft) { d.VAT = 98 },
		"formula":         func(d *journal.Draft) { d.What = "=1+1" },
		"no words":        func(d *journal.Draft) { d.What = " " },
		"currency":        func(d *journal.Draft) { d.Currency = "rand" },
		"nothing is held": func(d *journal.Draft) { d.Kind = journal.Released },
		"VAT of all":      func(d *journal.Draft) { d.Kind, d.VAT = journal.FeeTaken, 64900 },
	} {
		d := good
		worse(&d)
		if _, err := h.books.Record(t.Context(), h.who, d); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	staff := h.who
	staff.Role = actor.Staff
	if _, err := h.books.Record(t.Context(), staff, good); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff recorded a payout: %v", err)
	}
	r := h.record(good)
	stranger := h.who
	stranger.MerchantID = h.store.NewID()
	if _, err := h.books.Undo(t.Context(), stranger, r.ID, "No."); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger took it back: %v", err)
	}
	if _, err := h.books.Recorded(t.Context(), stranger, r.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger saw it: %v", err)
	}
	if _, err := h.books.Undo(t.Context(), staff, r.ID, "No."); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff took it back: %v", err)
	}
	if _, err := h.books.Undo(t.Context(), h.who, r.ID, " "); !fault.Is(err, fault.Invalid) {
		t.Errorf("it was taken back without a reason: %v", err)
	}
}

// movement is a line of the bank that matches nothing.
func (h *house) movement(cents int64, credit bool) uuid.UUID {
	h.made++
	return h.row("bank_entries", map[string]any{"merchant_id": h.who.MerchantID, "key": h.store.NewID().String(),
		"state": "unmatched", "credit": credit, "amount_cents": cents, "currency": "ZAR", "booked_on": h.day.String()})
}

func TestALineOfTheBankIsRecordedOnceAndWaitsAgainAfterwards(t *testing.T) {
	t.Parallel()
	h := open(t)
	in, out := h.movement(60000, true), h.movement(5000, false)
	states := func(want string) {
		t.Helper()
		var got string
		must(t, h.store.Pool.QueryRow(t.Context(), `SELECT string_agg(state, ' ' ORDER BY credit) FROM bank_entries`).
			Scan(&got))
		if got != want {
			t.Errorf("the lines are %s, want %s", got, want)
		}
	}
	payout := journal.Draft{Kind: journal.PaidOut, Gross: 64900, Fee: 600, VAT: 90, Held: 4210, MovementID: in, Day: h.day,
		What: "Provider"}
	for what, worse := range map[string]func(*journal.Draft){
		"amount":    func(d *journal.Draft) { d.Gross++ },
		"day":       func(d *journal.Draft) { d.Day = h.day.AddDays(-1) },
		"direction": func(d *journal.Draft) { d.MovementID = out },
	} {
		d := payout
		worse(&d)
		if _, err := h.books.Record(t.Context(), h.who, d); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	states("unmatched unmatched")
	r := h.record(payout)
	fee := h.record(journal.Draft{Kind: journal.FeeTaken, Gross: 5000, FromBank: true, MovementID: out})
	states("fee other")
	if _, err := h.books.Record(t.Context(), h.who, payout); !fault.Is(err, fault.Conflict) {
		t.Errorf("the line was recorded twice: %v", err)
	}
	must(t, h.undo(r.ID))
	must(t, h.undo(fee.ID))
	states("unmatched unmatched")
	if n := h.number(`SELECT count(*) FROM bank_findings WHERE kind = 'unmatched' AND closed_at IS NULL`); n != 2 {
		t.Errorf("%d findings ask about them", n)
	}
	h.record(payout)
	h.holds()
}

func TestTheListOfRecordsGoesThroughAllOfThem(t *testing.T) {
	t.Parallel()
	h := open(t)
	for i := range 60 {
		h.record(journal.Draft{Kind: journal.FeeTaken, Gross: int64(100 + i), Day: h.day.AddDays(-i / 7)})
	}
	seen := map[uuid.UUID]bool{}
	var after journal.RecordPlace
	for pages := 0; ; pages++ {
		page, next, err := h.books.Records(t.Context(), h.who, after)
		must(t, err)
		for _, r := range page {
			seen[r.ID] = true
		}
		if next == (journal.RecordPlace{}) {
			if pages != 1 {
				t.Errorf("there are %d more pages", pages)
			}
			break
		}
		after = next
	}
	if len(seen) != 60 {
		t.Errorf("it shows %d", len(seen))
	}
}

func TestWhatIsOpenAtTheEndOfAMonthIsCountedUntilItsLastDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	month := journal.MonthOf(h.day)
	h.movement(12_00, true)
	h.movement(30_00, true)
	h.day = month.Last().AddDays(1)
	h.movement(99_00, true) // of the next month
	p, err := h.books.Preview(t.Context(), h.who, month)
	must(t, err)
	want := []journal.Open{{What: journal.OpenMovements, N: 2, Cents: money.SumOf(42_00)}}
	if !slices.Equal(p.Open, want) {
		t.Errorf("open are %v, want %v", p.Open, want)
	}
}
