package batch_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"debitdesk/models/batch"
	"debitdesk/models/client"
	"debitdesk/models/fault"
)

var ctx = context.Background()

func code(t *testing.T, err error, want string) {
	t.Helper()
	if !fault.HasCode(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// choose decides about a row as it stands now.
func (h *house) choose(b batch.Batch, n int, d batch.Decision, client client.Client) batch.Batch {
	h.t.Helper()
	b, _, err := h.batches.Decide(ctx, h.who, b.ID, batch.Choice{N: n, Revision: h.row(b, n).Revision, Decision: d,
		Client: client.ID})
	must(h.t, err)
	return b
}

func (h *house) row(b batch.Batch, n int) batch.Row {
	h.t.Helper()
	for _, r := range h.rows(b) {
		if r.N == n {
			return r
		}
	}
	h.t.Fatalf("no row %d", n)
	return batch.Row{}
}

func TestNobody_unknown_is_billed_before_a_person_decides(t *testing.T) {
	h := open(t)
	known := h.client("known@example.org")
	b := h.looked(heading +
		"known@example.org,Somebody,100,2027-03-01,x\nnew@example.org,N,100,2027-03-01,x\nNEW@example.org,N,110,2027-03-01,x\nother@example.org,O,120,2027-03-01,x\nthird@example.org,T,130,2027-03-01,x\n")
	if b.Counts.Ready != 1 || b.Counts.Bad != 4 || b.Counts.Creates != 0 {
		t.Fatalf("strangers count as ready: %+v", b.Counts)
	}
	b = h.choose(b, 3, batch.CreateClient, client.Client{})
	if b.Counts.Ready != 3 || b.Counts.Creates != 1 {
		t.Fatalf("one person in two rows: %+v", b.Counts)
	}
	b = h.choose(b, 5, batch.BillClient, known)
	b, err := h.batches.Skip(ctx, h.who, b.ID, 6)
	must(t, err)
	if b.Counts.Ready != 4 || b.Counts.Creates != 1 || b.Counts.Bad != 0 {
		t.Fatalf("%+v", b.Counts)
	}
	v, err := h.batches.Review(ctx, h.who, b.ID, 0)
	must(t, err)
	if len(v.Effects.Creates) != 1 || v.Effects.Creates[0].N != 3 || v.Effects.Counts.Mails != 4 {
		t.Errorf("the review names %+v", v.Effects)
	}
	o := order(b)
	o.AcceptWarnings = true // the name of row 5 is not that of the client who was chosen
	b = h.work(h.start(b, o))
	h.isWhole(b, 4)
	if n := h.count(`SELECT count(*) FROM clients`); n != 2 {
		t.Errorf("%d clients, want the known and the one that was decided", n)
	}
	if n := h.count(`SELECT count(*) FROM purchases WHERE client_id = $1`, known.ID); n != 2 {
		t.Errorf("%d invoices of the chosen client", n)
	}
	if n := h.count(`SELECT count(*) FROM mails WHERE recipient = 'other@example.org'`); n != 0 {
		t.Error("the address that was not to be billed got the mail")
	}
}

func TestA_decision_is_about_the_person_who_was_seen(t *testing.T) {
	h := open(t)
	b := h.looked(heading + "a@example.org,A,100,2027-03-01,x\n")
	seen := h.row(b, 2)
	b, _, err := h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 2, Text: "b@example.org"})
	must(t, err)
	_, _, err = h.batches.Decide(ctx, h.who, b.ID,
		batch.Choice{N: 2, Revision: seen.Revision, Decision: batch.CreateClient})
	code(t, err, "row_changed")
	b = h.choose(b, 2, batch.CreateClient, client.Client{})
	b, r, err := h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 2, Text: "c@example.org"})
	must(t, err)
	if r.Decision != batch.Undecided || b.Counts.Ready != 0 {
		t.Errorf("the decision about b holds for c: %+v", r)
	}
	_, _, err = h.batches.FixAll(ctx, h.who, b.ID, everybody, r.Revision-1)
	code(t, err, "nothing_mended")
}

func TestTwo_people_at_one_cell_do_not_overwrite_each_other(t *testing.T) {
	h := open(t)
	b := h.checked(heading + "a@example.org,A,100,2027-03-01,x\nb@example.org,B,100,2027-03-01,x\n")
	was, other := "100", "A"
	var both sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		both.Go(func() {
			_, _, errs[i] = h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 2, Column: 2, Text: string(rune('1'+i)) + "00.50",
				Was: &was})
		})
	}
	both.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !fault.HasCode(err, "cell_changed") && !fault.HasCode(err, "conflict") {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d people changed one cell", won)
	}
	_, _, err := h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 2, Column: 1, Text: "Anna", Was: &other})
	must(t, err)
}

func TestWhat_is_sent_is_what_was_seen(t *testing.T) {
	h := open(t)
	b := h.checked(heading + "a@example.org,A,100,2027-03-01,x\nb@example.org,B,200,2027-03-01,x\n")
	seen := order(b)
	for n, text := range map[int]string{2: "200", 3: "100"} { // the amounts change places: the number and the sum stay
		_, _, err := h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: n, Column: 2, Text: text})
		must(t, err)
	}
	_, err := h.batches.Start(ctx, h.who, b.ID, seen)
	code(t, err, "batch_changed")
	if f, _ := fault.From(
		err,
	); f.Message != "The batch changed since you looked at it, and nothing was sent. "+
		"The number and the sum are the same, but the rows are not. Changed: rows 2, 3. Look at it again." {
		t.Error(f.Message)
	}
	for n, text := range map[int]string{2: "100", 3: "200"} {
		_, _, err := h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: n, Column: 2, Text: text})
		must(t, err)
	}
	h.isWhole(h.work(h.start(b, seen)), 2) // as it was seen
}

func TestAn_edit_and_the_send_at_once_send_what_was_seen_or_nothing(t *testing.T) {
	h := open(t)
	for range 5 {
		b := h.checked(heading + "a@example.org,A,100,2027-03-01,x\n")
		o := order(b)
		o.AcceptWarnings = true
		var both sync.WaitGroup
		var started, mended error
		both.Go(func() { _, started = h.batches.Start(ctx, h.who, b.ID, o) })
		both.Go(func() { _, _, mended = h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 2, Column: 2, Text: "999"}) })
		both.Wait()
		if (started == nil) == (mended == nil) {
			t.Fatalf("started: %v, mended: %v", started, mended)
		}
		h.work(b)
	}
	if n := h.count(`SELECT count(*) FROM purchases WHERE total_cents <> 10000`); n != 0 {
		t.Errorf("%d invoices that nobody reviewed", n)
	}
}

// A short file has no usual amount of its own: the business has one, and where it has not, a very large amount is
// unusual.
func TestA_huge_amount_for_a_new_client_is_unusual_in_a_short_file(t *testing.T) {
	h := open(t)
	for amount, want := range map[string]int{"\"99 999 999,00\"": 1, "\"100 000,00\"": 1, "\"99 999,99\"": 0} {
		if b := h.checked(heading + "new@example.org,N," + amount + ",2027-03-01,x\n"); b.Counts.Unusual != want {
			t.Errorf("%s before anything was invoiced: %+v", amount, b.Counts)
		}
	}
	b := h.checked(heading +
		"a@example.org,A,100,2027-03-01,x\nb@example.org,B,110,2027-03-01,x\nc@example.org,C,120,2027-03-01,x\n")
	h.work(h.start(b, order(b)))
	for amount, want := range map[string]int{"\"1 100,00\"": 1, "\"1 099,99\"": 0} {
		if b := h.checked(heading + "new@example.org,N," + amount + ",2027-03-01,x\n"); b.Counts.Unusual != want {
			t.Errorf("%s where 110 is usual: %+v", amount, b.Counts)
		}
	}
}

func TestUnusual_amounts_must_be_ticked(t *testing.T) {
	h := open(t)
	h.client("a@example.org")
	b := h.checked(heading + "a@example.org,Somebody,100,2027-03-01,x\n")
	h.work(h.start(b, order(b)))
	b = h.checked(heading +
		"a@example.org,Somebody,300,2027-04-01,x\nb@example.org,B,100,2027-03-01,x\nc@example.org,C,110,2027-03-01,x\nd@example.org,D,\"99 999 999,00\",2027-03-01,x\n")
	rows, err := h.batches.Rows(ctx, h.who, b.ID, batch.RowQuery{States: []batch.RowState{batch.Ready}, Unusual: true,
		Limit: 10})
	must(t, err)
	if len(rows) != 2 || b.Counts.Unusual != 2 || rows[0].UsualCents != 10_000 || rows[1].N != 5 {
		t.Fatalf("%d unusual: %+v", b.Counts.Unusual, rows)
	}
	o := order(b)
	o.AcceptWarnings, o.GoodOnly = true, true
	_, err = h.batches.Start(ctx, h.who, b.ID, o)
	code(t, err, "required")
	_, _, err = h.batches.Confirm(ctx, h.who, b.ID, map[int]int64{2: 29_999})
	code(t, err, "amounts_changed")
	b, n, err := h.batches.Confirm(ctx, h.who, b.ID, map[int]int64{2: 30_000, 5: 1})
	must(t, err)
	if n != 1 || b.Counts.Unusual != 1 {
		t.Fatalf("%d confirmed, %d left", n, b.Counts.Unusual)
	}
	b, err = h.batches.Skip(ctx, h.who, b.ID, 5)
	must(t, err)
	b, _, err = h.batches.EditCell(ctx, h.who, b.ID, batch.Edit{N: 2, Column: 2, Text: "400"})
	must(t, err)
	if b.Counts.Unusual != 1 {
		t.Fatal("another amount is ticked already")
	}
	b, _, err = h.batches.Confirm(ctx, h.who, b.ID, map[int]int64{2: 40_000})
	must(t, err)
	b, err = h.batches.Restore(ctx, h.who, b.ID, 5)
	must(t, err)
	if b.Counts.Unusual != 1 || b.Counts.Skipped != 0 {
		t.Errorf("taken back in: %+v", b.Counts)
	}
}

func TestWhat_changed_after_the_review_is_not_sent_in_silence(t *testing.T) {
	h := open(t)
	moved, gone := h.client("moved@example.org"), h.client("gone@example.org")
	b := h.checked(heading +
		"moved@example.org,Somebody,100,2027-03-01,x\ngone@example.org,Somebody,100,2027-03-01,x\nnew@example.org,N,100,2027-03-01,x\nstays@example.org,S,100,2027-03-01,x\n")
	o := order(b)
	o.Hold = 10 * time.Minute
	b = h.start(b, o)
	_, err := h.clients.Update(ctx, h.who, moved.ID,
		client.Change{Apply: func(d client.Details) (client.Details, fault.Problems) {
			d.Email = "elsewhere@example.org"
			return d, nil
		}})
	must(t, err)
	h.exec(`UPDATE clients SET deleted_at = now() WHERE id = $1`, gone.ID)
	h.client("new@example.org")
	must(t, h.store.Clock.MoveTo(ctx, start.Add(11*time.Minute)))
	b = h.work(b)
	if b.State != batch.Done || b.Counts.Sent != 1 || b.Counts.Failed != 3 {
		t.Fatalf("%s %+v", b.State, b.Counts)
	}
	h.isWhole(b, 1)
	for _, r := range h.rows(b, batch.Failed) {
		if r.Error == "" {
			t.Errorf("row %d fails without a reason", r.N)
		}
		t.Log(r.N, r.Error)
	}
	b, err = h.batches.Repair(ctx, h.who, b.ID)
	must(t, err)
	b = h.created(b)
	o = order(b)
	o.AcceptWarnings = true
	b = h.work(h.start(b, o))
	if b.Counts.Sent != 4 {
		t.Errorf("%+v", b.Counts)
	}
	h.isWhole(b, 4)
}

func TestA_pause_keeps_the_hold_and_the_first_few(t *testing.T) {
	h := open(t)
	b := h.checked(file(5))
	o := order(b)
	o.Hold, o.FirstFew = 10*time.Minute, true
	b = h.start(b, o)
	until := b.HoldUntil
	b, err := h.batches.Pause(ctx, h.who, b.ID)
	must(t, err)
	b, err = h.batches.Resume(ctx, h.who, b.ID)
	must(t, err)
	if !b.HoldUntil.Equal(until) || b.PauseAfter != 3 {
		t.Fatalf("held until %s, then %d; want %s", b.HoldUntil, b.PauseAfter, until)
	}
	h.isWhole(h.work(b), 0)
	must(t, h.store.Clock.MoveTo(ctx, until))
	b = h.work(b)
	if b.State != batch.Paused {
		t.Errorf("the first few were not waited for: %s", b.State)
	}
	h.isWhole(b, 3)
}

func TestLimits_are_forecast_exactly(t *testing.T) {
	for _, c := range []struct {
		collected, bad, debits int64
		limit                  int64
		want                   batch.Forecast
	}{
		{0, 0, 19, 1000, batch.Forecast{Before: -1, Margin: 1}},
		{90, 10, 100, 1000, batch.Forecast{Before: 1000, Expected: 10, Margin: 10}},
		{50, 50, 100, 1000, batch.Forecast{Before: 5000, Expected: 50, Margin: -1}},
		{199, 1, 200, 50, batch.Forecast{Before: 50, Expected: 1, Margin: 1}},
		{10, 0, 10, 50, batch.Forecast{Margin: 0}},
	} {
		e := batch.Effects{Counts: batch.Counts{Debits: int(c.debits)}}
		e.Outcome.Collected, e.Outcome.Unpaid = c.collected, c.bad
		if got := e.Against(c.limit, c.bad); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
