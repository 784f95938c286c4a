package book_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"debitdesk/models/actor"
	"debitdesk/models/book"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

var errKilled = errors.New("the process was killed")

// killing is the service in a process that is killed at some of its transactions, before or after what they write.
func (h *house) killing(r *rand.Rand) *book.Service {
	s := *h.book
	whole := s.InTx
	s.InTx = func(ctx context.Context, fn func(*database.Tx) error) error {
		switch r.IntN(6) {
		case 0:
			return errKilled
		case 1: // in the middle of the transaction
			if err := whole(ctx, func(tx *database.Tx) error { return errors.Join(fn(tx), errKilled) }); err != nil {
				return err
			}
		case 2: // after it: nobody learned that it was committed
			if err := whole(ctx, fn); err != nil {
				return err
			}
			return errKilled
		}
		return whole(ctx, fn)
	}
	return &s
}

// survive does something until it is done, however often it is killed.
func survive(t *testing.T, do func() error) {
	t.Helper()
	for range 200 {
		switch err := do(); {
		case err == nil:
			return
		case !errors.Is(err, errKilled):
			t.Fatal(err)
		}
	}
	t.Fatal("it never ended")
}

func worked(ctx context.Context, s *book.Service, who actor.Actor, i *book.Import) error {
	next, err := s.Work(ctx, who, i.ID)
	if err == nil {
		*i = next
	}
	return err
}

// randomBook is a file of clients with dirt in it.
func randomBook(r *rand.Rand, rows int) string {
	var b strings.Builder
	b.WriteString(dirtHead)
	for n := range rows {
		cells := map[string]string{}
		if r.IntN(3) == 0 {
			for head, text := range faults[r.IntN(len(faults))].cells {
				cells[head] = text
			}
		}
		switch r.IntN(4) {
		case 0:
			cells["Last debit"] = fmt.Sprintf("%02d/11/2026", 1+r.IntN(26))
		case 1:
			cells["Last debit"] = ""
		}
		if r.IntN(3) == 0 {
			cells["Next debit"] = fmt.Sprintf("%02d/12/2026", 13+r.IntN(18))
		}
		if r.IntN(4) == 0 {
			cells["Day"] = fmt.Sprint(1 + r.IntN(30))
		}
		b.WriteString(dirty(n, cells))
	}
	return b.String()
}

// Whatever the file, wherever a process is killed: the rows add up, a second run changes nothing, no debit comes before
// the guard allows it, and after the undo the book is as before.
func TestAnyBookAddsUpAndIsTakenBackWhereverItIsKilled(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test that can be repeated
			h := open(t)
			ctx := context.Background()
			must(t, h.store.Clock.MoveTo(ctx, calendar.On(2026, 11, 26).At(9, 0)))
			if r.IntN(2) == 0 { // some clients are there already
				h.done(dirtHead + dirty(1, map[string]string{"Cell": ""}) + dirty(2, map[string]string{"Monthly": ""}) +
					dirty(3, nil))
			}
			before := h.everything()
			file := randomBook(r, 5+r.IntN(40))
			i := h.killed(t, r, file)
			h.addsUp(i)
			if c := i.Counts; c.Applied != c.ToDo() {
				t.Fatalf("%d rows were done: %+v", c.Applied, c)
			}
			h.guarded(i)
			again := h.rehearsed(file)
			h.addsUp(again)
			if c := again.Counts; c.Created != 0 || c.Updated != 0 || c.Unchanged != i.Counts.ToDo() {
				t.Errorf("the first run did %+v, the second would do %+v", i.Counts, c)
			}
			if i.Counts.Created+i.Counts.Updated == 0 {
				return
			}
			s := h.killing(r)
			survive(t, func() error {
				_, err := s.Undo(ctx, h.who, i.ID)
				if now, _ := h.book.Get(ctx, h.who, i.ID); now.State == book.Undoing {
					return nil
				}
				return err
			})
			survive(t, func() error { return worked(ctx, s, h.who, &i) })
			if i.State != book.Undone || len(i.Kept) != 0 {
				t.Fatalf("the import is %s and left %v", i.State, i.Kept)
			}
			if after := h.everything(); after != before {
				t.Errorf("after the undo there is\n%s\nbefore there was\n%s", after, before)
			}
		})
	}
}

// killed rehearses and does a file in processes that are killed again and again.
func (h *house) killed(t *testing.T, r *rand.Rand, file string) (i book.Import) {
	t.Helper()
	ctx, s := context.Background(), h.killing(r)
	i = h.upload(file)
	survive(t, func() error {
		_, err := s.Map(ctx, h.who, i.ID, i.Mapping, i.CutOver)
		return err
	})
	survive(t, func() error { return worked(ctx, s, h.who, &i) })
	if i.Counts.Created+i.Counts.Updated == 0 {
		return i
	}
	survive(t, func() error {
		_, err := s.Start(ctx, h.who, i.ID, i.Seal())
		if now, _ := h.book.Get(ctx, h.who, i.ID); now.State == book.Running {
			return nil
		}
		return err
	})
	survive(t, func() error { return worked(ctx, s, h.who, &i) })
	return i
}

// guarded holds every first debit against what the old system did.
func (h *house) guarded(i book.Import) {
	h.t.Helper()
	days := h.purchases.Calendar
	for _, r := range h.rows(i) {
		if r.FirstOn.IsZero() || !r.Verdict.Comes() {
			continue
		}
		runs := days.Shift(r.FirstOn, calendar.Previous)
		last, err := calendar.ParseWritten(r.Cells[13], calendar.DayFirst)
		switch {
		case runs.Before(i.CutOver):
			h.t.Errorf("row %d is debited on %s, before the cut-over", r.N, r.FirstOn)
		case err == nil && runs.Before(last.AddMonths(1, last.Day).AddDays(-3)):
			h.t.Errorf("row %d is debited on %s, after a debit on %s", r.N, r.FirstOn, last)
		case r.Cells[13] == "" && runs.Before(i.CutOver.AddMonths(1, i.CutOver.Day)):
			h.t.Errorf("row %d is debited on %s, though nobody knows of the last debit", r.N, r.FirstOn)
		}
	}
}

// What somebody changed since stays, and is listed.
func TestAnUndoLeavesWhatSomebodyChangedSince(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	i := h.done(members(3))
	rows := h.rows(i)
	_, err := h.subs.Remove(ctx, h.who, rows[0].SubscriberID)
	must(t, err)
	h.exec(`UPDATE clients SET phone = '27820000000', updated_at = updated_at + interval '1 second' WHERE id = $1`,
		rows[1].ClientID)
	_, err = h.book.Undo(ctx, h.who, i.ID)
	must(t, err)
	i = h.work(i)
	if len(i.Kept) != 2 || i.Kept[0].Row != rows[1].N || i.Kept[1].Row != rows[0].N {
		t.Fatalf("it left %+v", i.Kept)
	}
	if n := h.count(`SELECT count(*) FROM clients WHERE merchant_id = $1`, h.who.MerchantID); n != 2 {
		t.Errorf("%d clients are left, want 2", n)
	}
	if _, err := h.book.SwitchOn(ctx, h.who, i.ID, rows[1].GroupName); err != nil {
		t.Errorf("what was left can never be switched on: %v", err)
	}
}

// An update is taken back to what was there before, to the letter.
func TestAnUpdateIsRehearsedWithOldAndNewAndTakenBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	h.done(members(2))
	before := h.everything()
	i := h.done(strings.Replace(members(2), "082 123 0001", "083 999 0001", 1))
	if i.Counts.Updated != 1 || i.Counts.Unchanged != 1 {
		t.Fatalf("it did %+v", i.Counts)
	}
	if c := h.rows(i)[0].Changes; len(c) != 1 || c[0].Was != "27821230001" || c[0].Is != "27839990001" {
		t.Errorf("it says %+v", c)
	}
	_, err := h.book.Undo(ctx, h.who, i.ID)
	must(t, err)
	h.work(i)
	if after := h.everything(); after != before {
		t.Errorf("after the undo there is\n%s\nbefore there was\n%s", after, before)
	}
}

// Another merchant's import is not there.
func TestAnImportIsThereForItsMerchantAlone(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.done(members(1))
	other, _ := h.merchant("other")
	for _, do := range []func(context.Context, actor.Actor) error{
		func(ctx context.Context, who actor.Actor) error { _, err := h.book.Get(ctx, who, i.ID); return err },
		func(ctx context.Context, who actor.Actor) error { _, err := h.book.Undo(ctx, who, i.ID); return err },
		func(ctx context.Context, who actor.Actor) error {
			_, err := h.book.SwitchOn(ctx, who, i.ID, "GYM")
			return err
		},
		func(ctx context.Context, who actor.Actor) error {
			_, err := h.book.Rows(ctx, who, i.ID, book.RowQuery{Limit: 1})
			return err
		},
	} {
		if err := do(context.Background(), other); err == nil || !strings.Contains(err.Error(), "Not found") {
			t.Errorf("another merchant gets %v", err)
		}
	}
}
