package batch_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"debitdesk/models/batch"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// workbook is a sheet with a column of texts among which some are numbers.
func (h *house) workbook() batch.Batch {
	h.t.Helper()
	x := excelize.NewFile()
	for i, row := range [][]any{{"email", "full name", "amount", "due", "description"},
		{"a@example.org", "A", 450.555, "2027-03-01", "x"}, {"b@example.org", "B", "1.234", "2027-03-01", "x"},
		{"c@example.org", "C", 1234.5, "2027-03-01", "x"}} {
		must(h.t, x.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row))
	}
	var content bytes.Buffer
	must(h.t, x.Write(&content))
	b, err := h.batches.Upload(ctx, h.who, batch.Upload{Name: "march.xlsx", Source: batch.FromFile, BrandID: h.brand,
		Content: bytes.NewReader(content.Bytes())})
	must(h.t, err)
	b, err = h.batches.Map(ctx, h.who, b.ID, b.Mapping)
	must(h.t, err)
	return h.created(h.work(b))
}

func TestAChoiceAboutTextsTouchesNoNumberAndCanBeUndone(t *testing.T) {
	h := open(t)
	b := h.workbook()
	decimals := h.row(b, 2)
	if decimals.State != batch.Bad || decimals.Problems[0].Cause != batch.CauseDecimals {
		t.Fatalf("450.555 as a number: %+v", decimals.Problems)
	}
	comma := batch.Fix{Cause: batch.CauseDecimalMark, Column: 3, Choice: string(money.CommaMark)}
	b, n, err := h.batches.FixAll(ctx, h.who, b.ID, comma, 0)
	must(t, err)
	if n != 1 || h.row(b, 3).TotalCents != 1234_00 || h.row(b, 2).Cells[2] != "450.555" ||
		h.row(b, 4).TotalCents != 1234_50 {
		t.Errorf("%d rows, %d cents, %q, %d cents", n, h.row(b, 3).TotalCents, h.row(b, 2).Cells, h.row(b, 4).TotalCents)
	}
	b, _, err = h.batches.FixAll(ctx, h.who, b.ID, batch.Fix{Cause: batch.CauseDecimals, Column: 3}, 0)
	must(t, err)
	if got := h.row(b, 2).TotalCents; got != 450_56 {
		t.Errorf("rounded to %d", got)
	}
	mends, err := h.batches.Mends(ctx, h.who, b.ID)
	must(t, err)
	b, err = h.batches.Undo(ctx, h.who, b.ID, mends[1].ID) // the comma, though something else was changed since
	must(t, err)
	if r := h.row(b, 3); r.State != batch.Bad || r.Cells[2] != "1.234" || h.row(b, 2).TotalCents != 450_56 {
		t.Errorf("undone: %s %q", r.State, r.Cells)
	}
	if _, err := h.batches.Undo(ctx, h.who, b.ID, mends[1].ID); !fault.HasCode(err, "nothing_to_undo") {
		t.Errorf("undone twice: %v", err)
	}
}

func TestEachMendIsUndoneInItsTurn(t *testing.T) {
	h := open(t)
	c := h.named("Anna", "anna@example.org")
	b := h.looked(heading + "a@example.org,A,100,2027-03-01,x\nb@example.org,B,100,2027-03-01,x\n" +
		"c@example.org,C,100,2027-03-01,x\nd@example.org,D,5000000,2027-03-01,x\n")
	was := func() string {
		out := ""
		for _, r := range h.rows(h.get(b)) {
			out += fmt.Sprintln(r.N, r.State, r.Cells, r.Decision, r.Chosen, r.Confirmed, r.Problems, r.Error)
		}
		return out
	}
	states := []string{was()}
	for name, mend := range []func() error{
		func() error {
			_, _, err := h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 2, Column: 2, Text: "250"})
			return err
		},
		func() error { h.choose(b, 2, batch.BillClient, c); return nil },
		func() error { _, _, err := h.batches.FixAll(ctx, h.who, b.ID, everybody, 0); return err },
		func() error { _, err := h.batches.Skip(ctx, h.who, b.ID, 3); return err },
		func() error { _, err := h.batches.Restore(ctx, h.who, b.ID, 3); return err },
		func() error {
			_, _, err := h.batches.Confirm(ctx, h.who, b.ID, map[int]int64{5: 5000000_00})
			return err
		},
	} {
		if err := mend(); err != nil {
			t.Fatalf("mend %d: %v", name, err)
		}
		states = append(states, was())
	}
	mends, err := h.batches.Mends(ctx, h.who, b.ID)
	must(t, err)
	if len(mends) != len(states)-1 {
		t.Fatalf("%d of %d can be undone", len(mends), len(states)-1)
	}
	if _, err := h.batches.Undo(ctx, h.who, b.ID, mends[5].ID); !fault.HasCode(err, "changed_since") {
		t.Errorf("below another change of the row: %v", err)
	}
	for i, m := range mends {
		if _, err := h.batches.Undo(ctx, h.who, b.ID, m.ID); err != nil {
			t.Fatalf("undo %q: %v", m.Text, err)
		}
		if got, want := was(), states[len(states)-2-i]; got != want {
			t.Errorf("after undoing %q:\n%s\nwant\n%s", m.Text, got, want)
		}
	}
	other, _ := h.merchant("other")
	if _, err := h.batches.Undo(ctx, other, b.ID, mends[0].ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
}

func TestADraftIsDiscardedWithItsRowsAndABatchIsNot(t *testing.T) {
	h := open(t)
	b := h.checked(file(2))
	_, _, err := h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 2, Column: 2, Text: "250"})
	must(t, err)
	other, _ := h.merchant("other")
	if err := h.batches.Discard(ctx, other, b.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	must(t, h.batches.Discard(ctx, h.who, b.ID))
	if n := h.count(`SELECT (SELECT count(*) FROM batches) + (SELECT count(*) FROM batch_rows) +
		(SELECT count(*) FROM batch_mends)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'batch.discarded'`); n != 1 {
		t.Errorf("%d entries", n)
	}
	b = h.checked(file(2))
	b = h.start(b, order(b))
	if err := h.batches.Discard(ctx, h.who, b.ID); !fault.HasCode(err, "batch_started") {
		t.Errorf("a batch that was sent: %v", err)
	}
}

func TestADraftWhoseDatesPassedIsCheckedAgainBeforeItIsSent(t *testing.T) {
	h := open(t)
	b := h.checked(heading + "a@example.org,A,100,2027-02-02,x\nb@example.org,B,100,2027-03-01,x\n")
	if b.Counts.Ready != 2 {
		t.Fatalf("%+v", b.Counts)
	}
	o := order(b)
	must(t, h.store.Clock.MoveTo(ctx, start.Add(3*24*time.Hour)))
	if _, err := h.batches.Start(ctx, h.who, b.ID, o); !fault.HasCode(err, "batch_changed") {
		t.Errorf("the old button: %v", err)
	}
	b, err := h.batches.Refresh(ctx, h.who, b.ID)
	must(t, err)
	if b.Counts.Ready != 1 || b.Counts.Bad != 1 || b.State != batch.Checked {
		t.Errorf("%s %+v", b.State, b.Counts)
	}
	revision := b.Revision
	if b, err = h.batches.Refresh(ctx, h.who, b.ID); err != nil || b.Revision != revision {
		t.Errorf("checked again on the same day: %v", err)
	}
}

// A file above the limit does not pass it in slices.
func TestTheLimitCountsWhatWasSentOfTheBatchBefore(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE merchants SET approve_batches_cents = 15000`)
	b := h.checked(heading + "a@example.org,A,100,2027-03-01,x\nnobody,B,100,2027-03-01,x\n")
	o := order(b)
	o.GoodOnly = true
	b = h.work(h.start(b, o))
	b, err := h.batches.Repair(ctx, h.who, b.ID)
	must(t, err)
	_, _, err = h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 3, Column: 0, Text: "b@example.org"})
	must(t, err)
	b = h.created(h.get(b))
	if _, err = h.batches.Start(ctx, h.who, b.ID, order(b)); !fault.HasCode(err, "approval_needed") {
		t.Errorf("the second half: %v, %+v", err, b.Counts)
	}
}
