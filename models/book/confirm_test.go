package book_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
)

// toConfirm is an import of another business's book: three clients who have to confirm a DebiCheck mandate again, and
// one of whom the bank would have to know more.
func (h *house) toConfirm() book.Import {
	h.t.Helper()
	h.goneOn(h.rehearsed("Member No;Name;ID Number;Cell;Email;Country;Bank;Acc No;Monthly;Next debit;Mandate signed;" +
		"Last debit\n" +
		"A1;Thandi Nkosi;8001015009087;0821234567;thandi@example.com;ZA;FNB;62000001018;649.00;2026-12-25;2025-01-28;none\n" +
		"B2;Anna Botha;8501015000085;0821234568;anna@example.com;ZA;Capitec;1400000101;649.00;2026-12-15;2025-03-01;none\n" +
		"C3;Pule Sithole;9001015009086;0821234569;pule@example.com;ZA;FNB;62000001019;649.00;2026-12-25;2025-01-28;none\n" +
		"D4;Sara Smit;;;sara@example.com;ZA;FNB;62000001020;649.00;2026-12-25;2025-01-28;none\n"))
	h.exec(`UPDATE tokens SET method = 'debicheck' WHERE merchant_id = $1`, h.who.MerchantID)
	h.exec(`UPDATE mandates SET kind = 'debicheck' WHERE merchant_id = $1`, h.who.MerchantID)
	left := h.taken(true)
	h.who, h.brand = h.merchant("next")
	i, err := h.uploaded(left)
	must(h.t, err)
	i = h.goneOn(h.rehearse(i))
	if n := h.count(`SELECT count(*) FROM tokens WHERE merchant_id = $1`, h.who.MerchantID); n != 0 {
		h.t.Fatalf("%d accounts can be debited that nobody confirmed", n)
	}
	return i
}

// Clients whose DebiCheck mandates do not move are asked again in groups, each once, and their answers are seen.
func TestDebiCheckMandatesAreAskedAgainInGroups(t *testing.T) {
	t.Parallel()
	h, ctx := open(t), context.Background()
	i := h.toConfirm()
	seen := func(want map[book.Answer]int, when string) book.Confirmations {
		t.Helper()
		c, err := h.book.Confirmations(ctx, h.who, i)
		must(t, err)
		for a, n := range want {
			if c.Counts[a] != n {
				t.Errorf("%s: %+v, want %d %s: %+v", when, c.Counts, n, a, c.All)
			}
		}
		return c
	}
	pace := book.Pace{Method: mandate.Delayed, Group: 2, PerDay: 2}
	all := seen(map[book.Answer]int{book.ToAsk: 3, book.CannotAsk: 1}, "before")
	if days := h.book.AskingDays(pace, all); len(days) != 2 || days[0].N != 2 || days[1].N != 1 ||
		days[1].On != calendar.On(2026, 11, 24) {
		t.Errorf("they would be asked on %+v", days)
	}
	var both sync.WaitGroup // two people press at once
	for range 2 {
		both.Go(func() {
			if _, refused, err := h.book.AskConfirm(ctx, h.who, i.ID, pace); err != nil || refused > 0 {
				t.Errorf("%d refused, %v", refused, err)
			}
		})
	}
	both.Wait()
	if n := h.count(`SELECT count(*) - count(DISTINCT client_id) FROM mandates WHERE merchant_id = $1`,
		h.who.MerchantID); n != 0 {
		t.Errorf("%d clients were asked twice", n)
	}
	if n := h.count(`SELECT count(*) FROM mandates WHERE merchant_id = $1 AND kind = 'debicheck' AND state = 'submitted'
		AND (terms ->> 'max_amount_cents')::int = 64900`, h.who.MerchantID); n != 2 {
		t.Errorf("%d mandates are asked for", n)
	}
	h.exec(`UPDATE mandates SET state = CASE client_id WHEN (SELECT min(client_id::text)::uuid FROM mandates
		WHERE merchant_id = $1) THEN 'active' ELSE 'rejected' END WHERE merchant_id = $1`, h.who.MerchantID)
	seen(map[book.Answer]int{book.Confirmed: 1}, "answered")
	if c := seen(map[book.Answer]int{book.Asked: 0}, "answered"); c.Counts[book.NoAnswer] < 1 ||
		pace.Next(c) != 0 {
		t.Errorf("%+v, and %d more would be asked today", c.Counts, pace.Next(c))
	}
	if err := (book.Pace{Method: "BY POST", Group: 0, PerDay: 0}).Check(); !fault.Is(err, fault.Invalid) {
		t.Errorf("a pace of nothing: %v", err)
	}
}

// Who confirmed is added to the subscription of the file by one act, and never debited twice: the old system goes on
// until the client has confirmed, whatever the file said before. (books.md, A8)
func TestConfirmedClientsAreAddedToTheirSubscriptions(t *testing.T) {
	t.Parallel()
	h, ctx := open(t), context.Background()
	i := h.toConfirm()
	pace := book.Pace{Method: mandate.Delayed, Group: 3, PerDay: 3}
	_, _, err := h.book.AskConfirm(ctx, h.who, i.ID, pace)
	must(t, err)
	if _, _, err := h.book.AddConfirmed(ctx, h.who, i.ID, calendar.Date{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("nobody confirmed, and %v", err)
	}
	today := calendar.DateOf(h.store.Now())
	h.exec(`UPDATE mandates SET state = 'active', accepted_at = $2 WHERE merchant_id = $1`, h.who.MerchantID,
		h.store.Now())
	h.exec(`UPDATE tokens SET state = 'active' WHERE merchant_id = $1`, h.who.MerchantID)
	h.exec(`UPDATE clients SET stopped_at = $2 WHERE merchant_id = $1 AND full_name = 'Pule Sithole'`, h.who.MerchantID,
		h.store.Now())
	joins := func(last calendar.Date) (ready []book.Joining) {
		t.Helper()
		c, err := h.book.Confirmations(ctx, h.who, i)
		must(t, err)
		all, err := h.book.Joinings(ctx, i, c, last)
		must(t, err)
		for _, j := range all {
			if j.Joins() {
				ready = append(ready, j)
			} else if j.Row.Name != "Pule Sithole" {
				t.Errorf("%s: %s", j.Row.Name, j.Why)
			}
		}
		return ready
	}
	for _, j := range joins(calendar.Date{}) { // not known: a whole month passes
		if j.First.Before(today.AddMonths(1, today.Day)) || j.Cents != 64900 {
			t.Errorf("without a day %s would be debited on %s", j.Row.Name, j.First)
		}
	}
	last := today.AddDays(-2)
	for _, j := range joins(last) {
		if earliest := last.AddMonths(1, last.Day).AddDays(-3); j.First.Before(earliest) {
			t.Errorf("%s would be debited on %s, less than a month after %s", j.Row.Name, j.First, last)
		}
	}
	if _, _, err := h.book.AddConfirmed(ctx, h.who, i.ID, today.AddDays(1)); !fault.Is(err, fault.Invalid) {
		t.Errorf("a last debit of tomorrow: %v", err)
	}
	few := int64(64900) // one of the two, and one press adds both
	h.limit = &few
	if _, _, err := h.book.AddConfirmed(ctx, h.who, i.ID, last); !fault.HasCode(err, "approval_needed") {
		t.Errorf("above the limit of one person: %v", err)
	}
	h.limit = nil
	var both sync.WaitGroup // two people press at once
	var added atomic.Int64
	for range 2 {
		both.Go(func() {
			n, _, err := h.book.AddConfirmed(ctx, h.who, i.ID, last)
			if err != nil && !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
			added.Add(int64(n))
		})
	}
	both.Wait()
	m := h.who.MerchantID
	for what, want := range map[string]int{
		`SELECT count(*) FROM template_clients WHERE merchant_id = $1`: 2,
		`SELECT count(*) FROM template_clients s JOIN tokens t ON t.id = s.token_id JOIN book_import_rows r
			ON r.subscriber_id = s.id WHERE s.merchant_id = $1 AND s.status = 'active' AND t.method = 'debicheck'
			AND s.next_at > now()`: 2,
		`SELECT count(*) FROM template_clients s JOIN clients c ON c.id = s.client_id AND c.stopped_at IS NOT NULL
			WHERE s.merchant_id = $1`: 0,
		`SELECT count(*) FROM audit_entries WHERE merchant_id = $1 AND action = 'import.confirmed_added'`: 1,
		`SELECT count(*) FROM collections WHERE merchant_id = $1`:                                         0,
		`SELECT count(*) FROM mails WHERE merchant_id = $1 AND kind LIKE 'subscription%'`:                 0} {
		if n := h.count(what, m); n != want {
			t.Errorf("%d, want %d: %s", n, want, what)
		}
	}
	if added.Load() != 2 || len(joins(last)) != 0 {
		t.Errorf("%d were added, and %d more can be", added.Load(), len(joins(last)))
	}
}

// Clients who were asked stay when an import is undone, with what a person added for them since, and are listed.
func TestAnUndoLeavesAndListsClientsWhoConfirmed(t *testing.T) {
	t.Parallel()
	h, ctx := open(t), context.Background()
	i := h.toConfirm()
	_, _, err := h.book.AskConfirm(ctx, h.who, i.ID, book.Pace{Method: mandate.Delayed, Group: 3, PerDay: 3})
	must(t, err)
	h.exec(`UPDATE mandates SET state = 'active', accepted_at = $2 WHERE merchant_id = $1`, h.who.MerchantID,
		h.store.Now())
	h.exec(`UPDATE tokens SET state = 'active' WHERE merchant_id = $1`, h.who.MerchantID)
	added, _, err := h.book.AddConfirmed(ctx, h.who, i.ID, calendar.Date{})
	must(t, err)
	_, err = h.book.Undo(ctx, h.who, i.ID)
	must(t, err)
	i = h.work(i)
	m := h.who.MerchantID
	if n := h.count(`SELECT count(*) FROM template_clients WHERE merchant_id = $1 AND status = 'active'`, m); added != 3 ||
		n != 3 {
		t.Errorf("%d were added, and %d subscriptions go on", added, n)
	}
	if n := h.count(`SELECT count(*) FROM clients WHERE merchant_id = $1`, m); n != 3 || len(i.Kept) != 3 {
		t.Errorf("%d clients stay, who were asked: %s, %+v", n, i.State, i.Kept)
	}
}

// Who presses while another does sees other clients to ask, when one was switched on in between: the pace of the day
// holds for both together.
func TestTogetherPeopleAskNoMoreInADayThanThePaceSays(t *testing.T) {
	t.Parallel()
	h, ctx := open(t), context.Background()
	i := h.toConfirm()
	press := func() {
		_, _, err := h.book.AskConfirm(ctx, h.who, i.ID, book.Pace{Method: mandate.Delayed, Group: 2, PerDay: 2})
		if err != nil {
			t.Error(err)
		}
	}
	park := func(at any) {
		h.exec(`UPDATE clients SET parked_at = $1::timestamptz WHERE id = (SELECT client_id FROM book_import_rows
			WHERE import_id = $2 ORDER BY n LIMIT 1)`, at, i.ID)
	}
	park(h.store.Now())
	var other sync.WaitGroup
	var pressed atomic.Bool
	h.book.Now = func() time.Time {
		if pressed.CompareAndSwap(false, true) { // the first has looked at the clients, and has asked nobody
			asked, seen := make(chan struct{}), make(chan struct{})
			other.Go(func() { park(nil); press(); close(asked) })
			other.Go(func() { h.untilAnyWaits(asked); close(seen) })
			<-seen
		}
		return h.store.Now()
	}
	press()
	other.Wait()
	if n := h.count(`SELECT count(*) FROM mandates WHERE merchant_id = $1`, h.who.MerchantID); n != 2 {
		t.Errorf("%d clients were asked on one day", n)
	}
}

// A group is filled up for those who could not be asked, and whose asking was cut off is asked once more.
func TestAGroupIsFilledUpWithThoseWhoCanBeAsked(t *testing.T) {
	t.Parallel()
	h, ctx := open(t), context.Background()
	i := h.toConfirm()
	h.exec(`UPDATE book_import_rows SET asked_at = $1 WHERE import_id = $2 AND n = 3`,
		h.store.Now().Add(-11*time.Minute), i.ID)
	if c, err := h.book.Confirmations(ctx, h.who, i); err != nil || c.Counts[book.ToAsk] != 3 || c.AskedToday != 0 {
		t.Errorf("%v, %d asked, %v", c.Counts, c.AskedToday, err)
	}
	h.exec(`UPDATE clients SET stopped_at = $1 WHERE id = (SELECT client_id FROM book_import_rows
		WHERE import_id = $2 ORDER BY n LIMIT 1)`, h.store.Now(), i.ID)
	asked, refused, err := h.book.AskConfirm(ctx, h.who, i.ID, book.Pace{Method: mandate.Delayed, Group: 2, PerDay: 2})
	if asked != 2 || refused != 1 || err != nil {
		t.Errorf("%d asked, %d refused, %v", asked, refused, err)
	}
	if c, err := h.book.Confirmations(ctx, h.who, i); err != nil || c.Counts[book.Asked] != 2 || c.AskedToday != 2 {
		t.Errorf("%v, %d asked, %v", c.Counts, c.AskedToday, err)
	}
}

// untilAnyWaits returns once somebody waits for a lock, or is done without.
func (h *house) untilAnyWaits(done chan struct{}) {
	for h.count(`SELECT count(*) FROM pg_locks WHERE NOT granted
		AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`) == 0 {
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
		}
	}
}
