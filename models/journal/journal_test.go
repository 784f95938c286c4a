package journal_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
)

func nothing(*journal.Book) fault.Problems { return nil }

func (h *house) want(what string, roles map[journal.Role]int64) {
	h.Helper()
	for _, r := range journal.Roles {
		if got := h.stands(r); got != roles[r] {
			h.Errorf("%s: %s is %d, want %d", what, r, got, roles[r])
		}
	}
}

func TestEachMovementPostsWhatTheReferenceSays(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.purchase(64900)
	h.document("invoice", p, 64900)
	h.want("invoiced", map[journal.Role]int64{journal.Debtors: 64900, journal.Revenue: -56435, journal.OutputVAT: -8465})
	h.moved("collected", p, 64900)
	h.want("collected", map[journal.Role]int64{journal.Transit: 64900, journal.Revenue: -56435, journal.OutputVAT: -8465})
	h.moved("returned", p, -64900)
	h.want("returned", map[journal.Role]int64{journal.Debtors: 64900, journal.Revenue: -56435, journal.OutputVAT: -8465})
	h.moved("paid_by_hand", p, 64900)
	h.want("paid", map[journal.Role]int64{journal.Bank: 64900, journal.Revenue: -56435, journal.OutputVAT: -8465})
	r := h.owedBack(p, 64900, "person")
	h.want("owed back", map[journal.Role]int64{journal.Bank: 64900, journal.Debtors: 64900, journal.RefundsDue: -64900,
		journal.Revenue: -56435, journal.OutputVAT: -8465})
	h.document("credit_note", p, 64900)
	h.refunds(r, "settled")
	h.moved("refunded", p, -64900, r)
	h.want("refunded", nil)
	h.holds()
}

func TestMoneyWithoutAnInvoiceIsUnallocatedUntilThereIsOne(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.purchase(45000)
	h.moved("collected", p, 45000)
	h.want("collected", map[journal.Role]int64{journal.Transit: 45000, journal.Unallocated: -45000})
	h.document("invoice", p, 45000)
	h.want("invoiced", map[journal.Role]int64{journal.Transit: 45000, journal.Revenue: -39130, journal.OutputVAT: -5870})
	h.moved("collected", p, 45000)
	h.want("paid twice", map[journal.Role]int64{journal.Transit: 90000, journal.Unallocated: -45000,
		journal.Revenue: -39130, journal.OutputVAT: -5870})
	r := h.owedBack(p, 45000, "bank")
	h.refunds(r, "dropped")
	h.refunds(r, "settled")
	h.moved("refunded", p, -45000, r)
	h.want("one went back", map[journal.Role]int64{journal.Transit: 45000, journal.Revenue: -39130,
		journal.OutputVAT: -5870})
	h.moved("refunded", p, -45000, r)
	h.want("it went back twice", map[journal.Role]int64{journal.Debtors: 45000, journal.Revenue: -39130,
		journal.OutputVAT: -5870})
	h.holds()
}

func TestTheDatabaseRefusesAnEntryThatDoesNotBalanceAndChangesOfOne(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.purchase(100)
	h.document("invoice", p, 100)
	for _, sql := range []string{
		`INSERT INTO journal_entries (merchant_id, kind, source_id, brand_id, purchase_id, true_day, at, currency, ar, clr)
			SELECT merchant_id, 'collected', purchase_id, brand_id, purchase_id, true_day, at, currency, 100, -99
			FROM journal_entries`,
		`UPDATE journal_entries SET rev = rev - 1, ar = ar + 1`,
		`UPDATE journal_entries SET day = day + 1`,
	} {
		if _, err := h.store.Pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s was taken", sql)
		}
	}
	h.holds()
}

func TestWhatBecomesKnownAfterTheCloseIsPostedOnTheFirstOpenDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.purchase(64900)
	h.document("invoice", p, 64900)
	h.goOn(calendar.On(2026, time.October, 26))
	h.moved("collected", p, 64900)
	if _, err := h.books.Close(t.Context(), h.who, journal.Month{Year: 2026, Mon: time.October}); !fault.Is(err,
		fault.Conflict) {
		t.Errorf("October was closed before it was over: %v", err)
	}
	h.goOn(calendar.On(2026, time.November, 3))
	october := journal.Month{Year: 2026, Mon: time.October}
	staff := h.who
	staff.Role = actor.Staff
	if _, err := h.books.Close(t.Context(), staff, october); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff closed a month: %v", err)
	}
	c, err := h.books.Close(t.Context(), h.who, october)
	must(t, err)
	if _, err := h.books.Close(t.Context(), h.who, october); !fault.Is(err, fault.Conflict) {
		t.Errorf("October was closed twice: %v", err)
	}
	h.day = calendar.On(2026, time.October, 31) // what is written now is of October
	h.moved("returned", p, -64900)
	h.day = calendar.On(2026, time.November, 3)
	b := h.book(calendar.On(2026, time.November, 1), h.day, false)
	if len(b.Entries) != 1 || b.Entries[0].Day != calendar.On(2026, time.November, 1) ||
		!strings.HasSuffix(b.Entries[0].Text(), "was 2026-10-31") {
		t.Errorf("posted: %+v", b.Entries)
	}
	if _, err := h.store.Pool.Exec(t.Context(), `DELETE FROM journal_entries WHERE day < '2026-11-01'`); err == nil {
		t.Error("an entry of a closed month went")
	}
	h.holds()
	if err := h.books.Reopen(t.Context(), h.who, c.ID, " "); !fault.Is(err, fault.Invalid) {
		t.Errorf("it was reopened without a reason: %v", err)
	}
	must(t, h.books.Reopen(t.Context(), h.who, c.ID, "The accountant asked."))
	if err := h.books.Reopen(t.Context(), h.who, c.ID, "Again."); !fault.Is(err, fault.Conflict) {
		t.Errorf("it was reopened twice: %v", err)
	}
	var said string
	must(t, h.store.Pool.QueryRow(t.Context(), `SELECT string_agg(action, ' ' ORDER BY id) FROM audit_entries
		WHERE action IN ('books.closed', 'books.reopened')`).Scan(&said))
	if said != "books.closed books.reopened" {
		t.Errorf("the audit has %s", said)
	}
}

// A closing waits for those who are posting or taking entries away, so that no month changes behind it.
func TestAClosingWaitsForWhatIsBeingPosted(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"posted": `INSERT INTO ledger_entries (id, merchant_id, purchase_id, kind, amount_cents, currency, at, day)
			SELECT gen_random_uuid(), merchant_id, id, 'collected', 100, 'ZAR', now(), '2026-09-30' FROM purchases`,
		"taken away": `DELETE FROM journal_entries WHERE ar = 100`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			p := h.purchase(100)
			h.document("invoice", p, 100)
			h.document("invoice", h.purchase(200), 200)
			h.goOn(calendar.On(2026, time.October, 2))
			tx := h.begins(sql)
			h.meanwhile(tx, func() error {
				_, err := h.books.Close(t.Context(), h.who, journal.Month{Year: 2026, Mon: time.September})
				return err
			})
			h.exec(`SELECT post_missing()`)
			h.holds()
		})
	}
}

// What a client owes is split between debtors and unallocated receipts as it stands, whoever comes first.
func TestTwoWhoPostForOnePurchaseAtOnceSplitItAsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.purchase(64900)
	tx := h.begins(`INSERT INTO ledger_entries (id, merchant_id, purchase_id, kind, amount_cents, currency, at, day)
		SELECT gen_random_uuid(), merchant_id, id, 'collected', 64900, 'ZAR', now(), '2026-09-28' FROM purchases`)
	h.meanwhile(tx, func() error { h.document("invoice", p, 64900); return nil })
	h.want("both", map[journal.Role]int64{journal.Transit: 64900, journal.Revenue: -56435, journal.OutputVAT: -8465})
	h.holds()
}

// Many close, reopen and post at the same moment, and whoever loses is told so.
func TestManyWhoCloseAndReopenAtOnceKeepTheBooks(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.purchase(1_000_000)
	h.document("invoice", p, 1_000_000)
	h.goOn(calendar.On(2026, time.December, 3))
	for range 6 {
		var wait sync.WaitGroup
		var won [2]atomic.Int32
		told := func(which int, err error) {
			if err == nil {
				won[which].Add(1)
			} else if !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		}
		closings, err := h.books.Closings(t.Context(), h.who)
		must(t, err)
		for i := range 4 {
			wait.Go(func() {
				_, err := h.books.Close(t.Context(), h.who, journal.Month{Year: 2026, Mon: time.September + time.Month(i%3)})
				told(0, err)
			})
			wait.Go(func() { h.moved("collected", p, 100) })
			for _, c := range closings {
				if c.ReopenedAt.IsZero() {
					wait.Go(func() { told(1, h.books.Reopen(t.Context(), h.who, c.ID, "The accountant asked.")) })
				}
			}
		}
		wait.Wait()
		h.holds()
		if n := h.number(`SELECT count(*) FROM audit_entries WHERE action = 'books.closed'`) -
			h.number(`SELECT count(*) FROM book_closings`); n != 0 {
			t.Errorf("the audit has %d closings too many", n)
		}
	}
}
