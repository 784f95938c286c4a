package book_test

import (
	"context"
	"strings"
	"testing"

	"debitdesk/models/attention"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
)

const owing = "Member No;Name;Email;Bank;Acc No;Mandate signed;Monthly;Next debit;Last debit;Arrears;" +
	"Due date;Invoice no\n" +
	"A1;Thandi Nkosi;thandi@example.com;FNB;62000001018;2025-01-28;649.00;2026-12-25;2026-10-25;R 1 298,00;2026-09-25;" +
	"INV-7\n" +
	"B2;Anna Botha;anna@example.com;;;;;;;450,00;2027-01-15;\n" +
	"C3;Pule Sithole;pule@example.com;;;;;;;-50,00;;\n" +
	"D4;Sara Smit;sara@example.com;;;;;;;75,50;;\n"

// What clients owe elsewhere becomes open items: owed, overdue where their day has passed, never debited without a
// person, and opened in the journal. An undo leaves nothing of it, and a second run of the same file adds nothing.
func TestArrearsBecomeOpenItems(t *testing.T) {
	t.Parallel()
	h := open(t)
	before := h.everything()
	i := h.goneOn(h.rehearsed(owing))
	if c := i.Counts; c.Created != 4 || h.named(i, book.CauseCredit) != 1 {
		t.Fatalf("%+v", c)
	}
	if n := h.count(`SELECT count(*) FROM purchases WHERE merchant_id = $1 AND taken_over AND token_id IS NULL
		AND execute_at IS NULL AND status = CASE reference WHEN 'INV-7' THEN 'overdue' ELSE 'created' END
		AND (total_cents, sast_day(due)) IN ((129800, '2026-09-25'), (45000, '2027-01-15'), (7550, '2026-11-23'))`,
		h.who.MerchantID); n != 3 {
		t.Errorf("%d items are open as they should be, want 3", n)
	}
	if n := h.count(`SELECT coalesce(sum(ar), 0) FROM journal_entries WHERE merchant_id = $1 AND kind = 'taken_over'
		AND ar = -open AND rev = 0 AND vato = 0`, h.who.MerchantID); n != 129800+45000+7550 {
		t.Errorf("%d cents were opened in the journal", n)
	}
	if n := h.count(`SELECT count(*) FROM check_journal($1)`, h.who.MerchantID); n != 0 {
		t.Errorf("%d differences in the journal", n)
	}
	items, err := attention.Store{DB: h.store}.Items(context.Background(), h.who.MerchantID, attention.Query{}, 10)
	must(t, err)
	if got := overdueNames(items); got != "Thandi Nkosi" {
		t.Errorf("overdue without a debit: %q", got)
	}
	again := h.rehearsed(owing)
	if c := again.Counts; c.Unchanged != 4 {
		t.Errorf("the second time: %+v", c)
	}
	h.exec(`UPDATE book_imports SET state = 'discarded' WHERE id = $1`, again.ID)
	_, err = h.book.Undo(context.Background(), h.who, i.ID)
	must(t, err)
	if i = h.work(i); i.State != book.Undone || len(i.Kept) > 0 {
		t.Fatalf("%s, kept %+v", i.State, i.Kept)
	}
	if after := h.everything(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if n := h.count(`SELECT count(*) FROM journal_entries WHERE merchant_id = $1`, h.who.MerchantID); n != 0 {
		t.Errorf("%d entries are left in the journal", n)
	}
}

func overdueNames(i attention.Items) string {
	var names []string
	for _, one := range i.NeverDebited {
		names = append(names, one.Name)
	}
	return strings.Join(names, ", ")
}

// A row stays when something became of what is owed, or the month of its opening entry was closed.
func TestAnUndoLeavesWhatIsOwedOnceSomethingBecameOfIt(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ sql, why string }{
		"mailed": {`UPDATE purchases SET mail_count = 1 WHERE merchant_id = $1 AND reference = 'INV-7'`, "mailed, paid or"},
		"paid":   {`UPDATE purchases SET status = 'paid' WHERE merchant_id = $1 AND reference = 'INV-7'`, "mailed, paid or"},
		"closed": {`INSERT INTO book_closings (id, merchant_id, month, entries, balances, closed_at, closed_by)
			VALUES (gen_random_uuid(), $1, '2026-11-01', 3, '{"ZAR": {"ar": 182350, "open": -182350}}', now(),
			'Werner')`, "closed in the books"},
	} {
		h := open(t)
		i := h.goneOn(h.rehearsed(owing))
		h.exec(one.sql, h.who.MerchantID)
		_, err := h.book.Undo(context.Background(), h.who, i.ID)
		must(t, err)
		i = h.work(i)
		if len(i.Kept) == 0 || !strings.Contains(i.Kept[len(i.Kept)-1].Why, one.why) {
			t.Errorf("%s: kept %+v", name, i.Kept)
		}
	}
}

// A file of open items is joined to the clients: each of its rows is one item, however many a client has.
func TestAFileOfOpenItemsIsJoined(t *testing.T) {
	t.Parallel()
	h := open(t)
	i, err := h.book.Upload(context.Background(), h.who, book.Upload{Name: "clients.csv", BrandID: h.brand,
		CutOver: calendar.On(2026, 12, 1), Content: strings.NewReader("Member No;Name;Email\n" +
			"A1;Thandi Nkosi;thandi@example.com\nB2;Anna Botha;anna@example.com\n"),
		With: []book.Extra{{Name: "open.csv", Content: strings.NewReader("Member No;Outstanding;Due date;Invoice no\n" +
			"A1;100,00;2026-09-25;INV-1\nA1;200,00;2026-10-25;INV-2\nB2;50,00;2026-10-25;INV-3\nX9;1,00;2026-10-25;INV-4\n" +
			"A1;300,00;2026-11-01;INV-5\n")}}})
	must(t, err)
	i = h.rehearse(i)
	if c := i.Counts; c.Created != 2 || c.Updated != 2 || c.Skipped != 1 {
		for _, r := range h.rows(i) {
			t.Logf("%d %s %s %s", r.N, r.Name, r.Verdict, r.Reasons())
		}
		t.Fatalf("%+v", c)
	}
	h.goneOn(i)
	if n := h.count(`SELECT coalesce(sum(total_cents), 0) FROM purchases WHERE merchant_id = $1 AND taken_over`,
		h.who.MerchantID); n != 65000 {
		t.Errorf("%d cents are owed", n)
	}
}
