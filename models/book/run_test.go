package book_test

import (
	"context"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

func TestABookComesInParkedAndIsTakenBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	before := h.everything()
	i := h.done(members(6))
	h.addsUp(i)
	if i.State != book.Done || i.Counts.Created != 6 || i.Counts.Applied != 6 || i.Counts.Debitable != 6 {
		t.Fatalf("the import is %s: %+v", i.State, i.Counts)
	}
	m := h.who.MerchantID
	for what, want := range map[string]int{
		`SELECT count(*) FROM clients WHERE merchant_id = $1 AND parked_at IS NOT NULL`:                       6,
		`SELECT count(*) FROM tokens WHERE merchant_id = $1 AND state = 'active' AND parked_at IS NOT NULL`:   6,
		`SELECT count(*) FROM mandates WHERE merchant_id = $1 AND contract_reference LIKE 'KSF%'`:             6,
		`SELECT count(*) FROM template_clients WHERE merchant_id = $1 AND why = 'parked' AND next_at IS NULL`: 6,
		`SELECT count(*) FROM mails WHERE merchant_id = $1`:                                                   0,
		`SELECT count(*) FROM events WHERE merchant_id = $1`:                                                  0,
		`SELECT count(*) FROM collections WHERE merchant_id = $1`:                                             0,
		`SELECT count(*) FROM billing_templates WHERE merchant_id = $1 AND total_cents = 64900`:               1,
		`SELECT count(*) FROM client_references WHERE merchant_id = $1`:                                       6,
		`SELECT count(*) FROM audit_entries WHERE merchant_id = $1 AND action = 'client.created'`:             6,
		`SELECT count(*) FROM mandates WHERE merchant_id = $1 AND consent_at = '2025-01-27 22:00:00+00'`:      6,
	} {
		if n := h.count(what, m); n != want {
			t.Errorf("%s gives %d, want %d", what, n, want)
		}
	}
	_, err := h.book.Undo(context.Background(), h.who, i.ID)
	must(t, err)
	if i = h.work(i); i.State != book.Undone || len(i.Kept) != 0 {
		t.Fatalf("the import is %s, and left %v", i.State, i.Kept)
	}
	if after := h.everything(); after != before {
		t.Errorf("after the undo there is\n%s\nbefore the import there was\n%s", after, before)
	}
}

func TestASecondRunChangesNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.done(members(5))
	before := h.everything()
	i := h.rehearsed(members(5))
	h.addsUp(i)
	if i.Counts.Unchanged != 5 {
		t.Fatalf("the second rehearsal says %+v: %+v", i.Counts, h.rows(i)[0])
	}
	_, err := h.book.Start(context.Background(), h.who, i.ID, i.Seal())
	if !fault.HasCode(err, "nothing_to_do") {
		t.Errorf("a run that would change nothing began: %v", err)
	}
	if after := h.everything(); after != before {
		t.Error("the second run changed something")
	}
}

func TestNothingIsDebitedFromWhatIsParked(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.done(members(2))
	ctx := context.Background()
	row := h.rows(i)[0]
	k, err := token.Store{DB: h.store}.Token(ctx, h.who.MerchantID, row.TokenID)
	must(t, err)
	charge := func() error {
		due := calendar.On(2026, time.December, 15).At(12, 0)
		rec, err := h.purchases.Create(ctx, h.who, purchase.Input{BrandID: h.brand, ClientID: row.ClientID, Due: &due,
			Details: purchase.Details{Products: []purchase.Product{{Name: "Towel", PriceCents: 5000,
				Quantity: decimal.NewFromInt(1)}}}})
		must(t, err)
		_, err = h.purchases.Charge(ctx, h.who, rec.ID, k.ID)
		return err
	}
	if err := charge(); !fault.HasCode(err, "invalid_recurring_token") {
		t.Errorf("a parked account was charged: %v", err)
	}
	if err := h.purchases.NotStopped(ctx, h.who.MerchantID, row.ClientID); !fault.HasCode(err, "client_parked") {
		t.Errorf("a parked client may be debited: %v", err)
	}
	if _, err := h.subs.SetSubscriberPaused(ctx, h.who, row.SubscriberID, false); !fault.HasCode(err, "client_parked") {
		t.Errorf("a parked subscription was resumed: %v", err)
	}
	n, err := h.subs.Run(ctx)
	must(t, err)
	if n != 0 {
		t.Errorf("%d periods of parked subscriptions were billed", n)
	}
	_, err = h.book.SwitchOn(ctx, h.who, i.ID, row.GroupName)
	must(t, err)
	if err := charge(); err != nil {
		t.Errorf("an account that is switched on cannot be charged: %v", err)
	}
	other := h.rows(i)[1]
	if err := h.purchases.NotStopped(ctx, h.who.MerchantID, other.ClientID); !fault.HasCode(err, "client_parked") {
		t.Errorf("the other group was switched on, too: %v", err)
	}
}

func TestAGroupThatIsSwitchedOnIsBilledFromTheFirstSafeDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	i := h.done(members(2))
	row := h.rows(i)[0]
	if want := calendar.On(2026, time.December, 25); row.FirstOn != want {
		t.Fatalf("the first debit is planned for %s, want %s", row.FirstOn, want)
	}
	_, err := h.book.SwitchOn(ctx, h.who, i.ID, row.GroupName)
	must(t, err)
	must(t, h.store.Clock.MoveTo(ctx, calendar.On(2026, time.December, 22).At(6, 0)))
	_, err = h.subs.Run(ctx)
	must(t, err)
	if n := h.count(`SELECT count(*) FROM collections WHERE merchant_id = $1 AND original_date = '2026-12-25'`,
		h.who.MerchantID); n != 1 {
		t.Errorf("%d debits are planned for the first day, want 1", n)
	}
}

// The file names no debit day and no last debit: a month after the cut-over is New Year's Day, and its debit would run
// the day before. The first safe day is the next on which banks work, not a month later.
func TestARowWithoutADebitDayBeginsOnTheFirstSafeDay(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed("Name,Email,Bank,Branch code,Account number,Account type,Amount,Mandate signed\n" +
		"Thandi Nkosi,thandi@example.com,Capitec,470010,1234567890,Savings,449,2025-03-01\n")
	if row, want := h.rows(i)[0], calendar.On(2027, time.January, 4); row.FirstOn != want {
		t.Errorf("the first debit is planned for %s, want %s", row.FirstOn, want)
	}
}

// A column says when each subscription started. A start to come is the first debit. One that has passed names the debit
// day, or where the cycle is longer than a month, the periods.
func TestAStartDateTellsWhenASubscriptionIsDebited(t *testing.T) {
	t.Parallel()
	h := open(t)
	dec, jan, feb := func(d int) calendar.Date { return calendar.On(2026, time.December, d) },
		func(d int) calendar.Date { return calendar.On(2027, time.January, d) },
		func(d int) calendar.Date { return calendar.On(2027, time.February, d) }
	i := h.rehearsed("Member No,Name,Email,Bank,Account number,Amount,Mandate signed,How often,Day,Last debit,Start date\n" +
		"A1,Thandi Nkosi,a1@example.com,FNB,62000001011,449,2025-03-01,monthly,,,2027-02-15\n" +
		"A2,Anna Botha,a2@example.com,FNB,62000001012,449,2025-03-01,monthly,,2026-11-17,2025-03-17\n" +
		"A3,Sipho Zulu,a3@example.com,FNB,62000001013,449,2025-03-01,monthly,25,2026-10-25,2025-03-17\n" +
		"A4,Jan Fourie,a4@example.com,FNB,62000001014,449,2025-03-01,quarterly,,2026-10-20,2025-01-20\n" +
		"A5,Piet Smit,a5@example.com,FNB,62000001015,449,2025-03-01,monthly,,,2025-03-31\n")
	for n, want := range []calendar.Date{feb(15), dec(17), dec(25), jan(20), jan(31)} {
		if r := h.rows(i)[n]; r.Verdict != book.Created || r.FirstOn != want {
			t.Errorf("row %d is %s, and its first debit is planned for %s, want %s: %+v", r.N, r.Verdict, r.FirstOn, want,
				r.Findings)
		}
	}
}
