package debit_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// The calendar moves a debit off the mandate's day: the terms are judged by the day on which it runs (API contract
// 12.30).
func TestTheActionDateIsHeldToTheTermsAndNotTheDue(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.exec(`UPDATE brands SET debicheck_shift = 'previous' WHERE id = $1`, h.brand)
	fixed := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(15))})
	loose := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(15)), anyDay: true})
	h.to(start.Add(time.Minute))
	sunday := calendar.On(2027, time.August, 15)

	_, err := h.charge(fixed.ID, 10000, sunday)
	refusedAs(t, err, fault.Invalid, "purchase_charge_error", "would run on 14 August 2027",
		"Move the due date to 16 August 2027")
	if f, _ := fault.From(err); len(f.Fields) != 1 || f.Fields[0].Path != "due" {
		t.Errorf("refused at %+v", f.Fields)
	}
	if rec := h.mustCharge(fixed.ID, 10000, sunday.AddDays(1)); rec.Collection.ActionDate != sunday.AddDays(1) ||
		len(why(rec)) > 0 {
		t.Errorf("the day that was named: %s, %v", rec.Collection.ActionDate, why(rec))
	}
	if rec := h.mustCharge(loose.ID, 10000, sunday); rec.Collection.ActionDate != sunday.AddDays(-1) ||
		!slices.Equal(why(rec), []string{"date_differs"}) {
		t.Errorf("the day before: %s, %v", rec.Collection.ActionDate, why(rec))
	}

	h = open(t)
	fixed = h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(23))})
	h.to(start.Add(time.Minute))
	must(t, h.store.Clock.MoveTo(ctx, calendar.On(2029, time.July, 21).At(11, 0)))
	monday := calendar.On(2029, time.July, 23)
	_, err = h.charge(fixed.ID, 10000, monday) // the cut-off was on Friday: it would run on Tuesday
	refusedAs(t, err, fault.Invalid, "purchase_charge_error", "due on 23 July 2029 and would run on 24 July 2029",
		"Move the due date to 23 August 2029")
}

// A mandate with a rhythm has one debit in a period. A second one runs, and may be disputed (API contract 12.32).
func TestASecondDebitInAPeriodIsMarked(t *testing.T) {
	t.Parallel()
	h := open(t)
	stored := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(10))})
	h.to(start.Add(time.Minute))
	second := []string{"second_in_period"}
	first := h.mustCharge(stored.ID, 10000, day(10))
	if rec := h.mustCharge(stored.ID, 10000, day(10)); len(why(first)) > 0 || !slices.Equal(why(rec), second) {
		t.Errorf("two of one period: %v, %v", why(first), why(rec))
	}
	if rec := h.mustCharge(stored.ID, 10000, calendar.On(2027, time.March, 10)); len(why(rec)) > 0 {
		t.Errorf("of the next period: %v", why(rec))
	}

	h = open(t)
	stored = h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(10)), anyDay: true})
	h.to(start.Add(time.Minute))
	failing := h.mustCharge(stored.ID, 10000, day(10))
	h.exec(`UPDATE collections SET state = 'unpaid' WHERE purchase_id = $1`, failing.ID)
	if rec := h.mustCharge(stored.ID, 10000, day(12)); !slices.Equal(why(rec), []string{"date_differs"}) {
		t.Errorf("a failed one counts: %v", why(rec))
	}
}

// The mark of the second debit goes when the first falls away before the second is handed over, on pages as at the
// bank.
func TestASecondDebitInAPeriodIsTheOnlyOneWhenTheFirstFallsAway(t *testing.T) {
	t.Parallel()
	h := open(t)
	stored := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(10)), anyDay: true})
	h.to(start.Add(time.Minute))
	first, second, third := h.mustCharge(stored.ID, 10000, day(10)), h.mustCharge(stored.ID, 10000, day(10)),
		h.mustCharge(stored.ID, 10000, day(10))
	mark := []string{"second_in_period"}
	_, err := h.purchases.Cancel(ctx, h.who, first.ID)
	must(t, err)
	if one, two := h.get(second.ID), h.get(third.ID); len(why(one)) > 0 || !slices.Equal(why(two), mark) {
		t.Errorf("the first was cancelled: %v, %v", why(one), why(two))
	}
	under, err := h.purchases.DebitsUnder(ctx, h.who.MerchantID, stored.ID, 9)
	must(t, err)
	page, err := h.purchases.Debits(ctx, h.who, purchase.DebitFilter{}, paging.Ask{Limit: 9})
	must(t, err)
	for _, c := range page.Items {
		under = append(under, *c.Collection)
	}
	if len(under) != 6 || slices.ContainsFunc(under, func(c collection.Collection) bool {
		return c.Disputable != (c.PurchaseID == third.ID) && c.PurchaseID != first.ID
	}) {
		t.Errorf("the lists: %+v", under)
	}
	h.to(day(10).At(5, 0))
	if n := h.number(`SELECT count(*) FROM collections WHERE disputable AND purchase_id <> $1`, first.ID); n != 1 ||
		len(why(h.get(second.ID))) > 0 {
		t.Errorf("%d debits were handed over as disputable, and the second is %v", n, why(h.get(second.ID)))
	}
	if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE disputable AND kind = 'collection'`); n != 1 {
		t.Errorf("the bank was told of %d disputable debits", n)
	}

	h = open(t)
	stored = h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(10)), anyDay: true})
	h.to(start.Add(time.Minute))
	first, second = h.mustCharge(stored.ID, 10000, day(10)), h.mustCharge(stored.ID, 10000, day(20))
	h.exec(`UPDATE collections SET state = 'unpaid' WHERE purchase_id = $1`, first.ID)
	if got := why(h.get(second.ID)); !slices.Equal(got, []string{"date_differs"}) {
		t.Errorf("the first failed: %v", got)
	}
}

// Whoever begins second is marked, though nobody was there when both looked.
func TestOfTwoDebitsAtOnceOneIsTheSecondInItsPeriod(t *testing.T) {
	t.Parallel()
	h := open(t)
	stored := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(10))})
	h.to(start.Add(time.Minute))
	const many = 6
	reasons, made := make([]string, many), make([]purchase.Record, many)
	for i := range many {
		var err error
		made[i], err = h.purchases.Create(ctx, h.who, purchase.Input{Client: payer(), BrandID: h.brand, Currency: "ZAR",
			Due: noon(day(10)), Details: one(10000)})
		must(t, err)
	}
	all := &together{missing: many, all: make(chan struct{})}
	h.purchases.InTx = all.before(h.purchases.InTx)
	var charged sync.WaitGroup
	for i := range many {
		charged.Go(func() {
			rec, err := h.purchases.Charge(ctx, h.who, made[i].ID, stored.ID)
			for fault.HasCode(err, "conflict") { // lost five times: tried again, as a caller does
				rec, err = h.purchases.Charge(ctx, h.who, made[i].ID, stored.ID)
			}
			if err == nil {
				reasons[i] = "once " + strings.Join(why(rec), " ")
			}
		})
	}
	charged.Wait()
	slices.Sort(reasons)
	want := append([]string{"once "}, slices.Repeat([]string{"once second_in_period"}, many-1)...)
	if !slices.Equal(reasons, want) {
		t.Errorf("got %q", reasons)
	}
}

// together lets nobody write what came of looking at other debits until everybody has looked once.
type together struct {
	mu      sync.Mutex
	missing int
	all     chan struct{}
}

func (r *together) before(
	run func(context.Context, func(*database.Tx) error) error) func(context.Context, func(*database.Tx) error) error {
	return func(ctx context.Context, fn func(*database.Tx) error) error {
		r.mu.Lock()
		if r.missing--; r.missing == 0 {
			close(r.all)
		}
		r.mu.Unlock()
		<-r.all
		return run(ctx, fn)
	}
}

// A forecast names everything at once, by field; a charge answers with the first of it. Those before count for those
// after.
func TestAForecastNamesEverythingThatStandsAgainstADebit(t *testing.T) {
	t.Parallel()
	h := open(t)
	variable := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(10))})
	once := h.ask(asking{account: "4000000000", cents: 10000, noFirst: true, due: noon(day(10)), once: true})
	eft := h.tokenise("4000000000", 0)
	h.to(start.Add(time.Minute))
	wish := func(token uuid.UUID, cents int64, due time.Time) purchase.Wish {
		return purchase.Wish{TokenID: token, Purchase: purchase.Purchase{MerchantID: h.who.MerchantID, BrandID: h.brand,
			Currency: "ZAR", TotalCents: cents, Due: due, DueGiven: true}}
	}
	good, soon, off := *noon(day(10)), *noon(day(2)), *noon(day(11))
	dollars := wish(variable.ID, 10000, good)
	dollars.Purchase.Currency = "USD"
	all, err := h.purchases.Forecasts(ctx, h.who.MerchantID, []purchase.Wish{
		wish(variable.ID, 10000, good), wish(variable.ID, 10000, good), wish(variable.ID, 10001, off),
		wish(variable.ID, 0, soon), wish(uuid.New(), 0, soon), dollars,
		wish(once.ID, 10000, good), wish(once.ID, 10000, good), wish(eft.ID, 1, good),
	})
	must(t, err)
	for i, want := range []string{
		"", "", "amount purchase_charge_error, due purchase_charge_error", "due due_too_soon, amount purchase_charge_error",
		"recurring_token invalid_recurring_token, due due_too_soon, amount purchase_charge_error",
		"__all__ purchase_charge_error",
		"", "recurring_token invalid_recurring_token", "",
	} {
		var got []string
		for _, p := range all[i].Problems {
			got = append(got, p.Path+" "+p.Code)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
	for i, want := range map[int]string{0: "", 1: "second_in_period", 6: "", 8: "eft"} {
		if got := strings.Join(all[i].Because, " "); got != want {
			t.Errorf("%d: disputable because of %q, want %q", i, got, want)
		}
	}
	if all[0].Plan.ActionDate != day(10) || all[0].Plan.SubmitAt != day(9).At(12, 0) ||
		all[8].Plan.SubmitAt != day(8).At(12, 0) {
		t.Errorf("the plans: %+v, %+v", all[0].Plan, all[8].Plan)
	}
	refusedAs(t, all[4].Err(), fault.Conflict, "invalid_recurring_token")
	refusedAs(t, all[3].Err(), fault.Invalid, "due_too_soon")
	if f, _ := fault.From(all[2].Err()); len(f.Fields) != 2 || f.Fields[0].Path != "due" || f.Fields[1].Path != fault.All {
		t.Errorf("amount and date: %+v", f)
	}
}
