package book_test

import (
	"context"
	"sync"
	"testing"

	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
)

// Clients whose DebiCheck mandates do not move are asked again in groups, each once, and their answers are seen.
func TestDebiCheckMandatesAreAskedAgainInGroups(t *testing.T) {
	t.Parallel()
	h, ctx := open(t), context.Background()
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
	must(t, err)
	i = h.goneOn(h.rehearse(i))
	if n := h.count(`SELECT count(*) FROM tokens WHERE merchant_id = $1`, h.who.MerchantID); n != 0 {
		t.Fatalf("%d accounts can be debited that nobody confirmed", n)
	}
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
