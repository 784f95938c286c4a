package book_test

import (
	"strings"
	"testing"

	"debitdesk/models/bank/tape"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
)

// debit is a record of a tape; say changes a good one.
func debit(kind, account, name string, say func(tape.Record)) string {
	r := tape.New(kind)
	r.Number(tape.Branch, "250655")
	r.Number(tape.Account, "62000009999")
	r.Put(tape.UserCode, "KS01")
	r.Count(tape.Sequence, 1)
	r.Number(tape.HomingBranch, "250655")
	r.Number(tape.HomingAccount, account)
	r.Put(tape.Type, "1")
	r.Count(tape.Amount, 64900)
	r.Put(tape.Action, "261120")
	r.Put(tape.Class, "44")
	r.Put(tape.Reference, "KLOOFST   "+name+strings.Repeat(" ", 14-len(name))+"261120")
	r.Put(tape.Name, "CLIENT "+name)
	r.Number(tape.LongAccount, "0")
	if say != nil {
		say(r)
	}
	return string(r)
}

func TestTapesComeIn(t *testing.T) {
	t.Parallel()
	h := open(t)
	lines := []struct {
		text    string
		verdict book.Verdict
		cause   string
	}{
		{debit(tape.Debit, "62000001018", "KSFA", nil), book.Created, ""},
		{debit(tape.Debit, "62000002018", "KSFB", func(r tape.Record) { r.Put(tape.Type, "4") }),
			book.Refused, book.CauseType},
		{debit(tape.Debit, "62000003018", "KSFC", func(r tape.Record) { r.Count(tape.Amount, 0) }), book.Created, ""},
		{debit(tape.Debit, "62000004018", "KSFD", func(r tape.Record) { r.Put(tape.Action, "261320") }), book.Refused,
			book.CauseUnfit},
		{debit(tape.Debit, "62000005018", "KSFE", func(r tape.Record) { r.Put(tape.Action, "261210") }), book.Created,
			book.CausePlanned},
		{debit(tape.Debit, "62000006018", "KSFF", func(r tape.Record) { r.Put(tape.Action, "000000") }), book.Created, ""},
		{debit(tape.Debit, "0", "KSFG", nil), book.Refused, book.CauseReach},
		{debit(tape.Debit, "62000001018", "KSFH", nil), book.Created, book.CauseShared},
		{debit(tape.Debit, "62000007018", "KSFA", nil), book.Refused, book.CauseTwice},
		{debit(tape.Credit, "62000008018", "KSFI", nil), book.Skipped, book.CauseAside},
		{debit(tape.DebitContra, "62000009999", "CONTRA", nil), book.Skipped, book.CauseAside},
		{"XX is not a record", book.Skipped, book.CauseAside},
	}
	texts := make([]string, len(lines))
	for n, l := range lines {
		texts[n] = l.text
	}
	i := h.rehearsed(strings.Join(texts, "\r\n"))
	if i.Source.Layout != "acb_180" {
		t.Fatalf("%+v", i.Source)
	}
	i = h.fix(i, book.CauseUndated, "vouch")
	h.addsUp(i)
	for n, l := range lines {
		h.is(i, n+1, l.verdict, l.cause)
	}
	for _, r := range h.rows(i) {
		if r.N == 1 && r.FirstOn != calendar.On(2026, 12, 20) {
			t.Errorf("the first debit is due on %s", r.FirstOn)
		}
	}
}
