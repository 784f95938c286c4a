package book_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"debitdesk/models/book"
)

// Two processes that work at one import do each row once: whichever is slower looks again.
func TestTwoProcessesAtOneImportDoEachRowOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	before := h.everything()
	i := h.upload(members(1700))
	both := func(want book.State) {
		t.Helper()
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				if _, err := h.book.Work(ctx, h.who, i.ID); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		var err error
		i, err = h.book.Get(ctx, h.who, i.ID)
		must(t, err)
		if i.State != want {
			t.Fatalf("the import is %s, want %s: %+v", i.State, want, i.Counts)
		}
	}
	_, err := h.book.Map(ctx, h.who, i.ID, i.Mapping, i.CutOver)
	must(t, err)
	both(book.Checked)
	h.addsUp(i)
	_, err = h.book.Start(ctx, h.who, i.ID, i.Seal())
	must(t, err)
	both(book.Done)
	if n := h.count(`SELECT count(*) FROM clients WHERE merchant_id = $1`, h.who.MerchantID); n != 1700 {
		t.Errorf("there are %d clients, want 1700", n)
	}
	_, err = h.book.Undo(ctx, h.who, i.ID)
	must(t, err)
	both(book.Undone)
	if after := h.everything(); after != before {
		t.Errorf("after the undo there is %d bytes of records, before there were %d", len(after), len(before))
	}
}

// What was counted row by row is counted anew at the end; a run that does not add up is not done.
func TestARunThatDoesNotAddUpIsNotDone(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx := context.Background()
	i := h.rehearsed(members(3))
	_, err := h.book.Start(ctx, h.who, i.ID, i.Seal())
	must(t, err)
	h.exec(`UPDATE book_import_rows SET cents = cents + 1 WHERE import_id = $1 AND n = 2`, i.ID)
	if _, err := h.book.Work(ctx, h.who, i.ID); err == nil || !strings.Contains(err.Error(), "anew") {
		t.Errorf("it says %v", err)
	}
	if i, err = h.book.Get(ctx, h.who, i.ID); err != nil || i.State != book.Running {
		t.Errorf("the import is %s, %v", i.State, err)
	}
}

// Two rows may mean one client, each by something else that they say: the second sees what the first did.
func TestTwoRowsOfOneClientAreDoneOneAfterTheOther(t *testing.T) {
	t.Parallel()
	h := open(t)
	first := heading + strings.Replace(member(1), "Number1;;", "Number1;8501015000085;", 1)
	h.done(first)
	before := h.everything()
	byReference := strings.Replace(member(1), "082 123 0001", "083 999 0001", 1)
	byIdentity := strings.Replace(strings.Replace(strings.Replace(member(1), "KSF0001", "", 1), "Number1;;",
		"Number1;8501015000085;", 1), "m1@example.com", "new@example.com", 1)
	i := h.done(heading + byReference + byIdentity)
	h.addsUp(i)
	if i.State != book.Done || i.Counts.Updated != 1 || i.Counts.Refused != 1 {
		t.Fatalf("the import is %s: %+v", i.State, i.Counts)
	}
	h.is(i, 3, book.Refused, book.CauseChanged)
	_, err := h.book.Undo(context.Background(), h.who, i.ID)
	must(t, err)
	if i = h.work(i); len(i.Kept) != 0 {
		t.Errorf("the undo left %v", i.Kept)
	}
	if after := h.everything(); after != before {
		t.Errorf("after the undo there is\n%s\nbefore there was\n%s", after, before)
	}
}

// An amount that no debit can have is refused, so that sums of many rows stay sums.
func TestAnAmountThatNoDebitCanHaveIsRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	i := h.rehearsed(heading + strings.Replace(member(1), "R 649,00", "R 100 000 000,00", 1) +
		strings.Replace(member(2), "R 649,00", "R 100 000 000,01", 1))
	h.is(i, 2, book.Created, "")
	h.is(i, 3, book.Refused, book.CauseAmount)
}
